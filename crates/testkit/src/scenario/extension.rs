//! The hooks of a declared extension as handlers, and its tools. Each hook does what its declaration has, and
//! records its input.

use super::{
    record::{HookError, HookLogEntry, HookObservation},
    types::{DeclaredTool, OnContext, OnDiscover, OnInput, OnStart, ScenarioExtension},
};
use preface_core::{
    hook::{HookCall, HookEvent, HookFailure, HookHandler, HookReply},
    turn::Tool,
};
use serde_json::{Value, json};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// The record of the calls and failures of a scenario's hooks.
#[derive(Debug, Default)]
pub(super) struct Journal {
    pub log: Vec<HookLogEntry>,
    pub errors: Vec<HookError>,
}

/// The journal that all hooks of a play write.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedJournal(Arc<Mutex<Journal>>);

impl SharedJournal {
    /// Opens it. A hook that panicked leaves it whole.
    pub fn open(&self) -> MutexGuard<'_, Journal> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One declared hook.
#[derive(Debug)]
enum HookAction {
    Discover(OnDiscover),
    Input(OnInput),
    Start(OnStart, AtomicBool),
    Context(OnContext),
}

/// A declared hook as a handler.
#[derive(Debug)]
pub(super) struct DeclaredHook {
    extension: String,
    does: HookAction,
    journal: SharedJournal,
}

impl ScenarioExtension {
    /// Returns the hooks that a session calls, in the order of their declaration.
    pub fn hooks(&self, journal: &SharedJournal) -> Vec<DeclaredHook> {
        let discover = self.resources_discover.iter().cloned().map(HookAction::Discover);
        let input = self.input.iter().cloned().map(HookAction::Input);
        let start = self.before_agent_start.iter().cloned();
        let start = start.map(|start| HookAction::Start(start, AtomicBool::new(false)));
        let context = self.context.iter().cloned().map(HookAction::Context);
        let all = discover.chain(input).chain(start).chain(context);
        all.map(|does| DeclaredHook { extension: self.name.clone(), does, journal: journal.clone() })
            .collect()
    }
}

impl HookHandler for DeclaredHook {
    fn name(&self) -> &str {
        &self.extension
    }

    fn wants(&self, event: HookEvent) -> bool {
        event
            == match self.does {
                HookAction::Discover(_) => HookEvent::ResourcesDiscover,
                HookAction::Input(_) => HookEvent::Input,
                HookAction::Start(..) => HookEvent::BeforeAgentStart,
                HookAction::Context(_) => HookEvent::Context,
            }
    }

    fn call(&self, ask: &mut HookCall<'_>) -> Result<HookReply, HookFailure> {
        let saw = match &self.does {
            HookAction::Discover(_) => HookObservation::Discover { reason: ask.reason },
            HookAction::Input(_) => {
                HookObservation::Input { text: ask.prompt.unwrap_or_default().to_owned() }
            }
            HookAction::Start(..) => prompt_seen(ask.system_prompt.unwrap_or_default()),
            HookAction::Context(_) => {
                let role = |message: &Value| message["role"].as_str().unwrap_or_default().to_owned();
                HookObservation::Messages { roles: ask.messages.iter().map(role).collect() }
            }
        };
        self.journal.open().log.push(HookLogEntry { ext: self.extension.clone(), event: ask.event, saw });
        let throw = match &self.does {
            HookAction::Discover(hook) => &hook.throw,
            HookAction::Input(hook) => &hook.throw,
            HookAction::Start(hook, _) => &hook.throw,
            HookAction::Context(hook) => &hook.throw,
        };
        if let Some(error) = throw {
            let failed = HookError { ext: self.extension.clone(), event: ask.event, error: error.clone() };
            self.journal.open().errors.push(failed);
            return Err(HookFailure::failed(error));
        }
        Ok(match &self.does {
            HookAction::Discover(hook) => {
                HookReply { skill_paths: hook.skill_paths.clone(), ..HookReply::default() }
            }
            HookAction::Input(hook) => input(hook, ask.prompt.unwrap_or_default()),
            HookAction::Start(hook, before) => {
                let again = before.swap(true, Ordering::Relaxed);
                self.start(hook, hook.once && again, ask.system_prompt.unwrap_or_default())
            }
            HookAction::Context(hook) => context(hook, ask.messages),
        })
    }
}

impl DeclaredHook {
    fn start(&self, hook: &OnStart, silent: bool, prompt: &str) -> HookReply {
        let active_tools = hook.set_active_tools.clone();
        if silent {
            return HookReply { active_tools, ..HookReply::default() };
        }
        let appended = || hook.append.as_ref().map(|text| format!("{prompt}{text}"));
        HookReply {
            active_tools,
            system_prompt: hook.replace.clone().or_else(appended),
            replace_with_empty: hook.replace_with_empty,
            message: hook.message.as_ref().map(|one| Value::Object(one.fields(&self.extension))),
            ..HookReply::default()
        }
    }
}

fn input(hook: &OnInput, words: &str) -> HookReply {
    let given = hook.transform.as_deref().unwrap_or(words);
    let changed = hook.transform.is_some() || hook.append.is_some();
    HookReply {
        handled: hook.handled,
        prompt: changed.then(|| format!("{given}{}", hook.append.as_deref().unwrap_or_default())),
        ..HookReply::default()
    }
}

fn context(hook: &OnContext, messages: &mut Vec<Value>) -> HookReply {
    let answer = |messages: Vec<Value>| HookReply { messages: Some(messages), ..HookReply::default() };
    if let Some(role) = &hook.drop_role {
        return answer(messages.iter().filter(|one| one["role"] != role.as_str()).cloned().collect());
    }
    if let Some(text) = &hook.inject {
        let injected = json!({ "role": "user", "content": [{ "type": "text", "text": text }] });
        return answer(messages.iter().cloned().chain([injected]).collect());
    }
    if let Some(text) = &hook.mutate {
        messages.push(json!({ "role": "user", "content": text }));
    }
    HookReply::default()
}

fn prompt_seen(prompt: &str) -> HookObservation {
    let units: Vec<u16> = prompt.encode_utf16().collect();
    let tail = &units[units.len().saturating_sub(60)..];
    HookObservation::Prompt { saw_prompt_tail: String::from_utf16_lossy(tail), saw_len: units.len() }
}

impl DeclaredTool {
    /// Returns the tool as a session registers it.
    pub fn tool(&self) -> Tool {
        let schema = self.parameters.clone().map(Value::Object);
        Tool {
            name: self.name.clone(),
            description: Some(self.description.clone().unwrap_or_else(|| self.name.clone())),
            snippet: self.prompt_snippet.clone(),
            guidelines: self.prompt_guidelines.clone(),
            input_schema: Some(
                schema.unwrap_or_else(|| json!({ "type": "object", "properties": {} })).into(),
            ),
            ..Tool::default()
        }
    }
}
