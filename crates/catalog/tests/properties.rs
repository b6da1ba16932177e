//! What holds for every file, whatever is in it.

use preface_catalog::{
    CatalogSource, SourceFile, StoredCatalogFiles, compile, compiled_bytes, generation_of, import, verify,
};
use preface_core::catalog::{CatalogChunk, CatalogText, Generation};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What bodies are made of, so that much of it fits together.
const PIECES: &[&str] = &[
    "words ",
    "é🔔",
    "\n",
    "\r\n",
    "${",
    "}",
    "{",
    "$",
    "$$",
    "`",
    "\\",
    "\\`",
    "\\$",
    "\\\\",
    "\\n",
    "\\u2014",
    "\\u{1F514}",
    "\\x4",
    "\\\n",
    "${NAME}",
    "${other}",
    "${a.b.c}",
    "${f(x)}",
    "${NAME?`x ${b} y`:\"n\"}",
    "${{a:1}.a}",
    "${NAME.map(x=>x)}",
    "${x#y}",
    "${new X}",
    "${'",
    "?",
    ":",
    "(",
    ")",
    "=>",
    "/",
    "//",
    "/*",
    "<!--",
    "-->",
    "<<CCVERSION>>",
    "\u{2028}",
];

fn bodies() -> impl Strategy<Value = String> {
    let made = prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat());
    prop_oneof![3 => made, 1 => any::<String>()]
}

fn heads() -> impl Strategy<Value = Vec<u8>> {
    const LINES: &[&str] = &[
        "<!--",
        "-->",
        "name: 'A: b'",
        "name: \"x\\\"",
        "name: \"x\"",
        "description: a: b",
        "description: >",
        "  folded",
        "variables:",
        "  - NAME",
        "  - \"B\"",
        "agentMetadata:",
        "  tools:",
        "    - \"*\"",
        "",
        "odd",
        "ccVersion: 2.1.1",
        "\u{feff}<!--",
        "<!-- -->",
    ];
    let made = prop::collection::vec(prop::sample::select(LINES), 0..12);
    let made = made.prop_map(|lines| lines.join("\n").into_bytes());
    prop_oneof![3 => made, 1 => prop::collection::vec(any::<u8>(), 0..200)]
}

proptest! {
    #[test]
    fn runs_are_in_order_apart_and_what_stands_in_the_file(body in bodies(), newer in any::<bool>()) {
        let generation = if newer { Generation::B } else { Generation::A };
        let names = ["NAME".to_owned(), "a".to_owned()];
        let compiled = compile("x.md", &body, 0, &names, generation);
        let mut at = 0;
        for chunk in &compiled.chunks {
            let (text, span, words) = match chunk {
                CatalogChunk::Text { text, span } => (text, span, true),
                CatalogChunk::Value { written, span, .. } | CatalogChunk::Kept { written, span, .. } => (written, span, false),
            };
            prop_assert!(at <= span.start && !span.is_empty());
            let between = &body[at..span.start];
            prop_assert!(between.is_empty() || !newer && between.starts_with('\\'), "{:?} is in no run", between);
            let in_file = &body[span.clone()];
            let escape = words && !newer && in_file.starts_with('\\') && text.chars().count() == 1;
            prop_assert!(in_file == text || escape, "{:?} is {:?}", text, in_file);
            at = span.end;
        }
        let rest = &body[at..];
        prop_assert!(matches!(rest, "" | "\n" | "\r\n") || !newer && rest.starts_with('\\'), "{:?}", rest);
        prop_assert!(compiled.diagnostics.iter().all(|diagnostic| diagnostic.place.is_some() && diagnostic.help.is_some()));

        let text = CatalogText { prompt: "x".into(), file: "x.md".into(), first_line: 1, chunks: compiled.chunks };
        let bytes = compiled_bytes(&text);
        let again: CatalogText = serde_json::from_slice(&bytes).unwrap();
        prop_assert_eq!(&again, &text);
        prop_assert_eq!(compiled_bytes(&again), bytes);
        if newer {
            let names: Vec<_> = text.names().into_iter().filter(|name| !["NAME", "a"].contains(name)).collect();
            prop_assert_eq!(names, [""; 0], "only what is declared is a value");
        }
    }

    #[test]
    fn no_bytes_make_an_import_panic_and_what_is_kept_agrees(
        files in prop::collection::vec((heads(), bodies()), 0..4),
        readme in prop::option::of(prop::collection::vec(any::<u8>(), 0..100)),
        version in prop::sample::select(&["2.1.37", "2.1.200", "nothing"][..]),
    ) {
        let name = |at: usize| format!("file-{at}.md");
        let join = |(head, body): (Vec<u8>, String)| [&head[..], b"\n", body.as_bytes()].concat();
        let files: Vec<Vec<u8>> = files.into_iter().map(join).collect();
        let source = CatalogSource {
            files: files.iter().enumerate().map(|(at, bytes)| SourceFile { name: name(at), bytes: bytes.clone() }).collect(),
            readme,
            version: Some(version.to_owned()),
        };
        let first = import(&source);
        prop_assert_eq!(&import(&source), &first, "a second time the same");
        prop_assert!(generation_of(version).is_some() || first.is_err());
        if let Ok(imported) = first {
            let reported = |file: &str| imported.diagnostics.iter().any(|diagnostic| diagnostic.place.as_ref().is_some_and(|p| p.path == file));
            let listed = |file: &str| imported.index.prompts.iter().any(|entry| entry.file == file);
            let (mut raw, mut compiled) = (BTreeMap::new(), BTreeMap::new());
            for (at, bytes) in files.iter().enumerate() {
                prop_assert!(listed(&name(at)) || reported(&name(at)), "no file is lost without a note");
                if listed(&name(at)) {
                    raw.insert(name(at), bytes.clone());
                }
            }
            for (stored, text) in &imported.texts {
                compiled.insert(stored.clone(), compiled_bytes(text));
            }
            prop_assert_eq!(verify(&imported.index, &StoredCatalogFiles { files: raw, compiled }), []);
        }
    }
}
