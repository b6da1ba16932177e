//! Runs a scenario: each step in a session, each request answered from the file.

use super::{
    extension::SharedJournal,
    record::{PromptRow, ScenarioRecord},
    types::{BashRun, CustomMessage, DeclaredTool, DeliverAs, Scenario, ScenarioStep},
};
use preface_core::{diagnostic::Diagnostics, message::Message};
use preface_engine::{
    Engine, Error, Request,
    session::{InputOutcome, ModelRequest, Session},
};
use serde_json::{Map, Value, json};

impl Scenario {
    /// Plays the scenario on an engine's machine, without asking the user. The session is the request's, with
    /// the tools and hooks of the scenario added. Nothing of the scenario is executed; hooks of the layers
    /// are, if they are granted.
    ///
    /// # Errors
    /// What [`Setup::start`](preface_engine::session::Setup::start) and the session refuse.
    pub fn play(&self, engine: Engine<'_>, request: Request) -> Result<ScenarioRecord, Error> {
        let journal = SharedJournal::default();
        let mut setup = Session::setup(engine, request);
        for tool in self.tools() {
            setup = setup.tool(tool.tool());
        }
        for hook in self.extensions.iter().flat_map(|extension| extension.hooks(&journal)) {
            setup = setup.handler(hook);
        }
        let session = setup.start()?;
        let base = session.base().clone();
        let mut play =
            ScenarioRun { scenario: self, session, replied: 0, calls: Vec::new(), diagnostics: Vec::new() };
        play.note(base.diagnostics.clone());
        let mut prompts = Vec::new();
        for step in &self.steps {
            play.step(step, &mut prompts)?;
            let diagnostics = play.session.take_diagnostics();
            play.note(diagnostics);
        }
        let ScenarioRun { session, calls, diagnostics, .. } = play;
        let base_after = session.base().clone();
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
struct ScenarioRun<'p, 's> {
    scenario: &'p Scenario,
    session: Session<'s>,
    replied: usize,
    calls: Vec<ModelRequest>,
    diagnostics: Diagnostics,
}

impl ScenarioRun<'_, '_> {
    /// The parts of a step, in the order in which they happen.
    fn step(&mut self, step: &ScenarioStep, prompts: &mut Vec<PromptRow>) -> Result<(), Error> {
        if let Some(bash) = &step.bash {
            self.session.record(message(ran(bash)));
        }
        if let Some(custom) = &step.custom {
            let message = message(sent(custom));
            if step.opts.deliver_as == Some(DeliverAs::NextTurn) {
                self.session.send_next_turn(message);
            } else {
                self.session.send(message, step.opts.trigger_turn)?;
                if step.opts.trigger_turn {
                    self.run()?;
                }
            }
        }
        if let Some(names) = &step.set_active_tools {
            self.session.set_active_tools(names)?;
        }
        if step.reload {
            self.session.reload()?;
            let diagnostics = self.session.base().diagnostics.clone();
            self.note(diagnostics);
        }
        if let Some(prompt) = &step.prompt {
            let outcome = self.session.submit(prompt)?;
            prompts.push(PromptRow { prompt: prompt.clone(), handled: outcome == InputOutcome::Handled });
            if outcome == InputOutcome::Run {
                self.run()?;
            }
        }
        Ok(())
    }

    /// One run: requests and answers, until an answer is a text.
    fn run(&mut self) -> Result<(), Error> {
        loop {
            let request = self.session.request();
            self.calls.push(request);
            let reply = self.scenario.replies.get(self.replied);
            self.replied += 1;
            let call = reply.and_then(|reply| reply.tool_call.as_deref());
            if let Some(name) = call {
                let id = format!("call_{}", self.replied);
                let args = reply.and_then(|reply| reply.args.clone()).unwrap_or_default();
                let block = json!({ "type": "toolCall", "id": id, "name": name, "arguments": args });
                self.session.record(message(fields(json!({ "role": "assistant", "content": [block] }))));
                let (text, is_error) = self.answer(name);
                self.session.record(message(fields(json!({
                    "role": "toolResult",
                    "toolCallId": id,
                    "toolName": name,
                    "content": [{ "type": "text", "text": text }],
                    "isError": is_error,
                }))));
            } else {
                let text = reply.and_then(|reply| reply.text.as_deref()).unwrap_or("done");
                let content = json!([{ "type": "text", "text": text }]);
                self.session.record(message(fields(json!({ "role": "assistant", "content": content }))));
            }
            for hook in self.scenario.extensions.iter().flat_map(|extension| &extension.turn_end) {
                if let Some(names) = &hook.set_active_tools {
                    self.session.set_active_tools(names)?;
                }
            }
            if call.is_none() {
                self.session.finish();
                return Ok(());
            }
        }
    }

    /// Returns the result of a tool, and whether that is an error. A hook that fails stops the call like one
    /// that blocks it.
    fn answer(&mut self, name: &str) -> (String, bool) {
        if !self.session.tools().iter().any(|tool| tool.name == name) {
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
