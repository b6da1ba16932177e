//! What to do about a diagnostic or an error.

use serde::{Deserialize, Serialize};
use std::{fmt, ops::Deref};

/// What to do next, in words for every way in, and where a command or a flag of `preface` does it, that.
///
/// It reads as its words. The command line prints the command behind them, with the flags of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Remedy {
    /// What to do, in words.
    #[serde(rename = "help")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub words: String,
    /// The command that does it, without `preface` and the flags of the call: `trust grant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The flag that does it for one call: `--trust once`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
}

impl Remedy {
    /// Builds a remedy that is a command.
    #[must_use]
    pub fn command(words: impl Into<String>, command: impl fmt::Display) -> Self {
        Remedy { command: Some(command.to_string()), ..words.into().into() }
    }

    /// Builds a remedy that is a flag.
    #[must_use]
    pub fn flag(words: impl Into<String>, flag: impl fmt::Display) -> Self {
        Remedy { flag: Some(flag.to_string()), ..words.into().into() }
    }

    /// Builds the remedy of a project that is not trusted.
    ///
    /// ```
    /// use preface_core::diagnostic::Remedy;
    /// let remedy = Remedy::grant("look at it, then trust it");
    /// assert_eq!(&*remedy, "look at it, then trust it");
    /// assert_eq!(remedy.command.as_deref(), Some("trust grant"));
    /// ```
    #[must_use]
    pub fn grant(words: &str) -> Self {
        Remedy { flag: Some("--trust once".to_owned()), ..Remedy::command(words, "trust grant") }
    }

    /// Builds the remedy of a program or an address of a project that may not be used.
    #[must_use]
    pub fn allow_commands() -> Self {
        Remedy::command("review its files, then let it run", "trust grant --allow-commands")
    }

    /// Builds the remedy of an unknown name: the list of a kind of entries.
    #[must_use]
    pub fn list(kind: &str) -> Self {
        Remedy::command(format!("see which {kind} there are"), format_args!("list {kind}"))
    }

    /// Builds the remedy of an entry, `KIND/NAME`, that another layer decides about.
    #[must_use]
    pub fn why(entry: impl fmt::Display) -> Self {
        Remedy::command("see what each layer says", format_args!("list --why {entry}"))
    }

    /// Builds the remedy of a limit that a setting lifts.
    #[must_use]
    pub fn lift(setting: &str) -> Self {
        let words = format!("make the template smaller, or lift the limit `{setting}`");
        let command = Remedy::command(words, format_args!("config set {setting} 0"));
        Remedy { flag: Some(format!("--set {setting}=0")), ..command }
    }

    /// Builds the remedy of a variable without a value.
    #[must_use]
    pub fn give(words: &str, variable: &str) -> Self {
        let words = format!("{words}give `{variable}` a value for this call");
        Remedy::flag(words, format_args!("--variable {variable}=VALUE"))
    }
}

/// Prints the words.
impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.words)
    }
}

impl Deref for Remedy {
    type Target = str;

    fn deref(&self) -> &str {
        &self.words
    }
}

impl<T: Into<String>> From<T> for Remedy {
    fn from(words: T) -> Self {
        Remedy { words: words.into(), command: None, flag: None }
    }
}
