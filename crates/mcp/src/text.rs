//! Text of servers on its way into messages: cut and escaped, hidden characters reported.

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Severity},
    lint::{character::excerpt, finding::TextFinding, hidden::scan},
    mcp_servers::ServerDescription,
};

// Text of servers in messages.

/// Shows the start of some bytes in one line: at most so many characters, control characters and hidden ones escaped.
pub(crate) fn shown(bytes: &[u8], at_most: usize) -> String {
    excerpt(String::from_utf8_lossy(bytes).trim(), at_most)
}

// Hidden text in descriptions of a server. It is reported and not removed.

/// The most places that are named.
const NAMED: usize = 5;

/// Looks for hidden text, and returns one warning that names the places.
pub(crate) fn warning(description: &ServerDescription) -> Option<Diagnostic> {
    let mut found = FoundPlaces::default();
    found.scan(|| "its instructions".to_owned(), description.instructions.as_deref());
    for tool in &description.tools {
        let name = || shown(tool.name.as_bytes(), 80);
        found.scan(|| format!("the name of the tool `{}`", name()), Some(&tool.name));
        found.scan(|| format!("the description of the tool `{}`", name()), tool.description.as_deref());
        let schema = tool.input_schema.as_ref().map(ToString::to_string);
        found.scan(|| format!("the schema of the tool `{}`", name()), schema.as_deref());
    }
    for prompt in &description.prompts {
        let name = || shown(prompt.name.as_bytes(), 80);
        found.scan(|| format!("the name of the prompt `{}`", name()), Some(&prompt.name));
        found.scan(|| format!("the description of the prompt `{}`", name()), prompt.description.as_deref());
        for argument in &prompt.arguments {
            let place = || format!("an argument of the prompt `{}`", name());
            found.scan(place, Some(&argument.name));
            found.scan(place, argument.description.as_deref());
        }
    }
    for resource in &description.resources {
        let uri = || shown(resource.uri.as_bytes(), 80);
        found.scan(|| format!("the address of the resource `{}`", uri()), Some(&resource.uri));
        found.scan(|| format!("the name of the resource `{}`", uri()), Some(&resource.name));
        found
            .scan(|| format!("the description of the resource `{}`", uri()), resource.description.as_deref());
    }
    for fetched in &description.fetched {
        for text in &fetched.texts {
            found.scan(|| fetched.want.to_string(), Some(text));
        }
    }
    found.into_diagnostic()
}

/// The places that were found so far.
#[derive(Default)]
struct FoundPlaces {
    places: Vec<String>,
    more: usize,
}

impl FoundPlaces {
    fn scan(&mut self, place: impl Fn() -> String, text: Option<&str>) {
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

    fn into_diagnostic(self) -> Option<Diagnostic> {
        if self.places.is_empty() {
            return None;
        }
        let more = if self.more > 0 { format!("; and {} more", self.more) } else { String::new() };
        let what = format!("it hides text in {}{more}", self.places.join("; "));
        let remedy = "read what is hidden before the server is used: a model reads it, too";
        Some(Diagnostic::warning(DiagnosticCode::McpHidden, what).help(remedy))
    }
}
