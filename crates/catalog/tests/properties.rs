//! What holds for every file, whatever is in it.

use preface_catalog::{CatalogSource, SourceFile, convert, generation_of, import};
use preface_core::{
    catalog::{Bindings, CatalogIndex, Generation},
    origin::Source,
    scope::Scope,
    template::{Template, TemplateOptions, TileKind},
};
use proptest::prelude::*;
use std::sync::Arc;

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
    fn the_tags_of_a_template_are_those_of_its_values(body in bodies(), newer in any::<bool>()) {
        let generation = if newer { Generation::B } else { Generation::A };
        let converted = convert(&body, generation).unwrap();
        prop_assert_eq!(&convert(&body, generation).unwrap(), &converted);
        let options = TemplateOptions { raw: true, ..TemplateOptions::default() };
        let template = Template::parse(converted.template.as_str(), &options).unwrap();
        let mut open = 0;
        for token in template.tiles().into_iter().filter(|token| token.stray.is_none()) {
            open += i32::from(token.kind == TileKind::If) - i32::from(token.kind == TileKind::Endif);
            let Some(key) = token.key else { continue };
            prop_assert_eq!(key.kind(), "catalog");
            let name = key.name().strip_prefix("!!").unwrap_or(key.name());
            prop_assert!(name.starts_with('#') == converted.expressions.contains_key(name), "{}", name);
        }
        prop_assert_eq!(open, 0);
        if !body.contains(['$', '\\', '<']) {
            prop_assert_eq!(converted.template.replace("[raw]", "").replace("[endraw]", ""), body.as_str());
        }
        let source = Arc::new(Source { scope: Scope::Global, path: "x.md".to_owned() });
        let pieces = Bindings::default().apply(&converted.template, &source, "x");
        // A constant is a value, too, which nothing is bound to here.
        prop_assert!(pieces.is_ok() || converted.values > 0 || body.contains("<<"));
    }

    #[test]
    fn no_bytes_make_an_import_panic_and_no_file_is_lost(
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
            for at in 0..files.len() {
                prop_assert!(listed(&name(at)) || reported(&name(at)), "no file is lost without a note");
            }
            prop_assert_eq!(CatalogIndex::digest_of_entries(&imported.index.prompts), imported.index.digest);
        }
    }
}
