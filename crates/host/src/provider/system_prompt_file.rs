//! Context provider `system-prompt-file`: the user's own `system.md`, global then project, verbatim (seed 000).

use super::{ContextProvider, SectionOptions, silent};
use crate::{
    gate::Belongs,
    look::{Look, Wanted},
    places::{inside, resolved},
    system::Within,
};
use preface_core::{
    compose::is_blank,
    diagnostic::{Diagnostic, Place, Severity},
    scope::Scope,
    section::{Language, Section},
    settings,
    world::{Contribution, Item},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Reads at most two files.
#[derive(Debug)]
pub struct SystemPromptFile;

impl ContextProvider for SystemPromptFile {
    fn name(&self) -> &'static str {
        "system-prompt-file"
    }

    fn about(&self) -> &'static str {
        "your own system.md, global then project, verbatim"
    }

    fn id(&self) -> &'static str {
        "SystemPromptFile"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn contribute(&self, section: &Section, look: &Look<'_>) -> Contribution {
        SectionOptions::new(self, section, look);
        let config = settings::SystemPromptFile::read(look.settings);
        if let Some(by) = config.disabled_by {
            return silent(
                self,
                section,
                format!("switched off by `contextProviders.SystemPromptFile.disable` in the {by} settings"),
            );
        }
        if !config.enabled {
            let by = config.enabled_by.map_or_else(String::new, |by| format!(" in the {by} settings"));
            return silent(
                self,
                section,
                format!(
                    "switched off by `contextProviders.SystemPromptFile.enabled`{by}; to drop one file only, point its `paths` entry at a path that does not exist"
                ),
            );
        }
        let max_tokens = usize::try_from(config.max_tokens).unwrap_or(usize::MAX);
        // Enough for every text that could fit, and for the count that the marker names.
        let limit = (256 << 10).max(config.max_tokens.saturating_mul(16));
        let mut said = silent(self, section, "there is no system.md");
        said.max_tokens = Some(max_tokens);
        // A profile that orders by priority does so by the settings' number; others keep their own place.
        said.priority = config.priority_by.map(|_| config.priority);

        let global = match (&config.path_global, &look.places.global) {
            (Some(path), Some(root)) => Some(expand(path, root, look)),
            (None, Some(root)) => Some(root.join("system.md")),
            (Some(path), None) if Path::new(path).is_absolute() => Some(PathBuf::from(path)),
            (_, None) => None,
        };
        let project = match &look.places.project {
            // No project directory: nothing can be trusted, so no project candidate is read.
            Some(root)
                if look.system.stat(root).is_some_and(|stat| stat.kind == crate::system::FileKind::Dir) =>
            {
                Some(match &config.path_project {
                    Some(path) => expand(path, &look.places.cwd, look),
                    None => root.join("system.md"),
                })
            }
            _ => None,
        };
        let same = match (&global, &project) {
            (Some(a), Some(b)) => {
                matches!((look.system.canonical(a), look.system.canonical(b)), (Ok(a), Ok(b)) if a == b)
            }
            _ => false,
        };
        if let Some(path) = &global {
            self.add(&mut said, Scope::Global, path, Within::Anywhere, limit, look);
        }
        if let Some(path) = project.filter(|_| !same)
            && look.gate.layer_speaks()
            && let Some(within) = self.way(&path, look)
        {
            self.add(&mut said, Scope::Project, &path, within.within(), limit, look);
        }
        if !said.items.is_empty() {
            said.silent = None;
        }
        said
    }
}

/// Where the project's file may lie.
enum Way {
    /// Inside the project root.
    Inside(PathBuf),
    /// A person said yes to a path outside.
    Confirmed,
}

impl Way {
    fn within(&self) -> Within<'_> {
        match self {
            Way::Inside(root) => Within::Root(root),
            Way::Confirmed => Within::Anywhere,
        }
    }
}

impl SystemPromptFile {
    /// A file whose real path leaves the project root needs one yes. The project root is the cwd's project directory;
    /// an override may name any file of the working directory.
    fn way(&self, path: &Path, look: &Look<'_>) -> Option<Way> {
        let root = look.places.project.as_ref()?;
        let real_root = resolved(look.system, root);
        if let Within::Root(around) = look.layer_within()
            && !inside(&real_root, &resolved(look.system, around))
        {
            // The directory itself leads outside; the read is refused and says so.
            return Some(Way::Inside(around.to_owned()));
        }
        let real = resolved(look.system, path);
        if inside(&real, &real_root) {
            return Some(Way::Inside(real_root));
        }
        let shown = look.places.shown(&real);
        if look.system.stat(path).is_none() {
            return Some(Way::Inside(real_root));
        }
        let question = format!("Allow SystemPromptFile to read a path outside the project root: {shown}?");
        if look.confirm.confirm(&question) {
            return Some(Way::Confirmed);
        }
        look.note(
            Diagnostic::warning("SuppressedError", format!("the project's system.md was left out: it leads outside the project root, to {shown}"))
                .at(Place::file(Some(Scope::Project), look.places.shown(path)))
                .help("copy the file into the project directory, or answer `yes` on a terminal (ToolTerminal/Forbidden)"),
        );
        None
    }

    fn add(
        &self,
        said: &mut Contribution,
        scope: Scope,
        path: &Path,
        within: Within<'_>,
        limit: u64,
        look: &Look<'_>,
    ) {
        let wanted = Wanted {
            scope,
            within,
            severity: Severity::Warning,
            code: Some("SuppressedError"),
            belongs: Belongs::ToLayer,
            ..Wanted::global(path, limit)
        };
        let Some(pieces) = look.pieces(&wanted) else { return };
        if is_blank(&pieces) {
            return;
        }
        let facts = BTreeMap::from([("path".to_owned(), look.places.source(scope, path).path.clone())]);
        said.items.push(Item { facts, pieces, language: Language::Verbatim });
    }
}

/// Makes a configured path absolute: `~/` is the home directory, anything else relative belongs to `base`.
fn expand(path: &str, base: &Path, look: &Look<'_>) -> PathBuf {
    match (path.strip_prefix("~/"), &look.places.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => base.join(path),
    }
}
