//! Slash commands: Markdown files whose place below `commands` is their name.

use crate::{
    markdown::{self, MarkdownEntry, MarkdownFile, MarkdownKind, ParsedMarkdown, shown},
    provider::context::ProviderContext,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    origin::Piece,
    scope::Scope,
    template::trim,
    turn::one_line,
};
use serde::Serialize;

/// A file of `commands/`, whatever became of it.
pub type CommandEntry = MarkdownEntry<SlashCommand>;

/// The head of a slash command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SlashCommand {
    /// The description on one line; the first line of the text where the head has none.
    pub description: String,
    /// The hint for its arguments.
    #[serde(rename = "argument-hint")]
    pub argument_hint: Option<String>,
    /// The description with its place in the file.
    #[serde(skip)]
    pub pieces: Vec<Piece>,
}

/// The longest description, in characters.
const DESCRIPTION_LIMIT: usize = 1_536;
/// The longest argument hint, in characters.
const ARGUMENT_HINT_LIMIT: usize = 200;

const COMMANDS: MarkdownKind<SlashCommand> = MarkdownKind {
    dir: "commands",
    word: "command",
    layers: &[Scope::Global, Scope::Project],
    literal: &["argument-hint"],
    is_key: |key| ["description", "allowed-tools", "model"].contains(&key),
    key: str::to_owned,
    read,
};

/// Finds, reads and checks the slash commands of the user and the project: the weakest layer first, each sorted by path.
#[must_use]
pub fn load(context: &ProviderContext<'_>) -> Vec<CommandEntry> {
    markdown::load(&COMMANDS, context)
}

fn read(file: &MarkdownFile) -> Result<ParsedMarkdown<SlashCommand>, Box<Diagnostic>> {
    let mut diagnostics = Diagnostics::new();
    let body: String = file.body.iter().map(|piece| piece.text.as_str()).collect();
    let from_head = file.text("description");
    let text = from_head.unwrap_or_else(|| first_line(&body));
    let whole = one_line(text);
    let description = cut(&whole, DESCRIPTION_LIMIT);
    if description.len() < whole.len() {
        let more = whole.chars().count() - DESCRIPTION_LIMIT;
        let what = format!("{}: the description was cut: {more} more characters", file.source.path);
        diagnostics.push(Diagnostic::info(DiagnosticCode::CommandCut, what).at(file.place("description")));
    }
    let argument_hint =
        file.literal.get("argument-hint").map(|hint| one_line(hint)).filter(|hint| !hint.is_empty());
    let what = SlashCommand {
        pieces: match from_head {
            Some(_) => file.piece(description),
            None => file.piece_of_body(description),
        },
        description: description.to_owned(),
        argument_hint: argument_hint.map(|hint| cut(&shown(&hint), ARGUMENT_HINT_LIMIT).to_owned()),
    };
    Ok(ParsedMarkdown { name: file.below.replace('/', ":"), what, diagnostics })
}

/// Returns the first line that is not blank, without the marks of a heading.
fn first_line(body: &str) -> &str {
    let has_text = |line: &&str| !trim(line).is_empty();
    let line = body.lines().map(|line| line.trim_start_matches('#')).find(has_text);
    line.map(trim).unwrap_or_default()
}

fn cut(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(end, _)| &text[..end])
}
