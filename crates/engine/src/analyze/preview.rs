//! The preview: the template rendered by the pipeline that builds prompts.

use super::{
    Probe,
    reply::{Condition, MOST_VARIABLES, UsedVariable, shortened},
};
use crate::{COUNTERS, Error, build::keep_only, build_options::TemplateInput};
use preface_core::{
    condition::ReadTest,
    declaration::Declarations,
    diagnostic::Diagnostics,
    pipeline::{self, PipelineError},
    prompt::Prompt,
    snapshot::{SNAPSHOT_VERSION, SettingsPrompt, Snapshot},
    template::{Tile, TileKind},
    variable::{RecordedVariables, VariableKey},
};
use std::{collections::BTreeMap, sync::Arc};

/// Renders a template that keeps its limits. The variables it looks up are added to `variables`. Returns `None` if the
/// output is too large; then `problem` has the diagnostic.
pub(super) fn preview(
    probe: &Probe<'_>,
    text: &str,
    variables: &mut RecordedVariables,
    problem: &mut Diagnostics,
) -> Result<Option<Prompt>, Error> {
    let template = TemplateInput::unsaved("template", text);
    let mut profile = probe.profile.clone();
    keep_only(template.pieces(), &mut profile);
    profile.budget.tokens = None;
    let mut snapshot = Snapshot {
        version: SNAPSHOT_VERSION,
        turn: probe.turn().clone(),
        profile: Arc::new(profile),
        stack: Default::default(),
        overrides: Vec::new(),
        system_prompt: SettingsPrompt::default(),
        given: BTreeMap::new(),
        stored: None,
        contributions: Vec::new(),
        reminders: Vec::new(),
        variables: probe.variables(),
        diagnostics: Diagnostics::new(),
        audit: Vec::new(),
    };
    let ran = pipeline::run_with(&mut snapshot, COUNTERS, &mut |key: &VariableKey| Some(probe.answer(key)));
    *variables = snapshot.variables;
    match ran {
        Ok(prompt) => Ok(Some(prompt)),
        Err(PipelineError::Render(error)) => {
            problem.push(*error);
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// An open block: whether the text around it is included, whether an earlier branch is, and whether this one is; `None` where that
/// is not known, as in the entries of a list.
struct OpenBlock {
    around: Option<bool>,
    earlier: Option<bool>,
    here: Option<bool>,
}

/// Returns for each condition whether it was true; `None` for one that rendering did not reach.
pub(super) fn conditions(tiles: &[Tile<'_>], variables: &RecordedVariables) -> Vec<Condition> {
    let mut conditions = Vec::new();
    let mut open: Vec<OpenBlock> = Vec::new();
    for (number, tile) in tiles.iter().enumerate().filter(|(_, tile)| tile.stray.is_none()) {
        let kind = tile.kind;
        let negated = matches!(kind, TileKind::IfNot | TileKind::ElifNot);
        match kind {
            TileKind::If | TileKind::IfNot => {
                let around = open.last().map_or(Some(true), |block| block.here);
                open.push(OpenBlock { around, earlier: Some(false), here: None });
            }
            TileKind::Elif | TileKind::ElifNot | TileKind::Else => {
                let Some(block) = open.last_mut() else { continue };
                block.earlier = match (block.earlier, block.here) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (earlier, here) => earlier.and(here),
                };
                block.here = block.around.and_then(|around| Some(around && !block.earlier?));
            }
            TileKind::Each => open.push(OpenBlock { around: None, earlier: None, here: None }),
            TileKind::Endif | TileKind::Endeach => {
                open.pop();
            }
            _ => {}
        }
        let (Some(key), Some(block)) = (tile.key, open.last_mut()) else { continue };
        if matches!(kind, TileKind::If | TileKind::IfNot | TileKind::Elif | TileKind::ElifNot) {
            let is_reached = block.around == Some(true) && block.earlier == Some(false);
            let test = ReadTest { key: key.clone(), negated, words: tile.words };
            let known = variables.get(key).filter(|_| is_reached);
            let taken = known.map(|variable| test.holds(variable.value.as_deref()));
            block.here = if is_reached { taken } else { Some(false).filter(|_| block.earlier == Some(true)) };
            conditions.push(Condition { token: number, key: key.to_string(), negated, taken });
        }
    }
    conditions
}

/// Lists the keys of a template in the order of their first tags, with what is known of them, and counts those that are too
/// many.
pub(super) fn variables(
    tiles: &[Tile<'_>],
    variables: &RecordedVariables,
    declared: &Declarations,
) -> (Vec<UsedVariable>, usize) {
    let registry = crate::variables();
    // An `item:` is of an entry.
    let has_inputs = declared.has_inputs();
    let mut places: BTreeMap<&VariableKey, usize> = BTreeMap::new();
    let mut used: Vec<UsedVariable> = Vec::new();
    for (number, tile) in tiles.iter().enumerate().filter(|(_, tile)| tile.stray.is_none()) {
        let Some(key) = tile.key.filter(|key| key.kind() != "item" || !has_inputs) else { continue };
        if let Some(known) = places.get(key) {
            if let Some(used) = used.get_mut(*known) {
                used.tokens.push(number);
            }
            continue;
        }
        places.insert(key, places.len());
        if used.len() == MOST_VARIABLES {
            continue;
        }
        let variable = variables.get(key);
        let value = variable.and_then(|variable| variable.value.as_deref());
        let (shown, cut) = value.map(shortened).unzip();
        let known = registry.iter().find(|variable| {
            variable.kind == key.kind() && (variable.dynamic || variable.name == key.name())
        });
        used.push(UsedVariable {
            key: key.to_string(),
            kind: key.kind().to_owned(),
            name: key.name().to_owned(),
            registered: known.is_some() || declared.get(key).is_some(),
            exists: variable.map(|variable| variable.value.is_some()),
            value: shown,
            cut: cut.unwrap_or(false),
            bytes: value.map(str::len),
            stability: variable
                .filter(|variable| variable.value.is_some())
                .map(|variable| variable.stability)
                .or(known.map(|known| known.stability)),
            source: variable.map(|variable| variable.source.to_string()),
            tokens: vec![number],
        });
    }
    let left = places.len() - used.len();
    (used, left)
}
