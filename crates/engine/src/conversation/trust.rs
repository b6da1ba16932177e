//! Decides if a stored prompt may be handed out. Its record lists the project's texts that it was built with; after the user
//! revokes one of them, the prompt is refused. An edit of a file does not change that: the prompt stays as it was built.

use super::{ConversationError, PromptRecord};
use crate::{
    BuildOptions, Engine, TrustChoice,
    input::consent::{ProjectAccess, layer_root, pin_root, recorded},
    input::{Inputs, load_profile::LoadedProfile},
};
use jiff::Timestamp;
use preface_core::{
    audit::AuditEvent,
    diagnostic::Diagnostics,
    profile::{CompactionAction, Rebuild},
    trust::TrustMode,
};
use preface_host::{
    system::{Stat, System},
    trust::{TrustStore, gate::GateVerdict},
};
use preface_store::PromptSummary;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// The refusals by the user that make a stored prompt stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RefusalFilter {
    /// All refusals in force: for a command, on behalf of the user who refused.
    Any,
    /// Refusals after this instant: for a service, where naming a root is the grant, and only a later refusal
    /// revokes it.
    After(Timestamp),
}

impl RefusalFilter {
    fn count(self, at: Option<Timestamp>) -> bool {
        at.is_some_and(|at| match self {
            RefusalFilter::Any => true,
            RefusalFilter::After(instant) => at > instant,
        })
    }
}

/// Returns, as text for people, what of a stored prompt this call would not admit. It is empty if no trust
/// was revoked and the call has no special demands.
pub(super) fn not_admitted(
    system: &dyn System,
    record: &PromptRecord,
    head: &PromptSummary,
    options: &BuildOptions,
    refusals: RefusalFilter,
) -> Result<Vec<String>, ConversationError> {
    let files = &record.project;
    if record.trust == TrustMode::None && options.trust == TrustChoice::Ask {
        return Ok(Vec::new());
    }
    let has_branch =
        record.variables.iter().any(|variable| variable.exists && variable.variable.kind() == "git");
    if files.is_empty() && !has_branch {
        return Ok(Vec::new());
    }
    let request = BuildOptions {
        trust: options.trust,
        pins: options.pins.clone(),
        home_trust: options.home_trust,
        conversation: Some(head.id.to_string()),
        ..record.options.clone()
    };
    let engine = Engine::new(system);
    let loaded = engine.load_profile(&request);
    let access = loaded.and_then(|loaded| engine.open_gate(&request, &loaded, None));
    let Ok(ProjectAccess { gate, refused_at, .. }) = access else {
        // A stored prompt asks no question. A caller that requires trust gets no unknown text.
        let insists = matches!(options.trust, TrustChoice::Deny | TrustChoice::Require);
        let all = files.iter().map(|file| file.shown.clone());
        return Ok(if insists { all.collect() } else { Vec::new() });
    };
    if options.trust == TrustChoice::Ask && !refusals.count(refused_at) {
        return Ok(Vec::new());
    }
    let untrusted = files.iter().filter(|file| gate.verdict(file) != GateVerdict::Included);
    let mut untrusted: Vec<String> = untrusted.map(|file| file.shown.clone()).collect();
    if has_branch && !gate.allows_repository_text() {
        untrusted.push("git:branch".to_owned());
    }
    Ok(untrusted)
}

/// Returns when the user last declined the project of a build, or took a grant back.
pub(super) fn refused_at(system: &dyn System, inputs: &Inputs) -> Option<Timestamp> {
    let (places, store) = (inputs.places(), inputs.loaded.store.as_deref());
    let refused = |root: PathBuf| recorded(system, store, places, &root).refused_at();
    refused(pin_root(system, &places.cwd)).max(layer_root(system, places).and_then(refused))
}

/// Appends the contributions of a stored prompt to the loggers that may write under the current grants,
/// because it is used again.
pub(super) fn log_handed_out(
    engine: &Engine<'_>,
    record: &PromptRecord,
    head: &PromptSummary,
    options: &BuildOptions,
) -> Diagnostics {
    let made = |event: &&AuditEvent| matches!(event, AuditEvent::ContextContributionMade { .. });
    let mut events: Vec<AuditEvent> = record.prompt.audit.iter().filter(made).cloned().collect();
    let conversation = Some(head.id.to_string());
    let request = BuildOptions { trust: options.trust, conversation, ..record.options.clone() };
    engine.log_under_grants(&request, &mut events, |turn| turn.conversation.clone().unwrap_or_default())
}

/// A cache of the profiles of conversations and of the refusals on this node. A service returns thousands of
/// prompts a second; each needs no more than the state of one file.
#[derive(Debug, Default)]
pub(super) struct TrustWatch {
    profiles: Mutex<BTreeMap<String, ProfileTrust>>,
    stores: Mutex<BTreeMap<PathBuf, TrustStoreState>>,
}

/// The state of a trust store, and when it last recorded a decline or a revocation.
type TrustStoreState = (Option<Stat>, Option<Timestamp>);

/// The settings of a profile that are needed between turns.
#[derive(Clone, Debug, Default)]
pub(super) struct ProfileTrust {
    pub rebuild: Rebuild,
    pub compaction: CompactionAction,
    store: Option<PathBuf>,
}

impl TrustWatch {
    /// Returns the settings of a prompt's profile that are needed between turns; the last known ones if it cannot be read any more.
    pub fn profile(&self, system: &dyn System, head: &PromptSummary) -> ProfileTrust {
        let mut known = self.profiles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(variables) = known.get(&head.preset) {
            return variables.clone();
        }
        let request = BuildOptions {
            cwd: Some(PathBuf::from(&head.cwd)),
            preset: Some(head.preset.clone()),
            ..BuildOptions::default()
        };
        let Ok(LoadedProfile { profile, store, .. }) = Engine::new(system).load_profile(&request) else {
            return ProfileTrust::default();
        };
        let compaction = profile.compaction.prompt;
        let variables = ProfileTrust { rebuild: profile.rebuild, compaction, store };
        known.insert(head.preset.clone(), variables.clone());
        variables
    }

    /// Returns whether this node recorded a decline or a revocation, of whichever project, after an instant.
    pub fn refused_after(&self, system: &dyn System, profile: &ProfileTrust, instant: Timestamp) -> bool {
        let Some(file) = &profile.store else { return false };
        self.latest(system, file).is_some_and(|latest| latest > instant)
    }

    fn latest(&self, system: &dyn System, file: &Path) -> Option<Timestamp> {
        let stat = system.stat(file);
        let mut known = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, latest)) = known.get(file)
            && *before == stat
        {
            return *latest;
        }
        let records = TrustStore::at(system, file.to_owned()).load(&mut Diagnostics::new());
        let latest = records.refused_at();
        known.insert(file.to_owned(), (stat, latest));
        latest
    }
}
