//! Addresses of stores: `sqlite:PATH`, `postgres://…`, `memory:`.

use crate::StoreError;
use std::{fmt, path::PathBuf, str::FromStr};

/// The address of a store.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// In this process, gone with it.
    Memory,
    /// One file.
    Sqlite(PathBuf),
    /// A server with PostgreSQL's protocol; the whole address, a password included.
    Postgres(String),
}

impl StoreUrl {
    /// Returns the address without its password, for people and logs.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            StoreUrl::Memory => "memory:".to_owned(),
            StoreUrl::Sqlite(path) => format!("sqlite:{}", path.display()),
            StoreUrl::Postgres(url) => without_password(url),
        }
    }
}

/// The keys in an address's query that contain no secret.
const PLAIN: [&str; 14] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "load_balance_hosts",
    "pool_max",
    "port",
    "sslmode",
    "sslnegotiation",
    "target_session_attrs",
    "user",
];

/// `user:secret@host` → `user@host`; of the query only what is plain. A password may hold any character, so all that is
/// before the last `@` of authority and path may be one.
fn without_password(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let start = rest.find('@').unwrap_or(0);
    let (place, query) = match rest[start..].find('?') {
        Some(at) => (&rest[..start + at], &rest[start + at + 1..]),
        None => (rest, ""),
    };
    let place = match place.rsplit_once('@') {
        Some((user, host)) => format!("{}@{host}", user.split(':').next().unwrap_or_default()),
        None => place.to_owned(),
    };
    let plain = |pair: &&str| pair.split_once('=').is_some_and(|(key, _)| PLAIN.contains(&key));
    let query: Vec<&str> = query.split('&').filter(plain).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{scheme}://{place}{mark}{}", query.join("&"))
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreUrl({self})")
    }
}

impl FromStr for StoreUrl {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let bad = |address: &str, why: &str| {
            Err(StoreError::Address { address: address.to_owned(), why: why.to_owned() })
        };
        if text == "memory:" {
            return Ok(StoreUrl::Memory);
        }
        if let Some(path) = text.strip_prefix("sqlite:") {
            return match path.strip_prefix("//").unwrap_or(path) {
                "" => bad(text, "the path is missing"),
                path => Ok(StoreUrl::Sqlite(path.into())),
            };
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(StoreUrl::Postgres(text.to_owned()));
        }
        match text.split_once(':') {
            Some((kind, _)) => bad(&format!("{kind}:…"), "unknown kind"),
            None => bad(text, "it has no scheme"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        let url: StoreUrl = "postgres://me:s3cr:t@h:5432/db?sslmode=require&Password=x".parse().unwrap();
        assert_eq!(url.to_string(), "postgres://me@h:5432/db?sslmode=require");
        assert_eq!(format!("{url:?}"), "StoreUrl(postgres://me@h:5432/db?sslmode=require)");
        for odd in ["s3/cret", "s3?cret", "s3@cret", "s3:c/r?e@t"] {
            let shown =
                format!("postgres://me:{odd}@h/db?sslmode=require").parse::<StoreUrl>().unwrap().to_string();
            assert_eq!(shown, "postgres://me@h/db?sslmode=require");
        }
        let shown = |url: &str| url.parse::<StoreUrl>().unwrap().to_string();
        assert_eq!(shown("postgres:///db?host=/run/pg&p%61ssword=s3cret"), "postgres:///db?host=/run/pg");
        let error = "mysql://me:s3cret@h/db".parse::<StoreUrl>().unwrap_err();
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }

    #[test]
    fn a_path_may_be_relative() {
        assert_eq!("sqlite:a b.db".parse(), Ok(StoreUrl::Sqlite("a b.db".into())));
        assert_eq!("sqlite:///var/x.db".parse(), Ok(StoreUrl::Sqlite("/var/x.db".into())));
        assert!("sqlite:".parse::<StoreUrl>().is_err());
        assert!("preface.db".parse::<StoreUrl>().is_err());
    }
}
