//! Variables that are files: `file:<path>`, contained in the working directory.
//!
//! `project_file:<path>` is the same for texts that a project wrote: it never leaves the project. Rendering and
//! conditions use it instead where a project's text has `file:…` (`VariableKey::in_scope`).

use super::VariableProvider;
use crate::{
    places::normal,
    provider::context::{
        Extent, FILE_VARIABLE_LIMIT, FILE_VARIABLES_LIMIT, HARD_LINK_HELP, NOT_TRUSTED, ProviderContext,
        untrusted,
    },
    system::{FileRead, ReadError, ReadScope},
    trust::gate::GateVerdict,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Remedy},
    lint,
    scope::Scope,
    trust::TrustKind,
    variable::{RecordedVariable, Stability, VariableKey},
};
use std::path::Path;

/// The provider of `file:` and `project_file:`.
pub const FILES: VariableProvider = VariableProvider { kinds: &["file", "project_file"], resolve };

fn resolve(key: &VariableKey, context: &ProviderContext<'_>) -> RecordedVariable {
    let name = key.name();
    if name.is_empty() || name.contains('\0') {
        return RecordedVariable::absent("no path");
    }
    let cwd = &context.places.cwd;
    let absolute = Path::new(name).is_absolute();
    if absolute && key.kind() == "project_file" {
        return refused(key, DiagnosticCode::TemplateFile, "a project's text reads inside the project only");
    }
    let path = cwd.join(name);
    let before = context.diagnostics.borrow().len();
    let read = open(name, context, FILE_VARIABLE_LIMIT, Extent::Whole);
    // They are of this variable, and are cached with it.
    let followed = context.diagnostics.borrow_mut().split_off(before);
    let read = match read {
        Ok(read) => read,
        Err(ReadError::Missing) => return RecordedVariable::absent("no such file"),
        Err(error) => {
            let (code, help) = match &error {
                ReadError::Outside { target } => {
                    (DiagnosticCode::TemplateFile, Some(help_for_outside(key, target, context)))
                }
                ReadError::HardLink { .. } => (DiagnosticCode::FileLink, Some(HARD_LINK_HELP.into())),
                _ => (DiagnosticCode::TemplateFile, None),
            };
            let mut variable = refused(key, code, &error.to_string());
            variable.diagnostics.iter_mut().for_each(|diagnostic| diagnostic.help.clone_from(&help));
            return variable;
        }
    };
    let Some(room) = context.file_room.get().checked_sub(read.bytes.len() as u64) else {
        let why = format!("all files together are larger than {FILE_VARIABLES_LIMIT} bytes");
        return refused(key, DiagnosticCode::TemplateFile, &why);
    };
    context.file_room.set(room);
    if read.bytes.contains(&0) {
        return refused(key, DiagnosticCode::TemplateFile, "it holds a NUL byte");
    }
    let shown = context.places.shown(&normal(cwd, &path));
    if !absolute {
        let verdict = context.admit(&path, &shown, &read.bytes, TrustKind::TreeText);
        if verdict != GateVerdict::Included {
            let mut variable = RecordedVariable::absent(NOT_TRUSTED);
            variable.diagnostics.push(untrusted(verdict, &shown, read.bytes.len()));
            return variable;
        }
    }
    let text = String::from_utf8_lossy(&read.bytes);
    let mut variable = RecordedVariable::of(text.as_ref(), shown.as_str(), Stability::Conversation);
    variable.diagnostics.extend(followed);
    if std::str::from_utf8(&read.bytes).is_err() {
        variable.diagnostics.push(
            Diagnostic::warning(
                DiagnosticCode::FileNotUtf8,
                format!("{shown} is not UTF-8: bad bytes became U+FFFD"),
            )
            .at(Place::file(Some(Scope::Project), shown)),
        );
    }
    variable
}

/// Opens the file that a variable names. An absolute path is the user's own word, unless it names a file of the project; a
/// relative one stays below the working directory by its words, and in the project after all links.
pub(super) fn open(
    name: &str,
    context: &ProviderContext<'_>,
    limit: u64,
    extent: Extent,
) -> Result<FileRead, ReadError> {
    // Without `..`: behind a directory outside, whether the path leads back in would reveal whether that one exists.
    let words = normal(&context.places.cwd, Path::new(name));
    let below = |root| context.open(&words, ReadScope::Root(root), limit, extent);
    if words.starts_with(&context.places.cwd) {
        // The root of the project is needed only for a link that leads out of the working directory.
        return match below(&context.places.cwd) {
            Err(ReadError::Outside { .. }) => below(context.project_root()),
            read => read,
        };
    }
    if !Path::new(name).is_absolute() {
        return Err(ReadError::Outside { target: words });
    }
    if words.starts_with(context.project_root()) {
        return below(context.project_root());
    }
    match context.roots {
        Some(_) => below(Path::new("/")),
        None => extent.read(context.system, &words, ReadScope::Anywhere, limit),
    }
}

/// Returns what to do about a path that leads outside by itself, or through a link.
fn help_for_outside(key: &VariableKey, target: &Path, context: &ProviderContext<'_>) -> Remedy {
    let (name, cwd) = (Path::new(key.name()), &context.places.cwd);
    let words = normal(cwd, name);
    let is_in_root =
        |path: &Path| context.roots.is_none_or(|roots| roots.iter().any(|root| path.starts_with(root)));
    let is_there =
        words.starts_with(cwd) || (name.is_absolute() && words.starts_with(context.project_root()));
    if is_there || (name.is_absolute() && is_in_root(&words)) {
        return context.help_for_outside(target);
    }
    if name.is_absolute() {
        return "name a file in a root: no others are read here".into();
    }
    match key.kind() {
        "file" if is_in_root(target) => "name a file below the working directory, or its absolute path",
        _ => "name a file below the working directory",
    }
    .into()
}

fn refused(key: &VariableKey, code: DiagnosticCode, why: &str) -> RecordedVariable {
    // Both types are written `file:` in a text.
    let written = lint::hidden::escape_hidden(key.name());
    let mut variable = RecordedVariable::absent(why);
    variable.diagnostics.push(Diagnostic::warning(code, format!("`file:{written}` is absent: {why}")));
    variable
}
