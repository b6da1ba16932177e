//! What each construct of the expressions in catalogs becomes: its template, and that template with bindings.

mod harbour;

use harbour::{A, B, imported, template};
use preface_catalog::convert;
use preface_core::{
    catalog::{Bindings, Generation},
    origin::Source,
    scope::Scope,
};
use std::sync::Arc;

const BINDINGS: &str = r#"
BELL = "Bell"
BERTHS = "0"
CREW = { variable = "ship:crew" }
"CREW-1" = { variable = "ship:crew", add = -1 }
DIR = { join = ["in ", { variable = "ship:dir" }, "/log"] }
EMPTY = ""
FOG = true
HAS = { has = "tool:Lamp" }
"KIND===\"fishing\"" = false
LIMIT = 7
"<<LIMIT>>" = 9
MARKED = "[if a:b] [endraw] ["
NIGHT = false
POLICY = { section = "policy" }
"RING.name" = "Ring"
"RING()" = 600000
ZERO = 0
"#;

/// An expression, its template, and what is left of that with the bindings.
const ROWS: &[(&str, &str, &str)] = &[
    // Values.
    ("BELL", "[catalog:BELL]", "Bell"),
    (" BELL ", "[catalog:BELL]", "Bell"),
    ("(BELL)", "[catalog:BELL]", "Bell"),
    ("LIMIT", "[catalog:LIMIT]", "7"),
    ("FOG", "[catalog:FOG]", "true"),
    ("RING.name", "[catalog:RING.name]", "Ring"),
    ("RING()", "[catalog:RING()]", "600000"),
    ("CREW", "[catalog:CREW]", "[ship:crew]"),
    ("CREW-1", "[catalog:CREW-1]", "[catalog:CREW-1]"),
    ("DIR", "[catalog:DIR]", "in [ship:dir]/log"),
    ("HAS", "[catalog:HAS]", "[if tool:Lamp]true[else]false[endif]"),
    ("POLICY", "[catalog:POLICY]", "[section:policy]"),
    ("MARKED", "[catalog:MARKED]", "[raw][if a:b][endraw] [endraw] [raw][[endraw]"),
    // Literals.
    ("\"a 'b'\"", "a 'b'", "a 'b'"),
    ("'a\\n\\u2014'", "a\n—", "a\n—"),
    ("500", "500", "500"),
    ("0", "0", "0"),
    ("1e3", "[catalog:1e3]", "unbound 1e3"),
    ("-1", "[catalog:-1]", "unbound -1"),
    ("`a ${BELL} \\`${\"b\"}\\``", "a [catalog:BELL] `b`", "a Bell `b`"),
    ("{A:\"a\",\"B C\":BELL}.A", "a", "a"),
    ("{A:\"a\",B:BELL}.B", "[catalog:BELL]", "Bell"),
    ("{A:\"a\"}.B", "[catalog:{A:\"a\"}.B]", "unbound {A:\"a\"}.B"),
    ("\"[if a:b] [git:branch]\"", "[raw][if a:b] [git:branch][endraw]", "[raw][if a:b] [git:branch][endraw]"),
    ("\"<<LIMIT>> <<a>> <<\"", "[catalog:<<LIMIT>>] <<a>> <<", "9 <<a>> <<"),
    ("\"[\"", "[raw][[endraw]", "[raw][[endraw]"),
    // Conditions.
    ("FOG?\"a\":\"b\"", "[if catalog:!!FOG]a[else]b[endif]", "a"),
    ("NIGHT?\"a\":\"b\"", "[if catalog:!!NIGHT]a[else]b[endif]", "b"),
    ("EMPTY?\"a\":\"\"", "[if catalog:!!EMPTY]a[endif]", ""),
    ("BERTHS?\"a\":\"b\"", "[if catalog:!!BERTHS]a[else]b[endif]", "b"),
    ("ZERO?\"a\":\"b\"", "[if catalog:!!ZERO]a[else]b[endif]", "b"),
    ("NOBODY?NOBODY:\"b\"", "[if catalog:!!NOBODY][catalog:NOBODY][else]b[endif]", "b"),
    ("CREW?\"a\":\"b\"", "[if catalog:!!CREW]a[else]b[endif]", "[if catalog:!!CREW]a[else]b[endif]"),
    ("HAS?\"a\":\"\"", "[if catalog:!!HAS]a[endif]", "[if tool:Lamp]a[endif]"),
    ("!FOG?\"a\":\"b\"", "[if catalog:!!FOG]b[else]a[endif]", "b"),
    (
        "FOG&&!HAS?\"a\":\"b\"",
        "[if catalog:!!FOG][if catalog:!!HAS]b[else]a[endif][else]b[endif]",
        "[if tool:Lamp]b[else]a[endif]",
    ),
    (
        "NIGHT||HAS?\"a\":\"\"",
        "[if catalog:!!NIGHT]a[else][if catalog:!!HAS]a[endif][endif]",
        "[if tool:Lamp]a[endif]",
    ),
    (
        "FOG?NIGHT?\"a\":`b ${BELL}`:NOBODY",
        "[if catalog:!!FOG][if catalog:!!NIGHT]a[else]b [catalog:BELL][endif][else][catalog:NOBODY][endif]",
        "b Bell",
    ),
    ("KIND===\"fishing\"?\"a\":\"b\"", "[if catalog:!!KIND===\"fishing\"]a[else]b[endif]", "b"),
    ("SHIPS.length>0?\"a\":\"b\"", "[if catalog:!!SHIPS.length>0]a[else]b[endif]", "b"),
    (
        "CREW||\"(none)\"",
        "[if catalog:!!CREW][catalog:CREW][else](none)[endif]",
        "[if catalog:!!CREW][ship:crew][else](none)[endif]",
    ),
    ("FOG&&\"a\"", "[if catalog:!!FOG]a[endif]", "a"),
    // What is not understood is a KEY.
    ("F(G(),\"x\")", "[catalog:F(G(),\"x\")]", "unbound F(G(),\"x\")"),
    ("A??B", "[catalog:A??B]", "unbound A??B"),
    ("\"a\"+BELL", "[catalog:\"a\"+BELL]", "unbound \"a\"+BELL"),
    ("X:-a.txt", "[catalog:X:-a.txt]", "unbound X:-a.txt"),
    ("FOG?`a`${BELL}`:\"\"", "[catalog:FOG?`a`${BELL}`:\"\"]", "unbound FOG?`a`${BELL}`:\"\""),
];

/// The text of pieces, or what is not bound.
fn applied(template: &str) -> String {
    let bindings: Bindings = toml::from_str(BINDINGS).unwrap();
    let source = Arc::new(Source { scope: Scope::Global, path: "x.md".to_owned() });
    match bindings.apply(template, &source, "harbour") {
        Ok(pieces) => pieces.into_iter().map(|piece| piece.text).collect(),
        Err(unbound) => format!("unbound {}", unbound.keys.into_iter().collect::<Vec<_>>().join(" ")),
    }
}

#[test]
fn every_construct_has_its_template() {
    for (expression, template, expected) in ROWS {
        let converted = convert(&format!("${{{expression}}}"), Generation::B).unwrap();
        assert_eq!(converted.template, *template, "{expression}");
        assert_eq!(applied(template), *expected, "{expression}");
    }
}

#[test]
fn escapes_of_the_older_generation_are_decoded_once() {
    for (body, template) in [
        ("Ring \\`twice\\n\\${x}\\\\", "Ring `twice\n${x}\\"),
        ("a \\u{zz} \\1 \\x41\\\nb $5", "a \\u{zz} \\1 Ab $5"),
        ("${BELL?`\\`a\\``:\"\"}", "[if catalog:!!BELL]`a`[endif]"),
    ] {
        assert_eq!(convert(body, Generation::A).unwrap().template, template, "{body}");
    }
    assert_eq!(convert("\\`a\\` \\${BELL}", Generation::B).unwrap().template, "\\`a\\` \\[catalog:BELL]");
}

#[test]
fn a_long_key_is_a_digest_that_the_index_explains() {
    let long = format!("F({})", "x".repeat(100));
    let converted = convert(&format!("${{{long}}}${{a\n+b}}"), Generation::B).unwrap();
    assert_eq!(converted.expressions.len(), 2);
    let (first, second) = keys_of(&converted.template);
    assert_eq!((&converted.expressions[first], &*converted.expressions[second]), (&long, "a\n+b"));
}

/// The two KEYs of a template that is nothing else.
fn keys_of(template: &str) -> (&str, &str) {
    let mut keys = template.split("[catalog:").skip(1).map(|key| key.trim_end_matches(']'));
    (keys.next().unwrap(), keys.next().unwrap())
}

#[test]
fn what_is_bound_has_its_origin() {
    let bindings: Bindings = toml::from_str(BINDINGS).unwrap();
    let source = Arc::new(Source { scope: Scope::Global, path: "x.md".to_owned() });
    let pieces = bindings.apply("On [catalog:BELL]!", &source, "harbour").unwrap();
    let origins: Vec<String> = pieces.iter().map(|piece| piece.origin.to_string()).collect();
    assert_eq!(origins, ["x.md", "harbour.toml catalog.bind.BELL", "x.md"]);
}

#[test]
fn files_of_both_generations_are_converted() {
    let a = imported(A);
    assert_eq!(
        template(&a, "system-reminder-fog"),
        "Fog is coming in.[if catalog:!!FOG_PLAN]\n\nThe plan is at [catalog:FOG_PLAN]. [if catalog:!!WATCH_OBJECT.isDouble]Sound \
         `[catalog:HORN_NAME]` every minute, {as agreed}.[else]Sound it when you hear another's.[endif][else]\n\nThere is no plan \
         yet.[endif]"
    );
    assert_eq!(
        template(&a, "data-harbour-workflow"),
        "on: tide\nenv:\n  KEY: ${{ secrets.HARBOUR_KEY }}\n  ROOT: C:\\harbour\n  SIGN: —\tA\n  end of it"
    );
    assert_eq!(
        template(&a, "tool-parameter-flag-colour"),
        "The colour of the flag:\n* `red`: danger, also called \"stop\"\n* `green`: come in",
        "a text that was no template literal has backticks without backslashes"
    );
    assert!(
        template(&a, "tool-description-bell")
            .contains("\n- Write `twice` for two strokes, and $5 for what a new rope costs.\n")
    );
    let b = imported(B);
    assert!(template(&b, "skill-knots").starts_with("\n\n# Knots\n"), "blank lines before it count");
    assert!(template(&b, "skill-knots").ends_with(" \\[catalog:nothing].\n"), "and those after it but one");
}
