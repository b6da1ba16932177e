//! The diagnostics of a build on stderr, by verbosity.

use crate::{
    call::{self, help_of, is_denied},
    ui::{
        Ui, Verbosity, count,
        diagnostic::{DiagnosticView, from_shell, spot},
        listed, number, style,
    },
};
use preface_core::{
    bounded_list::BoundedList,
    diagnostic::{Diagnostic, DiagnosticCode, Remedy, Severity},
    lint::hidden::escape_hidden,
    prompt::Prompt,
};
use std::{borrow::Cow, cmp::Reverse};

/// Prints the diagnostics of a prompt: each error in full, and one line about warnings and what was left out or cut; or each
/// one in full, also where that line would not tell why a prompt is empty.
pub fn print(ui: &Ui, prompt: &Prompt) {
    match ui.verbosity() {
        Verbosity::Quiet => at_least(ui, Severity::Error, &prompt.diagnostics),
        Verbosity::Usual => {
            let Some((severity, line, help)) = summary(prompt) else {
                let least = if prompt.text.is_empty() { Severity::Info } else { Severity::Error };
                return at_least(ui, least, &prompt.diagnostics);
            };
            at_least(ui, Severity::Error, &prompt.diagnostics);
            let (word, dim) = (style::severity(severity), style::DIM);
            ui.eprint(&format!("{word}{severity}{word:#}: {line} {dim}(`-v` shows details){dim:#}\n"));
            if let Some(help) = help {
                ui.eprint(&format!("{accent}help{accent:#}: {help}\n", accent = style::ACCENT));
            }
        }
        Verbosity::All => all(ui, &prompt.diagnostics),
    }
}

/// Prints every diagnostic in full; with `-q` only errors.
pub fn all(ui: &Ui, diagnostics: &[Diagnostic]) {
    for diagnostic in
        diagnostics.iter().filter(|diagnostic| !ui.is_quiet() || diagnostic.severity == Severity::Error)
    {
        ui.eprint(&format!("{:#}", DiagnosticView::of(diagnostic, ui.diagnostic_columns())));
    }
}

/// Prints what came up for a listing: warnings and errors, all with `-v`, errors alone with `-q`.
pub fn listing<'n>(ui: &Ui, diagnostics: impl IntoIterator<Item = &'n Diagnostic>) {
    let least = match ui.verbosity() {
        Verbosity::Quiet => Severity::Error,
        Verbosity::Usual => Severity::Warning,
        Verbosity::All => Severity::Info,
    };
    at_least(ui, least, diagnostics);
}

fn at_least<'n>(ui: &Ui, least: Severity, diagnostics: impl IntoIterator<Item = &'n Diagnostic>) {
    for diagnostic in diagnostics.into_iter().filter(|diagnostic| diagnostic.severity >= least) {
        all(ui, std::slice::from_ref(diagnostic));
    }
}

/// The most diagnostics that [`few`] prints.
const FEW: usize = 10;

/// Prints the worst diagnostics in full, ten at most, then the number of the others and the command that lists them.
pub fn few(ui: &Ui, diagnostics: Vec<Diagnostic>, command: &str) {
    let mut few = BoundedList::new(FEW);
    for diagnostic in diagnostics {
        few.push(Reverse(diagnostic.severity), diagnostic);
    }
    let (diagnostics, more) = few.finish();
    all(ui, &diagnostics);
    if more > 0 {
        ui.eprint(&format!("and {} more; {} lists them\n", number(more), call::command(command)));
    }
}

/// Summarizes in one line what was left out or cut; `None` if nothing was.
fn summary(prompt: &Prompt) -> Option<(Severity, String, Option<String>)> {
    let is_untrusted = |diagnostic: &&Diagnostic| diagnostic.code == DiagnosticCode::TrustUntrusted;
    let untrusted: Vec<&Diagnostic> = prompt.diagnostics.iter().filter(is_untrusted).collect();
    let is_budget = |diagnostic: &&Diagnostic| {
        matches!(diagnostic.code, DiagnosticCode::BudgetCut | DiagnosticCode::BudgetDropped)
    };
    let mut budget: Vec<&Diagnostic> = prompt.diagnostics.iter().filter(is_budget).collect();
    // Parts of which a file is gone come first.
    budget.sort_by_key(|diagnostic| diagnostic.place.is_none());
    let counted = |diagnostic: &&Diagnostic| {
        diagnostic.severity == Severity::Warning
            && !matches!(
                diagnostic.code,
                DiagnosticCode::TrustUntrusted | DiagnosticCode::BudgetCut | DiagnosticCode::BudgetDropped
            )
    };
    let others: Vec<&Diagnostic> = prompt.diagnostics.iter().filter(counted).collect();

    let mut clauses = Vec::new();
    let created =
        prompt.diagnostics.iter().filter(|diagnostic| diagnostic.code == DiagnosticCode::ScaffoldCreated);
    clauses.extend(created.map(|diagnostic| escape_hidden(&diagnostic.message).into_owned()));
    let created = clauses.len();
    let names: Vec<String> = untrusted.iter().map(|diagnostic| untrusted_name(diagnostic)).collect();
    match names.len() {
        0 => {}
        1 => clauses.push(format!("{} is not trusted and was left out", names[0])),
        2..=3 => clauses.push(format!("{} are not trusted and were left out", listed(&names))),
        many => clauses.push(format!(
            "{}, {} and {} more are not trusted and were left out",
            names[0],
            names[1],
            many - 2
        )),
    }
    let lost = clauses.len();
    clauses.extend(budget.iter().take(LOSSES_NAMED).map(|diagnostic| lost_text(diagnostic)));
    let more = budget.len().saturating_sub(LOSSES_NAMED);
    clauses.extend((more > 0).then(|| format!("{} lost text", count(more, "more part"))));
    let lossy = clauses.len() - lost;
    let limit = limit(&budget).filter(|_| lossy > 0);
    if let (Some(last), Some(limit)) = (clauses.last_mut(), limit) {
        last.push_str(&format!(": {limit}"));
    }
    match others.as_slice() {
        [] => {}
        [first, rest @ ..] => {
            clauses.push(with_place_and_code(first));
            clauses.extend((!rest.is_empty()).then(|| count(rest.len(), "more warning")));
        }
    }
    if clauses.is_empty() {
        return None;
    }
    let severity = untrusted
        .iter()
        .chain(&others)
        .map(|diagnostic| diagnostic.severity)
        .chain(budget.first().map(|_| Severity::Warning))
        .max()
        .unwrap_or(Severity::Info);
    // A declined project needs no advice.
    let advises = untrusted.iter().any(|diagnostic| diagnostic.severity >= Severity::Warning)
        && clauses.len() == 1
        && created == 0;
    let help = if !advises {
        // One warning, which the line has whole, has its help behind it.
        let only = others.first().filter(|_| clauses.len() == 1 && others.len() == 1);
        let only = only.or_else(|| budget.first().filter(|_| limit.is_some() && clauses.len() == lossy));
        only.and_then(|diagnostic| help_of(diagnostic))
    } else if is_denied() {
        Some("run it without `--trust deny`".to_owned())
    } else {
        Some(call::help(&Remedy::grant("review what is new, then trust it")))
    };
    Some((severity, clauses.join("; "), help))
}

/// Returns a message with its place, if it does not name the file itself, and its code.
fn with_place_and_code(diagnostic: &Diagnostic) -> String {
    let (text, place) = from_shell(&diagnostic.message, diagnostic.place.as_ref());
    let message = escape_hidden(&text);
    let code = diagnostic.code;
    match place {
        Some(place) if !text.contains(&place.path) => format!("{message} ({}) [{code}]", spot(&place)),
        _ => format!("{message} [{code}]"),
    }
}

/// Returns the limit behind all that was cut or left out, if it is the same one: `the budget is 40`.
fn limit<'n>(diagnostics: &[&'n Diagnostic]) -> Option<&'n str> {
    let mut limits = diagnostics.iter().map(|diagnostic| diagnostic.loss().map(|(_, limit)| limit));
    let first = limits.next()??;
    limits.all(|limit| limit == Some(first)).then_some(first)
}

/// The most parts that lost text which the summary names.
const LOSSES_NAMED: usize = 3;

/// Returns what a part lost, without the limit behind it.
fn lost_text(diagnostic: &Diagnostic) -> String {
    let what = diagnostic.loss().map_or(diagnostic.message.as_str(), |(what, _)| what);
    let left_out = if diagnostic.code == DiagnosticCode::BudgetDropped { " was left out" } else { "" };
    format!("{}{left_out}", escape_hidden(what))
}

/// Names what was left out: the file, or the variable.
fn untrusted_name(diagnostic: &Diagnostic) -> String {
    let name = match from_shell("", diagnostic.place.as_ref()) {
        (_, Some(place)) => Cow::Owned(place.into_owned().path),
        (_, None) => diagnostic.loss().map_or("something", |(what, _)| what.trim_matches('`')).into(),
    };
    escape_hidden(&name).into_owned()
}
