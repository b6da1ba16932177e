//! Writing a text of an imported catalog: words as they are, values as they come out. What comes to nothing is left
//! out, with a diagnostic; a value is never read for expressions again.

use super::{RenderRules, RenderedText, ValueForm};
use crate::{
    catalog::{BodyRun, CatalogBody, EvaluationError, EvaluationScope, Fragment, FragmentSource, evaluate},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    lint::forged::neutralise_for,
    origin::{Origin, Piece},
    variable::{Stability, VariableKey},
    variable_source::{MissingVariable, Variables},
};
use std::{borrow::Cow, sync::Arc};

/// Writes a text of a catalog.
pub(super) fn write_imported(
    body: &CatalogBody,
    rules: &RenderRules<'_>,
    variables: &mut Variables<'_>,
    volatility: &mut Stability,
    out: &mut RenderedText,
    diagnostics: &mut Diagnostics,
) -> Result<(), MissingVariable> {
    let sight = EvaluationScope { bindings: rules.bindings, tools: rules.tools };
    for run in &body.runs {
        let (expression, written) = match run {
            BodyRun::Words(Piece { text, origin }) => {
                out.push(text, origin.clone());
                continue;
            }
            BodyRun::Value { expression, written } => (expression, written),
        };
        let mut look = |key: &VariableKey| {
            let variable = variables.get(key, diagnostics)?;
            *volatility = (*volatility).max(variable.stability);
            Ok(variable.value.clone().map(|text| (text, variable.source.clone())))
        };
        match evaluate(expression, &sight, &mut look) {
            Ok(fragments) => write_fragments(fragments, written, rules, out, diagnostics),
            Err(EvaluationError::Missing(missing)) => return Err(missing),
            Err(EvaluationError::Fault(why)) => diagnostics.push(faulty_value_diagnostic(written, &why)),
        }
    }
    Ok(())
}

fn write_fragments(
    fragments: Vec<Fragment<'_>>,
    written: &Piece,
    rules: &RenderRules<'_>,
    out: &mut RenderedText,
    diagnostics: &mut Diagnostics,
) {
    if let Some((text, key, source)) = forged_together(rules, &fragments) {
        diagnostics.push(forged(key));
        return out.push(&text, Origin::Variable { key: key.clone(), source: source.clone() });
    }
    for fragment in fragments {
        match fragment.source {
            FragmentSource::Written => out.push(&fragment.text, written.origin.clone()),
            FragmentSource::Bound(name) => out.push(&fragment.text, binding_origin(rules, name)),
            FragmentSource::Variable(key, source) => {
                let text = rules.escape_value(key.kind(), key, &fragment.text, diagnostics);
                out.push(&text, Origin::Variable { key: key.clone(), source });
            }
        }
    }
}

/// Returns the escaped text if pieces of values, each of them harmless, imitate something together; with the
/// first of the escaped variables and its source.
fn forged_together<'f>(
    rules: &RenderRules<'_>,
    fragments: &'f [Fragment<'f>],
) -> Option<(String, &'f VariableKey, &'f Arc<str>)> {
    let escapes = |key: &VariableKey| rules.escapes(key.kind());
    let (key, source) = fragments.iter().find_map(|fragment| match &fragment.source {
        FragmentSource::Variable(key, source) if escapes(key) => Some((*key, source)),
        _ => None,
    })?;
    let whole: String = fragments
        .iter()
        .map(|fragment| match &fragment.source {
            FragmentSource::Variable(key, _) if escapes(key) => {
                rules.write_form(ValueForm::of(key.kind(), key), &fragment.text)
            }
            _ => Cow::Borrowed(fragment.text.as_ref()),
        })
        .collect();
    match neutralise_for(&whole, &rules.tags) {
        Cow::Owned(safe) if fragments.len() > 1 => Some((safe, key, source)),
        _ => None,
    }
}

fn forged(key: &VariableKey) -> Diagnostic {
    let what = format!("what is made of `{key}` imitates the structure of a prompt; it was escaped");
    Diagnostic::warning(DiagnosticCode::ForgedEscaped, what)
}

fn binding_origin(rules: &RenderRules<'_>, name: &str) -> Origin {
    let profile: Arc<str> = rules.profile.into();
    Origin::Literal { profile, key: format!("catalog.bind.{name}").into() }
}

fn faulty_value_diagnostic(written: &Piece, why: &str) -> Diagnostic {
    let shown: String = written.text.chars().take(60).collect();
    let diagnostic =
        Diagnostic::warning(DiagnosticCode::CatalogValue, format!("`{shown}` was left out: {why}"));
    match &written.origin {
        Origin::Source { source, span, .. } => {
            let mut place = Place::file(Some(source.scope), source.path.clone());
            place.span = Some(span.clone());
            diagnostic.at(place)
        }
        _ => diagnostic,
    }
}
