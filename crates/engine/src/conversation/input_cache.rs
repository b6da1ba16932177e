//! The inputs of earlier builds, for the next request that asks for the same: a service that builds many prompts for one
//! directory reads profile, settings and layers once, and then looks only whether a file changed ([`AccessLog`]).
//!
//! No finished prompt is cached. Instant, conversation and template are those of the new request, and the pure half runs for
//! each, with all variables looked up anew. So a prompt is the same with and without the cache.

use crate::{
    BuildOptions, Engine, Error,
    input::{Inputs, collect::Breadth},
    log::{Loggers, by_hand_over},
};
use preface_core::{hook::DiscoverReason, prompt::Prompt, snapshot::Snapshot, variable::RecordedVariables};
use preface_host::{
    provider::context::Headless,
    system::access_log::{AccessLog, RecordingSystem},
    trust::gate::GateMark,
};
use std::sync::{Mutex, PoisonError};

/// The most entries. An entry in use by one build is not there for another, so several builds for one
/// directory leave several.
const MOST: usize = 64;
/// The most bytes of text in one of them.
const LARGEST: usize = 1 << 20;

/// A prompt and its inputs.
pub(crate) struct BuildContext<'m> {
    pub prompt: Prompt,
    pub snapshot: &'m Snapshot,
    pub inputs: &'m Inputs,
}

/// The cache; the inputs that were used last are at the end.
#[derive(Debug, Default)]
pub(crate) struct InputCache(Mutex<Vec<CachedInputs>>);

#[derive(Debug)]
struct CachedInputs {
    /// The request, without what is new in each.
    key: BuildOptions,
    inputs: Inputs,
    snapshot: Snapshot,
    /// The state of the gate after the inputs were read.
    mark: GateMark,
    access_log: AccessLog,
}

impl InputCache {
    /// Takes out the inputs of such a request.
    fn take(&self, key: &BuildOptions) -> Option<CachedInputs> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = entries.iter().rposition(|cached| cached.key == *key)?;
        Some(entries.remove(at))
    }

    fn put(&self, cached: CachedInputs) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() == MOST {
            entries.remove(0);
        }
        entries.push(cached);
    }
}

impl CachedInputs {
    /// Puts in what is new in a request.
    fn renew(&mut self, engine: &Engine<'_>, request: &BuildOptions) {
        let CachedInputs { inputs, snapshot, mark, .. } = self;
        inputs.forget_after(*mark);
        snapshot.turn.now = engine.instant_now();
        snapshot.turn.conversation.clone_from(&request.conversation);
        snapshot.stored = request.template_text.as_ref().map(crate::TemplateInput::pieces);
        snapshot.variables = RecordedVariables::default();
    }
}

impl Engine<'_> {
    /// Builds as [`Engine::build`] does, from cached inputs where nothing changed. `read` gets the prompt and its inputs.
    ///
    /// # Errors
    /// See [`Error`].
    pub(crate) fn build_cached<T>(
        &self,
        cache: &InputCache,
        request: &BuildOptions,
        read: impl FnOnce(BuildContext<'_>) -> T,
    ) -> Result<T, Error> {
        // A build at another instant, or with templates or declarations of its own, is of no use to the next.
        let declares = request.template_text.as_ref().is_some_and(|template| !template.variables.is_empty());
        let lasts = request.now.is_none() && self.templates().is_none() && !declares;
        let key = BuildOptions { conversation: None, template: None, ..request.clone() };
        if lasts
            && let Some(mut cached) = cache.take(&key)
            && cached.access_log.holds(self.system())
        {
            cached.renew(self, request);
            let CachedInputs { inputs, snapshot, .. } = &mut cached;
            let mut prompt = self.compose(inputs, snapshot, &Headless)?;
            self.refuse_untrusted_in(request, inputs)?;
            self.log(inputs, &snapshot.turn, &mut prompt);
            let made = read(BuildContext { prompt, snapshot, inputs });
            cache.put(cached);
            return Ok(made);
        }
        let recorder = RecordingSystem::new(self.system());
        let engine = self.handing_out();
        let (mut inputs, mut snapshot) =
            engine.on(&recorder).read_and_collect(request, Breadth::Turn, None, &Headless)?;
        let mark = inputs.gate().mark();
        let access_log = recorder.into_access_log().filter(|_| lasts && self.is_lasting(&inputs, &snapshot));
        let reason = DiscoverReason::Startup;
        let mut prompt = engine.first_base(&mut inputs, &mut snapshot, &[], reason, &Headless)?;
        if let Err(refused) = self.refuse_untrusted_in(request, &inputs) {
            self.append(&Loggers::of(&inputs, &snapshot.turn), &by_hand_over(&prompt.audit).1);
            return Err(refused);
        }
        self.log(&inputs, &snapshot.turn, &mut prompt);
        let made = read(BuildContext { prompt, snapshot: &snapshot, inputs: &inputs });
        if let Some(access_log) = access_log {
            cache.put(CachedInputs { key, inputs, snapshot, mark, access_log });
        }
        Ok(made)
    }

    /// Returns whether another build may use the inputs: no program takes part, and the texts are small enough.
    fn is_lasting(&self, inputs: &Inputs, snapshot: &Snapshot) -> bool {
        self.programs(inputs, &snapshot.turn, &Headless).is_empty() && text_bytes(inputs, snapshot) <= LARGEST
    }
}

/// Returns how many bytes the texts have that were collected.
fn text_bytes(inputs: &Inputs, snapshot: &Snapshot) -> usize {
    let files = snapshot.stack.0.iter().flat_map(|layer| layer.files.values().chain(layer.sections.values()));
    let items = snapshot.contributions.iter().flat_map(|from| &from.items).map(|item| &item.pieces);
    let pieces: usize = files.chain(items).flatten().map(|piece| piece.text.len()).sum();
    pieces + inputs.gate().seen().iter().map(|seen| seen.bytes.len()).sum::<usize>()
}
