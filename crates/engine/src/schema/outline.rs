//! The first walk over a schema: where its subschemas are and where its references lead.
//!
//! It keeps from the crate `jsonschema` what that crate would stumble over: references that leave the document or lead
//! to what is not a schema (and so was not looked at by the meta-schema), changes of base or draft in the middle of a
//! schema, and schemas that would need more stack than a thread has.

use super::shown::{member, text};
use jsonschema::Draft;
use preface_core::extension::SchemaViolation;
use serde_json::{Map, Value};
use std::{collections::HashMap, io};

/// The structure of a schema before it is compiled.
#[derive(Debug)]
pub struct SchemaOutline<'a> {
    /// The draft that it is written in.
    pub draft: Draft,
    /// The whole schema.
    pub root: &'a Value,
    /// The levels below each place that holds a schema, itself counted.
    heights: HashMap<usize, usize>,
    /// The schemas that references lead to, by the text of the reference.
    targets: HashMap<&'a str, &'a Value>,
}

impl<'a> SchemaOutline<'a> {
    /// Walks a schema.
    ///
    /// # Errors
    /// The schema is refused; the pointer is the place.
    pub fn of(schema: &'a Value) -> Result<SchemaOutline<'a>, SchemaViolation> {
        if let Some(fault) = too_deep(schema, "the schema").or_else(|| too_large(schema)) {
            return Err(fault);
        }
        let draft = draft(schema)?;
        let mut walk =
            OutlineWalk { draft, heights: HashMap::new(), anchors: HashMap::new(), references: Vec::new() };
        let mut levels = walk.down(schema, String::new())?;
        let mut targets = HashMap::new();
        for (reference, pointer) in &walk.references {
            if targets.contains_key(reference) {
                continue;
            }
            let fault = |message: String| SchemaViolation { pointer: pointer.clone(), message };
            let target = walk.resolve(schema, reference).map_err(fault)?;
            levels += 1 + walk.heights[&address(target)];
            targets.insert(*reference, target);
        }
        if levels > MOST_LEVELS {
            let message = format!(
                "the schema and its references nest too deeply: {levels} levels, and {MOST_LEVELS} are allowed"
            );
            return Err(SchemaViolation { pointer: String::new(), message });
        }
        Ok(SchemaOutline { draft, root: schema, heights: walk.heights, targets })
    }

    /// Returns whether there is a schema at `pointer`.
    pub fn has_schema_at(&self, pointer: &str) -> bool {
        self.root.pointer(pointer).is_some_and(|place| self.heights.contains_key(&address(place)))
    }

    /// Returns the schemas that the references in `schema` lead to.
    pub fn referred(&self, schema: &'a Map<String, Value>) -> impl Iterator<Item = &'a Value> {
        references(self.draft, schema).filter_map(|(_, reference)| self.targets.get(reference).copied())
    }
}

/// Identifies one place of a document.
pub fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Returns a fault if a value nests deeper than a JSON file can.
pub fn too_deep(value: &Value, what: &str) -> Option<SchemaViolation> {
    let message = || format!("{what} nests too deeply: {DEEPEST} levels are allowed");
    deeper(value, DEEPEST).then(|| SchemaViolation { pointer: String::new(), message: message() })
}

fn deeper(value: &Value, left: usize) -> bool {
    let inside = |child: &Value| left == 0 || deeper(child, left - 1);
    match value {
        Value::Array(items) => items.iter().any(inside),
        Value::Object(members) => members.values().any(inside),
        _ => false,
    }
}

fn too_large(schema: &Value) -> Option<SchemaViolation> {
    struct Bytes(usize);
    impl io::Write for Bytes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let message = || format!("the schema is too large: {} KiB are allowed", LARGEST / 1024);
    serde_json::to_writer(Bytes(LARGEST), schema)
        .is_err()
        .then(|| SchemaViolation { pointer: String::new(), message: message() })
}

/// The nesting limit of `serde_json`.
const DEEPEST: usize = 128;

/// The bytes of a schema, written without blanks.
const LARGEST: usize = 256 * 1024;

/// The levels that compiling may go down. A path through a schema enters each target of a reference once and then
/// descends, so the heights of all targets bound it. Measured without optimisation: a level takes less than 3 KiB of
/// stack, so that this fits into the 2 MiB of a thread.
const MOST_LEVELS: usize = 512;

/// The levels that `unevaluatedProperties` and `unevaluatedItems` take: they compile what is beside them once more.
const UNEVALUATED_LEVELS: usize = 4;

/// Reads `$schema`.
fn draft(schema: &Value) -> Result<Draft, SchemaViolation> {
    let Some(named) = schema.get("$schema") else { return Ok(Draft::Draft202012) };
    match named.as_str().map(|name| name.trim_end_matches('#')) {
        Some("https://json-schema.org/draft/2020-12/schema") => Ok(Draft::Draft202012),
        Some("http://json-schema.org/draft-07/schema") => Ok(Draft::Draft7),
        _ => Err(SchemaViolation {
            pointer: "/$schema".to_owned(),
            message: "must be that of draft 2020-12 or draft 07: `https://json-schema.org/draft/2020-12/schema` or \
                      `http://json-schema.org/draft-07/schema#`"
                .to_owned(),
        }),
    }
}

/// The way in which a keyword contains schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeywordShape {
    /// One schema, or a list of them: `not`, `items`, `allOf`.
    Schemas,
    /// Schemas by name: `properties`.
    Named,
}

/// Returns how a keyword holds schemas, if it does. These are the places that the draft's meta-schema checks.
pub fn holds(draft: Draft, keyword: &str) -> Option<KeywordShape> {
    match keyword {
        "additionalProperties"
        | "allOf"
        | "anyOf"
        | "contains"
        | "else"
        | "if"
        | "items"
        | "not"
        | "oneOf"
        | "propertyNames"
        | "then" => Some(KeywordShape::Schemas),
        "definitions" | "dependencies" | "patternProperties" | "properties" => Some(KeywordShape::Named),
        "additionalItems" if draft == Draft::Draft7 => Some(KeywordShape::Schemas),
        "contentSchema" | "prefixItems" | "unevaluatedItems" | "unevaluatedProperties"
            if draft != Draft::Draft7 =>
        {
            Some(KeywordShape::Schemas)
        }
        "$defs" | "dependentSchemas" if draft != Draft::Draft7 => Some(KeywordShape::Named),
        _ => None,
    }
}

/// Returns the references of a schema, each with its keyword.
fn references(draft: Draft, schema: &Map<String, Value>) -> impl Iterator<Item = (&'static str, &str)> {
    let keywords: &[&'static str] = if draft == Draft::Draft7 { &["$ref"] } else { &["$ref", "$dynamicRef"] };
    keywords.iter().filter_map(|keyword| Some((*keyword, schema.get(*keyword)?.as_str()?)))
}

/// The walk: what it found so far.
struct OutlineWalk<'a> {
    draft: Draft,
    heights: HashMap<usize, usize>,
    anchors: HashMap<&'a str, &'a Value>,
    /// The references with their places.
    references: Vec<(&'a str, String)>,
}

impl<'a> OutlineWalk<'a> {
    /// Walks a schema and all that it holds, and returns how many levels that are.
    fn down(&mut self, schema: &'a Value, pointer: String) -> Result<usize, SchemaViolation> {
        let mut below = 0;
        if let Value::Object(members) = schema {
            below = self.members(schema, members, &pointer)?;
        }
        self.heights.insert(address(schema), below + 1);
        Ok(below + 1)
    }

    fn members(
        &mut self,
        schema: &'a Value,
        members: &'a Map<String, Value>,
        pointer: &str,
    ) -> Result<usize, SchemaViolation> {
        let fault =
            |keyword: &str, message: String| SchemaViolation { pointer: member(pointer, keyword), message };
        for keyword in ["$id", "$schema"] {
            if !pointer.is_empty() && members.contains_key(keyword) {
                return Err(fault(keyword, format!("`{keyword}` is allowed only at the top of the schema")));
            }
        }
        if self.draft != Draft::Draft7 && members.contains_key("additionalItems") {
            return Err(fault(
                "additionalItems",
                "draft 2020-12 has `items` beside `prefixItems` instead".to_owned(),
            ));
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            let Some(name) = members.get(keyword).and_then(Value::as_str) else { continue };
            if self.anchors.insert(name, schema).is_some_and(|other| address(other) != address(schema)) {
                return Err(fault(keyword, format!("two schemas have the anchor `{}`", text(name))));
            }
        }
        for (keyword, reference) in references(self.draft, members) {
            if !reference.starts_with('#') {
                return Err(fault(
                    keyword,
                    format!("must stay inside the schema and start with `#`, but is `{}`", text(reference)),
                ));
            }
            self.references.push((reference, member(pointer, keyword)));
        }
        let mut below = 0;
        for (keyword, value) in members {
            let Some(holds) = holds(self.draft, keyword) else { continue };
            let here = member(pointer, keyword);
            let levels = match (holds, value) {
                (KeywordShape::Schemas, Value::Array(schemas)) => {
                    let places = schemas.iter().enumerate();
                    self.all(places.map(|(index, schema)| (format!("{here}/{index}"), schema)))?
                }
                (KeywordShape::Schemas, schema) => self.down(schema, here)?,
                (KeywordShape::Named, Value::Object(schemas)) => {
                    self.all(schemas.iter().map(|(name, schema)| (member(&here, name), schema)))?
                }
                // The meta-schema reports it.
                (KeywordShape::Named, _) => 0,
            };
            below = below.max(levels);
        }
        let unevaluated = ["unevaluatedItems", "unevaluatedProperties"];
        let unevaluated = unevaluated.iter().filter(|keyword| members.contains_key(**keyword)).count();
        Ok(below + unevaluated * UNEVALUATED_LEVELS)
    }

    fn all(&mut self, schemas: impl Iterator<Item = (String, &'a Value)>) -> Result<usize, SchemaViolation> {
        let mut most = 0;
        for (pointer, schema) in schemas {
            most = most.max(self.down(schema, pointer)?);
        }
        Ok(most)
    }

    /// Finds the schema that a reference leads to.
    fn resolve(&self, root: &'a Value, reference: &str) -> Result<&'a Value, String> {
        let fragment = reference.strip_prefix('#').unwrap_or(reference);
        if fragment.contains('%') {
            return Err(format!("write the reference without `%`: `{}`", text(reference)));
        }
        let target = if fragment.is_empty() || fragment.starts_with('/') {
            root.pointer(fragment)
        } else {
            self.anchors.get(fragment).copied()
        };
        let target = target.ok_or_else(|| format!("leads nowhere: `{}`", text(reference)))?;
        if self.heights.contains_key(&address(target)) {
            Ok(target)
        } else {
            Err(format!("leads to something that is not a schema: `{}`", text(reference)))
        }
    }
}
