//! Paths: where the store lies, which paths a record may hold, and how a path is printed.

use super::store::TrustError;
use crate::{
    places::{absolute, normal},
    provider::git::shown,
    system::System,
};
use std::path::{Path, PathBuf};

const FILE: &str = "trust.json";

/// The store that a preset uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind<'a> {
    /// The file `trust.json` in the preset's own global directory, if it has one.
    Global(Option<&'a Path>),
    /// The store in the user's state directory that all other presets share.
    State,
}

/// Returns the file that holds the trust records, or `None` if the user has no directory at all.
///
/// `PREFACE_HOME=DIR` is `DIR/trust.json`, whichever preset runs. Else a preset of its own kind uses its global
/// directory, and all others share `$XDG_STATE_HOME/preface` (`~/.local/state/preface`); macOS, which knows
/// no state directory, uses `~/Library/Application Support/preface`. A variable that is empty or relative counts as unset.
///
/// ```
/// use preface_host::{system::testing::MemorySystem, trust::{StoreKind, store_file}};
///
/// let file = store_file(StoreKind::State, &MemorySystem::new().with_home("/home/user"));
/// assert_eq!(file, Some("/home/user/.local/state/preface/trust.json".into()));
/// ```
#[must_use]
pub fn store_file(kind: StoreKind<'_>, system: &dyn System) -> Option<PathBuf> {
    let dir = match (absolute(system, "PREFACE_HOME"), kind) {
        (None, StoreKind::Global(dir)) => dir?.to_owned(),
        _ => state_dir(system)?,
    };
    Some(dir.join(FILE))
}

/// Returns the directory for what all presets share and no project may write, or `None` if the user has none:
/// `PREFACE_HOME`, else the user's state directory, see [`store_file`]. It may have come with a project: calls use
/// [`user_state`](crate::places::user_state).
#[must_use]
pub(crate) fn state_dir(system: &dyn System) -> Option<PathBuf> {
    match (absolute(system, "PREFACE_HOME"), system.os()) {
        (Some(dir), _) => Some(dir),
        (None, "darwin") => Some(system.home()?.join("Library/Application Support/preface")),
        (None, _) => {
            let state =
                absolute(system, "XDG_STATE_HOME").or_else(|| Some(system.home()?.join(".local/state")))?;
            Some(state.join("preface"))
        }
    }
}

/// Returns the variable that names the state directory, see [`state_dir`].
pub(crate) fn state_variable(system: &dyn System) -> &'static str {
    match system.os() {
        _ if absolute(system, "PREFACE_HOME").is_some() => "PREFACE_HOME",
        "darwin" => "HOME",
        _ if absolute(system, "XDG_STATE_HOME").is_some() => "XDG_STATE_HOME",
        _ => "HOME",
    }
}

/// Returns the text of a path that a record may hold: absolute, normalised (no `.`, no `..`, no doubled or trailing
/// separator) and UTF-8.
///
/// # Errors
/// [`TrustError::EntryInvalid`] names what it is not.
pub(super) fn recordable(path: &Path) -> Result<&str, TrustError> {
    let no = |why: &str| Err(TrustError::invalid(path, why));
    let Some(text) = path.to_str() else { return no("it is not UTF-8") };
    if text.is_empty() {
        return no("it is empty");
    }
    if text.contains('\0') {
        return no("it has a NUL in it");
    }
    if !path.is_absolute() {
        return no("it is not absolute");
    }
    if normal(path, path).as_os_str() != path.as_os_str() {
        return no("it is not normalised");
    }
    Ok(text)
}

/// Returns a path for people: control and hidden characters are shown, a very long one is cut.
pub(super) fn escaped(path: &Path) -> String {
    let mut out = String::new();
    for (index, part) in path.components().enumerate() {
        if index > 0 && !out.ends_with(std::path::is_separator) {
            out.push(std::path::MAIN_SEPARATOR);
        }
        out.push_str(&shown(part.as_os_str().as_encoded_bytes()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::testing::MemorySystem;

    fn dirs(preface_home: &str, xdg: &str, home: &str, os: &str) -> MemorySystem {
        let system = match home {
            "" => MemorySystem::new().without_home(),
            home => MemorySystem::new().with_home(home),
        };
        system.with_var("PREFACE_HOME", preface_home).with_var("XDG_STATE_HOME", xdg).with_os(os)
    }

    #[test]
    fn every_row_of_the_table() {
        let own = StoreKind::Global(Some(Path::new("/home/user/.stud")));
        let none = StoreKind::Global(None);
        let state = StoreKind::State;
        for (kind, dirs, expected) in [
            (own, dirs("", "/state", "/home/user", "linux"), Some("/home/user/.stud/trust.json")),
            (own, dirs("/p", "/state", "/home/user", "linux"), Some("/p/trust.json")),
            (own, dirs("p", "/state", "/home/user", "linux"), Some("/home/user/.stud/trust.json")),
            (none, dirs("", "/state", "/home/user", "linux"), None),
            (none, dirs("/p", "", "", "linux"), Some("/p/trust.json")),
            (state, dirs("/p", "/state", "/home/user", "linux"), Some("/p/trust.json")),
            (state, dirs("", "/state", "/home/user", "linux"), Some("/state/preface/trust.json")),
            (
                state,
                dirs("", "state", "/home/user", "linux"),
                Some("/home/user/.local/state/preface/trust.json"),
            ),
            (
                state,
                dirs("", "", "/home/user", "freebsd"),
                Some("/home/user/.local/state/preface/trust.json"),
            ),
            (state, dirs("", "/state", "", "linux"), Some("/state/preface/trust.json")),
            (state, dirs("relative", "relative", "", "linux"), None),
            (
                state,
                dirs("", "/x", "/u", "darwin"),
                Some("/u/Library/Application Support/preface/trust.json"),
            ),
            (state, dirs("", "/x", "", "darwin"), None),
        ] {
            assert_eq!(store_file(kind, &dirs).as_deref(), expected.map(Path::new), "{kind:?} {expected:?}");
        }
    }

    #[test]
    fn only_canonical_spellings_are_recorded() {
        for good in ["/", "/a", "/a/.stud", "/a b/ü/\u{200b}"] {
            assert_eq!(recordable(Path::new(good)), Ok(good));
        }
        for bad in ["", "a", "./a", "/a/", "/a//b", "/a/./b", "/a/../b", "/a\0b", "//", "/a/."] {
            assert!(recordable(Path::new(bad)).is_err(), "{bad:?} is no canonical path");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_shown() {
        assert_eq!(escaped(Path::new("/a\n/b\u{202e}c")), "/a\\u{a}/b\\u{202e}c");
    }
}
