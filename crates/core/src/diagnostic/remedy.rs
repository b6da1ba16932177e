//! What to do about a diagnostic, where it is a command or a flag that several of them share.

use std::fmt;

/// A remedy that a help ends with or consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy<'a> {
    /// Trust what a project brings now.
    Grant,
    /// Allow the programs and addresses of a project.
    AllowCommands,
    /// Look at all entries of a kind.
    List(&'a str),
    /// Look at each layer of an entry, `KIND/NAME`.
    Why(&'a str),
    /// Lift the limit of a setting.
    Lift(&'a str),
    /// Give a variable a value.
    Give(&'a str),
}

impl fmt::Display for Remedy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::Grant => f.write_str("`preface trust grant`, or `--trust once` for this call"),
            Remedy::AllowCommands => {
                f.write_str("review its files, then run `preface trust grant --allow-commands`")
            }
            Remedy::List(kind) => write!(f, "`preface list {kind}` shows what there is"),
            Remedy::Why(entry) => write!(f, "`preface list --why {entry}` shows each layer"),
            Remedy::Lift(setting) => write!(
                f,
                "make the template smaller, or lift the limit: `preface config set {setting} 0`, or for one call \
                 `--set {setting}=0`"
            ),
            Remedy::Give(variable) => {
                write!(f, "give `{variable}` a value for this call: `--variable {variable}=VALUE`")
            }
        }
    }
}
