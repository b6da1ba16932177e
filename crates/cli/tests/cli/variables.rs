//! `preface list variables`

use crate::sandbox::Sandbox;

#[test]
fn each_fact_has_a_line_with_its_value() {
    let ran = Sandbox::new().run("preface list variables --model large-1").exits(0).says("");
    let row = |name: &str| {
        let line = ran.stdout.lines().find(|line| line.starts_with(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("a row for {name}: {}", ran.stdout)).to_owned()
    };
    assert!(row("system:time").contains(" 2026-03-07T14:55:05.000Z "));
    assert!(row("prompt:model").contains(" large-1 "));
    assert!(row("prompt:conversation_id").contains(" absent: not passed in "));
    assert!(row("file:<path>").contains(" any name "));
    assert!(ran.stdout.starts_with("variable "), "the first line names the columns");
}

#[test]
fn programs_get_values_unshortened() {
    let long = "x".repeat(100);
    let variables = Sandbox::new()
        .run(&format!("preface list variables --format json --variable prompt:model={long}"))
        .exits(0)
        .json()["entries"]
        .clone();
    let model = variables
        .as_array()
        .into_iter()
        .flatten()
        .find(|variable| variable["variable"] == "prompt:model")
        .cloned();
    assert_eq!(model.expect("it is listed")["value"], *long);
}

#[test]
fn a_value_cannot_play_tricks() {
    let ran =
        Sandbox::new().run("preface list variables --variable 'prompt:model=a\u{1b}[2Jb\u{202e}'").exits(0);
    assert!(ran.stdout.contains(" a\\u{1b}[2Jb\\u{202e} "), "{}", ran.stdout);
}
