//! The end of an expression, found by its tokens alone.
//!
//! The end of `${…}` is the first `}` that closes nothing inside. To know what is inside, strings, template literals, comments
//! and regular expressions must be recognized, and no more of the language: one pass, no recursion, and no parser. It is
//! exact or it refuses: where a `/` could be a division or a regular expression, or a character has no place in an
//! expression, there is no end. So what is accepted here is never deeper than it looks, and the parser that comes next, which
//! does recurse, cannot run out of stack.

/// The most bytes of an expression.
pub const MAX_BYTES: usize = 64 * 1024;
/// The deepest nesting of an expression: brackets that are open at once, and unfinished operators before a
/// value, ternaries, arrows and the like in them.
pub const MAX_NESTING: usize = 64;

/// The reason why the end of an expression was not found.
#[derive(Debug)]
pub(super) struct ExtentError {
    /// The reason, for people.
    pub why: String,
    /// The number of bytes that were read.
    pub looked_at: usize,
}

/// Returns the place of the `}` that ends the expression at the start of `text`.
pub(super) fn end_of(text: &str) -> Result<usize, ExtentError> {
    let mut scan = ExtentScanner {
        text,
        at: 0,
        open: Vec::new(),
        going_on: 0,
        sticky: 0,
        nesting: 0,
        last: PreviousToken::Operator,
        dot: false,
    };
    scan.run().map_err(|why| ExtentError { why, looked_at: scan.at })
}

/// The kind of an open bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Square,
    Brace,
    /// `(`, and the token kind of its `)`.
    Round(PreviousToken),
    /// `${` in a template literal.
    Hole,
}

/// An open bracket, and the unfinished operators around it.
#[derive(Clone, Copy)]
struct OpenBracket {
    bracket: Bracket,
    going_on: usize,
    sticky: usize,
}

/// The kind of the last token, which decides what a `/` after it means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PreviousToken {
    /// A value ended: `/` divides.
    Value,
    /// A value must come: `/` starts a regular expression.
    Operator,
    /// `if`, `while`, `for` and `with`: what the brackets after it close is no value.
    Head,
    /// Either could be meant.
    Unclear,
}

struct ExtentScanner<'t> {
    text: &'t str,
    at: usize,
    open: Vec<OpenBracket>,
    /// The number of unfinished operators in the innermost bracket, such as a ternary without its `:`.
    going_on: usize,
    /// The number of those that a `,` or a `;` does not end.
    sticky: usize,
    /// The number of all open brackets and unfinished operators.
    nesting: usize,
    last: PreviousToken,
    /// True: the last token was a `.`.
    dot: bool,
}

impl ExtentScanner<'_> {
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
                        PreviousToken::Head => PreviousToken::Operator,
                        PreviousToken::Unclear => PreviousToken::Unclear,
                        PreviousToken::Value | PreviousToken::Operator => PreviousToken::Value,
                    };
                    self.push(Bracket::Round(after))?;
                }
                '[' => self.push(Bracket::Square)?,
                '{' => self.push(Bracket::Brace)?,
                '}' if self.open.is_empty() => return Ok(from),
                ')' | ']' | '}' => self.pop(c)?,
                '.' => {
                    // After `...` is a value, after `.` the name of a member.
                    let spread = self.text[self.at..].starts_with("..");
                    self.at += if spread { 2 } else { 0 };
                    self.dot = !spread;
                    self.last = PreviousToken::Operator;
                }
                ',' | ';' => {
                    self.nesting -= self.going_on - self.sticky;
                    self.going_on = self.sticky;
                    self.last = PreviousToken::Operator;
                }
                'a'..='z' | 'A'..='Z' | '_' | '$' => self.word(from, dot)?,
                '0'..='9' => {
                    self.skip(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
                    self.last = PreviousToken::Value;
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
                    self.last = PreviousToken::Value;
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
                    self.last = PreviousToken::Value;
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
            PreviousToken::Value if !new_line => self.last = PreviousToken::Operator,
            PreviousToken::Operator => {
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
                self.last = PreviousToken::Value;
            }
            _ => return Err("a `/` could be a division or a regular expression".to_owned()),
        }
        Ok(())
    }

    fn word(&mut self, from: usize, member: bool) -> Result<(), String> {
        self.skip(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '\u{200c}' | '\u{200d}'));
        self.last = PreviousToken::Value;
        if member {
            return Ok(());
        }
        match &self.text[from..self.at] {
            "if" | "while" | "for" | "with" => {
                self.last = PreviousToken::Head;
                self.go_on(1)
            }
            "else" => {
                self.last = PreviousToken::Operator;
                self.sticky += 1;
                self.go_on(1)
            }
            "typeof" | "void" | "delete" | "new" | "return" | "throw" | "case" | "do" => {
                self.last = PreviousToken::Operator;
                self.go_on(1)
            }
            "in" | "instanceof" => {
                self.last = PreviousToken::Operator;
                Ok(())
            }
            "await" | "yield" | "async" | "of" | "let" | "class" | "extends" | "function" | "import"
            | "break" | "continue" | "debugger" => {
                self.last = PreviousToken::Unclear;
                self.go_on(1)
            }
            _ => Ok(()),
        }
    }

    fn operator(&mut self, from: usize) -> Result<(), String> {
        let rest = &self.text[from..];
        if rest.starts_with("<!--") || rest.starts_with("-->") {
            return Err("it contains a comment of another language".to_owned());
        }
        let before_value = self.last != PreviousToken::Value;
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
        self.last = if rest.starts_with("++") || rest.starts_with("--") {
            PreviousToken::Unclear
        } else {
            PreviousToken::Operator
        };
        self.at = from + bytes;
        self.go_on(deeper)
    }

    fn push(&mut self, bracket: Bracket) -> Result<(), String> {
        self.open.push(OpenBracket { bracket, going_on: self.going_on, sticky: self.sticky });
        (self.going_on, self.sticky) = (0, 0);
        self.last = PreviousToken::Operator;
        self.deeper(1)
    }

    fn pop(&mut self, close: char) -> Result<(), String> {
        let open = self.open.pop().ok_or_else(|| format!("`{close}` closes nothing"))?;
        self.nesting -= self.going_on + 1;
        (self.going_on, self.sticky) = (open.going_on, open.sticky);
        match (open.bracket, close) {
            (Bracket::Round(after), ')') => self.last = after,
            (Bracket::Square, ']') => self.last = PreviousToken::Value,
            (Bracket::Brace, '}') => self.last = PreviousToken::Unclear,
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
mod tests;
