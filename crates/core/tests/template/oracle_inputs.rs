//! The language with inputs once more, the slow and obvious way: of a list of pieces, each of which is one tag or text, and without
//! operations, jumps or a stack of blocks. What is open at a piece is worked out from the beginning each time.

use serde_json::Value;

/// A test: its key, whether it is negated, and the values of a comparison.
type Test<'p> = (&'p str, bool, Option<Vec<&'p str>>);

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
enum Piece<'p> {
    Text,
    Variable(&'p str),
    /// An `if`; without a test it is about a key that there is not.
    If(Option<Test<'p>>),
    Elif(Test<'p>),
    Else,
    Endif,
    Each(&'p str),
    Endeach,
}

/// The variables that are declared as texts, and the lists with the names in their entries.
const TEXTS: [&str; 2] = ["app:plan", "app:name"];
const LISTS: [(&str, &[&str]); 2] = [("app:tips", &["text"]), ("app:shots", &["q", "a"])];

fn names(list: &str) -> Option<&'static [&'static str]> {
    LISTS.iter().find(|(name, _)| *name == list).map(|(_, names)| *names)
}

fn is_known(key: &str) -> bool {
    let is_item = key.strip_prefix("item:").is_some_and(|name| name.chars().all(char::is_alphanumeric));
    TEXTS.contains(&key) || names(key).is_some() || is_item
}

/// Reads a test; `None` if its key is none that there may be.
fn test(text: &str, in_each: bool) -> Option<Test<'_>> {
    if let Some(key) = text.strip_prefix('!') {
        return is_known(key).then_some((key, true, None));
    }
    for (operator, negated) in [(" != ", true), (" = ", false)] {
        let Some((key, words)) = text.split_once(operator) else { continue };
        if TEXTS.contains(&key) || in_each && key.starts_with("item:") {
            return is_known(key).then(|| (key, negated, Some(words.split('|').map(str::trim).collect())));
        }
    }
    is_known(text).then_some((text, false, None))
}

/// The pieces as they are read, each with the number of its block's first piece; `None` where it is text.
struct Read<'p> {
    source: Vec<&'p str>,
    pieces: Vec<Piece<'p>>,
    /// For each `if` and `each` the piece that closes it, and the one from which on it is not open any more.
    closed: Vec<Option<usize>>,
    ended: Vec<usize>,
}

impl<'p> Read<'p> {
    fn new(source: &[&'p str]) -> Self {
        let mut read = Read {
            source: source.to_vec(),
            pieces: Vec::new(),
            closed: vec![None; source.len()],
            ended: vec![usize::MAX; source.len()],
        };
        for (at, text) in source.iter().enumerate() {
            let in_each = read.innermost(at, |piece| matches!(piece, Piece::Each(_))).is_some();
            let piece = match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
                None => Piece::Text,
                Some("else") => Piece::Else,
                Some("endif") => Piece::Endif,
                Some("endeach") => Piece::Endeach,
                Some(inner) => match inner.split_once(' ') {
                    Some(("if", rest)) => Piece::If(test(rest, in_each)),
                    Some(("elif", rest)) => test(rest, in_each).map_or(Piece::Text, Piece::Elif),
                    Some(("each", rest)) => Piece::Each(rest),
                    _ if is_known(inner) => Piece::Variable(inner),
                    _ => Piece::Text,
                },
            };
            let is_ended: fn(&Piece<'_>) -> bool = match piece {
                Piece::Endif => |piece| matches!(piece, Piece::If(_)),
                Piece::Endeach => |piece| matches!(piece, Piece::Each(_)),
                _ => |_| false,
            };
            if let Some(first) = read.innermost(at, is_ended) {
                read.closed[first] = Some(at);
                // What was opened in it and is not closed is text, and open no more.
                read.ended[first..at].iter_mut().for_each(|end| *end = (*end).min(at));
            }
            read.pieces.push(piece);
        }
        read
    }

    /// Returns the last piece of a kind before `at` that opens a block which is still open there.
    fn innermost(&self, at: usize, is: impl Fn(&Piece<'p>) -> bool) -> Option<usize> {
        let opens = |piece: &Piece<'_>| matches!(piece, Piece::If(_) | Piece::Each(_));
        (0..at).rev().find(|one| {
            let piece = &self.pieces[*one];
            opens(piece) && is(piece) && self.ended[*one] >= at
        })
    }

    /// Returns the `if` that an `elif` or `else` belongs to.
    fn belongs(&self, at: usize) -> Option<usize> {
        if !matches!(self.pieces[at], Piece::Elif(_) | Piece::Else) {
            return None;
        }
        let first = self.innermost(at, |_| true)?;
        let has_else =
            (first..at).any(|one| self.pieces[one] == Piece::Else && self.belongs(one) == Some(first));
        (matches!(self.pieces[first], Piece::If(_)) && !has_else).then_some(first)
    }

    /// Returns whether a key that stands at a piece may be there: an `item:` is of an entry of a list that works.
    fn fits(&self, at: usize, key: &str) -> bool {
        let Some(name) = key.strip_prefix("item:") else { return true };
        let each = self.innermost(at, |piece| matches!(piece, Piece::Each(_)));
        each.is_some_and(|each| self.works(each) && matches!(self.pieces[each], Piece::Each(list) if names(list).is_some_and(|names| names.contains(&name))))
    }

    /// Returns whether a piece is a tag that works.
    fn works(&self, at: usize) -> bool {
        match &self.pieces[at] {
            Piece::Text => false,
            Piece::Variable(key) => self.fits(at, key),
            Piece::If(None) => false,
            Piece::If(Some((key, ..))) => {
                // A block is whole, or text.
                let branches = (at..self.pieces.len()).filter(|one| self.belongs(*one) == Some(at));
                let fit = |one: usize| match &self.pieces[one] {
                    Piece::Elif((key, ..)) => self.fits(one, key),
                    _ => true,
                };
                self.closed[at].is_some() && self.fits(at, key) && branches.into_iter().all(fit)
            }
            Piece::Each(list) => self.closed[at].is_some() && names(list).is_some(),
            Piece::Elif(_) | Piece::Else => self.belongs(at).is_some_and(|first| self.works(first)),
            Piece::Endif | Piece::Endeach => {
                self.closed.iter().position(|end| *end == Some(at)).is_some_and(|first| self.works(first))
            }
        }
    }

    /// Renders the pieces of a range. `item` is the entry that is open.
    fn render(&self, from: usize, to: usize, value: &Value, item: &Value) -> String {
        let mut out = String::new();
        let mut at = from;
        let get = |key: &str| match key.strip_prefix("item:") {
            Some(name) => item[name].as_str().map(str::to_owned),
            None => value[key].as_str().map(str::to_owned),
        };
        while at < to {
            if !self.works(at) {
                out += self.source[at];
                at += 1;
                continue;
            }
            match &self.pieces[at] {
                Piece::Variable(key) => out += &get(key).unwrap_or_default(),
                Piece::If(Some(_)) => {
                    let end = self.closed[at].unwrap();
                    let mut branches: Vec<usize> = vec![at];
                    branches.extend((at + 1..end).filter(|one| self.belongs(*one) == Some(at)));
                    let holds = |one: &&usize| match &self.pieces[**one] {
                        Piece::If(Some((key, negated, words))) | Piece::Elif((key, negated, words)) => {
                            let has = get(key).is_some_and(|value| {
                                words.as_ref().is_none_or(|words| words.contains(&value.as_str()))
                            });
                            has != *negated
                        }
                        _ => true,
                    };
                    if let Some(taken) = branches.iter().find(holds) {
                        let next = branches.iter().find(|one| *one > taken).copied().unwrap_or(end);
                        out += &self.render(taken + 1, next, value, item);
                    }
                    at = end;
                }
                Piece::Each(list) => {
                    let end = self.closed[at].unwrap();
                    for entry in value[*list].as_array().unwrap_or(&Vec::new()) {
                        out += &self.render(at + 1, end, value, entry);
                    }
                    at = end;
                }
                _ => {}
            }
            at += 1;
        }
        out
    }
}

/// Renders pieces; `value` has the texts, and the entries of the lists as objects.
pub fn render(pieces: &[&str], value: &Value) -> String {
    Read::new(pieces).render(0, pieces.len(), value, &Value::Null)
}
