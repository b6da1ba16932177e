//! The template of a conversation: `name`, `name@label` or `name@3`.

use super::ConversationError;
use preface_store::{TemplateName, VersionChoice};
use std::{fmt, str::FromStr};

/// A template, and which version of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateChoice {
    /// The template.
    pub name: TemplateName,
    /// The version.
    pub which: VersionChoice,
}

impl TemplateChoice {
    /// True if nothing else will do: another template than `main`, or a version of it.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.name != TemplateName::main() || self.which != VersionChoice::Current
    }

    /// Checks a label: it is written like a name, and is no number.
    #[must_use]
    pub fn is_label(text: &str) -> bool {
        text.parse::<TemplateName>().is_ok() && text.parse::<u64>().is_err()
    }
}

impl fmt::Display for TemplateChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.which {
            VersionChoice::Current => write!(f, "{}", self.name),
            VersionChoice::Version(number) => write!(f, "{}@{number}", self.name),
            VersionChoice::Label(label) => write!(f, "{}@{label}", self.name),
        }
    }
}

impl FromStr for TemplateChoice {
    type Err = ConversationError;

    fn from_str(text: &str) -> Result<Self, ConversationError> {
        let bad = || ConversationError::Choice(text.chars().take(200).collect());
        let (name, which) = match text.split_once('@') {
            None => (text, VersionChoice::Current),
            Some((name, which)) => match which.parse::<u64>() {
                Ok(number) => (name, VersionChoice::Version(number)),
                Err(_) if TemplateChoice::is_label(which) => (name, VersionChoice::Label(which.to_owned())),
                Err(_) => return Err(bad()),
            },
        };
        let name = match name {
            "" if text.is_empty() => TemplateName::main(),
            name => name.parse().map_err(|_| bad())?,
        };
        Ok(TemplateChoice { name, which })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_written_as_it_is_read() {
        for text in ["main", "review", "review@3", "review@stable", "a.b-c_d@v1.2"] {
            assert_eq!(text.parse::<TemplateChoice>().unwrap().to_string(), text);
        }
        assert_eq!("".parse::<TemplateChoice>().unwrap().to_string(), "main");
        for text in ["@3", "a@", "a@b@c", "a b", "../x", "a@-"] {
            assert!(text.parse::<TemplateChoice>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_what_is_plainly_main_may_be_missing() {
        let named = |text: &str| text.parse::<TemplateChoice>().unwrap().is_named();
        assert!(!named("") && !named("main"));
        assert!(named("main@3") && named("main@stable") && named("review"));
    }
}
