//! Trust before anything of a project is read: what is recorded, who is asked, what is held (seed 000, DESIGN §7.1).

use crate::{Error, request::TrustChoice};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, Diagnostics},
    profile::{Profile, ScaffoldWhen},
    trust::{Trust, TrustMode},
};
use preface_host::{
    gate::{Consent, Gate},
    look::Confirm,
    places::Places,
    provider::git,
    system::{FileKind, System},
    trust::{Dirs, Pins, StoreKind, Summary, TrustStore, WholeDecision, store_file, whole_digest},
};
use std::path::{Path, PathBuf};

/// Asks a person about trust, or does not.
pub trait Ask: Confirm {
    /// Asks whether a project may speak. `None` where nobody can be asked.
    fn trust(&self, question: &TrustQuestion) -> Option<TrustAnswer>;

    /// Returns this as who answers single questions.
    fn as_confirm(&self) -> &dyn Confirm;
}

impl Ask for preface_host::look::Headless {
    fn trust(&self, _question: &TrustQuestion) -> Option<TrustAnswer> {
        None
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
    /// What the project would say, one line each.
    pub contents: Vec<String>,
    /// The texts themselves, for those who want to read before they answer: name and text.
    pub texts: Vec<(String, String)>,
    /// True where something was trusted before and changed since.
    pub changed: bool,
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

/// Where the trust store of this turn is.
#[must_use]
pub fn store_path(system: &dyn System, profile: &Profile, places: &Places) -> Option<PathBuf> {
    // A profile that scaffolds its own home keeps its trust there too; all others share one store.
    let kind = match (profile.scaffold.when, &places.global) {
        (ScaffoldWhen::Discover, Some(global)) => StoreKind::Global(global.clone()),
        _ => StoreKind::State { global: places.global.clone() },
    };
    store_file(&kind, &Dirs::of(system))
}

/// What a gate is opened for: the root that pins are about.
#[must_use]
pub fn pin_root(system: &dyn System, cwd: &Path) -> (PathBuf, Option<PathBuf>) {
    let root = git::work_tree_root(system, cwd)
        .or_else(|| system.canonical(cwd).ok())
        .unwrap_or_else(|| cwd.to_owned());
    (root, git::common_dir(system, cwd))
}

/// A gate, and what stands for the project layer as a whole.
pub struct Opened {
    /// The gate.
    pub gate: Gate,
    /// What the user said about the project layer.
    pub trust: Trust,
    /// The canonical project directory, where trust is about it as a whole and nobody granted it.
    pub held_layer: Option<PathBuf>,
}

/// Opens the gate for one turn.
///
/// # Errors
/// The user aborts, or their answer cannot be recorded.
#[allow(clippy::too_many_arguments)] // each is one thing that trust depends on
pub fn open(
    system: &dyn System,
    mode: TrustMode,
    store: Option<&Path>,
    places: &Places,
    choice: TrustChoice,
    pins: Option<&[u8]>,
    consent: Option<Consent>,
    ask: &dyn Ask,
    diagnostics: &mut Diagnostics,
    audit: &mut Vec<AuditEvent>,
) -> Result<Opened, Error> {
    let consent = consent.unwrap_or(match choice {
        TrustChoice::Ask | TrustChoice::Require => Consent::Recorded,
        TrustChoice::Once => Consent::Once,
        TrustChoice::Deny => Consent::Deny,
    });
    match mode {
        TrustMode::None => Ok(Opened {
            gate: Gate::new(mode, consent, places.cwd.clone(), Pins::default(), true),
            trust: Trust::Trusted,
            held_layer: None,
        }),
        TrustMode::Pinned => {
            let (root, repository) = pin_root(system, &places.cwd);
            let mut known = match store {
                Some(file) if consent != Consent::Deny => {
                    TrustStore::at(system, file.to_owned()).load(diagnostics).pins(&root, repository.as_deref())
                }
                _ => Pins::default(),
            };
            if let Some(bytes) = pins {
                let given = Pins::from_export(bytes).map_err(|error| Error::Trust(error.to_string()))?;
                known = known.with(given);
            }
            let trust = match consent {
                Consent::Once => Trust::Once,
                _ if known.any() => Trust::Trusted,
                _ => Trust::Untrusted,
            };
            if consent == Consent::Once {
                audit.push(AuditEvent::ProjectTrustOnce { canonical_path: root.display().to_string() });
            }
            Ok(Opened { gate: Gate::new(mode, consent, root, known, true), trust, held_layer: None })
        }
        TrustMode::Whole => whole(system, store, places, choice, consent, ask, diagnostics, audit),
    }
}

#[allow(clippy::too_many_arguments)] // see `open`
fn whole(
    system: &dyn System,
    store: Option<&Path>,
    places: &Places,
    choice: TrustChoice,
    consent: Consent,
    ask: &dyn Ask,
    diagnostics: &mut Diagnostics,
    audit: &mut Vec<AuditEvent>,
) -> Result<Opened, Error> {
    let gate = |speaks: bool, consent: Consent| {
        Gate::new(TrustMode::Whole, consent, places.cwd.clone(), Pins::default(), speaks)
    };
    let root = places.project.as_ref().filter(|root| system.stat(root).is_some_and(|stat| stat.kind == FileKind::Dir));
    let Some(canonical) = root.and_then(|root| system.canonical(root).ok()) else {
        return Ok(Opened { gate: gate(false, consent), trust: Trust::Untrusted, held_layer: None });
    };
    let path = canonical.display().to_string();
    let mut trust = Trust::Untrusted;
    match &consent {
        Consent::Once => {
            audit.push(AuditEvent::ProjectTrustOnce { canonical_path: path.clone() });
            trust = Trust::Once;
        }
        Consent::Granting(_) => trust = Trust::Trusted,
        Consent::Deny => {}
        Consent::Recorded => {
            let digest = whole_digest(system, &canonical);
            let records = store.map(|file| TrustStore::at(system, file.to_owned()).load(diagnostics));
            let record = records.as_ref().and_then(|records| records.whole(&canonical));
            match record.map(|record| (record.decision, record.digest)) {
                Some((WholeDecision::Trusted, known)) => {
                    trust = Trust::Trusted;
                    if known.is_some_and(|known| known != digest) {
                        trust = Trust::Stale;
                        diagnostics.push(
                            Diagnostic::warning("trust/changed", format!("{} changed since you trusted it", places.shown(&canonical)))
                                .help("it takes effect all the same: this profile trusts a project as a whole. `preface trust grant` accepts the new state"),
                        );
                    }
                }
                Some((WholeDecision::Declined, known)) => {
                    trust = Trust::Declined;
                    if choice == TrustChoice::Ask && known != Some(digest) {
                        trust = answer(system, store, &canonical, digest, false, ask, trust, diagnostics, audit)?;
                    }
                }
                None if choice == TrustChoice::Ask => {
                    trust = answer(system, store, &canonical, digest, false, ask, trust, diagnostics, audit)?;
                }
                None => {}
            }
            audit.push(AuditEvent::TrustDecision { canonical_path: path, decision: trust.to_string() });
        }
    }
    let speaks = matches!(trust, Trust::Trusted | Trust::Once | Trust::Stale);
    if !speaks {
        let shown = places.shown(&canonical);
        let note = match consent {
            Consent::Deny => Diagnostic::info("trust/held", format!("{shown} was held: this call denies the project")),
            _ if trust == Trust::Declined => {
                Diagnostic::info("trust/held", format!("{shown} was held: you declined it"))
                    .help("`preface trust grant` changes that")
            }
            _ => Diagnostic::warning("trust/held", format!("{shown} was held: you have not trusted it"))
                .help("look at it, then `preface trust grant`; or `--trust once` for this call"),
        };
        diagnostics.push(note);
    }
    Ok(Opened { gate: gate(speaks, consent), trust, held_layer: (!speaks).then_some(canonical) })
}

#[allow(clippy::too_many_arguments)] // see `open`
fn answer(
    system: &dyn System,
    store: Option<&Path>,
    canonical: &Path,
    digest: preface_host::trust::Digest,
    changed: bool,
    ask: &dyn Ask,
    before: Trust,
    diagnostics: &mut Diagnostics,
    audit: &mut Vec<AuditEvent>,
) -> Result<Trust, Error> {
    let summary = Summary::of(system, canonical);
    let question = TrustQuestion {
        path: canonical.to_owned(),
        contents: summary.lines(),
        texts: Vec::new(),
        changed,
    };
    let Some(answer) = ask.trust(&question) else { return Ok(before) };
    let path = canonical.display().to_string();
    let store = store.map(|file| TrustStore::at(system, file.to_owned()));
    let record = |decision: WholeDecision| match &store {
        Some(store) => store.record_whole(canonical, decision, Some(digest)).map_err(|error| Error::Trust(error.to_string())),
        None => Err(Error::Trust("there is no directory to keep trust in: set PREFACE_HOME".to_owned())),
    };
    match answer {
        TrustAnswer::Trust => {
            record(WholeDecision::Trusted)?;
            audit.push(AuditEvent::ProjectTrusted { canonical_path: path });
            Ok(Trust::Trusted)
        }
        TrustAnswer::Once => {
            audit.push(AuditEvent::ProjectTrustOnce { canonical_path: path });
            Ok(Trust::Once)
        }
        TrustAnswer::Decline => {
            if let Err(error) = record(WholeDecision::Declined) {
                diagnostics.push(Diagnostic::warning("Session/TrustStoreUnavailable", error.to_string()));
            }
            audit.push(AuditEvent::ProjectDeclined { canonical_path: path });
            Ok(Trust::Declined)
        }
        TrustAnswer::Abort => Err(Error::Abort),
    }
}
