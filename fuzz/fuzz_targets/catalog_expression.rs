//! No body makes the compiler panic or lose a byte, and what it makes is read again as the same.
//!
//! The first byte picks the generation; the rest is the body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use preface_catalog::{compile, compiled_bytes};
use preface_core::catalog::{CatalogText, CatalogChunk, Generation};

fuzz_target!(|data: &[u8]| {
    let Some((&choice, body)) = data.split_first() else { return };
    let Ok(body) = std::str::from_utf8(body) else { return };
    let generation = if choice & 1 == 0 { Generation::A } else { Generation::B };
    let names: Vec<String> = ["a", "b", "NAME", "TOOL"].map(str::to_owned).to_vec();
    let compiled = compile("a.md", body, 0, &names, generation);
    assert_eq!(compile("a.md", body, 0, &names, generation), compiled, "a second time the same");

    let mut at = 0;
    for chunk in &compiled.chunks {
        let (text, span, words) = match chunk {
            CatalogChunk::Text { text, span } => (text, span, true),
            CatalogChunk::Value { written, span, .. } | CatalogChunk::Kept { written, span, .. } => (written, span, false),
        };
        let between = body.get(at..span.start).expect("spans stand in order, apart, and end on characters");
        let gap = between.is_empty() || generation == Generation::A && between.starts_with('\\');
        assert!(gap, "only escapes are in no chunk: {between:?}");
        let in_file = body.get(span.clone()).expect("a span lies in the file");
        let escape =
            words && generation == Generation::A && in_file.starts_with('\\') && text.chars().count() == 1;
        assert!(in_file == text || escape, "a chunk is what stands in the file");
        at = span.end;
    }
    let rest = &body[at..];
    assert!(
        matches!(rest, "" | "\n" | "\r\n") || rest.starts_with('\\'),
        "nothing is lost at the end: {rest:?}"
    );

    let text = CatalogText { prompt: "a".to_owned(), file: "a.md".to_owned(), first_line: 1, chunks: compiled.chunks };
    let bytes = compiled_bytes(&text);
    let again: CatalogText = serde_json::from_slice(&bytes).expect("what is kept is read again");
    assert_eq!(again, text);
    assert_eq!(compiled_bytes(&again), bytes);
});
