//! Where a store is: `sqlite:PATH`, `postgres://…`, `memory:`.

use crate::StoreError;
use std::{fmt, path::PathBuf, str::FromStr};

/// The address of a store.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// In this process, gone with it.
    Memory,
    /// One file.
    Sqlite(PathBuf),
    /// A server that speaks PostgreSQL's protocol; the whole address, a password included.
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

/// `user:secret@host` → `user@host`, and the same for a `password=` of the query.
fn without_password(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => format!("{}@{host}", user.split(':').next().unwrap_or_default()),
        None => authority.to_owned(),
    };
    let path = match path.split_once('?') {
        Some((path, query)) => {
            let kept: Vec<&str> =
                query.split('&').filter(|pair| !pair.to_ascii_lowercase().starts_with("password=")).collect();
            if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
        }
        None => path.to_owned(),
    };
    format!("{scheme}://{authority}{path}")
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
            None => bad(text, "it does not say which kind"),
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
