//! Runs: from what a person says to the prompt and the messages of the requests that answer it (`pi.md` §6.1, §6.2).

use super::Session;
use crate::{
    Error,
    hooks::{Hook, of_event},
};
use preface_core::{
    diagnostic::Diagnostics,
    hook::{AgentStart, HookAsk, HookEvent, hear_input},
    message::{Message, Role},
    prompt::Prompt,
    trigger::{Trigger, TriggerKind},
    turn::Tool,
};
use serde_json::{Map, Value};

/// What is in force from the start of a run to its end.
#[derive(Debug)]
pub(super) struct Run {
    pub prompt: Prompt,
    pub tools: Vec<Tool>,
    /// True where a hook gave the prompt a text.
    pub hooked: bool,
    /// Commands that the person ran meanwhile; they are told with the next prompt.
    pub shell: Vec<Message>,
}

/// What became of what a person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// A hook took care of it; nothing follows.
    Handled,
    /// A run has begun.
    Run,
    /// A run was under way; it is part of it.
    Steering,
}

impl Session<'_> {
    /// Takes what a person says: hooks of `input` may change it, and a run begins.
    ///
    /// # Errors
    /// What the line refuses where a hook switches tools.
    pub fn say(&mut self, text: &str) -> Result<Said, Error> {
        let mut words = text.to_owned();
        let hooks = of_event(&self.programs, &self.handlers, HookEvent::Input);
        for hook in &hooks {
            let mut messages = self.values();
            let told = words.clone();
            let mut asked = HookAsk::new(HookEvent::Input, &self.gathered.turn.cwd, &mut messages);
            asked.prompt = Some(&told);
            asked.system_prompt = Some(&self.base.text);
            let reply = hook.tell(self.engine.system(), &mut asked, &mut self.notes);
            if hear_input(&mut words, hook.source(), reply, &mut self.notes).is_break() {
                return Ok(Said::Handled);
            }
        }
        drop(hooks);
        if self.run.is_some() {
            self.history.push(Message::user(&words));
            return Ok(Said::Steering);
        }
        self.history.push(Message::user(&words));
        self.history.append(&mut self.next_turn);
        self.begin(Some(&words))?;
        Ok(Said::Run)
    }

    /// Takes a message of an extension. Where `starts` is true and no run is under way, one begins.
    ///
    /// # Errors
    /// What the line refuses where a hook switches tools.
    pub fn send(&mut self, message: Message, starts: bool) -> Result<(), Error> {
        self.history.push(message);
        if starts && self.run.is_none() {
            self.begin(None)?;
        }
        Ok(())
    }

    /// Keeps a message for the next thing that a person says; it follows it.
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
            self.history.extend(run.shell);
        }
    }

    /// Starts a run from the stored base: every hook sees what the one before it left.
    fn begin(&mut self, words: Option<&str>) -> Result<(), Error> {
        let inputs = self.inputs();
        let mut messages = self.values();
        let Session { engine, request, handlers, registered, gathered, world, programs, base, notes, .. } =
            self;
        let hooks: Vec<Hook<'_>> = of_event(programs, handlers, HookEvent::BeforeAgentStart);
        let mut start = AgentStart::new(base.clone());
        let mut triggers = base.triggers.clone();
        let mut refused = None;
        for hook in &hooks {
            let tools = super::inputs::tools(gathered);
            let before = start.prompt().clone();
            let mut said = Diagnostics::new();
            let mut asked = HookAsk::new(HookEvent::BeforeAgentStart, &gathered.turn.cwd, &mut messages);
            asked.prompt = words;
            asked.system_prompt = Some(&before.text);
            asked.tools = &tools;
            asked.inputs = Some(&inputs);
            let reply = hook.tell(engine.system(), &mut asked, &mut said);
            let mut switched = Diagnostics::new();
            said.extend(start.hear(hook.source(), reply, |names| {
                gathered.turn.tools = super::tools::known(gathered, registered, names, &mut switched);
                let fixed = request.now.is_some();
                super::tools::rebuild(engine, gathered, world, fixed).unwrap_or_else(|error| {
                    refused = Some(error);
                    base.clone()
                })
            }));
            if let Some(error) = refused {
                return Err(error);
            }
            notes.append(&mut switched);
            notes.append(&mut said);
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
        // The rebuilt base is the base from now on; what hooks said is the run's alone.
        if start.active_tools().is_some() {
            let mut rebuilt = start.base().clone();
            rebuilt.triggers.clone_from(&base.triggers);
            rebuilt.triggers.push(Trigger::between(TriggerKind::SetActiveTools, None, base, &rebuilt));
            *base = rebuilt;
        }
        let mut prompt = start.prompt().clone();
        prompt.triggers = triggers;
        let from_hooks: Vec<Message> = start.messages().iter().filter_map(as_custom).collect();
        self.run = Some(Run {
            prompt,
            tools: self.gathered.turn.tools.clone(),
            hooked: start.set_by().is_some(),
            shell: Vec::new(),
        });
        self.history.extend(from_hooks);
        Ok(())
    }

    /// The history as hooks see it.
    pub(super) fn values(&self) -> Vec<Value> {
        self.history.iter().map(|message| Value::Object(message.fields().clone())).collect()
    }
}

/// The message that a hook gave, as an extension's message.
fn as_custom(value: &Value) -> Option<Message> {
    let mut fields: Map<String, Value> = value.as_object()?.clone();
    fields.insert("role".to_owned(), Value::from("custom"));
    Message::new(fields).ok()
}
