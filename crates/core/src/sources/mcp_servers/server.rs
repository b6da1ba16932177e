//! An MCP server as `mcp.json` describes it: how to reach it, and secret values.

use crate::{
    extension::PrivilegedAction,
    scope::Scope,
    settings::{is_reference, shown},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// The transport over which a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Transport {
    /// Over the standard streams of a program.
    Stdio,
    /// Over HTTP with server-sent events, the older transport.
    Sse,
    /// Over HTTP.
    #[serde(alias = "http")]
    StreamableHttp,
}

impl Transport {
    /// Returns the name for `mcp.json` and listings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A server as written: nothing is expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpServer {
    /// A program to start.
    Stdio(StdioServer),
    /// An address that sends an event stream.
    Sse(ServerAddress),
    /// An address.
    StreamableHttp(ServerAddress),
}

/// A program that runs as a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StdioServer {
    /// The program.
    pub command: String,
    /// The arguments. Nothing passes through a shell.
    pub args: Vec<String>,
    /// The environment variables to add.
    pub env: BTreeMap<String, UnexpandedValue>,
    /// The working directory of the program.
    pub cwd: Option<String>,
}

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// The address, without user name or password.
    pub url: String,
    /// The headers of each request.
    pub headers: BTreeMap<String, UnexpandedValue>,
}

/// The value of an environment variable or a header as written. It may be a secret: it is not serialized, and
/// `Debug` masks it.
#[derive(Clone, PartialEq, Eq)]
pub struct UnexpandedValue(String);

/// The placeholder for a secret value.
const MASKED: &str = "***";

impl UnexpandedValue {
    pub(super) fn new(text: String) -> Self {
        UnexpandedValue(text)
    }

    /// Returns the text as written, which may be a secret. It is for starting the server, never for a
    /// listing.
    #[must_use]
    pub fn as_written(&self) -> &str {
        &self.0
    }

    /// Returns the text for a listing: a `${NAME}` as it is, asterisks for everything else.
    #[must_use]
    pub fn masked(&self) -> &str {
        if is_reference(&self.0) { &self.0 } else { MASKED }
    }
}

impl fmt::Debug for UnexpandedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Written").field(&self.masked()).finish()
    }
}

impl McpServer {
    /// Returns the transport over which the server is reached.
    #[must_use]
    pub fn transport(&self) -> Transport {
        match self {
            McpServer::Stdio(_) => Transport::Stdio,
            McpServer::Sse(_) => Transport::Sse,
            McpServer::StreamableHttp(_) => Transport::StreamableHttp,
        }
    }

    /// Returns the action that the server of a layer needs permission for, without headers. Values of the user's own environment
    /// that are not `${NAME}` are masked.
    #[must_use]
    pub fn action(&self, scope: Scope) -> PrivilegedAction {
        match self {
            McpServer::Stdio(launch) => {
                let argv = std::iter::once(&launch.command).chain(&launch.args).cloned().collect();
                let value = |value: &UnexpandedValue| match scope {
                    Scope::Project => value.as_written().to_owned(),
                    _ => value.masked().to_owned(),
                };
                let env = launch.env.iter().map(|(name, written)| (name.clone(), value(written)));
                PrivilegedAction::Command { argv, env: env.collect() }
            }
            McpServer::Sse(address) | McpServer::StreamableHttp(address) => {
                PrivilegedAction::Endpoint(address.url.clone())
            }
        }
    }

    /// Returns a one-line summary for listings: names of variables and headers, never their values. The query of an address of the
    /// user's own, which often contains a key, is left out.
    #[must_use]
    pub fn about(&self, scope: Scope) -> String {
        let (target, what, names) = match self {
            McpServer::Stdio(launch) => (launch.command.as_str(), "env", names(&launch.env)),
            McpServer::Sse(address) | McpServer::StreamableHttp(address) => {
                let shown = match scope {
                    Scope::Project => address.url.as_str(),
                    _ => address.url.split(['?', '#']).next().unwrap_or_default(),
                };
                (shown, "headers", names(&address.headers))
            }
        };
        let with = if names.is_empty() { String::new() } else { format!("; {what}: {names}") };
        format!("{}: {}{with}", self.transport(), shown(target))
    }
}

fn names(values: &BTreeMap<String, UnexpandedValue>) -> String {
    values.keys().map(|name| shown(name)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transport_has_one_name() {
        for transport in [Transport::Stdio, Transport::Sse, Transport::StreamableHttp] {
            assert_eq!(serde_json::to_value(transport).unwrap(), transport.as_str());
        }
    }

    #[test]
    fn only_a_reference_is_shown() {
        for (text, shown) in [
            ("${TOKEN}", "${TOKEN}"),
            ("sk-123", "***"),
            ("Bearer ${TOKEN}", "***"),
            ("${TOKEN:-sk-123}", "***"),
            ("", "***"),
        ] {
            let written = UnexpandedValue::new(text.to_owned());
            assert_eq!(written.masked(), shown, "{text}");
            assert_eq!(format!("{written:?}"), format!("Written({shown:?})"));
            assert_eq!(written.as_written(), text);
        }
    }
}
