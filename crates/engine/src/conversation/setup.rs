//! The start of a conversation, and the build that each read of its inputs ends with.

use super::{Conversation, ConversationError, ConversationService, ModelRequest, PromptRecord, tools};
use crate::{
    BuildOptions, Engine, TemplateSource, WriteScope,
    build_options::TrustChoice,
    input::{
        Inputs,
        collect::{Breadth, collect_again},
        consent::Ask,
    },
};
use jiff::Timestamp;
use preface_core::{
    attachment::AttachmentPlace,
    diagnostic::Diagnostics,
    hook::{DiscoverReason, HookHandler},
    message::Message,
    model::Models,
    profile::Rebuild,
    prompt::Prompt,
    reminder::is_about_reminders,
    snapshot::Snapshot,
    trigger::{Trigger, TriggerKind},
    turn::Tool,
};
use preface_host::{hook_command::HookCommand, models, provider::context::Headless, system::System};
use preface_store::{Actor, ConstructReason, ConversationId, StoredPrompt, TemplateName, TemplateUsed};
use std::{borrow::Cow, fmt, future::Future, pin::Pin, sync::Arc};

/// Waits for the answers of a store, on the calling thread.
pub trait StoreWaiter: fmt::Debug + Send + Sync {
    /// Waits until an answer is there.
    fn wait(&self, answer: Pin<&mut dyn Future<Output = ()>>);
}

/// The place of one conversation in a store.
#[derive(Clone, Debug)]
pub struct ConversationStore {
    /// The conversations of the store.
    pub service: ConversationService,
    /// The id of this one.
    pub id: ConversationId,
    /// The stored template that the caller chose.
    pub template: Option<String>,
    /// The name of the program in the log of the store.
    pub actor: &'static str,
    /// What waits for the store.
    pub waiter: Arc<dyn StoreWaiter>,
}

impl ConversationStore {
    pub(super) fn actor(&self) -> Actor {
        Actor::new(self.actor)
    }

    /// Waits for an answer.
    pub fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        let mut result = None;
        self.waiter.wait(std::pin::pin!(async { result = Some(answer.await) }));
        result.expect("a waiter returns when the answer is there")
    }
}

/// A conversation that has not started yet.
#[derive(Clone, Debug)]
pub struct Setup {
    system: Arc<dyn System>,
    templates: Option<Arc<dyn TemplateSource>>,
    writes: WriteScope,
    breadth: Breadth,
    pub(super) request: BuildOptions,
    pub(super) handlers: Vec<Arc<dyn HookHandler>>,
    /// The registered tools.
    pub(super) tools: Vec<Tool>,
    pub(super) store: Option<ConversationStore>,
}

/// The reason to read everything.
#[derive(Clone, Copy, Debug)]
pub(super) enum Occasion<'c> {
    /// The conversation starts.
    Start,
    /// Settings and extensions may have changed.
    Reload(&'c Conversation),
    /// The prompt is built again.
    Rebuild(&'c Conversation),
}

/// The prompt of a conversation with everything that it was built from.
pub(super) struct Built {
    pub inputs: Inputs,
    pub snapshot: Snapshot,
    pub prompt: Prompt,
    pub programs: Vec<HookCommand>,
    pub models: Cow<'static, Models>,
    pub template: TemplateUsed,
    pub read_at: Timestamp,
    /// The diagnostics that are not those of the prompt.
    pub diagnostics: Diagnostics,
}

impl Setup {
    pub(super) fn new(system: Arc<dyn System>, request: BuildOptions) -> Self {
        Setup {
            system,
            templates: None,
            writes: WriteScope::All,
            breadth: Breadth::EveryTool,
            request,
            handlers: Vec::new(),
            tools: Vec::new(),
            store: None,
        }
    }

    /// Adds a hook of the same process. It runs after the programs of the layers and after the handlers before it.
    #[must_use]
    pub fn handler(mut self, handler: impl HookHandler + 'static) -> Self {
        self.handlers.push(Arc::new(handler));
        self
    }

    /// Registers a tool. It is active from the start, and takes the place of a tool of the same name.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        tools::register(&mut self.tools, tool);
        self
    }

    /// Limits what is written beside results.
    #[must_use]
    pub fn writing(self, writes: WriteScope) -> Self {
        Setup { writes, ..self }
    }

    /// Uses a store's template if the profile takes one and the request names none.
    #[must_use]
    pub fn with_templates(self, templates: Arc<dyn TemplateSource>) -> Self {
        Setup { templates: Some(templates), ..self }
    }

    /// Keeps the prompt in a store. The template is that of the store.
    #[must_use]
    pub fn stored_in(self, store: ConversationStore) -> Self {
        let request = BuildOptions { conversation: Some(store.id.to_string()), ..self.request };
        Setup { store: Some(store), request, ..self }
    }

    /// Makes what belongs to one request whose prompt is stored: tools, messages and reminders. The prompt of the result has the
    /// reminders as attachments and is not used otherwise. The diagnostics are those of the request.
    ///
    /// # Errors
    /// See [`ConversationError`].
    pub fn one_request(self, history: &[Message]) -> Result<(ModelRequest, Diagnostics), ConversationError> {
        let mut conversation = Setup { breadth: Breadth::Turn, ..self }.start()?;
        let mut request = conversation.request(history);
        request.prompt.attachments.retain(|one| one.place == AttachmentPlace::LastUser);
        let mut diagnostics = conversation.base.diagnostics;
        diagnostics.retain(is_about_reminders);
        diagnostics.append(&mut conversation.diagnostics);
        Ok((request, diagnostics))
    }

    pub(super) fn engine(&self) -> Engine<'_> {
        let engine = Engine::new(&*self.system).writing(self.writes);
        match &self.templates {
            Some(templates) => engine.with_templates(&**templates),
            None => engine,
        }
    }

    /// Returns the options in the form that is stored.
    pub(super) fn options(&self) -> BuildOptions {
        let template = self.store.as_ref().and_then(|store| store.template.clone());
        BuildOptions { template, ..self.request.clone() }
    }

    /// Starts the conversation without asking the user.
    ///
    /// # Errors
    /// See [`ConversationError`].
    pub fn start(self) -> Result<Conversation, ConversationError> {
        self.start_interactive(&Headless)
    }

    /// Starts the conversation, and asks the user about projects without recorded trust. With a store that has its prompt,
    /// options that are not given are those that the prompt was built for.
    ///
    /// # Errors
    /// See [`ConversationError`].
    pub fn start_interactive(mut self, ask: &dyn Ask) -> Result<Conversation, ConversationError> {
        if self.request.trust == TrustChoice::Ask && ask.is_there() {
            // A recorded answer is found by what follows; one for once holds as long as the conversation.
            self.request = self.engine().ask_trust(&self.request, ask)?;
        }
        let asked = self.options();
        let found = self.find()?;
        let Built { inputs, snapshot, prompt, programs, models, template, read_at, diagnostics } =
            self.build(Occasion::Start, ask)?;
        let mut conversation = Conversation {
            chosen: self.request.tools.clone(),
            setup: self,
            inputs,
            snapshot,
            programs,
            models,
            base: prompt,
            listed: None,
            template,
            read_at,
            stored: found,
            constructed: false,
            run: None,
            reminders: Vec::new(),
            diagnostics,
            reported: Diagnostics::new(),
            has_begun: false,
        };
        conversation.begin_base(&asked)?;
        Ok(conversation)
    }

    /// Finds the stored prompt, and takes over its options where this call has none.
    fn find(&mut self) -> Result<Option<StoredPrompt>, ConversationError> {
        let Some(store) = &mut self.store else { return Ok(None) };
        let Some(found) = store.wait(store.service.store().conversation(&store.id))? else {
            return Ok(None);
        };
        // A store that takes no writes still has the prompt.
        let _ = store.wait(store.service.store().touch(&store.id, store.actor().at));
        let asked = BuildOptions { template: store.template.clone(), ..self.request.clone() };
        self.request = PromptRecord::of(&found)?.options.overlaid(&asked);
        store.template.clone_from(&self.request.template);
        Ok(Some(found))
    }

    /// Reads everything, calls the hooks of `resources_discover` and builds the prompt.
    pub(super) fn build(&self, occasion: Occasion<'_>, ask: &dyn Ask) -> Result<Built, ConversationError> {
        let (engine, read_at) = (self.engine().handing_out(), self.system.now());
        let mut request = Cow::Borrowed(&self.request);
        let mut template = TemplateUsed { chosen: String::new(), name: TemplateName::main(), version: None };
        if let Some(store) = &self.store {
            let text;
            (template, text) = store.wait(store.service.template(store.template.as_deref()))?;
            request.to_mut().template_text = text;
        }
        let (mut inputs, mut snapshot) = engine.read_and_collect(&request, self.breadth, None, ask)?;
        engine.refuse_untrusted_in(&request, &inputs)?;
        let mut diagnostics = Diagnostics::new();
        let active = match occasion {
            Occasion::Start => tools::with_registered(&snapshot, &self.tools),
            Occasion::Reload(before) => before.reactivated(&inputs, &snapshot, &mut diagnostics),
            Occasion::Rebuild(before) => before.remaining(&inputs, &snapshot, &mut diagnostics),
        };
        if snapshot.turn.tools != active {
            snapshot.turn.tools = active;
            let turn = snapshot.turn.clone();
            let context = engine.context(&inputs, &turn, &Headless);
            let scopes = &inputs.entries.scopes;
            collect_again(|provider| provider.follows_tools, scopes, &mut snapshot, &context);
        }
        let nothing = Prompt::default();
        let (reason, kind, earlier) = match occasion {
            Occasion::Start => (DiscoverReason::Startup, TriggerKind::Startup, &nothing),
            Occasion::Reload(before) | Occasion::Rebuild(before) => {
                (DiscoverReason::Reload, TriggerKind::Reload, &before.base)
            }
        };
        let mut prompt = engine.first_base(&mut inputs, &mut snapshot, &self.handlers, reason, ask)?;
        if prompt.triggers.is_empty() {
            prompt.triggers.push(Trigger::between(kind, None, earlier, &prompt));
        }
        let programs = engine.programs(&inputs, &snapshot.turn, ask);
        let models = models::read_in(&*self.system, inputs.places(), &mut diagnostics);
        Ok(Built { inputs, snapshot, prompt, programs, models, template, read_at, diagnostics })
    }
}

impl Conversation {
    /// Stores the prompt that was just built, or takes the stored one: that is built again only where the profile has it so.
    fn begin_base(&mut self, asked: &BuildOptions) -> Result<(), ConversationError> {
        let mut prompt = std::mem::take(&mut self.base);
        let mut reason = ConstructReason::FirstTurn;
        if let (Some(store), Some(found)) = (self.setup.store.clone(), self.stored.clone()) {
            self.replay(&found)?;
            let rebuilds = match self.snapshot.profile.rebuild {
                Rebuild::Compaction => false,
                Rebuild::AtOnce => !self.inputs.skill_paths.is_empty() || self.other_tools().is_some(),
                Rebuild::BetweenTurns => true,
            };
            if !rebuilds {
                self.diagnostics.extend(store.wait(store.service.check_trust(&found.head, asked))?);
            }
            self.diagnostics.extend(store.wait(store.service.diagnostics(&found.head, asked))?);
            if !rebuilds {
                return Ok(());
            }
            reason = ConstructReason::Refresh;
        }
        self.setup.engine().log(&self.inputs, &self.snapshot.turn, &mut prompt);
        let stored = self.store(&self.inputs, &self.snapshot, &prompt, &self.chosen, reason)?;
        let snapshot = self.snapshot.clone();
        self.replace_base(&snapshot, prompt, stored)?;
        Ok(())
    }
}
