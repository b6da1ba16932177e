//! The editor at `/`, and the files beside it. Where the editor was not built, the plain page stands in.

use super::page;
use crate::{App, Problem, caller::Identity, compress::takes, extract::InPath, reply::Reply, web};
use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use std::sync::Arc;

/// Where the page says which styles are its own.
const NONCE: &str = "{{nonce}}";

/// What files beside the page may do; the one that asks for analyses runs by itself, under this.
const FILE: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'",
);
/// Their names change with what is in them.
const FOR_GOOD: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Shows the editor.
#[utoipa::path(
    get, path = "/", tag = "page",
    operation_id = "editor",
    responses((status = 200, description = "The page.", body = String, content_type = "text/html")),
)]
pub async fn editor(State(app): State<Arc<App>>, identity: Identity) -> Response {
    let Some(html) = web::index() else { return page::plain(&app, &identity) };
    let nonce = nonce();
    let html = page::filled(&html, &app, &identity).replace(NONCE, &nonce);
    let mut response = page::file("text/html; charset=utf-8", html);
    if let Ok(policy) = HeaderValue::try_from(policy(&nonce)) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Returns a file beside the editor's page.
#[utoipa::path(
    get, path = "/assets/{name}", tag = "page",
    operation_id = "asset",
    params(("name" = String, Path, description = "The file's name, as the page says it")),
    responses(
        (status = 200, description = "The file.", body = String, content_type = "text/javascript"),
        (status = 404, description = "The page has no such file.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn asset(InPath(name): InPath<String>, headers: HeaderMap) -> Reply<Response> {
    let file = web::asset(&name, takes(&headers, "br")).ok_or_else(|| {
        Problem::new(StatusCode::NOT_FOUND, "no-file", "the page has no such file")
            .hint("load the page again")
    })?;
    let mut response = page::file(file.kind, file.bytes.into_response());
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, FOR_GOOD);
    headers.insert(header::CONTENT_SECURITY_POLICY, FILE);
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Some(packed) = file.packed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(packed));
    }
    Ok(response)
}

/// A word that nobody knows beforehand: styles that carry it are the page's own.
fn nonce() -> String {
    let mut bytes = [0; 16];
    // Without randomness no style has the word; the page is bare then, and safe.
    match getrandom::fill(&mut bytes) {
        Ok(()) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Err(_) => String::new(),
    }
}

/// What the editor's page may do: run our scripts, wear our styles and those with the nonce, ask us.
fn policy(nonce: &str) -> String {
    let ours = if nonce.is_empty() { String::new() } else { format!(" 'nonce-{nonce}'") };
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'{ours}; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_allows_nothing_by_its_word_and_each_nonce_once() {
        let (one, two) = (nonce(), nonce());
        assert_ne!(one, two);
        assert_eq!(one.len(), 32);
        let policy = policy(&one);
        assert!(policy.contains(&format!("style-src 'self' 'nonce-{one}'")) && !policy.contains("unsafe"));
        assert!(!super::policy("").contains("nonce"));
    }
}
