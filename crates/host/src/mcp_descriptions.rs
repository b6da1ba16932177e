//! Recorded descriptions of MCP servers: one file for each server in the user's own directory,
//! `mcp-descriptions/<server>.json`. Whoever talks to a server writes it; here it is read.

use crate::provider_context::{CONTEXT_FILE_LIMIT, ProviderContext, ReadRequest};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    extension::id_fault,
    lint::hidden::escape_hidden,
    mcp_servers::ServerDescription,
    scope::Scope,
};
use serde_json::Value;
use std::path::PathBuf;

/// The directory of the recordings, below the global one.
const DIR: &str = "mcp-descriptions";

/// Returns where the recording of a server lies; `None` if there is no directory, or the id is no file name.
#[must_use]
pub fn path(server: &str, context: &ProviderContext<'_>) -> Option<PathBuf> {
    let dir = context.places.global.as_ref()?.join(DIR);
    id_fault(server).is_none().then(|| dir.join(format!("{server}.json")))
}

/// Reads the recording of a server, its tools sorted by name and each once. `None` if there is none; one that cannot be
/// read is a diagnostic.
#[must_use]
pub fn read(server: &str, context: &ProviderContext<'_>) -> Option<ServerDescription> {
    let path = path(server, context)?;
    let read = context.read(&ReadRequest::global(&path, CONTEXT_FILE_LIMIT))?;
    let shown = context.places.source(Scope::Global, &path).path.clone();
    let bytes = read.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&read.bytes);
    match object(bytes) {
        Ok(mut described) => {
            described.settle();
            Some(described)
        }
        Err(error) => {
            let why = error.to_string();
            let why = escape_hidden(&why);
            let diagnostic =
                Diagnostic::left_out(Severity::Warning, DiagnosticCode::McpRecording, &shown, why);
            let mut place = Place::file(Some(Scope::Global), shown);
            place.line = Some(error.line()).filter(|line| *line > 0);
            let help = "it is an object of `instructions` and `tools`, as `tools/list` answers";
            context.note(diagnostic.at(place).help(help));
            None
        }
    }
}

/// Reads an object; a list that could be taken for one is none.
fn object(bytes: &[u8]) -> Result<ServerDescription, serde_json::Error> {
    match bytes.trim_ascii_start().first() {
        Some(b'{') | None => serde_json::from_slice(bytes),
        Some(_) => serde_json::from_slice::<serde_json::Map<String, Value>>(bytes)
            .map(|_| ServerDescription::default()),
    }
}
