//! Contents: the digest of a text, and the digest and the listing of a project's directory that a grant for the whole
//! project shows and records.
//!
//! The digest of a directory covers `system.md`, `append.md`, `sections/*.md`, `settings.json`, `mcp.json`,
//! `ordering.json` and the manifests of extensions. They are read to be digested, never parsed, and only inside of the
//! project's directory; what cannot be read is part of the digest by its reason.

use super::{path::escaped, pins::PinPath};
use crate::{
    provider::git::shown,
    system::{DirEntry, FileKind, ReadError, ReadScope, System},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

const ALGORITHM: &str = "blake3:";

/// The BLAKE3 digest of a text, written `blake3:<64 lower-case hex digits>`.
///
/// ```
/// use preface_host::trust::Digest;
///
/// let digest = Digest::of(b"Use tabs.");
/// assert!(digest.to_string().starts_with("blake3:"));
/// assert_eq!(digest.to_string().parse(), Ok(digest));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Returns the digest of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Digest(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the digest of a set of texts, each by path and digest, whatever their order.
    ///
    /// A decline is bound to it: the question comes back only when another set would be shown.
    pub fn of_listing<'a>(texts: impl IntoIterator<Item = (&'a PinPath, Digest)>) -> Self {
        let sorted: BTreeSet<_> = texts.into_iter().collect();
        let mut all = ListHasher::default();
        for (path, digest) in sorted {
            all.add(path.as_str().as_bytes());
            all.add(&digest.0);
        }
        all.digest()
    }

    /// Returns the 64 hex digits alone: the name of a copy in `trust.d`.
    #[must_use]
    pub fn hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ALGORITHM}{}", blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The error for a text that is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is `blake3:` and 64 lower-case hex digits")]
pub struct DigestParseError;

impl FromStr for Digest {
    type Err = DigestParseError;

    fn from_str(text: &str) -> Result<Self, DigestParseError> {
        let hex = text.strip_prefix(ALGORITHM).ok_or(DigestParseError)?;
        if hex.len() != 64 || !hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(DigestParseError);
        }
        blake3::Hash::from_hex(hex).map(|hash| Digest(*hash.as_bytes())).map_err(|_| DigestParseError)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// Digests several texts at once. Each goes in with its length, so that no two lists look alike.
#[derive(Default)]
pub(super) struct ListHasher(blake3::Hasher);

impl ListHasher {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub(super) fn digest(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

const KIB: u64 = 1 << 10;
const TEXT_LIMIT: u64 = 4 << 20;
const DATA_LIMIT: u64 = 1 << 20;
const MANIFEST_LIMIT: u64 = 256 * KIB;
const SECTION_LIMIT: u64 = DATA_LIMIT;

/// The most entries that one directory may have.
const LIST_LIMIT: usize = 1000;

const FILES: [(&str, u64); 5] = [
    ("append.md", TEXT_LIMIT),
    ("mcp.json", DATA_LIMIT),
    ("ordering.json", DATA_LIMIT),
    ("settings.json", DATA_LIMIT),
    ("system.md", TEXT_LIMIT),
];

/// The directory whose sub-directories are extension categories; they may also be in the root itself.
const EXTENSIONS: &str = "extensions";
/// The directory with a Markdown file for each section.
const SECTIONS: &str = "sections";
/// The file that makes a directory an extension.
const MANIFEST: &str = "manifest.json";

/// The categories of extensions, which are directory names.
const CATEGORIES: [&str; 9] = [
    "commands",
    "contextProviders",
    "hooks",
    "loggers",
    "providers",
    "sessionStores",
    "stateMachines",
    "tools",
    "ui",
];

/// Returns the digest of the texts, settings and manifests in a project's directory.
///
/// Two calls agree exactly when every file that counts has the same bytes. Other files do not count.
#[must_use]
pub fn whole_digest(system: &dyn System, project_dir: &Path) -> Digest {
    let root = system.canonical(project_dir).unwrap_or_else(|_| project_dir.to_owned());
    let mut reading = ProjectDigester { system, root: &root, fingers: ListHasher::default() };
    for (name, limit) in FILES {
        reading.file(Path::new(name), limit);
    }
    reading.sections();
    for parent in ["", EXTENSIONS] {
        for category in CATEGORIES {
            reading.extensions(&Path::new(parent).join(category));
        }
    }
    reading.fingers.digest()
}

/// Returns whether [`whole_digest`] covers a file, by its path in the project's directory.
#[must_use]
pub fn is_digested(path: &Path) -> bool {
    let names: Option<Vec<&str>> = path.iter().map(OsStr::to_str).collect();
    match names.as_deref() {
        Some([name]) => FILES.iter().any(|(file, _)| file == name),
        Some([SECTIONS, name]) => name.ends_with(".md"),
        Some([category, _, MANIFEST] | [EXTENSIONS, category, _, MANIFEST]) => CATEGORIES.contains(category),
        _ => false,
    }
}

/// Lists a directory of a project, if it really lies inside.
fn list_inside(
    system: &dyn System,
    root: &Path,
    dir: &Path,
    limit: usize,
) -> Result<Vec<DirEntry>, ReadError> {
    let real = system.canonical(&root.join(dir))?;
    if !real.starts_with(root) {
        return Err(ReadError::Outside { target: real });
    }
    system.list(&real, limit)
}

struct ProjectDigester<'a> {
    system: &'a dyn System,
    root: &'a Path,
    fingers: ListHasher,
}

impl ProjectDigester<'_> {
    /// Adds a file, by its name in the project. One that is not there adds nothing.
    fn file(&mut self, path: &Path, limit: u64) {
        match self.system.read(&self.root.join(path), ReadScope::Root(self.root), limit) {
            Ok(read) => self.add(path, Ok(&read.bytes)),
            Err(ReadError::Missing) => {}
            Err(error) => self.add(path, Err(error)),
        }
    }

    fn sections(&mut self) {
        for path in self.names(Path::new(SECTIONS)) {
            if path.extension() == Some(OsStr::new("md")) {
                self.file(&path, SECTION_LIMIT);
            }
        }
    }

    fn extensions(&mut self, dir: &Path) {
        for path in self.names(dir) {
            self.file(&path.join(MANIFEST), MANIFEST_LIMIT);
        }
    }

    /// Returns the paths in a directory of the project; none if it is missing or no directory.
    fn names(&mut self, dir: &Path) -> Vec<PathBuf> {
        match list_inside(self.system, self.root, dir, LIST_LIMIT) {
            Ok(entries) => {
                let kinds = [FileKind::File, FileKind::Dir, FileKind::Link];
                let entries = entries.into_iter().filter(|entry| kinds.contains(&entry.kind));
                entries.map(|entry| dir.join(entry.name)).collect()
            }
            Err(ReadError::Missing | ReadError::Kind(_)) => Vec::new(),
            Err(error) => {
                self.add(dir, Err(error));
                Vec::new()
            }
        }
    }

    fn add(&mut self, path: &Path, found: Result<&[u8], ReadError>) {
        for part in path.components() {
            self.fingers.add(part.as_os_str().as_encoded_bytes());
        }
        match found {
            Ok(bytes) => {
                self.fingers.add(b"/");
                self.fingers.add(bytes);
            }
            Err(error) => {
                self.fingers.add(b"//");
                self.fingers.add(error.to_string().as_bytes());
            }
        }
    }
}

/// The most entries that a summary names.
const SUMMARY_LIMIT: usize = 200;

/// The listing of a project's directory: names and sizes, with every name fit to be printed.
///
/// [`Summary::of`] reads no file. Which texts are sent is known to a build alone, and added by the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The directory.
    pub dir: String,
    /// The top level, files that matter first, at most 200.
    pub entries: Vec<SummaryEntry>,
    /// The `<category>/<id>` of every extension directory.
    pub extensions: Vec<String>,
    /// The files below the top level, and elsewhere, that are sent to the model.
    pub texts: Vec<String>,
    /// True if there are more entries than the summary names.
    pub more: bool,
}

/// One entry of the project's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryEntry {
    /// The name, with control and hidden characters escaped.
    pub name: String,
    /// The role of the entry.
    pub role: FileRole,
    /// The kind; links are not followed.
    pub kind: FileKind,
    /// The size, for a file.
    pub bytes: Option<u64>,
    /// True if text of the file is sent to the model.
    pub sent: bool,
}

/// The role of a file of a project, in the order of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// `settings.json`
    Settings,
    /// `ordering.json`: changes the order of hooks.
    Ordering,
    /// `mcp.json`: names servers.
    Mcp,
    /// A directory with extensions.
    Extensions,
    /// Anything else.
    Other,
}

impl FileRole {
    fn of(name: &str) -> FileRole {
        match name {
            "settings.json" => FileRole::Settings,
            "ordering.json" => FileRole::Ordering,
            "mcp.json" => FileRole::Mcp,
            EXTENSIONS => FileRole::Extensions,
            name if CATEGORIES.contains(&name) => FileRole::Extensions,
            _ => FileRole::Other,
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            FileRole::Settings => "changes settings",
            FileRole::Ordering => "changes the order of hooks",
            FileRole::Mcp => "names MCP servers",
            FileRole::Extensions => "holds extensions, which run unsandboxed",
            FileRole::Other => "",
        }
    }
}

/// The names that are looked for where a directory has too many entries to be listed.
const KNOWN: [&str; 7] =
    ["append.md", EXTENSIONS, "mcp.json", "ordering.json", SECTIONS, "settings.json", "system.md"];

impl Summary {
    /// Lists a project's directory: names and sizes only, no file is opened, no link followed, nothing outside listed.
    #[must_use]
    pub fn of(system: &dyn System, project_dir: &Path) -> Self {
        let root = system.canonical(project_dir).unwrap_or_else(|_| project_dir.to_owned());
        let mut summary = Summary { dir: escaped(&root), ..Summary::default() };
        match system.list(&root, SUMMARY_LIMIT) {
            Ok(entries) => {
                for entry in entries {
                    summary.add_file(system, &root, entry.name.as_ref());
                }
            }
            Err(ReadError::TooLarge { .. }) => {
                summary.more = true;
                for name in KNOWN.into_iter().chain(CATEGORIES) {
                    summary.add_file(system, &root, name.as_ref());
                }
            }
            // A directory that cannot be listed has nothing to show; reading it will say why.
            Err(_) => summary.more = true,
        }
        summary.sort();
        for category in CATEGORIES {
            summary.add_extensions(system, &root, category, Path::new(category));
            summary.add_extensions(system, &root, category, &Path::new(EXTENSIONS).join(category));
        }
        summary
    }

    /// Puts what is sent first, then what has a role.
    fn sort(&mut self) {
        self.entries.sort_by(|a, b| (!a.sent, a.role, &a.name).cmp(&(!b.sent, b.role, &b.name)));
    }

    fn add_file(&mut self, system: &dyn System, root: &Path, name: &Path) {
        let Some(stat) = system.link_stat(&root.join(name)) else { return };
        let plain = name.to_str().unwrap_or_default();
        self.entries.push(SummaryEntry {
            name: shown(name.as_os_str().as_encoded_bytes()),
            role: FileRole::of(plain),
            kind: stat.kind,
            bytes: (stat.kind == FileKind::File).then_some(stat.len),
            sent: false,
        });
    }

    fn add_extensions(&mut self, system: &dyn System, root: &Path, category: &str, dir: &Path) {
        let room = SUMMARY_LIMIT.saturating_sub(self.extensions.len());
        match names(system, root, dir, room) {
            Some(names) => self.extensions.extend(names.map(|name| format!("{category}/{name}"))),
            None => self.more = true,
        }
    }

    /// Adds the files that are sent to the model: by their names in the directory, elsewhere by their paths for people.
    #[must_use]
    pub fn with_texts<'t>(mut self, paths: impl IntoIterator<Item = &'t str>) -> Self {
        for path in paths.into_iter().take(SUMMARY_LIMIT) {
            let name = shown(path.as_bytes());
            match self.entries.iter_mut().find(|entry| entry.name == name) {
                Some(entry) => entry.sent = true,
                None => self.texts.push(name),
            }
        }
        self.sort();
        self
    }
}

/// Returns the names of the directories in a directory, none if there is no such directory; `None` if they cannot be
/// listed.
fn names(system: &dyn System, root: &Path, dir: &Path, room: usize) -> Option<impl Iterator<Item = String>> {
    let entries = match list_inside(system, root, dir, room) {
        Ok(entries) => entries,
        Err(ReadError::Missing | ReadError::Kind(_)) => Vec::new(),
        Err(_) => return None,
    };
    let is_dir = |entry: &DirEntry| matches!(entry.kind, FileKind::Dir | FileKind::Link);
    Some(entries.into_iter().filter(is_dir).map(|entry| shown(entry.name.as_encoded_bytes())))
}

/// One line each, without a line end after the last.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.entries.is_empty() && !self.more {
            return write!(f, "(empty)");
        }
        let width = self.entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0).min(32);
        let mut lines = Vec::new();
        for entry in &self.entries {
            let size = match (entry.kind, entry.bytes) {
                (_, Some(bytes)) => format!("{bytes} bytes"),
                (FileKind::Dir, _) => "directory".into(),
                (FileKind::Link, _) => "link".into(),
                _ => "special file".into(),
            };
            let mut line = format!("{:width$}  {size}", entry.name);
            for part in [if entry.sent { "sent to the model" } else { "" }, entry.role.meaning()] {
                if !part.is_empty() {
                    line.push_str(", ");
                    line.push_str(part);
                }
            }
            lines.push(line);
        }
        if !self.extensions.is_empty() {
            lines.push(format!("extensions: {}", self.extensions.join(", ")));
        }
        if !self.texts.is_empty() {
            lines.push(format!("sent to the model: {}", self.texts.join(", ")));
        }
        if self.more {
            lines.push("… and more".into());
        }
        write!(f, "{}", lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::testing::{AccessKind, MemorySystem};

    #[test]
    fn one_spelling_is_read() {
        let digest = Digest::of(b"");
        assert_eq!(
            digest.to_string(),
            "blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
            "the digest of nothing is the one the BLAKE3 test vectors give"
        );
        for other in ["", "blake3:", &digest.hex(), &digest.to_string().to_uppercase(), "sha256:00"] {
            assert_eq!(other.parse::<Digest>(), Err(DigestParseError), "{other:?}");
        }
    }

    #[test]
    fn a_listing_knows_no_order_and_no_seams() {
        let path = |text: &str| PinPath::parse(text).expect("a good path");
        let (a, b, ab) = (path("a"), path("b"), path("ab"));
        let (x, y) = (Digest::of(b"x"), Digest::of(b"y"));
        assert_eq!(Digest::of_listing([(&a, x), (&b, y)]), Digest::of_listing([(&b, y), (&a, x)]));
        assert_ne!(Digest::of_listing([(&a, x), (&b, y)]), Digest::of_listing([(&a, y), (&b, x)]));
        assert_ne!(Digest::of_listing([(&a, x), (&b, x)]), Digest::of_listing([(&ab, x)]));
    }

    const DIR: &str = "/work/.stud";

    fn project() -> MemorySystem {
        MemorySystem::new()
            .with_file("/work/.stud/system.md", "Answer in JSON.")
            .with_file("/work/.stud/settings.json", "{}")
            .with_file("/work/.stud/extensions/hooks/audit/manifest.json", "{}")
            .with_file("/work/.stud/notes.txt", "notes")
            .with_file("/outside/secret", "secret")
    }

    fn digest(system: &MemorySystem) -> Digest {
        whole_digest(system, Path::new(DIR))
    }

    #[test]
    fn what_speaks_or_acts_counts() {
        let before = digest(&project());
        assert_eq!(before, digest(&project()));
        for name in [
            "system.md",
            "append.md",
            "sections/rules.md",
            "settings.json",
            "mcp.json",
            "ordering.json",
            "tools/grep/manifest.json",
            "extensions/tools/grep/manifest.json",
            "extensions/hooks/audit/manifest.json",
        ] {
            let system = project().with_file(Path::new(DIR).join(name), "other");
            assert_ne!(digest(&system), before, "{name}");
            let emptied = project().with_file(Path::new(DIR).join(name), "");
            assert_ne!(digest(&emptied), before, "an empty `{name}`");
            assert_ne!(digest(&emptied), digest(&system), "an empty `{name}`");
        }
        for name in ["notes.txt", "system.md.bak", "sections/notes.txt", "extensions/hooks/audit/run.js"] {
            assert_eq!(digest(&project().with_file(Path::new(DIR).join(name), "other")), before, "{name}");
        }
    }

    #[test]
    fn nothing_outside_is_read() {
        for (link, target) in [
            ("system.md", "/outside/secret"),
            ("sections", "/outside"),
            ("extensions/hooks/audit/manifest.json", "/outside/secret"),
            ("extensions/tools", "/outside"),
        ] {
            let link = Path::new(DIR).join(link);
            let system = project();
            system.cut(&link);
            system.put_link(&link, target);
            let with = digest(&system);
            system.put_file("/outside/secret", "another secret");
            system.put_file("/outside/more", "more");
            assert_eq!(digest(&system), with, "{}", link.display());
            let listed = system
                .touches()
                .into_iter()
                .filter(|touch| touch.verb == AccessKind::List && touch.place.starts_with("/outside"));
            assert_eq!(listed.count(), 0, "{}", link.display());
        }
    }

    #[test]
    fn a_linked_project_directory_has_the_digest_of_its_target() {
        let system = project().with_link("/other/.stud", DIR);
        assert_eq!(whole_digest(&system, Path::new("/other/.stud")), digest(&system));
        assert_eq!(whole_digest(&system, Path::new("/none/.stud")), whole_digest(&system, Path::new("/no")));
    }

    #[test]
    fn a_directory_with_too_many_entries_counts_by_the_reason() {
        let mut system = project();
        for index in 0..=LIST_LIMIT {
            system = system.with_file(format!("{DIR}/tools/t{index}/manifest.json"), "{}");
        }
        assert_ne!(digest(&system), digest(&project()));
    }

    fn listed_project() -> MemorySystem {
        MemorySystem::new()
            .with_file("/work/.stud/system.md", "Answer in JSON.")
            .with_file("/work/.stud/settings.json", "{}")
            .with_file("/work/.stud/mcp.json", "{ }")
            .with_file("/work/.stud/sections/rules.md", "x")
            .with_file("/work/.stud/extensions/hooks/audit/manifest.json", "{}")
            .with_file("/work/.stud/extensions/hooks/README.md", "no extension")
            .with_file("/work/.stud/tools/grep/manifest.json", "{}")
            .with_file("/work/.stud/a\u{202e}b\n", "")
            .with_link("/work/.stud/etc", "/etc/passwd")
    }

    #[test]
    fn names_and_sizes_without_opening_anything() {
        let system = listed_project();
        let summary = Summary::of(&system, Path::new("/work/.stud"));
        assert_eq!(
            summary.with_texts(["system.md", "sections/a\u{7}b.md"]).to_string(),
            "\
system.md        15 bytes, sent to the model
settings.json    2 bytes, changes settings
mcp.json         3 bytes, names MCP servers
extensions       directory, holds extensions, which run unsandboxed
tools            directory, holds extensions, which run unsandboxed
a\\u{202e}b\\u{a}  0 bytes
etc              link
sections         directory
extensions: hooks/audit, tools/grep
sent to the model: sections/a\\u{7}b.md"
        );
        let opened = system.touches().iter().any(|touch| touch.verb == AccessKind::Read);
        assert!(!opened, "no file is opened before trust");
    }

    #[test]
    fn an_empty_project_and_one_with_too_much() {
        let dir = Path::new("/work/.stud");
        let empty = MemorySystem::new().with_dir(dir);
        let summary = Summary::of(&empty, dir);
        assert_eq!(summary.to_string(), "(empty)");

        let mut full = listed_project();
        for index in 0..300 {
            full = full
                .with_file(format!("/work/.stud/n{index}"), "")
                .with_dir(format!("/work/.stud/ui/{index}"));
        }
        let summary = Summary::of(&full, dir);
        assert!(summary.more);
        assert!(summary.entries.len() <= SUMMARY_LIMIT && summary.extensions.len() <= SUMMARY_LIMIT);
        assert!(summary.entries.iter().any(|entry| entry.name == "system.md"), "what matters is named");
    }

    #[test]
    fn nothing_outside_is_listed() {
        let system =
            listed_project().with_file("/outside/secret/x", "").with_link("/work/.stud/ui", "/outside");
        let summary = Summary::of(&system, Path::new("/work/.stud"));
        assert!(!summary.to_string().contains("secret"), "{summary}");
        assert!(summary.more, "it marks what is not shown");
    }
}
