//! Converts a body to a template: the literal text, and of each `${…}` what is understood.
//!
//! | in `${…}` | in the template |
//! | --- | --- |
//! | `"text"`, a whole number | the text |
//! | a template literal | its texts and values |
//! | a member of an object that is written out | the value of that member |
//! | `A?B:C` | `[if catalog:!!A]B[else]C[endif]` |
//! | `A\|\|B`, `A&&B` | `A` or else `B`, `B` if `A` holds |
//! | `!A`, `A&&B`, `A\|\|B` in a condition | branches in the order that they ask for |
//! | `<<NAME>>` in a text | `[catalog:<<NAME>>]` |
//! | all else, of any language | `[catalog:KEY]`, in a condition `[if catalog:!!KEY]` |
//!
//! The KEY is the expression as it is written, or its digest where it is long or could not be in a tag.

use crate::{escape, extent};
use preface_core::{
    catalog::{CONDITION, Generation, KIND},
    prompt::fingerprint,
    template::literal,
};
use std::collections::BTreeMap;
use tree_sitter::{Node, Parser};

/// The version of the conversion: whoever changes what a body becomes counts it up.
pub const CONVERTER: u32 = 1;

/// The most bytes of a template.
pub const MAX_BYTES: usize = 1 << 20;

/// The longest KEY that is an expression.
const MAX_KEY: usize = 100;

/// A body as a template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// The template.
    pub template: String,
    /// The number of `${…}` in the body.
    pub values: usize,
    /// The expressions whose KEY is a digest, by it.
    pub expressions: BTreeMap<String, String>,
}

/// Converts a body; `None` if the template would be larger than 1 MiB. Of generation A the escapes are decoded.
#[must_use]
pub fn convert(body: &str, generation: Generation) -> Option<Converted> {
    let mut parser = Parser::new();
    let has_language = parser.set_language(&tree_sitter_javascript::LANGUAGE.into()).is_ok();
    let mut template = BodyConverter::default();
    let mut rest = body;
    let special: &[char] = if generation == Generation::A { &['$', '\\'] } else { &['$'] };
    while let Some(at) = rest.find(special) {
        let (words, found) = rest.split_at(at);
        template.words.push_str(words);
        rest = match found.strip_prefix("${") {
            Some(inside) => {
                let (source, may_parse, behind) = extent::split(inside);
                template.done.values += 1;
                // In parentheses, so that a brace begins an object and not a block.
                let expression = format!("({source}\n)");
                let tree = (may_parse && has_language).then(|| parser.parse(&expression, None)).flatten();
                match tree.as_ref().and_then(|tree| only_expression(tree.root_node())) {
                    Some(node) => template.value(Expression { node, source: &expression }.plain()),
                    None => template.key("", source.trim()),
                }
                behind
            }
            None => {
                let (decoded, bytes) = escape::read(found).unwrap_or((found.chars().next(), 1));
                template.words.extend(decoded);
                &found[bytes..]
            }
        };
        if template.is_full() {
            return None;
        }
    }
    template.words.push_str(rest);
    template.put_words();
    (!template.is_full()).then_some(template.done)
}

/// Writes the template of one body.
#[derive(Default)]
struct BodyConverter {
    done: Converted,
    /// Literal text that is not written yet.
    words: String,
}

impl BodyConverter {
    fn is_full(&self) -> bool {
        self.done.template.len() + self.words.len() > MAX_BYTES
    }

    fn put_words(&mut self) {
        let words = std::mem::take(&mut self.words);
        let mut rest = words.as_str();
        while let Some((before, constant, behind)) = constant(rest) {
            self.done.template.push_str(&literal(before));
            self.done.template.push_str(&format!("[{KIND}:{constant}]"));
            rest = behind;
        }
        self.done.template.push_str(&literal(rest));
    }

    fn tag(&mut self, tag: &str) {
        self.put_words();
        self.done.template.push_str(tag);
    }

    /// Writes the tag of a KEY, behind `lead`.
    fn key(&mut self, lead: &str, expression: &str) {
        let is_key = |c: char| !matches!(c, ']' | '\n' | '\r' | '\u{2028}' | '\u{2029}');
        let is_short = (1..=MAX_KEY).contains(&expression.len()) && expression.chars().all(is_key);
        let key = if is_short {
            expression.to_owned()
        } else {
            let digest = fingerprint(expression);
            let key = format!("#{}", &digest.strip_prefix("blake3:").unwrap_or(&digest)[..8]);
            self.done.expressions.insert(key.clone(), expression.to_owned());
            key
        };
        let marks = if lead.is_empty() { "" } else { CONDITION };
        self.tag(&format!("[{lead}{KIND}:{marks}{key}]"));
    }

    fn value(&mut self, expression: Expression) {
        let field = |name| expression.field(name);
        let text = expression.text();
        match (expression.node.kind(), expression.operator()) {
            _ if self.is_full() => {}
            ("number", _) if is_whole(text) => self.words.push_str(text),
            ("string" | "template_string", _) if expression.is_decodable() => {
                for part in expression.parts() {
                    match part.node.kind() {
                        "template_substitution" => part.parts().for_each(|value| self.value(value)),
                        "escape_sequence" => self.words.extend(part.escape().flatten()),
                        _ => self.words.push_str(part.text()),
                    }
                }
            }
            ("ternary_expression", _) => {
                let (then, other) = (field("consequence"), field("alternative"));
                self.choose(field("condition"), &|template| template.value(then), &|template| {
                    template.value(other);
                });
            }
            ("binary_expression", "&&") => {
                self.choose(field("left"), &|template| template.value(field("right")), &|_| {});
            }
            ("binary_expression", "||") => {
                let (left, right) = (field("left"), field("right"));
                self.choose(left, &|template| template.value(left), &|template| template.value(right));
            }
            ("member_expression", _) => match expression.member() {
                Some(value) => self.value(value),
                None => self.key("", text),
            },
            _ => self.key("", text),
        }
    }

    /// Writes one of two texts, by a condition.
    fn choose(&mut self, test: Expression, then: &dyn Fn(&mut Self), other: &dyn Fn(&mut Self)) {
        let (left, right) = (test.field("left"), test.field("right"));
        match (test.node.kind(), test.operator()) {
            _ if self.is_full() => {}
            ("unary_expression", "!") => self.choose(test.field("argument"), other, then),
            ("binary_expression", "&&") => {
                self.choose(left, &|template| template.choose(right, then, other), other);
            }
            ("binary_expression", "||") => {
                self.choose(left, then, &|template| template.choose(right, then, other));
            }
            _ => {
                self.key("if ", test.text());
                then(self);
                self.tag("[else]");
                let start = self.done.template.len();
                other(self);
                self.put_words();
                if self.done.template.len() == start {
                    self.done.template.truncate(start - "[else]".len());
                }
                self.tag("[endif]");
            }
        }
    }
}

/// A node of the tree of an expression, without the parentheses around it.
#[derive(Clone, Copy)]
struct Expression<'t> {
    node: Node<'t>,
    source: &'t str,
}

impl<'t> Expression<'t> {
    fn text(self) -> &'t str {
        &self.source[self.node.byte_range()]
    }

    /// Returns the nodes in it that have a name, but for comments.
    fn parts(self) -> impl Iterator<Item = Expression<'t>> {
        let nodes = (0..).map_while(move |at| self.node.named_child(at));
        nodes.filter(|node| node.kind() != "comment").map(move |node| Expression { node, ..self }.plain())
    }

    /// Returns a field; the node itself if it has none of that name.
    fn field(self, name: &str) -> Expression<'t> {
        Expression { node: self.node.child_by_field_name(name).unwrap_or(self.node), ..self }.plain()
    }

    fn plain(self) -> Expression<'t> {
        match self.node.kind() {
            "parenthesized_expression" => self.parts().next().unwrap_or(self),
            _ => self,
        }
    }

    fn operator(self) -> &'t str {
        self.node.child_by_field_name("operator").map_or("", |node| Expression { node, ..self }.text())
    }

    /// Reads an escape in a text; `None` if it is no character.
    fn escape(self) -> Option<Option<char>> {
        escape::read(self.text()).map(|(decoded, _)| decoded)
    }

    /// Returns true if each escape in a text can be decoded.
    fn is_decodable(self) -> bool {
        let mut escapes = self.parts().filter(|part| part.node.kind() == "escape_sequence");
        escapes.all(|part| part.escape().is_some())
    }

    /// Returns the value of a member of an object that is written out.
    fn member(self) -> Option<Expression<'t>> {
        let name = self.field("property").text();
        let object = Some(self.field("object")).filter(|object| object.node.kind() == "object")?;
        let is_optional = self.node.child_by_field_name("optional_chain").is_some();
        let key = |pair: Expression<'t>| match pair.field("key") {
            key if key.node.kind() == "string" => key.parts().next().map_or("", Expression::text),
            key => key.text(),
        };
        let mut pairs = object.parts().filter(|part| part.node.kind() == "pair");
        pairs.find(|pair| !is_optional && key(*pair) == name).map(|pair| pair.field("value"))
    }
}

/// Returns the one expression of a program in parentheses, if that is all and has no error.
fn only_expression(program: Node) -> Option<Node> {
    let statement =
        program.named_child(0).filter(|_| !program.has_error() && program.named_child_count() == 1)?;
    let inside = statement.named_child(0).filter(|node| node.kind() == "parenthesized_expression")?;
    let mut nodes = (0..).map_while(|at| inside.named_child(at)).filter(|node| node.kind() != "comment");
    nodes.next()
}

/// Splits a text at its first `<<NAME>>`, a constant of the program's build.
fn constant(text: &str) -> Option<(&str, &str, &str)> {
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.match_indices("<<").find_map(|(at, open)| {
        let name = &text[at + open.len()..];
        let length = name.find(|c| !is_name(c))?;
        let end = at + open.len() + length + ">>".len();
        let is_constant = (1..=MAX_KEY - 4).contains(&length) && name[length..].starts_with(">>");
        is_constant.then(|| (&text[..at], &text[at..end], &text[end..]))
    })
}

/// Returns true for a number that is printed as it is written.
fn is_whole(number: &str) -> bool {
    number == "0"
        || (number.len() < 16 && !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit()))
}
