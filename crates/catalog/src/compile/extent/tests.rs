//! Ends that are found by tokens are those that trying every `}` finds.

use super::*;
use crate::compile::expression;
use oxc_allocator::Allocator;
use proptest::prelude::*;

/// Returns the end by the rule: the first `}` before which there is an expression. It tries them all.
fn end_by_trying(text: &str) -> Option<usize> {
    text.match_indices('}').map(|(at, _)| at).find(|at| {
        // A comment that goes on to the end of its line would hide the `}`.
        let whole = expression::parses(&text[..*at], &Allocator::default());
        whole
            && (!text[..*at].contains("//")
                || expression::parses(&format!("({})", &text[..*at]), &Allocator::default()))
    })
}

#[test]
fn the_end_is_the_first_brace_that_closes_nothing() {
    for (text, expected) in [
        ("NAME} and }", "NAME"),
        ("{a:1,b:{c:2}}.b} }", "{a:1,b:{c:2}}.b"),
        ("A?'}':\"}\"}", "A?'}':\"}\""),
        ("A?`}${B}}`:`\\`}`} }", "A?`}${B}}`:`\\`}`"),
        ("`${`${`}`}`}`}", "`${`${`}`}`}`"),
        ("A /* } */ + B}", "A /* } */ + B"),
        ("A // }\n}", "A // }\n"),
        ("L.map((x)=>{return x}).join('}')}", "L.map((x)=>{return x}).join('}')"),
        ("A.replace(/}[/}]/g,'')}", "A.replace(/}[/}]/g,'')"),
        ("A()/2}/3}", "A()/2"),
        ("A.return/2}", "A.return/2"),
        ("[...typeof /}/]}", "[...typeof /}/]"),
        ("x=>{if(A)/}/.test(B);return 1}}", "x=>{if(A)/}/.test(B);return 1}"),
        ("A?.5:1}", "A?.5:1"),
        ("1..toFixed()/2}", "1..toFixed()/2"),
    ] {
        let end = end_of(text).unwrap_or_else(|no_end| panic!("{text}: {}", no_end.why));
        assert_eq!(&text[..end], expected);
        assert_eq!(end_by_trying(text), Some(end), "{text}");
    }
}

#[test]
fn what_could_be_two_things_has_no_end() {
    for text in [
        "x=>{}/a/b}",
        "await /}/}",
        "of/2}",
        "a++/2}",
        "x=>{let y\n/}/g}",
        "x=>{break y/*\n*//}/g}",
        "a<!--b\n}",
        "#x in y}",
        "@x}",
        "\\u0041}",
        "'\n'}",
        "`",
        "(]}",
        ")}",
        "A?'",
        "/* }",
        "/}\n/}",
        "",
        "no brace",
    ] {
        assert!(end_of(text).is_err(), "{text}");
    }
}

#[test]
fn nesting_is_refused_before_it_is_parsed_whatever_it_is_made_of() {
    for opening in [
        "(",
        "[",
        "{a:",
        "`${",
        "!",
        "- ",
        "typeof ",
        "new ",
        "a=>",
        "a?",
        "a?b:",
        "a**",
        "a=",
        "a=(",
        "async()=>",
        "(a,[",
        "x=>{if(a)",
        "x=>{if(a){}else ",
        "x=>{for(;;)",
        "class extends ",
        "await ",
        "(\")\"+",
        "[/]/,",
        "a(`)`,",
    ] {
        let text = opening.repeat(100_000);
        let no_end = end_of(&text).unwrap_err();
        assert!(no_end.why.contains("nested"), "{opening}: {}", no_end.why);
        assert!(no_end.looked_at < 4000, "{opening}: {}", no_end.looked_at);
    }
}

#[test]
fn an_expression_has_a_limit_of_bytes() {
    let text = format!("'{}'}}", "a".repeat(MAX_BYTES));
    assert!(end_of(&text).is_err());
    let text = format!("'{}'}}", "a".repeat(MAX_BYTES - 10));
    assert_eq!(end_of(&text).unwrap(), text.len() - 1);
}

proptest! {
    #[test]
    fn the_tokens_give_the_end_that_trying_gives(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..14)) {
        let text = pieces.concat() + "}}}";
        let by_tokens = end_of(&text).ok();
        let parsed = by_tokens.filter(|end| expression::parses(&text[..*end], &Allocator::default()));
        let tried = end_by_trying(&text);
        if parsed.is_some() || tried.is_none() {
            prop_assert_eq!(parsed, tried, "{}", text);
        } else if let Ok(end) = end_of(&text) {
            // It was exact, so what was tried is no better.
            prop_assert!(false, "{text}: {end} by tokens, {tried:?} by trying");
        }
    }
}

const PIECES: &[&str] = &[
    "a", "B", "1", "2.5", "'x}'", "\"}\"", "`", "`}`", "${", "$", "{", "}", "(", ")", "[", "]", ".", "?.",
    "?", ":", ",", ";", "=>", "=", "+", "-", "*", "/", "/}/", "//", "/*", "*/", "\n", " ", "!", "&&", "||",
    "??", "===", "return ", "if(a)", "typeof ", "x=>{", "\\", "\\`", "{a:", "else ", "...", "++", "<", "of",
];
