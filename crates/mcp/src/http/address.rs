//! An address taken apart, as far as a connection needs it.

use base64::{Engine, prelude::BASE64_STANDARD};
use hyper::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use serde_json::Value;

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HttpAddress {
    /// True: the connection uses TLS.
    pub(super) secure: bool,
    /// The host, without the brackets of an IPv6 address.
    pub(super) host: String,
    pub(super) port: u16,
    /// The value of the header `Host`.
    pub(super) authority: String,
    /// Path and query.
    pub(super) path: String,
}

impl HttpAddress {
    /// Parses an address. The error does not contain the address: it may hold a secret.
    pub(crate) fn parse(url: &str) -> Result<HttpAddress, &'static str> {
        let url = url.split('#').next().unwrap_or_default();
        let uri: Uri = url.parse().map_err(|_| "its address is invalid")?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("its address is neither http nor https"),
        };
        let authority = uri.authority().ok_or("its address names no host")?;
        if authority.as_str().contains('@') {
            return Err("its address holds a user name or a password; these belong into a header");
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err("its address names no host");
        }
        Ok(HttpAddress {
            secure,
            host,
            port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            authority: authority.as_str().to_owned(),
            path: uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        })
    }

    /// Returns the target of a redirection. `None` if it is another origin, or no address at all.
    pub(super) fn redirected(&self, location: &str) -> Option<HttpAddress> {
        if location.starts_with('/') && !location.starts_with("//") {
            let uri: Uri = location.split('#').next()?.parse().ok()?;
            return Some(HttpAddress { path: uri.path_and_query()?.as_str().to_owned(), ..self.clone() });
        }
        let to = HttpAddress::parse(location).ok()?;
        let same =
            (to.secure, &to.port) == (self.secure, &self.port) && to.host.eq_ignore_ascii_case(&self.host);
        same.then_some(to)
    }
}

// The headers of a request: those of the target, and those that the protocol wants.

/// The headers of a target, ready to be sent. They may be secrets, and are never shown.
#[derive(Clone)]
pub(crate) struct TargetHeaders(HeaderMap);

/// The headers that the connection and the protocol set themselves.
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

impl TargetHeaders {
    /// Reads headers. The error names the first that cannot be sent.
    pub(crate) fn read(headers: &[(String, String)]) -> Result<TargetHeaders, String> {
        let mut read = HeaderMap::new();
        for (name, value) in headers {
            let shown = crate::text::shown(name.as_bytes(), 40);
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
        Ok(TargetHeaders(read))
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

/// Wraps what cannot be in a header as it is.
fn wrapped(value: &str) -> String {
    let plain = value.bytes().all(|byte| (0x20..=0x7e).contains(&byte));
    if plain && value.trim() == value && !(value.starts_with("=?base64?") && value.ends_with("?=")) {
        return value.to_owned();
    }
    format!("=?base64?{}?=", BASE64_STANDARD.encode(value))
}

#[cfg(test)]
mod tests {
    use super::{HttpAddress, TargetHeaders, name_message};
    use hyper::http::HeaderMap;
    use serde_json::json;

    #[test]
    fn an_address_is_taken_apart() {
        let address = HttpAddress::parse("https://[::1]:8443/mcp?key=1#part").unwrap();
        assert_eq!((address.secure, &*address.host, address.port), (true, "::1", 8443));
        assert_eq!((&*address.authority, &*address.path), ("[::1]:8443", "/mcp?key=1"));
        assert_eq!(HttpAddress::parse("http://example.com").unwrap().path, "/");
        for wrong in
            ["", "mcp", "ftp://example.com", "http://", "http://me:secret@example.com/", "http://a b/"]
        {
            let error = HttpAddress::parse(wrong).unwrap_err();
            assert!(!error.contains("secret"));
        }
    }

    #[test]
    fn a_redirection_stays_at_its_origin() {
        let address = HttpAddress::parse("https://example.com/mcp").unwrap();
        assert_eq!(address.redirected("/mcp/").unwrap().path, "/mcp/");
        assert_eq!(address.redirected("https://EXAMPLE.com:443/new").unwrap().path, "/new");
        for elsewhere in [
            "http://example.com/mcp",
            "https://example.org/",
            "//example.org/",
            "https://example.com:1/",
            "mcp",
            "",
        ] {
            assert_eq!(address.redirected(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn a_target_cannot_set_the_headers_of_the_protocol() {
        let read = |name: &str, value: &str| TargetHeaders::read(&[(name.to_owned(), value.to_owned())]);
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
