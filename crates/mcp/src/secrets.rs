//! What was handed to a server and must not come back in a message: a program may print its key when it fails.

use crate::{Heard, Reach, Target, Trouble};
use std::collections::HashSet;

/// The values that are kept out of messages.
pub(crate) struct Secrets(Vec<String>);

/// What stands in their place.
const MASK: &str = "***";
/// Shorter values are no secrets, and hiding them would hide words.
const SHORTEST: usize = 8;

impl Secrets {
    pub(crate) fn of(target: &Target) -> Self {
        let given = match &target.reach {
            Reach::Program { env, .. } => env,
            Reach::Address { headers, .. } => headers,
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

    /// Hides them in all that is said about a server; what it says of itself stays.
    pub(crate) fn hide(&self, heard: &mut Heard) {
        let hide = |text: &mut String| self.0.iter().for_each(|secret| hide(text, secret));
        for note in &mut heard.notes {
            hide(&mut note.message);
            note.help.iter_mut().for_each(hide);
        }
        heard.calls_itself.iter_mut().for_each(hide);
        if let Err(Trouble::Unreachable(why) | Trouble::Died(why) | Trouble::Lied(why)) = &mut heard.said {
            hide(why);
        }
    }
}

/// So many bytes in a row of a secret are hidden where the rest of it is cut off or stands on another line.
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
    use crate::{Heard, Reach, Target, Trouble};
    use preface_core::diagnostic::Diagnostic;
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
            let reach = Reach::Address { url: "https://a.example".to_owned(), headers };
            let target = Target { name: "a".to_owned(), reach, deadline: Duration::ZERO, wants: Vec::new() };
            let Secrets(mut secrets) = Secrets::of(&target);
            secrets.dedup();
            assert_eq!(secrets, expected, "{value:?}");
        }
    }

    #[test]
    fn a_secret_is_hidden_in_everything_that_is_reported_of_a_server() {
        let secrets = Secrets(vec!["open5esame".to_owned()]);
        let text = || "x open5esame".to_owned();
        for trouble in [Trouble::Unreachable(text()), Trouble::Died(text()), Trouble::Lied(text())] {
            let mut heard = Heard {
                name: "a".to_owned(),
                took: Duration::ZERO,
                calls_itself: Some(text()),
                protocol: None,
                said: Err(trouble),
                notes: vec![Diagnostic::warning("mcp/died", text()).help(text())],
            };
            secrets.hide(&mut heard);
            let shown = format!("{heard:?}");
            let counts = (shown.matches("open5esame").count(), shown.matches("x ***").count());
            assert_eq!(counts, (0, 4), "{shown}");
        }
    }

    #[test]
    fn a_secret_is_hidden_whole_and_in_parts() {
        let key = "sk-ant-0123456789abcdef0123456789";
        for (said, shown) in [
            ("bad token sk-ant-0123456789abcdef0123456789!", "bad token ***!"),
            ("bad token sk-ant-0123456789ab\u{2026}", "bad token ***\u{2026}"),
            ("6789abcdef0123456789 / next", "*** / next"),
            ("sk-ant-0123", "sk-ant-0123"),
            ("größer: sk-ant-0123456789abé", "größer: ***é"),
        ] {
            let mut text = said.to_owned();
            hide(&mut text, key);
            assert_eq!(text, shown);
        }
    }
}
