//! Tool definitions: name, description and schema of each tool, beside the system prompt. The profile's text of
//! a tool is a template like any other text, so that nothing of a template reaches a model unrendered.

mod parameters;

pub use parameters::unknown_parameter;

use crate::{
    diagnostic::{Diagnostic, Diagnostics, Severity},
    lint::{finding::TextFinding, forged, hidden},
    origin::Piece,
    pipeline::{
        PipelineError,
        outline::{Outline, Plan, PlanItem},
        render::{RenderError, RenderRules, render},
    },
    profile::Profile,
    section::{Language, SectionId, SectionMeta, TrimMode},
    settings::shown,
    snapshot::Snapshot,
    turn::Tool,
    variable::source::{VariableSource, Variables},
};
use std::borrow::Cow;

/// Returns the active tools of a snapshot with their descriptions worked out. The profile's words take the place of those
/// that ship with preface, and of none; a text of a layer or the caller stays. The schema takes the names of parameters that
/// they use. `source` is called as in
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
    let defined = defined(&snapshot.turn.tools, &snapshot.profile, &mut variables);
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
) -> Result<Vec<Tool>, RenderError> {
    let rules = RenderRules::new(profile, variables.turn());
    let mut tools = active.to_vec();
    for tool in &mut tools {
        let plans = plans(tool, profile);
        if plans.is_empty() {
            continue;
        }
        let outline = Outline { plans, absent: Vec::new() };
        let draft = render(outline, &rules, variables, &mut Diagnostics::new())?;
        let parts = draft.parts.into_iter().map(|part| part.text).filter(|text| !text.is_empty());
        let text = parts.collect::<Vec<_>>().join("\n\n");
        let parameters = profile.tool_texts.get(&tool.name).map(|texts| &texts.parameters);
        if let (Some(schema), Some(parameters)) = (&tool.input_schema, parameters)
            && let Some(schema) = parameters::fitted(schema, parameters, &text)
        {
            tool.input_schema = Some(schema.into());
        }
        tool.description = Some(text);
    }
    Ok(tools)
}

/// Plans the profile's texts for a tool, where no other is used: the description, then the text after it.
fn plans<'w>(tool: &Tool, profile: &'w Profile) -> Vec<Plan<'w>> {
    let texts = profile.tool_texts.get(&tool.name).filter(|_| is_bundled(tool) || tool.description.is_none());
    let Some((texts, description)) = texts.and_then(|texts| Some((texts, texts.description.as_ref()?)))
    else {
        return Vec::new();
    };
    let plan = |text: &'w Vec<Piece>, language| {
        let trim = if language == Language::Catalog { TrimMode::Both } else { TrimMode::End };
        let item = PlanItem::new(Cow::Borrowed(text.as_slice()), language);
        Plan { trim, keep_blank: true, ..Plan::new(SectionMeta::new(SectionId::new("tool")), vec![item]) }
    };
    let after = texts.after.as_ref().map(|after| plan(&after.text, after.language));
    std::iter::once(plan(description, texts.language)).chain(after).collect()
}
