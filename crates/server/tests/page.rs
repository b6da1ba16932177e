//! The plain page: three files, no script and no style within it, nothing from elsewhere.

mod common;

use common::{machine, service, service_on};
use preface::store;
use preface_server::{App, Settings, router};
use std::sync::Arc;

#[tokio::test]
async fn the_page_brings_its_script_and_style_as_files() {
    let service = service().await;
    let page = service.get("/plain").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("script-src 'self'") && policy.contains("default-src 'none'"), "{policy}");
    assert!(
        !page.text.contains("<style") && !page.text.contains(" style=") && !page.text.contains("javascript:")
    );
    assert!(!page.text.contains("://"), "nothing is loaded from elsewhere");
    for (tag, after) in page.text.match_indices("<script").map(|(at, tag)| (tag, &page.text[at..])) {
        assert!(after.starts_with("<script src=\"page.js\" defer></script>"), "{tag} has no text");
    }
    for (file, kind) in
        [("page.css", "text/css"), ("page.js", "text/javascript"), ("icon.svg", "image/svg+xml")]
    {
        assert!(page.text.contains(file), "the page names {file}");
        let answer = service.get(&format!("/{file}")).await;
        assert_eq!(answer.status, 200);
        assert!(answer.header("content-type").unwrap().starts_with(kind));
        assert!(!answer.text.trim().is_empty());
    }
}

#[tokio::test]
async fn what_the_page_shows_is_inserted_as_text() {
    let script = service().await.get("/page.js").await.text;
    for door in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser"] {
        assert!(!script.contains(door), "{door}");
    }
}

#[tokio::test]
async fn every_name_that_the_script_uses_is_in_the_page() {
    let service = service_on(machine()).await;
    let (page, script) = (service.get("/plain").await.text, service.get("/page.js").await.text);
    let mut names = 0;
    for (at, _) in script.match_indices("$(\"") {
        let name = script[at + 3..].split('"').next().unwrap();
        assert!(page.contains(&format!("id=\"{name}\"")), "{name}");
        names += 1;
    }
    assert!(names > 30, "{names}");
}

#[tokio::test]
async fn the_page_carries_the_token_of_this_start_and_the_first_root() {
    let store = store::open(&"memory:".parse().unwrap()).await.unwrap();
    let settings = Settings {
        roots: vec!["/a \"b\"<c>".into()],
        preset: "template".into(),
        max_body: 1 << 20,
        home_trust: preface::host::places::HomeTrust::default(),
    };
    let app = App::new(Arc::new(machine()), store.clone(), Arc::new(settings));
    let token = app.guard.page_token().to_owned();
    let service = common::Service { router: router(app), store };
    let page = service.get("/plain").await.text;
    assert!(page.contains(&format!("<meta name=\"preface-token\" content=\"{token}\">")));
    assert!(page.contains("<meta name=\"preface-root\" content=\"/a &quot;b&quot;&lt;c&gt;\">"));
}

#[tokio::test]
async fn a_page_stands_at_the_front_door_and_brings_a_token() {
    let service = service().await;
    let page = service.get("/").await;
    // The editor where it was built, else the plain page.
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.text.contains("<meta name=\"preface-token\" content=\"preface_"));
    assert!(!page.text.contains("{{"), "every placeholder is filled in");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    for missing in ["none.js", "..%2findex.html", "%2e%2e", ".gitignore", "index.html"] {
        assert_eq!(service.get(&format!("/assets/{missing}")).await.status, 404, "{missing}");
    }
}
