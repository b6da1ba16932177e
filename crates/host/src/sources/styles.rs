//! Output styles: Markdown files with instructions for the form of replies.

use crate::{
    markdown::{self, MarkdownEntry, MarkdownFile, MarkdownKind, ParsedMarkdown},
    provider::context::ProviderContext,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    scope::Scope,
};
use serde::Serialize;
use serde_json::Value;

/// A file of `output-styles/`, whatever became of it.
pub type StyleEntry = MarkdownEntry<Style>;

/// The head of an output style.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Style {
    /// The description.
    pub description: Option<String>,
    /// True if the instructions for programming are kept; `None` if the file does not set it.
    pub keep_coding_instructions: Option<bool>,
}

/// The key that decides whether the instructions for programming stay in the prompt.
const KEEP: &str = "keep-coding-instructions";
/// The keys that are read.
const KEYS: [&str; 3] = ["name", "description", KEEP];

const STYLES: MarkdownKind<Style> = MarkdownKind {
    dir: "output-styles",
    word: "style",
    layers: &[Scope::Bundled, Scope::Global, Scope::Project],
    literal: &[],
    is_key: |key| KEYS.contains(&key),
    key: str::to_lowercase,
    read,
};

/// Finds, reads and checks the output styles of all layers: the weakest layer first, each sorted by path.
#[must_use]
pub fn load(context: &ProviderContext<'_>) -> Vec<StyleEntry> {
    markdown::load(&STYLES, context)
}

/// Returns true for a name that selects no style: an empty one, or `default`.
#[must_use]
pub fn is_default(name: &str) -> bool {
    name.is_empty() || name.eq_ignore_ascii_case("default")
}

/// Returns the style of a name, or else of a file name; case does not matter.
#[must_use]
pub fn find<'e>(name: &str, entries: &'e [StyleEntry]) -> Option<&'e StyleEntry> {
    let name = name.to_lowercase();
    let active = || entries.iter().filter(|entry| entry.active);
    let stem = |entry: &&StyleEntry| {
        entry.value.below.rsplit('/').next().is_some_and(|stem| stem.to_lowercase() == name)
    };
    // Of two files in different layers the stronger layer's is used.
    active().find(|entry| entry.name.to_lowercase() == name).or_else(|| active().rfind(stem))
}

fn read(file: &MarkdownFile) -> Result<ParsedMarkdown<Style>, Box<Diagnostic>> {
    let mut diagnostics = file.unknown_keys("a style", &KEYS);
    let keep_coding_instructions = match file.fields.get(KEEP) {
        None | Some(Value::Null) => None,
        Some(Value::Bool(keep)) => Some(*keep),
        Some(Value::String(text)) if matches!(text.as_str(), "true" | "false") => Some(text == "true"),
        Some(_) => {
            let what = format!("{}: `{KEEP}` is neither `true` nor `false`; `true`", file.source.path);
            diagnostics.push(Diagnostic::warning(DiagnosticCode::MarkdownField, what).at(file.place(KEEP)));
            None
        }
    };
    let what = Style { description: file.text("description").map(str::to_owned), keep_coding_instructions };
    Ok(ParsedMarkdown { name: file.own_name(), what, diagnostics })
}
