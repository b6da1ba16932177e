//! The second walk: how many steps it takes to check a value, counted without checking it.
//!
//! A short schema can need more steps than there is time: thirty definitions that each refer twice to the next are a
//! billion. Every possible check of a keyword is counted here once for each pair of a schema and a part of the
//! value, so counting is fast where checking is not. The count is an upper bound: a check stops at what does not fit,
//! the count goes on.

use super::outline::{KeywordShape, SchemaOutline, address, holds};
use preface_core::extension::SchemaViolation;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Counts the steps of one check.
pub struct Effort<'a> {
    outline: &'a SchemaOutline<'a>,
    /// The steps of each pair of a schema and a value; `None` while they are being counted.
    pairs: HashMap<(usize, usize), Option<CheckCost>>,
    /// The sizes of the parts of the value.
    sizes: HashMap<usize, u64>,
    counted: u64,
}

/// The steps of checking one value against one schema.
#[derive(Clone, Copy, Default)]
struct CheckCost {
    number: u64,
    depth: usize,
}

/// The reason why a check is refused.
enum EffortError {
    Endless,
    TooMany,
    TooDeep,
}

impl<'a> Effort<'a> {
    /// Prepares to count; nothing is counted yet.
    pub fn new(outline: &'a SchemaOutline<'a>) -> Effort<'a> {
        Effort { outline, pairs: HashMap::new(), sizes: HashMap::new(), counted: 0 }
    }

    /// Counts what checking `config` would take.
    ///
    /// # Errors
    /// It takes too many steps, or the schema refers to itself without going deeper into the value.
    pub fn check(mut self, config: &Value) -> Result<(), SchemaViolation> {
        self.measure(config);
        let message = match self.steps(self.outline.root, config, 0) {
            Ok(_) => return Ok(()),
            Err(EffortError::Endless) => {
                "the schema refers to itself without going deeper into the value".to_owned()
            }
            Err(EffortError::TooMany) => {
                format!("the schema takes too many steps to check this value: {MOST_STEPS} are allowed")
            }
            Err(EffortError::TooDeep) => {
                format!("the schema nests too deeply for this value: {DEEPEST} levels are allowed")
            }
        };
        Err(SchemaViolation { pointer: String::new(), message })
    }

    /// Notes the size of a value and of all its parts: one for each, and one for every sixteen bytes of text.
    fn measure(&mut self, value: &Value) -> u64 {
        let size = 1 + match value {
            Value::String(text) => length(text),
            Value::Array(items) => items.iter().map(|item| self.measure(item)).sum(),
            Value::Object(members) => {
                members.iter().map(|(name, member)| length(name) + self.measure(member)).sum()
            }
            _ => 0,
        };
        self.sizes.insert(address(value), size);
        size
    }

    fn size(&self, value: &Value) -> u64 {
        self.sizes.get(&address(value)).copied().unwrap_or(1)
    }

    fn steps(&mut self, schema: &'a Value, value: &Value, depth: usize) -> Result<CheckCost, EffortError> {
        let pair = (address(schema), address(value));
        match self.pairs.get(&pair) {
            Some(Some(known)) if depth + known.depth <= DEEPEST => return Ok(*known),
            Some(Some(_)) => return Err(EffortError::TooDeep),
            Some(None) => return Err(EffortError::Endless),
            None if depth > DEEPEST => return Err(EffortError::TooDeep),
            None => {}
        }
        self.pairs.insert(pair, None);
        let mut steps = CheckCost { number: self.size(value), depth: 1 };
        if let Value::Object(keywords) = schema {
            self.keywords(keywords, value, depth, &mut steps)?;
        }
        // What was counted bounds the time of the count itself, long before its sums come together.
        self.counted = self.counted.saturating_add(1);
        if steps.number > MOST_STEPS || self.counted > MOST_STEPS {
            return Err(EffortError::TooMany);
        }
        if depth + steps.depth > DEEPEST {
            return Err(EffortError::TooDeep);
        }
        self.pairs.insert(pair, Some(steps));
        Ok(steps)
    }

    fn keywords(
        &mut self,
        keywords: &'a Map<String, Value>,
        value: &Value,
        depth: usize,
        steps: &mut CheckCost,
    ) -> Result<(), EffortError> {
        for target in self.outline.referred(keywords) {
            self.add(target, value, depth, 1, steps)?;
        }
        for (keyword, argument) in keywords {
            self.assertion(keyword, argument, value, steps);
            if let Some(holds) = holds(self.outline.draft, keyword) {
                self.applicator(keyword, holds, argument, value, depth, steps)?;
            }
        }
        // These two check what is beside them once more, to learn what it looked at.
        for keyword in ["unevaluatedItems", "unevaluatedProperties"] {
            if keywords.contains_key(keyword) {
                steps.number = steps.number.saturating_mul(2);
                steps.depth += 4;
            }
        }
        Ok(())
    }

    /// Adds what keywords without schemas take beyond one step.
    fn assertion(&self, keyword: &str, argument: &Value, value: &Value, steps: &mut CheckCost) {
        let number = match (keyword, argument) {
            ("enum", Value::Array(options)) => (options.len() as u64).saturating_mul(self.size(value)),
            ("required", Value::Array(names)) => names.len() as u64,
            ("pattern", _) => self.size(value).saturating_mul(8),
            ("uniqueItems", _) => {
                // Lists and objects may share a hash, and are then compared each with each.
                let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
                let many = items.iter().filter(|item| item.is_array() || item.is_object()).count() as u64;
                self.size(value).saturating_mul(8).saturating_add(many.saturating_mul(many) / 16)
            }
            _ => 1,
        };
        steps.number = steps.number.saturating_add(number);
    }

    fn applicator(
        &mut self,
        keyword: &str,
        holds: KeywordShape,
        argument: &'a Value,
        value: &Value,
        depth: usize,
        steps: &mut CheckCost,
    ) -> Result<(), EffortError> {
        let schemas: Vec<(&str, &'a Value)> = match (holds, argument) {
            (KeywordShape::Schemas, Value::Array(schemas)) => {
                schemas.iter().map(|schema| ("", schema)).collect()
            }
            (KeywordShape::Schemas, schema) => vec![("", schema)],
            (KeywordShape::Named, Value::Object(schemas)) => {
                schemas.iter().map(|(name, schema)| (name.as_str(), schema)).collect()
            }
            (KeywordShape::Named, _) => Vec::new(),
        };
        steps.number = steps.number.saturating_add(schemas.len() as u64);
        match (keyword, value) {
            ("$defs" | "definitions" | "contentSchema", _) => {}
            ("properties", Value::Object(members)) => {
                for (name, schema) in schemas {
                    if let Some(member) = members.get(name) {
                        self.add(schema, member, depth, 1, steps)?;
                    }
                }
            }
            ("propertyNames", Value::Object(members)) => {
                for name in members.keys() {
                    self.add(argument, &NAME, depth, 1 + length(name), steps)?;
                }
            }
            (
                "patternProperties" | "additionalProperties" | "unevaluatedProperties",
                Value::Object(members),
            ) => {
                for (_, schema) in schemas {
                    for (name, member) in members {
                        steps.number = steps.number.saturating_add(length(name).saturating_mul(8));
                        self.add(schema, member, depth, 1, steps)?;
                    }
                }
            }
            (
                "items" | "prefixItems" | "additionalItems" | "contains" | "unevaluatedItems",
                Value::Array(items),
            ) => {
                let positional = argument.is_array();
                for (index, (_, schema)) in schemas.into_iter().enumerate() {
                    let some = if positional { items.get(index..).unwrap_or_default() } else { items };
                    let many = if positional { 1 } else { usize::MAX };
                    for item in some.iter().take(many) {
                        self.add(schema, item, depth, 1, steps)?;
                    }
                }
            }
            // A form that fails is checked a second time, for its faults.
            ("anyOf" | "oneOf", _) => {
                for (_, schema) in schemas {
                    self.add(schema, value, depth, 2, steps)?;
                }
            }
            ("allOf" | "not" | "if" | "then" | "else", _)
            | ("dependentSchemas" | "dependencies", Value::Object(_)) => {
                for (_, schema) in schemas {
                    self.add(schema, value, depth, 1, steps)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add(
        &mut self,
        schema: &'a Value,
        value: &Value,
        depth: usize,
        times: u64,
        steps: &mut CheckCost,
    ) -> Result<(), EffortError> {
        let more = self.steps(schema, value, depth + 1)?;
        steps.number = steps.number.saturating_add(more.number.saturating_mul(times));
        steps.depth = steps.depth.max(more.depth + 1);
        if steps.number > MOST_STEPS { Err(EffortError::TooMany) } else { Ok(()) }
    }
}

fn length(text: &str) -> u64 {
    (text.len() / 16) as u64
}

/// A placeholder for the name of any property.
static NAME: Value = Value::Null;

/// A step is at most a part of the value looked at: a million of them take well under a second.
const MOST_STEPS: u64 = 1_000_000;

/// Deeper checks would need more stack than a thread has.
const DEEPEST: usize = 512;
