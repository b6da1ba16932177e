//! Permissions: what a project may do, as far as the user allowed it: start a program, connect to a service, write a file.
//!
//! A permission is bound to everything that makes the deed what it is: each word of a command, where it runs, its variables
//! as the project wrote them, the digest of each word that is a file of the project, and of the directory of its extension. It is
//! worked out again at each start and compared as a whole; whatever differs is another deed, and asks again. Whatever else a
//! command reads is not pinned, and a grant says so.

use super::{contents::Digest, file::JsonObject, pins::PinPath};
use preface_core::lint::hidden::escape_hidden;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, fmt, path::Path};

/// Something that a project wants to do, and may once it is granted.
///
/// ```
/// use preface_host::{system::testing::MemorySystem, trust::{CheckedCommand, CommandWords, PermissionState, TrustStore}};
/// use std::path::Path;
/// # if cfg!(windows) { return Ok(()); }
///
/// let system = MemorySystem::new().with_file("/work/check.js", "ok()");
/// let root = Path::new("/work");
/// let argv = ["node".to_owned(), "check.js".to_owned()];
/// let words = CommandWords { subject: "hooks/check", argv: &argv, cwd: root, env: &[], directory: None };
/// let permission = || CheckedCommand::check(&system, root, &words).map(|command| command.permission);
///
/// let store = TrustStore::at(&system, "/home/user/.local/state/preface/trust.json".into());
/// store.grant_permissions(root, &[permission()?])?;
/// let permissions = store.load(&mut Vec::new()).permissions(root);
/// assert_eq!(permissions.state(&permission()?), PermissionState::Granted);
///
/// system.put_file("/work/check.js", "other()");
/// assert_eq!(permissions.state(&permission()?), PermissionState::Changed);
/// # Ok::<(), preface_host::trust::TrustError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permission {
    /// The extension: `hooks/pre-tool-audit`, `contextProviders/repo`, `mcp/github`, `providers/proxy`,
    /// `loggers/x`.
    pub subject: String,
    /// The permitted action.
    pub action: PermissionAction,
}

/// An action that needs permission.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PermissionAction {
    /// Runs a program.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
        /// The working directory, relative to the project's root with `/`; `.` for the root itself.
        cwd: String,
        /// The environment variables, sorted by name. Values are as the project wrote them, with references
        /// (`${NAME}`) unresolved.
        env: Vec<(String, String)>,
        /// The words that name a file of the project, by where the file really lies, relative to the root.
        files: Vec<(String, Digest)>,
        /// The directory of the extension, where one of the words names a file in it, and the digest of all its files.
        directory: Option<(String, Digest)>,
    },
    /// Connects to a service.
    Endpoint {
        /// The URL, as the project wrote it.
        url: String,
        /// The headers or the key that are sent, sorted by name. Values are references (`${NAME}`), or
        /// digests of what the project wrote.
        with: Vec<(String, String)>,
    },
    /// Writes a file.
    Writes {
        /// The path, as the project wrote it.
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
        let pinned = |what: &str, (path, digest): &(String, Digest)| {
            line(Pinned, format!("{what} {} {digest}", quoted(path)))
        };
        let mut lines = Vec::new();
        let mut digests = Vec::new();
        match &self.action {
            PermissionAction::Command { argv, cwd, env, files, directory, .. } => {
                let words: Vec<_> = argv.iter().map(|word| quoted(word)).collect();
                lines.push(line(Action, format!("runs {}", words.join(" "))));
                lines.push(line(Action, format!("in {}", quoted(cwd))));
                let with =
                    |(name, value): &(String, String)| format!("with {}={}", quoted(name), quoted(value));
                lines.extend(env.iter().map(|one| line(Action, with(one))));
                digests.extend(files.iter().map(|file| pinned("file", file)));
                digests.extend(directory.iter().map(|directory| pinned("all of", directory)));
            }
            PermissionAction::Endpoint { url, with } => {
                lines.push(line(Action, format!("connects to {}", quoted(url))));
                let sent =
                    |(name, value): &(String, String)| format!("with {}: {}", quoted(name), quoted(value));
                lines.extend(with.iter().map(|one| line(Action, sent(one))));
            }
            PermissionAction::Writes { path } => {
                lines.push(line(Action, format!("writes {}", quoted(path))));
            }
        }
        let not_pinned = self.not_pinned().into_iter();
        let not_pinned = not_pinned.map(|text| line(Unpinned, text));
        lines.into_iter().chain(digests).chain(not_pinned).collect()
    }

    /// Orders what has no order of its own, so that equal deeds are equal values.
    pub(super) fn tidy(mut self) -> Self {
        match &mut self.action {
            PermissionAction::Command { env, files, .. } => {
                env.sort();
                files.sort();
                files.dedup();
            }
            PermissionAction::Endpoint { with, .. } => with.sort(),
            PermissionAction::Writes { .. } => {}
        }
        self
    }

    /// Refuses what a record could not hold, or could not mean.
    pub(super) fn check(&self) -> Result<(), String> {
        let fit = |what: &str, text: &str| match text {
            "" => Err(format!("its {what} is empty")),
            text if text.contains('\0') => Err(format!("its {what} has a NUL in it")),
            _ => Ok(()),
        };
        let inside = |path: &str| !Path::new(path).has_root() && PinPath::parse(path).is_some();
        fit("subject", &self.subject)?;
        match &self.action {
            PermissionAction::Command { argv, cwd, env, files, directory, .. } => {
                fit("program", argv.first().map_or("", String::as_str))?;
                if argv.iter().chain(env.iter().map(|(_, value)| value)).any(|text| text.contains('\0')) {
                    return Err("an argument or a variable has a NUL in it".into());
                }
                if cwd != "." && !inside(cwd) {
                    return Err("its working directory is not a path inside the project".into());
                }
                for (index, (name, _)) in env.iter().enumerate() {
                    fit("variable's name", name)?;
                    if name.contains('=') || env[..index].iter().any(|(other, _)| other == name) {
                        return Err(format!(
                            "the variable `{}` is listed twice, or its name is not valid",
                            escape_hidden(name)
                        ));
                    }
                }
                match files.iter().chain(directory).find(|(path, _)| !inside(path)) {
                    Some((path, _)) => {
                        Err(format!("`{}` is not a path inside the project", escape_hidden(path)))
                    }
                    None => Ok(()),
                }
            }
            PermissionAction::Endpoint { url, with } => {
                fit("address", url)?;
                with.iter().try_for_each(|(name, _)| fit("name of what is sent along", name))
            }
            PermissionAction::Writes { path } => fit("path", path),
        }
    }

    /// Returns the keys of its record.
    pub(super) fn keys(&self) -> Map<String, Value> {
        let pinned = |(path, digest): &(String, Digest)| json!({"path": path, "digest": digest});
        let mut keys = Map::new();
        keys.insert("subject".into(), json!(self.subject));
        match &self.action {
            PermissionAction::Command { argv, cwd, env, files, directory, .. } => {
                keys.insert("argv".into(), json!(argv));
                keys.insert("cwd".into(), json!(cwd));
                if !env.is_empty() {
                    let env: Map<_, _> =
                        env.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
                    keys.insert("env".into(), env.into());
                }
                if !files.is_empty() {
                    keys.insert("files".into(), files.iter().map(pinned).collect());
                }
                keys.extend(directory.iter().map(|directory| ("directory".to_owned(), pinned(directory))));
            }
            PermissionAction::Endpoint { url, with } => {
                keys.insert("url".into(), json!(url));
                if !with.is_empty() {
                    let with: Map<_, _> =
                        with.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
                    keys.insert("with".into(), with.into());
                }
            }
            PermissionAction::Writes { path } => _ = keys.insert("writes".into(), json!(path)),
        }
        keys
    }
}

/// For people and other programs, not for a record: with what is not pinned.
impl Serialize for Permission {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut keys = self.keys();
        let not_pinned = self.not_pinned();
        if let Some(not_pinned) = not_pinned {
            keys.insert("not_pinned".into(), json!([not_pinned]));
        }
        keys.serialize(to)
    }
}

/// A permission as it is written in a record.
#[derive(Deserialize)]
pub(super) struct StoredPermission {
    subject: String,
    argv: Option<Vec<String>>,
    cwd: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    files: Vec<JsonObject<StoredFile>>,
    directory: Option<JsonObject<StoredFile>>,
    url: Option<String>,
    #[serde(default)]
    with: BTreeMap<String, String>,
    writes: Option<String>,
}

/// The keys of [`StoredPermission`].
pub(super) const WRITTEN: [&str; 9] =
    ["subject", "argv", "cwd", "env", "files", "directory", "url", "with", "writes"];

#[derive(Deserialize)]
struct StoredFile {
    path: String,
    digest: Digest,
}

impl TryFrom<StoredPermission> for Permission {
    type Error = String;

    fn try_from(written: StoredPermission) -> Result<Self, String> {
        let StoredPermission { subject, argv, cwd, env, files, directory, url, with, writes } = written;
        let plain = cwd.is_none() && env.is_empty() && files.is_empty() && directory.is_none();
        let pinned = |files: Vec<JsonObject<StoredFile>>| {
            files.into_iter().map(|JsonObject(file)| (file.path, file.digest)).collect()
        };
        if url.is_none() && !with.is_empty() {
            return Err("`with` belongs to an address".into());
        }
        let action = match (argv, url, writes) {
            (Some(argv), None, None) => PermissionAction::Command {
                argv,
                cwd: cwd.ok_or("`cwd` is missing")?,
                env: env.into_iter().collect(),
                files: pinned(files),
                directory: directory.map(|JsonObject(directory)| (directory.path, directory.digest)),
            },
            (None, Some(url), None) if plain => {
                PermissionAction::Endpoint { url, with: with.into_iter().collect() }
            }
            (None, None, Some(path)) if plain => PermissionAction::Writes { path },
            _ => return Err("it is not one of a command, an endpoint and a file to write".into()),
        };
        let permission = Permission { subject, action }.tidy();
        permission.check()?;
        Ok(permission)
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

impl Permission {
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
