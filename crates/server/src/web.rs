//! The editor, as `cargo xtask web` built it into `web/dist`. A release carries it; a debug build reads it from there. Where it
//! was not built, the plain page is shown.

use rust_embed::RustEmbed;
use std::borrow::Cow;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
struct WebFiles;

/// Returns the page. Its placeholders are not filled in yet.
pub(crate) fn index() -> Option<String> {
    let html = WebFiles::get("index.html")?.data;
    String::from_utf8(html.into_owned()).ok()
}

/// A file beside the page, and how it is packed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asset {
    pub kind: &'static str,
    pub bytes: Cow<'static, [u8]>,
    /// The `Content-Encoding`, where it is packed.
    pub packed: Option<&'static str>,
}

/// Returns a file beside the page, packed where that was made and `brotli` is taken.
pub(crate) fn asset(name: &str, brotli: bool) -> Option<Asset> {
    let kind = kind(name)?;
    if let Some(file) = brotli.then(|| WebFiles::get(&format!("assets/{name}.br"))).flatten() {
        return Some(Asset { kind, bytes: file.data, packed: Some("br") });
    }
    let bytes = WebFiles::get(&format!("assets/{name}"))?.data;
    Some(Asset { kind, bytes, packed: None })
}

/// Returns the content type of a file; `None` for names that the build does not create.
fn kind(name: &str) -> Option<&'static str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.starts_with('.') || !name.bytes().all(plain) {
        return None;
    }
    match name.rsplit_once('.')?.1 {
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "txt" => Some("text/plain; charset=utf-8"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_build_makes_is_a_file_of_the_page() {
        for (name, known) in [
            ("app-0A1B.js", true),
            ("app-0A1B.css", true),
            ("app-0A1B.js.br", false),
            ("manifest.json", false),
            ("../index.html", false),
            ("..", false),
            (".gitignore", false),
            ("a/b.js", false),
            ("", false),
        ] {
            assert_eq!(kind(name).is_some(), known, "{name}");
        }
    }
}
