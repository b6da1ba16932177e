//! What is nested deep is refused, and nothing of it needs more stack than a thread is sure to have.

use preface_catalog::{MAX_NESTING, compile, compiled_bytes};
use preface_core::catalog::{CatalogChunk, CatalogText, Generation, UncompiledReason};
use std::thread;

/// Less than any thread of the project has, and a debug build needs the most.
const STACK: usize = 512 * 1024;

/// An opening, how much deeper it is, and its closing.
const NESTS: &[(&str, usize, &str)] = &[
    ("(", 1, ")"),
    ("[", 1, "]"),
    ("{a:", 2, "}"),
    ("`${", 1, "}`"),
    ("f(", 1, ")"),
    ("a[", 1, "]"),
    ("([{a:", 4, "}])"),
    ("(a,[", 2, "])"),
    ("(a=(", 3, "))"),
    ("({a=(", 4, ")})"),
    ("async(", 2, ")"),
    ("a=>(", 2, ")"),
    ("(a=>", 2, ")"),
    ("a=>", 1, ""),
    ("!", 1, ""),
    ("typeof ", 1, ""),
    ("a**", 1, ""),
    ("a?", 2, ":b"),
    ("a?b:", 2, ""),
    ("a?(", 3, "):b"),
    ("a?(b)=>(", 4, "):c"),
    ("a?(b)=>{return ", 6, "}:c"),
    ("x=>{if(a){", 4, "}}"),
    ("x=>{if(a)return ", 4, "}"),
    ("function(){return ", 3, "}"),
    ("class extends ", 2, "{}"),
];

fn compile_one(source: &str) -> CatalogChunk {
    let mut chunks = compile("x.md", source, 0, &[], Generation::A).chunks;
    chunks.swap_remove(0)
}

#[test]
fn the_deepest_that_is_read_fits_a_small_stack_and_is_read_again() {
    let run = || {
        for (open, deeper, close) in NESTS {
            let times = MAX_NESTING / deeper;
            for tail in ["", "=>1", " x"] {
                let source = format!("${{{}a{}{tail}}}", open.repeat(times), close.repeat(times));
                let chunk = compile_one(&source);
                let text = CatalogText {
                    prompt: String::new(),
                    file: String::new(),
                    first_line: 1,
                    chunks: vec![chunk],
                };
                let again: CatalogText = serde_json::from_slice(&compiled_bytes(&text)).expect(&source);
                assert_eq!(again, text);
            }
        }
    };
    thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_hundred_thousand_brackets_are_refused_and_not_parsed() {
    let run = || {
        for (open, _, close) in NESTS {
            let source = format!("${{{}a{}}}", open.repeat(100_000), close.repeat(100_000));
            let CatalogChunk::Kept { why: UncompiledReason::Unparsed(why), .. } = compile_one(&source) else {
                panic!("{open}")
            };
            assert!(why.contains("nested"), "{open}: {why}");
        }
        let chain = format!("${{a{}}}", ".b".repeat(30_000));
        let CatalogChunk::Kept { why: UncompiledReason::Unsupported(why), .. } = compile_one(&chain) else {
            panic!("a chain")
        };
        assert!(why.contains("levels"), "{why}");
    };
    thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_file_full_of_what_looks_like_expressions_is_read_in_bounded_work() {
    let source = "${\n".repeat(100_000);
    let compiled = compile("x.md", &source, 0, &[], Generation::B);
    assert_eq!(compiled.chunks.len(), 199_999, "each stays as it is written, with a line end between");
}
