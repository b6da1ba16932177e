//! The types of a scenario file. Unknown keys were refused, and the messages were checked.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// A scenario: extensions, what the model answers, and what happens. See the [module](super).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// In the order in which they are loaded.
    #[serde(default)]
    pub(super) extensions: Vec<ScenarioExtension>,
    /// The replies of the model, request by request; `done` once they are used up.
    #[serde(default)]
    pub(super) replies: Vec<ScenarioReply>,
    /// The steps, in order.
    #[serde(default = "one_prompt")]
    pub(super) steps: Vec<ScenarioStep>,
}

/// Returns the steps of a file that has none.
pub(super) fn one_prompt() -> Vec<ScenarioStep> {
    vec![ScenarioStep { prompt: Some("hi".to_owned()), ..ScenarioStep::default() }]
}

/// An extension, by declaration: the hooks are what its functions would do.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioExtension {
    pub name: String,
    #[serde(default)]
    pub tools: Vec<DeclaredTool>,
    #[serde(default)]
    pub resources_discover: Vec<OnDiscover>,
    #[serde(default)]
    pub input: Vec<OnInput>,
    #[serde(default)]
    pub before_agent_start: Vec<OnStart>,
    #[serde(default)]
    pub context: Vec<OnContext>,
    #[serde(default)]
    pub tool_call: Vec<OnToolCall>,
    #[serde(default)]
    pub turn_end: Vec<OnTurnEnd>,
}

/// A tool that an extension registers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DeclaredTool {
    pub name: String,
    pub description: Option<String>,
    /// For an interface; nothing here shows it.
    #[serde(rename = "label")]
    pub _label: Option<String>,
    pub prompt_snippet: Option<String>,
    #[serde(default)]
    pub prompt_guidelines: Vec<String>,
    pub parameters: Option<Map<String, Value>>,
    /// The result of a call.
    pub result: Option<String>,
}

/// A handler of `resources_discover`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OnDiscover {
    #[serde(default, deserialize_with = "some_text")]
    pub throw: Option<String>,
    #[serde(default)]
    pub skill_paths: Vec<String>,
    /// Prompt templates and themes are no part of a prompt.
    #[serde(default, rename = "promptPaths")]
    pub _prompt_paths: Vec<String>,
    #[serde(default, rename = "themePaths")]
    pub _theme_paths: Vec<String>,
}

/// A handler of `input`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OnInput {
    #[serde(default, deserialize_with = "some_text")]
    pub throw: Option<String>,
    #[serde(default)]
    pub handled: bool,
    /// The words in place of the person's.
    pub transform: Option<String>,
    /// Words behind them.
    pub append: Option<String>,
}

/// A handler of `before_agent_start`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OnStart {
    #[serde(default, deserialize_with = "some_text")]
    pub throw: Option<String>,
    pub set_active_tools: Option<Vec<String>>,
    pub message: Option<CustomMessage>,
    /// Text behind the prompt.
    pub append: Option<String>,
    /// Text in place of the prompt.
    pub replace: Option<String>,
    #[serde(default)]
    pub replace_with_empty: bool,
    /// True if only the first call answers; tools are switched at each.
    #[serde(default)]
    pub once: bool,
}

/// A handler of `context`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OnContext {
    #[serde(default, deserialize_with = "some_text")]
    pub throw: Option<String>,
    /// The role whose messages are left out.
    #[serde(default, deserialize_with = "some_text")]
    pub drop_role: Option<String>,
    /// A user's message behind the others, in an answer.
    #[serde(default, deserialize_with = "some_text")]
    pub inject: Option<String>,
    /// A user's message behind the others, put into the list itself.
    #[serde(default, deserialize_with = "some_text")]
    pub mutate: Option<String>,
}

/// A handler of `tool_call`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OnToolCall {
    #[serde(default, deserialize_with = "some_text")]
    pub throw: Option<String>,
    /// The reason why the call is blocked.
    #[serde(default, deserialize_with = "some_text")]
    pub block: Option<String>,
}

/// A handler of `turn_end`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OnTurnEnd {
    pub set_active_tools: Option<Vec<String>>,
}

/// A message of an extension.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CustomMessage {
    pub content: Value,
    pub custom_type: Option<String>,
    pub display: Option<bool>,
    pub details: Option<Value>,
}

/// The model's reply to one request: a text, or a call.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ScenarioReply {
    pub text: Option<String>,
    #[serde(default, deserialize_with = "some_text")]
    pub tool_call: Option<String>,
    pub args: Option<Map<String, Value>>,
    /// The usage that a provider would report; it is not used here.
    #[serde(rename = "tokens")]
    pub _tokens: Option<u64>,
}

/// One thing that happens. Where several are named they happen in the order of these fields.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ScenarioStep {
    /// A command that the person ran.
    pub bash: Option<BashRun>,
    /// A message of an extension.
    pub custom: Option<CustomMessage>,
    /// The delivery of the message.
    #[serde(default)]
    pub opts: Delivery,
    pub set_active_tools: Option<Vec<String>>,
    #[serde(default)]
    pub reload: bool,
    /// The prompt of the user.
    pub prompt: Option<String>,
}

/// A command that the person ran, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct BashRun {
    pub command: String,
    #[serde(default)]
    pub output: String,
    #[serde(default)]
    pub exit_code: i64,
    #[serde(default)]
    pub cancelled: bool,
    #[serde(default)]
    pub truncated: bool,
    pub full_output_path: Option<String>,
    /// True for `!!`.
    #[serde(default)]
    pub exclude: bool,
}

/// The delivery of an extension's message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Delivery {
    pub deliver_as: Option<DeliverAs>,
    /// True if a run begins for it.
    #[serde(default)]
    pub trigger_turn: bool,
}

/// The time at which a message of an extension is delivered. Between steps no run is active, so all but
/// `nextTurn` mean now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum DeliverAs {
    FollowUp,
    NextTurn,
    Steer,
}

/// Reads a text; an empty one is treated as absent.
fn some_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.filter(|text| !text.is_empty()))
}

impl CustomMessage {
    /// Returns the fields of the message, without its role.
    pub fn fields(&self, by: &str) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("customType".to_owned(), self.custom_type.as_deref().unwrap_or(by).into());
        fields.insert("content".to_owned(), self.content.clone());
        fields.insert("display".to_owned(), self.display.unwrap_or_default().into());
        if let Some(details) = &self.details {
            fields.insert("details".to_owned(), details.clone());
        }
        fields
    }
}
