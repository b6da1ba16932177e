//! The content of one request: prompt, messages after the hooks of `context` and after conversion, tools.

use super::{Conversation, ConversationError, RequestInput, RequestResult, ToolSelection};
use crate::{BuildOptions, COUNTERS, hooks::of_event};
use preface_core::{
    attachment::AttachmentRole,
    budget::{Bytes4, Counter},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    format::{RequestContent, RequestTarget},
    hook::{HookCall, HookEvent, apply_context_reply},
    message::{Message, ModelMessage, convert},
    model::Models,
    prompt::Prompt,
    turn::Tool,
};
use serde_json::Value;
use std::borrow::Cow;

/// Everything that a model sees at one request.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The system prompt, with the attachments of this request.
    pub prompt: Prompt,
    /// The messages as a model gets them.
    pub messages: Vec<ModelMessage>,
    /// The tools, in order.
    pub tools: Vec<Tool>,
    /// The choice of the tools, and what of them is the project's.
    pub selection: ToolSelection,
    /// The role of new attachments.
    pub attachment_role: AttachmentRole,
    /// The rows of models.
    pub models: Cow<'static, Models>,
}

impl ModelRequest {
    /// Returns the content for a format as a caller wants it; the model is that of the prompt unless the caller names one.
    #[must_use]
    pub fn content_for<'a>(
        &'a self,
        input: &'a RequestInput,
        model: Option<&'a str>,
        cache_key: Option<&'a str>,
        counter: &'a dyn Counter,
    ) -> RequestContent<'a> {
        let target = RequestTarget {
            model: input.model.as_deref().or(model),
            models: &self.models,
            max_output_tokens: input.max_output_tokens,
            cache_key,
            cache_ttl: input.cache_ttl.as_deref(),
            attachment_role: self.attachment_role,
            counter,
            indented: input.indented,
            ..RequestTarget::default()
        };
        RequestContent {
            messages: &self.messages,
            tools: &self.tools,
            target,
            ..RequestContent::from(&self.prompt)
        }
    }
}

impl Conversation {
    /// Makes the next request: hooks of `context` work on a copy of the messages, and nothing of that is kept. What was
    /// [reminded](Conversation::remind) of goes with this request and no other.
    /// Outside of a run it is what a run without hooks would send.
    pub fn request(&mut self, history: &[Message]) -> ModelRequest {
        let request = self.next_request(history);
        self.reminders.clear();
        request
    }

    /// Formats the next request, and records it in the store. Reminders of earlier requests stay in their places.
    ///
    /// # Errors
    /// The conversation has no store or is not there any more, or its text is no longer trusted. Then the reminders wait for
    /// the next one.
    pub fn send(&mut self, input: RequestInput) -> Result<RequestResult, ConversationError> {
        let store = self.store_or_refuse()?.clone();
        let stored = store.wait(store.service.known(&store.id, None))?;
        if self.head().is_none_or(|head| head.revision != stored.head.revision) {
            // Another program built it again.
            self.replay(&stored)?;
            self.stored = Some(stored);
        }
        let options = BuildOptions { tools: self.chosen.clone(), ..self.setup.options() };
        let Some(head) = self.head().cloned() else { return Err(ConversationError::Unknown(store.id)) };
        let mut diagnostics = store.wait(store.service.check_trust(&head, &options))?;
        diagnostics.extend(store.wait(store.service.diagnostics(&head, &options))?);
        let content = self.next_request(&input.messages);
        let actor = store.actor();
        let counter = COUNTERS.get(&self.snapshot.turn.counter).unwrap_or_else(|| Box::new(Bytes4));
        let sent = store.service.send(&head, content, input, &*counter, &actor);
        let mut result = store.wait(sent)?;
        self.reminders.clear();
        diagnostics.append(&mut self.diagnostics);
        diagnostics.append(&mut result.diagnostics);
        Ok(RequestResult { diagnostics, ..result })
    }

    fn next_request(&mut self, history: &[Message]) -> ModelRequest {
        if self.run.is_some() || self.setup.store.is_some() {
            self.compare_permissions();
        }
        let mut diagnostics = Diagnostics::new();
        let hooks = match &self.run {
            Some(_) => of_event(&self.programs, &self.setup.handlers, HookEvent::Context),
            None => Vec::new(),
        };
        let changes = !hooks.is_empty();
        let mut values = if changes { as_values(history) } else { Vec::new() };
        let engine = self.setup.engine();
        for hook in &hooks {
            let mut list = values;
            let mut call = HookCall::new(HookEvent::Context, &self.snapshot.turn.cwd, &mut list);
            let reply = hook.call(engine.system(), &mut call, &mut diagnostics);
            apply_context_reply(&mut list, hook.source(), reply, &mut diagnostics);
            values = list;
        }
        let messages: Cow<'_, [Message]> = if changes {
            let read = values.into_iter().enumerate();
            read.filter_map(|(at, value)| read_message(at, value, &mut diagnostics)).collect()
        } else {
            Cow::Borrowed(history)
        };
        let forms = &self.snapshot.profile.messages;
        let attachment_role = forms.attachments;
        let converted = convert(&messages, forms);
        diagnostics.extend(converted.diagnostics());
        let mut tools = self.defined(&mut diagnostics);
        let selection = ToolSelection::of(self, &mut tools);
        if self.setup.store.is_none() {
            diagnostics.extend(self.other_tools());
        }
        self.diagnostics.append(&mut diagnostics);
        let mut prompt = self.prompt().clone();
        prompt.attachments.extend(self.reminders.iter().cloned());
        let models = self.models.clone();
        ModelRequest { prompt, messages: converted.messages, tools, selection, attachment_role, models }
    }

    /// The definitions of the tools that are in force.
    fn defined(&mut self, diagnostics: &mut Diagnostics) -> Vec<Tool> {
        let tools = self.tools().to_vec();
        let base = std::mem::replace(&mut self.snapshot.turn.tools, tools);
        let defined = self.setup.engine().definitions(&self.inputs, &mut self.snapshot, diagnostics);
        let tools = std::mem::replace(&mut self.snapshot.turn.tools, base);
        defined.unwrap_or_else(|error| {
            let what = format!("the descriptions of tools could not be worked out: {error}");
            diagnostics.push(Diagnostic::error(DiagnosticCode::ToolDescription, what));
            tools
        })
    }
}

/// The messages as hooks see them.
pub(super) fn as_values(history: &[Message]) -> Vec<Value> {
    history.iter().map(|message| Value::Object(message.fields().clone())).collect()
}

/// A message that a hook made may be none.
fn read_message(at: usize, value: Value, diagnostics: &mut Diagnostics) -> Option<Message> {
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
