//! The string literals of a Rust source, as far as its running code goes: no comments, no tests at the end of the file.

/// A string literal.
#[derive(Debug, PartialEq, Eq)]
pub struct Literal {
    /// The line on which it starts, from 1.
    pub line: usize,
    /// What stands between the quotes, escapes as written.
    pub text: String,
    /// True where it is compared with something: `==`, `!=`, or a pattern.
    pub compared: bool,
}

/// Finds the literals. Reads comments, characters, lifetimes, raw and byte strings as the compiler does.
pub fn literals(source: &str) -> Vec<Literal> {
    let code = source.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut at = 0;
    let mut before = String::new(); // the code of the current statement, without blanks and comments
    while let Some(char) = code[at..].chars().next() {
        let rest = &code[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += block_comment(rest);
        } else if let Some((length, text)) = string(rest, &before) {
            let line = code[..at].matches('\n').count() + 1;
            at += length;
            let compared = is_compared(&before, &code[at..]);
            found.push(Literal { line, text: text.to_owned(), compared });
            before.push('"');
        } else if char == '\'' {
            let length = character(rest);
            before.push_str(&rest[..length]);
            at += length;
        } else {
            if !char.is_whitespace() {
                before.push(char);
            }
            at += char.len_utf8();
        }
    }
    found
}

/// Returns the length of a block comment, which may hold others.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Returns the length of the string literal at the start of `rest`, and what it holds.
fn string<'s>(rest: &'s str, before: &str) -> Option<(usize, &'s str)> {
    let in_word = before.ends_with(|last: char| last.is_alphanumeric() || last == '_');
    let mut prefix = 0;
    if !in_word {
        prefix = rest.find(|c| !matches!(c, 'b' | 'c' | 'r')).filter(|length| *length <= 2)?;
    }
    let hashes = rest[prefix..].len() - rest[prefix..].trim_start_matches('#').len();
    let raw = rest[..prefix].ends_with('r');
    let open = prefix + if raw { hashes } else { 0 };
    let inside = rest[open..].strip_prefix('"')?;
    if raw {
        let close = format!("\"{}", "#".repeat(hashes));
        let end = inside.find(&close)?;
        return Some((open + 1 + end + close.len(), &inside[..end]));
    }
    let mut escaped = false;
    let end = inside.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some((open + 1 + end + 1, &inside[..end]))
}

/// Returns the length of the character literal at the start of `rest`, or that of the quote of a lifetime.
fn character(rest: &str) -> usize {
    let inside = &rest[1..];
    if inside.starts_with('\\') {
        // `'\''` and `'\\'`: the quote that closes is never the one right after the backslash.
        return inside[2..].find('\'').map_or(1, |end| end + 4);
    }
    match inside.chars().next() {
        Some(char) if inside[char.len_utf8()..].starts_with('\'') => char.len_utf8() + 2,
        _ => 1,
    }
}

/// True where a literal between these two texts is compared: an operator stands beside it, or it is a pattern.
fn is_compared(before: &str, after: &str) -> bool {
    let after = after.trim_start_matches(|c: char| c.is_whitespace() || c == ')');
    let operator = |text: &str, ends: fn(&str, &str) -> bool| ends(text, "==") || ends(text, "!=");
    operator(before.trim_end_matches(['&', '*', '(']), |text, end| text.ends_with(end))
        || operator(after, |text, start| text.starts_with(start))
        || after.starts_with("=>")
        || after.starts_with("if ")
        || (after.starts_with('|') && !after.starts_with("||"))
        || (before.ends_with('|') && !before.ends_with("||"))
}

#[test]
fn literals_are_found_where_the_compiler_sees_them() {
    let source = r####"
// "comment"
/* "block /* "inner" */ " */
let a = "one"; let c = '"'; let l: &'static str = r#"two "quoted""#;
let escaped = "th\"ree\\"; let bytes = b"four"; let quote = '\''; let end = "five";
/// "doc"
fn f() {}

#[cfg(test)]
mod tests {
    const T: &str = "test";
}
"####;
    let found: Vec<(usize, String)> = literals(source).into_iter().map(|l| (l.line, l.text)).collect();
    let found: Vec<(usize, &str)> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
    assert_eq!(
        found,
        [(4, "one"), (4, "two \"quoted\""), (5, "th\\\"ree\\\\"), (5, "four"), (5, "five")],
        "comments and tests are no code; characters, lifetimes and raw strings end where they end"
    );
}

#[test]
fn a_comparison_is_an_operator_or_a_pattern() {
    for (source, compared) in [
        (r#"if name == "pi" {}"#, true),
        (r#"if "pi" != name {}"#, true),
        (r#"if *name == *("pi") {}"#, true),
        (r#"match name { "pi" => 1, _ => 2 }"#, true),
        (r#"match name { "pi" | "stud" => 1, _ => 2 }"#, true),
        (r#"match name { Some("pi") => 1, _ => 2 }"#, true),
        (r#"matches!(name, "a" | "pi")"#, true),
        (r#"let name = "pi";"#, false),
        (r#"at(&["pi", "x"])"#, false),
        (r#"flag("pi") || other("x")"#, false),
    ] {
        let found = literals(source);
        let found = found.iter().find(|literal| literal.text == "pi").expect(source);
        assert_eq!(found.compared, compared, "{source}");
    }
}
