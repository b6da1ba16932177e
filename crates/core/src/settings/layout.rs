//! How a settings file is laid out, and values written the same way.

use jsonc_parser::{Scanner, ScannerOptions, ast::Object, common::Ranged, tokens::Token};
use serde_json::Value;

/// Line ends and indentation of a file.
pub(super) struct Layout {
    /// What ends a line.
    pub newline: &'static str,
    /// What one level is indented by.
    pub unit: String,
}

/// Arrays of plain values stand on one line up to so many characters.
const ONE_LINE: usize = 80;

impl Layout {
    /// Looks at a text: its first line end, and its first member that has a line of its own.
    pub fn of(json: &str, root: &Object<'_>) -> Self {
        let windows = json.find('\n').is_some_and(|at| json[..at].ends_with('\r'));
        let unit = root
            .properties
            .iter()
            .find_map(|member| own_line(json, member.start()))
            .filter(|indent| !indent.is_empty())
            .unwrap_or("  ");
        Layout { newline: if windows { "\r\n" } else { "\n" }, unit: unit.to_owned() }
    }

    /// Writes a member around its value.
    pub fn member(&self, name: &str, value: &str) -> String {
        format!("{}: {value}", Value::from(name))
    }

    /// Writes a value on one line.
    pub fn inline(&self, value: &Value) -> String {
        match value {
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.inline(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(map) if map.is_empty() => "{}".to_owned(),
            Value::Object(map) => {
                let members: Vec<String> =
                    map.iter().map(|(name, value)| self.member(name, &self.inline(value))).collect();
                format!("{{ {} }}", members.join(", "))
            }
            plain => plain.to_string(),
        }
    }

    /// Writes a value whose first line is indented by `indent` already.
    pub fn block(&self, value: &Value, indent: &str) -> String {
        let deeper = format!("{indent}{}", self.unit);
        let newline = self.newline;
        let lines = |lines: Vec<String>, open: char, close: char| {
            let between = format!(",{newline}{deeper}");
            format!("{open}{newline}{deeper}{}{newline}{indent}{close}", lines.join(&between))
        };
        match value {
            Value::Object(map) if !map.is_empty() => {
                let members = map.iter().map(|(name, value)| self.member(name, &self.block(value, &deeper)));
                lines(members.collect(), '{', '}')
            }
            Value::Array(items) if !items.is_empty() => {
                let inline = self.inline(value);
                let plain = items.iter().all(|item| !item.is_object() && !item.is_array());
                if plain && inline.chars().count() <= ONE_LINE {
                    return inline;
                }
                lines(items.iter().map(|item| self.block(item, &deeper)).collect(), '[', ']')
            }
            other => self.inline(other),
        }
    }
}

/// Returns where the line of a place starts.
pub(super) fn line_start(json: &str, at: usize) -> usize {
    json[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Returns the indentation of a place, if nothing else stands before it on its line.
pub(super) fn own_line(json: &str, at: usize) -> Option<&str> {
    let indent = &json[line_start(json, at)..at];
    indent.bytes().all(|byte| matches!(byte, b' ' | b'\t')).then_some(indent)
}

/// What stands after a member.
pub(super) struct Gap {
    /// Its comma.
    pub comma: Option<usize>,
    /// The end of what stands on the same line: the member, its comma, comments.
    pub tail: usize,
}

/// Looks at what stands between the end of a member and what comes next.
pub(super) fn gap(json: &str, end: usize, next: usize) -> Gap {
    let mut gap = Gap { comma: None, tail: end };
    for (token, start, stop) in tokens(json, end, next) {
        let same_line = !json[gap.tail..start].contains('\n');
        if matches!(token, Token::Comma) {
            gap.comma = Some(start);
            gap.tail = stop;
        } else if same_line {
            // A comment to the end of the line may take the first half of the line end along.
            gap.tail = end + json[end..stop].trim_end_matches('\r').len();
        }
    }
    gap
}

/// True where a comment stands between two places.
pub(super) fn has_comment(json: &str, from: usize, to: usize) -> bool {
    tokens(json, from, to).any(|(token, ..)| matches!(token, Token::CommentLine(_) | Token::CommentBlock(_)))
}

/// The tokens between two places of a text that parses.
fn tokens(json: &str, from: usize, to: usize) -> impl Iterator<Item = (Token<'_>, usize, usize)> {
    let options = ScannerOptions::default();
    let mut scanner = Scanner::new(&json[from..to], &options);
    std::iter::from_fn(move || {
        let token = scanner.scan().ok()??;
        Some((token, from + scanner.token_start(), from + scanner.token_end()))
    })
}
