//! The headers of a request: those of the target, and those that the protocol wants.

use base64::{Engine, prelude::BASE64_STANDARD};
use hyper::http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::Value;

/// The headers of a target, ready to be sent. They may be secrets, and are never shown.
#[derive(Clone)]
pub(crate) struct Headers(HeaderMap);

/// What the connection and the protocol say for themselves.
const OURS: [&str; 12] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "te",
    "transfer-encoding",
    "upgrade",
];

impl Headers {
    /// Reads headers. The error names the first that cannot be sent.
    pub(crate) fn read(headers: &[(String, String)]) -> Result<Headers, String> {
        let mut read = HeaderMap::new();
        for (name, value) in headers {
            let shown = crate::words::shown(name.as_bytes(), 40);
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| format!("the header `{shown}` has a name that no header has"))?;
            if OURS.contains(&name.as_str()) {
                return Err(format!("the header `{shown}` is set by the protocol; remove it"));
            }
            let mut value = HeaderValue::from_str(value.trim())
                .map_err(|_| format!("the header `{shown}` has a value that no header can have"))?;
            value.set_sensitive(true);
            read.append(name, value);
        }
        Ok(Headers(read))
    }

    /// The headers of a request to this host.
    pub(super) fn of_request(&self, host: &str, session: Option<&str>, version: Option<&str>) -> HeaderMap {
        let mut headers = self.0.clone();
        let mut set = |name: HeaderName, value: &str| {
            // What a server gave us and no header can hold is not sent back.
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        set(header::HOST, host);
        if !self.0.contains_key(header::USER_AGENT) {
            set(header::USER_AGENT, concat!("preface/", env!("CARGO_PKG_VERSION")));
        }
        if let Some(session) = session {
            set(SESSION, session);
        }
        if let Some(version) = version {
            set(HeaderName::from_static("mcp-protocol-version"), version);
        }
        headers
    }
}

/// The name of the header that holds a session.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Adds what 2026-07-28 wants to know of a message without reading it: its method, and the name in it.
pub(super) fn name_message(headers: &mut HeaderMap, message: &Value) {
    let Some(method) = message.get("method").and_then(Value::as_str) else { return };
    let key = match method {
        "prompts/get" | "tools/call" => Some("name"),
        "resources/read" => Some("uri"),
        _ => None,
    };
    let name = key.and_then(|key| message.get("params")?.get(key)?.as_str());
    let named = [("mcp-method", Some(method.to_owned())), ("mcp-name", name.map(wrapped))];
    for (name, value) in named {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

/// Wraps what cannot stand in a header as it is.
fn wrapped(value: &str) -> String {
    let plain = value.bytes().all(|byte| (0x20..=0x7e).contains(&byte));
    if plain && value.trim() == value && !(value.starts_with("=?base64?") && value.ends_with("?=")) {
        return value.to_owned();
    }
    format!("=?base64?{}?=", BASE64_STANDARD.encode(value))
}

#[cfg(test)]
mod tests {
    use super::{Headers, name_message};
    use hyper::http::HeaderMap;
    use serde_json::json;

    #[test]
    fn what_the_protocol_says_cannot_be_said_by_a_target() {
        let read = |name: &str, value: &str| Headers::read(&[(name.to_owned(), value.to_owned())]);
        assert!(read("Authorization", "Bearer x").is_ok());
        for (name, value) in
            [("Host", "x"), ("Mcp-Session-Id", "x"), ("a b", "x"), ("", "x"), ("x", "sec\nret")]
        {
            let error = read(name, value).err().expect("it is refused");
            assert!(!error.contains("ret"), "{error}");
        }
    }

    #[test]
    fn a_name_that_no_header_holds_is_wrapped() {
        let mut headers = HeaderMap::new();
        name_message(
            &mut headers,
            &json!({ "method": "resources/read", "params": { "uri": "file:///größe" } }),
        );
        assert_eq!(headers["mcp-method"], "resources/read");
        assert_eq!(headers["mcp-name"], "=?base64?ZmlsZTovLy9ncsO2w59l?=");
    }
}
