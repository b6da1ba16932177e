//! Reads an `mcp.json`: JSON with comments, `{"mcpServers": {"id": {…}}}` or a bare object by id.
//!
//! A file that cannot be read is left out; an invalid server does not affect the others. Its fault is kept until all layers
//! are known, because its severity depends on the layers below. No diagnostic has an excerpt of the file, because the line
//! may contain a secret.

use super::server::{McpServer, ServerAddress, StdioServer, Transport, UnexpandedValue};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy},
    extension::{EntrySwitch, id_fault},
    scope::Scope,
    settings::{SettingsNode, SettingsTable, TypeFault, parse_document, shown},
    suggestion::did_you_mean,
};
use serde::Deserialize;
use std::collections::BTreeMap;

pub(super) const INVALID: DiagnosticCode = DiagnosticCode::McpServerConfigInvalid;
const UNKNOWN_KEY: DiagnosticCode = DiagnosticCode::McpUnknownKey;
const WRAPPER: &str = "mcpServers";

/// The most servers in a file; each costs diagnostics.
const MOST_SERVERS: usize = 256;

/// The most unknown keys of an object that are reported one by one; the others are summarized by their number.
const MOST_UNKNOWN: usize = 5;

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
    /// `disable`, if it is set.
    pub(super) switch: Option<EntrySwitch>,
    /// The server; `None` for an entry with nothing but `disable`.
    pub(super) server: Result<Option<McpServer>, Box<Diagnostic>>,
    /// Warnings that do not invalidate the entry.
    pub(super) diagnostics: Diagnostics,
}

/// The fields of a server.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ServerFields {
    #[serde(rename = "type")]
    transport: Option<Transport>,
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    cwd: Option<String>,
    url: Option<String>,
    headers: BTreeMap<String, String>,
    disable: Option<bool>,
    disabled: Option<bool>,
}

impl McpFile {
    /// Reads the bytes of an `mcp.json`; a BOM is accepted. A file that is not JSON, not an object of servers, or has a key
    /// twice, is one error and no layer. Diagnostics about single servers come from [`resolve`](super::resolve).
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
        let object =
            |what: &str, node: &SettingsNode| bad(format!("{what}, not {}", node.json_type()), node.place());
        let root = parse_document(scope.into(), path, bytes, INVALID)?;
        let table = root.as_table().ok_or_else(|| object("it must be a JSON object", &root))?;
        let servers = match table.get(WRAPPER) {
            Some(node) => {
                let where_ = format!("beside `{WRAPPER}`");
                diagnostics.extend(unknown_keys(table, &[WRAPPER, "$schema"], &where_));
                let what = format!("`{WRAPPER}` must be an object of servers");
                node.as_table().ok_or_else(|| object(&what, node))?
            }
            None => {
                if let Some((key, node)) =
                    sorted_entries(table).into_iter().find(|(_, node)| node.as_table().is_none())
                {
                    let error = object(&format!("`{}` must be a server, an object", shown(key)), node);
                    let near = did_you_mean(key, [WRAPPER]).unwrap_or(WRAPPER);
                    return Err(Box::new(error.help(format!("write `{{\"{near}\": {{\"id\": {{…}}}}}}`"))));
                }
                table
            }
        };
        if servers.len() > MOST_SERVERS {
            let message = format!("it has {} servers, and {MOST_SERVERS} are the most", servers.len());
            return Err(bad(message, Place::file(Some(scope), path)));
        }
        let read = servers.iter().map(|(id, node)| (id.clone(), ServerDeclaration::read(scope, id, node)));
        Ok(read.collect())
    }
}

/// Reports unknown keys of an object.
fn unknown_keys(table: &SettingsTable, known: &[&str], of: &str) -> Diagnostics {
    let unknown: Vec<_> = sorted_entries(table).into_iter().filter(|(key, _)| !known.contains(key)).collect();
    let few = unknown.iter().take(MOST_UNKNOWN).map(|(key, node)| {
        let message = format!("`{}` {of} is unknown and is ignored", shown(key));
        let diagnostic = Diagnostic::warning(UNKNOWN_KEY, message).at(without_excerpt(node.key_place()));
        let near = did_you_mean(key, known.iter().copied());
        Diagnostic { help: near.map(|near| format!("did you mean `{near}`?").into()), ..diagnostic }
    });
    let more = unknown.len().saturating_sub(MOST_UNKNOWN);
    let more =
        (more > 0).then(|| Diagnostic::warning(UNKNOWN_KEY, format!("{more} more keys {of} are ignored")));
    few.chain(more).collect()
}

impl ServerDeclaration {
    fn read(scope: Scope, id: &str, node: &SettingsNode) -> ServerDeclaration {
        let mut diagnostics = Diagnostics::new();
        if let Some(table) = node.as_table() {
            diagnostics = unknown_keys(table, &KEYS, &format!("of the server `{}`", shown(id)));
        }
        let mut switches = ["disable", "disabled"].iter().filter_map(|key| {
            let node = node.at(&[key])?;
            let place = without_excerpt(node.place());
            Some(EntrySwitch { by: scope.into(), off: node.as_flag()?, place })
        });
        let switch = switches.next();
        let other = switches.next().map(|switch| switch.off);
        // Those that contradict each other are none.
        let switch = switch.filter(|switch| other.is_none_or(|off| off == switch.off));
        ServerDeclaration {
            place: without_excerpt(node.key_place()),
            switch,
            server: server(id, node, &mut diagnostics),
            diagnostics,
        }
    }
}

/// Reads a server; `None` for an entry that only sets `disable`.
fn server(
    id: &str,
    node: &SettingsNode,
    diagnostics: &mut Diagnostics,
) -> Result<Option<McpServer>, Box<Diagnostic>> {
    // The failure of a part, or of the server as a whole if it does not have the part.
    let failure = |keys: &[&str], message: String| {
        let place =
            node.at(keys).filter(|_| !keys.is_empty()).map_or_else(|| node.key_place(), SettingsNode::place);
        Box::new(Diagnostic::error(INVALID, message).at(without_excerpt(place)))
    };
    if let Some(fault) = id_fault(id) {
        return Err(failure(&[], format!("the id `{}` {fault}", shown(id))));
    }
    let table = node
        .as_table()
        .ok_or_else(|| failure(&[], format!("a server must be an object, not {}", node.json_type())))?;
    let fields: ServerFields = TypeFault::read(node).map_err(|fault| {
        let keys: Vec<&str> = fault.keys.iter().map(String::as_str).collect();
        Box::new(Diagnostic { help: fault.help.map(Remedy::from), ..*failure(&keys, fault.message) })
    })?;
    if let (Some(disable), Some(disabled)) = (fields.disable, fields.disabled)
        && disable != disabled
    {
        let message = "`disable` and `disabled` contradict each other".to_owned();
        return Err(Box::new(failure(&["disabled"], message).help("keep `disable`")));
    }
    let known = || table.keys().map(String::as_str).filter(|key| KEYS.contains(key));
    let is_switch = |key: &str| ["disable", "disabled"].contains(&key);
    if known().any(is_switch) && known().all(is_switch) {
        return Ok(None);
    }
    let transport = match (fields.transport, &fields.command, &fields.url) {
        (Some(transport), ..) => transport,
        (None, Some(_), None) => Transport::Stdio,
        (None, None, Some(_)) => Transport::StreamableHttp,
        (None, Some(_), Some(_)) => {
            let message = "it has both `command` and `url`".to_owned();
            return Err(Box::new(failure(&["url"], message).help("keep one of the two")));
        }
        (None, None, None) => {
            return Err(failure(&[], "it has neither `command` nor `url`".to_owned()));
        }
    };
    let foreign: &[&str] = match transport {
        Transport::Stdio => &["headers", "url"],
        Transport::Sse | Transport::StreamableHttp => &["args", "command", "cwd", "env"],
    };
    diagnostics.extend(foreign.iter().filter_map(|key| table.get(*key).map(|node| (key, node))).map(
        |(key, node)| {
            let message = format!("`{key}` does nothing for a server of type `{transport}`");
            Diagnostic::warning(UNKNOWN_KEY, message).at(without_excerpt(node.key_place()))
        },
    ));
    let required = |key: &str, text: Option<String>| {
        text.ok_or_else(|| failure(&[], format!("a server of type `{transport}` needs `{key}`")))
    };
    let texts = [("command", &fields.command), ("cwd", &fields.cwd), ("url", &fields.url)];
    let texts = texts.into_iter().filter_map(|(key, text)| Some((key, text.as_deref()?)));
    for (key, text) in texts.chain(fields.args.iter().map(|text| ("args", text.as_str()))) {
        if text.contains('\0') {
            return Err(failure(&[key], format!("`{key}` must not hold NUL characters")));
        }
        if key != "args" && text.trim().is_empty() {
            return Err(failure(&[key], format!("`{key}` must not be blank")));
        }
    }
    for (key, pairs) in [("env", &fields.env), ("headers", &fields.headers)] {
        if let Some((name, fault)) =
            pairs.iter().find_map(|(name, value)| Some((name, pair_fault(key, name, value)?)))
        {
            return Err(failure(&[key, name], format!("`{}` of `{key}` {fault}", shown(name))));
        }
    }
    let unexpanded = |pairs: BTreeMap<String, String>| {
        pairs.into_iter().map(|(name, value)| (name, UnexpandedValue::new(value))).collect()
    };
    let address = |url: Option<String>, headers| {
        let url = required("url", url)?;
        if let Some((fault, help)) = url_fault(&url) {
            let failure = failure(&["url"], format!("`url` {fault}"));
            return Err(Box::new(Diagnostic { help: help.map(Remedy::from), ..*failure }));
        }
        Ok(ServerAddress { url, headers: unexpanded(headers) })
    };
    Ok(Some(match transport {
        Transport::Stdio => McpServer::Stdio(StdioServer {
            command: required("command", fields.command)?,
            args: fields.args,
            env: unexpanded(fields.env),
            cwd: fields.cwd,
        }),
        Transport::Sse => McpServer::Sse(address(fields.url, fields.headers)?),
        Transport::StreamableHttp => McpServer::StreamableHttp(address(fields.url, fields.headers)?),
    }))
}

/// Returns the fault of an environment variable or a header. Its value may be a secret.
fn pair_fault(key: &str, name: &str, value: &str) -> Option<&'static str> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    match key {
        _ if value.contains('\0') => Some("must not hold NUL characters"),
        "env" => (name.is_empty() || name.contains(['=', '\0'])).then_some("is no name of a variable"),
        _ if name.is_empty() || !name.bytes().all(is_token) => Some("is no name of a header"),
        _ => value.contains(['\r', '\n']).then_some("must be one line"),
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
