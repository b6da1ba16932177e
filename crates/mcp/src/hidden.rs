//! Hidden text in what a server says of itself. It is reported and stays: nobody's words are changed quietly.

use crate::words;
use preface_core::{
    diagnostic::{Diagnostic, Severity},
    lint::{finding::Finding, hidden::scan},
    mcp_servers::Described,
};

/// How many places are named.
const NAMED: usize = 5;

/// Looks for hidden text, and returns one warning that names the places.
pub(crate) fn warning(said: &Described) -> Option<Diagnostic> {
    let mut found = Found::default();
    found.look(|| "its instructions".to_owned(), said.instructions.as_deref());
    for tool in &said.tools {
        let name = || words::shown(tool.name.as_bytes(), 80);
        found.look(|| format!("the name of the tool `{}`", name()), Some(&tool.name));
        found.look(|| format!("the description of the tool `{}`", name()), tool.description.as_deref());
        let schema = tool.input_schema.as_ref().map(ToString::to_string);
        found.look(|| format!("the schema of the tool `{}`", name()), schema.as_deref());
    }
    for prompt in &said.prompts {
        let name = || words::shown(prompt.name.as_bytes(), 80);
        found.look(|| format!("the name of the prompt `{}`", name()), Some(&prompt.name));
        found.look(|| format!("the description of the prompt `{}`", name()), prompt.description.as_deref());
        for argument in &prompt.arguments {
            let place = || format!("an argument of the prompt `{}`", name());
            found.look(place, Some(&argument.name));
            found.look(place, argument.description.as_deref());
        }
    }
    for resource in &said.resources {
        let uri = || words::shown(resource.uri.as_bytes(), 80);
        found.look(|| format!("the address of the resource `{}`", uri()), Some(&resource.uri));
        found.look(|| format!("the name of the resource `{}`", uri()), Some(&resource.name));
        found
            .look(|| format!("the description of the resource `{}`", uri()), resource.description.as_deref());
    }
    for fetched in &said.fetched {
        for text in &fetched.texts {
            found.look(|| fetched.want.to_string(), Some(text));
        }
    }
    found.told()
}

/// What was found so far.
#[derive(Default)]
struct Found {
    places: Vec<String>,
    more: usize,
}

impl Found {
    fn look(&mut self, place: impl Fn() -> String, text: Option<&str>) {
        for hidden in scan(text.unwrap_or_default()) {
            if hidden.severity() < Severity::Warning {
                continue;
            }
            if self.places.len() < NAMED {
                self.places.push(format!("{}: {}", place(), hidden.message()));
            } else {
                self.more += 1;
            }
        }
    }

    fn told(self) -> Option<Diagnostic> {
        if self.places.is_empty() {
            return None;
        }
        let more = if self.more > 0 { format!("; and {} more", self.more) } else { String::new() };
        let what = format!("it hides text in {}{more}", self.places.join("; "));
        let remedy = "read what is hidden before the server is used: a model reads it, too";
        Some(Diagnostic::warning("mcp/hidden", what).help(remedy))
    }
}
