//! Calls hooks: the programs of the layers in their order, then the handlers of the embedding program.

use crate::{
    Error,
    engine::Engine,
    input::{Inputs, collect::collect_again, consent::Ask},
};
use preface_core::{
    diagnostic::Diagnostics,
    hook::{
        DiscoverReason, HookCall, HookEvent, HookFailure, HookHandler, HookReply, HookSource,
        apply_resources_reply, call_handler,
    },
    prompt::Prompt,
    snapshot::Snapshot,
    trigger::{Trigger, TriggerKind},
    turn::Turn,
};
use preface_host::{
    hook_command::{HookCommand, hook_commands},
    system::System,
};
use std::sync::Arc;

/// One hook of an event.
pub(crate) enum EventHook<'h> {
    Program(&'h HookCommand),
    Handler(&'h dyn HookHandler),
}

impl EventHook<'_> {
    pub(crate) fn source(&self) -> HookSource<'_> {
        match self {
            EventHook::Program(program) => program.source(),
            EventHook::Handler(handler) => handler.name().into(),
        }
    }

    /// Sends the event to the hook and returns its answer. Diagnostics are about the answer and do not fail the
    /// call.
    pub(crate) fn call(
        &self,
        system: &dyn System,
        ask: &mut HookCall<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<HookReply, HookFailure> {
        match self {
            EventHook::Program(program) => program.call(system, ask, diagnostics),
            EventHook::Handler(handler) => call_handler(*handler, ask),
        }
    }
}

/// The hooks of an event: programs first, slot by slot in their order, then handlers as they were registered.
pub(crate) fn of_event<'h>(
    programs: &'h [HookCommand],
    handlers: &'h [Arc<dyn HookHandler>],
    event: HookEvent,
) -> Vec<EventHook<'h>> {
    let programs = programs.iter().filter(|program| program.event == event).map(EventHook::Program);
    let handlers = handlers.iter().filter(|handler| handler.wants(event));
    programs.chain(handlers.map(|handler| EventHook::Handler(handler.as_ref()))).collect()
}

impl Engine<'_> {
    /// Returns the programs that hooks are, in the order in which they run.
    pub(crate) fn programs(&self, inputs: &Inputs, turn: &Turn, ask: &dyn Ask) -> Vec<HookCommand> {
        hook_commands(&inputs.entries.scopes, &self.context(inputs, turn, ask))
    }

    /// Builds the first base, lets hooks point to skills for a reason, and builds it again where they did.
    pub(crate) fn first_base(
        &self,
        inputs: &mut Inputs,
        snapshot: &mut Snapshot,
        handlers: &[Arc<dyn HookHandler>],
        reason: DiscoverReason,
        ask: &dyn Ask,
    ) -> Result<Prompt, Error> {
        let mut prompt = self.compose(inputs, snapshot, ask)?;
        let programs = self.programs(inputs, &snapshot.turn, ask);
        let hooks = of_event(&programs, handlers, HookEvent::ResourcesDiscover);
        if hooks.is_empty() {
            return Ok(prompt);
        }
        let kind = match reason {
            DiscoverReason::Startup => TriggerKind::Startup,
            DiscoverReason::Reload => TriggerKind::Reload,
        };
        let mut triggers = vec![Trigger::between(kind, None, &Prompt::default(), &prompt)];
        let mut diagnostics = Diagnostics::new();
        let mut by = Vec::new();
        let mut paths = Vec::new();
        for hook in &hooks {
            let mut messages = Vec::new();
            let mut call = HookCall::new(HookEvent::ResourcesDiscover, &snapshot.turn.cwd, &mut messages);
            call.system_prompt = Some(&prompt.text);
            call.reason = Some(reason);
            let before = paths.len();
            let reply = hook.call(self.system(), &mut call, &mut diagnostics);
            apply_resources_reply(&mut paths, hook.source(), reply, &mut diagnostics);
            if paths.len() > before {
                by.push(hook.source().name.to_owned());
            }
        }
        snapshot.diagnostics.extend(diagnostics.iter().cloned());
        if by.is_empty() {
            prompt.diagnostics.append(&mut diagnostics);
            prompt.triggers = triggers;
            return Ok(prompt);
        }
        inputs.skill_paths = paths;
        let turn = snapshot.turn.clone();
        let context = self.context(inputs, &turn, ask);
        collect_again(|provider| provider.follows_hooks, &inputs.entries.scopes, snapshot, &context);
        let before = prompt;
        let mut prompt = self.compose(inputs, snapshot, ask)?;
        let by = by.join(", ");
        triggers.push(Trigger::between(TriggerKind::ResourcesDiscover, Some(&by), &before, &prompt));
        prompt.triggers = triggers;
        Ok(prompt)
    }
}
