//! The start of a session.

use super::Session;
use crate::{
    Engine, Error,
    hooks::HookRecipients,
    input::collect::Breadth,
    request::{Request, TrustChoice},
    trust::consent::Ask,
};
use preface_core::{
    hook::{DiscoverReason, HookHandler},
    message::Message,
    prompt::Prompt,
    trigger::{Trigger, TriggerKind},
    turn::Tool,
};
use preface_host::{provider_context::Headless, system::access_log::RecordingSystem};
use std::sync::Arc;

/// A session that has not started yet.
#[derive(Debug)]
pub struct Setup<'s> {
    engine: Engine<'s>,
    request: Request,
    handlers: Vec<Arc<dyn HookHandler>>,
    tools: Vec<Tool>,
    history: Vec<Message>,
}

impl<'s> Setup<'s> {
    pub(super) fn new(engine: Engine<'s>, request: Request) -> Self {
        Setup { engine, request, handlers: Vec::new(), tools: Vec::new(), history: Vec::new() }
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
        super::tools::register(&mut self.tools, tool);
        self
    }

    /// Sets the messages that the session starts with.
    #[must_use]
    pub fn history(mut self, history: Vec<Message>) -> Self {
        self.history = history;
        self
    }

    /// Starts the session without asking the user.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn start(self) -> Result<Session<'s>, Error> {
        self.start_interactive(&Headless)
    }

    /// Starts the session, and asks the user about projects without recorded trust.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn start_interactive(self, ask: &dyn Ask) -> Result<Session<'s>, Error> {
        let Setup { engine, mut request, handlers, tools, history } = self;
        if request.trust == TrustChoice::Ask && ask.is_there() {
            // A recorded answer is found by what follows; one for once holds as long as the session.
            request = engine.ask_trust(&request, ask)?;
        }
        let recorder = RecordingSystem::new(engine.system());
        let looking = engine.handing_out().on(&recorder);
        let (inputs, mut snapshot) = looking.read_and_collect(&request, Breadth::EveryTool, None, ask)?;
        engine.refuse_untrusted_in(&request, &inputs)?;
        snapshot.turn.tools = super::tools::with_registered(&snapshot, &tools);
        let recipients = HookRecipients { handlers: &handlers, reason: DiscoverReason::Startup };
        let (inputs, snapshot, mut base) = looking.first_base(inputs, snapshot, &recipients, ask)?;
        let access_log = recorder.into_access_log();
        if base.triggers.is_empty() {
            base.triggers.push(Trigger::between(TriggerKind::Startup, None, &Prompt::default(), &base));
        }
        engine.log(&inputs, &snapshot.turn, &mut base);
        let programs = engine.programs(&inputs, &snapshot.turn, ask);
        Ok(Session {
            engine,
            request,
            handlers,
            registered: tools,
            inputs,
            access_log,
            snapshot,
            programs,
            base,
            run: None,
            history,
            reminders: Vec::new(),
            next_turn: Vec::new(),
            diagnostics: Vec::new(),
            reported: Vec::new(),
            has_begun: false,
        })
    }
}
