//! The allowed host names of the service.

use std::net::{IpAddr, SocketAddr};

/// A name and a port, as a `Host` or an `Origin` has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Authority {
    name: HostName,
    port: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum HostName {
    Address(IpAddr),
    /// Small letters, without the dot at the end.
    Word(String),
}

impl Authority {
    /// Reads `NAME`, `NAME:PORT`, `[ADDRESS]:PORT`.
    pub fn parse(text: &str, usual_port: u16) -> Option<Self> {
        let (name, rest) = match text.strip_prefix('[') {
            Some(text) => {
                let (address, rest) = text.split_once(']')?;
                (HostName::Address(IpAddr::V6(address.parse().ok()?)), rest)
            }
            None => {
                let end = text.find(':').unwrap_or(text.len());
                (HostName::parse(&text[..end])?, &text[end..])
            }
        };
        let port = match rest.strip_prefix(':') {
            Some(port) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
                port.parse().ok()?
            }
            Some(_) => return None,
            None if rest.is_empty() => usual_port,
            None => return None,
        };
        Some(Authority { name, port })
    }

    /// Reads `http://NAME:PORT` or `https://NAME:PORT`; `null` and all else is `None`.
    pub fn of_origin(origin: &str) -> Option<Self> {
        let (scheme, authority) = origin.split_once("://")?;
        match scheme {
            "http" => Authority::parse(authority, 80),
            "https" => Authority::parse(authority, 443),
            _ => None,
        }
    }
}

impl HostName {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse() {
            return Some(HostName::Address(address));
        }
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
        let word = text.strip_suffix('.').unwrap_or(text);
        (!word.is_empty() && word.bytes().all(plain)).then(|| HostName::Word(word.to_ascii_lowercase()))
    }
}

/// The names of this service.
#[derive(Debug)]
pub(super) struct Hosts {
    /// Where it listens; nowhere yet, in a program that calls the router itself.
    bound: Option<SocketAddr>,
    /// Names that were given, with a port or for any.
    given: Vec<(HostName, Option<u16>)>,
}

impl Hosts {
    pub fn new(bound: Option<SocketAddr>, given: &[String]) -> Self {
        let given = given.iter().filter_map(|text| {
            let Authority { name, port } = Authority::parse(text, 0)?;
            Some((name, (port != 0).then_some(port)))
        });
        Hosts { bound, given: given.collect() }
    }

    /// True if a request without a host is accepted.
    pub fn may_be_missing(&self) -> bool {
        self.bound.is_none()
    }

    pub fn allow(&self, requested: &Authority) -> bool {
        let given = self
            .given
            .iter()
            .any(|(name, port)| *name == requested.name && port.is_none_or(|port| port == requested.port));
        given || self.is_ours(requested)
    }

    fn is_ours(&self, requested: &Authority) -> bool {
        let local = match &requested.name {
            HostName::Word(word) => word == "localhost",
            HostName::Address(address) => address.is_loopback(),
        };
        let Some(bound) = self.bound else { return local };
        if requested.port != bound.port() {
            return false;
        }
        let reaches = bound.ip().is_loopback() || bound.ip().is_unspecified();
        // A page elsewhere can point a name here, never an address: one that leads here is ours.
        local && reaches
            || matches!(&requested.name, HostName::Address(address) if *address == bound.ip() || bound.ip().is_unspecified())
    }
}

/// Reads a name that the service is given, `NAME` or `NAME:PORT`.
#[must_use]
pub fn is_host(text: &str) -> bool {
    Authority::parse(text, 0).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(bound: &str, given: &[&str], requested: &str) -> bool {
        let given: Vec<String> = given.iter().map(|name| (*name).to_owned()).collect();
        let hosts = Hosts::new(Some(bound.parse().unwrap()), &given);
        Authority::parse(requested, 80).is_some_and(|requested| hosts.allow(&requested))
    }

    #[test]
    fn a_host_is_a_loopback_name_the_bound_address_or_one_that_was_given() {
        let table = [
            ("127.0.0.1:7677", "127.0.0.1:7677", true),
            ("127.0.0.1:7677", "localhost:7677", true),
            ("127.0.0.1:7677", "LocalHost.:7677", true),
            ("127.0.0.1:7677", "[::1]:7677", true),
            ("127.0.0.1:7677", "127.0.0.2:7677", true),
            ("[::1]:7677", "localhost:7677", true),
            ("127.0.0.1:80", "localhost", true),
            ("127.0.0.1:7677", "localhost", false),
            ("127.0.0.1:7677", "localhost:7678", false),
            ("127.0.0.1:7677", "evil.example:7677", false),
            ("127.0.0.1:7677", "localhost.evil.example:7677", false),
            ("127.0.0.1:7677", "127.0.0.1.evil.example:7677", false),
            ("127.0.0.1:7677", "192.0.2.7:7677", false),
            ("127.0.0.1:7677", "localhost:7677@evil.example", false),
            ("127.0.0.1:7677", "evil.example:80:7677", false),
            ("127.0.0.1:7677", "", false),
            ("127.0.0.1:7677", ":7677", false),
            ("127.0.0.1:7677", "[::1:7677", false),
            ("127.0.0.1:7677", "localhost:+7677", false),
            ("192.0.2.7:7677", "192.0.2.7:7677", true),
            ("192.0.2.7:7677", "192.0.2.8:7677", false),
            ("192.0.2.7:7677", "localhost:7677", false),
            ("0.0.0.0:7677", "192.0.2.7:7677", true),
            ("0.0.0.0:7677", "localhost:7677", true),
            ("0.0.0.0:7677", "evil.example:7677", false),
            ("[::]:7677", "192.0.2.7:7677", true),
            ("0.0.0.0:7677", "prompts.example", true),
            ("0.0.0.0:7677", "Prompts.Example:443", true),
            ("0.0.0.0:7677", "other.example:8443", true),
            ("0.0.0.0:7677", "other.example", false),
        ];
        for (bound, requested, expected) in table {
            assert_eq!(
                allows(bound, &["prompts.example", "other.example:8443"], requested),
                expected,
                "{requested} at {bound}"
            );
        }
    }

    #[test]
    fn an_origin_has_a_scheme_and_nothing_behind_its_port() {
        for (origin, expected) in [
            ("http://localhost:7677", true),
            ("https://localhost", true),
            ("null", false),
            ("file://", false),
            ("http://localhost:7677/", false),
            ("ftp://localhost:7677", false),
            ("http://a@localhost:7677", false),
        ] {
            assert_eq!(Authority::of_origin(origin).is_some(), expected, "{origin}");
        }
    }
}
