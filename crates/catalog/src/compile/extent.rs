//! Where an expression ends, found by its tokens alone.
//!
//! The end of `${…}` is the first `}` that closes nothing inside. To know what is inside, strings, template literals, comments
//! and regular expressions must be told apart, and no more of the language: one pass, no recursion, and no parser. It is
//! exact or it refuses: where a `/` could be a division or a regular expression, or a character has no place in an
//! expression, there is no end. So what is accepted here is never deeper than it looks, and the parser that comes next, which
//! does recurse, cannot run out of stack.

/// How many bytes an expression may have.
pub const MAX_BYTES: usize = 64 * 1024;
/// How deep an expression may be nested: brackets that are open at once, and operators before a value, ternaries, arrows and
/// the like that are still going on in them.
pub const MAX_NESTING: usize = 64;

/// Why there is no end.
#[derive(Debug)]
pub(super) struct NoEnd {
    /// In words for people.
    pub why: String,
    /// How many bytes were looked at to know it.
    pub looked_at: usize,
}

/// Returns the place of the `}` that ends the expression at the start of `text`.
pub(super) fn end_of(text: &str) -> Result<usize, NoEnd> {
    let mut scan = Scan {
        text,
        at: 0,
        open: Vec::new(),
        going_on: 0,
        sticky: 0,
        nesting: 0,
        last: Last::Operator,
        dot: false,
    };
    scan.run().map_err(|why| NoEnd { why, looked_at: scan.at })
}

/// What an open bracket is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Square,
    Brace,
    /// `(`, and what a `/` after its `)` is.
    Round(Last),
    /// `${` in a template literal.
    Hole,
}

/// An open bracket, and what was going on around it.
#[derive(Clone, Copy)]
struct Open {
    bracket: Bracket,
    going_on: usize,
    sticky: usize,
}

/// What the last token was, as far as a `/` after it depends on that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// A value ended: `/` divides.
    Value,
    /// A value must come: `/` starts a regular expression.
    Operator,
    /// `if`, `while`, `for` and `with`: what the brackets after it close is no value.
    Head,
    /// Either could be meant.
    Unclear,
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open>,
    /// What is going on in the innermost bracket, such as a ternary that its second `:` was not seen of.
    going_on: usize,
    /// As much of it as a `,` or a `;` does not end.
    sticky: usize,
    /// All that is open and going on.
    nesting: usize,
    last: Last,
    /// Whether the last token was a `.`.
    dot: bool,
}

impl Scan<'_> {
    fn run(&mut self) -> Result<usize, String> {
        let mut new_line = false;
        while let Some(c) = self.text[self.at..].chars().next() {
            if self.at > MAX_BYTES {
                return Err(format!("no end within {MAX_BYTES} bytes"));
            }
            let from = self.at;
            self.at += c.len_utf8();
            if c.is_whitespace() || c == '\u{feff}' {
                new_line |= is_line_end(c);
                continue;
            }
            let dot = std::mem::take(&mut self.dot);
            match c {
                '\'' | '"' => self.string(c)?,
                '`' => self.template()?,
                '/' => {
                    if self.comment(&mut new_line)? {
                        self.dot = dot;
                        continue;
                    }
                    self.slash(new_line)?;
                }
                '(' => {
                    let after = match self.last {
                        Last::Head => Last::Operator,
                        Last::Unclear => Last::Unclear,
                        Last::Value | Last::Operator => Last::Value,
                    };
                    self.push(Bracket::Round(after))?;
                }
                '[' => self.push(Bracket::Square)?,
                '{' => self.push(Bracket::Brace)?,
                '}' if self.open.is_empty() => return Ok(from),
                ')' | ']' | '}' => self.pop(c)?,
                '.' => {
                    // After `...` stands a value, after `.` the name of a member.
                    let spread = self.text[self.at..].starts_with("..");
                    self.at += if spread { 2 } else { 0 };
                    self.dot = !spread;
                    self.last = Last::Operator;
                }
                ',' | ';' => {
                    self.nesting -= self.going_on - self.sticky;
                    self.going_on = self.sticky;
                    self.last = Last::Operator;
                }
                'a'..='z' | 'A'..='Z' | '_' | '$' => self.word(from, dot)?,
                '0'..='9' => {
                    self.skip(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
                    self.last = Last::Value;
                }
                '!' | '~' | '?' | ':' | '=' | '+' | '-' | '*' | '<' | '>' | '&' | '|' | '^' | '%' => {
                    self.operator(from)?;
                }
                _ if c.is_alphabetic() => self.word(from, dot)?,
                _ => return Err(format!("`{}` is part of no expression", c.escape_debug())),
            }
            new_line = false;
        }
        Err("no `}` ends it".to_owned())
    }

    fn string(&mut self, quote: char) -> Result<(), String> {
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    let skipped = self.next();
                    self.at += usize::from(skipped == Some('\r') && self.text[self.at..].starts_with('\n'));
                }
                '\n' | '\r' => break,
                _ if c == quote => {
                    self.last = Last::Value;
                    return Ok(());
                }
                _ => {}
            }
        }
        Err("a string is not closed on its line".to_owned())
    }

    /// Goes on in the text of a template literal, to its end or to the `${` that interrupts it.
    fn template(&mut self) -> Result<(), String> {
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    self.next();
                }
                '`' => {
                    self.last = Last::Value;
                    return Ok(());
                }
                '$' if self.text[self.at..].starts_with('{') => {
                    self.at += 1;
                    return self.push(Bracket::Hole);
                }
                _ => {}
            }
        }
        Err("a template literal is not closed".to_owned())
    }

    /// Skips a comment, if the `/` starts one.
    fn comment(&mut self, new_line: &mut bool) -> Result<bool, String> {
        let rest = &self.text[self.at..];
        if rest.starts_with('/') {
            self.at += rest.find(is_line_end).unwrap_or(rest.len());
            return Ok(true);
        }
        let Some(inside) = rest.strip_prefix('*') else { return Ok(false) };
        let end = inside.find("*/").ok_or("a comment is not closed")?;
        *new_line |= inside[..end].contains(is_line_end);
        self.at += 1 + end + 2;
        Ok(true)
    }

    fn slash(&mut self, new_line: bool) -> Result<(), String> {
        match self.last {
            Last::Value if !new_line => self.last = Last::Operator,
            Last::Operator => {
                let mut class = false;
                loop {
                    match self.next() {
                        Some('\\') if !self.text[self.at..].starts_with(is_line_end) => {
                            self.next();
                        }
                        Some('[') => class = true,
                        Some(']') => class = false,
                        Some('/') if !class => break,
                        Some(c) if !is_line_end(c) => {}
                        _ => return Err("a regular expression is not closed on its line".to_owned()),
                    }
                }
                self.skip(|c| c.is_ascii_alphanumeric());
                self.last = Last::Value;
            }
            _ => return Err("a `/` could be a division or a regular expression".to_owned()),
        }
        Ok(())
    }

    fn word(&mut self, from: usize, member: bool) -> Result<(), String> {
        self.skip(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '\u{200c}' | '\u{200d}'));
        self.last = Last::Value;
        if member {
            return Ok(());
        }
        match &self.text[from..self.at] {
            "if" | "while" | "for" | "with" => {
                self.last = Last::Head;
                self.go_on(1)
            }
            "else" => {
                self.last = Last::Operator;
                self.sticky += 1;
                self.go_on(1)
            }
            "typeof" | "void" | "delete" | "new" | "return" | "throw" | "case" | "do" => {
                self.last = Last::Operator;
                self.go_on(1)
            }
            "in" | "instanceof" => {
                self.last = Last::Operator;
                Ok(())
            }
            "await" | "yield" | "async" | "of" | "let" | "class" | "extends" | "function" | "import"
            | "break" | "continue" | "debugger" => {
                self.last = Last::Unclear;
                self.go_on(1)
            }
            _ => Ok(()),
        }
    }

    fn operator(&mut self, from: usize) -> Result<(), String> {
        let rest = &self.text[from..];
        if rest.starts_with("<!--") || rest.starts_with("-->") {
            return Err("a comment of another language stands in it".to_owned());
        }
        let before_value = self.last != Last::Value;
        let (bytes, deeper) =
            if ["++", "--", "=>", "**", "??"].iter().any(|operator| rest.starts_with(operator)) {
                (2, 1)
            } else if rest.starts_with("===") || rest.starts_with("!==") {
                (3, 0)
            } else if ["==", "!=", "<=", ">=", "&&", "||"].iter().any(|operator| rest.starts_with(operator)) {
                (2, 0)
            } else if rest.starts_with("?.") && !rest[2..].starts_with(|c: char| c.is_ascii_digit()) {
                self.dot = true;
                (2, 0)
            } else {
                let deeper = match rest.as_bytes()[0] {
                    b'!' | b'~' | b'?' | b':' | b'=' => 1,
                    b'+' | b'-' if before_value => 1,
                    _ => 0,
                };
                (1, deeper)
            };
        self.last =
            if rest.starts_with("++") || rest.starts_with("--") { Last::Unclear } else { Last::Operator };
        self.at = from + bytes;
        self.go_on(deeper)
    }

    fn push(&mut self, bracket: Bracket) -> Result<(), String> {
        self.open.push(Open { bracket, going_on: self.going_on, sticky: self.sticky });
        (self.going_on, self.sticky) = (0, 0);
        self.last = Last::Operator;
        self.deeper(1)
    }

    fn pop(&mut self, close: char) -> Result<(), String> {
        let open = self.open.pop().ok_or_else(|| format!("`{close}` closes nothing"))?;
        self.nesting -= self.going_on + 1;
        (self.going_on, self.sticky) = (open.going_on, open.sticky);
        match (open.bracket, close) {
            (Bracket::Round(after), ')') => self.last = after,
            (Bracket::Square, ']') => self.last = Last::Value,
            (Bracket::Brace, '}') => self.last = Last::Unclear,
            (Bracket::Hole, '}') => return self.template(),
            _ => return Err(format!("`{close}` closes another bracket")),
        }
        Ok(())
    }

    fn go_on(&mut self, more: usize) -> Result<(), String> {
        self.going_on += more;
        self.deeper(more)
    }

    fn deeper(&mut self, more: usize) -> Result<(), String> {
        self.nesting += more;
        if self.nesting > MAX_NESTING {
            return Err(format!("it is nested more than {MAX_NESTING} deep"));
        }
        Ok(())
    }

    fn next(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next().filter(|_| self.at <= MAX_BYTES)?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn skip(&mut self, part: impl Fn(char) -> bool) {
        let rest = &self.text[self.at..];
        self.at += rest.find(|c| !part(c)).unwrap_or(rest.len());
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::expression;
    use oxc_allocator::Allocator;
    use proptest::prelude::*;

    /// The end as the rule says it: that of the first `}` before which there is an expression. It tries them all.
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
                prop_assert!(false, "{text}: tokens say {end}, trying says {tried:?}");
            }
        }
    }

    const PIECES: &[&str] = &[
        "a", "B", "1", "2.5", "'x}'", "\"}\"", "`", "`}`", "${", "$", "{", "}", "(", ")", "[", "]", ".",
        "?.", "?", ":", ",", ";", "=>", "=", "+", "-", "*", "/", "/}/", "//", "/*", "*/", "\n", " ", "!",
        "&&", "||", "??", "===", "return ", "if(a)", "typeof ", "x=>{", "\\", "\\`", "{a:", "else ", "...",
        "++", "<", "of",
    ];
}
