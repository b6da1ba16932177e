//! The trust of a project before any of its files is read: the recorded decision, and the gate for reads.

use crate::{
    Engine, Error,
    build_options::{BuildOptions, TrustChoice},
    input::load_profile::LoadedProfile,
};
use jiff::Timestamp;
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy, Severity},
    lint::hidden::escape_hidden,
    profile::{Profile, ScaffoldTrigger},
    scope::Scope,
    settings::MergedSettings,
    trust::{Requirement, Trust, TrustMode},
};
use preface_host::{
    places::{Places, absolute},
    provider::{
        context::{
            Confirm, DENIED, DENIED_HELP, FILE_VARIABLES_LIMIT, Headless, NOT_TRUSTED, ProviderContext,
            project_directory_outside,
        },
        git,
    },
    system::{FileKind, System, is_open},
    trust::{
        GrantState, PinPath, RootRecord, StoreKind, TrustStore,
        gate::{AdmittedText, Consent, Gate},
        store_file, trust_evaluated, trusted_once,
    },
};
use std::{
    cell::{Cell, RefCell},
    path::{Path, PathBuf},
};

/// The help for a project that changed since it was trusted as a whole.
const CHANGED_HELP: &str =
    "it takes effect all the same: this profile trusts a project as a whole; accept the new state";

/// Asks a person about trust, or does not.
pub trait Ask: Confirm {
    /// Asks whether a project is trusted. Returns `None` if no user can be asked.
    fn trust(&self, question: &TrustQuestion) -> Option<TrustAnswer>;

    /// Returns false if it is known that no user can be asked. Then nothing is read for a question.
    fn is_there(&self) -> bool {
        true
    }

    /// Returns this as who answers single questions.
    fn as_confirm(&self) -> &dyn Confirm;
}

impl Ask for Headless {
    fn trust(&self, _question: &TrustQuestion) -> Option<TrustAnswer> {
        None
    }

    fn is_there(&self) -> bool {
        false
    }

    fn as_confirm(&self) -> &dyn Confirm {
        self
    }
}

/// The question whether to trust a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustQuestion {
    /// The canonical path that the answer is about.
    pub path: PathBuf,
    /// The contents of the project, one line each, escaped for display.
    pub contents: Vec<String>,
    /// The texts themselves, for review: name and text.
    pub texts: Vec<(String, String)>,
    /// True where something was trusted before and changed since.
    pub changed: bool,
    /// False if a yes cannot be recorded: the project has something that needs a flag, or that cannot be
    /// read.
    pub can_trust: bool,
}

/// The answer of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustAnswer {
    /// Yes, and remember it.
    Trust,
    /// Yes, this once.
    Once,
    /// No, and do not ask again until something changes.
    Decline,
    /// Stop here.
    Abort,
}

/// Returns the path of the trust store of this turn; `None` if there is no directory for one.
#[must_use]
pub fn store_path(system: &dyn System, profile: &Profile, places: &Places) -> Option<PathBuf> {
    // A profile that scaffolds its own home keeps its trust there too; all others share one store.
    let kind = match profile.scaffold.when {
        ScaffoldTrigger::Discover => StoreKind::Global(places.global.as_deref()),
        ScaffoldTrigger::Init => StoreKind::State,
    };
    store_file(kind, system)
}

/// Opens a trust store to ask about a root. One that lies in the work tree around it holds nothing.
pub(crate) fn store_of<'s>(
    system: &'s dyn System,
    file: &Path,
    places: &Places,
    root: &Path,
) -> TrustStore<'s> {
    let tree = git::work_tree_root(system, &places.cwd);
    TrustStore::at(system, file.to_owned()).for_project(tree.as_deref().unwrap_or(root))
}

/// Returns why there is no trust store, for people.
#[must_use]
pub fn why_no_store(system: &dyn System, places: &Places) -> &'static str {
    if places.home.is_some() || absolute(system, "PREFACE_HOME").is_some() {
        "your home directory lies inside of the project and is not trusted as it is"
    } else {
        "neither PREFACE_HOME nor a home directory is set"
    }
}

/// Returns the error of a decision that no store can take.
pub(crate) fn no_store(system: &dyn System, places: &Places) -> Error {
    let what = format!("there is no directory to keep trust in: {}", why_no_store(system, places));
    Error::Trust(what, Some("set PREFACE_HOME to a directory outside of the project".into()))
}

/// Returns the root that pins are about: the git work tree that holds the cwd, else the cwd.
#[must_use]
pub fn pin_root(system: &dyn System, cwd: &Path) -> PathBuf {
    git::work_tree_root(system, cwd)
        .unwrap_or_else(|| system.canonical(cwd).unwrap_or_else(|_| cwd.to_owned()))
}

/// Returns the canonical project directory, if there is one.
#[must_use]
pub fn layer_root(system: &dyn System, places: &Places) -> Option<PathBuf> {
    let root = places.project.as_ref()?;
    system.stat(root).filter(|stat| stat.kind == FileKind::Dir)?;
    system.canonical(root).ok()
}

/// Returns what is recorded for a root. What is wrong with the store is reported where the gate is opened.
pub(crate) fn recorded(
    system: &dyn System,
    store: Option<&Path>,
    places: &Places,
    root: &Path,
) -> RootRecord {
    let store = store.map(|file| store_of(system, file, places, root));
    store.map(|store| store.load(&mut Diagnostics::new()).root(root)).unwrap_or_default()
}

/// The access to a project: its gate, and its trust state.
#[derive(Debug)]
pub(crate) struct ProjectAccess {
    /// The directories of the request; without the project's where that one leads out of the project.
    pub places: Places,
    pub gate: Gate,
    pub trust: Trust,
    /// The canonical project directory, where trust is about it as a whole and it is left out.
    pub untrusted_layer: Option<PathBuf>,
    /// The grant of the project as a whole, if there is one.
    pub granted: Option<GrantedProject>,
    /// The time of the user's last decline or revocation; `None` if a grant followed it.
    pub refused_at: Option<Timestamp>,
    pub diagnostics: Diagnostics,
    pub audit: Vec<AuditEvent>,
}

impl ProjectAccess {
    fn new(loaded: &LoadedProfile, gate: Gate, trust: Trust) -> Self {
        ProjectAccess {
            places: loaded.places.clone(),
            gate,
            trust,
            untrusted_layer: None,
            granted: None,
            refused_at: None,
            diagnostics: Diagnostics::new(),
            audit: Vec::new(),
        }
    }

    /// Returns a view of the machine through this gate, without settings, tools and entries.
    pub(crate) fn context<'a>(
        &'a self,
        engine: &Engine<'a>,
        loaded: &'a LoadedProfile,
        settings: &'a MergedSettings,
    ) -> ProviderContext<'a> {
        ProviderContext {
            system: engine.system(),
            turn: &loaded.turn,
            places: &self.places,
            bundle: loaded.profile.bundle.as_deref(),
            given: &loaded.given,
            roots: loaded.roots.as_deref(),
            bounds: &loaded.bounds,
            gate: &self.gate,
            settings,
            confirm: &Headless,
            granted: None,
            diagnostics: RefCell::default(),
            skill_paths: &[],
            sections: &loaded.profile.sections,
            servers: &[],
            bom: loaded.profile.bom,
            file_room: Cell::new(FILE_VARIABLES_LIMIT),
        }
    }
}

/// The grant of a project as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GrantedProject {
    /// The canonical directory of the project.
    pub root: PathBuf,
    /// With the texts that a build used when it was granted.
    pub record: RootRecord,
}

impl GrantedProject {
    /// Reports the files that changed since the grant, those that it did not cover, and those that are gone.
    pub fn changed(&self, system: &dyn System, places: &Places, admitted: &[AdmittedText]) -> Diagnostics {
        let report = |shown: &str, what: &str, help: &str| {
            Diagnostic::warning(DiagnosticCode::TrustChanged, format!("{shown} {what}"))
                .help(Remedy::command(help, "trust grant"))
                .at(Place::file(Some(Scope::Project), shown))
        };
        let changed = admitted.iter().filter_map(|text| {
            match self.record.state(&covered_path(&self.root, text)?, &text.digest) {
                GrantState::Granted => None,
                GrantState::Changed => {
                    Some(report(&text.shown, "changed since you trusted the project", CHANGED_HELP))
                }
                GrantState::New => {
                    let what = "is included, and was not part of what you trusted";
                    Some(report(&text.shown, what, "look at it, then trust it"))
                }
            }
        });
        let files = self.record.texts().map(|(path, _)| path.resolve(&self.root));
        let gone = files.filter(|file| system.link_stat(file).is_none());
        let gone = gone
            .map(|file| report(&places.shown(&file), "is gone since you trusted the project", CHANGED_HELP));
        changed.chain(gone).collect()
    }
}

/// Returns the path of a text that a grant of the project as a whole is about; `None` for others.
fn covered_path(root: &Path, text: &AdmittedText) -> Option<PinPath> {
    let is_covered = text.kind.requires(TrustMode::Whole) == Requirement::ProjectGrant;
    is_covered.then(|| PinPath::new(root, &text.path).ok())?
}

impl Engine<'_> {
    /// Opens the gate of a request's project, as far as it is trusted, without asking the user. `consent` is
    /// given while a grant is being made.
    ///
    /// # Errors
    /// Pins of the caller that cannot be read.
    pub(crate) fn open_gate(
        &self,
        request: &BuildOptions,
        loaded: &LoadedProfile,
        consent: Option<Consent>,
    ) -> Result<ProjectAccess, Error> {
        let by_root = consent.is_none() && request.trust == TrustChoice::Roots;
        let consent = consent.unwrap_or(match request.trust {
            TrustChoice::Ask | TrustChoice::Require => Consent::Recorded,
            TrustChoice::Once => request.shown.clone().map_or(Consent::Once, Consent::Shown),
            TrustChoice::Roots => Consent::Once,
            TrustChoice::Deny => Consent::Deny,
        });
        let open = |consent| match loaded.profile.trust {
            TrustMode::None | TrustMode::Pinned => self.pinned(request, loaded, consent),
            TrustMode::Whole => Ok(self.whole(loaded, consent)),
        };
        let mut access = open(consent)?;
        if by_root && access.refused_at.is_some() {
            access = open(Consent::Recorded)?;
        }
        if !self.starts_programs() {
            access.gate = access.gate.without_programs();
        }
        if loaded.profile.trust != TrustMode::Whole
            && let roots = loaded.roots.as_deref()
            && let Some(diagnostic) =
                project_directory_outside(self.system(), &loaded.places, &loaded.bounds, roots)
        {
            access.diagnostics.push(diagnostic);
            access.places.project = None;
        }
        Ok(access)
    }

    /// Opens the gate of a project whose files are granted one by one: all, or those that configure.
    fn pinned(
        &self,
        request: &BuildOptions,
        loaded: &LoadedProfile,
        consent: Consent,
    ) -> Result<ProjectAccess, Error> {
        let mode = loaded.profile.trust;
        let places = &loaded.places;
        // Where nothing can need a grant, and no program can start, no repository is looked for.
        let has_grants = mode == TrustMode::Pinned
            || layer_root(self.system(), places).is_some()
            || places
                .global
                .as_ref()
                .is_some_and(|dir| self.system().stat(&dir.join("extensions")).is_some())
            || places.cwd.ancestors().any(|dir| is_open(self.system(), dir));
        let root = if has_grants { pin_root(self.system(), &places.cwd) } else { places.cwd.clone() };
        let mut diagnostics = Diagnostics::new();
        let mut pins = match &loaded.store {
            Some(file) if has_grants && consent != Consent::Deny => {
                let store = TrustStore::at(self.system(), file.to_owned()).for_project(&root);
                let records = store.load(&mut diagnostics);
                if mode == TrustMode::None && records.lies_inside(&root) {
                    diagnostics.clear();
                } else if records.lies_inside(&root) {
                    // Nobody's fault where the home directory is worked in; writing is an error all the same.
                    let shown = |path: &Path| escape_hidden(&path.display().to_string()).into_owned();
                    let (file, root) = (shown(file), shown(&root));
                    diagnostics = vec![Diagnostic::info(
                        DiagnosticCode::TrustScopeViolation,
                        format!("nothing can be granted here: the trust store {file} lies inside of {root}"),
                    )];
                }
                records.root(&root)
            }
            _ => RootRecord::default(),
        };
        if let Some(bytes) = request.pins.as_deref() {
            pins.join(RootRecord::from_export(bytes).map_err(|error| Error::Trust(error.to_string(), None))?);
        }
        let (trust, audit) = match mode {
            TrustMode::None => (Trust::Trusted, Vec::new()),
            _ => state_of(&consent, &root, pins.trust()),
        };
        let refused_at = pins.refused_at();
        let gate = Gate::new(mode, consent, root, pins, true);
        Ok(ProjectAccess { refused_at, diagnostics, audit, ..ProjectAccess::new(loaded, gate, trust) })
    }

    fn whole(&self, loaded: &LoadedProfile, consent: Consent) -> ProjectAccess {
        let places = &loaded.places;
        let gate = |root: &Path, is_used: bool| {
            Gate::new(TrustMode::Whole, consent.clone(), root.to_owned(), RootRecord::default(), is_used)
        };
        let Some(root) = layer_root(self.system(), places) else {
            return ProjectAccess::new(loaded, gate(&places.cwd, false), Trust::Untrusted);
        };
        let mut diagnostics = Diagnostics::new();
        let store = loaded.store.as_ref();
        let store = store.map(|file| store_of(self.system(), file, places, &root));
        let record = store.map(|store| store.load(&mut diagnostics).root(&root)).unwrap_or_default();
        let mut granted =
            record.is_whole().then(|| GrantedProject { root: root.clone(), record: record.clone() });
        if consent != Consent::Recorded {
            diagnostics.clear();
            granted = None;
        }
        let refused_at = record.refused_at();
        let recorded = match record.trust() {
            _ if granted.is_some() => Trust::Trusted,
            // Grants of single texts say nothing about the whole.
            Trust::Trusted => Trust::Untrusted,
            decided => decided,
        };
        let (trust, mut audit) = state_of(&consent, &root, recorded);
        if let Consent::Shown(_) = consent {
            audit.push(trust_evaluated(&root, trust));
        }
        let is_used = matches!(trust, Trust::Trusted | Trust::Once);
        if !is_used {
            let shown = places.shown(&root);
            let left_out = |severity: Severity, why: &str| {
                Diagnostic::left_out(severity, DiagnosticCode::TrustUntrusted, &shown, why)
            };
            let diagnostic =
                match (&consent, trust) {
                    (Consent::Deny, _) => left_out(Severity::Info, DENIED).help(DENIED_HELP),
                    (_, Trust::Declined) => left_out(Severity::Info, "you declined it")
                        .help(Remedy::grant("trust it to change that")),
                    _ => left_out(Severity::Warning, NOT_TRUSTED)
                        .help(Remedy::grant("look at it, then trust it")),
                };
            diagnostics.push(diagnostic.at(Place::file(Some(Scope::Project), shown)));
        }
        let access = ProjectAccess::new(loaded, gate(&root, is_used), trust);
        let untrusted_layer = (!is_used).then_some(root);
        ProjectAccess { untrusted_layer, granted, refused_at, diagnostics, audit, ..access }
    }
}

/// Returns the state of a project under a consent, and the events of the look-up.
fn state_of(consent: &Consent, root: &Path, recorded: Trust) -> (Trust, Vec<AuditEvent>) {
    match consent {
        Consent::Once | Consent::Shown(_) => (Trust::Once, vec![trusted_once(root)]),
        Consent::Recorded => (recorded, vec![trust_evaluated(root, recorded)]),
        // As if it were trusted already: what its texts name must be seen, too.
        Consent::Granting(_) | Consent::Linting => (Trust::Trusted, Vec::new()),
        Consent::Deny => (Trust::Untrusted, Vec::new()),
    }
}
