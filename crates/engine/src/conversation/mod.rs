//! Conversations: the prompt is built once and sent with each request. It is built again by a compaction or a refresh, and
//! for the other reasons that the profile names (`rebuild`).
//!
//! A [`Conversation`] is one of them while a program lives: hooks may change its prompt for a run, and its tools may change.
//! With a store its prompt is that of the store, else it holds the prompt itself. A [`ConversationService`] is the many
//! conversations of a store, for a service and a command.
//!
//! ```
//! use preface_engine::{ASSETS, BuildOptions, conversation::Conversation};
//! use preface_engine::core::hook::{HookEvent, HookFn, HookReply};
//! use preface_engine::host::system::testing::MemorySystem;
//! use std::sync::Arc;
//!
//! let system = Arc::new(MemorySystem::new().with_bundle(ASSETS).with_dir("/work"));
//! let request = BuildOptions { preset: Some("pi".to_owned()), ..BuildOptions::in_dir("/work") };
//! let mut conversation = Conversation::setup(system, request)
//!     .handler(HookFn::new("tone", [HookEvent::BeforeAgentStart], |ask| {
//!         let prompt = ask.system_prompt.unwrap_or_default();
//!         Ok(HookReply { system_prompt: Some(format!("{prompt}\nBe brief.")), ..HookReply::default() })
//!     }))
//!     .start()?;
//! let mut history = Vec::new();
//! if conversation.submit("Fix the tests.", &mut history)? {
//!     let seen = conversation.request(&history);
//!     assert!(seen.prompt.text.ends_with("\nBe brief.") && seen.messages.len() == 1);
//!     conversation.finish();
//! }
//! assert!(!conversation.base().text.ends_with("\nBe brief."));
//! # Ok::<(), preface_engine::conversation::ConversationError>(())
//! ```

mod choice;
mod construct;
mod error;
mod hook_inputs;
mod input_cache;
mod model_request;
mod offload;
mod permissions;
mod record;
mod requests;
mod run;
mod service;
mod setup;
mod tools;
mod trust;

pub use choice::TemplateChoice;
pub use construct::directory_in_roots;
pub use error::ConversationError;
pub use model_request::ModelRequest;
pub use offload::{InlineOffload, Offload, Work, WorkFuture};
pub use record::{PromptRecord, RECORD_VERSION, UsedValue};
pub use requests::{MOST_BLOCKS, RequestInput, RequestPurpose, RequestResult, RequestSummary, ToolSelection};
pub use service::{
    CompactionResult, ConversationService, PromptExplanation, Refresh, RefreshResult, TurnResult,
};
pub use setup::{ConversationStore, Setup, StoreWaiter};

use crate::{BuildOptions, BuildResult, Error, ToolChoice, input::Inputs};
use construct::{ConstructInput, listed_tools};
use input_cache::BuildContext;
use jiff::Timestamp;
use preface_core::{
    attachment::Attachment,
    diagnostic::Diagnostics,
    format::RequestUsage,
    hook::HookHandler,
    model::Models,
    profile::{CompactionAction, Rebuild},
    prompt::Prompt,
    snapshot::Snapshot,
    turn::{Tool, Turn},
};
use preface_host::{hook_command::HookCommand, provider::context::Headless, system::System};
use preface_store::{ConstructReason, PromptSummary, StoredPrompt, TemplateUsed};
use run::ActiveRun;
use serde_json::Value;
use setup::{Built, Occasion};
use std::{borrow::Cow, sync::Arc};

/// One conversation while a program lives. See the [module](self).
///
/// The messages are the caller's: it passes the history to each call that needs it.
#[derive(Debug)]
pub struct Conversation {
    setup: Setup,
    inputs: Inputs,
    snapshot: Snapshot,
    programs: Vec<HookCommand>,
    models: Cow<'static, Models>,
    base: Prompt,
    /// The tools that the base was built for, where it depends on them.
    listed: Option<Vec<String>>,
    /// The active tools, as the caller chose them last.
    chosen: ToolChoice,
    template: TemplateUsed,
    /// The time at which the inputs were read.
    read_at: Timestamp,
    /// What the store has.
    stored: Option<StoredPrompt>,
    /// True if the base was built here.
    constructed: bool,
    run: Option<ActiveRun>,
    /// The attachments of the next request.
    reminders: Vec<Attachment>,
    diagnostics: Diagnostics,
    /// The diagnostics about permissions since the inputs were read.
    reported: Diagnostics,
    /// True once a run has begun.
    has_begun: bool,
}

impl Conversation {
    /// Prepares a conversation for a request.
    #[must_use]
    pub fn setup(system: Arc<dyn System>, request: BuildOptions) -> Setup {
        Setup::new(system, request)
    }

    /// Returns the base prompt, which is sent unless a hook changes it.
    #[must_use]
    pub fn base(&self) -> &Prompt {
        &self.base
    }

    /// Returns the prompt that is in force: that of the run, else the base.
    #[must_use]
    pub fn prompt(&self) -> &Prompt {
        self.run.as_ref().map_or(&self.base, |run| &run.prompt)
    }

    /// Returns the tools that are in force, in order.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        self.run.as_ref().map_or(&self.snapshot.turn.tools, |run| &run.tools)
    }

    /// Returns the turn that the base was built for.
    #[must_use]
    pub fn turn(&self) -> &Turn {
        &self.snapshot.turn
    }

    /// Returns what is stored, where there is a store.
    #[must_use]
    pub fn head(&self) -> Option<&PromptSummary> {
        self.stored.as_ref().map(|stored| &stored.head)
    }

    /// Returns true if the last call that could build the base did, and false if the store had it.
    #[must_use]
    pub fn is_constructed(&self) -> bool {
        self.constructed
    }

    /// Takes the diagnostics that came up since they were taken last, beside those of the base: failing hooks, unknown tools,
    /// options that differ from those of the stored prompt.
    pub fn take_diagnostics(&mut self) -> Diagnostics {
        std::mem::take(&mut self.diagnostics)
    }

    /// Adds a hook of the same process. It runs after the programs of the layers and after the handlers before it; one of
    /// `resources_discover` is called by the next reload.
    pub fn on(&mut self, handler: impl HookHandler + 'static) {
        self.setup.handlers.push(Arc::new(handler));
    }

    /// Takes what happened: an event, as a JSON object with a `type`. The reminder that it calls for goes with the next
    /// request; the prompt and the messages stay as they are.
    ///
    /// # Errors
    /// The profile has no such reminder, or the event lacks a value that the reminder needs. Then nothing is sent.
    pub fn remind(&mut self, event: &Value) -> Result<(), Error> {
        let Conversation { setup, inputs, snapshot, diagnostics, reminders, .. } = self;
        let engine = setup.engine();
        let due = engine.due(std::slice::from_ref(event), &snapshot.profile, inputs.places(), diagnostics)?;
        reminders.extend(engine.remind(&due, inputs, snapshot, diagnostics)?);
        Ok(())
    }

    /// Reads everything again: settings, files, skills, extensions. The active tools stay, and those that extensions
    /// bring are active too. The prompt follows at once where the profile has it so, else at the next compaction. Returns true
    /// if it changed.
    ///
    /// # Errors
    /// See [`ConversationError`]. The conversation stays as it was.
    pub fn reload(&mut self) -> Result<bool, ConversationError> {
        let replaces = self.snapshot.profile.rebuild != Rebuild::Compaction;
        let built = self.setup.build(Occasion::Reload(self), &Headless)?;
        self.adopt(built, replaces.then_some(ConstructReason::Refresh))
    }

    /// Builds the prompt again from what is there now. Returns true if it changed.
    ///
    /// # Errors
    /// See [`ConversationError`]. The conversation stays as it was.
    pub fn refresh(&mut self) -> Result<bool, ConversationError> {
        self.rebuild(ConstructReason::Refresh)
    }

    /// Builds the prompt again for a history that is about to be replaced by its summary, unless the profile keeps it, and
    /// returns the instructions for the summary.
    ///
    /// # Errors
    /// See [`ConversationError`]. The conversation stays as it was.
    pub fn compact(&mut self) -> Result<String, ConversationError> {
        let profile = &self.snapshot.profile;
        if profile.compaction.prompt == CompactionAction::Keep {
            self.diagnostics.push(service::kept_at_compaction(&profile.name));
        } else {
            self.rebuild(ConstructReason::Compaction)?;
        }
        if let (Some(store), Some(stored)) = (&self.setup.store, &self.stored) {
            store.wait(store.service.record_compaction(&stored.head, &store.actor()))?;
        }
        Ok(self.snapshot.profile.compaction.instructions.clone())
    }

    /// Adds to a recorded request what the service counted.
    ///
    /// # Errors
    /// The conversation has no store or no such request, and see [`ConversationError`].
    pub fn set_usage(&self, number: u64, usage: RequestUsage) -> Result<(), ConversationError> {
        let store = self.store_or_refuse()?;
        store.wait(store.service.set_usage(&store.id, number, usage))
    }

    fn store_or_refuse(&self) -> Result<&ConversationStore, ConversationError> {
        self.setup.store.as_ref().ok_or(ConversationError::NoStore)
    }

    fn rebuild(&mut self, reason: ConstructReason) -> Result<bool, ConversationError> {
        let built = self.setup.build(Occasion::Rebuild(self), &Headless)?;
        self.adopt(built, Some(reason))
    }

    /// Takes what was built, with its prompt if there is a reason to replace the base. Returns true if the base changed.
    fn adopt(&mut self, built: Built, reason: Option<ConstructReason>) -> Result<bool, ConversationError> {
        let Built { inputs, snapshot, mut prompt, programs, models, template, read_at, mut diagnostics } =
            built;
        let mut changed = false;
        if let Some(reason) = reason {
            self.setup.engine().log(&inputs, &snapshot.turn, &mut prompt);
            self.template = template;
            let stored = self.store(&inputs, &snapshot, &prompt, &self.chosen, reason)?;
            changed = self.replace_base(&snapshot, prompt, stored)?;
        }
        (self.inputs, self.snapshot, self.programs, self.models) = (inputs, snapshot, programs, models);
        self.read_at = read_at;
        self.diagnostics.append(&mut diagnostics);
        self.reported.clear();
        Ok(changed)
    }

    /// Stores a prompt, where there is a store, and returns what is stored then, and whether this call did. Of two programs
    /// that store one at the same time the first decides. A prompt that a refresh did not change stays.
    fn store(
        &self,
        inputs: &Inputs,
        snapshot: &Snapshot,
        prompt: &Prompt,
        tools: &ToolChoice,
        reason: ConstructReason,
    ) -> Result<Option<(StoredPrompt, bool)>, ConversationError> {
        let Some(store) = &self.setup.store else { return Ok(None) };
        let (actor, before) = (store.actor(), self.head());
        let order = ConstructInput {
            options: BuildOptions { tools: tools.clone(), ..self.setup.options() },
            template: self.template.clone(),
            ..ConstructInput::new(store.id.clone(), reason, before, &actor)
        };
        let context = BuildContext { prompt: prompt.clone(), snapshot, inputs };
        let mut stored = order.keep(context)?.conversation;
        if let Some(was) = &self.stored
            && reason == ConstructReason::Refresh
            && record::is_same(was, &stored)?
        {
            return Ok(Some((was.clone(), false)));
        }
        let (head, is_ours) = store.wait(store.service.put(stored.clone(), before, None, &actor))?;
        if !is_ours {
            return Ok(Some((store.wait(store.service.known(&store.id, None))?, false)));
        }
        stored.head = head;
        Ok(Some((stored, true)))
    }

    /// Makes a prompt the base, or what another program stored before it. Returns true if the base changed.
    fn replace_base(
        &mut self,
        snapshot: &Snapshot,
        prompt: Prompt,
        stored: Option<(StoredPrompt, bool)>,
    ) -> Result<bool, ConversationError> {
        let before = self.base.text.clone();
        self.listed = listed_tools(&snapshot.profile, &snapshot.turn.tools, &prompt);
        (self.base, self.constructed) = (prompt, true);
        if let Some((stored, is_ours)) = stored {
            if !is_ours {
                self.replay(&stored)?;
            }
            self.stored = Some(stored);
        }
        Ok(self.base.text != before)
    }

    /// Makes a stored prompt the base.
    fn replay(&mut self, stored: &StoredPrompt) -> Result<(), ConversationError> {
        let record = PromptRecord::of(stored)?;
        self.listed = record.tools;
        self.base = record.prompt;
        self.constructed = false;
        Ok(())
    }

    /// Builds the base again before a turn that is not the first, where the profile asks for that.
    fn turn_boundary(&mut self) -> Result<(), ConversationError> {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        if self.snapshot.profile.rebuild == Rebuild::BetweenTurns && !is_first && self.run.is_none() {
            self.reload()?;
        }
        Ok(())
    }

    /// Returns the base as a finished build, with the prompt of the run in it if there is one.
    #[must_use]
    pub fn into_built(self) -> BuildResult {
        let Conversation { setup, inputs, mut snapshot, base, run, .. } = self;
        let prompt = run.map_or(base, |run| run.prompt);
        let tools = setup.engine().definitions(&inputs, &mut snapshot, &mut Diagnostics::new());
        let tools = tools.unwrap_or_else(|_| snapshot.turn.tools.clone());
        BuildResult::new(prompt, snapshot, tools, inputs)
    }
}
