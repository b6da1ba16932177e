//! `models.toml` of the user: rows about models that come before those that ship with preface.

use crate::{
    places::Places,
    system::{ReadError, ReadScope, System},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    model::Models,
    scope::Scope,
};
use std::{borrow::Cow, path::Path};

const FILE: &str = "models.toml";
const LIMIT: u64 = 1 << 20;

/// Reads the rows of models in the global directory of a profile.
pub fn read_in(system: &dyn System, places: &Places, diagnostics: &mut Diagnostics) -> Cow<'static, Models> {
    match places.global.as_ref().map(|dir| dir.join(FILE)) {
        Some(path) => read(system, &path, &places.shown(&path), diagnostics),
        None => Cow::Borrowed(Models::bundled()),
    }
}

/// Reads the rows of models in a file; `shown` is its path for people. A file that is not valid is reported, and the rows that ship with preface are used.
///
/// ```
/// use preface_host::{models, system::testing::MemorySystem};
/// use std::{borrow::Cow, path::Path};
/// let system = MemorySystem::new().with_file("/config/models.toml", "[[model]]\nnames = ['mine']\n");
/// let mut diagnostics = Vec::new();
/// let models = models::read(&system, Path::new("/config/models.toml"), "models.toml", &mut diagnostics);
/// assert!(models.find("mine").known && diagnostics.is_empty());
/// ```
pub fn read(
    system: &dyn System,
    path: &Path,
    shown: &str,
    diagnostics: &mut Diagnostics,
) -> Cow<'static, Models> {
    let mut invalid = |message: String, place: Place| {
        let diagnostic = Diagnostic::error(DiagnosticCode::FileUnreadable, message).at(place);
        diagnostics.push(diagnostic.help("until then the rows that ship with preface are used"));
        Cow::Borrowed(Models::bundled())
    };
    let file = || Place::file(Some(Scope::Global), shown);
    let bytes = match system.read(path, ReadScope::Anywhere, LIMIT) {
        Ok(read) => read.into_bytes(),
        Err(ReadError::Missing) => return Cow::Borrowed(Models::bundled()),
        Err(error) => return invalid(format!("`{shown}` cannot be read: {error}"), file()),
    };
    let Ok(text) = String::from_utf8(bytes) else {
        return invalid(format!("`{shown}` is not UTF-8"), file());
    };
    match Models::with(&text) {
        Ok(models) => Cow::Owned(models),
        Err(error) => {
            let place = match error.span.clone() {
                Some(span) => Place::within(Some(Scope::Global), shown, &text, span),
                None => file(),
            };
            invalid(format!("`{shown}` is not valid: {error}"), place)
        }
    }
}
