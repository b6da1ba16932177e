//! Context provider `mcp-servers`: the MCP servers that may be used, with what was recorded of them. No server is contacted.
//!
//! Tools are listed under the names that requests define, and only those that are active: a model cannot call others.
//! Each has the first sentence of its description; the definition has all of it.
//!
//! The texts of a server come from outside: their origin is the variable `mcp:<server>`, so that a profile escapes
//! forged structure in them with `escape = ["mcp"]`; in the variables of an item it is escaped always. A server's whole text is
//! one piece: no tag can hide in a border.

use super::{ContextProvider, ProvidedTexts, SectionOptions};
use crate::provider::context::ProviderContext;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Remedy},
    lint::character::cut,
    lint::{
        forged::{TAGS, neutralise},
        hidden::{escape_hidden, write_out},
    },
    mcp_servers::{ServerDescription, ServerEntry},
    origin::{Origin, Piece},
    section::{Language, Section},
    snapshot::Item,
    template::trim,
    turn::{OF_SERVER, Tool},
    variable::VariableKey,
};
use std::{borrow::Cow, collections::BTreeMap};

/// The most bytes of instructions.
const TEXT_LIMIT: usize = 2 << 10;
/// The most characters of a tool's description that are listed.
const SENTENCE_LIMIT: usize = 200;
/// The most characters of a server's name.
const NAME_LIMIT: usize = 128;
/// The text of a server that has no recording.
const UNKNOWN: &str = "Its tools are not known yet.";

/// Names servers and tools.
pub const MCP_SERVERS: ContextProvider = ContextProvider {
    follows_tools: true,
    ..ContextProvider::new(
        "mcp-servers",
        "the MCP servers that may be used, with instructions and active tools as they were recorded",
        &[(
            "resource_tools",
            "tools that use a server which has none of its own active: without one of them that server is left out \
         (default none is needed)",
        )],
        provide,
    )
};

fn provide(section: &Section, context: &ProviderContext<'_>) -> ProvidedTexts {
    let options = SectionOptions::new(section, context);
    let needed = options.texts("resource_tools", &[]);
    let is_reached = needed.is_empty() || context.turn.tools.iter().any(|tool| needed.contains(&tool.name));
    // They are sorted by name, and one of a name is active.
    let usable = || context.servers.iter().filter(|server| server.runnable);
    let items: Vec<Item> = usable().filter_map(|server| item(server, is_reached, context)).collect();
    let why = if context.servers.is_empty() {
        "there is no MCP server"
    } else if usable().next().is_none() {
        "no MCP server is active and allowed"
    } else {
        "no tool of an MCP server is active"
    };
    ProvidedTexts::of(items, why)
}

/// Returns the text of a server; `None` if it has tools, none of them is active, and it has nothing else to offer, or
/// where the model has no tool for what else it offers.
fn item(server: &ServerEntry, is_reached: bool, context: &ProviderContext<'_>) -> Option<Item> {
    let name = plain(&server.name);
    let active = active_tools(server, context);
    if active.is_none() && !is_reached {
        return None;
    }
    let (instructions, tools) = match &server.value.recorded {
        None => {
            let what = format!("nothing is recorded of MCP server `{name}`: its tools are not known yet");
            context.note(unrecorded(server, &what));
            (None, Some(UNKNOWN.to_owned()))
        }
        Some(recalled) => {
            let described = &recalled.recording.described;
            if active.is_none() && !described.tools.is_empty() && described.resources.is_empty() {
                return None;
            }
            (instructions(described, &name, context), active)
        }
    };
    let parts = [Some(format!("## {name}")), instructions.clone(), tools.clone()];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    let variables = [("name", Some(name.clone())), ("instructions", instructions), ("tools", tools)];
    let variables = variables
        .into_iter()
        .filter_map(|(key, text)| Some((key.to_owned(), neutralise(&text?, TAGS).into_owned())));
    let origin =
        Origin::Variable { key: VariableKey::new("mcp", &name), source: server.origin.path.as_str().into() };
    Some(Item {
        variables: variables.collect::<BTreeMap<_, _>>(),
        pieces: vec![Piece { text, origin }],
        language: Language::Verbatim,
        rank: None,
    })
}

/// Returns the instructions of a server as the prompt has them, and reports what was cut or is hidden.
fn instructions(
    described: &ServerDescription,
    server: &str,
    context: &ProviderContext<'_>,
) -> Option<String> {
    let text = lines_as_lf(described.instructions.as_deref()?);
    let text = trim(&text);
    if text.is_empty() {
        return None;
    }
    if text.len() > TEXT_LIMIT {
        let what = format!(
            "the instructions of MCP server `{server}` have more than {TEXT_LIMIT} bytes; they were cut"
        );
        context.note(Diagnostic::info(DiagnosticCode::McpCut, what));
    }
    let text = cut(text, TEXT_LIMIT);
    let visible = write_out(&text);
    if matches!(visible, Cow::Owned(_)) {
        let what = format!(
            "the instructions of MCP server `{server}` hide characters; they are written out in the prompt"
        );
        let help = format!("context at what is recorded of `{server}`");
        context.note(Diagnostic::warning(DiagnosticCode::McpHidden, what).help(help));
    }
    Some(below(&visible))
}

/// Returns the list of the server's tools that are active, by the names that requests define.
fn active_tools(server: &ServerEntry, context: &ProviderContext<'_>) -> Option<String> {
    let is_of_server = |tool: &&Tool| {
        tool.source.as_deref().and_then(|source| source.strip_prefix(OF_SERVER)) == Some(&server.name)
    };
    let lines: Vec<String> = context.turn.tools.iter().filter(is_of_server).map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The number of heading levels above a server's text.
const LEVELS: usize = 2;

/// Lowers the headings of a server's text below the heading of the server, so that none of them starts the
/// section of another server, or a part of the prompt.
fn below(text: &str) -> String {
    let mut fenced = false;
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start_matches(' ');
        let is_indented = line.len() - bare.len() > 3;
        if !is_indented && (bare.starts_with("```") || bare.starts_with("~~~")) {
            fenced = !fenced;
        }
        let level = bare.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = (1..=6).contains(&level)
            && bare[level..].chars().next().is_none_or(char::is_whitespace)
            && !fenced
            && !is_indented;
        if is_heading {
            out.push_str(&"######"[..(level + LEVELS).min(6) - level]);
        }
        out.push_str(line);
    }
    out
}

/// One item of the list.
fn line(tool: &Tool) -> String {
    match first_sentence(tool.description.as_deref().unwrap_or_default()).as_str() {
        "" => format!("- {}", tool.name),
        text => format!("- {}: {text}", tool.name),
    }
}

/// Returns the first sentence of a description on one line, cut where it is too long. The end of a sentence is a full stop
/// or its like before a blank and a capital letter, or the end of the paragraph.
fn first_sentence(text: &str) -> String {
    let text = lines_as_lf(trim(text));
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let text = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let ends = |(at, c): &(usize, char)| {
        let mut rest = text[at + c.len_utf8()..].chars();
        matches!(c, '.' | '!' | '?')
            && rest.next() == Some(' ')
            && rest.next().is_some_and(char::is_uppercase)
    };
    let sentence = text.char_indices().find(ends).map_or(text.as_str(), |(at, c)| &text[..at + c.len_utf8()]);
    match sentence.char_indices().nth(SENTENCE_LIMIT) {
        Some((end, _)) => format!("{}…", &sentence[..end]),
        None => sentence.to_owned(),
    }
}

/// Returns a name on one line, cut at a length that no real name reaches.
fn plain(name: &str) -> String {
    let shown = escape_hidden(name);
    match shown.char_indices().nth(NAME_LIMIT) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown.into_owned(),
    }
}

pub(super) fn lines_as_lf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Reports that a server has no recording yet, and how to make one.
pub(super) fn unrecorded(server: &ServerEntry, what: &str) -> Diagnostic {
    let help = Remedy::command("query it", format_args!("mcp refresh {}", server.word()));
    Diagnostic::info(DiagnosticCode::McpNoRecording, what).at(server.place()).help(help)
}

#[cfg(test)]
mod tests {
    use super::{SENTENCE_LIMIT, below, first_sentence};

    #[test]
    fn a_list_has_the_first_sentence_of_a_description() {
        for (text, expected) in [
            ("", ""),
            ("Shows what changed.\nIn short form.", "Shows what changed."),
            (
                "Returns the diff\nbetween two commits, e.g. of v1.2 and main. Use it.",
                "Returns the diff between two commits, e.g. of v1.2 and main.",
            ),
            ("Fetches a page\n\nArgs:\n  url: where", "Fetches a page"),
            ("Ready? Go! Now.", "Ready?"),
        ] {
            assert_eq!(first_sentence(text), expected);
        }
        let long = "x".repeat(SENTENCE_LIMIT + 1);
        assert_eq!(first_sentence(&long), format!("{}…", &long[1..]));
    }

    #[test]
    fn headings_of_a_server_stay_below_its_own() {
        for (text, expected) in [
            ("# A\n\n## git\ntext", "### A\n\n#### git\ntext"),
            ("##### a\n###### b\n#", "###### a\n###### b\n###"),
            ("#tag and ####### seven", "#tag and ####### seven"),
            ("```sh\n# a comment\n```\n# A", "```sh\n# a comment\n```\n### A"),
            ("    # code", "    # code"),
        ] {
            assert_eq!(below(text), expected);
        }
    }
}
