//! Context provider `mcp-servers`: the MCP servers that may be used, with what was recorded of them. Nobody is asked here.
//!
//! What a server says of itself is somebody else's text: its origin is the fact `mcp:<server>`, so that a profile escapes
//! forged structure in it with `escape = ["mcp"]`; in the facts of an item it is escaped always. A server's whole text is
//! one piece: no tag can hide in a border.

use super::{ContextProvider, SectionOptions, silent};
use crate::look::Look;
use preface_core::{
    diagnostic::{Diagnostic, Place},
    fact::FactKey,
    lint::{
        forged::neutralise,
        hidden::{escape_hidden, scan},
    },
    mcp_servers::{Described, DescribedTool, ServerEntry},
    origin::{Origin, Piece},
    section::{Language, Section},
    template::trim,
    world::{Contribution, Item},
};
use std::collections::BTreeMap;

/// Names servers and tools.
#[derive(Debug)]
pub struct McpServers;

/// The most bytes of instructions, and of a tool's description.
const TEXT_LIMIT: usize = 2 << 10;
/// The most tools of a server that are named.
const MOST_TOOLS: usize = 200;
/// The most characters of a tool's name.
const NAME_LIMIT: usize = 128;
/// What is said of a server that nobody talked to.
const UNKNOWN: &str = "Its tools are not known yet.";

impl ContextProvider for McpServers {
    fn name(&self) -> &'static str {
        "mcp-servers"
    }

    fn about(&self) -> &'static str {
        "the MCP servers that may be used, with instructions and tools as they were recorded"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn contribute(&self, section: &Section, look: &Look<'_>) -> Contribution {
        SectionOptions::new(self, section, look);
        let why = match look.servers.is_empty() {
            true => "there is no MCP server",
            false => "no MCP server is active and allowed; `preface mcp list` says why",
        };
        let mut said = silent(self, section, why);
        // They are sorted by name, and one of a name is active.
        let usable = look.servers.iter().filter(|server| server.runnable);
        said.items = usable.map(|server| item(server, look)).collect();
        if !said.items.is_empty() {
            said.silent = None;
        }
        said
    }
}

fn item(server: &ServerEntry, look: &Look<'_>) -> Item {
    let name = plain(&server.name);
    if server.said.is_none() {
        let what = format!("nothing is recorded of MCP server `{name}`: its tools are not known yet");
        look.note(unrecorded(server, &what));
    }
    let said = server.said.as_ref().map(|said| Told::new(&said.recording.described, &name, look));
    let text = match &said {
        None => format!("## {name}\n\n{UNKNOWN}"),
        Some(Told { instructions, tools }) => {
            let parts = [Some(format!("## {name}")), instructions.clone(), tools.clone()];
            parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
        }
    };
    let (instructions, tools) = match said {
        None => (None, Some(UNKNOWN.to_owned())),
        Some(said) => (said.instructions, said.tools),
    };
    let facts = [("name", Some(name.clone())), ("instructions", instructions), ("tools", tools)];
    let facts =
        facts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), neutralise(&text?).into_owned())));
    let origin = Origin::Fact { key: FactKey::new("mcp", &name), source: server.origin.path.as_str().into() };
    Item {
        facts: facts.collect::<BTreeMap<_, _>>(),
        pieces: vec![Piece { text, origin }],
        language: Language::Verbatim,
    }
}

/// A description as the prompt has it.
struct Told {
    instructions: Option<String>,
    tools: Option<String>,
}

impl Told {
    fn new(described: &Described, server: &str, look: &Look<'_>) -> Self {
        let Described { instructions, tools, .. } = described;
        let mut was_cut = Vec::new();
        let instructions = instructions.as_deref().map(lines_as_lf).and_then(|text| {
            let text = trim(&text);
            if text.len() > TEXT_LIMIT {
                was_cut.push("its instructions".to_owned());
            }
            (!text.is_empty()).then(|| below(&cut(text, TEXT_LIMIT)))
        });
        let long = |tool: &&DescribedTool| {
            tool.description.as_ref().is_some_and(|text| trim(text).len() > TEXT_LIMIT)
        };
        let long = tools.iter().take(MOST_TOOLS).filter(long).count();
        if long > 0 {
            was_cut.push(format!("what it says of {long} {}", plural(long)));
        }
        let mut lines: Vec<String> = tools.iter().take(MOST_TOOLS).map(line).collect();
        let more = tools.len().saturating_sub(MOST_TOOLS);
        if more > 0 {
            lines.push(format!("- … ({more} more {})", plural(more)));
            was_cut.push(format!("its list of tools, by {more}"));
        }
        if !was_cut.is_empty() {
            let what = format!(
                "MCP server `{server}` says more than there is room for; cut: {}",
                was_cut.join(", ")
            );
            look.note(Diagnostic::info("mcp/cut", what));
        }
        let told = Told { instructions, tools: (!lines.is_empty()).then(|| lines.join("\n")) };
        told.tell_hidden(server, look);
        told
    }
}

impl Told {
    /// Hidden text is told and stays: nobody's words are changed quietly.
    fn tell_hidden(&self, server: &str, look: &Look<'_>) {
        let places = [("its instructions", &self.instructions), ("what it says of its tools", &self.tools)];
        let hides = |text: &Option<String>| {
            text.as_deref().is_some_and(|text| !scan(text).is_empty() || text.contains(is_control))
        };
        let names: Vec<&str> = places.iter().filter(|(_, text)| hides(text)).map(|(name, _)| *name).collect();
        if !names.is_empty() {
            let what = format!("MCP server `{server}` hides text or characters in {}", names.join(" and "));
            let help = format!("`preface mcp inspect {server} --recorded` shows them");
            look.note(Diagnostic::warning("mcp/hidden", what).help(help));
        }
    }
}

/// How many levels of headings stand above what a server says.
const LEVELS: usize = 2;

/// Characters that a terminal obeys.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

/// A text below the heading of its server: its own headings are of lower levels, so that none opens the section of another
/// server, or a part of the prompt.
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

/// One item of a list. What follows its first line is indented, so that it stays inside.
fn line(tool: &DescribedTool) -> String {
    let name = plain(&tool.name);
    let text = tool.description.as_deref().map(lines_as_lf).unwrap_or_default();
    match trim(&text) {
        "" => format!("- {name}"),
        text => {
            format!("- {name}: {}", cut(text, TEXT_LIMIT).replace('\n', "\n  ").replace("\n  \n", "\n\n"))
        }
    }
}

fn plural(tools: usize) -> &'static str {
    if tools == 1 { "tool" } else { "tools" }
}

/// A name on one line, cut where nobody calls a thing so.
fn plain(name: &str) -> String {
    let shown = escape_hidden(name);
    match shown.char_indices().nth(NAME_LIMIT) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown.into_owned(),
    }
}

/// Cuts a text and says by how much.
pub(super) fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}… (cut: {} more bytes)", &text[..end], text.len() - end)
}

pub(super) fn lines_as_lf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Says that nobody asked a server yet, and how that is done.
pub(super) fn unrecorded(server: &ServerEntry, what: &str) -> Diagnostic {
    let place = Place::file(Some(server.origin.scope), server.origin.path.clone());
    let help = format!("`preface mcp refresh {}` asks it", plain(&server.name));
    Diagnostic::info("mcp/no-recording", what).at(place).help(help)
}

#[cfg(test)]
mod tests {
    use super::below;

    #[test]
    fn headings_of_a_server_stay_below_its_own() {
        for (said, expected) in [
            ("# A\n\n## git\ntext", "### A\n\n#### git\ntext"),
            ("##### a\n###### b\n#", "###### a\n###### b\n###"),
            ("#tag and ####### seven", "#tag and ####### seven"),
            ("```sh\n# a comment\n```\n# A", "```sh\n# a comment\n```\n### A"),
            ("    # code", "    # code"),
        ] {
            assert_eq!(below(said), expected);
        }
    }
}
