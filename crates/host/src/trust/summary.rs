//! What the trust question can say about a project before anything in it is read: names and sizes.

use super::{
    contents::{CATEGORIES, EXTENSIONS, SECTIONS, list_inside},
    path::escaped,
};
use crate::{
    provider::git::shown,
    system::{FileKind, ReadError, System},
};
use std::{fmt, path::Path};

/// The most entries that a summary names.
const LIMIT: usize = 200;

/// What stands in a project's directory, by name and size, with every name fit to be printed.
///
/// [`Summary::of`] reads no file. Once the user agreed that the project is looked into, the caller adds what only
/// reading can tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The directory.
    pub dir: String,
    /// The top level, files that matter first, at most 200.
    pub entries: Vec<SummaryEntry>,
    /// The names of `sections/*.md`.
    pub sections: Vec<String>,
    /// `<category>/<id>` of everything in the place of an extension.
    pub extensions: Vec<String>,
    /// The other files that are sent to the model, once a build named them: paths in the directory.
    pub texts: Vec<String>,
    /// Whether there is more than is named here.
    pub more: bool,
    /// The top-level keys of `settings.json`, once it was read.
    pub settings_keys: Option<Vec<String>>,
    /// The servers that `mcp.json` names, once it was read.
    pub mcp_servers: Option<Vec<String>>,
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
}

/// What a file of a project does. The order is that of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// `system.md` and `append.md`: sent to the model.
    Prompt,
    /// `sections/`: sent to the model.
    Sections,
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
            "system.md" | "append.md" => Role::Prompt,
            SECTIONS => Role::Sections,
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
            Role::Prompt | Role::Sections => "sent to the model",
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
        summary.entries.sort_by(|a, b| (a.role, &a.name).cmp(&(b.role, &b.name)));
        for category in CATEGORIES {
            summary.add_extensions(system, &root, category, Path::new(category));
            summary.add_extensions(system, &root, category, &Path::new(EXTENSIONS).join(category));
        }
        summary.add_sections(system, &root);
        summary
    }

    fn look(&mut self, system: &dyn System, root: &Path, name: &Path) {
        let Some(stat) = system.link_stat(&root.join(name)) else { return };
        let plain = name.to_str().unwrap_or_default();
        self.entries.push(SummaryEntry {
            name: shown(name.as_os_str().as_encoded_bytes()),
            role: Role::of(plain),
            kind: stat.kind,
            bytes: (stat.kind == FileKind::File).then_some(stat.len),
        });
    }

    fn add_extensions(&mut self, system: &dyn System, root: &Path, category: &str, dir: &Path) {
        let room = LIMIT.saturating_sub(self.extensions.len());
        match names(system, root, dir, room) {
            Some(names) => self.extensions.extend(names.map(|name| format!("{category}/{name}"))),
            None => self.more = true,
        }
    }

    fn add_sections(&mut self, system: &dyn System, root: &Path) {
        match names(system, root, Path::new(SECTIONS), LIMIT) {
            Some(names) => self.sections = names.filter(|name| name.ends_with(".md")).collect(),
            None => self.more = true,
        }
    }

    /// Adds the top-level keys of `settings.json`, which only a reader knows.
    #[must_use]
    pub fn with_settings_keys<'k>(mut self, keys: impl IntoIterator<Item = &'k str>) -> Self {
        self.settings_keys = Some(some(keys));
        self
    }

    /// Adds the ids of the servers in `mcp.json`, which only a reader knows.
    #[must_use]
    pub fn with_mcp_servers<'k>(mut self, ids: impl IntoIterator<Item = &'k str>) -> Self {
        self.mcp_servers = Some(some(ids));
        self
    }

    /// Adds files that settings and manifests name and that are sent to the model, which only a build knows.
    #[must_use]
    pub fn with_texts(mut self, paths: &[&str]) -> Self {
        for path in paths.iter().take(LIMIT) {
            let name = shown(path.as_bytes());
            match self.entries.iter_mut().find(|entry| entry.name == name) {
                Some(entry) => entry.role = Role::Prompt,
                None => self.texts.push(name),
            }
        }
        self.entries.sort_by(|a, b| (a.role, &a.name).cmp(&(b.role, &b.name)));
        self
    }

    /// Returns whether anything is there that could run something.
    #[must_use]
    pub fn could_run(&self) -> bool {
        let runs = |role| matches!(role, Role::Extensions | Role::Mcp);
        !self.extensions.is_empty() || self.entries.iter().any(|entry| runs(entry.role))
    }
}

/// Returns the names in a directory, none where there is no such directory; `None` where they cannot be told.
fn names(system: &dyn System, root: &Path, dir: &Path, room: usize) -> Option<impl Iterator<Item = String>> {
    let entries = match list_inside(system, root, dir, room) {
        Ok(entries) => entries,
        Err(ReadError::Missing | ReadError::Kind(_)) => Vec::new(),
        Err(_) => return None,
    };
    Some(entries.into_iter().map(|entry| shown(entry.name.as_encoded_bytes())))
}

fn some<'k>(names: impl IntoIterator<Item = &'k str>) -> Vec<String> {
    names.into_iter().take(LIMIT).map(|name| shown(name.as_bytes())).collect()
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
            let names = match entry.role {
                Role::Settings => self.settings_keys.as_deref(),
                Role::Mcp => self.mcp_servers.as_deref(),
                Role::Sections => Some(self.sections.as_slice()),
                _ => None,
            };
            let mut line = format!("{:width$}  {size}", entry.name);
            for part in [entry.role.meaning(), &names.unwrap_or_default().join(", ")] {
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
            .with_file("/work/.stud/tools/grep/manifest.json", "{}")
            .with_file("/work/.stud/a\u{202e}b\n", "")
            .with_link("/work/.stud/etc", "/etc/passwd")
    }

    #[test]
    fn names_and_sizes_without_opening_anything() {
        let system = project();
        let summary = Summary::of(&system, Path::new("/work/.stud"));
        assert_eq!(
            summary.with_settings_keys(["env", "a\u{7}b"]).to_string(),
            "\
system.md        15 bytes, sent to the model
sections         directory, sent to the model, rules.md
settings.json    2 bytes, changes settings, env, a\\u{7}b
mcp.json         3 bytes, names MCP servers
extensions       directory, holds extensions, which run unsandboxed
tools            directory, holds extensions, which run unsandboxed
a\\u{202e}b\\u{a}  0 bytes
etc              link
extensions: hooks/audit, tools/grep"
        );
        let opened = system.touches().iter().any(|touch| touch.verb == Verb::Read);
        assert!(!opened, "no file is opened before trust");
    }

    #[test]
    fn an_empty_project_and_one_with_too_much() {
        let dir = Path::new("/work/.stud");
        let empty = MemorySystem::new().with_dir(dir);
        let summary = Summary::of(&empty, dir);
        assert_eq!((summary.to_string().as_str(), summary.could_run()), ("(empty)", false));

        let mut full = project();
        for index in 0..300 {
            full = full
                .with_file(format!("/work/.stud/n{index}"), "")
                .with_dir(format!("/work/.stud/ui/{index}"));
        }
        let summary = Summary::of(&full, dir);
        assert!(summary.more && summary.could_run());
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
