//! What a grant covers, for the person who decides about it: files with the places that they lead to, hidden text, secrets,
//! the branch, what of the user's the project replaces, and what it would run.

use crate::{
    Built, Engine, Error, consent,
    gather::Breadth,
    request::{Request, TrustChoice},
};
use preface_core::{
    diagnostic::{Diagnostic, Diagnostics, Severity},
    lint::{finding, finding::Finding as _, hidden, secret},
    scope::Scope,
    trust::TrustMode,
};
use preface_host::{
    gate::{Consent, Seen, Verdict, is_plain_branch},
    look::Headless,
    places::Places,
    provider::git,
    system::System,
    trust::{Permit, TrustStore},
};
use serde::Serialize;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// The most findings that are shown of one file.
const FINDINGS: usize = 5;

/// What a grant of everything that a build uses would cover.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Coverage {
    /// The files with something to look at, in the order of the build.
    pub files: Vec<CoveredFile>,
    /// The branch; `None` outside of a repository and where texts are not pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<CoveredBranch>,
    /// Files of the user's layer that the project replaces, such as `sections/rules.md`.
    pub replaces: Vec<String>,
    /// What else of the user's, or of preface, the project takes away, replaces or puts in another order: a sentence each.
    pub changes: Vec<String>,
    /// What the project would do beyond text, which only a grant of its own allows.
    #[serde(skip)]
    pub permits: Vec<Permit>,
}

/// One file of a grant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoveredFile {
    /// Its path for people.
    pub path: String,
    /// The file that it really is, where a link leads there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Hidden text, secrets.
    pub findings: Diagnostics,
}

/// The branch of a grant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoveredBranch {
    /// Its name, as it is shown.
    pub name: String,
    /// True where it was granted by its name.
    pub granted: bool,
    /// True where it is included without having been granted by its name.
    pub plain: bool,
}

/// What becomes of files with hidden text in a grant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HiddenText {
    /// They are not granted.
    #[default]
    Refuse,
    /// They are granted.
    Allow,
}

/// Returns whether a text has characters that a reader does not see and that have no ordinary use there.
#[must_use]
pub fn has_hidden_text(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    hidden::scan(&text).iter().any(|found| found.severity() >= Severity::Warning)
}

impl Coverage {
    /// Returns one line for each fact but those of `changes`, fit to be shown.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for file in &self.files {
            lines.extend(file.target.iter().map(|target| format!("{} -> {target}", file.path)));
            for found in &file.findings {
                let line = found.place.as_ref().and_then(|place| place.line);
                let at = line.map_or_else(String::new, |line| format!(":{line}"));
                lines.push(format!("{}{at}: {}", file.path, found.message));
            }
        }
        lines.extend(self.branch.as_ref().map(|branch| match (branch.granted, branch.plain) {
            (true, _) => format!("branch {}, granted", branch.name),
            (false, true) => format!("branch {}", branch.name),
            (false, false) => format!("branch {}, not granted", branch.name),
        }));
        lines.extend(self.replaces.iter().map(|name| format!("replaces your {name}")));
        lines
    }

    /// Returns one line for each extension and server that could act after a grant of commands, fit to be shown.
    #[must_use]
    pub fn permit_lines(&self) -> Vec<String> {
        let line = |permit: &Permit| {
            format!("{} could run after `preface trust grant --allow-commands`", permit.shown().join(", "))
        };
        self.permits.iter().map(line).collect()
    }
}

impl Engine<'_> {
    /// Works out what a grant here covers. Nothing is recorded.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn coverage(&self, request: &Request) -> Result<Coverage, Error> {
        self.coverage_of(request, &[])
    }

    /// Works out what a grant of some files covers; of all, where none is named.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn coverage_of(&self, request: &Request, paths: &[PathBuf]) -> Result<Coverage, Error> {
        let request = Request { trust: TrustChoice::Ask, ..request.clone() };
        let paths = self.real(paths);
        let all = || Some(Consent::Granting(paths.clone()));
        let built = self.run(&request, Breadth::EveryTool, all(), &Headless)?;
        if built.mode == TrustMode::None {
            return Ok(Coverage::default());
        }
        let files = built.seen.iter().filter_map(|seen| self.covered_file(seen, &built.places)).collect();
        let branch = self.branch(&built);
        let gathered = self.gather(&request, Breadth::EveryTool, all(), &Headless)?;
        let mut replaces = BTreeSet::new();
        if let (Some(own), Some(project)) =
            (gathered.stack.layer(Scope::Global), gathered.stack.layer(Scope::Project))
        {
            replaces.extend(own.files.keys().filter(|name| project.files.contains_key(*name)).cloned());
            let sections = own.sections.keys().filter(|id| project.sections.contains_key(*id));
            replaces.extend(sections.map(|id| format!("sections/{id}.md")));
        }
        let changes = gathered.changes.lines(&gathered.diagnostics);
        let permits = self.permits_wanted(&gathered);
        Ok(Coverage { files, branch, replaces: replaces.into_iter().collect(), changes, permits })
    }

    /// Returns what the project takes away, replaces or puts in another order once these files are granted (all of them,
    /// where none is named), a sentence each. Nothing is recorded.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn project_changes(&self, request: &Request, paths: &[PathBuf]) -> Result<Vec<String>, Error> {
        let request = Request { trust: TrustChoice::Ask, ..request.clone() };
        let granting = Some(Consent::Granting(self.real(paths)));
        let gathered = self.gather(&request, Breadth::Extensions, granting, &Headless)?;
        let is_guarded = gathered.profile.trust != TrustMode::None;
        Ok(if is_guarded { gathered.changes.lines(&gathered.diagnostics) } else { Vec::new() })
    }

    /// Returns the branch of a build whose texts are pinned.
    #[must_use]
    pub fn branch(&self, built: &Built) -> Option<CoveredBranch> {
        let pinned = built.mode == TrustMode::Pinned;
        pinned.then(|| self.covered_branch(&built.places.cwd, built.store.as_deref()))?
    }

    /// Returns a file where there is something to look at.
    fn covered_file(&self, seen: &Seen, places: &Places) -> Option<CoveredFile> {
        let text = String::from_utf8_lossy(&seen.bytes);
        let found = hidden::scan(&text).into_iter().filter(|found| found.severity() >= Severity::Warning);
        let (found, more) = finding::worst(found.collect(), FINDINGS);
        let mut findings = finding::diagnostics(&found, &text, Some(Scope::Project), &seen.shown);
        if more > 0 {
            let what = format!("{more} more places with hidden text");
            findings.push(Diagnostic::warning("hidden/more", what));
        }
        let (found, _) = finding::worst(secret::scan(&text), FINDINGS);
        findings.extend(finding::diagnostics(&found, &text, Some(Scope::Project), &seen.shown));
        // The line of a secret would repeat it.
        for place in findings.iter_mut().filter_map(|found| found.place.as_mut()) {
            place.excerpt = None;
        }
        let target = link_target(self.system(), seen, places);
        (target.is_some() || !findings.is_empty()).then(|| CoveredFile {
            path: seen.shown.clone(),
            target,
            findings,
        })
    }

    /// Returns the branch, and whether it was granted.
    fn covered_branch(&self, cwd: &Path, store: Option<&Path>) -> Option<CoveredBranch> {
        let name = self.branch_name(cwd)?;
        let (root, repository) = consent::pin_root(self.system(), cwd);
        let granted = store.is_some_and(|file| {
            let store = TrustStore::at(self.system(), file.to_owned()).for_project(&root);
            // What is wrong with the store is reported by the build.
            store.load(&mut Diagnostics::new()).pins(&root, repository.as_deref()).has_branch(&name)
        });
        Some(CoveredBranch { plain: is_plain_branch(&name), granted, name })
    }

    /// Returns the name of the branch, as it is shown.
    pub(crate) fn branch_name(&self, cwd: &Path) -> Option<String> {
        git::branch(self.system(), cwd).ok().flatten()
    }
}

/// Returns the file that a path leads to, where the way there has a link below the directories that are worked in.
fn link_target(system: &dyn System, seen: &Seen, places: &Places) -> Option<String> {
    // The cwd may be spelled with links itself; a path below one of its directories has none of its own.
    let spelled = places.cwd.ancestors().find_map(|dir| {
        let below = seen.path.strip_prefix(system.canonical(dir).ok()?).ok()?;
        (places.shown(&dir.join(below)) == seen.shown).then_some(())
    });
    spelled.is_none().then(|| places.shown(&seen.path))
}

/// Splits texts into those that may be granted and the names of those with hidden text.
pub(crate) fn without_hidden<'s>(
    seen: impl IntoIterator<Item = &'s Seen>,
    hidden: HiddenText,
) -> (Vec<&'s Seen>, Vec<String>) {
    let (refused, kept): (Vec<&Seen>, Vec<&Seen>) =
        seen.into_iter().partition(|seen| hidden == HiddenText::Refuse && has_hidden_text(&seen.bytes));
    (
        kept,
        refused
            .into_iter()
            .filter(|seen| seen.verdict != Verdict::Denied)
            .map(|seen| seen.shown.clone())
            .collect(),
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use preface_core::assets::ASSETS;
    use preface_host::system::memory::MemorySystem;

    #[test]
    fn what_waits_for_a_grant_of_commands_replaces_too() {
        let manifest = |path: &str| {
            format!(
                r#"{{"id": "log", "category": "loggers", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", "path": "{path}"}}"#
            )
        };
        let place = "extensions/loggers/log/manifest.json";
        let system = MemorySystem::new()
            .with_bundle(ASSETS)
            .with_home("/home/user")
            .with_dir("/work")
            .with_current_dir("/work")
            .with_file(format!("/home/user/.config/preface/{place}"), manifest("mine.jsonl"))
            .with_file(format!("/work/.preface/{place}"), manifest("theirs.jsonl"));
        let coverage = Engine::new(&system).coverage(&Request::default()).expect("it can be looked at");
        assert_eq!(
            coverage.changes,
            ["with `--allow-commands` the project replaces your `loggers/log` with .preface/extensions/loggers/log/manifest.json"]
        );
        assert_eq!(coverage.permits.len(), 1);
    }
}
