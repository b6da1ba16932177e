//! Who asks, for the record of changes.

use axum::{extract::FromRequestParts, http::request::Parts};
use preface::store::Actor;
use std::{convert::Infallible, sync::Arc};

/// Who asks: the name of the access token, `local` where none was sent.
#[derive(Debug)]
pub struct Caller(pub Actor);

/// The name of the token that the guard has checked. It travels with the request.
#[derive(Clone, Debug)]
pub(crate) struct CallerName(pub Arc<str>);

/// The name of whoever asks from this machine without a token.
pub(crate) const LOCAL: &str = "local";

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let name = parts.extensions.get::<CallerName>().map_or(LOCAL, |CallerName(name)| name);
        Ok(Caller(Actor::new(name)))
    }
}
