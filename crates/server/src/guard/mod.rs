//! Access checks: `Host`, `Origin`, and the access token.
//!
//! A browser sends requests on behalf of whatever page is open in it. So each request must name this service by a name
//! that is known to be its own (a page elsewhere that points its own name at this machine is turned away), and a request
//! that comes from a page must come from ours, which alone knows the token of this start. Where the service listens beyond
//! its own machine, or was started so, every request needs an access token, too, of a role that includes it. What
//! a proxy adds about the sender is never used. A response to a client without a token names no store, path or user.

mod bearer;
mod host;
mod role;

pub use host::is_host;

use crate::{Identity, Problem};
use axum::http::{HeaderMap, Method, StatusCode, header, request::Parts};
pub(crate) use bearer::IDLE;
use bearer::{KnownToken, TokenList};
use host::{Authority, Hosts};
use preface_core::lint::character::excerpt;
use preface_engine::{host::system::System, store::Store};
pub(crate) use role::needed_role;
use std::{fmt, net::SocketAddr, sync::Arc};

/// The header with which the page shows that it is ours.
const PAGE_TOKEN: &str = "x-preface-token";

/// The addresses that need no token: the pages, and the health of the service.
pub(crate) const OPEN: [&str; 5] = ["/", "/assets/{name}", "/healthz", "/plain", "/readyz"];

/// Decides who may come in.
#[derive(Debug)]
pub struct RequestGuard {
    hosts: Hosts,
    /// True if every request needs an access token; else only this machine can reach the service.
    needs_token: bool,
    page_token: PageToken,
    tokens: TokenList,
}

/// The token of this start. A log of the guard does not have it.
struct PageToken(String);

impl fmt::Debug for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageToken")
    }
}

/// When a request needs an access token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenRule {
    /// Where the service listens beyond its own machine.
    #[default]
    BeyondLoopback,
    /// Always.
    Always,
}

impl RequestGuard {
    pub(crate) fn new(
        bound: Option<SocketAddr>,
        hosts: &[String],
        rule: TokenRule,
        system: Arc<dyn System>,
        store: Arc<dyn Store>,
    ) -> Self {
        let local = bound.is_none_or(|bound| bound.ip().is_loopback());
        RequestGuard {
            hosts: Hosts::new(bound, hosts),
            needs_token: !local || rule == TokenRule::Always,
            page_token: PageToken(new_token()),
            tokens: TokenList::new(system, store),
        }
    }

    /// Reads the list of tokens again where it is too old, and tokens are needed.
    pub(crate) async fn refresh_tokens(&self) {
        if self.needs_token {
            // The request that needs the list reports what is wrong with it.
            let _ = self.tokens.current().await;
        }
    }

    /// Returns the token of this start, for the page and nobody else.
    #[must_use]
    pub fn page_token(&self) -> &str {
        &self.page_token.0
    }

    /// Returns who sent a request, or why it is refused. The role is checked by [`RequestGuard::permits`].
    pub(crate) async fn admit(&self, parts: &Parts, route: &str) -> Result<Identity, Problem> {
        self.named_rightly(parts)?;
        let token = bearer(&parts.headers);
        self.page_is_ours(parts)?;
        if OPEN.contains(&route) {
            // A supervisor gets its response whatever became of its token, and of the store.
            return Ok(match token {
                Ok(None) if !self.needs_token => Some(Identity::Local),
                Ok(Some(token)) => self.tokens.find_known(token).and_then(|known| self.valid(&known)),
                _ => None,
            }
            .unwrap_or(Identity::Anonymous));
        }
        let token = match token? {
            Some(token) => token,
            None if self.needs_token => return Err(Problem::token_missing()),
            None => return Ok(Identity::Local),
        };
        let known = self.tokens.find(token).await.map_err(|error| {
            Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "store-unavailable",
                "cannot check the access token",
            )
            .help("try again in a second; see the log of the service")
            .reason(error.to_string())
        })?;
        let Some(known) = known else {
            return Err(Problem::new(StatusCode::UNAUTHORIZED, "token-unknown", "unknown access token")
                .help(
                    "list the tokens with `preface token list`; a new token is valid after a few seconds",
                ));
        };
        self.valid(&known).ok_or_else(|| {
            Problem::new(StatusCode::UNAUTHORIZED, "token-expired", "the access token has expired")
                .help("replace it with `preface token revoke NAME` and `preface token create NAME`")
        })
    }

    /// Refuses a request that needs another role.
    pub(crate) fn permits(identity: &Identity, method: &Method, route: &str) -> Result<(), Problem> {
        if OPEN.contains(&route) { Ok(()) } else { identity.require(needed_role(method, route)) }
    }

    /// Returns the holder of a token that has not expired.
    fn valid(&self, known: &KnownToken) -> Option<Identity> {
        let access = &known.access;
        (!access.is_expired(self.tokens.now()))
            .then(|| Identity::Token { name: access.name.as_str().into(), role: access.role })
    }

    /// The name that the client used must be ours: else a page elsewhere has pointed its own name here.
    fn named_rightly(&self, parts: &Parts) -> Result<(), Problem> {
        let refused = |status, detail: String| {
            Err(Problem::new(status, "host", detail).help(
                "use the address that `preface serve` printed, or start it with `preface serve --allowed-host NAME`",
            ))
        };
        let mut hosts = parts.headers.get_all(header::HOST).iter();
        let header = match (hosts.next(), hosts.next()) {
            (_, Some(_)) => {
                return refused(StatusCode::BAD_REQUEST, "more than one `Host` header".to_owned());
            }
            (Some(host), None) => Some(host.to_str().unwrap_or_default()),
            (None, None) => None,
        };
        match parts.uri.authority().map(|authority| authority.as_str()).or(header) {
            None if self.hosts.may_be_missing() => Ok(()),
            None => refused(StatusCode::BAD_REQUEST, "missing `Host` header".to_owned()),
            // Without a port it is the usual one of http, or of https.
            Some(name)
                if [80, 443]
                    .into_iter()
                    .filter_map(|usual| Authority::parse(name, usual))
                    .any(|name| self.hosts.allow(&name)) =>
            {
                Ok(())
            }
            Some(name) => {
                let name: String = name.chars().take(80).collect();
                refused(
                    StatusCode::MISDIRECTED_REQUEST,
                    format!("host `{}` is not allowed", excerpt(&name, 255)),
                )
            }
        }
    }

    /// Rejects requests of browsers for pages of other sites.
    fn page_is_ours(&self, parts: &Parts) -> Result<(), Problem> {
        let refused = |code, detail: &str| {
            Err(Problem::new(StatusCode::FORBIDDEN, code, detail)
                .help("only the editor of this service may send this; other programs must not send an `Origin` header"))
        };
        let headers = &parts.headers;
        let has = |name: &str, word: &[u8]| headers.get(name).is_some_and(|value| value.as_bytes() == word);
        // A link that a person follows shows them our page; the other site learns nothing.
        let followed = parts.method == Method::GET
            && has("sec-fetch-mode", b"navigate")
            && has("sec-fetch-dest", b"document");
        if has("sec-fetch-site", b"cross-site") && !followed {
            return refused("origin", "cross-site request");
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else { return Ok(()) };
        let ours = origins.next().is_none()
            && origin
                .to_str()
                .ok()
                .and_then(Authority::of_origin)
                .is_some_and(|name| self.hosts.allow(&name));
        if !ours {
            return refused("origin", "cross-site request");
        }
        // The access token identifies the sender, and nodes do not share the token of a start.
        if self.needs_token || is_safe(&parts.method) {
            return Ok(());
        }
        match headers.get(PAGE_TOKEN) {
            // In a time that does not depend on the token.
            Some(token) if blake3::hash(token.as_bytes()) == blake3::hash(self.page_token.0.as_bytes()) => {
                Ok(())
            }
            Some(_) => Err(Problem::new(
                StatusCode::FORBIDDEN,
                "page-token",
                "the page was loaded before the service restarted",
            )
            .help("reload the page")),
            None => refused("page-token", "missing header `X-Preface-Token` in the request of a page"),
        }
    }
}

/// Makes a token of 256 random bits.
///
/// # Panics
/// The machine has no source of randomness.
#[must_use]
pub fn new_token() -> String {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the machine has a source of randomness");
    format!("preface_{}", blake3::Hash::from_bytes(bytes).to_hex())
}

/// True for the methods that change nothing.
fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Returns the token of `Authorization: Bearer TOKEN`, where one is sent.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = sent.next() else { return Ok(None) };
    let token = value.to_str().ok().and_then(|value| value.split_once(' ')).and_then(|(scheme, token)| {
        (scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty()).then(|| token.trim())
    });
    match (token, sent.next()) {
        (Some(token), None) => Ok(Some(token)),
        _ => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "token-unknown",
            "the Authorization header is not `Bearer TOKEN`",
        )),
    }
}
