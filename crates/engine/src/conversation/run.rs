//! Runs: from a message of the user to the prompt and the messages of its requests.

use super::{Conversation, ConversationError, hook_inputs, model_request::as_values, tools};
use crate::{
    hooks::{EventHook, of_event},
    list::skills,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    hook::{AgentStart, HookCall, HookEvent, apply_input_reply},
    message::{Message, MessageFault},
    profile::Rebuild,
    prompt::Prompt,
    snapshot::Snapshot,
    trigger::{Trigger, TriggerKind},
    turn::Tool,
};
use preface_host::provider::context::Headless;
use serde_json::{Map, Value};

/// The state of a run from its start to its end.
#[derive(Debug)]
pub(super) struct ActiveRun {
    pub prompt: Prompt,
    pub tools: Vec<Tool>,
    /// True if a hook gave the prompt a text.
    pub hooked: bool,
}

impl Conversation {
    /// Takes a message of the user and begins a run: the message, and what hooks add, are behind the history then. Returns
    /// false if a hook handled it; nothing follows then.
    ///
    /// # Errors
    /// The pipeline failed. Then the history is as it was.
    pub fn submit(&mut self, text: &str, history: &mut Vec<Message>) -> Result<bool, ConversationError> {
        let Some(text) = self.input(text, history)? else { return Ok(false) };
        let before = history.len();
        history.push(Message::user(&text));
        match self.begin(Some(&text), history) {
            Ok(mut more) => history.append(&mut more),
            Err(error) => {
                history.truncate(before);
                return Err(error);
            }
        }
        Ok(true)
    }

    /// Takes a message of the user: hooks of `input` may change it, and `/skill:NAME` is replaced by the text of the skill.
    /// `None` if a hook handled it.
    ///
    /// # Errors
    /// The profile builds before each turn, and the pipeline failed.
    pub fn input(&mut self, text: &str, history: &[Message]) -> Result<Option<String>, ConversationError> {
        self.turn_boundary()?;
        self.compare_permissions();
        let mut words = text.to_owned();
        let Conversation { setup, programs, snapshot, base, diagnostics, .. } = self;
        let engine = setup.engine();
        for hook in of_event(programs, &setup.handlers, HookEvent::Input) {
            let mut messages = as_values(history);
            let submitted = words.clone();
            let mut call = HookCall::new(HookEvent::Input, &snapshot.turn.cwd, &mut messages);
            call.prompt = Some(&submitted);
            call.system_prompt = Some(&base.text);
            let reply = hook.call(engine.system(), &mut call, diagnostics);
            if apply_input_reply(&mut words, hook.source(), reply, diagnostics).is_break() {
                return Ok(None);
            }
        }
        Ok(Some(self.expanded(words)))
    }

    /// Ends the run: the base is in force again, and what hooks changed for the run is gone.
    pub fn finish(&mut self) {
        self.run = None;
    }

    /// Begins a run from the base: every hook sees what the one before it left. `text` is the message of the user that is
    /// the last one of the history; without it something else begins the run. Returns the messages that hooks add.
    ///
    /// # Errors
    /// What the pipeline refuses where a hook switches tools. Then no run has begun.
    pub fn begin(
        &mut self,
        text: Option<&str>,
        history: &[Message],
    ) -> Result<Vec<Message>, ConversationError> {
        if text.is_none() {
            self.turn_boundary()?;
            self.compare_permissions();
        }
        if of_event(&self.programs, &self.setup.handlers, HookEvent::BeforeAgentStart).is_empty() {
            let (prompt, tools) = (self.base.clone(), self.snapshot.turn.tools.clone());
            self.run = Some(ActiveRun { prompt, tools, hooked: false });
            return Ok(Vec::new());
        }
        let inputs = self.hook_inputs();
        let mut messages = as_values(history);
        let Conversation { setup, inputs: found, snapshot, programs, base, diagnostics, .. } = self;
        let (engine, is_fixed) = (setup.engine(), setup.request.now.is_some());
        let rebuilds = snapshot.profile.rebuild != Rebuild::Compaction;
        let hooks: Vec<EventHook<'_>> = of_event(programs, &setup.handlers, HookEvent::BeforeAgentStart);
        let mut start = AgentStart::new(base.clone());
        let mut triggers = base.triggers.clone();
        let mut refused = None;
        let mut switched_by = None;
        let mut switched_snapshot: Option<Snapshot> = None;
        for hook in &hooks {
            let current = switched_snapshot.as_ref().unwrap_or(snapshot);
            let tools = hook_inputs::tools(found, &current.turn.tools);
            let before = start.prompt().clone();
            let mut hook_diagnostics = Diagnostics::new();
            let mut call = HookCall::new(HookEvent::BeforeAgentStart, &snapshot.turn.cwd, &mut messages);
            call.prompt = text;
            call.system_prompt = Some(&before.text);
            call.tools = &tools;
            call.inputs = Some(&inputs);
            let reply = hook.call(engine.system(), &mut call, &mut hook_diagnostics);
            let mut switched = Diagnostics::new();
            hook_diagnostics.extend(start.apply_reply(hook.source(), reply, |names| {
                switched_by = Some(hook.source().name.to_owned());
                let current = switched_snapshot.as_ref().unwrap_or(snapshot);
                let tools = tools::known(found, current, &setup.tools, names, &mut switched);
                let mut other = tools::with_tools(&engine, found, current, tools, is_fixed);
                let rebuilt = rebuilds.then(|| engine.compose(found, &mut other, &Headless)).transpose();
                switched_snapshot = Some(other);
                rebuilt
                    .unwrap_or_else(|error| {
                        refused = Some(error);
                        None
                    })
                    .unwrap_or_else(|| base.clone())
            }));
            if let Some(error) = refused {
                return Err(error.into());
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
        // The rebuilt base is the base from now on; the changes of hooks are the run's alone.
        if let Some(switched) = switched_snapshot {
            let by = switched_by.as_deref();
            self.switch(switched, TriggerKind::SetActiveTools, by, rebuilds.then(|| start.base().clone()))?;
        }
        let prompt = Prompt { triggers, ..start.prompt().clone() };
        let (tools, hooked) = (self.snapshot.turn.tools.clone(), start.set_by().is_some());
        self.run = Some(ActiveRun { prompt, tools, hooked });
        let mut added = Vec::new();
        for message in start.messages() {
            match as_custom(message) {
                Ok(message) => added.push(message),
                Err(fault) => self.diagnostics.push(
                    Diagnostic::warning(
                        DiagnosticCode::MessagesLeftOut,
                        format!("a hook's message was left out: {fault}"),
                    )
                    .help("a message is an object with `content`, a text or a list of blocks"),
                ),
            }
        }
        Ok(added)
    }

    /// The words with a skill's text in the place of its command. What came up about that command is noted;
    /// the diagnostics of skills were reported with the base.
    fn expanded(&mut self, words: String) -> String {
        let engine = self.setup.engine();
        let context = engine.context(&self.inputs, &self.snapshot.turn, &Headless);
        let expanded = skills::expand(&words, &self.snapshot.profile, &context);
        let diagnostics = context.diagnostics.take();
        self.diagnostics.extend(
            diagnostics.into_iter().filter(|diagnostic| !self.snapshot.diagnostics.contains(diagnostic)),
        );
        expanded.unwrap_or(words)
    }
}

/// The message that a hook gave, as an extension's message.
fn as_custom(value: &Value) -> Result<Message, MessageFault> {
    let mut fields: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
    fields.insert("role".to_owned(), Value::from("custom"));
    Message::new(fields)
}
