//! The plain page at `/plain`: the template in a text field, a button for each variable, a preview. Three
//! files, no build step. It stands at `/`, too, where the editor was not built.

use crate::{App, caller::Identity};
use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use preface::store::Role;
use std::sync::Arc;

const HTML: &str = include_str!("../../assets/page/index.html");
const STYLE: &str = include_str!("../../assets/page/page.css");
const SCRIPT: &str = include_str!("../../assets/page/page.js");
const ICON: &str = include_str!("../../assets/page/icon.svg");

/// Where the page says which token its writes carry, and where work can be done.
const TOKEN: &str = "{{token}}";
const ROOT: &str = "{{root}}";

/// Shows the page.
#[utoipa::path(
    get, path = "/plain", tag = "page",
    operation_id = "page",
    responses((status = 200, description = "The page.", body = String, content_type = "text/html")),
)]
pub async fn page(State(app): State<Arc<App>>, identity: Identity) -> Response {
    plain(&app, &identity)
}

/// The page with what it is told.
pub(super) fn plain(app: &App, identity: &Identity) -> Response {
    file("text/html; charset=utf-8", filled(HTML, app, identity))
}

/// Fills in the token of this start and the first root. The path of a root is not for everybody.
pub(super) fn filled(html: &str, app: &App, identity: &Identity) -> String {
    let root = app.settings.roots.first().filter(|_| identity.require(Role::Read).is_ok());
    let root = root.map(|root| root.display().to_string()).unwrap_or_default();
    html.replace(TOKEN, &attribute(app.guard.page_token())).replace(ROOT, &attribute(&root))
}

/// Returns the page's style.
#[utoipa::path(
    get, path = "/page.css", tag = "page",
    operation_id = "page_style",
    responses((status = 200, description = "The style.", body = String, content_type = "text/css")),
)]
pub async fn style() -> Response {
    file("text/css; charset=utf-8", STYLE)
}

/// Returns the page's script.
#[utoipa::path(
    get, path = "/page.js", tag = "page",
    operation_id = "page_script",
    responses((status = 200, description = "The script.", body = String, content_type = "text/javascript")),
)]
pub async fn script() -> Response {
    file("text/javascript; charset=utf-8", SCRIPT)
}

/// Returns the page's icon.
#[utoipa::path(
    get, path = "/icon.svg", tag = "page",
    operation_id = "page_icon",
    responses((status = 200, description = "The icon.", body = String, content_type = "image/svg+xml")),
)]
pub async fn icon() -> Response {
    file("image/svg+xml", ICON)
}

pub(super) fn file(kind: &'static str, body: impl IntoResponse) -> Response {
    let mut response = body.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Writes a text so that it stays inside of an attribute's quotes.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_is_not_left() {
        assert_eq!(attribute(r#""><script>&"#), "&quot;&gt;&lt;script&gt;&amp;");
    }
}
