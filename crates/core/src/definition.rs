//! Tool definitions: name, description and schema of each tool, beside the system prompt. The profile's text of
//! a tool is a template like any other text, so that nothing of a template reaches a model unrendered.

mod parameters;

use crate::{
    catalog::CatalogBody,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity},
    lint::{finding::TextFinding, forged, hidden},
    origin::Piece,
    outline::{Outline, Plan, PlanItem},
    pipeline::PipelineError,
    profile::Profile,
    render::{RenderError, RenderRules, render},
    section::{Language, SectionId, SectionMeta, TrimMode},
    settings::shown,
    snapshot::Snapshot,
    turn::Tool,
    variable_source::{VariableSource, Variables},
};
use std::{borrow::Cow, collections::BTreeMap};

/// Returns the active tools of a snapshot with their descriptions worked out. The profile's words take the place of those
/// that ship with preface, and of none; a text of a layer or the caller stays. A text of a catalog is used where the
/// schema can take the names of its parameters. `source` is called as in
/// [`run`](crate::pipeline::run), and its answers become part of the snapshot.
///
/// # Errors
/// See [`PipelineError`].
pub fn definitions(
    snapshot: &mut Snapshot,
    source: &mut dyn VariableSource,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Tool>, PipelineError> {
    let mut recorded = std::mem::take(&mut snapshot.variables);
    let mut variables = Variables::new(&snapshot.turn, &snapshot.profile, &mut recorded, source);
    let defined = defined(&snapshot.turn.tools, &snapshot.profile, &mut variables, diagnostics);
    snapshot.variables = recorded;
    let defined = defined?;
    let tags = snapshot.profile.reserved_tags();
    // What ships with preface is known, and what a server offers was escaped.
    let is_foreign = |tool: &&Tool| !is_bundled(tool) && !tool.is_of_server();
    defined.iter().filter(is_foreign).for_each(|tool| report(tool, &tags, diagnostics));
    Ok(defined)
}

fn is_bundled(tool: &Tool) -> bool {
    tool.source.as_ref().is_some_and(|source| source.starts_with("bundled/"))
}

/// Reports a definition that hides text or imitates the structure of a prompt, once each.
fn report(tool: &Tool, tags: &[String], diagnostics: &mut Diagnostics) {
    let schema = tool.input_schema.as_ref().map(ToString::to_string).unwrap_or_default();
    let text = [tool.description.as_deref().unwrap_or_default(), &schema].join("\n");
    let name = shown(&tool.name);
    let hidden = hidden::scan_few(&text, 1).0.into_iter().filter(|found| found.severity() > Severity::Info);
    let hidden = hidden.map(|found| (found.code(), format!("hides text: {}", found.message())));
    let forged = forged::scan_granted(&text, tags, 1).0.into_iter();
    let forged = forged.map(|found| (found.code(), found.message()));
    for (code, what) in hidden.chain(forged) {
        let what = format!("the definition of the tool `{name}` {what}");
        diagnostics.push(Diagnostic::warning(code, what).about(&tool.name));
    }
}

fn defined(
    active: &[Tool],
    profile: &Profile,
    variables: &mut Variables<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Tool>, RenderError> {
    let mut tools = active.to_vec();
    let mut wanted: Vec<usize> = (0..tools.len()).collect();
    let mut use_catalog = true;
    while !wanted.is_empty() {
        let texts = rendered(profile, active, &wanted, use_catalog, variables)?;
        let mut refused = Vec::new();
        for (at, Description { text, imported }) in texts {
            let tool = &mut tools[at];
            let parameters = profile.tool_texts.get(&tool.name).map(|texts| &texts.parameters);
            if let (true, Some(schema), Some(parameters)) = (imported, &tool.input_schema, parameters) {
                match parameters::fitted(schema, parameters, &text) {
                    Ok(None) => {}
                    Ok(Some(schema)) => tool.input_schema = Some(schema.into()),
                    Err(name) => {
                        diagnostics.push(no_parameter(&tool.name, &name));
                        refused.push(at);
                        continue;
                    }
                }
            }
            tool.description = Some(text);
        }
        (wanted, use_catalog) = (refused, false);
    }
    Ok(tools)
}

fn no_parameter(tool: &str, name: &str) -> Diagnostic {
    let what = format!(
        "the catalog's description of the tool `{tool}` names the parameter `{}`, which its schema does not have; the profile's own is used",
        shown(name)
    );
    let help = format!("`[tool_texts.{tool}.parameters]` in a profile describes it");
    Diagnostic::warning(DiagnosticCode::CatalogParameter, what).about(tool).help(help)
}

/// The description of a tool.
#[derive(Default)]
struct Description {
    text: String,
    /// True if the text before the one behind it is a catalog's.
    imported: bool,
}

/// Renders the profile's texts for these tools.
fn rendered(
    profile: &Profile,
    tools: &[Tool],
    wanted: &[usize],
    use_catalog: bool,
    variables: &mut Variables<'_>,
) -> Result<BTreeMap<usize, Description>, RenderError> {
    let mut outline = Outline::default();
    let mut places = BTreeMap::new();
    let mut found: BTreeMap<usize, Description> = BTreeMap::new();
    for &at in wanted {
        for (number, item) in texts(&tools[at], profile, use_catalog).into_iter().enumerate() {
            let is_imported = item.imported.is_some();
            let description = found.entry(at).or_default();
            description.imported |= number == 0 && is_imported;
            let id = SectionId::new(format!("tool-{at}-{number}"));
            places.insert(id.clone(), at);
            let trim = if is_imported { TrimMode::Both } else { TrimMode::End };
            let meta = SectionMeta::new(id);
            outline.plans.push(Plan { trim, keep_blank: true, ..Plan::new(meta, vec![item]) });
        }
    }
    let turn = variables.turn();
    let rules = RenderRules::new(profile, turn);
    let draft = render(outline, &rules, variables, &mut Diagnostics::new())?;
    for part in draft.parts {
        let Some(description) = places.get(&part.meta.id).and_then(|at| found.get_mut(at)) else { continue };
        if !description.text.is_empty() && !part.text.is_empty() {
            description.text.push_str("\n\n");
        }
        description.text.push_str(&part.text);
    }
    Ok(found)
}

/// Returns the profile's texts for a tool, where no other is used: the description, then the text after it.
fn texts<'w>(tool: &Tool, profile: &'w Profile, use_catalog: bool) -> Vec<PlanItem<'w>> {
    let texts = profile.tool_texts.get(&tool.name).filter(|_| is_bundled(tool) || tool.description.is_none());
    let Some(texts) = texts else { return Vec::new() };
    let item = |imported: &'w Option<CatalogBody>, own: Option<&'w Vec<Piece>>| match imported {
        Some(imported) if use_catalog => Some(PlanItem::imported(Cow::Borrowed(imported))),
        _ => own.map(|own| PlanItem::new(Cow::Borrowed(own), Language::Template)),
    };
    let Some(description) = item(&texts.imported, texts.description.as_ref()) else { return Vec::new() };
    let after = texts.after.as_ref().and_then(|after| item(&after.imported, Some(&after.text)));
    std::iter::once(description).chain(after).collect()
}
