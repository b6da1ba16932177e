//! The editor at `/` and the files beside it, and the plain page at `/plain`: one file, without a build step. It is at `/`, too, where
//! the editor was not built.

use crate::{App, HandlerResult, Identity, PathValues, Problem, compress::takes, web};
use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use preface_engine::store::TokenRole;
use std::sync::Arc;

const PLAIN: &str = include_str!("../../assets/plain.html");

/// The content security policy of the page's files; the worker runs under it.
const FILE: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'",
);
/// Their names change with what is in them.
const FOR_GOOD: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Returns the editor.
#[utoipa::path(
    get, path = "/", tag = "page",
    operation_id = "editor",
    responses((status = 200, description = "The page.", body = String, content_type = "text/html")),
)]
pub async fn editor(State(app): State<Arc<App>>, identity: Identity) -> Response {
    let Some(html) = web::index() else { return plain(State(app), identity).await };
    let nonce = nonce();
    let html = html.replace("{{store}}", &app.store_identity().await);
    filled(&html, &app, &identity, &nonce, &policy("'self'", &format!("'self' {}", source(&nonce))))
}

/// Returns the plain page.
#[utoipa::path(
    get, path = "/plain", tag = "page",
    operation_id = "page",
    responses((status = 200, description = "The page.", body = String, content_type = "text/html")),
)]
pub async fn plain(State(app): State<Arc<App>>, identity: Identity) -> Response {
    let nonce = nonce();
    let ours = source(&nonce);
    filled(PLAIN, &app, &identity, &nonce, &policy(&ours, &ours))
}

/// Fills in the token of this start, the nonce, and the first root: its path is not for everybody.
fn filled(html: &str, app: &App, identity: &Identity, nonce: &str, policy: &str) -> Response {
    let root = app.settings.roots.first().filter(|_| identity.require(TokenRole::Read).is_ok());
    let root = root.map(|root| root.display().to_string()).unwrap_or_default();
    let html = html
        .replace("{{token}}", &attribute(app.guard.page_token()))
        .replace("{{nonce}}", nonce)
        .replace("{{root}}", &attribute(&root));
    let mut response = Html(html).into_response();
    if let Ok(policy) = HeaderValue::try_from(policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Returns a file beside the editor's page.
#[utoipa::path(
    get, path = "/assets/{name}", tag = "page",
    operation_id = "asset",
    params(("name" = String, Path, description = "The file's name, as in the page")),
    responses(
        (status = 200, description = "The file.", body = String, content_type = "text/javascript"),
        (status = 404, description = "The file does not exist.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn asset(PathValues(name): PathValues<String>, headers: HeaderMap) -> HandlerResult<Response> {
    let file = web::asset(&name, takes(&headers, "br")).ok_or_else(|| {
        Problem::new(StatusCode::NOT_FOUND, "no-file", "file not found").help("reload the page")
    })?;
    let fields = [
        (header::CONTENT_TYPE, HeaderValue::from_static(file.kind)),
        (header::CACHE_CONTROL, FOR_GOOD),
        (header::CONTENT_SECURITY_POLICY, FILE),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
    ];
    let coding = file.packed.map(|packed| [(header::CONTENT_ENCODING, HeaderValue::from_static(packed))]);
    let mut response = (fields, file.bytes).into_response();
    response.headers_mut().extend(coding.into_iter().flatten());
    Ok(response)
}

/// Returns a random word: styles and scripts that carry it are the page's own.
fn nonce() -> String {
    let mut bytes = [0; 16];
    // Without randomness nothing has the word; the page is bare then, and safe.
    match getrandom::fill(&mut bytes) {
        Ok(()) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Err(_) => String::new(),
    }
}

/// Returns the source of a nonce for a policy; for an empty one, nothing.
fn source(nonce: &str) -> String {
    if nonce.is_empty() { String::new() } else { format!("'nonce-{nonce}'") }
}

/// Returns what a page may do: run these scripts, use these styles, call this service.
fn policy(scripts: &str, styles: &str) -> String {
    format!(
        "default-src 'none'; script-src {scripts}; style-src {styles}; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// Writes a text so that it stays inside of an attribute's quotes.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_nonce_is_used_once_and_an_empty_one_allows_nothing() {
        let (one, two) = (nonce(), nonce());
        assert_ne!(one, two);
        assert_eq!(one.len(), 32);
        assert_eq!(source(&one), format!("'nonce-{one}'"));
        assert_eq!(source(""), "");
    }

    #[test]
    fn an_attribute_is_not_left() {
        assert_eq!(attribute(r#""><script>&"#), "&quot;&gt;&lt;script&gt;&amp;");
    }
}
