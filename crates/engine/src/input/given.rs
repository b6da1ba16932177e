//! Texts that the caller gives for options of a profile: the path of a file, or the text itself.

use crate::{Error, build_options::BuildOptions, engine::Engine};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    lint::hidden::escape_hidden,
    origin::{Origin, Piece},
    profile::{ByteOrderMark, Profile},
};
use preface_host::{
    places::{Places, normal},
    provider::context::{CONTEXT_FILE_LIMIT, Extent},
    system::{FileRead, ReadError, ReadScope},
    trust::bounds::Bounds,
};
use std::{collections::BTreeMap, path::Path};

/// The separator between the values of an option that was given several times.
const BETWEEN: &str = "\n\n";

impl Engine<'_> {
    /// Reads what the caller gave for the profile's `text_options`. A path is relative to the caller's own directory.
    ///
    /// # Errors
    /// A file that exists and cannot be read.
    pub(crate) fn given(
        &self,
        request: &BuildOptions,
        profile: &Profile,
        places: &Places,
        bounds: &Bounds,
        diagnostics: &mut Diagnostics,
    ) -> Result<BTreeMap<String, Vec<Piece>>, Error> {
        // A file of the project is opened as what the project itself names: the caller knows its name, not its links.
        let read = |path: &Path| {
            let system = self.system();
            let root = bounds.project_root(system, places);
            match path.starts_with(root) || request.roots.is_some() {
                false => system.read(path, ReadScope::Anywhere, CONTEXT_FILE_LIMIT),
                true => {
                    let root = bounds.root_of(path, system, places);
                    bounds
                        .open(path, root, request.roots.as_deref(), CONTEXT_FILE_LIMIT, Extent::Whole, system)
                        .map(|file| file.read)
                }
            }
        };
        let mut given = BTreeMap::new();
        for name in &profile.text_options {
            let Some(values) = profile.given.get(name) else { continue };
            let mut pieces: Vec<Piece> = Vec::new();
            for value in values {
                if !pieces.is_empty() {
                    pieces.push(by_caller(name, BETWEEN));
                }
                pieces.push(self.text_or_file(name, value, profile.bom, &read, diagnostics)?);
            }
            pieces.retain(|piece| !piece.text.is_empty());
            given.insert(name.clone(), pieces);
        }
        Ok(given)
    }

    fn text_or_file(
        &self,
        name: &str,
        value: &str,
        bom: ByteOrderMark,
        read: &dyn Fn(&Path) -> Result<FileRead, ReadError>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Piece, Error> {
        let system = self.system();
        let base = system.current_dir().unwrap_or_default();
        let path = normal(&base, Path::new(value));
        if value.is_empty() || value.contains('\0') || system.stat(&path).is_none() {
            if is_like_a_path(value) {
                let shown = escape_hidden(value);
                let what = format!("there is no file `{shown}`: `{name}={shown}` is used as the text itself");
                let help = "correct the path; `~` is the shell's, which expands it where it begins a word";
                diagnostics.push(Diagnostic::warning(DiagnosticCode::FileMissing, what).help(help));
            }
            return Ok(by_caller(name, value));
        }
        let shown = escape_hidden(value);
        let read = read(&path).map_err(|error| match error {
            ReadError::TooLarge { .. } => {
                Error::Usage(format!("`{name}={shown}`: {error}"), Some("shorten the file".into()))
            }
            ReadError::Outside { .. } => Error::Usage(
                format!("`{name}={shown}` names a file of the project that {error}"),
                Some("name that file itself, or follow the path of the link".into()),
            ),
            error => Error::Usage(
                format!("`{name}={shown}` names a file that cannot be read: {error}"),
                Some("name a file that you can read, or give the text itself".into()),
            ),
        })?;
        let mut text = String::from_utf8_lossy(&read.bytes).into_owned();
        if bom == ByteOrderMark::Strip && text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        if text.contains('\u{fffd}') && std::str::from_utf8(&read.bytes).is_err() {
            diagnostics.push(Diagnostic::warning(
                DiagnosticCode::FileNotUtf8,
                format!("{shown} is not UTF-8; bad bytes became U+FFFD"),
            ));
        }
        Ok(Piece { text, origin: Origin::Caller { flag: format!("--set {name}={shown}").into() } })
    }
}

/// Returns whether a text is likely to be meant as the path of a file.
fn is_like_a_path(text: &str) -> bool {
    let begins = ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start));
    !text.contains(char::is_whitespace) && (begins || text.to_ascii_lowercase().ends_with(".md"))
}

fn by_caller(name: &str, text: &str) -> Piece {
    Piece { text: text.to_owned(), origin: Origin::Caller { flag: format!("--set {name}").into() } }
}
