//! The options of a build, as every way in takes them: the command line fills them from its flags, the libraries for Python and
//! TypeScript and the service read them as JSON, and a conversation stores them, because a compaction uses them again.

#[cfg(feature = "openapi")]
use preface_core::declaration::VariableValue;
use preface_core::{
    declaration::{Declarations, GivenVariables},
    origin::{Origin, Piece},
    turn::Tool,
};
use preface_host::{places::HomeTrust, trust::RootRecord};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

/// The options of a build. All are optional. Stored are those that decide about later builds of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct BuildOptions {
    /// The directory that is worked in, links not resolved. A program's own directory where it is left out; a service takes absolute
    /// ones in its roots.
    #[serde(
        rename = "directory",
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "text_path"
    )]
    #[cfg_attr(
        feature = "openapi",
        schema(value_type = Option<String>, max_length = 4096, pattern = r"^/[^\x00]*$")
    )]
    pub cwd: Option<PathBuf>,
    /// The name of the directory in the prompt, where that is not its path.
    #[serde(skip)]
    pub cwd_name: Option<String>,
    /// A preset or profile by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 4096, pattern = r"^[^\x00]*$"))]
    pub preset: Option<String>,
    /// A profile file; overrides `preset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub profile: Option<PathBuf>,
    /// The preset where neither the caller nor the settings choose one; without it `default`.
    #[serde(skip)]
    pub fallback_preset: Option<String>,
    /// Uses the default preset where the user's settings choose a profile that cannot be loaded. The error becomes a diagnostic.
    #[serde(skip)]
    pub default_on_error: bool,
    /// The stored template: `name`, `name@label` or `name@3`; `main` where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}(@[A-Za-z0-9][A-Za-z0-9._-]{0,63})?$|^$")
    )]
    pub template: Option<String>,
    /// The text of the template, in place of a stored one. It is not stored.
    #[serde(skip_serializing_if = "is_of_one_build")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub template_text: Option<TemplateInput>,
    /// The model's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 4096, pattern = r"^[^\x00]*$"))]
    pub model: Option<String>,
    /// The agent whose prompt it is; the main conversation's where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 4096, pattern = r"^[^\x00]*$"))]
    pub agent: Option<String>,
    /// The active tools, by name or with their definitions; those of the profile where it is left out.
    #[serde(default, skip_serializing_if = "is_profile")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<ToolOption>>, max_items = 1000))]
    pub tools: ToolChoice,
    /// Values of declared variables and values that replace what would be found, by `type:name`: a text, true or false, or a list
    /// of texts or records; null for a variable that is to be absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, GivenValue>))]
    pub variables: GivenVariables,
    /// Settings by their path, such as `sections.style.text`, and options of the profile.
    #[serde(default, rename = "settings", skip_serializing_if = "Vec::is_empty", with = "setting_map")]
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, Object>))]
    pub sets: Vec<String>,
    /// Events that call for reminders: `{"type": "plan-mode", …}`. They are not stored.
    #[serde(default, skip_serializing_if = "is_of_one_build")]
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>, max_items = 1000))]
    pub events: Vec<Value>,
    /// The whole prompt's limit in tokens.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::json_input::optional"
    )]
    pub budget: Option<usize>,
    /// The tokenizer, such as `estimate:bytes4`.
    #[serde(rename = "tokenizer", skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// The name of the time zone, such as `Europe/Berlin`.
    #[serde(rename = "time_zone", skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The instant of this one build, RFC 3339, where it is not now. It is not stored.
    #[serde(skip_serializing_if = "is_of_one_build")]
    pub now: Option<String>,
    /// The conversation's id. It is not stored here.
    #[serde(skip_serializing_if = "is_of_one_build")]
    #[cfg_attr(feature = "openapi", schema(max_length = 255))]
    pub conversation: Option<String>,
    /// The handling of trust in this one build: `recorded`, `require`, `once` or `deny`. It is not stored.
    #[serde(default, skip_serializing_if = "is_of_one_build", deserialize_with = "trust_choice")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub trust: TrustChoice,
    /// An export of `preface trust export` for this one build. It is not stored.
    #[serde(
        default,
        rename = "trust_pins",
        skip_serializing_if = "is_of_one_build",
        deserialize_with = "text_bytes"
    )]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub pins: Option<Vec<u8>>,
    /// The files that an answer for once is about, in this one build; `None` is all of them.
    #[serde(skip)]
    pub shown: Option<Arc<RootRecord>>,
    /// Which directories that the environment names count as the user's, in this one build.
    #[serde(skip)]
    pub home_trust: HomeTrust,
    /// The directories that files of the tree and `file:` variables must be in, real paths, for this one build; `None` is anywhere. The
    /// directory is one of them or lies below one.
    #[serde(skip)]
    pub roots: Option<Vec<PathBuf>>,
    /// Files and directories that links of the project may lead to in this one build, beside those of the user's settings. A
    /// relative path is relative to the process's own directory.
    #[serde(skip)]
    pub follow: Vec<PathBuf>,
}

/// A template from a store, or an unsaved one. In JSON it is its text alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateInput {
    /// The name.
    pub name: Arc<str>,
    /// The version; `None` if the text is not stored (yet).
    pub version: Option<u64>,
    /// The text.
    pub text: Arc<str>,
    /// The variables that it declares.
    pub variables: Declarations,
}

impl TemplateInput {
    /// Creates one that is not stored and declares nothing.
    #[must_use]
    pub fn unsaved(name: &str, text: impl Into<Arc<str>>) -> Self {
        TemplateInput {
            name: name.into(),
            version: None,
            text: text.into(),
            variables: Declarations::default(),
        }
    }

    /// Returns the text as pieces. An empty text has no piece.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        let origin = || Origin::Stored {
            template: self.name.clone(),
            version: self.version,
            span: 0..self.text.len(),
        };
        let piece = || Piece { text: self.text.to_string(), origin: origin() };
        (!self.text.is_empty()).then(piece).into_iter().collect()
    }
}

impl Serialize for TemplateInput {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(to)
    }
}

impl<'de> Deserialize<'de> for TemplateInput {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(TemplateInput::unsaved("main", String::deserialize(from)?))
    }
}

/// The choice of the active tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The tools of the profile.
    #[default]
    Profile,
    /// Exactly these names.
    Named(Vec<String>),
    /// Exactly these, with their texts.
    Given(Vec<Tool>),
}

/// The handling of trust in a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustChoice {
    /// Uses the recorded trust, and asks the user if that is possible.
    #[default]
    #[serde(rename = "recorded")]
    Ask,
    /// Includes all project files, for this call only; nothing is recorded.
    Once,
    /// Includes all project files, as `Once` does, unless the user declined the project or took a grant back: then the recorded
    /// trust is used. For a service, where naming a root is the grant.
    #[serde(skip)]
    Roots,
    /// Includes no project file.
    Deny,
    /// Works like `Ask` without asking, and fails where files are untrusted.
    Require,
}

/// The value of a variable; null for one that is to be absent.
#[cfg(feature = "openapi")]
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its description is used")]
enum GivenValue {
    Absent,
    Value(VariableValue),
}

/// A tool of a list: its name, or its definition.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum ToolOption {
    /// The name of a tool that the profile knows.
    Name(String),
    /// A tool of the caller's own.
    Definition(Box<Tool>),
}

impl<'de> Deserialize<'de> for ToolOption {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Value::deserialize(from)? {
            Value::String(name) => Ok(ToolOption::Name(name)),
            definition => match serde_json::from_value(definition) {
                Ok(tool) => Ok(ToolOption::Definition(tool)),
                Err(error) => Err(D::Error::custom(format_args!("not a tool: {error}"))),
            },
        }
    }
}

impl ToolChoice {
    /// Returns the choice of a list: names alone are looked up, a list with a definition is used as it is.
    #[must_use]
    pub fn of(tools: Vec<ToolOption>) -> Self {
        let name = |tool: &ToolOption| match tool {
            ToolOption::Name(name) => Some(name.clone()),
            ToolOption::Definition(_) => None,
        };
        if let Some(names) = tools.iter().map(name).collect() {
            return ToolChoice::Named(names);
        }
        let given = |tool| match tool {
            ToolOption::Name(name) => Tool { name, ..Tool::default() },
            ToolOption::Definition(tool) => *tool,
        };
        ToolChoice::Given(tools.into_iter().map(given).collect())
    }

    /// Returns the names; `None` stands for the profile's tools.
    #[must_use]
    pub fn names(&self) -> Option<Vec<&str>> {
        match self {
            ToolChoice::Profile => None,
            ToolChoice::Named(names) => Some(names.iter().map(String::as_str).collect()),
            ToolChoice::Given(tools) => Some(tools.iter().map(|tool| tool.name.as_str()).collect()),
        }
    }
}

/// Keeps out of a store what decides about one build alone.
fn is_of_one_build<T>(_: &T) -> bool {
    true
}

fn is_profile(tools: &ToolChoice) -> bool {
    *tools == ToolChoice::Profile
}

impl Serialize for ToolChoice {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            ToolChoice::Profile => to.serialize_none(),
            ToolChoice::Named(names) => names.serialize(to),
            ToolChoice::Given(tools) => tools.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for ToolChoice {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Option::<Vec<ToolOption>>::deserialize(from)?.map_or(ToolChoice::Profile, ToolChoice::of))
    }
}

mod setting_map {
    use super::{Deserialize, Deserializer, Serializer, Value};
    use serde::de::Error as _;

    pub fn serialize<S: Serializer>(sets: &[String], to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(sets.iter().map(|set| set.split_once('=').unwrap_or((set, ""))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
        let settings = serde_json::Map::<String, Value>::deserialize(from)?;
        let set = |(path, value): (&String, &Value)| super::setting(path, value).map_err(D::Error::custom);
        settings.iter().map(set).collect()
    }
}

/// Writes a setting as `path=value`: a text as it is, any other value as JSON.
///
/// # Errors
/// The text is not the path of a setting.
pub fn setting(path: &str, value: &Value) -> Result<String, String> {
    if path.is_empty() || path.contains('=') {
        return Err(format!("not the path of a setting: `{path}`"));
    }
    Ok(match value {
        Value::String(text) => format!("{path}={text}"),
        value => format!("{path}={value}"),
    })
}

fn text_path<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(PathBuf::from))
}

fn text_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<u8>>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(String::into_bytes))
}

/// Reads a choice; without one, the recorded trust counts.
fn trust_choice<'de, D: Deserializer<'de>>(from: D) -> Result<TrustChoice, D::Error> {
    Ok(Option::<TrustChoice>::deserialize(from)?.unwrap_or_default())
}

impl BuildOptions {
    /// Returns the options of a prompt for a directory.
    ///
    /// ```
    /// use preface_engine::{BuildOptions, ToolChoice};
    /// let options: BuildOptions = serde_json::from_value(serde_json::json!({
    ///     "directory": "/work",
    ///     "tools": ["read", {"name": "weather", "description": "Returns the weather of a city."}],
    ///     "variables": {"app:plan": "pro", "git:branch": null},
    ///     "settings": {"sections.style.text": "Be brief."},
    /// }))?;
    /// assert_eq!(options.sets, ["sections.style.text=Be brief."]);
    /// assert!(matches!(options.tools, ToolChoice::Given(tools) if tools.len() == 2));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn in_dir(cwd: impl Into<PathBuf>) -> Self {
        BuildOptions { cwd: Some(cwd.into()), ..BuildOptions::default() }
    }

    /// Returns the names of its tools; `None` stands for the profile's.
    pub(crate) fn tool_names(&self) -> Option<BTreeSet<&str>> {
        Some(self.tools.names()?.into_iter().collect())
    }

    /// Overrides the stored options with those of a new turn.
    #[must_use]
    pub(crate) fn overlaid(self, over: &BuildOptions) -> Self {
        let over = over.clone();
        let other_profile = over.preset.is_some() || over.profile.is_some();
        BuildOptions {
            cwd: over.cwd.or(self.cwd),
            model: over.model.or(self.model),
            preset: if other_profile { over.preset } else { self.preset },
            profile: if other_profile { over.profile } else { self.profile },
            template: over.template.or(self.template),
            agent: over.agent.or(self.agent),
            tools: if is_profile(&over.tools) { self.tools } else { over.tools },
            sets: if over.sets.is_empty() { self.sets } else { over.sets },
            variables: if over.variables.is_empty() { self.variables } else { over.variables },
            zone: over.zone.or(self.zone),
            budget: over.budget.or(self.budget),
            counter: over.counter.or(self.counter),
            home_trust: self.home_trust,
            ..over
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_new_turn_overrides_what_it_sets() {
        let before =
            BuildOptions { model: Some("m".into()), sets: vec!["a=b".into()], ..BuildOptions::in_dir("/a") };
        let over = BuildOptions {
            cwd: Some("/b".into()),
            tools: ToolChoice::Named(vec!["read".into()]),
            ..BuildOptions::default()
        };
        let now = before.overlaid(&over);
        assert_eq!((now.tool_names(), now.sets.len()), (Some(BTreeSet::from(["read"])), 1));
        assert_eq!((now.cwd, now.model.as_deref()), (Some("/b".into()), Some("m")));
    }

    #[test]
    fn what_is_of_one_build_is_not_stored() {
        let options: BuildOptions = serde_json::from_value(json!({
            "directory": "/a", "now": "2026-03-07T14:55:05Z", "trust": "once", "events": [{"type": "x"}],
            "trust_pins": "{}", "template_text": "x", "conversation": "c",
        }))
        .unwrap();
        assert_eq!(options.trust, TrustChoice::Once);
        assert_eq!(serde_json::to_string(&options).unwrap(), r#"{"directory":"/a"}"#);
    }

    #[test]
    fn what_is_stored_is_read_back() {
        let json = json!({
            "directory": "/a", "preset": "pi", "tools": ["read", {"name": "own", "strict": true}], "budget": 9,
            "settings": {"a.b": "x=y", "c": 1}, "variables": {"app:x": null}, "time_zone": "UTC", "tokenizer": "o200k",
        });
        let options: BuildOptions = serde_json::from_value(json).unwrap();
        assert_eq!(options.sets, ["a.b=x=y", "c=1"]);
        let again = serde_json::from_value(serde_json::to_value(&options).unwrap());
        assert_eq!(again.ok(), Some(options));
        for bad in [
            json!({"cwd": "/a"}),
            json!({"settings": {"a=b": 1}}),
            json!({"trust": "roots"}),
            json!({"tools": [1]}),
        ] {
            assert!(serde_json::from_value::<BuildOptions>(bad).is_err());
        }
    }
}
