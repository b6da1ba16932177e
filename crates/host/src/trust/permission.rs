//! Permissions: what a project may do, as far as the user allowed it: start a program, connect to a service, write a file.
//!
//! A permission is bound to everything that makes the deed what it is: each word of a command, where it runs, its variables
//! as the project wrote them, the digest of each word that is a file of the project, and of the directory of its extension. It is
//! worked out again at each start and compared as a whole; whatever differs is another deed, and asks again. Whatever else a
//! command reads is not pinned, and a grant says so.

use super::digest::Digest;
use preface_core::lint::hidden::escape_hidden;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// Something that a project wants to do, and may once it is granted.
///
/// ```
/// use preface_host::{system::testing::MemorySystem, trust::{CheckedCommand, CommandWords, GrantState, TrustStore}};
/// use std::path::Path;
///
/// let system = MemorySystem::new().with_file("/work/check.js", "ok()");
/// let root = Path::new("/work");
/// let argv = ["node".to_owned(), "check.js".to_owned()];
/// let words = CommandWords { subject: "hooks/check", argv: &argv, cwd: root, env: &Default::default(), directory: None };
/// let permission = || CheckedCommand::check(&system, root, &words).map(|command| command.permission);
///
/// let store = TrustStore::at(&system, "/home/user/.local/state/preface/trust.json".into());
/// store.grant_permissions(root, &[permission()?])?;
/// let record = store.load(&mut Vec::new()).root(root);
/// assert_eq!(record.permission_state(&permission()?), GrantState::Granted);
///
/// system.put_file("/work/check.js", "other()");
/// assert_eq!(record.permission_state(&permission()?), GrantState::Changed);
/// # Ok::<(), preface_host::trust::TrustError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Permission {
    /// The extension: `hooks/pre-tool-audit`, `contextProviders/repo`, `mcp/github`, `providers/proxy`,
    /// `loggers/x`.
    pub subject: String,
    /// The permitted action.
    #[serde(flatten)]
    pub action: PermissionAction,
}

/// A file or directory of the project with its digest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PinnedFile {
    /// The path, relative to the root with `/`.
    pub path: String,
    /// The digest.
    pub digest: Digest,
}

/// An action that needs permission.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PermissionAction {
    /// Runs a program.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
        /// The working directory, relative to the project's root with `/`; `.` for the root itself.
        cwd: String,
        /// The environment variables. Values are as the project wrote them, with references (`${NAME}`) unresolved.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        env: BTreeMap<String, String>,
        /// The words that name a file of the project, by where the file really lies, sorted.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<PinnedFile>,
        /// The directory of the extension, where one of the words names a file in it, and the digest of all its files.
        #[serde(skip_serializing_if = "Option::is_none")]
        directory: Option<PinnedFile>,
    },
    /// Connects to a service.
    Endpoint {
        /// The URL, as the project wrote it.
        url: String,
        /// The headers or the key that are sent. Values are references (`${NAME}`), or what the project wrote.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        with: BTreeMap<String, String>,
    },
    /// Writes a file.
    Writes {
        /// The path, as the project wrote it.
        #[serde(rename = "writes")]
        path: String,
    },
}

/// A line of the description of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionLine {
    /// The kind of the line.
    pub kind: PermissionLineKind,
    text: String,
}

/// The kind of a line of the description of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionLineKind {
    /// What is done.
    Action,
    /// What of it is not pinned.
    Unpinned,
    /// The digest of a file or a directory.
    Digest,
}

impl fmt::Display for PermissionLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Permission {
    /// Returns a description of the action for people, line by line, with hidden characters escaped. Nothing in it is masked: it
    /// is what a grant allows.
    #[must_use]
    pub fn lines(&self) -> Vec<PermissionLine> {
        use PermissionLineKind::{Action, Digest as Pinned, Unpinned};
        let line = |kind, text| PermissionLine { kind, text };
        let pinned = |what: &str, PinnedFile { path, digest }: &PinnedFile| {
            line(Pinned, format!("{what} {} {digest}", quoted(path)))
        };
        let mut lines = Vec::new();
        let mut digests = Vec::new();
        match &self.action {
            PermissionAction::Command { argv, cwd, env, files, directory, .. } => {
                let words: Vec<_> = argv.iter().map(|word| quoted(word)).collect();
                lines.push(line(Action, format!("runs {}", words.join(" "))));
                lines.push(line(Action, format!("in {}", quoted(cwd))));
                let with = |(name, value): (&String, &String)| {
                    line(Action, format!("with {}={}", quoted(name), quoted(value)))
                };
                lines.extend(env.iter().map(with));
                digests.extend(files.iter().map(|file| pinned("file", file)));
                digests.extend(directory.iter().map(|directory| pinned("all of", directory)));
            }
            PermissionAction::Endpoint { url, with } => {
                lines.push(line(Action, format!("connects to {}", quoted(url))));
                let sent = |(name, value): (&String, &String)| {
                    line(Action, format!("with {}: {}", quoted(name), quoted(value)))
                };
                lines.extend(with.iter().map(sent));
            }
            PermissionAction::Writes { path } => {
                lines.push(line(Action, format!("writes {}", quoted(path))));
            }
        }
        let not_pinned = self.not_pinned().into_iter();
        let not_pinned = not_pinned.map(|text| line(Unpinned, text));
        lines.into_iter().chain(digests).chain(not_pinned).collect()
    }

    /// Returns a line about what a command may load and no digest covers.
    #[must_use]
    pub fn not_pinned(&self) -> Option<String> {
        let PermissionAction::Command { argv, files, directory, .. } = &self.action else { return None };
        let program =
            quoted(argv.first().map_or("", |program| program.rsplit('/').next().unwrap_or(program)));
        let what = if files.is_empty() && directory.is_none() { "what" } else { "whatever else" };
        Some(format!("{what} {program} reads, loads or starts is not pinned"))
    }
}

/// Returns a word so that its ends can be seen, as a shell takes it, with hidden characters escaped.
#[must_use]
pub fn quoted(word: &str) -> String {
    shell_quoted(&escape_hidden(word))
}

/// Writes a word so that a shell reads it as it is.
#[must_use]
pub fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
