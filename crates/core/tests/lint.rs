//! The lints on the texts in `tests/lint/`.
//!
//! A file holds the cases of one lint. A case is a line `=== what it shows`, one line `code severity text` for each
//! finding in order, a line `---`, and the body. In findings and bodies `\u{…}`, `\n`, `\r`, `\t` and `\\` stand for
//! characters, so that a reader sees what is hidden, a finding fits on a line, and no file here holds anything that
//! scanners take for a credential.

use preface_core::lint::{finding::TextFinding, forged, hidden, secret};

struct Case {
    name: String,
    findings: Vec<String>,
    body: String,
}

fn cases(file: &str) -> Vec<Case> {
    let all = file.split("=== ").skip(1).map(|case| {
        let (head, body) = case.split_once("\n---\n").expect("a case has a line `---` before its body");
        let mut head = head.lines();
        Case {
            name: head.next().unwrap_or_default().to_owned(),
            findings: head.map(decode).collect(),
            body: decode(body.trim_end_matches('\n')),
        }
    });
    all.collect()
}

/// Replaces each escape by its character.
fn decode(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    while let Some(part) = parts.next() {
        let (c, rest) = match part.chars().next() {
            None => ('\\', parts.next().unwrap_or_default()),
            Some('n') => ('\n', &part[1..]),
            Some('r') => ('\r', &part[1..]),
            Some('t') => ('\t', &part[1..]),
            Some(_) => code_point(part),
        };
        decoded.push(c);
        decoded.push_str(rest);
    }
    decoded
}

/// Reads `u{…}` and returns what follows it, too.
fn code_point(part: &str) -> (char, &str) {
    let code = part.strip_prefix("u{").and_then(|code| code.split_once('}'));
    let (code, rest) = code.expect("a backslash starts `\\u{…}`, `\\n`, `\\r`, `\\t` or `\\\\`");
    let code = u32::from_str_radix(code, 16).expect("`\\u{…}` holds a hexadecimal number");
    (char::from_u32(code).expect("`\\u{…}` is a character"), rest)
}

fn check<F: TextFinding>(file: &str, scan: impl Fn(&str) -> Vec<F>) {
    let cases = cases(file);
    assert!(!cases.is_empty(), "a file without cases checks nothing");
    for Case { name, findings, body } in cases {
        let line = |found: &F| format!("{} {} {}", found.code(), found.severity(), &body[found.range()]);
        let found: Vec<String> = scan(&body).iter().map(line).collect();
        assert_eq!(found, findings, "{name}");
    }
}

#[test]
fn hidden_text() {
    check(include_str!("lint/hidden.txt"), hidden::scan);
}

#[test]
fn secrets() {
    check(include_str!("lint/secret.txt"), secret::scan);
}

#[test]
fn forged_structure() {
    check(include_str!("lint/forged.txt"), |text| forged::scan(text, forged::TAGS));
}
