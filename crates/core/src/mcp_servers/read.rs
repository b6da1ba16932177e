//! Reads an `mcp.json`: JSON with comments, `{"mcpServers": {"id": {…}}}` or a bare object by id.
//!
//! A file that cannot be read is left out; an invalid server does not affect the others. Its faults are
//! collected until all layers are known, because their severity depends on the layers below. No diagnostic
//! has an excerpt of the file, because the line may contain a secret.

use super::server::{McpServer, ServerAddress, StdioServer, Transport, UnexpandedValue};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy},
    extension::{ValidationFailure, id_fault},
    scope::Scope,
    settings::{JsonDialect, SettingsNode, SettingsTable, SettingsTree, parse_document, shown},
    suggestion::did_you_mean,
};
use std::collections::BTreeMap;

pub(super) const INVALID: DiagnosticCode = DiagnosticCode::McpServerConfigInvalid;
const UNKNOWN_KEY: DiagnosticCode = DiagnosticCode::McpUnknownKey;
const WRAPPER: &str = "mcpServers";

/// The most servers in a file; each costs diagnostics.
const MOST_SERVERS: usize = 256;

/// The most faults of one server that are reported one by one; the others are summarized by their number.
const MOST_FAULTS: usize = 5;

/// The keys of a server, sorted; other products use `disabled` for `disable`.
const KEYS: [&str; 9] = ["args", "command", "cwd", "disable", "disabled", "env", "headers", "type", "url"];

/// The `mcp.json` of one layer, each server validated by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct McpFile {
    /// The scope of the file.
    pub scope: Scope,
    /// The path for display.
    pub path: String,
    pub(super) servers: BTreeMap<String, ServerDeclaration>,
}

/// The entry of one id in a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ServerDeclaration {
    /// The location of the id.
    pub(super) place: Place,
    /// The value of `disable`, if it is set.
    pub(super) switch: Option<ServerSwitch>,
    pub(super) what: DeclarationKind,
    /// Warnings that do not invalidate the entry.
    pub(super) diagnostics: Diagnostics,
}

/// `"disable": true` or `false`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ServerSwitch {
    pub(super) off: bool,
    pub(super) place: Place,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum DeclarationKind {
    /// An entry with nothing but `disable`.
    Directive,
    Sound(McpServer),
    Broken(Vec<ValidationFailure>),
}

impl McpFile {
    /// Reads the bytes of an `mcp.json`; a BOM is accepted. A file that is not JSON, or not an object of
    /// servers, is one error and no layer. Diagnostics about single servers come from
    /// [`resolve`](super::resolve).
    ///
    /// ```
    /// use preface_core::{mcp_servers::McpFile, scope::Scope};
    /// let (file, diagnostics) = McpFile::read(Scope::Global, "~/.stud/mcp.json", br#"{"mcpServers": {"git": 1,}}"#);
    /// assert!(file.is_some() && diagnostics.is_empty(), "that `git` is no server is reported when all layers are known");
    /// let (file, diagnostics) = McpFile::read(Scope::Global, "~/.stud/mcp.json", b"{");
    /// assert!(file.is_none());
    /// assert_eq!(diagnostics[0].code.as_str(), "mcp/config-invalid");
    /// ```
    #[must_use]
    pub fn read(scope: Scope, path_for_people: &str, bytes: &[u8]) -> (Option<McpFile>, Diagnostics) {
        let mut diagnostics = Diagnostics::new();
        match Self::parse(scope, path_for_people, bytes, &mut diagnostics) {
            Ok(servers) => (Some(McpFile { scope, path: path_for_people.to_owned(), servers }), diagnostics),
            Err(mut diagnostic) => {
                diagnostic.message = format!("{}; this file is left out", diagnostic.message);
                diagnostic.place = diagnostic.place.map(without_excerpt);
                (None, vec![*diagnostic])
            }
        }
    }

    fn parse(
        scope: Scope,
        path: &str,
        bytes: &[u8],
        diagnostics: &mut Diagnostics,
    ) -> Result<BTreeMap<String, ServerDeclaration>, Box<Diagnostic>> {
        let bad = |message: String, place: Place| Box::new(Diagnostic::error(INVALID, message).at(place));
        let (root, mut found) = parse_document(scope.into(), path, bytes, JsonDialect::Commented, INVALID)?;
        if found.iter().any(|diagnostic| diagnostic.place.as_ref().is_none_or(|place| place.span.is_none())) {
            return Err(bad("too many of its keys are set twice".to_owned(), Place::file(Some(scope), path)));
        }
        let table = root.as_table().ok_or_else(|| {
            bad(format!("it must be a JSON object, not {}", root.json_type()), root.place())
        })?;
        let servers = match table.get(WRAPPER) {
            Some(node) => {
                let key = node.key_place();
                if found
                    .iter()
                    .any(|diagnostic| diagnostic.place.as_ref().is_some_and(|place| place.span == key.span))
                {
                    return Err(bad(format!("`{WRAPPER}` is set twice"), key));
                }
                note_strangers(table, diagnostics);
                node.as_table().ok_or_else(|| {
                    bad(
                        format!("`{WRAPPER}` must be an object of servers, not {}", node.json_type()),
                        node.place(),
                    )
                })?
            }
            None => {
                if let Some((key, node)) =
                    sorted_entries(table).into_iter().find(|(_, node)| node.as_table().is_none())
                {
                    let message =
                        format!("`{}` must be a server, an object, not {}", shown(key), node.json_type());
                    let near = did_you_mean(key, [WRAPPER]).unwrap_or(WRAPPER);
                    let diagnostic = Diagnostic::error(INVALID, message).at(node.place());
                    return Err(Box::new(
                        diagnostic.help(format!("write `{{\"{near}\": {{\"id\": {{…}}}}}}`")),
                    ));
                }
                if let Some((key, node)) = misnamed_wrapper(table) {
                    let message = format!("`{}` is no server: it holds servers", shown(key));
                    let diagnostic = Diagnostic::error(INVALID, message).at(node.key_place());
                    return Err(Box::new(diagnostic.help(format!("did you mean `{WRAPPER}`?"))));
                }
                table
            }
        };
        if servers.len() > MOST_SERVERS {
            let message = format!("it has {} servers, and {MOST_SERVERS} are the most", servers.len());
            return Err(bad(message, Place::file(Some(scope), path)));
        }
        let read = sorted_entries(servers).into_iter().map(|(id, node)| {
            let about = take_within(&mut found, node);
            (id.to_owned(), ServerDeclaration::read(id, node, about))
        });
        let read = read.collect();
        // The remaining diagnostics are about values that a duplicate key replaced, or about numbers that are
        // no servers.
        diagnostics.extend(found.into_iter().map(|diagnostic| Diagnostic {
            code: INVALID,
            place: diagnostic.place.map(without_excerpt),
            ..diagnostic
        }));
        Ok(read)
    }
}

/// Finds the only key of a file, if its value looks like servers: other programs use other names for the
/// wrapper.
fn misnamed_wrapper(table: &SettingsTable) -> Option<(&str, &SettingsNode)> {
    let mut keys = table.iter().filter(|(key, _)| *key != "$schema");
    let (key, node) = keys.next().filter(|_| keys.next().is_none())?;
    let is_server = |node: &SettingsNode| {
        node.as_table().is_some_and(|table| table.iter().any(|(key, _)| KEYS.contains(&key.as_str())))
    };
    let found = node.as_table().filter(|found| !found.is_empty() && !is_server(node))?;
    found.iter().all(|(_, node)| is_server(node)).then_some((key, node))
}

/// Reports keys beside `mcpServers`.
fn note_strangers(table: &SettingsTable, diagnostics: &mut Diagnostics) {
    let strangers: Vec<_> =
        sorted_entries(table).into_iter().filter(|(key, _)| *key != WRAPPER && *key != "$schema").collect();
    for (key, node) in strangers.iter().take(MOST_FAULTS) {
        let message = format!("`{}` is next to `{WRAPPER}` and is ignored", shown(key));
        let diagnostic = Diagnostic::warning(UNKNOWN_KEY, message).at(without_excerpt(node.key_place()));
        diagnostics.push(match node.as_table() {
            Some(_) => diagnostic.help(format!("if it is a server, move it into `{WRAPPER}`")),
            None => diagnostic,
        });
    }
    if strangers.len() > MOST_FAULTS {
        let message = format!("{} more keys beside `{WRAPPER}` are ignored", strangers.len() - MOST_FAULTS);
        diagnostics.push(Diagnostic::warning(UNKNOWN_KEY, message));
    }
}

/// Takes the parser's diagnostics about a value or its key: duplicate keys, numbers that are too large.
fn take_within(diagnostics: &mut Diagnostics, node: &SettingsNode) -> Diagnostics {
    let from = node.key_place().span.map_or(node.span().start, |span| span.start);
    let to = node.span().end;
    let is_within = |diagnostic: &Diagnostic| {
        let span = diagnostic.place.as_ref().and_then(|place| place.span.as_ref());
        span.is_some_and(|span| from <= span.start && span.end <= to)
    };
    let (within, rest) = std::mem::take(diagnostics).into_iter().partition(is_within);
    *diagnostics = rest;
    within
}

impl ServerDeclaration {
    fn read(id: &str, node: &SettingsNode, found: Diagnostics) -> ServerDeclaration {
        let place = without_excerpt(node.key_place());
        let mut reading = ServerReader {
            place: place.clone(),
            table: None,
            failures: Vec::new(),
            more: 0,
            diagnostics: Vec::new(),
        };
        if let Some(fault) = id_fault(id) {
            reading.report("", format!("the id `{}` {fault}", shown(id)));
        }
        for diagnostic in found {
            // Products differ in which duplicate they use, so the excerpt must not show only one of them.
            let twice = diagnostic.place.as_ref().is_some_and(|of| of.span == place.span);
            let message = match twice {
                true => "the id is taken in this file already".to_owned(),
                false => diagnostic.message.replace("; the last one counts", ""),
            };
            let mut failure = ValidationFailure::new(INVALID, "", message);
            failure.place = diagnostic.place.map(without_excerpt);
            failure.help = diagnostic.help;
            reading.fail(failure);
        }
        let Some(table) = node.as_table() else {
            reading.report("", format!("a server must be an object, not {}", node.json_type()));
            let failures = reading.finish();
            return ServerDeclaration {
                place,
                switch: None,
                what: DeclarationKind::Broken(failures),
                diagnostics: Vec::new(),
            };
        };
        reading.table = Some(table);
        reading.diagnostics = unknown_keys(id, table);
        let switch = reading.switch();
        let is_switch = |key: &str| ["disable", "disabled"].contains(&key);
        let known = || table.keys().map(String::as_str).filter(|key| KEYS.contains(key));
        let only_switches = known().any(is_switch) && known().all(is_switch);
        let server = if only_switches { None } else { reading.server() };
        let diagnostics = std::mem::take(&mut reading.diagnostics);
        let failures = reading.finish();
        let what = match server {
            _ if !failures.is_empty() => DeclarationKind::Broken(failures),
            Some(server) => DeclarationKind::Sound(server),
            None => DeclarationKind::Directive,
        };
        ServerDeclaration { place, switch, what, diagnostics }
    }
}

fn unknown_keys(id: &str, table: &SettingsTable) -> Diagnostics {
    let unknown: Vec<_> = sorted_entries(table).into_iter().filter(|(key, _)| !KEYS.contains(key)).collect();
    let mut diagnostics = Diagnostics::new();
    for (key, node) in unknown.iter().take(MOST_FAULTS) {
        let message = format!("`{}` of the server `{}` is unknown and is ignored", shown(key), shown(id));
        let diagnostic = Diagnostic::warning(UNKNOWN_KEY, message).at(without_excerpt(node.key_place()));
        diagnostics.push(match did_you_mean(key, KEYS) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        });
    }
    if unknown.len() > MOST_FAULTS {
        let more = unknown.len() - MOST_FAULTS;
        let message = format!("{more} more keys of the server `{}` are ignored", shown(id));
        diagnostics.push(Diagnostic::warning(UNKNOWN_KEY, message));
    }
    diagnostics
}

/// The fields of one server; faults are collected, so that all of them are reported at once.
struct ServerReader<'n> {
    /// The location of the server's id.
    place: Place,
    table: Option<&'n SettingsTable>,
    failures: Vec<ValidationFailure>,
    more: usize,
    /// Warnings that do not invalidate the entry.
    diagnostics: Diagnostics,
}

impl<'n> ServerReader<'n> {
    fn node(&self, key: &str) -> Option<&'n SettingsNode> {
        self.table.and_then(|table| table.get(key))
    }

    fn fail(&mut self, failure: ValidationFailure) {
        if self.failures.len() < MOST_FAULTS {
            self.failures.push(failure);
        } else {
            self.more += 1;
        }
    }

    /// Records a fault of the server as a whole, or of a missing key.
    fn report(&mut self, pointer: &str, message: impl Into<String>) {
        let failure = ValidationFailure::new(INVALID, pointer, message).at(self.place.clone());
        self.fail(failure);
    }

    fn wrong_at(&mut self, pointer: String, message: String, node: &SettingsNode, help: Option<String>) {
        // Computing a location scans the file.
        if self.failures.len() >= MOST_FAULTS {
            self.more += 1;
            return;
        }
        let mut failure = ValidationFailure::new(INVALID, pointer, message).at(without_excerpt(node.place()));
        failure.help = help.map(Remedy::from);
        self.fail(failure);
    }

    fn finish(mut self) -> Vec<ValidationFailure> {
        if self.more > 0 {
            let message = format!("{} more faults are not listed", self.more);
            self.failures.push(ValidationFailure::new(INVALID, "", message).at(self.place));
        }
        self.failures
    }

    fn switch(&mut self) -> Option<ServerSwitch> {
        let mut found: Option<ServerSwitch> = None;
        for key in ["disable", "disabled"] {
            let Some(node) = self.node(key) else { continue };
            let Some(off) = node.as_flag() else {
                let message = format!("`{key}` must be true or false, not {}", node.json_type());
                self.wrong_at(format!("/{key}"), message, node, None);
                continue;
            };
            if found.as_ref().is_some_and(|found| found.off != off) {
                let message = "`disable` and `disabled` contradict each other".to_owned();
                self.wrong_at(format!("/{key}"), message, node, Some("keep `disable`".to_owned()));
                return None;
            }
            found.get_or_insert(ServerSwitch { off, place: without_excerpt(node.place()) });
        }
        found
    }

    fn server(&mut self) -> Option<McpServer> {
        let transport = self.transport()?;
        let foreign: &[&str] = match transport {
            Transport::Stdio => &["headers", "url"],
            Transport::Sse | Transport::StreamableHttp => &["args", "command", "cwd", "env"],
        };
        for key in foreign {
            if let Some(node) = self.node(key) {
                let message = format!("`{key}` does nothing for a server of type `{transport}`");
                let place = without_excerpt(node.key_place());
                self.diagnostics.push(Diagnostic::warning(UNKNOWN_KEY, message).at(place));
            }
        }
        match transport {
            Transport::Stdio => self.launch().map(McpServer::Stdio),
            Transport::Sse => self.address(transport).map(McpServer::Sse),
            Transport::StreamableHttp => self.address(transport).map(McpServer::StreamableHttp),
        }
    }

    /// Returns the `type`, or the transport that the other keys imply.
    fn transport(&mut self) -> Option<Transport> {
        if let Some(node) = self.node("type") {
            let name = self.text("type")?;
            let found = Transport::named(&name);
            if found.is_none() {
                let names = Transport::ALL.map(Transport::as_str);
                let message = format!(
                    "`type` must be one of `stdio`, `sse`, `streamable-http`, not `{}`",
                    shown(&name)
                );
                let near = did_you_mean(&name, names).map(|near| format!("did you mean `{near}`?"));
                self.wrong_at("/type".to_owned(), message, node, near);
            }
            return found;
        }
        match (self.node("command"), self.node("url")) {
            (Some(_), None) => Some(Transport::Stdio),
            (None, Some(_)) => Some(Transport::StreamableHttp),
            (Some(_), Some(url)) => {
                let message = "it has both `command` and `url`".to_owned();
                self.wrong_at("/url".to_owned(), message, url, Some("keep one of the two".to_owned()));
                None
            }
            (None, None) => {
                self.report("", "it has neither `command` nor `url`");
                None
            }
        }
    }

    fn launch(&mut self) -> Option<StdioServer> {
        let command = self.required_text("command", Transport::Stdio);
        let args = self.texts("args");
        let env = self.pairs("env", |name| {
            (name.is_empty() || name.contains(['=', '\0'])).then_some("is no name of a variable")
        });
        let cwd = self.node("cwd").and_then(|_| self.non_blank_text("cwd"));
        Some(StdioServer { command: command?, args, env, cwd })
    }

    fn address(&mut self, transport: Transport) -> Option<ServerAddress> {
        let url = self.required_text("url", transport);
        if let (Some(url), Some(node)) = (&url, self.node("url"))
            && let Some((fault, help)) = url_fault(url)
        {
            let help = help.map(str::to_owned);
            self.wrong_at("/url".to_owned(), format!("`url` {fault}"), node, help);
        }
        let headers = self.pairs("headers", |name| {
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            (name.is_empty() || !name.bytes().all(is_token)).then_some("is no name of a header")
        });
        Some(ServerAddress { url: url?, headers })
    }

    /// Reads a string that must be present and not blank.
    fn required_text(&mut self, key: &str, transport: Transport) -> Option<String> {
        if self.node(key).is_none() {
            self.report("", format!("a server of type `{transport}` needs `{key}`"));
            return None;
        }
        self.non_blank_text(key)
    }

    fn non_blank_text(&mut self, key: &str) -> Option<String> {
        let node = self.node(key)?;
        let text = self.text(key)?;
        if text.trim().is_empty() {
            self.wrong_at(format!("/{key}"), format!("`{key}` must not be blank"), node, None);
            return None;
        }
        Some(text)
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let node = self.node(key)?;
        self.string(&format!("/{key}"), &format!("`{key}`"), node)
    }

    fn string(&mut self, pointer: &str, what: &str, node: &SettingsNode) -> Option<String> {
        let Some(text) = node.as_text() else {
            let help = match node.tree() {
                SettingsTree::Number(_) | SettingsTree::Flag(_) => Some("put it in quotes".to_owned()),
                SettingsTree::List(_) if pointer == "/command" => {
                    Some("write the program to `command` and its arguments to `args`".to_owned())
                }
                _ => None,
            };
            let message = format!("{what} must be a string, not {}", node.json_type());
            self.wrong_at(pointer.to_owned(), message, node, help);
            return None;
        };
        if text.contains('\0') {
            let message = format!("{what} must not hold NUL characters");
            self.wrong_at(pointer.to_owned(), message, node, None);
            return None;
        }
        Some(text.to_owned())
    }

    fn texts(&mut self, key: &str) -> Vec<String> {
        let Some(node) = self.node(key) else { return Vec::new() };
        let SettingsTree::List(items) = node.tree() else {
            let message = format!("`{key}` must be an array of strings, not {}", node.json_type());
            self.wrong_at(format!("/{key}"), message, node, None);
            return Vec::new();
        };
        let mut texts = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            texts.extend(self.string(&format!("/{key}/{at}"), &format!("item {at} of `{key}`"), item));
        }
        texts
    }

    /// Reads an object of strings. Its values may be secrets and are in no message.
    fn pairs(
        &mut self,
        key: &str,
        name_fault: impl Fn(&str) -> Option<&'static str>,
    ) -> BTreeMap<String, UnexpandedValue> {
        let mut pairs = BTreeMap::new();
        let Some(node) = self.node(key) else { return pairs };
        let Some(table) = node.as_table() else {
            let message = format!("`{key}` must be an object of strings, not {}", node.json_type());
            self.wrong_at(format!("/{key}"), message, node, None);
            return pairs;
        };
        for (name, node) in sorted_entries(table) {
            let what = format!("`{}` of `{key}`", shown(name));
            let pointer = format!("/{key}/{}", shown(&name.replace('~', "~0").replace('/', "~1")));
            if let Some(fault) = name_fault(name) {
                self.wrong_at(pointer, format!("{what} {fault}"), node, None);
                continue;
            }
            let Some(text) = self.string(&pointer, &what, node) else { continue };
            if key == "headers" && text.contains(['\r', '\n']) {
                self.wrong_at(pointer, format!("{what} must be one line"), node, None);
                continue;
            }
            pairs.insert(name.to_owned(), UnexpandedValue::new(text));
        }
        pairs
    }
}

/// Returns the fault of an address, and the help. The address itself is in neither, because it may contain a
/// password.
fn url_fault(url: &str) -> Option<(&'static str, Option<&'static str>)> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return Some(("must begin with `https://` or `http://`", None));
    };
    if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Some(("must begin with `https://` or `http://`", None));
    }
    // Programs disagree on where the host ends if one of these characters is in the address.
    if url.contains(|c: char| c == '\\' || c.is_whitespace() || c.is_control()) {
        return Some(("must not hold blanks, control characters or `\\`", None));
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        let help = "give it by reference: `\"headers\": {\"Authorization\": \"${NAME}\"}`";
        return Some(("must not hold a user name or password", Some(help)));
    }
    host.is_empty().then_some(("must name a host", None))
}

/// Returns the entries by key, so that diagnostics do not depend on the order in a file.
fn sorted_entries(table: &SettingsTable) -> Vec<(&str, &SettingsNode)> {
    let mut entries: Vec<_> = table.iter().map(|(key, node)| (key.as_str(), node)).collect();
    entries.sort_by_key(|(key, _)| *key);
    entries
}

/// Removes the excerpt, because the line may contain a secret.
fn without_excerpt(place: Place) -> Place {
    Place { excerpt: None, skipped: 0, ..place }
}
