//! `docs/service.md` names every address, and its commands work.

mod common;

use axum::{body::Body, http::Method};
use common::{machine, service_on};
use std::{collections::BTreeSet, fs, path::Path};

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/service.md")).unwrap()
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

/// The words of a command, single quotes taken off.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

#[tokio::test]
async fn the_commands_of_the_page_work_one_after_the_other() {
    let service = service_on(machine()).await;
    let page = page();
    let blocks = page.split("\n```sh\n").skip(1).map(|rest| rest.split("\n```").next().unwrap());
    let lines: Vec<&str> = blocks.flat_map(str::lines).collect();
    assert!(lines.len() >= 5, "the page shows commands: {lines:?}");
    for line in lines {
        let mut words = words(line).into_iter();
        assert_eq!(words.next().as_deref(), Some("curl"), "{line}");
        let (mut method, mut path, mut body, mut headers) = (None, None, None, Vec::new());
        while let Some(word) = words.next() {
            let mut value = || words.next().expect("a value");
            match word.as_str() {
                "-s" => {}
                "-X" => method = Some(value()),
                "-d" => body = Some(value()),
                "-H" => headers.push(value()),
                url => path = Some(url.strip_prefix("http://127.0.0.1:7677").expect(line).to_owned()),
            }
        }
        let usual = if body.is_some() { Method::POST } else { Method::GET };
        let method = method.map_or(usual, |method| method.parse().unwrap());
        let headers: Vec<(&str, &str)> = headers.iter().map(|pair| pair.split_once(": ").unwrap()).collect();
        let body = body.map_or_else(Body::empty, Body::from);
        let answer = service.send(method, &path.unwrap(), &headers, body).await;
        assert!(answer.status.is_success(), "{line}: {}", answer.text);
    }
}
