//! Settings files that another program keeps, too: what preface does not know in them is no fault of the user's.

use super::{
    check::{SHAPE_INVALID, UNKNOWN_TOP_LEVEL_KEY},
    parse::LITERAL_ENV_VALUE,
};
use crate::diagnostic::{Diagnostic, Diagnostics, Place};

/// The keys that other programs use in a way of their own.
const FOREIGN: [&str; 3] = ["env", "hooks", "tools"];

/// True for a note about this key or what stands below it.
fn speaks_of(message: &str, key: &str) -> bool {
    let named = message.split('`').nth(1).and_then(|path| path.strip_prefix(key));
    named.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns the notes about a settings file that was read, with one in place of all those about what preface does not know.
///
/// ```
/// use preface_core::{scope::Scope, settings::{left_alone, parse}};
/// let (layer, notes) = parse(Scope::Global, "settings.json", br#"{"model": "x", "permissions": {}, "preset": "pi"}"#);
/// let notes = left_alone(notes, "settings.json");
/// assert!(layer.is_some());
/// assert_eq!(notes[0].message, "settings.json has 2 values that are not settings of preface; they were left alone");
/// ```
#[must_use]
pub fn left_alone(notes: Diagnostics, path: &str) -> Diagnostics {
    let is_foreign = |note: &Diagnostic| match note.code.as_str() {
        UNKNOWN_TOP_LEVEL_KEY | LITERAL_ENV_VALUE => true,
        SHAPE_INVALID => FOREIGN.iter().any(|key| speaks_of(&note.message, key)),
        _ => false,
    };
    let (foreign, mut own): (Diagnostics, Diagnostics) = notes.into_iter().partition(is_foreign);
    if let Some(first) = foreign.first() {
        let count = foreign.len();
        let values = if count == 1 {
            "1 value that is no setting".to_owned()
        } else {
            format!("{count} values that are not settings")
        };
        let were = if count == 1 { "it was" } else { "they were" };
        let what = format!("{path} has {values} of preface; {were} left alone");
        let scope = first.place.as_ref().and_then(|place| place.scope);
        own.push(Diagnostic::info("settings/shared", what).at(Place::file(scope, path)));
    }
    own
}
