//! The listing of a project that is trusted as a whole: names and sizes, and which texts are sent to the model.

use super::{
    contents::{CATEGORIES, EXTENSIONS, SECTIONS, list_inside},
    path::escaped,
};
use crate::{
    provider::git::shown,
    system::{DirEntry, FileKind, ReadError, System},
};
use std::{fmt, path::Path};

/// The most entries that a summary names.
const LIMIT: usize = 200;

/// What stands in a project's directory, by name and size, with every name fit to be printed.
///
/// [`Summary::of`] reads no file. Which texts are sent is known to a build alone, and added by the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The directory.
    pub dir: String,
    /// The top level, files that matter first, at most 200.
    pub entries: Vec<SummaryEntry>,
    /// `<category>/<id>` of every directory in the place of an extension.
    pub extensions: Vec<String>,
    /// The files below the top level, and elsewhere, that are sent to the model.
    pub texts: Vec<String>,
    /// Whether there is more than is named here.
    pub more: bool,
}

/// One entry of the project's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryEntry {
    /// Its name, control and hidden characters shown.
    pub name: String,
    /// What it does.
    pub role: Role,
    /// Its kind; links are not followed.
    pub kind: FileKind,
    /// Its size, if it is a file.
    pub bytes: Option<u64>,
    /// True where text of it is sent to the model.
    pub sent: bool,
}

/// What a file of a project does. The order is that of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
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

impl Role {
    fn of(name: &str) -> Role {
        match name {
            "settings.json" => Role::Settings,
            "ordering.json" => Role::Ordering,
            "mcp.json" => Role::Mcp,
            EXTENSIONS => Role::Extensions,
            name if CATEGORIES.contains(&name) => Role::Extensions,
            _ => Role::Other,
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Role::Settings => "changes settings",
            Role::Ordering => "changes the order of hooks",
            Role::Mcp => "names MCP servers",
            Role::Extensions => "holds extensions, which run unsandboxed",
            Role::Other => "",
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
        match system.list(&root, LIMIT) {
            Ok(entries) => {
                for entry in entries {
                    summary.look(system, &root, entry.name.as_ref());
                }
            }
            Err(ReadError::TooLarge { .. }) => {
                summary.more = true;
                for name in KNOWN.into_iter().chain(CATEGORIES) {
                    summary.look(system, &root, name.as_ref());
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

    fn look(&mut self, system: &dyn System, root: &Path, name: &Path) {
        let Some(stat) = system.link_stat(&root.join(name)) else { return };
        let plain = name.to_str().unwrap_or_default();
        self.entries.push(SummaryEntry {
            name: shown(name.as_os_str().as_encoded_bytes()),
            role: Role::of(plain),
            kind: stat.kind,
            bytes: (stat.kind == FileKind::File).then_some(stat.len),
            sent: false,
        });
    }

    fn add_extensions(&mut self, system: &dyn System, root: &Path, category: &str, dir: &Path) {
        let room = LIMIT.saturating_sub(self.extensions.len());
        match names(system, root, dir, room) {
            Some(names) => self.extensions.extend(names.map(|name| format!("{category}/{name}"))),
            None => self.more = true,
        }
    }

    /// Adds the files that are sent to the model: by their names in the directory, elsewhere by their paths for people.
    #[must_use]
    pub fn with_texts<'t>(mut self, paths: impl IntoIterator<Item = &'t str>) -> Self {
        for path in paths.into_iter().take(LIMIT) {
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

/// Returns the names of the directories in a directory, none where there is no such directory; `None` where they cannot be
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::system::memory::{MemorySystem, Verb};

    fn project() -> MemorySystem {
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
        let system = project();
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
        let opened = system.touches().iter().any(|touch| touch.verb == Verb::Read);
        assert!(!opened, "no file is opened before trust");
    }

    #[test]
    fn an_empty_project_and_one_with_too_much() {
        let dir = Path::new("/work/.stud");
        let empty = MemorySystem::new().with_dir(dir);
        let summary = Summary::of(&empty, dir);
        assert_eq!(summary.to_string(), "(empty)");

        let mut full = project();
        for index in 0..300 {
            full = full
                .with_file(format!("/work/.stud/n{index}"), "")
                .with_dir(format!("/work/.stud/ui/{index}"));
        }
        let summary = Summary::of(&full, dir);
        assert!(summary.more);
        assert!(summary.entries.len() <= LIMIT && summary.extensions.len() <= LIMIT);
        assert!(summary.entries.iter().any(|entry| entry.name == "system.md"), "what matters is named");
    }

    #[test]
    fn nothing_outside_is_listed() {
        let system = project().with_file("/outside/secret/x", "").with_link("/work/.stud/ui", "/outside");
        let summary = Summary::of(&system, Path::new("/work/.stud"));
        assert!(!summary.to_string().contains("secret"), "{summary}");
        assert!(summary.more, "it says that not all is shown");
    }
}
