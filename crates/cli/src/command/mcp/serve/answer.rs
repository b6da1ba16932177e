//! The results of the tools: a build, its explanation, and what lint found, as JSON of the shapes in `schema`.

use super::arguments::BodyArguments;
use crate::{advice, failure::CommandFailure, subject::Subject};
use preface_engine::{
    core::{
        diagnostic::{Diagnostic, Severity},
        document::Tokens,
        explain::{Explanation, Labels, PartRow},
        format::RequestTarget,
        lint::hidden::{HiddenKind, escape_hidden},
        origin::Source,
    },
    lint::LintReport,
    mcp_protocol::CallOutput,
};
use serde_json::{Value, json};

/// Returns the result of `build`: the text as it is, and its properties.
pub fn built(subject: &Subject) -> Result<CallOutput, CommandFailure> {
    let document = subject.document()?;
    let diagnostics = diagnostics(&document.diagnostics);
    let attachments: Vec<Value> = document
        .attachments
        .iter()
        .map(|attachment| json!({ "id": attachment.id, "place": attachment.place, "text": attachment.text }))
        .collect();
    let mut texts = vec![document.text.clone()];
    if !document.diagnostics.is_empty() {
        let lines: Vec<String> = document.diagnostics.iter().map(line).collect();
        texts.push(format!("Diagnostics of this build, not part of the prompt:\n{}", lines.join("\n")));
    }
    let structured = json!({
        "preset": document.preset,
        "text": document.text,
        "fingerprint": document.fingerprint,
        "tokens": tokens(&document.tokens),
        "attachments": attachments,
        "diagnostics": diagnostics,
    });
    Ok(CallOutput { texts, structured })
}

/// Returns the result of `request`: the body, and its properties.
pub fn body(
    subject: &Subject,
    arguments: &BodyArguments,
    model: Option<&str>,
) -> Result<CallOutput, CommandFailure> {
    let mut found = subject.prompt.diagnostics.clone();
    let (models, counter) = (subject.models(&mut found), subject.counter()?);
    let target = RequestTarget {
        model,
        models: &models,
        max_output_tokens: arguments.max_output_tokens,
        cache_ttl: arguments.cache_ttl.as_deref(),
        counter: &*counter,
        ..RequestTarget::default()
    };
    let request = arguments.format.format(subject.content(target));
    found.extend(request.diagnostics);
    let body: Value =
        serde_json::from_str(&request.body).map_err(|error| CommandFailure::new(error.to_string()))?;
    Ok(whole(json!({
        "body": body,
        "fingerprint": subject.document()?.fingerprint,
        "diagnostics": diagnostics(&found),
    })))
}

/// Returns the result of `explain`: a row for each part, and what is absent.
pub fn explained(subject: &Subject) -> Result<CallOutput, CommandFailure> {
    let mut labels = Labels::with_files(|source: &Source| subject.file(source));
    let explained = Explanation::with(&subject.prompt, subject.counter()?.as_ref(), &mut labels);
    let cache = &explained.cache;
    let absent: Vec<Value> = explained
        .absent
        .iter()
        .map(|one| json!({ "section": one.section, "reason": one.reason, "why": escape_hidden(&one.why) }))
        .collect();
    Ok(whole(json!({
        "preset": explained.preset,
        "tokens": tokens(&explained.tokens),
        "bytes": explained.bytes,
        "parts": explained.parts.iter().map(part).collect::<Vec<_>>(),
        "absent": absent,
        "cache": { "static_tokens": cache.static_tokens, "ends_at": cache.ends_at },
        "diagnostics": diagnostics(&subject.prompt.diagnostics),
    })))
}

/// Returns the result of `lint`.
pub fn linted(linted: &LintReport) -> CallOutput {
    let count =
        |severity| linted.findings.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    whole(json!({
        "texts": linted.texts,
        "errors": count(Severity::Error),
        "warnings": count(Severity::Warning),
        "diagnostics": diagnostics(&linted.findings),
    }))
}

/// The result of a tool that has no text of its own: the same JSON for clients that read text alone.
fn whole(structured: Value) -> CallOutput {
    CallOutput { texts: vec![structured.to_string()], structured }
}

fn part(part: &PartRow) -> Value {
    let origins: Vec<Value> = part
        .sources
        .iter()
        .map(|source| {
            json!({ "label": escape_hidden(&source.label), "scope": source.scope, "tokens": source.tokens })
        })
        .collect();
    json!({
        "section": part.section,
        "tokens": part.tokens,
        "bytes": part.bytes,
        "stability": part.stability,
        "origins": origins,
        "cut": !part.cuts.is_empty(),
    })
}

fn tokens(tokens: &Tokens) -> Value {
    json!({ "count": tokens.count, "counter": tokens.counter, "exact": tokens.exact })
}

/// Diagnostics for a model. Lines of files are left out: untrusted text must not reach it here either.
fn diagnostics(diagnostics: &[Diagnostic]) -> Vec<Value> {
    diagnostics.iter().map(diagnostic).collect()
}

fn diagnostic(diagnostic: &Diagnostic) -> Value {
    let mut object = json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": message(diagnostic),
    });
    if let Some(place) = diagnostic.place.as_ref().filter(|place| !place.path.is_empty()) {
        object["path"] = json!(escape_hidden(&place.path));
        for (key, number) in [("line", place.line), ("column", place.column)] {
            if let Some(number) = number {
                object[key] = json!(number);
            }
        }
    }
    if let Some(help) = advice::help(diagnostic) {
        object["help"] = json!(escape_hidden(&help));
    }
    object
}

/// Returns the message of a diagnostic. The text that tag characters hide is left out: a model would read it.
fn message(diagnostic: &Diagnostic) -> String {
    if diagnostic.code == HiddenKind::Tag.code() {
        "tag characters hide a text; `preface lint` shows it to a person".to_owned()
    } else {
        escape_hidden(&diagnostic.message).into_owned()
    }
}

/// A diagnostic as a line.
fn line(diagnostic: &Diagnostic) -> String {
    let mut line = format!("{}: {}", diagnostic.severity, message(diagnostic));
    if let Some(place) = diagnostic.place.as_ref().filter(|place| !place.path.is_empty()) {
        line.push_str(&format!(" ({})", escape_hidden(&place.path)));
    }
    if let Some(help) = advice::help(diagnostic) {
        line.push_str(&format!("; {}", escape_hidden(&help)));
    }
    line
}
