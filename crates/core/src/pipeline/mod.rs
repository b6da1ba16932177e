//! The pure half of the line in one function: compose, render, fit, assemble; then the finished text is held to its limit,
//! and beside it are the reminders.

pub mod assemble;
pub mod compose;
pub mod draft;
pub mod outline;
pub mod render;

use crate::{
    attachment::Attachment,
    budget::{self, Counter, Counters, Limit, OverBudget},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    lint::prompt_text,
    pipeline::{
        assemble::{JoinRules, assemble},
        compose::compose,
        render::{RenderError, RenderRules, render},
    },
    profile::{PartOrder, Profile},
    prompt::{Part, Prompt},
    reminder::{self, DueReminder},
    snapshot::Snapshot,
    turn::Turn,
    variable::{
        RecordedVariables, VariableKey,
        source::{MissingVariable, VariableSource, Variables},
    },
};

/// The reason why a build fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PipelineError {
    /// A template is nested too deeply or too large; with its place.
    #[error("{}", .0.message)]
    Render(Box<Diagnostic>),
    /// Text that must not be cut does not fit.
    #[error(transparent)]
    Over(OverBudget),
    /// A saved snapshot does not contain this variable, and there is no provider.
    #[error("{}", MissingVariable(.0.clone()))]
    Missing(VariableKey),
    /// The turn names a counter that does not exist.
    #[error("unknown tokenizer: `{0}`")]
    Counter(String),
}

impl From<MissingVariable> for PipelineError {
    fn from(MissingVariable(key): MissingVariable) -> Self {
        PipelineError::Missing(key)
    }
}

impl From<RenderError> for PipelineError {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::Text(diagnostic) => PipelineError::Render(diagnostic),
            RenderError::Missing(missing) => missing.into(),
        }
    }
}

/// Turns a snapshot into a prompt. `source` is called once for each variable that the snapshot does not hold, and its answers
/// become part of the snapshot.
///
/// # Errors
/// See [`PipelineError`]. Diagnostics made so far are lost with the error; those of the snapshot are the caller's still.
pub fn run(snapshot: &mut Snapshot, source: &mut dyn VariableSource) -> Result<Prompt, PipelineError> {
    run_with(snapshot, Counters::CORE, source)
}

/// Does the same where the turn may name one of these counters.
///
/// # Errors
/// See [`PipelineError`].
pub fn run_with(
    snapshot: &mut Snapshot,
    counters: Counters,
    source: &mut dyn VariableSource,
) -> Result<Prompt, PipelineError> {
    let name = &snapshot.turn.counter;
    let counter = counters.get(name).ok_or_else(|| PipelineError::Counter(name.clone()))?;
    let mut variables = std::mem::take(&mut snapshot.variables);
    let result = walk(snapshot, &mut variables, counter.as_ref(), source);
    snapshot.variables = variables;
    result
}

fn walk(
    snapshot: &Snapshot,
    variables: &mut RecordedVariables,
    counter: &dyn Counter,
    source: &mut dyn VariableSource,
) -> Result<Prompt, PipelineError> {
    let mut diagnostics: Diagnostics = snapshot.diagnostics.clone();
    // Variables that the snapshot already holds were reported when they were recorded, except in a replay.
    diagnostics.extend(variables.iter().flat_map(|(_, variable)| variable.diagnostics.iter().cloned()));
    let profile = &snapshot.profile;
    let mut variables = Variables::new(&snapshot.turn, profile, variables, source);

    let outline = compose(snapshot, &mut variables, &mut diagnostics)?;
    let rules = RenderRules::new(profile, &snapshot.turn).with_own_tags(&profile.own_tags);
    let draft = render(outline, &rules, &mut variables, &mut diagnostics)?;
    let tokens = snapshot.turn.budget.or(profile.budget.tokens);
    let set_in = match (snapshot.turn.budget, &profile.budget_source) {
        (Some(_), _) => "set by the call".to_owned(),
        (None, Some(source)) => source.clone(),
        (None, None) => format!("set in the profile `{}`", profile.name),
    };
    let limit = tokens.map(|tokens| Limit { tokens, on_over: profile.budget.on_over, set_in: &set_in });
    let between = counter.cutter().unwrap_or(counter).count(&profile.join.text);
    let fitted =
        budget::fit(draft, limit, between, counter, &mut diagnostics).map_err(PipelineError::Over)?;
    let joining = JoinRules { arrange: profile.arrange, join: &profile.join, seam: profile.seam };
    let mut prompt = assemble(fitted, &profile.name, joining);
    budget::check(&prompt, limit, counter, &mut diagnostics).map_err(PipelineError::Over)?;
    let reminders = reminder::remind(&snapshot.reminders, profile, &mut variables, &mut diagnostics)?;
    prompt.attachments.extend(reminders);
    prompt.texts_version.clone_from(&profile.texts_version);
    report_moved(&prompt, snapshot, &mut diagnostics);
    prompt_text::report(&prompt, &mut diagnostics);
    prompt.diagnostics = diagnostics;
    prompt.audit.splice(0..0, snapshot.audit.iter().cloned());
    Ok(prompt)
}

/// Reports sections that name a neighbour and are not beside it, because the profile arranges its parts otherwise.
fn report_moved(prompt: &Prompt, snapshot: &Snapshot, diagnostics: &mut Diagnostics) {
    let (by, key): (&str, fn(&Part, &Part) -> bool) = match snapshot.profile.arrange {
        PartOrder::Listed => return,
        PartOrder::Stability => ("stability", |part, beside| part.stability == beside.stability),
        PartOrder::Priority => ("priority", |part, beside| part.priority == beside.priority),
    };
    let of_profile = snapshot.profile.sections.iter().filter_map(|section| {
        let beside = section.beside.as_ref()?;
        Some((section.id.as_str(), beside.as_str()))
    });
    let of_settings = snapshot.overrides.iter().filter_map(|over| {
        let beside = over.after.as_ref().or(over.before.as_ref())?;
        Some((over.id.as_str(), beside.as_str()))
    });
    for (id, beside) in of_profile.chain(of_settings) {
        let find = |id: &str| prompt.parts.iter().position(|part| part.section.as_str() == id);
        let (Some(at), Some(beside_at)) = (find(id), find(beside)) else { continue };
        if at.abs_diff(beside_at) == 1 || key(&prompt.parts[at], &prompt.parts[beside_at]) {
            continue;
        }
        let what =
            format!("section `{id}` is not next to `{beside}`: `arrange = \"{by}\"` orders by {by} first");
        let help = "`arrange = \"listed\"` keeps each section where it is placed";
        diagnostics.push(Diagnostic::info(DiagnosticCode::SectionMoved, what).help(help));
    }
}

/// Renders reminders outside of a build, with diagnostics about them. `source` is called as in [`run`].
///
/// # Errors
/// See [`PipelineError`].
pub fn remind(
    due: &[DueReminder],
    profile: &Profile,
    turn: &Turn,
    source: &mut dyn VariableSource,
) -> Result<(Vec<Attachment>, Diagnostics), PipelineError> {
    let mut diagnostics = Diagnostics::new();
    let mut recorded = RecordedVariables::default();
    let mut variables = Variables::new(turn, profile, &mut recorded, source);
    let attachments = reminder::remind(due, profile, &mut variables, &mut diagnostics)?;
    Ok((attachments, diagnostics))
}
