//! `docs/reference/http.md` names every address.

use axum::http::Method;
use std::{collections::BTreeSet, fs, path::Path};

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/http.md")).unwrap()
}

#[test]
fn the_page_lists_every_address_and_no_other() {
    let page = page();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    // Other tables name one word in their first column.
    let names = rows.filter_map(|row| Some(row.split_once('`')?.0)).filter(|name| name.contains(" /"));
    let listed: BTreeSet<String> = names.map(str::to_owned).collect();
    let api = serde_json::to_value(preface_server::api()).unwrap();
    let known: BTreeSet<String> = api["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            let methods =
                item.as_object().unwrap().keys().filter(|key| Method::from_bytes(key.as_bytes()).is_ok());
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        // The parts of the page of the service.
        .filter(|route| !["GET /", "GET /assets/{name}", "GET /plain"].contains(&route.as_str()))
        .collect();
    assert_eq!(listed, known);
}
