//! The active tools, and the prompt that follows them where the profile has it so.

use super::{Conversation, ConversationError, record};
use crate::{
    Engine, ToolChoice,
    input::{Inputs, collect::collect_again, extensions},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    extension::Category,
    profile::{CompactionAction, Rebuild, ToolSwitchTiming},
    prompt::Prompt,
    snapshot::Snapshot,
    suggestion::did_you_mean,
    trigger::{Trigger, TriggerKind},
    turn::{Tool, Turn},
    variable::Stability,
};
use preface_host::provider::context::Headless;
use preface_store::ConstructReason;
use std::collections::BTreeSet;

impl Conversation {
    /// Switches to these tools. The prompt follows at once where the profile has it so, and no file is read again; else it
    /// follows at the next compaction. Unknown names are ignored and reported. A run in progress keeps its tools, or uses the
    /// new ones from its next request on, as the profile defines.
    ///
    /// # Errors
    /// What the pipeline refuses; the conversation stays as it was.
    pub fn set_active_tools(&mut self, names: &[String]) -> Result<(), ConversationError> {
        let tools = known(&self.inputs, &self.snapshot, &self.setup.tools, names, &mut self.diagnostics);
        self.use_tools(tools, TriggerKind::SetActiveTools)
    }

    /// Registers a tool, or puts another in the place of one of that name. A tool whose name is new becomes active; one that
    /// takes the place of another is active where that was. The prompt follows as with [`Conversation::set_active_tools`].
    ///
    /// # Errors
    /// What the pipeline refuses; the conversation stays as it was.
    pub fn register_tool(&mut self, tool: Tool) -> Result<(), ConversationError> {
        let mut names: Vec<String> = self.snapshot.turn.tools.iter().map(|tool| tool.name.clone()).collect();
        let is_new = self.setup.tools.iter().all(|known| known.name != tool.name)
            && self.inputs.entries.scopes.active(Category::Tools, &tool.name).is_none();
        if is_new && !names.contains(&tool.name) {
            names.push(tool.name.clone());
        }
        let before = self.setup.tools.clone();
        register(&mut self.setup.tools, tool);
        let tools = known(&self.inputs, &self.snapshot, &self.setup.tools, &names, &mut self.diagnostics);
        self.use_tools(tools, TriggerKind::ToolRegistry).inspect_err(|_| self.setup.tools = before)
    }

    fn use_tools(&mut self, tools: Vec<Tool>, kind: TriggerKind) -> Result<(), ConversationError> {
        let engine = self.setup.engine();
        let is_fixed = self.setup.request.now.is_some();
        let mut snapshot = with_tools(&engine, &self.inputs, &self.snapshot, tools, is_fixed);
        let rebuilds = self.snapshot.profile.rebuild != Rebuild::Compaction;
        let base = rebuilds.then(|| engine.compose(&self.inputs, &mut snapshot, &Headless)).transpose()?;
        self.switch(snapshot, kind, None, base)?;
        if self.snapshot.profile.tools_apply == ToolSwitchTiming::Request
            && let Some(run) = &mut self.run
        {
            run.tools.clone_from(&self.snapshot.turn.tools);
            // A prompt that a hook set stays in force for the whole run.
            if !run.hooked {
                run.prompt.clone_from(&self.base);
            }
        }
        Ok(())
    }

    /// Makes other tools the active ones, and the prompt for them the base, if there is one.
    pub(super) fn switch(
        &mut self,
        snapshot: Snapshot,
        kind: TriggerKind,
        by: Option<&str>,
        base: Option<Prompt>,
    ) -> Result<(), ConversationError> {
        let tools = &snapshot.turn.tools;
        let chosen = if self.setup.tools.is_empty() && !matches!(self.chosen, ToolChoice::Given(_)) {
            ToolChoice::Named(tools.iter().map(|tool| tool.name.clone()).collect())
        } else {
            ToolChoice::Given(tools.clone())
        };
        if let Some(mut base) = base {
            base.triggers.clone_from(&self.base.triggers);
            base.triggers.push(Trigger::between(kind, by, &self.base, &base));
            let stored = self.store(&self.inputs, &snapshot, &base, &chosen, ConstructReason::Refresh)?;
            self.replace_base(&snapshot, base, stored)?;
        }
        (self.snapshot, self.chosen) = (snapshot, chosen);
        Ok(())
    }

    /// Reports active tools that are not those of the base.
    pub(super) fn other_tools(&self) -> Option<Diagnostic> {
        let built: BTreeSet<&str> = self.listed.as_ref()?.iter().map(String::as_str).collect();
        let now = self.snapshot.turn.tools.iter().map(|tool| tool.name.as_str()).collect();
        let keeps = self.snapshot.profile.compaction.prompt == CompactionAction::Keep;
        (built != now).then(|| record::other_tools(&built, Some(&now), keeps))
    }

    /// Returns the active tools for a prompt that is built again: what was switched to stays.
    pub(super) fn remaining(
        &self,
        inputs: &Inputs,
        snapshot: &Snapshot,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Tool> {
        if self.chosen == self.setup.request.tools {
            return with_registered(snapshot, &self.setup.tools);
        }
        let active: Vec<String> = self.snapshot.turn.tools.iter().map(|tool| tool.name.clone()).collect();
        known(inputs, snapshot, &self.setup.tools, &active, diagnostics)
    }

    /// Keeps the active tools over a reload, and adds those that extensions bring.
    pub(super) fn reactivated(
        &self,
        inputs: &Inputs,
        snapshot: &Snapshot,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Tool> {
        let mut active: Vec<String> = self.snapshot.turn.tools.iter().map(|tool| tool.name.clone()).collect();
        let more: Vec<String> = extensions::of_layers(&inputs.entries.scopes, &active);
        active.extend(more);
        // What a server has learned since is active as well; what the caller did not name stays out.
        let learned = snapshot.turn.tools.iter().filter(|tool| tool.is_of_server());
        let learned: Vec<String> = learned.map(|tool| tool.name.clone()).collect();
        active.extend(learned.into_iter().filter(|name| !active.contains(name)).collect::<Vec<_>>());
        let named: Vec<String> = self.setup.tools.iter().map(|tool| tool.name.clone()).collect();
        for name in named {
            if !active.contains(&name) {
                active.push(name);
            }
        }
        known(inputs, snapshot, &self.setup.tools, &active, diagnostics)
    }
}

/// Returns the inputs of the prompt for other tools, at this instant; no file is read again.
pub(super) fn with_tools(
    engine: &Engine<'_>,
    inputs: &Inputs,
    before: &Snapshot,
    tools: Vec<Tool>,
    is_fixed: bool,
) -> Snapshot {
    let same_tools = tools.iter().map(|tool| &tool.name).eq(before.turn.tools.iter().map(|tool| &tool.name));
    let mut turn = Turn { tools, ..before.turn.clone() };
    if !is_fixed {
        turn.now = engine.instant_now();
    }
    let mut snapshot = before.clone();
    if !same_tools {
        let context = engine.context(inputs, &turn, &Headless);
        let scopes = &inputs.entries.scopes;
        collect_again(|provider| provider.follows_tools, scopes, &mut snapshot, &context);
    }
    snapshot.turn = turn;
    snapshot.variables.retain(|key, variable| {
        (same_tools || key.kind() != "tool") && variable.stability != Stability::Turn
    });
    snapshot
}

/// Adds a tool to those that are registered, in the place of one of its name.
pub(super) fn register(registered: &mut Vec<Tool>, tool: Tool) {
    match registered.iter_mut().find(|known| known.name == tool.name) {
        Some(known) => *known = tool,
        None => registered.push(tool),
    }
}

/// Returns the tools of these names. A registered one precedes one of a layer; unknown names are left out.
pub(super) fn known(
    inputs: &Inputs,
    snapshot: &Snapshot,
    registered: &[Tool],
    names: &[String],
    diagnostics: &mut Diagnostics,
) -> Vec<Tool> {
    let (profile, entries) = (&snapshot.profile, &inputs.entries);
    let mut tools: Vec<Tool> = Vec::with_capacity(names.len());
    for name in names {
        if !profile.repeat_tools && tools.iter().any(|tool| tool.name == *name) {
            continue;
        }
        if let Some(tool) = registered.iter().find(|tool| tool.name == *name) {
            tools.push(extensions::registered(tool.clone(), profile));
        } else if let Some(entry) = entries.scopes.active(Category::Tools, name) {
            tools.push(extensions::entry_tool(entry, profile));
        } else if let Some(tool) = entries.server_tools.iter().find(|tool| tool.name == *name) {
            tools.push(tool.clone());
        } else if let Some(tool) = snapshot.turn.tools.iter().find(|tool| tool.name == *name) {
            tools.push(tool.clone());
        } else {
            let shown = preface_core::lint::hidden::escape_hidden(name);
            let diagnostic = Diagnostic::warning(
                DiagnosticCode::ToolUnknown,
                format!("there is no tool `{shown}`; it is ignored"),
            );
            let all = registered.iter().map(|tool| tool.name.as_str());
            let all = all.chain(entries.scopes.of(Category::Tools).map(|entry| entry.name.as_str()));
            let all = all.chain(entries.server_tools.iter().map(|tool| tool.name.as_str()));
            diagnostics.push(match did_you_mean(name, all) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic,
            });
        }
    }
    tools
}

/// The tools of the turn with those that are registered: each in the place of one of its name, else behind all others.
pub(super) fn with_registered(snapshot: &Snapshot, registered: &[Tool]) -> Vec<Tool> {
    let mut tools = snapshot.turn.tools.clone();
    for tool in registered {
        let tool = extensions::registered(tool.clone(), &snapshot.profile);
        let mut same = tools.iter_mut().filter(|known| known.name == tool.name).peekable();
        if same.peek().is_none() {
            tools.push(tool);
        } else {
            same.for_each(|known| known.clone_from(&tool));
        }
    }
    tools
}
