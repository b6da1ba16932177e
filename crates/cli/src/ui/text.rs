//! Words and numbers fit to be shown: nothing hidden, nothing too wide.

pub use preface_core::lint::hidden::visible;

use preface_core::lint::hidden::escape_hidden;
use std::borrow::Cow;

/// Shows a text on one line: line ends and tabs become `\n` and `\t`, hidden characters `\u{…}`.
pub fn one_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c => shown.push(c),
        }
    }
    escape_hidden(&shown).into_owned()
}

/// Returns how many columns a text takes on a terminal.
pub fn columns(text: &str) -> usize {
    text.chars().map(column).sum()
}

/// A close guess: wide scripts and pictures take two columns, marks none.
fn column(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036f | 0x200b..=0x200f | 0x20d0..=0x20ff | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Shortens a text at its end to so many columns.
pub fn short(text: &str, most: usize) -> Cow<'_, str> {
    if columns(text) <= most {
        return Cow::Borrowed(text);
    }
    let mut taken = 0;
    let kept: String = text
        .chars()
        .take_while(|c| {
            taken += column(*c);
            taken < most
        })
        .collect();
    Cow::Owned(format!("{kept}…"))
}

/// Shortens a path or another text whose end matters most, in its middle.
pub fn short_middle(text: &str, most: usize) -> Cow<'_, str> {
    if columns(text) <= most || most < 8 {
        return short(text, most);
    }
    let chars: Vec<char> = text.chars().collect();
    let front = (most - 1) / 3;
    let (mut head, mut width) = (0, 0);
    while head < chars.len() && width + column(chars[head]) <= front {
        width += column(chars[head]);
        head += 1;
    }
    let mut tail = chars.len();
    while tail > head && width + column(chars[tail - 1]) < most {
        tail -= 1;
        width += column(chars[tail]);
    }
    Cow::Owned(format!("{}…{}", String::from_iter(&chars[..head]), String::from_iter(&chars[tail..])))
}

/// Breaks words into lines of so many columns; lines after the first are indented. A command of preface in backticks is one
/// word, so that it can be copied.
pub fn wrap(text: &str, most: usize, indent: usize) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = 0;
    for (line_at, line) in text.split('\n').enumerate() {
        if line_at > 0 {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            at = indent;
        }
        for (word_at, word) in words(line).enumerate() {
            let width = columns(word);
            if word_at > 0 {
                if at + 1 + width > most && at > indent {
                    out.push('\n');
                    out.push_str(&" ".repeat(indent));
                    at = indent;
                } else {
                    out.push(' ');
                    at += 1;
                }
            }
            out.push_str(word);
            at += width;
        }
    }
    out
}

/// Splits a line at its blanks, but not within a command of preface.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let command = line
            .split(' ')
            .next()
            .and_then(|word| word.find("`preface"))
            .filter(|at| line[*at..].starts_with("`preface "));
        let closed = command.and_then(|at| Some(at + 1 + line[at + 1..].find('`')?));
        let from = closed.unwrap_or(0);
        let end = line[from..].find(' ').map(|at| from + at);
        rest = end.map(|end| &line[end + 1..]);
        Some(&line[..end.unwrap_or(line.len())])
    })
}

/// Writes a number with a comma for every thousand.
pub fn number(value: usize) -> String {
    let digits = value.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Counts things: `1 part`, `2 parts`.
pub fn count(many: usize, thing: &str) -> String {
    let s = if many == 1 { "" } else { "s" };
    format!("{} {thing}{s}", number(many))
}

/// Shortens an instant in RFC 3339 to its minute, in UTC: `2026-03-07 14:55`.
pub fn minute(instant: impl ToString) -> String {
    instant.to_string().chars().take(16).collect::<String>().replacen('T', " ", 1)
}

/// Joins names the way people do: `a, b and c`.
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_not_broken_into_lines() {
        let text = "look at it, then (`preface trust grant --preset stud`), or not; `preface `";
        let lines = "look at it, then\n  (`preface trust grant --preset stud`),\n  or not; `preface `";
        assert_eq!(wrap(text, 20, 2), lines);
    }

    #[test]
    fn tricks_are_shown_and_ordinary_text_is_left_alone() {
        let cases = [
            ("plain\n\ttext\n", "plain\n\ttext\n"),
            ("\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
            ("a\u{202e}b\u{2028}c\u{9b}", "a\\u{202e}b\\u{2028}c\\u{9b}"),
            ("dos\r\nends\r\n\u{7}", "dos\nends\n\\u{7}"),
            ("👩\u{200d}👧 ⚠\u{fe0f}", "👩\u{200d}👧 ⚠\u{fe0f}"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(one_line("a\n\tb\u{1b}"), "a\\n\\tb\\u{1b}");
    }

    #[test]
    fn long_texts_get_shorter_where_it_hurts_least() {
        assert_eq!(short("a long name", 6), "a lon…");
        assert_eq!(short("漢字漢字", 5), "漢字…");
        assert_eq!(short_middle("crates/engine/src/AGENTS.md", 16), "crate…/AGENTS.md");
        assert_eq!(short_middle("AGENTS.md", 16), "AGENTS.md");
    }

    #[test]
    fn words_move_to_the_next_line() {
        assert_eq!(wrap("one two three", 8, 2), "one two\n  three");
        assert_eq!(wrap("unbreakable", 4, 0), "unbreakable");
    }

    #[test]
    fn numbers_and_lists_read_well() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(number),
            ["0", "999", "1,000", "1,234,567"].map(str::to_owned)
        );
        assert_eq!((count(1, "part"), count(2, "part")), ("1 part".into(), "2 parts".into()));
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
    }
}
