//! Renders every file of `template/inputs`: a context (JSON), `---`, a template, `---`, what it gives.
//!
//! `err_*` files hold the error in its long form. A context may have `options` (raw, trimTagLines, maxDepth,
//! maxBytes), `declared`, with which inputs are on, and `spills`: the template has tags that would pair with those of a block around it.

#![allow(clippy::disallowed_methods, reason = "stage inputs are files")]

use preface_core::{
    declaration::GivenVariables,
    lint::template::VariableTypes,
    template::{Template, TemplateOptions, parse_template},
    variable::{Stability, VariableKey},
};
use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

#[path = "template/rendered.rs"]
mod rendered;
use rendered::{Values, render};

struct Input {
    name: String,
    values: Values,
    options: TemplateOptions,
    spills: bool,
    template: String,
    expected: String,
}

/// Reads the values of a context; a list becomes its JSON.
fn values(context: &serde_json::Value) -> Values {
    let given: GivenVariables = serde_json::from_value(context.clone()).expect("values");
    given.into_iter().map(|(key, value)| (key, value.and_then(|value| value.to_text()))).collect()
}

/// Returns the known variables of a context with declarations: those, those with a value, and `t:`.
fn known_types(context: &serde_json::Value) -> Option<Arc<VariableTypes>> {
    let declared = context["declared"].as_object()?;
    let keys = declared.keys().chain(context["values"].as_object()?.keys());
    let keys = keys.map(|key| key.split_once(':').expect("a key"));
    let types = VariableTypes::default().dynamic("t", Stability::Static);
    Some(Arc::new(keys.fold(types, |types, (kind, name)| types.fixed(kind, name, Stability::Static))))
}

fn inputs() -> Vec<Input> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/template/inputs");
    let mut inputs: Vec<Input> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).unwrap();
            let parts: Vec<&str> = text.split("\n---\n").collect();
            let [context, template, expected] = parts[..] else { panic!("{name}: three parts") };
            let context: serde_json::Value = serde_json::from_str(context).expect(&name);
            let option = |key: &str| &context["options"][key];
            let limit = |key: &str| option(key).as_u64().map(|limit| limit as usize);
            let default = TemplateOptions::default();
            Input {
                values: values(&context["values"]),
                options: TemplateOptions {
                    raw: option("raw").as_bool().unwrap_or(default.raw),
                    trim_tag_lines: option("trimTagLines").as_bool().unwrap_or(default.trim_tag_lines),
                    max_depth: limit("maxDepth").or(default.max_depth),
                    max_bytes: limit("maxBytes").or(default.max_bytes),
                    types: known_types(&context),
                    inputs: serde_json::from_value(context["declared"].clone()).expect(&name),
                },
                spills: context["spills"].as_bool().unwrap_or(false),
                template: template.to_owned(),
                expected: expected.strip_suffix('\n').expect("a last line end").to_owned(),
                name,
            }
        })
        .collect();
    inputs.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(inputs.len() > 35, "the files were found");
    inputs
}

fn rows() -> impl Iterator<Item = Input> {
    inputs().into_iter().filter(|input| !input.name.starts_with("err_"))
}

#[test]
fn every_input_has_its_expected_output() {
    for input in rows() {
        let template = Template::parse(input.template.as_str(), &input.options).expect(&input.name);
        assert_eq!(render(&template, &input.values), input.expected, "{}", input.name);
        if input.options == TemplateOptions::default() {
            assert_eq!(parse_template(&input.template, &input.values), Ok(input.expected), "{}", input.name);
        }
    }
}

#[test]
fn every_input_gives_the_same_inside_each_branch() {
    let yes: VariableKey = "t:yes".parse().unwrap();
    for mut input in rows().filter(|input| !input.spills && !input.options.trim_tag_lines) {
        input.values.insert(yes.clone(), Some(String::new()));
        let text = &input.template;
        let cases = [
            (format!("[if t:yes]{text}[endif]"), true),
            (format!("[if t:yes]{text}[else]other[endif]"), true),
            (format!("[if t:no]other[else]{text}[endif]"), true),
            (format!("[if !t:no]{text}[else]other[endif]"), true),
            (format!("[if !t:yes]other[else]{text}[endif]"), true),
            (format!("[if t:yes][if !t:no]{text}[endif][endif]"), true),
            (format!("[if t:no]{text}[endif]"), false),
            (format!("[if t:yes][else]{text}[endif]"), false),
        ];
        for (wrapped, taken) in cases {
            let template = Template::parse(wrapped.as_str(), &input.options).unwrap();
            let expected = if taken { input.expected.as_str() } else { "" };
            assert_eq!(render(&template, &input.values), expected, "{}: {wrapped}", input.name);
        }
    }
}

#[test]
fn rows_that_spill_pair_with_the_block_around_them() {
    let values = Values::from([("t:yes".parse().unwrap(), Some(String::new()))]);
    for (template, expected) in [
        ("[if t:yes]a[endif]b[endif]", "ab[endif]"),
        ("[if t:no]a[endif]b[endif]", "b[endif]"),
        ("[if t:yes]a[else]b[endif]", "a"),
        ("[if t:no]a[else]b[endif]", "b"),
        ("[if t:no]c[else]a[else]b[endif]", "a[else]b"),
        ("[if t:yes][if file:X]text[endif]", "[if t:yes]"),
        ("[if t:yes][if t:no]A[ else ]B[endif]", "[if t:yes]B"),
        ("[if t:yes][if ! a:x]N[endif][endif]", "[if ! a:x]N[endif]"),
        ("[if t:yes][if a]Y[endif][endif]", "[if a]Y[endif]"),
    ] {
        assert_eq!(parse_template(template, &values).as_deref(), Ok(expected), "{template}");
    }
}

#[test]
fn every_error_has_a_message_and_a_place() {
    for input in inputs().into_iter().filter(|input| input.name.starts_with("err_")) {
        let error = Template::parse(input.template.as_str(), &input.options).expect_err(&input.name);
        let at = &error.position;
        let whole = format!("{error} (line {}, column {})", at.line, at.column);
        assert_eq!(whole, input.expected, "{}", input.name);
        let diagnostic = error.to_diagnostic(None, "template.md", &input.template);
        assert_eq!(diagnostic.code, error.code);
        assert_eq!(diagnostic.place.unwrap().line, Some(at.line), "both count lines alike");
    }
}

fn nested(depth: usize) -> String {
    "[if a:x]".repeat(depth) + "[a:x]" + &"[endif]".repeat(depth)
}

#[test]
fn depth_is_an_error_only_beyond_the_limit() {
    let values = BTreeMap::from([("a:x".parse().unwrap(), Some("X".to_owned()))]);
    assert_eq!(parse_template(&nested(1_000), &values).as_deref(), Ok("X"));
    for depth in [1_001, 20_000] {
        let error = parse_template(&nested(depth), &values).expect_err("it is too deep");
        assert_eq!(error.message, "blocks are nested more than 1000 deep");
        let at = error.position;
        assert_eq!((at.range, at.line, at.column), (8_000..8_008, 1, 8_001));
    }
    let open = "[if a:x]".repeat(20_000);
    assert_eq!(parse_template(&open, &values), Ok(open), "what is never closed is text, not depth");
    let flat = "[if a:x][endif]".repeat(20_000);
    assert_eq!(parse_template(&flat, &values).as_deref(), Ok(""));
}

#[test]
fn without_limits_size_and_depth_do_not_matter() {
    let options = TemplateOptions { max_depth: None, max_bytes: None, ..TemplateOptions::default() };
    let values = BTreeMap::from([("a:x".parse().unwrap(), Some("X".to_owned()))]);
    let deep = Template::parse(nested(20_000), &options).unwrap();
    assert_eq!(render(&deep, &values), "X");
    let tags = deep.tiles().into_iter().filter(|tile| tile.kind.is_tag());
    assert_eq!(tags.map(|tag| tag.depth).nth(20_000), Some(20_000));
    let line = "0123456789".repeat(500_000);
    let large = Template::parse(format!("[{line}[a:x]{line}"), &options).unwrap();
    assert_eq!(render(&large, &values), format!("[{line}X{line}"));
    let error = Template::parse(line, &TemplateOptions::default()).unwrap_err();
    assert_eq!(error.message, "the template has 5000000 bytes, more than the 1048576 allowed");
    assert_eq!(error.position.column, 1_048_577);
}
