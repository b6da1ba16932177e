//! Puts bindings into a converted template.

use super::{
    CONDITION, KIND,
    binding::{Binding, Bindings, holds},
};
use crate::{
    origin::{Origin, Piece, Source},
    template::{Template, TemplateOptions, TileKind, literal},
};
use std::{collections::BTreeSet, sync::Arc};

/// The KEYs of values that have no binding, with the byte at which the first of them is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnboundKeys {
    /// The KEYs.
    pub keys: BTreeSet<String>,
    /// The byte of the template.
    pub at: usize,
}

/// An open `[if …]`.
enum OpenCondition {
    /// Its condition is known: whether the branch is kept.
    Known(bool),
    /// It is decided while a prompt is built.
    Undecided,
}

impl Bindings {
    /// Puts the bindings into a template of a catalog: branches whose condition is known are decided, values are in place, and
    /// variables are tags. `source` is the template, `profile` the one with the bindings.
    ///
    /// # Errors
    /// A value that is reached has no binding. A condition without one does not hold.
    pub fn apply(
        &self,
        template: &str,
        source: &Arc<Source>,
        profile: &str,
    ) -> Result<Vec<Piece>, UnboundKeys> {
        let options =
            TemplateOptions { raw: true, max_bytes: None, max_depth: None, ..TemplateOptions::default() };
        // Without limits every text is a template.
        let Ok(parsed) = Template::parse(template, &options) else { return Ok(Vec::new()) };
        let mut pieces = Vec::new();
        let mut blocks: Vec<OpenCondition> = Vec::new();
        let mut unbound = UnboundKeys { keys: BTreeSet::new(), at: 0 };
        let mut done = 0;
        let text = |pieces: &mut Vec<Piece>, range: std::ops::Range<usize>| {
            let origin = Origin::Source { source: source.clone(), span: range.clone(), lossy: false };
            push(pieces, &template[range], origin);
        };
        for token in parsed.tiles().into_iter().filter(|tile| tile.kind.is_tag() && tile.stray.is_none()) {
            let is_reached = |blocks: &[OpenCondition]| {
                !blocks.iter().any(|block| matches!(block, OpenCondition::Known(false)))
            };
            if is_reached(&blocks) {
                text(&mut pieces, done..token.range.start);
            }
            done = token.range.end;
            let name = token.key.filter(|key| key.kind() == KIND).map(|key| key.name());
            let condition = name.and_then(|name| name.strip_prefix(CONDITION));
            let is_kept = match (token.kind, name, condition) {
                (TileKind::If, Some(name), Some(key)) => {
                    match self.get(key).map(truth) {
                        None => blocks.push(OpenCondition::Known(false)),
                        Some(Ok(known)) => blocks.push(OpenCondition::Known(known)),
                        Some(Err(variable)) => {
                            if is_reached(&blocks) {
                                let tag = match variable {
                                    Some(has) => format!("[if {has}]"),
                                    None => format!("[if {KIND}:{name}]"),
                                };
                                push(&mut pieces, &tag, origin_of(profile, key));
                            }
                            blocks.push(OpenCondition::Undecided);
                        }
                    }
                    false
                }
                (TileKind::If | TileKind::IfNot, ..) => {
                    blocks.push(OpenCondition::Undecided);
                    true
                }
                (TileKind::Else, ..) => match blocks.last_mut() {
                    Some(OpenCondition::Known(branch)) => {
                        *branch = !*branch;
                        false
                    }
                    _ => true,
                },
                (TileKind::Endif, ..) => matches!(blocks.pop(), Some(OpenCondition::Undecided)),
                (TileKind::Variable, Some(key), _) => {
                    match self.get(key) {
                        _ if !is_reached(&blocks) => {}
                        Some(binding) => push(&mut pieces, &written(key, binding), origin_of(profile, key)),
                        None => {
                            if unbound.keys.is_empty() {
                                unbound.at = token.range.start;
                            }
                            unbound.keys.insert(key.to_owned());
                        }
                    }
                    false
                }
                _ => true,
            };
            if is_kept && is_reached(&blocks) {
                text(&mut pieces, token.range);
            }
        }
        text(&mut pieces, done..template.len());
        if unbound.keys.is_empty() { Ok(pieces) } else { Err(unbound) }
    }
}

/// Returns whether a condition on a binding holds; else the variable that decides it by its existence, or none if it is
/// worked out from the value of one.
fn truth(binding: &Binding) -> Result<bool, Option<&crate::variable::VariableKey>> {
    match binding {
        Binding::Bool(known) => Ok(*known),
        Binding::Number(number) => Ok(*number != 0),
        Binding::Text(text) => Ok(holds(text)),
        Binding::Join { .. } | Binding::Section { .. } => Ok(true),
        Binding::Has { has } => Err(Some(has)),
        Binding::Variable { .. } => Err(None),
    }
}

/// Returns a value as a template.
fn written(key: &str, binding: &Binding) -> String {
    match binding {
        Binding::Bool(known) => known.to_string(),
        Binding::Number(number) => number.to_string(),
        Binding::Text(text) => literal(text).into_owned(),
        Binding::Variable { variable, add: 0 } => format!("[{variable}]"),
        Binding::Variable { .. } => format!("[{KIND}:{key}]"),
        Binding::Has { has } => format!("[if {has}]true[else]false[endif]"),
        Binding::Join { join } => join.iter().map(|part| written(key, part)).collect(),
        Binding::Section { section } => format!("[section:{section}]"),
    }
}

fn push(pieces: &mut Vec<Piece>, text: &str, origin: Origin) {
    if !text.is_empty() {
        pieces.push(Piece { text: text.to_owned(), origin });
    }
}

fn origin_of(profile: &str, key: &str) -> Origin {
    Origin::Literal { profile: profile.into(), key: format!("catalog.bind.{key}").into() }
}
