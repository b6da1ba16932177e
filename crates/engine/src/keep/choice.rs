//! Which template a conversation wants: `name`, `name@label`, `name@3`.

use super::KeepError;
use preface_store::{TemplateName, Which};
use std::{fmt, str::FromStr};

/// A template, and which version of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The template.
    pub name: TemplateName,
    /// The version.
    pub which: Which,
}

impl Choice {
    /// True where nothing else will do: another template than `main`, or a version of it.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.name != TemplateName::main() || self.which != Which::Current
    }

    /// Checks a label: it is written like a name, and is no number.
    #[must_use]
    pub fn is_label(text: &str) -> bool {
        text.parse::<TemplateName>().is_ok() && text.parse::<u64>().is_err()
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.which {
            Which::Current => write!(f, "{}", self.name),
            Which::Version(number) => write!(f, "{}@{number}", self.name),
            Which::Label(label) => write!(f, "{}@{label}", self.name),
        }
    }
}

impl FromStr for Choice {
    type Err = KeepError;

    fn from_str(text: &str) -> Result<Self, KeepError> {
        let bad = || KeepError::Choice(text.chars().take(200).collect());
        let (name, which) = match text.split_once('@') {
            None => (text, Which::Current),
            Some((name, which)) => match which.parse::<u64>() {
                Ok(number) => (name, Which::Version(number)),
                Err(_) if Choice::is_label(which) => (name, Which::Label(which.to_owned())),
                Err(_) => return Err(bad()),
            },
        };
        let name = match name {
            "" if text.is_empty() => TemplateName::main(),
            name => name.parse().map_err(|_| bad())?,
        };
        Ok(Choice { name, which })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_written_as_it_is_read() {
        for text in ["main", "review", "review@3", "review@stable", "a.b-c_d@v1.2"] {
            assert_eq!(text.parse::<Choice>().unwrap().to_string(), text);
        }
        assert_eq!("".parse::<Choice>().unwrap().to_string(), "main");
        for text in ["@3", "a@", "a@b@c", "a b", "../x", "a@-"] {
            assert!(text.parse::<Choice>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_what_is_plainly_main_may_be_missing() {
        let named = |text: &str| text.parse::<Choice>().unwrap().is_named();
        assert!(!named("") && !named("main"));
        assert!(named("main@3") && named("main@stable") && named("review"));
    }
}
