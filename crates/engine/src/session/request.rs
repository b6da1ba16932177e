//! The content of one request: prompt, messages after the hooks of `context` and after conversion, tools.

use super::Session;
use crate::hooks::of_event;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    format::RequestContent,
    hook::{HookCall, HookEvent, apply_context_reply},
    message::{Message, ModelMessage, convert},
    prompt::Prompt,
    turn::Tool,
};
use serde_json::Value;

/// Everything that a model sees at one request.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The system prompt.
    pub prompt: Prompt,
    /// The messages.
    pub messages: Vec<ModelMessage>,
    /// The tools, in order.
    pub tools: Vec<Tool>,
}

impl ModelRequest {
    /// Returns the content for a format.
    #[must_use]
    pub fn content(&self) -> RequestContent<'_> {
        RequestContent { messages: &self.messages, tools: &self.tools, ..RequestContent::from(&self.prompt) }
    }
}

impl Session<'_> {
    /// Makes the next request of the run: hooks of `context` work on a copy of the messages, and nothing of that is kept. What
    /// was [reminded](Session::remind) of goes with this request and no other.
    /// Outside of a run it is what a run without hooks would send.
    pub fn request(&mut self) -> ModelRequest {
        if let Some(run) = &mut self.run {
            self.history.append(&mut run.steering);
            self.compare_permissions();
        }
        let mut diagnostics = Diagnostics::new();
        let hooks = match &self.run {
            Some(_) => of_event(&self.programs, &self.handlers, HookEvent::Context),
            None => Vec::new(),
        };
        let changes = !hooks.is_empty();
        let mut values = if changes { self.values() } else { Vec::new() };
        for hook in &hooks {
            let mut list = values;
            let mut call = HookCall::new(HookEvent::Context, &self.snapshot.turn.cwd, &mut list);
            let reply = hook.call(self.engine.system(), &mut call, &mut diagnostics);
            apply_context_reply(&mut list, hook.source(), reply, &mut diagnostics);
            values = list;
        }
        let messages: Vec<Message> = match changes {
            false => self.history.clone(),
            true => values
                .into_iter()
                .enumerate()
                .filter_map(|(at, value)| read(at, value, &mut diagnostics))
                .collect(),
        };
        let converted = convert(&messages, &self.snapshot.profile.messages);
        diagnostics.extend(converted.diagnostics());
        let tools = self.defined(&mut diagnostics);
        self.diagnostics.append(&mut diagnostics);
        let mut prompt = self.prompt().clone();
        prompt.attachments.append(&mut self.reminders);
        ModelRequest { prompt, messages: converted.messages, tools }
    }

    /// The definitions of the tools that are in force.
    fn defined(&mut self, diagnostics: &mut Diagnostics) -> Vec<Tool> {
        let tools = self.tools().to_vec();
        let base = std::mem::replace(&mut self.snapshot.turn.tools, tools);
        let defined = self.engine.definitions(&self.inputs, &mut self.snapshot, diagnostics);
        let tools = std::mem::replace(&mut self.snapshot.turn.tools, base);
        defined.unwrap_or_else(|error| {
            let what = format!("the descriptions of tools could not be worked out: {error}");
            diagnostics.push(Diagnostic::error(DiagnosticCode::ToolDescription, what));
            tools
        })
    }
}

/// A message that a hook made may be none.
fn read(at: usize, value: Value, diagnostics: &mut Diagnostics) -> Option<Message> {
    let fault = match value {
        Value::Object(fields) => match Message::new(fields) {
            Ok(message) => return Some(message),
            Err(fault) => fault.to_string(),
        },
        _ => "it is no object".to_owned(),
    };
    diagnostics.push(
        Diagnostic::warning(
            DiagnosticCode::MessagesLeftOut,
            format!("message {at} of a `context` hook was left out: {fault}"),
        )
        .help("a message is an object with `role` and `content`"),
    );
    None
}
