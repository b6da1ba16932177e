//! Recordings of MCP servers: one file for each way of reaching one, in the user's state
//! directory, `mcp/<server>-<12 digits>.json`. The digits are a digest of how the server is reached, so that servers of one
//! name in two projects have a file each, and a changed command does not use the recording of the one before. What a user writes by
//! hand is in the user's own directory, `mcp-descriptions/<server>.json`.

use crate::{
    places::{Places, normal},
    provider::context::{CONTEXT_FILE_LIMIT, ProviderContext, ReadRequest},
    system::{System, WriteError, WriteMode},
    trust::Digest,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    extension::id_fault,
    lint::hidden::escape_hidden,
    mcp_servers::{McpServer, RecordedBy, Recording, ServerEntry, StoredRecording},
    scope::Scope,
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The largest recording that is written or read.
pub const RECORDING_LIMIT: u64 = 16 << 20;

/// The directory of the recordings, below that of the user's state.
const DIR: &str = "mcp";
/// The directory of those that are written by hand, below the global one.
const HAND_DIR: &str = "mcp-descriptions";
/// The number of digits of the digest in a name.
const DIGITS: usize = 12;

/// Returns where the recording of a server lies. `None` if there is no directory for it, or the id is no file name.
#[must_use]
pub fn path(entry: &ServerEntry, system: &dyn System, places: &Places) -> Option<PathBuf> {
    let server = entry.value.server.as_ref()?;
    if id_fault(&entry.name).is_some() {
        return None;
    }
    let dir = places.state.as_ref()?.join(DIR);
    let digest = reached(server, project_dir(entry, system, places).as_deref()).hex();
    Some(dir.join(format!("{}-{}.json", entry.name, &digest[..DIGITS])))
}

/// Returns where a recording that the user writes by hand lies. `None` if there is no directory for it, or the id is no file name.
#[must_use]
pub fn hand_path(server: &str, places: &Places) -> Option<PathBuf> {
    let dir = places.global.as_ref()?.join(HAND_DIR);
    id_fault(server).is_none().then(|| dir.join(format!("{server}.json")))
}

/// Returns the directory that a project's server belongs to; `None` for one of the user's, which belongs to none.
fn project_dir(entry: &ServerEntry, system: &dyn System, places: &Places) -> Option<PathBuf> {
    let here = || system.canonical(&places.cwd).unwrap_or_else(|_| places.cwd.clone());
    (entry.origin.scope == Scope::Project).then(here)
}

/// Digests how a server is reached. Values of variables and headers are no part of it: they may be secrets.
fn reached(server: &McpServer, project: Option<&Path>) -> Digest {
    let project = project.map(|dir| dir.to_string_lossy());
    let how = match server {
        McpServer::Stdio(launch) => {
            let cwd = match (&launch.cwd, &project) {
                (Some(cwd), Some(dir)) => {
                    Some(normal(Path::new(dir.as_ref()), Path::new(cwd)).to_string_lossy().into_owned())
                }
                (cwd, _) => cwd.clone(),
            };
            let names: Vec<&String> = launch.env.keys().collect();
            json!([server.transport(), launch.command, launch.args, names, cwd, project])
        }
        McpServer::Sse(address) | McpServer::StreamableHttp(address) => {
            json!([server.transport(), address.url, project])
        }
    };
    Digest::of(how.to_string().as_bytes())
}

/// Returns what is known of a server. Of one of the user's what was written by hand counts first; a project's has only what
/// preface recorded. A file that cannot be read is a diagnostic.
#[must_use]
pub fn recall(entry: &ServerEntry, context: &ProviderContext<'_>) -> Option<StoredRecording> {
    let hand = hand_path(&entry.name, context.places).filter(|_| entry.origin.scope != Scope::Project);
    let help = "it is an object of `instructions` and `tools`, as `tools/list` answers";
    if let Some(Recording { described, .. }) =
        hand.and_then(|path| read(&path, CONTEXT_FILE_LIMIT, help, context))
    {
        let recording = Recording { described, ..Recording::default() };
        return Some(StoredRecording { by: RecordedBy::Hand, recording });
    }
    let recording = read_recording(entry, context)?;
    Some(StoredRecording { by: RecordedBy::Preface, recording })
}

/// Returns what preface recorded of a server. A file that cannot be read is a diagnostic.
#[must_use]
pub fn read_recording(entry: &ServerEntry, context: &ProviderContext<'_>) -> Option<Recording> {
    let path = path(entry, context.system, context.places)?;
    read(&path, RECORDING_LIMIT, &format!("a refresh of `{}` writes it anew", entry.word()), context)
}

/// Reads a recording, its tools sorted by name and each once.
fn read(path: &Path, limit: u64, help: &str, context: &ProviderContext<'_>) -> Option<Recording> {
    let file = context.read(&ReadRequest::global(path, limit))?;
    let bytes = file.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&file.bytes);
    match serde_json::from_slice::<Recording>(bytes) {
        Ok(mut recording) => {
            recording.described.settle();
            Some(recording)
        }
        Err(error) => {
            let shown = context.places.source(Scope::Global, path).path.clone();
            let why = error.to_string();
            let why = escape_hidden(&why);
            let diagnostic =
                Diagnostic::left_out(Severity::Warning, DiagnosticCode::McpRecording, &shown, why);
            let mut place = Place::file(Some(Scope::Global), shown);
            place.line = Some(error.line()).filter(|line| *line > 0);
            context.note(diagnostic.at(place).help(help));
            None
        }
    }
}

/// The reason why nothing was recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    /// The recording has this many bytes, more than would be read again.
    #[error("{0} bytes, more than the limit of {RECORDING_LIMIT}")]
    TooLarge(usize),
    /// The machine would not.
    #[error("{0}")]
    Write(WriteError),
}

/// Writes a recording, whole, for the user alone to read.
///
/// # Errors
/// See [`RecordingError`]; then what was there before still is.
pub fn write(path: &Path, recording: &Recording, system: &dyn System) -> Result<(), RecordingError> {
    // A value of maps and strings has a text.
    let mut bytes = serde_json::to_vec_pretty(recording).unwrap_or_default();
    bytes.push(b'\n');
    if bytes.len() as u64 > RECORDING_LIMIT {
        return Err(RecordingError::TooLarge(bytes.len()));
    }
    if let Some(dir) = path.parent() {
        system.make_dirs(dir, 0o700).map_err(RecordingError::Write)?;
    }
    system.write(path, &bytes, WriteMode::Replace, 0o600).map_err(RecordingError::Write)
}

#[cfg(test)]
mod tests {
    use super::*;
    use preface_core::mcp_servers::{McpFile, resolve};

    fn entry(scope: Scope, server: &str) -> ServerEntry {
        let (file, diagnostics) = McpFile::read(scope, "mcp.json", format!("{{\"s\": {server}}}").as_bytes());
        assert_eq!(diagnostics, []);
        resolve(file.into_iter().collect(), &|_| false).servers.remove(0)
    }

    fn digest(scope: Scope, server: &str, dir: &str) -> String {
        let entry = entry(scope, server);
        let project = (scope == Scope::Project).then(|| Path::new(dir));
        reached(entry.value.server.as_ref().expect("a sound server"), project).hex()
    }

    #[test]
    fn another_way_of_reaching_a_server_is_another_recording() {
        let user = |server: &str| digest(Scope::Global, server, "/a");
        let plain = user(r#"{"command": "x"}"#);
        for other in [
            r#"{"command": "y"}"#,
            r#"{"command": "x", "args": ["z"]}"#,
            r#"{"command": "x", "env": {"A": "1"}}"#,
            r#"{"command": "x", "cwd": "/b"}"#,
            r#"{"url": "https://x.example/"}"#,
        ] {
            assert_ne!(user(other), plain, "{other}");
        }
        assert_ne!(digest(Scope::Project, r#"{"command": "x"}"#, "/a"), plain);
    }

    #[test]
    fn two_projects_have_a_recording_each() {
        for server in [r#"{"command": "x"}"#, r#"{"url": "https://x.example/"}"#] {
            let of = |dir: &str| digest(Scope::Project, server, dir);
            assert_ne!(of("/a"), of("/b"), "{server}");
            assert_eq!(of("/a"), of("/a"), "{server}");
        }
    }

    #[test]
    fn values_of_variables_are_no_part_of_the_name() {
        let user = |server: &str| digest(Scope::Global, server, "/a");
        assert_eq!(
            user(r#"{"command": "x", "env": {"A": "${ONE}"}}"#),
            user(r#"{"command": "x", "env": {"A": "${TWO}"}}"#)
        );
        assert_eq!(
            user(r#"{"url": "https://x.example/", "headers": {"A": "${ONE}"}}"#),
            user(r#"{"url": "https://x.example/"}"#)
        );
    }
}
