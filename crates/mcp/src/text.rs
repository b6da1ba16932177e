//! Text of servers on its way into messages: cut and escaped, without secrets, hidden characters reported.

use crate::{McpError, ServerEndpoint, ServerReply, ServerTarget};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Severity},
    lint::{character::excerpt, finding::TextFinding, hidden::scan},
    mcp_servers::ServerDescription,
};
use std::collections::HashSet;

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

// What was handed to a server and must not come back in a message: a program may print its key when it fails.

/// The values that are kept out of messages.
pub(crate) struct Secrets(Vec<String>);

/// The replacement for a secret.
const MASK: &str = "***";
/// Shorter values are no secrets, and hiding them would hide words.
const SHORTEST: usize = 8;

impl Secrets {
    pub(crate) fn of(target: &ServerTarget) -> Self {
        let given = match &target.reach {
            ServerEndpoint::Program { env, .. } => env,
            ServerEndpoint::Address { headers, .. } => headers,
        };
        // What follows `Bearer` is a secret without it, too. A path is none, and is often named.
        let mut secrets: Vec<String> = given
            .iter()
            .flat_map(|(_, value)| {
                let words = [value.trim(), value.trim().rsplit(' ').next().unwrap_or_default()];
                words.into_iter().chain(value.lines().map(str::trim))
            })
            .filter(|value| value.len() >= SHORTEST && !value.starts_with('/'))
            .map(str::to_owned)
            .collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Secrets(secrets)
    }

    /// Hides them in the diagnostics of a server; its descriptions stay.
    pub(crate) fn hide(&self, reply: &mut ServerReply) {
        let hide = |text: &mut String| self.0.iter().for_each(|secret| hide(text, secret));
        for diagnostic in &mut reply.diagnostics {
            hide(&mut diagnostic.message);
            diagnostic.help.iter_mut().for_each(hide);
        }
        reply.calls_itself.iter_mut().for_each(hide);
        if let Err(McpError::Unreachable(why) | McpError::Died(why) | McpError::Protocol(why)) =
            &mut reply.result
        {
            hide(why);
        }
    }
}

/// The number of consecutive bytes of a secret that are hidden if the rest of it is cut off or on another
/// line.
const PART: usize = 16;

/// Hides a secret in a text, and each larger part of it.
fn hide(text: &mut String, secret: &str) {
    if text.contains(secret) {
        *text = text.replace(secret, MASK);
    }
    if secret.len() < PART || text.len() < PART {
        return;
    }
    let parts: HashSet<&[u8]> = secret.as_bytes().windows(PART).collect();
    let mut is_secret = vec![false; text.len()];
    for (at, window) in text.as_bytes().windows(PART).enumerate() {
        if parts.contains(window) {
            is_secret[at..at + PART].fill(true);
        }
    }
    if !is_secret.contains(&true) {
        return;
    }
    let mut shown = String::with_capacity(text.len());
    let mut hidden = false;
    for (at, c) in text.char_indices() {
        let hides = is_secret[at..at + c.len_utf8()].contains(&true);
        match (hides, hidden) {
            (true, false) => shown.push_str(MASK),
            (true, true) => {}
            (false, _) => shown.push(c),
        }
        hidden = hides;
    }
    *text = shown;
}

#[cfg(test)]
mod tests {
    use super::{Secrets, hide};
    use crate::{McpError, ServerEndpoint, ServerReply, ServerTarget};
    use preface_core::diagnostic::{Diagnostic, DiagnosticCode};
    use std::time::Duration;

    #[test]
    fn a_value_its_last_word_and_its_lines_are_secrets() {
        for (value, expected) in [
            (" Bearer open5esame ", &["Bearer open5esame", "open5esame"][..]),
            ("Token eight888", &["Token eight888", "eight888"]),
            ("Token seven77", &["Token seven77"]),
            ("path /srv/data1", &["path /srv/data1"]),
            ("/srv/data1", &[]),
            ("first line\nsecond line", &["first line\nsecond line", "second line", "first line"]),
        ] {
            let headers = vec![("Authorization".to_owned(), value.to_owned())];
            let reach = ServerEndpoint::Address { url: "https://a.example".to_owned(), headers };
            let target =
                ServerTarget { name: "a".to_owned(), reach, deadline: Duration::ZERO, wants: Vec::new() };
            let Secrets(mut secrets) = Secrets::of(&target);
            secrets.dedup();
            assert_eq!(secrets, expected, "{value:?}");
        }
    }

    #[test]
    fn a_secret_is_hidden_in_everything_that_is_reported_of_a_server() {
        let secrets = Secrets(vec!["open5esame".to_owned()]);
        let text = || "x open5esame".to_owned();
        for problem in [McpError::Unreachable(text()), McpError::Died(text()), McpError::Protocol(text())] {
            let mut reply = ServerReply {
                name: "a".to_owned(),
                took: Duration::ZERO,
                calls_itself: Some(text()),
                protocol: None,
                result: Err(problem),
                refused: Vec::new(),
                diagnostics: vec![Diagnostic::warning(DiagnosticCode::McpDied, text()).help(text())],
            };
            secrets.hide(&mut reply);
            let shown = format!("{reply:?}");
            let counts = (shown.matches("open5esame").count(), shown.matches("x ***").count());
            assert_eq!(counts, (0, 4), "{shown}");
        }
    }

    #[test]
    fn a_secret_is_hidden_whole_and_in_parts() {
        let key = "sk-ant-0123456789abcdef0123456789";
        for (text, shown) in [
            ("bad token sk-ant-0123456789abcdef0123456789!", "bad token ***!"),
            ("bad token sk-ant-0123456789ab\u{2026}", "bad token ***\u{2026}"),
            ("6789abcdef0123456789 / next", "*** / next"),
            ("sk-ant-0123", "sk-ant-0123"),
            ("größer: sk-ant-0123456789abé", "größer: ***é"),
        ] {
            let mut text = text.to_owned();
            hide(&mut text, key);
            assert_eq!(text, shown);
        }
    }
}
