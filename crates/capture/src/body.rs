//! The body of a request as rows that partition it: texts of the system prompt, tools, messages, settings, and the JSON between them.

use crate::{
    json::{JsonText, Node},
    source::{Mark, Source, SourceKind, Sources, marked, server_of},
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The most levels of lists in lists.
const DEPTH: usize = 8;

/// What an item is for the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// A text of the system prompt, or a message with its rank.
    System,
    /// The definition of a tool.
    Tool,
    /// A part of another message.
    Message,
    /// A setting of the request.
    Setting,
}

/// A value of the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The kind.
    pub kind: ItemKind,
    /// Where it is: `messages[0].content[1]`.
    pub place: String,
    /// The name of a tool or setting, the role of a message, the type of what has no text.
    pub name: String,
    /// The text for the tokenizer: without escapes where it is one string.
    #[serde(skip)]
    pub text: String,
    /// True if a mark of a cache is on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache_mark: bool,
    /// The rows, which are its bytes in the body.
    pub rows: Vec<Row>,
}

/// A run of bytes with one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The bytes of the body.
    pub range: Range<usize>,
    /// The source.
    pub source: Source,
}

impl Item {
    /// Returns its bytes.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        let start = self.rows.first().map_or(0, |row| row.range.start);
        start..self.rows.last().map_or(start, |row| row.range.end)
    }
}

/// What is known beside the body.
#[derive(Clone, Copy)]
pub struct BodyContext<'c> {
    /// The files.
    pub sources: &'c Sources,
    /// The marks of the agent.
    pub marks: &'c [Mark],
    /// The message of this capture.
    pub message: &'c str,
    /// The names of configured MCP servers.
    pub servers: &'c [String],
}

/// A body that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The model that it names.
    pub model: Option<String>,
    /// The items, in the order of the body.
    pub items: Vec<Item>,
}

/// Reads the body of a request; one that is not a JSON object has no items.
#[must_use]
pub fn read(text: &str, context: BodyContext<'_>) -> Body {
    let Ok(document) = Node::document(text) else { return Body::default() };
    let mut reader = Reader { context, items: Vec::new() };
    let mut model = None;
    for (key, node) in document.members() {
        match key.as_str() {
            "system" | "instructions" | "systemInstruction" | "system_instruction" => {
                reader.texts(&node, ItemKind::System, "system", &key, 0);
            }
            "tools" => reader.tools(&node, &key, None, 0),
            "messages" | "input" | "contents" if node.raw().starts_with(['[', '"']) => {
                reader.messages(&node, &key);
            }
            _ => {
                if key == "model" {
                    model = node.string();
                }
                let row = Row { range: node.range(), source: Source::of(SourceKind::Agent) };
                reader.add(ItemKind::Setting, &key, &key, node.raw().to_owned(), vec![row]);
            }
        }
    }
    Body { model, items: reader.items }
}

struct Reader<'c> {
    context: BodyContext<'c>,
    items: Vec<Item>,
}

impl Reader<'_> {
    fn add(&mut self, kind: ItemKind, name: &str, place: &str, text: String, rows: Vec<Row>) {
        let (name, place) = (name.to_owned(), place.to_owned());
        self.items.push(Item { kind, place, name, text, cache_mark: false, rows });
    }

    /// Puts the mark of a value on the last item that was made of it; `before` is the number of items in front of it.
    fn mark(&mut self, node: &Node<'_>, before: usize) {
        let has_mark = ["cache_control", "prompt_cache_breakpoint"].iter().any(|key| node.get(key).is_some());
        if let Some(item) = self.items[before..].last_mut().filter(|_| has_mark) {
            item.cache_mark = true;
        }
    }

    fn messages(&mut self, list: &Node<'_>, place: &str) {
        if list.raw().starts_with('"') {
            return self.texts(list, ItemKind::Message, "user", place, 0);
        }
        for (at, message) in list.items().iter().enumerate() {
            let place = format!("{place}[{at}]");
            let role = message
                .string_at("role")
                .or_else(|| message.string_at("type"))
                .unwrap_or_else(|| "user".to_owned());
            let is_system = matches!(role.as_str(), "system" | "developer");
            let kind = if is_system { ItemKind::System } else { ItemKind::Message };
            let before = self.items.len();
            if let Some(tools) = message.get("tools").filter(|tools| tools.raw().starts_with('[')) {
                self.tools(&tools, &format!("{place}.tools"), None, 0);
                continue;
            }
            match ["content", "parts"].iter().find_map(|key| Some((*key, message.get(key)?))) {
                Some((key, content)) if !content.raw().starts_with("null") => {
                    self.texts(&content, kind, &role, &format!("{place}.{key}"), 0);
                }
                _ => self.whole(
                    message,
                    kind,
                    &message.string_at("type").unwrap_or_else(|| role.clone()),
                    &place,
                ),
            }
            // A mark beside the content is about its end.
            self.mark(message, before);
        }
    }

    /// Adds the texts of a content: a string, a block, or a list of them.
    fn texts(&mut self, node: &Node<'_>, kind: ItemKind, name: &str, place: &str, depth: usize) {
        match node.raw().as_bytes().first() {
            Some(b'"') => {
                if let Some(text) = node.text() {
                    self.text(text, kind, name, place);
                }
            }
            Some(b'[') if depth < DEPTH => {
                for (at, item) in node.items().iter().enumerate() {
                    self.texts(item, kind, name, &format!("{place}[{at}]"), depth + 1);
                }
            }
            Some(b'{') if depth < DEPTH => {
                let text = node.get("text").filter(|text| text.raw().starts_with('"'));
                let parts = node.get("parts").filter(|parts| parts.raw().starts_with('['));
                match text.or(parts) {
                    Some(inner) => self.texts(&inner, kind, name, place, depth + 1),
                    None => {
                        let name = node.string_at("type");
                        let name = name.or_else(|| Some(node.members().first()?.0.clone()));
                        self.whole(node, kind, &name.unwrap_or_else(|| "empty".to_owned()), place);
                    }
                }
                self.mark(node, 0);
            }
            _ => self.whole(node, kind, name, place),
        }
    }

    fn text(&mut self, text: JsonText, kind: ItemKind, name: &str, place: &str) {
        if text.text.is_empty() {
            return;
        }
        let rows = self.rows(&text);
        self.add(kind, name, place, text.text, rows);
    }

    /// Divides a text by marks, by what is in files, and by the message of the capture: what is around it may be from hooks.
    fn rows(&self, text: &JsonText) -> Vec<Row> {
        let runs = marked(&text.text, self.context.marks, &Source::of(SourceKind::Agent));
        let mut rows: Vec<Row> =
            runs.into_iter().map(|(range, source)| Row { range: text.range(range), source }).collect();
        self.claim(text, &mut rows);
        let message = self.context.message;
        if let Some(at) = text.text.find(message).filter(|_| !message.is_empty()) {
            overlay(&mut rows, text.range(at..at + message.len()), &Source::of(SourceKind::Message));
        }
        rows
    }

    fn claim(&self, text: &JsonText, rows: &mut Vec<Row>) {
        for (range, source) in self.context.sources.claims(&text.text) {
            overlay(rows, text.range(range), &source);
        }
    }

    /// Adds a value that has no text of its own, as it is.
    fn whole(&mut self, node: &Node<'_>, kind: ItemKind, name: &str, place: &str) {
        let mut rows = vec![Row { range: node.range(), source: Source::of(SourceKind::Agent) }];
        for text in node.texts() {
            self.claim(&text, &mut rows);
        }
        self.add(kind, name, place, node.raw().to_owned(), rows);
    }

    fn tools(&mut self, node: &Node<'_>, place: &str, space: Option<&str>, depth: usize) {
        for (at, tool) in node.items().iter().enumerate() {
            let place = format!("{place}[{at}]");
            let name = tool.string_at("name").or_else(|| tool.get("function")?.string_at("name"));
            let inner = ["tools", "functionDeclarations", "function_declarations"]
                .iter()
                .find_map(|key| Some((*key, tool.get(key).filter(|list| list.raw().starts_with('['))?)));
            if let Some((key, list)) = inner.filter(|_| depth < DEPTH) {
                if let (Some(name), Some(about)) =
                    (&name, tool.get("description").and_then(|about| about.text()))
                    && !about.text.is_empty()
                {
                    self.tool(
                        name,
                        about.text.clone(),
                        Row { range: about.whole(), source: self.tool_source(name) },
                        [about],
                        &place,
                    );
                }
                self.tools(&list, &format!("{place}.{key}"), name.as_deref().or(space), depth + 1);
                continue;
            }
            let name = name.or_else(|| tool.string_at("type"));
            let name = name.or_else(|| Some(tool.members().first()?.0.clone())).unwrap_or_default();
            let whole =
                space.filter(|space| self.tool_source(space).kind == SourceKind::Server).unwrap_or(&name);
            let row = Row { range: tool.range(), source: self.tool_source(whole) };
            self.tool(&name, tool.raw().to_owned(), row, tool.texts(), &place);
            self.mark(tool, 0);
        }
    }

    fn tool(
        &mut self,
        name: &str,
        text: String,
        row: Row,
        texts: impl IntoIterator<Item = JsonText>,
        place: &str,
    ) {
        let mut rows = vec![row];
        for text in texts {
            self.claim(&text, &mut rows);
        }
        self.add(ItemKind::Tool, name, place, text, rows);
    }

    /// Returns the MCP server that a tool is named after, else the agent.
    fn tool_source(&self, name: &str) -> Source {
        let plain = name.strip_prefix("mcp_").unwrap_or(name);
        let is_of = |server: &&String| {
            let server = plain.strip_prefix(server.as_str());
            server.is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-', '.']))
        };
        let configured = || self.context.servers.iter().filter(is_of).max_by_key(|server| server.len());
        match server_of(name).map(str::to_owned).or_else(|| configured().cloned()) {
            Some(server) => Source::named(SourceKind::Server, server),
            None => Source::of(SourceKind::Agent),
        }
    }
}

/// Puts a run over rows: what it covers is cut out of them.
fn overlay(rows: &mut Vec<Row>, range: Range<usize>, source: &Source) {
    if range.is_empty() {
        return;
    }
    let mut result = Vec::with_capacity(rows.len() + 2);
    let mut placed = false;
    for row in rows.drain(..) {
        let (before, behind) =
            (row.range.start..row.range.end.min(range.start), row.range.start.max(range.end)..row.range.end);
        if !before.is_empty() {
            result.push(Row { range: before, source: row.source.clone() });
        }
        if !placed && row.range.end > range.start {
            result.push(Row { range: range.clone(), source: source.clone() });
            placed = true;
        }
        if !behind.is_empty() {
            result.push(Row { range: behind, source: row.source });
        }
    }
    result.dedup_by(|next, row| {
        let is_one = next.source == row.source && row.range.end == next.range.start;
        if is_one {
            row.range.end = next.range.end;
        }
        is_one
    });
    *rows = result;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceText;

    fn read_with(text: &str, servers: &[String]) -> Body {
        let sources = Sources::new([SourceText {
            source: Source::named(SourceKind::File, "CLAUDE.md"),
            text: "Always run the tests before a commit.\n".into(),
        }]);
        read(text, BodyContext { sources: &sources, marks: &[], message: "say OK 7f", servers })
    }

    /// Shows the items, and checks that rows follow each other.
    fn shown(text: &str, body: &Body) -> Vec<String> {
        let mut end = 0;
        body.items
            .iter()
            .map(|item| {
                let rows: Vec<String> = item
                    .rows
                    .iter()
                    .map(|row| {
                        assert!(row.range.start >= end && !row.range.is_empty(), "{item:?}");
                        assert!(
                            row.range.start == end || row.range == item.rows[0].range,
                            "no gap within: {item:?}"
                        );
                        end = row.range.end;
                        let name = row.source.names.join("+");
                        format!("{:?}{name}:{}", row.source.kind, &text[row.range.clone()])
                    })
                    .collect();
                format!("{:?} {} {} {}", item.kind, item.place, item.name, rows.join("|"))
            })
            .collect()
    }

    #[test]
    fn anthropic() {
        let text = r#"{"model":"m","system":[{"type":"text","text":"Be good.","cache_control":{}}],"messages":[{"role":"user","content":[{"type":"text","text":"Rules:\nAlways run the tests before a commit.\n"},{"type":"text","text":"say OK 7f"}]},{"role":"user","content":[{"type":"image","source":{}}]}],"tools":[{"name":"mcp__git__log","description":"x"}]}"#;
        let body = read_with(text, &[]);
        assert_eq!(body.model.as_deref(), Some("m"));
        assert_eq!(
            shown(text, &body),
            [
                r#"Setting model model Agent:"m""#,
                "System system[0] system Agent:Be good.",
                r"Message messages[0].content[0] user Agent:Rules:\n|FileCLAUDE.md:Always run the tests before a commit.|Agent:\n",
                "Message messages[0].content[1] user Message:say OK 7f",
                r#"Message messages[1].content[0] image Agent:{"type":"image","source":{}}"#,
                r#"Tool tools[0] mcp__git__log Servergit:{"name":"mcp__git__log","description":"x"}"#,
            ]
        );
        assert!(body.items[1].cache_mark && !body.items[2].cache_mark);
    }

    #[test]
    fn openai() {
        let text = r#"{"instructions":"I","input":[{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"mcp__git","description":"G","tools":[{"type":"function","name":"log"}]}]},{"type":"message","role":"developer","content":[{"type":"input_text","text":"D"}]},{"type":"reasoning","id":"r"}],"tools":[{"type":"web_search"}]}"#;
        assert_eq!(
            shown(text, &read_with(text, &[])),
            [
                "System instructions system Agent:I",
                "Tool input[0].tools[0] mcp__git Servergit:G",
                r#"Tool input[0].tools[0].tools[0] log Servergit:{"type":"function","name":"log"}"#,
                "System input[1].content[0] developer Agent:D",
                r#"Message input[2] reasoning Agent:{"type":"reasoning","id":"r"}"#,
                r#"Tool tools[0] web_search Agent:{"type":"web_search"}"#,
            ]
        );
        let chat = r#"{"messages":[{"role":"system","content":"S"},{"role":"assistant","content":""},{"role":"user","content":"say OK 7f"}],"tools":[{"type":"function","function":{"name":"git_log"}},{"type":"function","function":{"name":"gitter"}}]}"#;
        assert_eq!(
            shown(chat, &read_with(chat, &["git".to_owned()])),
            [
                "System messages[0].content system Agent:S",
                "Message messages[2].content user Message:say OK 7f",
                r#"Tool tools[0] git_log Servergit:{"type":"function","function":{"name":"git_log"}}"#,
                r#"Tool tools[1] gitter Agent:{"type":"function","function":{"name":"gitter"}}"#,
            ]
        );
    }

    #[test]
    fn gemini() {
        let text = r#"{"systemInstruction":{"role":"user","parts":[{"text":"S"}]},"contents":[{"role":"user","parts":[{"text":"U"},{"inlineData":{}}]}],"tools":[{"functionDeclarations":[{"name":"read"}]}]}"#;
        assert_eq!(
            shown(text, &read_with(text, &[])),
            [
                "System systemInstruction[0] system Agent:S",
                "Message contents[0].parts[0] user Agent:U",
                r#"Message contents[0].parts[1] inlineData Agent:{"inlineData":{}}"#,
                r#"Tool tools[0].functionDeclarations[0] read Agent:{"name":"read"}"#,
            ]
        );
    }

    #[test]
    fn what_is_no_request_has_no_items() {
        assert_eq!(read_with("not JSON", &[]), Body::default());
        assert_eq!(read_with("[1]", &[]), Body::default());
    }
}
