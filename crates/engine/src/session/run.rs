//! Runs: from a message of the user to the prompt and the messages of its requests.

use super::Session;
use crate::{
    Error,
    hooks::{EventHook, of_event},
    list::skills,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    hook::{AgentStart, HookCall, HookEvent, apply_input_reply},
    message::{Message, MessageFault, Role},
    prompt::Prompt,
    snapshot::Snapshot,
    trigger::{Trigger, TriggerKind},
    turn::Tool,
};
use preface_host::provider_context::Headless;
use serde_json::{Map, Value};

/// The state of a run from its start to its end.
#[derive(Debug)]
pub(super) struct ActiveRun {
    pub prompt: Prompt,
    pub tools: Vec<Tool>,
    /// True if a hook gave the prompt a text.
    pub hooked: bool,
    /// Commands that the user ran meanwhile; they are sent with the next prompt.
    pub shell: Vec<Message>,
    /// Messages from meanwhile; they wait for the next request, so that a call and its result stay together.
    pub steering: Vec<Message>,
}

impl ActiveRun {
    fn new(prompt: Prompt, tools: Vec<Tool>) -> Self {
        ActiveRun { prompt, tools, hooked: false, shell: Vec::new(), steering: Vec::new() }
    }
}

/// The effect of a prompt of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputOutcome {
    /// A hook handled it; nothing follows.
    Handled,
    /// A run has begun.
    Run,
    /// A run was under way; its next request has it.
    Steering,
}

impl Session<'_> {
    /// Takes a message of the user: hooks of `input` may change it, `/skill:NAME` is replaced by the text of
    /// the skill, and a run begins.
    ///
    /// # Errors
    /// The pipeline failed after a hook changed the tools. Then the message was not submitted.
    pub fn submit(&mut self, text: &str) -> Result<InputOutcome, Error> {
        self.turn_boundary()?;
        self.compare_permissions();
        let mut words = text.to_owned();
        let hooks = of_event(&self.programs, &self.handlers, HookEvent::Input);
        for hook in &hooks {
            let mut messages = self.values();
            let submitted = words.clone();
            let mut call = HookCall::new(HookEvent::Input, &self.snapshot.turn.cwd, &mut messages);
            call.prompt = Some(&submitted);
            call.system_prompt = Some(&self.base.text);
            let reply = hook.call(self.engine.system(), &mut call, &mut self.diagnostics);
            if apply_input_reply(&mut words, hook.source(), reply, &mut self.diagnostics).is_break() {
                return Ok(InputOutcome::Handled);
            }
        }
        drop(hooks);
        let words = self.expanded(words);
        if let Some(run) = &mut self.run {
            run.steering.push(Message::user(&words));
            return Ok(InputOutcome::Steering);
        }
        let (before, waiting) = (self.history.len(), self.next_turn.clone());
        self.history.push(Message::user(&words));
        self.history.append(&mut self.next_turn);
        if let Err(error) = self.begin(Some(&words)) {
            self.history.truncate(before);
            self.next_turn = waiting;
            return Err(error);
        }
        Ok(InputOutcome::Run)
    }

    /// Takes a message of an extension. Where a run is under way its next request has it; else, where `starts` is true,
    /// one begins, and its hooks are called as for any other (`pi.md` D9).
    ///
    /// # Errors
    /// What the line refuses where a hook switches tools. Then nothing was sent.
    pub fn send(&mut self, message: Message, starts: bool) -> Result<(), Error> {
        if let Some(run) = &mut self.run {
            run.steering.push(message);
            return Ok(());
        }
        if starts {
            self.turn_boundary()?;
        }
        self.history.push(message);
        if starts {
            self.compare_permissions();
            if let Err(error) = self.begin(None) {
                self.history.pop();
                return Err(error);
            }
        }
        Ok(())
    }

    /// Stores a message to be sent after the next message of the user.
    pub fn send_next_turn(&mut self, message: Message) {
        self.next_turn.push(message);
    }

    /// Records what the run brought: an answer, a tool's result. A command that the person ran while a run is under way
    /// waits until its end.
    pub fn record(&mut self, message: Message) {
        match &mut self.run {
            Some(run) if message.role() == Role::BashExecution => run.shell.push(message),
            _ => self.history.push(message),
        }
    }

    /// Ends the run: the base is in force again, and what hooks changed for the run is gone.
    pub fn finish(&mut self) {
        if let Some(run) = self.run.take() {
            self.history.extend(run.steering);
            self.history.extend(run.shell);
        }
    }

    /// Starts a run from the stored base: every hook sees what the one before it left.
    fn begin(&mut self, words: Option<&str>) -> Result<(), Error> {
        if of_event(&self.programs, &self.handlers, HookEvent::BeforeAgentStart).is_empty() {
            self.run = Some(ActiveRun::new(self.base.clone(), self.snapshot.turn.tools.clone()));
            return Ok(());
        }
        let inputs = self.inputs();
        let mut messages = self.values();
        let Session {
            engine,
            request,
            handlers,
            registered,
            inputs: found,
            snapshot,
            programs,
            base,
            diagnostics,
            history,
            ..
        } = self;
        let hooks: Vec<EventHook<'_>> = of_event(programs, handlers, HookEvent::BeforeAgentStart);
        let mut start = AgentStart::new(base.clone());
        let mut triggers = base.triggers.clone();
        let mut refused = None;
        let mut switched_by = None;
        let mut switched_snapshot: Option<Snapshot> = None;
        for hook in &hooks {
            let current = switched_snapshot.as_ref().unwrap_or(snapshot);
            let tools = super::inputs::tools(found, &current.turn.tools);
            let before = start.prompt().clone();
            let mut hook_diagnostics = Diagnostics::new();
            let mut call = HookCall::new(HookEvent::BeforeAgentStart, &snapshot.turn.cwd, &mut messages);
            call.prompt = words;
            call.system_prompt = Some(&before.text);
            call.tools = &tools;
            call.inputs = Some(&inputs);
            let reply = hook.call(engine.system(), &mut call, &mut hook_diagnostics);
            let mut switched = Diagnostics::new();
            hook_diagnostics.extend(start.apply_reply(hook.source(), reply, |names| {
                switched_by = Some(hook.source().name);
                let current = switched_snapshot.as_ref().unwrap_or(snapshot);
                let tools = super::tools::known(found, current, registered, names, &mut switched);
                match super::tools::rebuild(engine, found, current, tools, request.now.is_some()) {
                    Ok((rebuilt, prompt)) => {
                        switched_snapshot = Some(rebuilt);
                        prompt
                    }
                    Err(error) => {
                        refused = Some(error);
                        base.clone()
                    }
                }
            }));
            if let Some(error) = refused {
                return Err(error);
            }
            diagnostics.append(&mut switched);
            diagnostics.append(&mut hook_diagnostics);
            let trigger = Trigger::between(
                TriggerKind::BeforeAgentStart,
                Some(hook.source().name),
                &before,
                start.prompt(),
            );
            if !trigger.sections.is_empty() {
                triggers.push(trigger);
            }
        }
        if let Some(switched) = switched_snapshot {
            *snapshot = switched;
        }
        // The rebuilt base is the base from now on; the changes of hooks are the run's alone.
        if start.active_tools().is_some() {
            let mut rebuilt = start.base().clone();
            rebuilt.triggers.clone_from(&base.triggers);
            rebuilt.triggers.push(Trigger::between(TriggerKind::SetActiveTools, switched_by, base, &rebuilt));
            *base = rebuilt;
        }
        let mut prompt = start.prompt().clone();
        prompt.triggers = triggers;
        for message in start.messages() {
            match as_custom(message) {
                Ok(message) => history.push(message),
                Err(fault) => diagnostics.push(
                    Diagnostic::warning(
                        DiagnosticCode::MessagesLeftOut,
                        format!("a hook's message was left out: {fault}"),
                    )
                    .help("a message is an object with `content`, a text or a list of blocks"),
                ),
            }
        }
        let hooked = start.set_by().is_some();
        self.run = Some(ActiveRun { hooked, ..ActiveRun::new(prompt, self.snapshot.turn.tools.clone()) });
        Ok(())
    }

    /// The words with a skill's text in the place of its command. What came up about that command is noted;
    /// the diagnostics of skills were reported with the base.
    fn expanded(&mut self, words: String) -> String {
        let look = self.engine.look(&self.inputs, &self.snapshot.turn, &Headless);
        let expanded = skills::expand(&words, &self.snapshot.profile, &look);
        let diagnostics = look.diagnostics.take();
        self.diagnostics.extend(
            diagnostics.into_iter().filter(|diagnostic| !self.snapshot.diagnostics.contains(diagnostic)),
        );
        expanded.unwrap_or(words)
    }

    /// The history as hooks see it.
    pub(super) fn values(&self) -> Vec<Value> {
        self.history.iter().map(|message| Value::Object(message.fields().clone())).collect()
    }
}

/// The message that a hook gave, as an extension's message.
fn as_custom(value: &Value) -> Result<Message, MessageFault> {
    let mut fields: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
    fields.insert("role".to_owned(), Value::from("custom"));
    Message::new(fields)
}
