//! Trust before anything of a project is read: what is recorded, who is asked, what is held.

use crate::{
    Engine, Error, Writes,
    coverage::{HiddenText, without_hidden},
    grant::unknown_to_grants,
    request::{Request, TrustChoice},
};
use jiff::Timestamp;
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, Diagnostics, Place},
    profile::{Profile, ScaffoldWhen},
    scope::Scope,
    trust::{Trust, TrustMode},
};
use preface_host::{
    gate::{AdmittedText, Belongs, Consent, Gate},
    look::{Confirm, DENIED, DENIED_HELP, Headless},
    places::{Places, absolute},
    provider::git,
    system::{FileKind, System},
    trust::{
        Decision, Dirs, GrantedText, PinPath, Pins, StoreKind, Summary, TrustStore, audit, is_digested,
        quoted, store_file, whole_digest,
    },
};
use std::path::{Path, PathBuf};

/// The code of what changed since a project was trusted as a whole.
pub(crate) const CHANGED: &str = "trust/changed";

/// What to do about a project that changed since it was trusted as a whole.
const CHANGED_HELP: &str = "it takes effect all the same: this profile trusts a project as a whole; `preface trust grant` accepts the \
     new state";

/// Asks a person about trust, or does not.
pub trait Ask: Confirm {
    /// Asks whether a project may speak. `None` where nobody can be asked.
    fn trust(&self, question: &TrustQuestion) -> Option<TrustAnswer>;

    /// False where it is known that nobody can be asked. Then nothing is looked at for a question.
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

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustQuestion {
    /// The canonical path that the answer is about.
    pub path: PathBuf,
    /// What the project would say, one line each, fit to be shown.
    pub contents: Vec<String>,
    /// The texts themselves, for those who want to read before they answer: name and text.
    pub texts: Vec<(String, String)>,
    /// True where something was trusted before and changed since.
    pub changed: bool,
    /// False where a yes cannot be recorded: what is asked about has something that takes a flag, or that nobody can read.
    pub can_trust: bool,
}

/// What they answer.
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

/// Where the trust store of this turn is; `None` where there is no directory to keep one in.
#[must_use]
pub fn store_path(system: &dyn System, profile: &Profile, places: &Places) -> Option<PathBuf> {
    // A profile that scaffolds its own home keeps its trust there too; all others share one store.
    let kind = match profile.scaffold.when {
        ScaffoldWhen::Discover => StoreKind::Global(places.global.as_deref()),
        ScaffoldWhen::Init => StoreKind::State,
    };
    store_file(kind, &Dirs::of(system))
}

/// Returns why there is no trust store, for people.
#[must_use]
pub fn why_no_store(system: &dyn System, places: &Places) -> &'static str {
    if places.home.is_some() || absolute(system, "PREFACE_HOME").is_some() {
        "your home directory lies inside of the project (`--trust-home` uses it as it is)"
    } else {
        "neither PREFACE_HOME nor a home directory is set"
    }
}

/// Returns the error of a decision that no store can take.
pub(crate) fn no_store(system: &dyn System, places: &Places) -> Error {
    Error::Trust(format!("there is no directory to keep trust in: {}", why_no_store(system, places)))
}

/// Returns the root that pins are about (the git work tree that holds the cwd, else the cwd) and its repository.
#[must_use]
pub fn pin_root(system: &dyn System, cwd: &Path) -> (PathBuf, Option<PathBuf>) {
    git::work_tree(system, cwd)
        .unwrap_or_else(|| (system.canonical(cwd).unwrap_or_else(|_| cwd.to_owned()), None))
}

/// Returns the canonical project directory, where there is one.
#[must_use]
pub fn layer_root(system: &dyn System, places: &Places) -> Option<PathBuf> {
    let root = places.project.as_ref()?;
    system.stat(root).filter(|stat| stat.kind == FileKind::Dir)?;
    system.canonical(root).ok()
}

/// Returns whether the user trusts a directory as a whole, by its canonical path.
pub(crate) fn is_trusted_as_a_whole(system: &dyn System, store: Option<&Path>, dir: &Path) -> bool {
    store.is_some_and(|file| {
        let store = TrustStore::at(system, file.to_owned()).for_project(dir);
        // What is wrong with the store is reported where texts are trusted.
        let record = store.load(&mut Diagnostics::new()).whole(dir);
        record.is_some_and(|record| record.decision == Decision::Trusted)
    })
}

/// A gate, and what stands for the project layer as a whole.
pub(crate) struct Opened {
    pub gate: Gate,
    pub trust: Trust,
    /// The canonical project directory, where trust is about it as a whole and it is held.
    pub held_layer: Option<PathBuf>,
    /// What the grant of a project as a whole covers beside its digest, where that stands.
    pub granted: Option<GrantedProject>,
    /// When the user declined this project or took a grant back last; `None` where that does not stand.
    pub refused_at: Option<Timestamp>,
}

/// The texts that a grant of a project as a whole covers beside its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GrantedProject {
    /// The canonical directory of the project.
    pub root: PathBuf,
    /// `None` where the grant did not record them.
    pub texts: Option<Vec<GrantedText>>,
}

impl GrantedProject {
    /// Returns the texts among these that the digest of a project as a whole does not cover, as a grant records them.
    pub fn texts_of(root: &Path, admitted: &[AdmittedText]) -> Vec<GrantedText> {
        let beside = |text: &&AdmittedText| {
            text.belongs == Belongs::ToLayer && !text.path.strip_prefix(root).is_ok_and(is_digested)
        };
        let granted = |text: &AdmittedText| {
            let path = PinPath::new(root, &text.path).ok()?;
            Some(GrantedText { path, digest: text.digest })
        };
        admitted.iter().filter(beside).filter_map(granted).collect()
    }

    /// Reports the texts that changed since the grant, and those that it did not cover.
    pub fn changed(&self, admitted: &[AdmittedText]) -> Diagnostics {
        let Some(granted) = &self.texts else { return Diagnostics::new() };
        let note = |text: &AdmittedText| {
            let one = GrantedProject::texts_of(&self.root, std::slice::from_ref(text)).pop()?;
            let known = granted.iter().find(|granted| granted.path == one.path);
            let shown = text.shown.as_str();
            let note = match known {
                Some(known) if known.digest == one.digest => return None,
                Some(_) => {
                    let what = format!("{shown} changed since you trusted the project");
                    Diagnostic::warning(CHANGED, what).help(CHANGED_HELP)
                }
                None => {
                    let what = format!("{shown} is included, and was not part of what you trusted");
                    let follow = if text.path.starts_with(&self.root) {
                        String::new()
                    } else {
                        format!(" --follow {}", quoted(&text.path.display().to_string()))
                    };
                    Diagnostic::warning("trust/unrecorded", what)
                        .help(format!("look at it, then `preface trust grant{follow}`"))
                }
            };
            Some(note.at(Place::file(Some(Scope::Project), shown)))
        };
        admitted.iter().filter_map(note).collect()
    }
}

/// Everything that the opening of the gate depends on.
pub(crate) struct Gatekeeper<'a> {
    pub engine: &'a Engine<'a>,
    pub request: &'a Request,
    pub mode: TrustMode,
    pub store: Option<&'a Path>,
    pub places: &'a Places,
    pub ask: &'a dyn Ask,
}

impl Gatekeeper<'_> {
    fn system(&self) -> &dyn System {
        self.engine.system()
    }

    /// Opens the gate. `consent` is given where a grant is being made.
    pub fn open(
        &self,
        consent: Option<Consent>,
        diagnostics: &mut Diagnostics,
        events: &mut Vec<AuditEvent>,
    ) -> Result<Opened, Error> {
        let consent = consent.unwrap_or(match self.request.trust {
            TrustChoice::Ask | TrustChoice::Require => Consent::Recorded,
            TrustChoice::Once => Consent::Once,
            TrustChoice::Deny => Consent::Deny,
        });
        match self.mode {
            TrustMode::None => Ok(Opened {
                gate: Gate::new(self.mode, consent, self.places.cwd.clone(), Pins::default(), true),
                trust: Trust::Trusted,
                held_layer: None,
                granted: None,
                refused_at: None,
            }),
            TrustMode::Pinned => self.pinned(consent, diagnostics, events),
            TrustMode::Whole => self.whole(consent, diagnostics, events),
        }
    }

    fn pinned(
        &self,
        consent: Consent,
        diagnostics: &mut Diagnostics,
        events: &mut Vec<AuditEvent>,
    ) -> Result<Opened, Error> {
        let (root, repository) = pin_root(self.system(), &self.places.cwd);
        let mut pins = match self.store {
            Some(file) if consent != Consent::Deny => {
                let mut notes = Diagnostics::new();
                let store = TrustStore::at(self.system(), file.to_owned()).for_project(&root);
                let records = store.load(&mut notes);
                if records.lies_inside(&root) {
                    // Nobody's fault where the home directory is worked in; writing is an error all the same.
                    let (file, root) = (self.places.shown(file), self.places.shown(&root));
                    notes = vec![Diagnostic::info(
                        "trust/store-inside",
                        format!("nothing can be granted here: the trust store {file} lies inside of {root}"),
                    )];
                }
                diagnostics.append(&mut notes);
                records.pins(&root, repository.as_deref())
            }
            _ => Pins::default(),
        };
        if let Some(bytes) = self.request.pins.as_deref() {
            pins.join(Pins::from_export(bytes).map_err(|error| Error::Trust(error.to_string()))?);
        }
        let trust = match consent {
            Consent::Once => Trust::Once,
            Consent::Deny => Trust::Untrusted,
            // As if it were trusted already: what its texts name must be seen, too.
            Consent::Granting(_) => Trust::Trusted,
            Consent::Recorded => pins.trust(),
        };
        match consent {
            Consent::Once => events.push(audit::once(&root)),
            Consent::Recorded => events.push(audit::evaluated(&root, trust)),
            Consent::Deny | Consent::Granting(_) => {}
        }
        let refused_at = pins.refused_at();
        let gate = Gate::new(self.mode, consent, root, pins, true);
        Ok(Opened { gate, trust, held_layer: None, granted: None, refused_at })
    }

    fn whole(
        &self,
        consent: Consent,
        diagnostics: &mut Diagnostics,
        events: &mut Vec<AuditEvent>,
    ) -> Result<Opened, Error> {
        let gate = |speaks: bool| {
            Gate::new(self.mode, consent.clone(), self.places.cwd.clone(), Pins::default(), speaks)
        };
        let Some(root) = layer_root(self.system(), self.places) else {
            return Ok(Opened {
                gate: gate(false),
                trust: Trust::Untrusted,
                held_layer: None,
                granted: None,
                refused_at: None,
            });
        };
        let mut granted = None;
        let refused = |store: &Path| {
            let store = TrustStore::at(self.system(), store.to_owned()).for_project(&root);
            let record = store.load(&mut Diagnostics::new()).whole(&root)?;
            (record.decision == Decision::Declined).then_some(record.granted_at)
        };
        let refused_at = self.store.and_then(refused);
        let trust = match &consent {
            Consent::Once => {
                events.push(audit::once(&root));
                Trust::Once
            }
            Consent::Granting(_) => Trust::Trusted,
            Consent::Deny => Trust::Untrusted,
            Consent::Recorded => {
                let trust = self.recorded(&root, &mut granted, diagnostics, events)?;
                events.push(audit::evaluated(&root, trust));
                trust
            }
        };
        let speaks = matches!(trust, Trust::Trusted | Trust::Once | Trust::Stale);
        if !speaks {
            let shown = self.places.shown(&root);
            let note = match (&consent, trust) {
                (Consent::Deny, _) => {
                    Diagnostic::info("trust/held", format!("{shown} was held: {DENIED}")).help(DENIED_HELP)
                }
                (_, Trust::Declined) => {
                    Diagnostic::info("trust/held", format!("{shown} was held: you declined it"))
                        .help("`preface trust grant` changes that")
                }
                _ => Diagnostic::warning("trust/held", format!("{shown} was held: you have not trusted it"))
                    .help("look at it, then `preface trust grant`; or `--trust once` for this call"),
            };
            diagnostics.push(note.at(Place::file(Some(Scope::Project), shown)));
        }
        Ok(Opened { gate: gate(speaks), trust, held_layer: (!speaks).then_some(root), granted, refused_at })
    }

    /// What the records say of a project as a whole; a person is asked where they say nothing that still holds.
    fn recorded(
        &self,
        root: &Path,
        granted: &mut Option<GrantedProject>,
        diagnostics: &mut Diagnostics,
        events: &mut Vec<AuditEvent>,
    ) -> Result<Trust, Error> {
        let store = self.store.map(|file| TrustStore::at(self.system(), file.to_owned()).for_project(root));
        let record = store.as_ref().and_then(|store| store.load(diagnostics).whole(root));
        let may_ask = self.request.trust == TrustChoice::Ask && self.ask.is_there();
        // Contents are digested only to compare them with those of a decision; nobody reads an undecided project.
        let digest = || whole_digest(self.system(), root);
        match record {
            Some(record) if record.decision == Decision::Trusted => {
                *granted = Some(GrantedProject { root: root.to_owned(), texts: record.texts.clone() });
                if record.digest.is_none() || !record.changed_since(&digest()) {
                    return Ok(Trust::Trusted);
                }
                diagnostics.push(
                    Diagnostic::warning(
                        CHANGED,
                        format!("{} changed since you trusted it", self.places.shown(root)),
                    )
                    .help(CHANGED_HELP),
                );
                Ok(Trust::Stale)
            }
            Some(record) if !may_ask || record.digest.is_some() && record.declines(&digest()) => {
                Ok(Trust::Declined)
            }
            Some(_) => self.answered(root, store.as_ref(), Trust::Declined, diagnostics, events),
            None if may_ask => self.answered(root, store.as_ref(), Trust::Untrusted, diagnostics, events),
            None => Ok(Trust::Untrusted),
        }
    }

    fn answered(
        &self,
        root: &Path,
        store: Option<&TrustStore<'_>>,
        before: Trust,
        diagnostics: &mut Diagnostics,
        events: &mut Vec<AuditEvent>,
    ) -> Result<Trust, Error> {
        let question = self.question(root);
        let Some(answer) = self.ask.trust(&question) else { return Ok(before) };
        let digest = || whole_digest(self.system(), root);
        let nowhere = || no_store(self.system(), self.places);
        match answer {
            TrustAnswer::Trust if !question.can_trust => Ok(before),
            TrustAnswer::Trust => {
                let report = store
                    .ok_or_else(nowhere)?
                    .grant_whole(root, Some(digest()), None)
                    .map_err(|error| Error::Trust(error.to_string()))?;
                events.extend(report.audit);
                Ok(Trust::Trusted)
            }
            TrustAnswer::Once => {
                events.push(audit::once(root));
                Ok(Trust::Once)
            }
            TrustAnswer::Decline => {
                match store.map(|store| store.decline_contents(root, digest())) {
                    Some(Ok(report)) => events.extend(report.audit),
                    Some(Err(error)) => diagnostics.push(error.diagnostic()),
                    None => {}
                }
                Ok(Trust::Declined)
            }
            TrustAnswer::Abort => Err(Error::Abort),
        }
    }

    /// Asks about a project as a whole: what a grant of it would cover.
    fn question(&self, root: &Path) -> TrustQuestion {
        let engine = self.engine.writing(Writes::Nothing);
        let (mut contents, mut texts, mut can_trust) = (Vec::new(), Vec::new(), true);
        match engine.build_covered(self.request, &[]) {
            Ok((built, coverage)) => {
                let hidden = without_hidden(&built.seen, HiddenText::Refuse).1;
                let is_known = unknown_to_grants(&built).next().is_none();
                can_trust = hidden.is_empty() && is_known;
                contents.extend(coverage.listing.iter().cloned());
                contents.extend(coverage.asked());
                contents.extend(hidden.iter().map(|name| {
                    format!("{name} has hidden text: only `preface trust grant --allow-hidden` trusts it")
                }));
                if !is_known {
                    contents.push("what cannot be read cannot be trusted".to_owned());
                }
                texts.extend(coverage.texts.iter().map(|text| text.file.readable()));
            }
            Err(error) => {
                contents.extend(Summary::of(self.system(), root).to_string().lines().map(str::to_owned));
                contents.push(format!("with a grant no prompt could be built: {error}"));
            }
        }
        TrustQuestion { path: root.to_owned(), contents, texts, changed: false, can_trust }
    }
}
