//! Runs a scenario: each step in a conversation, each request answered from the file.

use super::{
    extension::SharedJournal,
    record::{PromptRow, ScenarioRecord},
    types::{BashRun, CustomMessage, DeclaredTool, DeliverAs, Scenario, ScenarioStep},
};
use preface_core::{diagnostic::Diagnostics, message::Message};
use preface_engine::{
    BuildOptions,
    conversation::{Conversation, ConversationError, ModelRequest},
    host::system::System,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

impl Scenario {
    /// Plays the scenario on a machine, without asking the user. The conversation is the request's, with
    /// the tools and hooks of the scenario added. Nothing of the scenario is executed; hooks of the layers
    /// are, if they are granted.
    ///
    /// # Errors
    /// What [`Setup::start`](preface_engine::conversation::Setup::start) and the conversation refuse.
    pub fn play(
        &self,
        system: Arc<dyn System>,
        request: BuildOptions,
    ) -> Result<ScenarioRecord, ConversationError> {
        let journal = SharedJournal::default();
        let mut setup = Conversation::setup(system, request);
        for tool in self.tools() {
            setup = setup.tool(tool.tool());
        }
        for hook in self.extensions.iter().flat_map(|extension| extension.hooks(&journal)) {
            setup = setup.handler(hook);
        }
        let conversation = setup.start()?;
        let base = conversation.base().clone();
        let mut play = ScenarioRun {
            scenario: self,
            conversation,
            history: Vec::new(),
            next_turn: Vec::new(),
            replied: 0,
            calls: Vec::new(),
            diagnostics: Vec::new(),
        };
        play.note(base.diagnostics.clone());
        let mut prompts = Vec::new();
        for step in &self.steps {
            play.step(step, &mut prompts)?;
            let diagnostics = play.conversation.take_diagnostics();
            play.note(diagnostics);
        }
        let ScenarioRun { conversation, calls, diagnostics, .. } = play;
        let base_after = conversation.base().clone();
        let mut journal = journal.open();
        Ok(ScenarioRecord {
            base,
            base_after,
            calls,
            log: std::mem::take(&mut journal.log),
            errors: std::mem::take(&mut journal.errors),
            prompts,
            diagnostics,
        })
    }

    /// The tools of all extensions. Of those that share a name the first extension's counts, and in it the last one, in the
    /// place of the first.
    fn tools(&self) -> Vec<&DeclaredTool> {
        let mut all: Vec<(usize, &DeclaredTool)> = Vec::new();
        for (at, extension) in self.extensions.iter().enumerate() {
            for tool in &extension.tools {
                match all.iter_mut().find(|(_, known)| known.name == tool.name) {
                    None => all.push((at, tool)),
                    Some((whose, known)) if *whose == at => *known = tool,
                    Some(_) => {}
                }
            }
        }
        all.into_iter().map(|(_, tool)| tool).collect()
    }
}

/// A play under way.
struct ScenarioRun<'p> {
    scenario: &'p Scenario,
    conversation: Conversation,
    history: Vec<Message>,
    /// Messages that follow the next message of the user.
    next_turn: Vec<Message>,
    replied: usize,
    calls: Vec<ModelRequest>,
    diagnostics: Diagnostics,
}

impl ScenarioRun<'_> {
    /// The parts of a step, in the order in which they happen.
    fn step(&mut self, step: &ScenarioStep, prompts: &mut Vec<PromptRow>) -> Result<(), ConversationError> {
        if let Some(bash) = &step.bash {
            self.history.push(message(ran(bash)));
        }
        if let Some(custom) = &step.custom {
            let message = message(sent(custom));
            if step.opts.deliver_as == Some(DeliverAs::NextTurn) {
                self.next_turn.push(message);
            } else {
                self.history.push(message);
                if step.opts.trigger_turn {
                    self.begin(None)?;
                    self.run()?;
                }
            }
        }
        if let Some(names) = &step.set_active_tools {
            self.conversation.set_active_tools(names)?;
        }
        if step.reload {
            self.conversation.reload()?;
            let diagnostics = self.conversation.base().diagnostics.clone();
            self.note(diagnostics);
        }
        if let Some(prompt) = &step.prompt {
            let text = self.conversation.input(prompt, &self.history)?;
            prompts.push(PromptRow { prompt: prompt.clone(), handled: text.is_none() });
            if let Some(text) = text {
                self.history.push(Message::user(&text));
                self.history.append(&mut self.next_turn);
                self.begin(Some(&text))?;
                self.run()?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, text: Option<&str>) -> Result<(), ConversationError> {
        self.history.extend(self.conversation.begin(text, &self.history)?);
        Ok(())
    }

    /// One run: requests and answers, until an answer is a text.
    fn run(&mut self) -> Result<(), ConversationError> {
        loop {
            let request = self.conversation.request(&self.history);
            self.calls.push(request);
            let reply = self.scenario.replies.get(self.replied);
            self.replied += 1;
            let call = reply.and_then(|reply| reply.tool_call.as_deref());
            if let Some(name) = call {
                let id = format!("call_{}", self.replied);
                let args = reply.and_then(|reply| reply.args.clone()).unwrap_or_default();
                let block = json!({ "type": "toolCall", "id": id, "name": name, "arguments": args });
                self.history.push(message(fields(json!({ "role": "assistant", "content": [block] }))));
                let (text, is_error) = self.answer(name);
                self.history.push(message(fields(json!({
                    "role": "toolResult",
                    "toolCallId": id,
                    "toolName": name,
                    "content": [{ "type": "text", "text": text }],
                    "isError": is_error,
                }))));
            } else {
                let text = reply.and_then(|reply| reply.text.as_deref()).unwrap_or("done");
                let content = json!([{ "type": "text", "text": text }]);
                self.history.push(message(fields(json!({ "role": "assistant", "content": content }))));
            }
            for hook in self.scenario.extensions.iter().flat_map(|extension| &extension.turn_end) {
                if let Some(names) = &hook.set_active_tools {
                    self.conversation.set_active_tools(names)?;
                }
            }
            if call.is_none() {
                self.conversation.finish();
                return Ok(());
            }
        }
    }

    /// Returns the result of a tool, and whether that is an error. A hook that fails stops the call like one
    /// that blocks it.
    fn answer(&mut self, name: &str) -> (String, bool) {
        if !self.conversation.tools().iter().any(|tool| tool.name == name) {
            return (format!("Tool {name} not found"), true);
        }
        let hooks = self.scenario.extensions.iter().flat_map(|extension| &extension.tool_call);
        if let Some(why) = hooks.filter_map(|hook| hook.throw.as_ref().or(hook.block.as_ref())).next() {
            return (why.clone(), true);
        }
        let tools = self.scenario.tools();
        if let Some(tool) = tools.into_iter().find(|tool| tool.name == name) {
            return (tool.result.clone().unwrap_or_else(|| "ok".to_owned()), false);
        }
        (format!("Tool {name} is not part of the scenario"), true)
    }

    fn note(&mut self, diagnostics: Diagnostics) {
        for diagnostic in diagnostics {
            if !self.diagnostics.contains(&diagnostic) {
                self.diagnostics.push(diagnostic);
            }
        }
    }
}

fn ran(bash: &BashRun) -> Map<String, Value> {
    let mut message = fields(json!({
        "role": "bashExecution",
        "command": bash.command,
        "output": bash.output,
        "exitCode": bash.exit_code,
        "cancelled": bash.cancelled,
        "truncated": bash.truncated,
        "excludeFromContext": bash.exclude,
    }));
    if let Some(path) = &bash.full_output_path {
        message.insert("fullOutputPath".to_owned(), path.as_str().into());
    }
    message
}

fn sent(custom: &CustomMessage) -> Map<String, Value> {
    let mut message = fields(json!({ "role": "custom" }));
    message.extend(custom.fields("x"));
    message
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Returns a message from fields that were checked when the scenario was read.
fn message(fields: Map<String, Value>) -> Message {
    Message::new(fields).expect("a scenario's messages were tried when it was read")
}
