//! The caller of a request: name and role, for the log, the audit and the handlers.

use crate::Problem;
use axum::{
    extract::FromRequestParts,
    http::{StatusCode, request::Parts},
};
use preface_engine::store::{Actor, TokenRole};
use std::{convert::Infallible, sync::Arc};

/// The sender of a request, as the guard found it. It travels with the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// Somebody without a valid token, at an address that is open to everybody.
    Anonymous,
    /// A program of this machine, where no token is needed. It has every role.
    Local,
    /// The holder of an access token.
    Token {
        /// The token's name.
        name: Arc<str>,
        /// The token's role.
        role: TokenRole,
    },
}

impl Identity {
    /// Returns the name for the log and the record of changes.
    pub fn name(&self) -> &str {
        match self {
            Identity::Anonymous => "",
            Identity::Local => "local",
            Identity::Token { name, .. } => name,
        }
    }

    /// Refuses a sender whose role does not include `needed`.
    pub fn require(&self, needed: TokenRole) -> Result<(), Problem> {
        match self {
            Identity::Local => Ok(()),
            Identity::Token { role, .. } if role.includes(needed) => Ok(()),
            Identity::Token { name, role, .. } => {
                let (role, needed) = (role.as_str(), needed.as_str());
                let detail =
                    format!("the role `{needed}` is required; the token `{name}` has the role `{role}`");
                Err(Problem::new(StatusCode::FORBIDDEN, "role", detail)
                    .help(format!("create a token with `preface token create NAME --role {needed}`")))
            }
            Identity::Anonymous => Err(Problem::token_missing()),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Identity {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or(Identity::Anonymous))
    }
}

/// The sender, for the record of changes: the name of the access token, `local` where none was needed.
#[derive(Debug)]
pub struct Caller(pub Actor);

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let identity = Identity::from_request_parts(parts, state).await?;
        Ok(Caller(Actor::new(identity.name())))
    }
}
