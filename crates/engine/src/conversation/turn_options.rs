//! The options of a conversation's prompt, in the form that is stored: a compaction uses them again.

use crate::request::{Request, ToolChoice};
use preface_core::{turn::Tool, variable::VariableKey};
use preface_host::{gate::ShownTexts, places::HomeTrust};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

/// The options of a turn's prompt. All but the directory are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct TurnOptions {
    /// The directory that is worked in, absolute, links not resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The model's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A preset or profile by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// The template: `name`, `name@label` or `name@3`; `main` where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The agent whose prompt it is; the main conversation's where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The active tools, by name; those of the profile where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The same with their texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_tools: Option<Vec<Tool>>,
    /// A profile file; overrides `preset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub profile: Option<PathBuf>,
    /// `path=value` settings and profile options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// Variables that are set or removed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, Option<String>>))]
    pub variables: BTreeMap<VariableKey, Option<String>>,
    /// The time zone's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The whole prompt's limit in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
    /// The counter of tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// The instant of this one construct, where it is not now. It is not stored.
    #[serde(skip)]
    pub now: Option<String>,
    /// How trust is handled in this one construct. It is not stored.
    #[serde(skip)]
    pub trust: crate::TrustChoice,
    /// The files that an answer for once is about, in this one construct; `None` is all of them. They are not stored.
    #[serde(skip)]
    pub shown: Option<Arc<ShownTexts>>,
    /// Which directories that the environment names count as the user's, in this one construct. It is not stored.
    #[serde(skip)]
    pub home_trust: HomeTrust,
    /// Pins of `trust export` for this one construct. They are not stored.
    #[serde(skip)]
    pub pins: Option<Vec<u8>>,
    /// The directories that files must be in for this one construct. They are not stored.
    #[serde(skip)]
    pub roots: Option<Vec<PathBuf>>,
}

impl TurnOptions {
    /// Returns the options of a prompt for a directory.
    #[must_use]
    pub fn in_dir(cwd: impl Into<String>) -> Self {
        TurnOptions { cwd: Some(cwd.into()), ..TurnOptions::default() }
    }

    /// Takes the options of a request.
    #[must_use]
    pub fn of(request: &Request) -> Self {
        let (tools, given_tools) = match &request.tools {
            ToolChoice::Profile => (None, None),
            ToolChoice::Named(names) => (Some(names.clone()), None),
            ToolChoice::Given(tools) => (None, Some(tools.clone())),
        };
        TurnOptions {
            cwd: request.cwd.as_ref().map(|cwd| cwd.display().to_string()),
            model: request.model.clone(),
            preset: request.preset.clone(),
            template: None,
            agent: request.agent.clone(),
            tools,
            given_tools,
            profile: request.profile.clone(),
            sets: request.sets.clone(),
            variables: request.variables.clone(),
            zone: request.zone.clone(),
            budget: request.budget,
            counter: request.counter.clone(),
            now: request.now.clone(),
            trust: request.trust,
            shown: request.shown.clone(),
            home_trust: request.home_trust,
            pins: request.pins.clone(),
            roots: request.roots.clone(),
        }
    }

    /// Returns the request for a conversation.
    #[must_use]
    pub fn request(&self, conversation: &str) -> Request {
        Request {
            cwd: self.cwd.as_ref().map(PathBuf::from),
            preset: self.preset.clone(),
            profile: self.profile.clone(),
            model: self.model.clone(),
            conversation: Some(conversation.to_owned()),
            agent: self.agent.clone(),
            tools: match (&self.tools, &self.given_tools) {
                (_, Some(tools)) => ToolChoice::Given(tools.clone()),
                (Some(names), None) => ToolChoice::Named(names.clone()),
                (None, None) => ToolChoice::Profile,
            },
            now: self.now.clone(),
            zone: self.zone.clone(),
            budget: self.budget,
            counter: self.counter.clone(),
            variables: self.variables.clone(),
            sets: self.sets.clone(),
            trust: self.trust,
            shown: self.shown.clone(),
            home_trust: self.home_trust,
            pins: self.pins.clone(),
            roots: self.roots.clone(),
            ..Request::default()
        }
    }

    /// Returns the names of its tools; `None` stands for the profile's.
    pub(crate) fn tool_names(&self) -> Option<BTreeSet<&str>> {
        let given =
            self.given_tools.as_ref().map(|tools| tools.iter().map(|tool| tool.name.as_str()).collect());
        given.or_else(|| Some(self.tools.as_ref()?.iter().map(String::as_str).collect()))
    }

    /// Overrides the stored options with those of a new turn.
    #[must_use]
    pub(crate) fn overlaid(mut self, over: &TurnOptions) -> Self {
        let TurnOptions { cwd, model, preset, template, agent, tools, given_tools, profile, .. } =
            over.clone();
        let TurnOptions { sets, variables, zone, budget, counter, now, trust, shown, pins, roots, .. } =
            over.clone();
        self.cwd = cwd.or(self.cwd);
        self.model = model.or(self.model);
        if preset.is_some() || profile.is_some() {
            (self.preset, self.profile) = (preset, profile);
        }
        self.template = template.or(self.template);
        self.agent = agent.or(self.agent);
        if tools.is_some() || given_tools.is_some() {
            (self.tools, self.given_tools) = (tools, given_tools);
        }
        if !sets.is_empty() {
            self.sets = sets;
        }
        if !variables.is_empty() {
            self.variables = variables;
        }
        self.zone = zone.or(self.zone);
        self.budget = budget.or(self.budget);
        self.counter = counter.or(self.counter);
        self.now = now;
        self.trust = trust;
        self.shown = shown;
        self.pins = pins;
        self.roots = roots;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_turn_overrides_what_it_sets() {
        let before =
            TurnOptions { model: Some("m".into()), sets: vec!["a=b".into()], ..TurnOptions::in_dir("/a") };
        let over = TurnOptions {
            cwd: Some("/b".into()),
            tools: Some(vec!["read".into()]),
            ..TurnOptions::default()
        };
        let now = before.overlaid(&over);
        assert_eq!((now.cwd.as_deref(), now.model.as_deref()), (Some("/b"), Some("m")));
        assert_eq!((now.tools, now.sets), (Some(vec!["read".into()]), vec!["a=b".to_owned()]));
    }

    #[test]
    fn the_instant_of_one_construct_is_not_stored() {
        let options = TurnOptions { now: Some("2026-03-07T14:55:05Z".into()), ..TurnOptions::in_dir("/a") };
        assert_eq!(serde_json::to_string(&options).unwrap(), r#"{"cwd":"/a"}"#);
    }
}
