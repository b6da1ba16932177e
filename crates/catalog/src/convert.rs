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
use oxc_allocator::Allocator;
use oxc_ast::ast::{Expression, LogicalOperator, ObjectPropertyKind, PropertyKey, UnaryOperator};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType};
use preface_core::{
    catalog::{CONDITION, Generation, KIND},
    prompt::fingerprint,
    template::literal,
};
use std::collections::BTreeMap;

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
    let allocator = Allocator::default();
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
                template.source = source;
                let options = ParseOptions { preserve_parens: false, ..ParseOptions::default() };
                let parsed = may_parse.then(|| {
                    Parser::new(&allocator, source, SourceType::mjs())
                        .with_options(options)
                        .parse_expression()
                });
                match &parsed {
                    Some(Ok(parsed)) => template.value(parsed),
                    _ => template.key("", source.trim()),
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
struct BodyConverter<'t> {
    done: Converted,
    /// Literal text that is not written yet.
    words: String,
    /// The expression in hand, in which spans are.
    source: &'t str,
}

impl<'t> BodyConverter<'t> {
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

    fn source_of(&self, expression: &Expression) -> &'t str {
        let span = expression.span();
        &self.source[span.start as usize..span.end as usize]
    }

    fn value(&mut self, expression: &Expression) {
        match expression {
            _ if self.is_full() => {}
            Expression::StringLiteral(text) if !text.lone_surrogates => self.words.push_str(&text.value),
            Expression::NumericLiteral(_) if is_whole(self.source_of(expression)) => {
                self.words.push_str(self.source_of(expression));
            }
            Expression::TemplateLiteral(parts)
                if parts.quasis.iter().all(|text| text.value.cooked.is_some() && !text.lone_surrogates) =>
            {
                for (at, text) in parts.quasis.iter().enumerate() {
                    self.words.push_str(text.value.cooked.as_deref().unwrap_or_default());
                    parts.expressions.get(at).into_iter().for_each(|value| self.value(value));
                }
            }
            Expression::ConditionalExpression(choice) => {
                self.choose(&choice.test, &|template| template.value(&choice.consequent), &|template| {
                    template.value(&choice.alternate);
                });
            }
            Expression::LogicalExpression(both) if both.operator != LogicalOperator::Coalesce => {
                let right = |template: &mut Self| template.value(&both.right);
                match both.operator {
                    LogicalOperator::And => self.choose(&both.left, &right, &|_| {}),
                    _ => self.choose(&both.left, &|template| template.value(&both.left), &right),
                }
            }
            Expression::StaticMemberExpression(member) => {
                let name = member.property.name.as_str();
                match &member.object {
                    Expression::ObjectExpression(object) if !member.optional => {
                        let is_name = |key: &PropertyKey| match key {
                            PropertyKey::StaticIdentifier(key) => key.name == name,
                            PropertyKey::StringLiteral(key) => key.value == name,
                            _ => false,
                        };
                        let found = object.properties.iter().find_map(|property| match property {
                            ObjectPropertyKind::ObjectProperty(property) if is_name(&property.key) => {
                                Some(&property.value)
                            }
                            _ => None,
                        });
                        match found {
                            Some(value) => self.value(value),
                            None => self.key("", self.source_of(expression)),
                        }
                    }
                    _ => self.key("", self.source_of(expression)),
                }
            }
            _ => self.key("", self.source_of(expression)),
        }
    }

    /// Writes one of two texts, by a condition.
    fn choose(&mut self, test: &Expression, then: &dyn Fn(&mut Self), other: &dyn Fn(&mut Self)) {
        match test {
            _ if self.is_full() => {}
            Expression::UnaryExpression(not) if not.operator == UnaryOperator::LogicalNot => {
                self.choose(&not.argument, other, then);
            }
            Expression::LogicalExpression(both) if both.operator == LogicalOperator::And => {
                self.choose(&both.left, &|template| template.choose(&both.right, then, other), other);
            }
            Expression::LogicalExpression(both) if both.operator == LogicalOperator::Or => {
                self.choose(&both.left, then, &|template| template.choose(&both.right, then, other));
            }
            _ => {
                self.key("if ", self.source_of(test));
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
