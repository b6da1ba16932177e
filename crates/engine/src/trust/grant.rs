//! Grants and revokes trust, for `preface trust` and for answers on a terminal.

use crate::{
    BuildResult, Engine, Error,
    build_options::{BuildOptions, TrustChoice},
    input::{FirstFiles, collect::Breadth, consent},
    trust::coverage::{Coverage, HiddenText, Review, pinned_texts, texts_of_whole, without_hidden},
};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostics, Remedy},
    trust::{Requirement, Trust, TrustMode},
};
use preface_host::{
    places::resolve_links,
    provider::{context::Headless, git},
    trust::{
        GrantState, PinPath, PinnedText, TrustChange, TrustReport, TrustRow, TrustStore,
        gate::{GateVerdict, GatedText, UnreadFile},
    },
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// The result of a grant or a revocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantReport {
    /// The canonical path that the record is about.
    pub path: PathBuf,
    /// The files that are newly granted (or revoked), for people: name and bytes.
    pub added: Vec<(String, usize)>,
    /// The files that were granted before.
    pub unchanged: Vec<String>,
    /// The files that are still left out, and why, for people.
    pub untrusted: Vec<String>,
    /// Files that were not granted because of hidden text, for people.
    pub hidden: Vec<String>,
    /// The branches that are newly granted (one at most) or revoked, as they are shown.
    pub branches: Vec<String>,
    /// The entries whose permissions were revoked, such as `hooks/audit`.
    pub permissions: Vec<String>,
    /// Events for the audit log.
    pub audit: Vec<AuditEvent>,
    /// The events for which there was no logger yet: a logger that is granted next gets them, too.
    pub unlogged: Vec<AuditEvent>,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
}

impl Engine<'_> {
    /// Grants what was reviewed: every project text by its digest, or the project as a whole, as the profile has it. The branch is
    /// granted beside texts. Exactly the bytes of the review are recorded.
    ///
    /// # Errors
    /// A project that no prompt can be built of with this grant, paths where none can be named, and a store that cannot be written.
    pub fn grant(
        &self,
        request: &BuildOptions,
        review: &Review,
        paths: &[PathBuf],
        hidden: HiddenText,
    ) -> Result<GrantReport, Error> {
        let request = &BuildOptions { trust: TrustChoice::Ask, ..request.clone() };
        let Review { built, coverage } = review;
        if let Some(failure) = &coverage.failure {
            return Err(failure.clone());
        }
        let paths = self.real(paths);
        check_paths(built.mode, &built.prompt.preset, &paths)?;
        let first = self.first_files_of(built);
        let mut events = first.audit;
        let mut report = match built.mode {
            TrustMode::Whole => self.grant_whole(built, coverage, hidden)?,
            TrustMode::Pinned | TrustMode::None => self.grant_pins(built, coverage, &paths, hidden)?,
        };
        report.diagnostics.extend(first.diagnostics);
        events.append(&mut report.audit);
        report.audit.clone_from(&events);
        report.diagnostics.extend(self.log_or_keep(request, &mut events));
        report.unlogged = events;
        Ok(report)
    }

    /// Writes the first files of a profile before its trust store, which may be what creates the user's own directory.
    fn first_files_of(&self, built: &BuildResult) -> FirstFiles {
        let records = match built.mode {
            TrustMode::Whole => consent::layer_root(self.system(), &built.places).is_some(),
            TrustMode::Pinned | TrustMode::None => true,
        };
        if records { self.scaffold(&built.snapshot.profile, &built.places) } else { FirstFiles::default() }
    }

    /// Grants are about where a file really lies, whichever way a path leads there.
    pub(crate) fn real(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        paths.iter().map(|path| resolve_links(self.system(), path)).collect()
    }

    fn grant_whole(
        &self,
        built: &BuildResult,
        coverage: &Coverage,
        hidden: HiddenText,
    ) -> Result<GrantReport, Error> {
        let Some(root) = consent::layer_root(self.system(), &built.places) else {
            return Err(Error::Usage(
                "there is no project directory here to trust".to_owned(),
                built.places.project.as_ref().map(|root| format!("it would be `{}`", root.display()).into()),
            ));
        };
        let unknown: Vec<String> =
            unknown_to_grants(built).map(|file| format!("{} ({})", file.shown, file.error)).collect();
        if !unknown.is_empty() {
            let what =
                format!("nothing was granted: what cannot be read is not trusted: {}", unknown.join(", "));
            return Err(Error::Trust(what, None));
        }
        let hidden = without_hidden(&built.seen, hidden, None).1;
        if !hidden.is_empty() {
            return Ok(GrantReport { path: root, hidden, ..GrantReport::default() });
        }
        let tree = git::work_tree_root(self.system(), &built.places.cwd);
        let store = self.store(built)?.for_project(tree.as_deref().unwrap_or(&root));
        let report = store.grant_whole(&root, &pinned_texts(texts_of_whole(built)))?;
        let texts = coverage.texts.iter().map(|text| &text.file);
        Ok(GrantReport {
            path: root,
            added: texts.map(|file| (file.shown.clone(), file.bytes.len())).collect(),
            audit: report.audit,
            ..GrantReport::default()
        })
    }

    fn grant_pins(
        &self,
        built: &BuildResult,
        coverage: &Coverage,
        paths: &[PathBuf],
        hidden: HiddenText,
    ) -> Result<GrantReport, Error> {
        let root = consent::pin_root(self.system(), &built.places.cwd);
        let readable: Vec<&GatedText> =
            built.seen.iter().filter(|seen| seen.verdict == GateVerdict::Included).collect();
        for path in paths {
            if !built.seen.iter().any(|seen| seen.path.starts_with(path)) {
                let help = match self.directory_of(path).filter(|dir| *dir != built.places.cwd) {
                    // A repository of its own has grants of its own.
                    Some(dir) if consent::pin_root(self.system(), &dir) != root => {
                        let command = format!("trust grant -C {}", built.places.shown(&dir));
                        Remedy::command("it belongs to another project", command)
                    }
                    _ => Remedy::command("see the files that a build uses", "trust"),
                };
                let what = format!("nothing that a build uses lies at `{}`", built.places.shown(path));
                return Err(Error::Usage(what, Some(help)));
            }
        }
        let named =
            |seen: &&&GatedText| paths.is_empty() || paths.iter().any(|path| seen.path.starts_with(path));
        let store = self.store(built)?.for_project(&root);
        // What was granted in spite of hidden text stays granted.
        let pins = store.load(&mut Diagnostics::new()).root(&root);
        let is_open = |seen: &&GatedText| pins.state(&seen.pin, &seen.digest) != GrantState::Granted;
        let (open, before): (Vec<&GatedText>, Vec<&GatedText>) =
            readable.iter().filter(named).copied().partition(is_open);
        let (mut granted, hidden) = without_hidden(open, hidden, Some(&root));
        granted.extend(before);
        let mut texts = pinned_texts(granted);
        // A repository without a text still has a branch name: the grant is for the repository itself, which is
        // written down as its `.git` with nothing in it.
        let is_alone = texts.is_empty() && hidden.is_empty() && paths.is_empty();
        if is_alone && git::work_tree_root(self.system(), &built.places.cwd).is_some() {
            let path = PinPath::new(&root, &root.join(".git"))?;
            texts.push(PinnedText { path, bytes: Vec::new() });
        }
        let branch =
            coverage.branch.as_ref().filter(|_| !texts.is_empty()).map(|branch| branch.name.as_str());
        let TrustReport { change, audit } = store.grant_pins(&root, &texts, branch)?;
        let shown = |pin: &PinPath| {
            readable
                .iter()
                .find(|seen| seen.pin == *pin)
                .map_or_else(|| pin.to_string(), |seen| seen.name_in(&root))
        };
        let size =
            |pin: &PinPath| readable.iter().find(|seen| seen.pin == *pin).map_or(0, |seen| seen.bytes.len());
        Ok(GrantReport {
            path: root.clone(),
            added: change.texts.iter().map(|pin| (shown(pin), size(pin))).collect(),
            unchanged: change.unchanged.iter().map(shown).collect(),
            untrusted: built.untrusted().map(|seen| seen.name_in(&root)).collect(),
            hidden,
            branches: change.branches,
            audit,
            diagnostics: built.prompt.diagnostics.clone(),
            ..GrantReport::default()
        })
    }

    /// Takes back what was granted: all of it, what the named paths hold, or all that is recorded for a path, as the trust store
    /// lists it: that directory need not be there any more. One report for each root.
    ///
    /// # Errors
    /// See [`Error`]; and a store that cannot be written.
    pub fn revoke(&self, request: &BuildOptions, paths: &[PathBuf]) -> Result<Vec<GrantReport>, Error> {
        let denied = BuildOptions { trust: TrustChoice::Deny, ..request.clone() };
        let built = self.without_programs().run(&denied, Breadth::Turn, None, &Headless)?;
        let rows = self.store(&built)?.load(&mut Diagnostics::new()).list();
        let (mut reports, mut rest) = (Vec::new(), Vec::new());
        for path in paths {
            let real = resolve_links(self.system(), path);
            let is_meant = |row: &&TrustRow| [path, &real].contains(&&PathBuf::from(&row.path));
            let recorded: Vec<&TrustRow> = rows.iter().filter(is_meant).collect();
            if recorded.is_empty() {
                rest.push(path.clone());
            }
            for row in recorded {
                reports.push(self.revoke_recorded(&built, &rows, row)?);
            }
        }
        if !rest.is_empty() || reports.is_empty() {
            check_paths(built.mode, &built.prompt.preset, &rest)?;
            let mut first = self.first_files_of(&built);
            let mut report = self.revoke_of(&built, &rest)?;
            report.diagnostics.append(&mut first.diagnostics);
            report.audit.splice(0..0, first.audit);
            reports.push(report);
        }
        for report in &mut reports {
            report.diagnostics.extend(self.log_events(request, &report.audit));
        }
        Ok(reports)
    }

    fn revoke_of(&self, built: &BuildResult, paths: &[PathBuf]) -> Result<GrantReport, Error> {
        match built.mode {
            TrustMode::Whole => {
                let is_recorded = |root: &PathBuf| {
                    let record =
                        consent::recorded(self.system(), built.store.as_deref(), &built.places, root);
                    record.trust() != Trust::Untrusted
                };
                // A project directory that is gone can have a record.
                let gone = || Some(resolve_links(self.system(), built.places.project.as_ref()?));
                let here = consent::layer_root(self.system(), &built.places);
                let Some(root) = here.or_else(|| gone().filter(is_recorded)) else {
                    return Err(Error::Usage(
                        "there is no project directory here".to_owned(),
                        Some(Remedy::command("see which projects have grants", "trust list")),
                    ));
                };
                let tree = consent::pin_root(self.system(), &built.places.cwd);
                self.revoke_whole(built, &root, &tree)
            }
            TrustMode::Pinned | TrustMode::None => {
                let root = consent::pin_root(self.system(), &built.places.cwd);
                let pins: Vec<PinPath> = self
                    .real(paths)
                    .iter()
                    .map(|path| PinPath::new(&root, path).map_err(Error::from))
                    .collect::<Result<_, _>>()?;
                self.revoke_texts(built, &root, &pins)
            }
        }
    }

    /// Takes back all that one of the recorded rows has.
    fn revoke_recorded(
        &self,
        built: &BuildResult,
        rows: &[TrustRow],
        row: &TrustRow,
    ) -> Result<GrantReport, Error> {
        let root = Path::new(&row.path);
        if row.mode != TrustMode::Whole {
            return self.revoke_texts(built, root, &[]);
        }
        // What it may do is recorded for the work tree that holds it.
        let trees = rows.iter().filter(|row| row.mode == TrustMode::Pinned).map(|row| Path::new(&row.path));
        let tree = trees.filter(|tree| root.starts_with(tree)).max_by_key(|tree| tree.as_os_str().len());
        self.revoke_whole(built, root, tree.unwrap_or(root))
    }

    fn revoke_whole(&self, built: &BuildResult, root: &Path, tree: &Path) -> Result<GrantReport, Error> {
        let report = self.store(built)?.for_project(root).decline(root, None)?;
        let store = self.store(built)?.for_project(tree);
        let permissions = store.revoke_permissions(tree)?;
        Ok(GrantReport {
            path: root.to_owned(),
            added: report.change.was_whole.then(|| (root.display().to_string(), 0)).into_iter().collect(),
            permissions: subjects([&report.change, &permissions.change]),
            audit: report.audit.into_iter().chain(permissions.audit).collect(),
            ..GrantReport::default()
        })
    }

    /// Takes back the grants of some texts, or of all where none is named.
    fn revoke_texts(&self, built: &BuildResult, root: &Path, pins: &[PinPath]) -> Result<GrantReport, Error> {
        let store = self.store(built)?.for_project(root);
        let pins = (!pins.is_empty()).then_some(pins);
        let TrustReport { change, audit } = store.revoke_pins(root, pins)?;
        Ok(GrantReport {
            path: root.to_owned(),
            added: change.texts.iter().map(|pin| (pin.shown_in(root), 0)).collect(),
            permissions: subjects([&change]),
            branches: change.branches,
            audit,
            ..GrantReport::default()
        })
    }

    /// Opens the trust store of a build.
    ///
    /// # Errors
    /// There is no directory to keep one in.
    pub fn store(&self, built: &BuildResult) -> Result<TrustStore<'_>, Error> {
        match &built.store {
            Some(file) => Ok(TrustStore::at(self.system(), file.clone())),
            None => Err(consent::no_store(self.system(), &built.places)),
        }
    }
}

/// Refuses paths where texts are not granted one by one.
pub(crate) fn check_paths(mode: TrustMode, profile: &str, paths: &[PathBuf]) -> Result<(), Error> {
    if mode != TrustMode::Whole || paths.is_empty() {
        return Ok(());
    }
    let what = format!("the profile `{profile}` trusts a project as a whole, and no single files");
    Err(Error::Usage(what, Some("leave out the paths".into())))
}

/// Returns the files of a project that could not be read: a grant of the whole project would include them
/// unseen.
pub(crate) fn unknown_to_grants(built: &BuildResult) -> impl Iterator<Item = &UnreadFile> {
    built
        .unread
        .iter()
        .filter(|file| file.kind.requires(TrustMode::Whole) == Requirement::ProjectGrant && file.is_unknown())
}

/// Returns the subjects of permissions that were revoked, each once.
fn subjects<'c>(changes: impl IntoIterator<Item = &'c TrustChange>) -> Vec<String> {
    let permissions = changes.into_iter().flat_map(|change| &change.permissions);
    let subjects: BTreeSet<String> = permissions.map(|permission| permission.subject.clone()).collect();
    subjects.into_iter().collect()
}
