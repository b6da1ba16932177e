//! The record that is stored with a prompt: parts with their origins, variables, options. Variables are stored as digests,
//! without their values: a value is in the prompt, if anywhere.

use super::ConversationError;
use crate::{BuildOptions, COUNTERS};
use preface_core::{
    budget::{Bytes4, Counter},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    lint::hidden::escape_hidden,
    profile::{CompactionAction, Rebuild},
    prompt::{Prompt, fingerprint},
    suggestion::quoted,
    trust::TrustMode,
    variable::{RecordedVariables, Stability, VariableKey},
};
use preface_host::trust::gate::AdmittedText;
use preface_store::{PromptSummary, StoredPrompt};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The version of the form that a store keeps.
pub const RECORD_VERSION: u32 = 1;

/// The record that a store has for each prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptRecord {
    /// The version of this format.
    pub version: u32,
    /// The version of preface that built the prompt.
    pub engine: String,
    /// The inputs that the prompt was built from.
    pub options: BuildOptions,
    /// The prompt; its text is stored next to the record.
    pub prompt: Prompt,
    /// The variables that were looked up, by name.
    pub variables: Vec<UsedValue>,
    /// The texts of the project that it was built with.
    pub project: Vec<AdmittedText>,
    /// The profile's trust mode for these files.
    #[serde(default)]
    pub trust: TrustMode,
    /// When the profile builds the prompt again by itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rebuild: Rebuild,
    /// What a compaction does to the prompt.
    #[serde(default, skip_serializing_if = "is_default")]
    pub compaction: CompactionAction,
    /// The active tools, by name, where the prompt lists tools or has none to list; `None` also where it was stored before they were recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The tokenizer, if it was not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reports tools of a turn that are not those that a prompt was built for; `keeps` is true where a compaction does not
/// build it.
pub(super) fn other_tools(built: &BTreeSet<&str>, now: Option<&BTreeSet<&str>>, keeps: bool) -> Diagnostic {
    let list = |names: &BTreeSet<&str>| match names.len() {
        0 => "none".to_owned(),
        _ => quoted(names.iter().map(|name| escape_hidden(name))),
    };
    let built = list(built);
    let what = match now {
        Some(now) => format!("this turn has other tools ({}) than the prompt ({built})", list(now)),
        None => format!("this turn names no tools, and the prompt was built for {built}"),
    };
    stays_as_built(DiagnosticCode::ConversationTools, &what, keeps)
}

fn stays_as_built(code: DiagnosticCode, what: &str, keeps: bool) -> Diagnostic {
    Diagnostic::warning(code, format!("{what}; the stored prompt stays as it was built"))
        .help(rebuild_help(keeps))
}

/// Returns what builds a stored prompt for other options; `keeps` is true where a compaction does not.
pub(super) fn rebuild_help(keeps: bool) -> &'static str {
    if keeps {
        "a refresh builds it for the new one"
    } else {
        "a compaction or a refresh builds it for the new one"
    }
}

/// A variable that a prompt depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UsedValue {
    /// Its name.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub variable: VariableKey,
    /// True if it had a value.
    pub exists: bool,
    /// Who answered.
    pub source: String,
    /// How long its value stays the same.
    pub stability: Stability,
    /// The digest of the value, as `blake3:<hex>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl UsedValue {
    pub(super) fn all(variables: &RecordedVariables) -> Vec<UsedValue> {
        variables
            .iter()
            .map(|(key, variable)| UsedValue {
                variable: key.clone(),
                exists: variable.value.is_some(),
                source: variable.source.to_string(),
                stability: variable.stability,
                digest: variable.value.as_deref().map(fingerprint),
            })
            .collect()
    }
}

impl PromptRecord {
    /// Returns the tokenizer of the prompt; the default if this build does not have it.
    #[must_use]
    pub fn counter(&self) -> Box<dyn Counter> {
        let name = self.counter.as_deref().or(self.options.counter.as_deref());
        name.and_then(|name| COUNTERS.get(name)).unwrap_or_else(|| Box::new(Bytes4))
    }

    /// Says which tools, settings and limit of a later turn are not those that the prompt was built for.
    pub(super) fn differs(&self, options: &BuildOptions) -> Diagnostics {
        let keeps = self.compaction == CompactionAction::Keep;
        let mut diagnostics = Diagnostics::new();
        let built =
            self.tools.as_ref().map(|tools| tools.iter().map(String::as_str).collect::<BTreeSet<_>>());
        let now = options.tool_names();
        if let Some(built) = built
            && now != self.options.tool_names()
            && now.as_ref() != Some(&built)
        {
            diagnostics.push(other_tools(&built, now.as_ref(), keeps));
        }
        let mut report = |what: &str| {
            diagnostics.push(stays_as_built(DiagnosticCode::ConversationOptions, what, keeps));
        };
        for set in options.sets.iter().filter(|set| !self.options.sets.contains(set)) {
            report(&format!("the option `{}` is not used in this turn", escape_hidden(set)));
        }
        for (name, value) in &options.variables {
            if self.options.variables.get(name) != Some(value) {
                report(&format!("`{name}` is not used in this turn"));
            }
        }
        if let Some(budget) = options.budget.filter(|budget| Some(*budget) != self.options.budget) {
            report(&format!("the budget of {budget} tokens is not used in this turn"));
        }
        diagnostics
    }

    /// Reads the record of a conversation, with the text of its prompt.
    ///
    /// # Errors
    /// It is of a newer form, or no record.
    pub fn of(conversation: &StoredPrompt) -> Result<PromptRecord, ConversationError> {
        #[derive(Deserialize)]
        struct RecordVersion {
            version: u32,
        }
        let unreadable = |error: serde_json::Error| ConversationError::Record(error.to_string());
        let RecordVersion { version } = serde_json::from_str(&conversation.record).map_err(unreadable)?;
        if version > RECORD_VERSION {
            let why = format!("a newer preface wrote it: its form is {version}, known is {RECORD_VERSION}");
            return Err(ConversationError::Record(why));
        }
        let mut record: PromptRecord = serde_json::from_str(&conversation.record).map_err(unreadable)?;
        record.prompt.text = conversation.head.text.to_string();
        Ok(record)
    }
}

/// Returns true if two prompts have the same text and were built for the same: later turns are compared with that, and a
/// compaction uses it again. The values of variables are no part of it; they change from one call to the next.
pub(super) fn is_same(one: &StoredPrompt, other: &StoredPrompt) -> Result<bool, ConversationError> {
    let terms = |conversation: &StoredPrompt| {
        let options = PromptRecord::of(conversation)?.options;
        let PromptSummary { text, cwd, model, preset, template, .. } = conversation.head.clone();
        let tools: Option<BTreeSet<String>> =
            options.tool_names().map(|names| names.into_iter().map(str::to_owned).collect());
        // The profile that it was built by, and the words that chose it.
        let profile = (preset, options.preset, options.profile);
        // A template that was left out is the one that was taken.
        let template = template.map(|used| used.chosen).or(options.template);
        let place = (text, cwd, model, profile, template);
        Ok::<_, ConversationError>((place, options.agent, tools, options.sets, options.budget))
    };
    Ok(terms(one)? == terms(other)?)
}
