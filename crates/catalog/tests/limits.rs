//! What is nested deep is not parsed, and nothing of it needs more stack than a thread is sure to have.

use preface_catalog::convert;
use preface_core::catalog::Generation;
use std::{thread, time::Instant};

/// Less than any thread of the project has, and a debug build needs the most.
const STACK: usize = 512 * 1024;

/// An opening, and its closing.
const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{a:", "}"),
    ("`${", "}`"),
    ("f(", ")"),
    ("a[", "]"),
    ("([{a:", "}])"),
    ("(a,[", "])"),
    ("(a=(", "))"),
    ("({a=(", ")})"),
    ("async(", ")"),
    ("a=>(", ")"),
    ("(a=>", ")"),
    ("a=>", ""),
    ("!", ""),
    ("typeof ", ""),
    ("a**", ""),
    ("a?", ":b"),
    ("a?b:", ""),
    ("a?(", "):b"),
    ("a?(b)=>(", "):c"),
    ("a?(b)=>{return ", "}:c"),
    ("x=>{if(a){", "}}"),
    ("x=>{if(a)return ", "}"),
    ("function(){return ", "}"),
    ("class extends ", "{}"),
    ("a.b", ""),
    ("\u{e9}+", ""),
    ("_$", ""),
];

#[test]
fn any_nesting_fits_a_small_stack() {
    let run = || {
        for (open, close) in NESTS {
            for times in [1, 2, 10, 20, 30, 40, 50, 60, 62, 64, 100, 126, 128, 100_000] {
                for tail in ["", "=>1", " x"] {
                    let source = format!("${{{}a{}{tail}}}", open.repeat(times), close.repeat(times));
                    let converted = convert(&source, Generation::A).expect("it is small");
                    assert!(times < 100_000 || converted.expressions.len() <= 1, "{open}");
                }
            }
        }
    };
    thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

#[test]
fn branches_that_would_double_a_text_over_and_over_end() {
    let test = ["(A||B)"; 12].join("&&");
    let started = Instant::now();
    assert_eq!(convert(&format!("${{{test}?\"{}\":\"b\"}}", "a".repeat(1000)), Generation::B), None);
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn a_file_full_of_what_looks_like_expressions_is_read() {
    for piece in ["${\n", "${", "${a", "${`", "${'}", "${\"\n", "${(}", "$", "{{}", "${a}"] {
        let converted = convert(&piece.repeat(100_000), Generation::B);
        assert!(converted.is_none_or(|converted| converted.values <= 100_000), "{piece}");
    }
}
