//! A capture as it is saved, and read again by `explain`, `lint` and `diff`.

use crate::{
    agent::{Agent, CaptureRules, find},
    body::{self, BodyContext, Item, ItemKind, Row},
    endpoint::ReceivedRequest,
    files::{Files, Places},
    project::{ConfigFile, hook_command, servers},
    run::{Mode, main_request},
    source::{Source, SourceKind, Sources, argument_texts},
};
use preface_core::lint::{
    finding::TextFinding as _,
    secret::{self, Secret},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, ffi::OsString, ops::Range};

/// The version of the document.
const VERSION: u32 = 1;
/// The fewest digits of an id: those of a UUID.
const ID_DIGITS: usize = 32;

/// The requests of one run of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// The version of the document.
    pub preface_capture: u32,
    /// The agent, by its name in commands.
    pub agent: String,
    /// Its version, if it prints one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The way in which it was started.
    pub mode: Mode,
    /// The working directory.
    pub directory: String,
    /// The time of the capture.
    pub at: String,
    /// The message that was sent; empty with `--listen`.
    pub message: String,
    /// True if secrets and ids are replaced in the bodies.
    #[serde(default)]
    pub redacted: bool,
    /// The place of the main request in `requests`.
    pub main: usize,
    /// The requests, in order.
    pub requests: Vec<CapturedRequest>,
    /// The files that were written meanwhile.
    #[serde(default)]
    pub written: Vec<String>,
}

/// A request with the source of each byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapturedRequest {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// The path, without the values of its query.
    pub path: String,
    /// False if nothing of a model's service has this path.
    pub known: bool,
    /// The model that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The body, without its content coding.
    pub body: String,
    /// The items of the body. Their rows, with the JSON between them, partition it.
    pub items: Vec<Item>,
    /// The tokens in the body that look like credentials.
    pub secrets: Vec<SecretPlace>,
}

/// A token that looks like a credential.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretPlace {
    /// Its bytes in the body.
    pub range: Range<usize>,
    /// The code of the finding.
    pub code: String,
}

/// The circumstances of a capture.
#[derive(Debug)]
pub struct CaptureInputs<'i> {
    /// The agent.
    pub agent: &'i Agent,
    /// Its rules.
    pub rules: &'i CaptureRules,
    /// The directories.
    pub places: &'i Places,
    /// The configuration that acts.
    pub config: &'i [ConfigFile],
    /// The message; empty where the user starts the agent.
    pub message: &'i str,
    /// The arguments of the user.
    pub args: &'i [OsString],
}

impl Capture {
    /// Finds the sources of the requests of a run. `None` if none of them is the main request.
    #[must_use]
    pub fn of(
        inputs: &CaptureInputs<'_>,
        requests: &[ReceivedRequest],
        mode: Mode,
        at: String,
    ) -> Option<Self> {
        let main = main_request(requests, inputs.message)?;
        let mut files = Files::collect(inputs.rules, inputs.places, inputs.args);
        let bodies: Vec<String> =
            requests.iter().map(|request| String::from_utf8_lossy(&request.body).into_owned()).collect();
        for body in &bodies {
            // The names are in JSON strings, where a line end is `\n`.
            files.add_named(&body.replace("\\n", " ").replace("\\\"", " "), inputs.places);
        }
        let sources = Sources::new(files.source_texts(inputs.places).chain(argument_texts(inputs.args)));
        let servers = servers(inputs.config);
        let context = BodyContext {
            sources: &sources,
            marks: &inputs.rules.marks,
            message: inputs.message,
            servers: &servers,
        };
        let requests = requests.iter().zip(bodies).enumerate().map(|(at, (request, body))| {
            let mut read = body::read(&body, context);
            if at == main && inputs.message.is_empty() {
                name_message(&mut read.items);
            }
            if let Some(role) = &inputs.rules.hook_role {
                name_hooks(&mut read.items, role);
            }
            for row in read.items.iter_mut().flat_map(|item| &mut item.rows) {
                let Source { kind, names } = &mut row.source;
                if *kind == SourceKind::Server
                    && names.iter().any(|name| inputs.rules.own_servers.contains(name))
                {
                    row.source = Source::of(SourceKind::Agent);
                } else if *kind == SourceKind::Hook {
                    for event in names {
                        if let Some(command) = hook_command(inputs.config, event) {
                            *event = format!("{event}: {command}");
                        }
                    }
                }
            }
            let model = read.model.or_else(|| model_of(&request.path));
            CapturedRequest {
                method: request.method.clone(),
                path: request.path.clone(),
                known: request.known,
                model,
                secrets: secrets(&body),
                body,
                items: read.items,
            }
        });
        Some(Capture {
            preface_capture: VERSION,
            agent: inputs.agent.name.clone(),
            version: None,
            mode,
            directory: inputs.places.cwd.display().to_string(),
            at,
            message: inputs.message.to_owned(),
            redacted: false,
            main,
            requests: requests.collect(),
            written: Vec::new(),
        })
    }

    /// Reads a saved capture.
    ///
    /// # Errors
    /// It is none, or its rows do not fit its bodies.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let mut capture: Capture = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        if capture.preface_capture != VERSION {
            return Err(format!(
                "it has version {}, and this preface reads {VERSION}",
                capture.preface_capture
            ));
        }
        for request in &mut capture.requests {
            request.check()?;
            if !request.read_texts() {
                return Err("its items are not those of its body".to_owned());
            }
        }
        if capture.main >= capture.requests.len() {
            return Err("it has no main request".to_owned());
        }
        Ok(capture)
    }

    /// Returns a request by its number, which begins with 1; the main request without one.
    #[must_use]
    pub fn request(&self, number: Option<usize>) -> Option<&CapturedRequest> {
        self.requests.get(number.map_or(Some(self.main), |number| number.checked_sub(1))?)
    }

    /// Returns the texts in front of what the agent makes up for each request.
    #[must_use]
    pub fn ids(&self) -> &'static [String] {
        find(&self.agent)
            .and_then(|agent| agent.capture.as_ref())
            .map(|rules| &rules.ids[..])
            .unwrap_or_default()
    }

    /// Replaces secrets, values whose name is that of one, and ids of accounts, devices and sessions, by as many asterisks and zeros.
    pub fn redact(&mut self) {
        let before = self.ids();
        for request in &mut self.requests {
            let mut bytes = request.body.clone().into_bytes();
            for range in ids(&request.body, before) {
                bytes[range]
                    .iter_mut()
                    .filter(|byte| byte.is_ascii_alphanumeric())
                    .for_each(|byte| *byte = b'0');
            }
            for range in
                request.secrets.iter().map(|secret| secret.range.clone()).chain(credentials(&request.body))
            {
                bytes[range].fill(b'*');
            }
            if let Ok(body) = String::from_utf8(bytes) {
                request.body = body;
            }
            request.read_texts();
        }
        self.redacted = true;
    }
}

impl CapturedRequest {
    /// Returns the rows of the items with the JSON between them: they partition the body.
    #[must_use]
    pub fn partition(&self) -> Vec<Row> {
        let mut items: Vec<&Row> = self.items.iter().flat_map(|item| &item.rows).collect();
        items.sort_by_key(|row| row.range.start);
        let mut rows = Vec::new();
        let mut end = 0;
        let syntax = |range: Range<usize>| Row { range, source: Source::of(SourceKind::Syntax) };
        for row in items {
            if row.range.start > end {
                rows.push(syntax(end..row.range.start));
            }
            end = row.range.end;
            rows.push(row.clone());
        }
        if self.body.len() > end {
            rows.push(syntax(end..self.body.len()));
        }
        rows
    }

    /// Reads the texts of the items from the body. False if these are not its items.
    fn read_texts(&mut self) -> bool {
        let context = BodyContext { sources: &Sources::new([]), marks: &[], message: "", servers: &[] };
        let read = body::read(&self.body, context).items;
        let is_same = read.iter().map(Item::range).eq(self.items.iter().map(Item::range));
        for (item, read) in self.items.iter_mut().zip(read) {
            item.text = read.text;
        }
        is_same
    }

    /// Checks that the rows partition the body, at the borders of characters.
    fn check(&self) -> Result<(), String> {
        let mut end = 0;
        for row in self.partition() {
            if row.range.start != end || row.range.is_empty() || !self.body.is_char_boundary(row.range.end) {
                return Err(format!("its rows do not fit its body at byte {end}"));
            }
            end = row.range.end;
        }
        let fits = |secret: &SecretPlace| {
            secret.range.start <= secret.range.end
                && self.body.is_char_boundary(secret.range.start)
                && self.body.is_char_boundary(secret.range.end)
        };
        if self.secrets.iter().all(fits) { Ok(()) } else { Err("its secrets do not fit its body".to_owned()) }
    }

    /// Returns the bytes of each source, the largest first; JSON is the last one.
    #[must_use]
    pub fn by_source(&self) -> Vec<(Source, usize)> {
        let mut sums: BTreeMap<Source, usize> = BTreeMap::new();
        for row in self.partition() {
            *sums.entry(row.source).or_default() += row.range.len();
        }
        let mut sums: Vec<(Source, usize)> = sums.into_iter().collect();
        sums.sort_by_key(|(source, bytes)| (source.kind == SourceKind::Syntax, std::cmp::Reverse(*bytes)));
        sums
    }

    /// Returns the items up to the last mark of a cache, in the order in which the service reads them: tools, system prompt, messages.
    #[must_use]
    pub fn cached(&self) -> Option<Vec<&Item>> {
        let is_anthropic = self.path.split('?').next().is_some_and(|path| path.ends_with("/messages"));
        if !is_anthropic {
            return None;
        }
        let rank = |item: &Item| match item.place.split(['[', '.']).next() {
            Some("tools") => 0,
            Some("system") => 1,
            Some("messages") => 2,
            _ => 3,
        };
        let mut items: Vec<&Item> = self.items.iter().filter(|item| rank(item) < 3).collect();
        items.sort_by_key(|item| rank(item));
        let last = items.iter().rposition(|item| item.cache_mark)?;
        items.truncate(last + 1);
        Some(items)
    }

    /// Returns the texts for a comparison: a heading and the text of each item, without ids and the message of the capture.
    #[must_use]
    pub fn comparable(&self, message: &str, ids: &[String]) -> Vec<(ItemKind, String, String)> {
        let mut names: BTreeMap<(ItemKind, String), usize> = BTreeMap::new();
        let items = self.items.iter().map(|item| {
            let name = match item.kind {
                ItemKind::Tool | ItemKind::Setting => item.name.clone(),
                // A content of one text may be a list or not.
                ItemKind::System | ItemKind::Message => item.place.replace(".content[0]", ".content"),
            };
            // Two tools may have one name.
            let count = names.entry((item.kind, name.clone())).or_default();
            *count += 1;
            let name = if *count > 1 { format!("{name} ({count})") } else { name };
            let mut text = without_ids(&item.text, ids);
            if item.rows.iter().all(|row| row.source.kind == SourceKind::Message) || is_id(item, ids) {
                text.clear();
            } else if !message.is_empty() {
                text = text.replace(message, "[message]");
            }
            if item.kind == ItemKind::Tool
                && let Some(pretty) = serde_json::from_str::<serde_json::Value>(&text)
                    .ok()
                    .and_then(|value| serde_json::to_string_pretty(&value).ok())
            {
                text = pretty.replace("\\n", "\n");
            }
            (item.kind, name, text)
        });
        items.collect()
    }

    /// Returns the text of each source but the message with its bytes in the body, each run on lines of its own. With `ids` they are
    /// left out.
    #[must_use]
    pub fn source_texts(&self, ids: Option<&[String]>) -> BTreeMap<&Source, (usize, String)> {
        let mut sources: BTreeMap<&Source, (usize, String)> = BTreeMap::new();
        for item in self.items.iter().filter(|item| !ids.is_some_and(|ids| is_id(item, ids))) {
            let is_raw = self.body[item.range()] == item.text;
            for row in item.rows.iter().filter(|row| row.source.kind != SourceKind::Message) {
                let raw = &self.body[row.range.clone()];
                let decoded = if is_raw { None } else { serde_json::from_str(&format!("\"{raw}\"")).ok() };
                let (bytes, text) = sources.entry(&row.source).or_default();
                *bytes += raw.len();
                let decoded = decoded.unwrap_or_else(|| raw.to_owned());
                *text += &ids.map_or(decoded.clone(), |ids| without_ids(&decoded, ids));
                text.push('\n');
            }
        }
        sources
    }
}

/// True for a setting that is made up for each request as a whole.
fn is_id(item: &Item, ids: &[String]) -> bool {
    item.kind == ItemKind::Setting && ids.contains(&item.name)
}

/// Names the last text of the user as the message: the agent's own around it cannot be told from it.
fn name_message(items: &mut [Item]) {
    let last = items.iter_mut().rfind(|item| item.kind == ItemKind::Message && item.name == "user");
    for row in last.into_iter().flat_map(|item| &mut item.rows) {
        if row.source.kind == SourceKind::Agent {
            row.source.kind = SourceKind::Message;
        }
    }
}

/// Finds the messages of hooks by their role: behind the first message of the user, and without a tag of the agent.
fn name_hooks(items: &mut [Item], role: &str) {
    let mut event = None;
    for item in items {
        if item.kind == ItemKind::Message && item.name == "user" {
            let is_own = item.rows.iter().any(|row| row.source.kind == SourceKind::Message);
            event = if is_own { Some("UserPromptSubmit") } else { event.or(Some("SessionStart")) };
        }
        let Some(event) = event.filter(|_| item.name == role && !item.text.starts_with('<')) else {
            continue;
        };
        for row in item.rows.iter_mut().filter(|row| row.source.kind == SourceKind::Agent) {
            row.source = Source::named(SourceKind::Hook, event);
        }
    }
}

/// Returns the model in a path of Gemini: `/v1beta/models/MODEL:generateContent`.
fn model_of(path: &str) -> Option<String> {
    let (_, rest) = path.split_once("/models/")?;
    Some(rest.split([':', '?', '/']).next()?.to_owned())
}

fn secrets(body: &str) -> Vec<SecretPlace> {
    let place =
        |secret: Secret| SecretPlace { range: secret.range(), code: secret.code().as_str().to_owned() };
    secret::scan(body).into_iter().map(place).collect()
}

/// Finds the values whose name ends like that of a secret, `NAME=value` and `"name": "value"`, and the credentials in addresses.
fn credentials(body: &str) -> Vec<Range<usize>> {
    const NAMES: [&str; 6] = ["key", "token", "secret", "password", "passwd", "passphrase"];
    let is_quote = |c: char| matches!(c, '"' | '\'' | '\\');
    let is_end = |c: char| c.is_whitespace() || is_quote(c) || "`<>,;)".contains(c);
    let end = |from: usize| body[from..].find(is_end).map_or(body.len(), |end| from + end);
    let mut found = Vec::new();
    for (at, sign) in body.match_indices(['=', ':']) {
        let start =
            body[at + 1..].find(|c| c != ' ' && !is_quote(c)).map_or(body.len(), |skip| at + 1 + skip);
        // A colon in a sentence has no quotes behind it.
        let is_assigned = sign == "=" || body[at + 1..start].contains(is_quote);
        let name = body[..at].trim_end_matches(is_quote);
        let name = name.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or(name);
        if is_assigned && NAMES.iter().any(|end| name.to_ascii_lowercase().ends_with(end)) {
            found.push(start..end(start));
        }
    }
    for (at, sign) in body.match_indices("://") {
        let from = at + sign.len();
        let host = &body[from..from + body[from..end(from)].find('/').unwrap_or(end(from) - from)];
        found.extend(host.rfind('@').map(|end| from..from + end));
    }
    found
}

/// Finds the words behind the texts of an agent's rules, UUIDs and long hexadecimal numbers: ids of accounts, devices and sessions.
fn ids(text: &str, before: &[String]) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let run =
        |at: usize, is_in: fn(&u8) -> bool| at + bytes[at..].iter().take_while(|byte| is_in(byte)).count();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let is_behind = before.iter().any(|before| bytes[..at].ends_with(before.as_bytes()));
        let end = match is_behind {
            true => run(at, |byte| byte.is_ascii_alphanumeric() || b"._-+:".contains(byte)),
            false => run(at, |byte| byte.is_ascii_hexdigit() || *byte == b'-'),
        };
        let digits = bytes[at..end].iter().filter(|byte| byte.is_ascii_hexdigit()).count();
        if is_behind || digits >= ID_DIGITS {
            found.push(at..end);
        }
        at = end.max(at + 1);
    }
    found
}

/// Replaces ids, so that two requests with the same words are equal.
fn without_ids(text: &str, before: &[String]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for range in ids(text, before) {
        clean.push_str(&text[at..range.start]);
        clean.push_str("[id]");
        at = range.end;
    }
    clean.push_str(&text[at..]);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn capture(body: &str) -> Capture {
        let agent = find("claude").unwrap();
        let places = Places { cwd: "/nowhere".into(), root: "/nowhere".into(), home: None };
        let inputs = CaptureInputs {
            agent,
            rules: agent.capture.as_ref().unwrap(),
            places: &places,
            config: &[ConfigFile {
                path: Path::new("/x.json").into(),
                bytes: Vec::new(),
                is_user: true,
                actions: vec![crate::project::Action {
                    key: "hooks SessionStart".into(),
                    command: "echo hi".into(),
                }],
            }],
            message: "say OK 7f",
            args: &[],
        };
        let request = |path: &str, body: &str| ReceivedRequest {
            method: "POST".into(),
            path: path.into(),
            body: body.into(),
            known: true,
        };
        let requests = [
            request("/v1/messages", r#"{"messages":"title"}"#),
            request("/v1/messages?beta", body),
            request("/x", "not JSON"),
        ];
        Capture::of(&inputs, &requests, Mode::Print, "2026-11-28T00:00:00Z".into()).unwrap()
    }

    fn body() -> String {
        format!(
            r#"{{"model":"m","metadata":{{"user_id":"device {} session bcd47aff-89d5-46e4-94c0-63e90361f331"}},"system":[{{"type":"text","text":"S","cache_control":{{}}}}],"messages":[{{"role":"user","content":"say OK 7f"}},{{"role":"system","content":"SessionStart: the key is sk-ant-{}\nToday's date is 1."}}],"tools":[{{"name":"T"}}]}}"#,
            "0a".repeat(32),
            "abcde".repeat(5),
        )
    }

    #[test]
    fn rows_partition_the_body_and_the_document_is_read_again() {
        let capture = capture(&body());
        assert_eq!((capture.main, capture.requests.len()), (1, 3));
        let main = capture.request(None).unwrap();
        let joined: String = main.partition().iter().map(|row| &main.body[row.range.clone()]).collect();
        assert_eq!(joined, main.body);
        let sources: Vec<String> = main
            .by_source()
            .iter()
            .map(|(source, _)| format!("{:?} {}", source.kind, source.names.join("")))
            .collect();
        for expected in ["Hook SessionStart: echo hi", "Environment ", "Message ", "Agent ", "Syntax "] {
            assert!(sources.contains(&expected.to_owned()), "{sources:?}");
        }
        let cached: Vec<&str> = main.cached().unwrap().iter().map(|item| item.place.as_str()).collect();
        assert_eq!(cached, ["tools[0]", "system[0]"]);
        let json = serde_json::to_vec(&capture).unwrap();
        assert_eq!(Capture::from_json(&json).unwrap(), capture);
        let damaged =
            String::from_utf8(json).unwrap().replace(r#""range":{"start":9,"#, r#""range":{"start":8,"#);
        assert!(Capture::from_json(damaged.as_bytes()).is_err());
    }

    #[test]
    fn values_of_secrets_and_addresses_are_found() {
        let found = |body: &str| {
            let ranges = credentials(body);
            ranges.into_iter().map(|range| body[range].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(
            found(r#"{"text":"export DB_PASSWORD=hünter2 \n\"apiKey\": \"abc\", token='x y'"}"#),
            ["hünter2", "abc", "x"]
        );
        assert_eq!(found("see postgres://me:word@host/db, https://host/a@b"), ["me:word"]);
        assert!(found(r#"{"key":{"type":"string"},"a key: words","tokens=1","monkeys":"x"}"#).is_empty());
    }

    #[test]
    fn without_a_message_the_last_text_of_the_user_is_it() {
        let body = r#"{"messages":[{"role":"user","content":"say OK 7f"},{"role":"user","content":"hello"},{"role":"assistant","content":"b"}]}"#;
        let items = &mut capture(body).requests[1].items;
        name_message(items);
        let kinds: Vec<SourceKind> = items[1..].iter().map(|item| item.rows[0].source.kind).collect();
        assert_eq!(kinds, [SourceKind::Message, SourceKind::Agent]);
    }

    #[test]
    fn what_an_agent_makes_up_for_each_request_is_no_difference() {
        let ids = ["cc_version=".to_owned(), "client_metadata".to_owned()];
        let compared = ["1", "22"].map(|digits| {
            let body = format!(
                r#"{{"system":"cc_version=1.{digits}; x","client_metadata":{{"a{digits}":1}},"messages":"say OK 7f"}}"#
            );
            let request = &capture(&body).requests[1];
            let sources = request.source_texts(Some(&ids)).into_values().map(|(_, text)| text);
            (request.comparable("say OK 7f", &ids), sources.collect::<String>())
        });
        assert_eq!(compared[0], compared[1]);
    }

    #[test]
    fn secrets_and_ids_are_replaced_in_place() {
        let mut capture = capture(&body());
        let before = capture.requests[1].clone();
        assert_eq!(before.secrets[0].code, "secret/key");
        capture.redact();
        let after = &capture.requests[1];
        assert_eq!(after.body.len(), before.body.len());
        assert!(
            !after.body.contains("abcde") && !after.body.contains("bcd47aff") && !after.body.contains("0a0a")
        );
        assert!(after.body.contains("00000000-0000-0000-0000-000000000000"));
        assert!(Capture::from_json(&serde_json::to_vec(&capture).unwrap()).is_ok());
        assert_eq!(without_ids("a bcd47aff-89d5-46e4-94c0-63e90361f331 b", &[]), "a [id] b");
        assert_eq!(without_ids("deadbeef-1 cafe", &[]), "deadbeef-1 cafe");
    }
}
