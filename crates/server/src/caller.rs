//! Who asks, for the record of changes.

use axum::{extract::FromRequestParts, http::request::Parts};
use preface::store::Actor;
use std::convert::Infallible;

/// Who asks.
#[derive(Debug)]
pub struct Caller(pub Actor);

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(_parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(Caller(Actor::new("local")))
    }
}
