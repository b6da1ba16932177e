//! Which paths a record may hold, and how a path is shown.

use super::error::TrustError;
use crate::{places::is_tidy, provider::git::shown};
use std::path::Path;

/// Returns the text of a path that a record may hold: absolute, normalised (no `.`, no `..`, no doubled or trailing
/// separator) and UTF-8.
///
/// # Errors
/// [`TrustError::EntryInvalid`] says which of these it is not.
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
    if !is_tidy(path) {
        return no("it is not normalised");
    }
    Ok(text)
}

/// Returns a path as a recorded one would be read: without the separators at its end.
pub(super) fn without_trailing_separators(text: &str) -> &str {
    let trimmed = text.trim_end_matches(std::path::is_separator);
    if trimmed.is_empty() && !text.is_empty() { &text[..1] } else { trimmed }
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

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
    fn trailing_separators_go() {
        assert_eq!(without_trailing_separators("/a/b//"), "/a/b");
        assert_eq!(without_trailing_separators("/"), "/");
        assert_eq!(without_trailing_separators(""), "");
    }

    #[test]
    fn what_cannot_be_seen_is_shown() {
        assert_eq!(escaped(Path::new("/a\n/b\u{202e}c")), "/a\\u{a}/b\\u{202e}c");
    }
}
