//! The operations, by name.

use crate::{
    reply::{self, Failure, Reply},
    resource::Resource,
};
use preface::{Conversation, Format, Preface, Prompt, PromptBuilder, RequestUsage, Store, Tool};
use preface_bindings::{RequestOptions, contained};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// Carries out an operation. An error and a panic are replies.
pub fn run(name: &str, input: &str, resource: Option<&Resource>) -> Reply {
    let outcome = contained(|| carry_out(name, input, resource));
    outcome.unwrap_or_else(|message| Err(Failure::Bug(message))).unwrap_or_else(Reply::from)
}

fn carry_out(name: &str, input: &str, resource: Option<&Resource>) -> Result<Reply, Failure> {
    match (name, resource) {
        ("presets", None) => Ok(Reply::new(engine(read::<Home>(input)?.home).presets().into())),
        ("build", None) => Ok(built(read::<Build>(input)?.builder().build()?)),
        ("replay", None) => Ok(built(Prompt::from_snapshot(read::<String>(input)?)?)),
        ("store", None) => {
            let store = match read::<StoreFile>(input)?.file {
                Some(file) => Store::sqlite(file)?,
                None => Store::memory()?,
            };
            Ok(Reply::new(Value::Null).with(Resource::Store(store)))
        }
        ("conversation", None) => open(input, None),
        ("conversation", Some(Resource::Store(store))) => open(input, Some(store)),
        (_, Some(Resource::Prompt(prompt))) => of_prompt(name, input, prompt),
        (_, Some(Resource::Conversation(conversation))) => {
            let mut conversation = conversation.lock().unwrap_or_else(PoisonError::into_inner);
            match (name, conversation.as_mut()) {
                ("close", _) => {
                    *conversation = None;
                    Ok(Reply::new(Value::Null))
                }
                (_, Some(conversation)) => of_conversation(name, input, conversation),
                (_, None) => Err(Failure::Usage("the conversation is closed".to_owned())),
            }
        }
        #[cfg(debug_assertions)]
        ("panic", None) => panic!("asked for by a test"),
        _ => Err(Failure::Bug(format!("no such operation: `{name}`"))),
    }
}

fn open(input: &str, store: Option<&Store>) -> Result<Reply, Failure> {
    let OpenConversation { id, build } = read(input)?;
    let conversation = build.builder().conversation(store, id)?;
    let reply = Reply::new(reply::conversation(&conversation)).with_text(conversation.text());
    Ok(reply.with(Resource::Conversation(Box::new(Mutex::new(Some(conversation))))))
}

/// Adds a hook to an open conversation.
pub fn add_hook(
    resource: &Resource,
    event: &str,
    name: String,
    call: impl Fn(String) -> Result<String, String> + Send + Sync + 'static,
) {
    if let Resource::Conversation(conversation) = resource
        && let Some(conversation) = conversation.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
        && let Some(hook) = preface_bindings::hook(event, name, call)
    {
        conversation.on(hook);
    }
}

fn of_prompt(name: &str, input: &str, prompt: &Prompt) -> Result<Reply, Failure> {
    match name {
        "document" => Ok(Reply::new(Value::Null).with_text(prompt.to_json()?)),
        "details" => Ok(Reply::new(reply::details(prompt))),
        "snapshot" => Ok(Reply::new(Value::Null).with_text(prompt.snapshot()?)),
        "request" => {
            let RequestInput { format, options } = read(input)?;
            let request = options.apply(prompt.request(format.parse::<Format>()?)).build()?;
            Ok(Reply::new(reply::request(&request)).with_text(request.body()))
        }
        _ => Err(Failure::Bug(format!("no such operation of a prompt: `{name}`"))),
    }
}

fn of_conversation(name: &str, input: &str, conversation: &mut Conversation) -> Result<Reply, Failure> {
    let mut body = None;
    let result = match name {
        "remind" => {
            read::<Vec<Value>>(input)?.into_iter().try_for_each(|event| conversation.remind(event))?;
            Value::Null
        }
        "submit" => {
            let SubmitInput { text, messages } = read(input)?;
            conversation.submit(&text, &messages)?.unwrap_or_default()
        }
        "finish" => {
            conversation.finish();
            Value::Null
        }
        "setActiveTools" => {
            conversation.set_active_tools(read::<Vec<String>>(input)?)?;
            Value::Null
        }
        "registerTool" => {
            conversation.register_tool(read::<Tool>(input)?)?;
            Value::Null
        }
        "reload" => conversation.reload()?.into(),
        "request" => {
            let RequestInput { format, options } = read(input)?;
            let request = options.apply(conversation.request(format.parse::<Format>()?)).build()?;
            body = Some(request.body().to_owned());
            reply::request(&request)
        }
        "compact" => conversation.compact()?.into(),
        "refresh" => conversation.refresh()?.into(),
        "recordUsage" => {
            let UsageInput { number, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens } =
                read(input)?;
            let usage = RequestUsage { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens };
            conversation.record_usage(number, usage)?;
            Value::Null
        }
        _ => return Err(Failure::Bug(format!("no such operation of a conversation: `{name}`"))),
    };
    let mut state = reply::conversation(conversation);
    state["text"] = conversation.text().into();
    Ok(Reply { text: body, ..Reply::new(json!({ "result": result, "state": state })) })
}

fn built(prompt: Prompt) -> Reply {
    Reply::new(reply::prompt(&prompt)).with_text(prompt.text()).with(Resource::Prompt(Box::new(prompt)))
}

fn engine(home: Option<PathBuf>) -> Preface {
    home.map_or_else(Preface::new, Preface::with_home)
}

fn read<T: DeserializeOwned>(input: &str) -> Result<T, Failure> {
    serde_json::from_str(input).map_err(|error| Failure::Usage(format!("an argument is not valid: {error}")))
}

#[derive(Deserialize)]
struct Home {
    home: Option<PathBuf>,
}

#[derive(Deserialize)]
struct StoreFile {
    file: Option<PathBuf>,
}

/// The inputs of a prompt.
#[derive(Deserialize)]
struct Build {
    home: Option<PathBuf>,
    cwd: PathBuf,
    #[serde(default)]
    options: Value,
}

impl Build {
    fn builder(self) -> PromptBuilder {
        let builder = engine(self.home).prompt(self.cwd);
        match self.options {
            Value::Null => builder,
            options => builder.options(options),
        }
    }
}

#[derive(Deserialize)]
struct OpenConversation {
    id: String,
    build: Build,
}

/// The inputs of a request.
#[derive(Deserialize)]
struct RequestInput {
    format: String,
    #[serde(default)]
    options: RequestOptions,
}

/// A message of the user.
#[derive(Deserialize)]
struct SubmitInput {
    text: String,
    messages: Value,
}

/// What a service counted.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsageInput {
    number: u64,
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    cache_read_tokens: u64,
    #[serde(default)]
    cache_write_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}
