//! What was handed to a server and must not come back in a message: a program may print its key when it fails.

use crate::{Heard, Reach, Target, Trouble};

/// The values that are kept out of messages.
pub(crate) struct Secrets(Vec<String>);

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
            .flat_map(|(_, value)| [value.trim(), value.trim().rsplit(' ').next().unwrap_or_default()])
            .filter(|value| value.len() >= SHORTEST && !value.starts_with('/'))
            .map(str::to_owned)
            .collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Secrets(secrets)
    }

    /// Hides them in all that is said about a server; what it says of itself stays.
    pub(crate) fn hide(&self, heard: &mut Heard) {
        let hide = |text: &mut String| {
            for secret in &self.0 {
                if text.contains(secret.as_str()) {
                    *text = text.replace(secret.as_str(), "***");
                }
            }
        };
        heard.notes.iter_mut().for_each(|note| hide(&mut note.message));
        if let Err(Trouble::Unreachable(why) | Trouble::Died(why) | Trouble::Lied(why)) = &mut heard.said {
            hide(why);
        }
    }
}
