//! `docs/reference/http.md` names every address.

use axum::http::{Method, StatusCode};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

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

/// Returns the text of all sources of the service.
fn sources() -> String {
    let mut dirs = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut text = String::new();
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                text.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    text
}

/// Returns the code in quotes that a text begins with.
fn code(text: &str) -> Option<&str> {
    let (code, _) = text.trim_start().strip_prefix('"')?.split_once('"')?;
    let is_code = !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_code.then_some(code)
}

#[test]
fn the_page_lists_every_code_of_an_error_with_its_status() {
    let names: BTreeMap<String, u16> = (400..600)
        .filter_map(|number| StatusCode::from_u16(number).ok())
        .filter_map(|status| {
            Some((status.canonical_reason()?.to_uppercase().replace([' ', '-'], "_"), status.as_u16()))
        })
        .collect();
    let sources = sources();
    let (mut codes, mut pairs) = (BTreeSet::new(), BTreeSet::new());
    for (at, _) in sources.match_indices("StatusCode::") {
        let Some((name, rest)) = sources[at + "StatusCode::".len()..].split_once(',') else { continue };
        if let (Some(status), Some(code)) = (names.get(name), code(rest)) {
            pairs.insert((*status, code));
            codes.insert(code);
        }
    }
    for before in ["Problem::new(", "refused("] {
        for (at, _) in sources.match_indices(before) {
            let rest = &sources[at + before.len()..];
            codes.extend(code(rest).or_else(|| code(rest.split_once(',')?.1)));
        }
    }
    // Made of the codes of diagnostics.
    codes.extend(["template-depth", "template-too-large"]);
    assert!(codes.len() > 40 && pairs.len() > 30, "{codes:?} {pairs:?}");

    let page = page();
    let errors = page.split("## Errors").nth(1).unwrap();
    let listed: BTreeSet<(u16, &str)> = errors
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .filter_map(|(status, rest)| Some((status.parse::<u16>().ok()?, rest.split_once(" |")?.0)))
        .flat_map(|(status, codes)| codes.split('`').skip(1).step_by(2).map(move |code| (status, code)))
        .collect();
    let missing: Vec<_> = pairs.difference(&listed).collect();
    assert!(missing.is_empty(), "docs/reference/http.md has no row for {missing:?}");
    let mut known: BTreeSet<&str> = listed.iter().map(|(_, code)| *code).collect();
    known.insert("refused");
    assert_eq!(known, codes);
}

#[test]
fn each_body_refuses_a_field_that_it_does_not_know() {
    let api = serde_json::to_value(preface_server::api()).unwrap();
    let paths =
        api["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let mut left: Vec<&serde_json::Value> = paths.map(|operation| &operation["requestBody"]).collect();
    let mut seen = BTreeSet::new();
    while let Some(value) = left.pop() {
        let name = value["$ref"].as_str().and_then(|name| name.strip_prefix("#/components/schemas/"));
        if let Some(name) = name.filter(|name| seen.insert(*name)) {
            let schema = &api["components"]["schemas"][name];
            let is_closed = schema["type"] != "object" || schema["additionalProperties"] == false;
            assert!(is_closed, "{name}: {schema}");
            left.push(schema);
        }
        left.extend(value.as_object().into_iter().flat_map(|fields| fields.values()));
        left.extend(value.as_array().into_iter().flatten());
    }
    assert!(seen.len() > 8, "{seen:?}");
}

#[test]
fn the_table_of_options_has_each_way_in() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let read = |path: &str| fs::read_to_string(docs.join(path)).unwrap();
    let page = read("reference/options.md");
    let rows: BTreeMap<&str, Vec<&str>> = page
        .lines()
        .filter_map(|line| {
            Some(line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ").collect::<Vec<_>>())
        })
        .map(|cells| (cells[0].trim_end_matches('`'), cells[1..].to_vec()))
        .collect();
    let api = serde_json::to_value(preface_server::api()).unwrap();
    let options = api["components"]["schemas"]["BuildOptions"]["properties"].as_object().unwrap();
    assert_eq!(
        rows.keys().copied().collect::<Vec<_>>(),
        options.keys().map(String::as_str).collect::<Vec<_>>()
    );

    let (commands, http) = (read("reference/commands.md"), read("reference/http.md"));
    let (python, typescript) = (read("tasks/use-it-from-python.md"), read("tasks/use-it-from-typescript.md"));
    let refused: BTreeMap<&str, &str> = preface_server::NOT_OVER_HTTP.into_iter().collect();
    for (option, cells) in &rows {
        let [command, library, turn, request, analysis, _] = cells[..] else { panic!("{option}: {cells:?}") };
        let flag = command.trim_matches('`');
        assert!(command == "no" || *option == "directory" || commands.contains(flag), "{option}: {flag}");
        let mut camel = option.split('_').map(str::to_owned).collect::<Vec<_>>();
        camel[1..].iter_mut().for_each(|word| word[..1].make_ascii_uppercase());
        let is_of_libraries =
            python.contains(&format!("`{option}`")) && typescript.contains(&format!("`{}`", camel.concat()));
        assert!(["conversation", "directory"].contains(option) || is_of_libraries, "{option}");
        assert!(library != "no", "{option}");
        let may = if refused.contains_key(option) { "no" } else { "yes" };
        let may = if *option == "settings" { "some" } else { may };
        assert_eq!(turn, may, "{option}");
        assert_eq!(analysis, if *option == "conversation" { "yes" } else { may }, "{option}");
        assert_eq!(
            request,
            if ["events", "model", "tools"].contains(option) { "yes" } else { "no" },
            "{option}"
        );
        assert!(http.contains(&format!("`{option}`")), "{option}");
        if let Some(why) = refused.get(option) {
            assert!(page.contains(&format!("- `{option}` over HTTP: {why}")), "{option}: {why}");
        }
    }
    assert!(
        page.contains(&format!("- `settings` over HTTP: {}.", preface_server::SETTINGS_OVER_HTTP.join(", ")))
    );
}
