//! Sessions: a base prompt that is built once and rebuilt for a few reasons only, runs that hooks may change it for, and
//! the content of each request.
//!
//! ```no_run
//! use preface_engine::{ASSETS, Engine, OsSystem, Request, session::{InputOutcome, Session}};
//! use preface_engine::core::hook::{HookEvent, HookFn, HookReply};
//!
//! let system = OsSystem::new(ASSETS);
//! let request = Request { preset: Some("pi".to_owned()), ..Request::new(".") };
//! let mut session = Session::setup(Engine::new(&system), request)
//!     .handler(HookFn::new("tone", [HookEvent::BeforeAgentStart], |ask| {
//!         let prompt = ask.system_prompt.unwrap_or_default();
//!         Ok(HookReply { system_prompt: Some(format!("{prompt}\nBe brief.")), ..HookReply::default() })
//!     }))
//!     .start()?;
//! if session.submit("Fix the tests.")? == InputOutcome::Run {
//!     let seen = session.request();
//!     println!("{} messages below {} bytes", seen.messages.len(), seen.prompt.text.len());
//!     session.finish();
//! }
//! # Ok::<(), preface_engine::Error>(())
//! ```

mod inputs;
mod permissions;
mod remind;
mod request;
mod run;
mod setup;
mod tools;

pub use request::ModelRequest;
pub use run::InputOutcome;
pub use setup::Setup;

use crate::{
    BuildResult, Engine, Error,
    hooks::{HookRecipients, of_event},
    input::{
        Inputs,
        collect::{Breadth, collect_again},
    },
    request::Request,
};
use preface_core::{
    attachment::Attachment,
    diagnostic::Diagnostics,
    hook::{DiscoverReason, HookEvent, HookHandler},
    message::Message,
    profile::Rebuild,
    prompt::Prompt,
    snapshot::Snapshot,
    trigger::{Trigger, TriggerKind},
    turn::Tool,
};
use preface_host::{
    hook_command::HookCommand,
    provider_context::Headless,
    system::access_log::{AccessLog, RecordingSystem},
};
use run::ActiveRun;
use std::sync::Arc;

/// One conversation's prompt while a program lives. See the [module](self).
#[derive(Debug)]
pub struct Session<'s> {
    engine: Engine<'s>,
    request: Request,
    handlers: Vec<Arc<dyn HookHandler>>,
    registered: Vec<Tool>,
    inputs: Inputs,
    /// The files that were accessed for the base, if a later check can detect their changes.
    access_log: Option<AccessLog>,
    snapshot: Snapshot,
    programs: Vec<HookCommand>,
    base: Prompt,
    run: Option<ActiveRun>,
    history: Vec<Message>,
    /// The attachments of the next request.
    reminders: Vec<Attachment>,
    next_turn: Vec<Message>,
    diagnostics: Diagnostics,
    /// The diagnostics about permissions since the base was built.
    reported: Diagnostics,
    /// True once a turn has begun.
    has_begun: bool,
}

impl<'s> Session<'s> {
    /// Prepares a session for a request.
    #[must_use]
    pub fn setup(engine: Engine<'s>, request: Request) -> Setup<'s> {
        Setup::new(engine, request)
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

    /// Returns the messages so far, in order, as hooks see them: before they are converted for a model.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.history
    }

    /// Takes the diagnostics that came up since they were taken last: failing hooks, unknown tools.
    pub fn take_diagnostics(&mut self) -> Diagnostics {
        std::mem::take(&mut self.diagnostics)
    }

    /// Reads everything again: settings, files, skills, extensions. The active tools stay, and those that extensions
    /// bring are active too.
    ///
    /// What was read is looked at first, one look for each file and directory; where nothing changed, it is built again
    /// from what is known.
    ///
    /// # Errors
    /// See [`Error`]. The session stays as it was.
    pub fn reload(&mut self) -> Result<(), Error> {
        if self.is_unchanged() {
            return self.rebuild_unchanged();
        }
        let recorder = RecordingSystem::new(self.engine.system());
        let looking = self.engine.on(&recorder);
        let (inputs, mut snapshot) =
            looking.read_and_collect(&self.request, Breadth::EveryTool, None, &Headless)?;
        self.engine.refuse_untrusted_in(&self.request, &inputs)?;
        let mut diagnostics = Diagnostics::new();
        snapshot.turn.tools = self.reactivated(&inputs, &snapshot, &mut diagnostics);
        self.diagnostics.append(&mut diagnostics);
        let turn = snapshot.turn.clone();
        let look = looking.look(&inputs, &turn, &Headless);
        let snapshot =
            collect_again(|provider| provider.follows_tools(), &inputs.entries.scopes, snapshot, &look);
        let recipients = HookRecipients { handlers: &self.handlers, reason: DiscoverReason::Reload };
        let (inputs, snapshot, mut prompt) = looking.first_base(inputs, snapshot, &recipients, &Headless)?;
        let access_log = recorder.into_access_log();
        if prompt.triggers.is_empty() {
            prompt.triggers.push(Trigger::between(TriggerKind::Reload, None, &self.base, &prompt));
        }
        self.programs = self.engine.programs(&inputs, &snapshot.turn, &Headless);
        self.engine.log(&inputs, &snapshot.turn, &mut prompt);
        self.inputs = inputs;
        self.access_log = access_log;
        self.snapshot = snapshot;
        self.base = prompt;
        self.reported.clear();
        Ok(())
    }

    /// Builds the base again before a turn that is not the first, where the profile asks for that.
    fn turn_boundary(&mut self) -> Result<(), Error> {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        match self.snapshot.profile.rebuild {
            Rebuild::BetweenTurns if !is_first && self.run.is_none() => self.reload(),
            _ => Ok(()),
        }
    }

    /// Returns true if reading the inputs again would give the same result, and no hook must be called.
    fn is_unchanged(&self) -> bool {
        of_event(&self.programs, &self.handlers, HookEvent::ResourcesDiscover).is_empty()
            && self.access_log.as_ref().is_some_and(|access_log| access_log.holds(self.engine.system()))
    }

    fn rebuild_unchanged(&mut self) -> Result<(), Error> {
        let tools = self.reactivated(&self.inputs, &self.snapshot, &mut Diagnostics::new());
        let fixed = self.request.now.is_some();
        let (snapshot, mut base) = tools::rebuild(&self.engine, &self.inputs, &self.snapshot, tools, fixed)?;
        base.triggers.push(Trigger::between(TriggerKind::Reload, None, &self.base, &base));
        self.engine.log(&self.inputs, &snapshot.turn, &mut base);
        self.snapshot = snapshot;
        self.base = base;
        self.reported.clear();
        Ok(())
    }

    /// Returns the base as a finished build, with the prompt of the run in it if there is one.
    #[must_use]
    pub fn into_built(self) -> BuildResult {
        let prompt = self.run.map_or(self.base, |run| run.prompt);
        let mut snapshot = self.snapshot;
        let tools = self.engine.definitions(&self.inputs, &mut snapshot, &mut Diagnostics::new());
        let tools = tools.unwrap_or_else(|_| snapshot.turn.tools.clone());
        BuildResult::new(prompt, snapshot, tools, self.inputs)
    }
}
