//! The block that nearly every skill has: lines of `key: words`, nothing nested, nothing quoted by halves. It is read
//! without a YAML parser; whatever is not that simple is left to it. A test holds the two against each other.

use super::yaml::{YamlFields, YamlValue};

/// Reads a block of plain lines; `None` if it has anything else.
pub(super) fn read(block: &str) -> Option<YamlFields> {
    let mut fields: Vec<(String, YamlValue)> = Vec::with_capacity(4);
    for line in block.lines() {
        let (key, value) = line.split_once(": ")?;
        if !is_key(key) || fields.iter().any(|(known, _)| known == key) {
            return None;
        }
        fields.push((key.to_owned(), scalar(value.trim_matches(' '))?));
    }
    (!fields.is_empty()).then_some(YamlFields(fields))
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_lowercase())
        && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        && !is_word_of_schema(key)
}

fn scalar(text: &str) -> Option<YamlValue> {
    let inside = |quote: u8| {
        let bytes = text.as_bytes();
        let quoted = bytes.len() >= 2 && bytes[0] == quote && bytes[bytes.len() - 1] == quote;
        quoted.then(|| &text[1..text.len() - 1])
    };
    if let Some(text) = inside(b'"') {
        return (is_harmless(text) && !text.contains(['"', '\\'])).then(|| YamlValue::Text(text.to_owned()));
    }
    if let Some(text) = inside(b'\'') {
        return (is_harmless(text) && !text.contains('\'')).then(|| YamlValue::Text(text.to_owned()));
    }
    match text {
        "true" => return Some(YamlValue::Bool(true)),
        "false" => return Some(YamlValue::Bool(false)),
        _ => {}
    }
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && is_harmless(text)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
        && !is_word_of_schema(text);
    plain.then(|| YamlValue::Text(text.to_owned()))
}

/// Returns true if no character has a special meaning for a parser. Control characters are among them: the published
/// readers take them as they are, and the YAML library does not.
fn is_harmless(text: &str) -> bool {
    !text.contains(['\t', '\n', '\r'])
}

fn is_word_of_schema(text: &str) -> bool {
    ["true", "false", "null"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::super::yaml;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_plain_is_read_and_what_is_not_is_left_alone() {
        let fields = read("name: commit\ndescription: Writes a commit: \ndisable-model-invocation: true");
        assert_eq!(fields, None, "a colon at the end");
        let fields =
            read("name: commit\ndescription: \"Use it, now.\"\ndisable-model-invocation: true").unwrap();
        assert_eq!(fields.get("description"), Some(&YamlValue::Text("Use it, now.".into())));
        assert_eq!(fields.get("disable-model-invocation"), Some(&YamlValue::Bool(true)));
        for block in [
            "",
            "name:",
            "name: a\nname: b",
            "name: 1",
            "name: 'it''s'",
            "name: \"a\\n\"",
            "name: a # b",
            "name: a: b",
            "name: [a]",
            "name: null",
            "description: >\n  a",
            "name: a\n\ndescription: b",
            "name: a\n  b",
            "name: a\tb",
            "%name: a",
            "---: a",
        ] {
            assert_eq!(read(block), None, "{block:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        #[test]
        fn the_yaml_parser_has_the_same_result(
            lines in proptest::collection::vec(
                (
                    "(name|description|license|x|a-b|true|null)",
                    "(|[a-zA-Z\"'])(word|[a-z]{1,3}|é|😀|[ -~]|, |: |:| #|#|\"|'|  |yes|on|True|1|\\\\|\u{2028}|\u{a0}|\u{85}){0,8}",
                    "(\n|\n|\n|\r\n| \n)",
                ),
                1..5,
            ),
        ) {
            let block: String = lines.iter().map(|(key, value, end)| format!("{key}: {value}{end}")).collect();
            let block = block.strip_suffix('\n').unwrap_or(&block).replace('\r', "");
            if let Some(fields) = read(&block) {
                prop_assert_eq!(Ok(fields), yaml::read(&block), "{:?}", block);
            }
        }
    }
}
