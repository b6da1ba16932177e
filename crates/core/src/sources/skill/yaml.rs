//! YAML, through the one library that reads it here, with a small budget of its own. Nothing else knows its name.
//!
//! Version 1.2, core schema: `yes` and `on` are texts, dates are texts, `<<` is an ordinary key, an unknown tag is
//! ignored, and a key that is twice is an error.

use crate::json_type::without_position;
use serde_json::{Map, Value};
use serde_saphyr::{MergeKeyPolicy, NonFiniteFloatPolicy, Options};

/// The top-level keys of a block, in its order, with their values as JSON.
pub type YamlFields = Map<String, Value>;

/// True for what JavaScript takes for false: nothing, `false`, 0 and the empty text.
pub(super) fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(value) => value.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// The reason why a block is not YAML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct YamlError {
    /// The message of the YAML library, on one line.
    pub message: String,
    /// The line in the block, from 1, where it is known.
    pub line: Option<usize>,
}

/// Reads a block. One that is no map has no keys.
pub(super) fn read(block: &str) -> Result<YamlFields, YamlError> {
    if let Some(line) = tabbed(block) {
        let message = "tabs are not allowed as indentation".to_owned();
        return Err(YamlError { message, line: Some(line) });
    }
    match serde_saphyr::from_str_with_options(block, options()) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Ok(YamlFields::new()),
        Err(error) => Err(YamlError {
            message: message(&error.without_snippet().to_string()),
            line: error.location().and_then(|at| usize::try_from(at.line()).ok()).filter(|line| *line > 0),
        }),
    }
}

/// The first line of content, from 1, where a tab is before it. The library takes that; others do not.
fn tabbed(block: &str) -> Option<usize> {
    let (at, line) = block.lines().enumerate().find(|(_, line)| !line.trim().is_empty())?;
    let indentation = &line[..line.len() - line.trim_start().len()];
    (indentation.contains('\t') && !line.trim_start().starts_with('#')).then_some(at + 1)
}

/// Frontmatter is small: a larger one is an attack or an accident.
fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 4_000,
            max_nodes: 4_000,
            max_aliases: 100,
            max_anchors: 100,
            max_depth: 64,
            max_documents: 1,
            max_recorded_anchor_events: 2_000,
        },
        merge_keys: MergeKeyPolicy::AsOrdinary,
        strict_booleans: true,
        underscored_numbers_as_strings: true,
        ignore_binary_tag_for_string: true,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    }
}

/// Returns the library's message on one line, without the place, which is reported as a line of the file.
fn message(text: &str) -> String {
    // Advice for callers of the library.
    one_line(text.split(", set DuplicateKeyPolicy").next().unwrap_or(text))
}

fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    without_position(&text).to_owned()
}
