//! Context providers `mcp-prompt` and `mcp-resource`: one text of one server, as it was fetched at the last refresh. A build
//! contacts no server.

use super::{
    ContextProvider, ProvidedTexts,
    mcp_servers::{lines_as_lf, unrecorded},
};
use crate::provider::context::ProviderContext;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    lint::character::cut,
    lint::hidden::escape_hidden,
    mcp_servers::{ContentRequest, ServerEntry},
    origin::{Origin, Piece},
    section::{Language, Section, SectionBody},
    snapshot::Item,
    template::trim,
    variable::{Stability, VariableKey},
};
use serde_json::Value;
use std::collections::BTreeMap;

/// The provider of the messages of a prompt of an MCP server.
pub const MCP_PROMPT: ContextProvider = ContextProvider::new(
    "mcp-prompt",
    "the messages of a prompt of an MCP server, as they were recorded",
    &[
        ("arguments", "a table of texts that the prompt is given"),
        ("prompt", "the name of the prompt"),
        ("server", "the name of the server"),
    ],
    provide,
);

/// The provider of the text of a resource of an MCP server.
pub const MCP_RESOURCE: ContextProvider = ContextProvider::new(
    "mcp-resource",
    "the text of a resource of an MCP server, as it was recorded",
    &[("server", "the name of the server"), ("uri", "the address of the resource")],
    provide,
);

/// The most bytes of a section.
const SECTION_LIMIT: usize = 64 << 10;

/// Returns the server that a section uses and the item that it wants; `None` if the section has another
/// provider. The error describes invalid options.
#[must_use]
pub fn want(section: &Section) -> Option<Result<(String, ContentRequest), String>> {
    let SectionBody::Fill(filler) = &section.body else { return None };
    let text = |key: &str| match section.options.get(key).and_then(Value::as_str) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(format!("section `{}`: `{filler}` needs `{key}`, a text", section.id)),
    };
    let want = if filler.as_str() == MCP_PROMPT.name {
        text("prompt").and_then(|name| Ok(ContentRequest::Prompt { name, arguments: arguments(section)? }))
    } else if filler.as_str() == MCP_RESOURCE.name {
        text("uri").map(|uri| ContentRequest::Resource { uri })
    } else {
        return None;
    };
    Some(text("server").and_then(|server| Ok((server, want?))))
}

/// The arguments of a prompt. Numbers and truth values are what they look like: the protocol knows texts alone.
fn arguments(section: &Section) -> Result<BTreeMap<String, String>, String> {
    let wrong = || format!("section `{}`: `arguments` is a table of texts", section.id);
    let Some(value) = section.options.get("arguments") else { return Ok(BTreeMap::new()) };
    let argument = |(name, value): (&String, &Value)| match value {
        Value::String(text) => Ok((name.clone(), text.clone())),
        Value::Bool(_) | Value::Number(_) => Ok((name.clone(), value.to_string())),
        _ => Err(wrong()),
    };
    value.as_object().ok_or_else(wrong)?.iter().map(argument).collect()
}

/// Fills a section with what was fetched for it.
fn provide(section: &Section, context: &ProviderContext<'_>) -> ProvidedTexts {
    let (name, want) = match want(section) {
        Some(Ok(wanted)) => wanted,
        Some(Err(why)) => {
            context.note(Diagnostic::warning(DiagnosticCode::ProfileOption, why.clone()));
            return ProvidedTexts::none(why);
        }
        None => return ProvidedTexts::none("it names no MCP server"),
    };
    let shown = escape_hidden(&name).into_owned();
    let Some(server) = context.servers.iter().find(|server| server.name == name && server.active) else {
        return ProvidedTexts::none(format!("there is no MCP server `{shown}`"));
    };
    if !server.runnable {
        let why = format!("MCP server `{shown}` is not allowed yet");
        return ProvidedTexts::none(why);
    }
    let fetched =
        server.value.recorded.as_ref().and_then(|recorded| recorded.recording.described.fetched(&want));
    let Some(fetched) = fetched else {
        let why = format!("nothing is recorded of the {want} of MCP server `{shown}`");
        context.note(unrecorded(server, &why));
        return ProvidedTexts::none(why);
    };
    let texts: Vec<String> = fetched.texts.iter().map(|text| lines_as_lf(text)).collect();
    let texts: Vec<&str> = texts.iter().map(|text| trim(text)).filter(|text| !text.is_empty()).collect();
    let text = texts.join("\n\n");
    if text.is_empty() {
        return ProvidedTexts::none(format!("the {want} of MCP server `{shown}` is empty"));
    }
    if text.len() > SECTION_LIMIT {
        let what = format!(
            "the {want} of MCP server `{shown}` has {} bytes, and {SECTION_LIMIT} are used",
            text.len()
        );
        context.note(Diagnostic::info(DiagnosticCode::McpCut, what));
    }
    ProvidedTexts {
        stability: section.stability.is_none().then_some(Stability::Conversation),
        ..ProvidedTexts::of(vec![item(server, &want, cut(&text, SECTION_LIMIT))], "")
    }
}

fn item(server: &ServerEntry, want: &ContentRequest, text: String) -> Item {
    let of = match want {
        ContentRequest::Prompt { name, .. } => name,
        ContentRequest::Resource { uri } => uri,
    };
    let variables = [("server", &server.name), ("name", of)];
    let variables = variables.map(|(key, text)| (key.to_owned(), escape_hidden(text).into_owned()));
    let key = VariableKey::new("mcp", &escape_hidden(&server.name));
    let origin = Origin::Variable { key, source: server.origin.path.as_str().into() };
    Item {
        variables: variables.into(),
        pieces: vec![Piece { text, origin }],
        language: Language::Verbatim,
        rank: None,
    }
}
