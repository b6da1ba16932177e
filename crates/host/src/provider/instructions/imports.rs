//! Finds imports in a Markdown text: `@path` at the start of a line or after white space, up to the next white
//! space that has no backslash before it, but not in code and not in comments.

use preface_core::markdown_code::{Fence, code_spans, item_mark, starts_block};
use std::ops::Range;

/// Returns the places of `@path` in a text, from `from` on, each with its `@`.
pub fn scan(text: &str, from: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut fence: Option<Fence> = None;
    let mut indented = IndentedCode { after_blank: true, ..IndentedCode::default() };
    let mut comments = CommentScanner::default();
    let mut paragraph = from..from;
    let mut at = from;
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length + 1);
        let line = &text[at..end];
        let is_line = at == from || text[..at].ends_with('\n');
        if fence.as_ref().is_some_and(|fence| fence.quoted && !line.trim_start().starts_with('>')) {
            fence = None;
        }
        if let Some(open) = &fence {
            if open.is_closed_by(line) {
                fence = None;
            }
            paragraph = end..end;
            indented.after_blank = true;
        } else if is_line && indented.holds(line) {
            tokens(text, paragraph, &mut found);
            paragraph = end..end;
        } else if let Some(opened) = Fence::opened_by(line) {
            tokens(text, paragraph, &mut found);
            fence = Some(opened);
            paragraph = end..end;
        } else if let Some(comment) = comments.in_line(text, at..end) {
            tokens(text, paragraph.start..comment.start, &mut found);
            paragraph = comment.end..comment.end;
            at = comment.end;
            continue;
        } else {
            if starts_block(line) {
                tokens(text, paragraph.clone(), &mut found);
                paragraph.start = at;
            }
            paragraph.end = end;
        }
        at = end;
    }
    tokens(text, paragraph, &mut found);
    found
}

/// Detects lines that are code because of their indentation: after an empty line, four columns from the text
/// around them.
#[derive(Default)]
struct IndentedCode {
    /// An empty line or a heading is before this one.
    after_blank: bool,
    /// The lines before this one are code.
    in_code: bool,
    /// The column of the text of a list's items.
    list: usize,
}

impl IndentedCode {
    /// Returns true for a line of code. Must be called with each line in order.
    fn holds(&mut self, line: &str) -> bool {
        let head = line.trim_start_matches([' ', '\t']);
        if head.trim().is_empty() {
            self.after_blank = true;
            return false;
        }
        let columns = line[..line.len() - head.len()].chars().fold(0, |columns, c| match c {
            '\t' => columns / 4 * 4 + 4,
            _ => columns + 1,
        });
        self.in_code = (self.after_blank || self.in_code) && columns >= self.list + 4;
        if self.in_code {
            return true;
        }
        match item_mark(head) {
            Some(mark) => self.list = columns + mark + 1,
            None if self.after_blank && columns < self.list => self.list = 0,
            None => {}
        }
        self.after_blank = head.starts_with('#');
        false
    }
}

/// Finds comments, `<!-- … -->`, which may have several lines.
#[derive(Default)]
struct CommentScanner {
    /// No comment of the rest of the text has an end.
    none_ends: bool,
}

impl CommentScanner {
    /// Returns the first comment that starts in a line and not in code.
    fn in_line(&mut self, text: &str, line: Range<usize>) -> Option<Range<usize>> {
        const START: &str = "<!--";
        let part = &text[line.clone()];
        if self.none_ends || !part.contains(START) {
            return None;
        }
        let spans = code_spans(part);
        let starts = part.match_indices(START).map(|(at, _)| at);
        let start = starts.into_iter().find(|at| !spans.iter().any(|span| span.contains(at)))? + line.start;
        let end = text[start + START.len()..].find("-->");
        self.none_ends = end.is_none();
        Some(start..start + START.len() + end? + "-->".len())
    }
}

/// Finds the tokens of one paragraph.
fn tokens(text: &str, paragraph: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = &text[paragraph.clone()];
    if !part.contains('@') {
        return;
    }
    let mut spans = code_spans(part).into_iter().peekable();
    let mut at = 0;
    while let Some(next) = part[at..].find('@') {
        let start = at + next;
        while spans.next_if(|span| span.end <= start).is_some() {}
        let in_code = spans.peek().is_some_and(|span| span.contains(&start));
        let before =
            part[..start].chars().next_back().or_else(|| text[..paragraph.start].chars().next_back());
        at = start + 1;
        if in_code || before.is_some_and(|c| !is_white(c)) {
            continue;
        }
        let length = path_length(&part[start..]);
        if length > 1 {
            found.push(paragraph.start + start..paragraph.start + start + length);
        }
        at = start + length;
    }
}

/// The bytes up to white space; a blank behind a backslash belongs to a path.
fn path_length(part: &str) -> usize {
    let mut at = 0;
    while let Some(next) = part[at..].find(is_white) {
        let end = at + next;
        if !(part[..end].ends_with('\\') && part[end..].starts_with(' ')) {
            return end;
        }
        at = end + 1;
    }
    part.len()
}

fn is_white(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::scan;

    fn found(text: &str) -> Vec<&str> {
        scan(text, 0).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn an_import_stands_at_the_start_of_a_line_or_after_white_space() {
        assert_eq!(found("@a.md\n@./b and @../c\t@~/d @/e"), ["@a.md", "@./b", "@../c", "@~/d", "@/e"]);
        assert_eq!(found("me@here.org (@x) *@y* -@z \"@q\""), Vec::<&str>::new());
        assert_eq!(found("\u{feff}@first\r\n@second\r\n"), ["@first", "@second"]);
        assert_eq!(found("a\u{a0}@x\u{3000}@größe.md, @"), ["@x", "@größe.md,"]);
        assert_eq!(found("@ a @@b c@d"), ["@@b"]);
    }

    #[test]
    fn spans_of_code_are_no_imports() {
        assert_eq!(found("`@a` @b `` ` @c `` @d"), ["@b", "@d"]);
        assert_eq!(found("a ` @b"), ["@b"], "a backtick that nothing closes opens nothing");
        assert_eq!(found("`` @a ` @b"), ["@a", "@b"], "runs of other lengths close nothing");
        assert_eq!(found("` over\n @a lines ` @b"), ["@b"]);
        assert_eq!(found("` over\n\n @a ` @b"), ["@a", "@b"], "no span reaches over a blank line");
        assert_eq!(found("- a `\n- @a\n- `"), ["@a"], "nor over the items of a list");
        assert_eq!(found("\\` @a ` @b `"), ["@a"]);
        assert_eq!(found("\\\\` @a `"), Vec::<&str>::new());
        assert_eq!(found("\\``@a `"), Vec::<&str>::new(), "the second backtick opens");
    }

    #[test]
    fn fenced_code_holds_no_imports() {
        assert_eq!(found("```\n@a\n```\n@b\n"), ["@b"]);
        assert_eq!(found("~~~ sh\n@a\n```\n@b\n~~~\n@c"), ["@c"]);
        assert_eq!(found("````\n@a\n```\n@b\n`````\n@c"), ["@c"], "at least as long as what opened it");
        assert_eq!(found("- x\n    ```\n    @a\n    ```\n@b"), ["@b"], "also indented");
        assert_eq!(found("- ```\n  @a\n  ```\n- @b"), ["@b"]);
        assert_eq!(found("> ```\n> @a\n> ```\n> @b"), ["@b"]);
        assert_eq!(found("> ```\n> @a\n@b"), ["@b"], "a quotation ends its code");
        assert_eq!(
            found("```\n@a\n``` no\n@b"),
            Vec::<&str>::new(),
            "what nothing closes reaches to the end"
        );
        assert_eq!(found("```a`b\n@a"), ["@a"], "backticks behind it make no fence");
    }

    #[test]
    fn comments_hold_no_imports() {
        assert_eq!(found("<!-- @a -->\n@b"), ["@b"]);
        assert_eq!(found("@a <!-- @b\n\n```\n@c --> @d\n@e"), ["@a", "@d", "@e"], "over several lines");
        assert_eq!(found("<!-- @a --> x <!-- @b --> @c"), ["@c"]);
        assert_eq!(found("`<!--` @a `-->`"), ["@a"], "what stands in code starts none");
        assert_eq!(found("```\n<!--\n```\n@a -->"), ["@a"]);
        assert_eq!(found("<!-- @a\n@b"), ["@a", "@b"], "one that nothing ends is text");
    }

    #[test]
    fn indented_code_holds_no_imports() {
        assert_eq!(found("Text:\n\n    @a\n\n    @b\n@c"), ["@c"]);
        assert_eq!(found("\t@a\n# Head\n    @b\n"), Vec::<&str>::new());
        assert_eq!(found("Text\n    @a"), ["@a"], "a paragraph goes on");
        assert_eq!(found("- x\n\n    @a\n\n      @b"), ["@a"], "the text of an item is no code");
        assert_eq!(found("10. x\n\n    @a\n\n        @b"), ["@a"]);
        assert_eq!(found("- x\n\nText\n\n    @a"), Vec::<&str>::new(), "the list is over");
    }

    #[test]
    fn a_backslash_keeps_a_blank() {
        assert_eq!(found("@my\\ file.md and @b\\\n@c\\\t"), ["@my\\ file.md", "@b\\", "@c\\"]);
    }

    #[test]
    fn a_scan_may_start_behind_a_head() {
        let text = "`@a\n@b";
        let found: Vec<&str> = scan(text, 4).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["@b"]);
    }

    #[test]
    fn hostile_runs_of_backticks_take_linear_time() {
        let mut text = String::new();
        for length in 1..2_500 {
            text.push_str(&"`".repeat(length));
            text.push_str(" @a ");
        }
        assert_eq!(scan(&text, 0).len(), 2_499);
        assert_eq!(scan(&"@a ".repeat(1_000_000), 0).len(), 1_000_000);
        assert!(scan(&"\\`".repeat(500_000), 0).is_empty());
        assert!(scan(&format!("{}`", "\\".repeat(1_000_000)), 0).is_empty());
        assert_eq!(scan(&format!("{}@a", "> ".repeat(1_000_000)), 0).len(), 1);
        assert_eq!(scan(&"<!-- @a\n".repeat(200_000), 0).len(), 200_000);
        assert_eq!(scan(&"<!-- --> @a\n".repeat(200_000), 0).len(), 200_000);
    }
}
