//! Error responses: `application/problem+json` (RFC 9457).

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use preface_core::diagnostic::Diagnostics;
use preface_engine::conversation::ConversationError;
use serde::Serialize;

/// The result of a handler.
pub type HandlerResult<T> = Result<T, Problem>;

/// Why a request was not done, and what to do about it.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Problem {
    /// `urn:preface:problem:` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// The summary of the problem type.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// A word for programs.
    pub code: String,
    /// The error of this request.
    pub detail: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Where in a text, for each place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<preface_core::diagnostic::Diagnostic>)]
    pub diagnostics: Diagnostics,
    /// The id of the request, as in the header `X-Request-Id` and in the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The cause, for the log alone.
    #[serde(skip)]
    #[schema(ignore)]
    pub(crate) reason: Option<String>,
}

impl Problem {
    /// Makes a problem.
    #[must_use]
    pub fn new(status: StatusCode, code: &str, detail: impl Into<String>) -> Self {
        Problem {
            kind: format!("urn:preface:problem:{code}"),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            code: code.to_owned(),
            detail: detail.into(),
            help: None,
            diagnostics: Diagnostics::new(),
            request_id: None,
            reason: None,
        }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the cause, for the log alone.
    #[must_use]
    pub(crate) fn reason(self, reason: String) -> Self {
        Problem { reason: Some(reason), ..self }
    }

    /// Returns the problem of a request that needs a token and has none.
    pub(crate) fn token_missing() -> Self {
        Problem::new(StatusCode::UNAUTHORIZED, "token-missing", "an access token is required")
            .help("send `Authorization: Bearer TOKEN`; create one with `preface token create NAME`")
    }

    /// Adds places in a text.
    #[must_use]
    pub fn diagnostics(mut self, diagnostics: Diagnostics) -> Self {
        self.diagnostics = diagnostics;
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let json = HeaderValue::from_static("application/problem+json");
        let mut response = (status, [(header::CONTENT_TYPE, json)], body).into_response();
        // The layer that knows the request's id writes it once more, with that.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<ConversationError> for Problem {
    fn from(error: ConversationError) -> Self {
        let detail = error.to_string();
        let (status, code) = match &error {
            ConversationError::Store(_) => (StatusCode::SERVICE_UNAVAILABLE, "store-unavailable"),
            ConversationError::Unknown(_) => (StatusCode::NOT_FOUND, "unknown-conversation"),
            ConversationError::UnknownRequest(..) => (StatusCode::NOT_FOUND, "unknown-request"),
            ConversationError::TooManyBlocks(_) => (StatusCode::PAYLOAD_TOO_LARGE, "body-too-large"),
            ConversationError::Outside(_) => (StatusCode::FORBIDDEN, "outside-roots"),
            ConversationError::NoCwd => (StatusCode::BAD_REQUEST, "no-cwd"),
            ConversationError::Choice(_) => (StatusCode::BAD_REQUEST, "template-choice"),
            ConversationError::NoDirectory(_) => (StatusCode::UNPROCESSABLE_ENTITY, "no-directory"),
            ConversationError::UnknownTemplate(_) => (StatusCode::UNPROCESSABLE_ENTITY, "unknown-template"),
            ConversationError::Stale(_) => (StatusCode::PRECONDITION_FAILED, "stale"),
            ConversationError::TrustChanged(..) => (StatusCode::CONFLICT, "trust-changed"),
            ConversationError::Overloaded(_) => (StatusCode::SERVICE_UNAVAILABLE, "overloaded"),
            ConversationError::Record(_) | ConversationError::NoStore => {
                (StatusCode::INTERNAL_SERVER_ERROR, "record")
            }
            ConversationError::Engine(_) => (StatusCode::UNPROCESSABLE_ENTITY, "not-built"),
        };
        let help = error.help();
        let mut problem = match error {
            ConversationError::Store(error) => Problem::from(error),
            ConversationError::Engine(preface_engine::Error::Profile(error)) => Problem {
                help: error.help.map(|help| help.words),
                ..Problem::new(status, "preset", error.message)
            },
            ConversationError::Engine(preface_engine::Error::Render(diagnostic)) => {
                Problem::new(status, "template", detail).diagnostics([*diagnostic].into_iter().collect())
            }
            _ => Problem::new(status, code, detail),
        };
        problem.help = problem.help.or(help.map(|help| help.words));
        problem
    }
}

impl From<preface_engine::store::StoreError> for Problem {
    fn from(error: preface_engine::store::StoreError) -> Self {
        let (status, code) = match error.is_unavailable() {
            true => (StatusCode::SERVICE_UNAVAILABLE, "store-unavailable"),
            false => (StatusCode::INTERNAL_SERVER_ERROR, "store-failed"),
        };
        let (help, reason) = (error.help(), error.to_string());
        Problem { help, ..Problem::new(status, code, reason.clone()) }.reason(reason)
    }
}
