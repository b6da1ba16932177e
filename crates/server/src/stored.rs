//! Code shared by the routes of `/system-prompt` and of named templates.

use crate::{
    App, HandlerResult, Problem,
    precondition::{if_match, if_none_match},
    work::template_refused,
};
use axum::{
    Json,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use preface_core::{
    declaration::{Declarations, VariableDeclaration},
    diagnostic::{Diagnostic, Severity},
    lint::hidden::escape_hidden,
};
use preface_engine::{
    BuildOptions, TemplateInput,
    lint::LintFile,
    store::{
        Actor, ExpectedVersion, NewVersion, TemplateName, TemplateVersion, VersionChoice, format_instant,
    },
    templates::{self, EffectiveTemplate, TemplatesError},
};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use tracing::warn;

/// The header with the version of a text; 0 if nothing is stored.
pub(crate) const VERSION: HeaderName = HeaderName::from_static("preface-version");
/// The header of a response while the store does not respond.
const DEGRADED: HeaderName = HeaderName::from_static("preface-degraded");
/// The header with the problems of a template that was stored.
const DIAGNOSTICS: HeaderName = HeaderName::from_static("preface-diagnostics");
/// The most problems that the header has.
const MOST_DIAGNOSTICS: usize = 10;

/// A template.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TemplateReply {
    /// The text, byte for byte as it was given.
    pub template: String,
}

/// A named template.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct NamedTemplateReply {
    /// The text, byte for byte as it was given.
    pub template: String,
    /// The variables that it declares, by `type:name`.
    #[schema(value_type = BTreeMap<String, VariableDeclaration>)]
    pub variables: Declarations,
}

/// Whether a reply has the declarations of a template beside its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyShape {
    /// The text alone: `/system-prompt`.
    Plain,
    /// Both.
    Named,
}

/// A named template to be stored.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedTemplateWrite {
    /// The text; kept byte for byte.
    pub template: String,
    /// The variables that it declares, by `type:name`; without it those of the current version.
    #[serde(default)]
    #[schema(value_type = Option<BTreeMap<String, VariableDeclaration>>)]
    pub variables: Option<Declarations>,
    /// Why it is changed.
    #[serde(default)]
    #[schema(max_length = 2000, pattern = r"^[^\x00]*$")]
    pub note: String,
}

impl From<TemplateWrite> for NamedTemplateWrite {
    fn from(body: TemplateWrite) -> Self {
        NamedTemplateWrite { template: body.template, variables: None, note: body.note }
    }
}

/// A template to be stored.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateWrite {
    /// The text; kept byte for byte.
    pub template: String,
    /// Why it is changed.
    #[serde(default)]
    #[schema(max_length = 2000, pattern = r"^[^\x00]*$")]
    pub note: String,
}

/// A version of a template, without its text.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct VersionInfo {
    /// Counts from 1.
    pub version: u64,
    /// The author.
    pub author: String,
    /// When.
    #[schema(format = DateTime)]
    pub at: String,
    /// Why; may be empty.
    pub note: String,
    /// The labels.
    pub labels: Vec<String>,
    /// The length of the text in bytes.
    pub bytes: u64,
    /// True if this version goes back to the default.
    pub reset: bool,
}

impl From<&TemplateVersion> for VersionInfo {
    fn from(version: &TemplateVersion) -> Self {
        VersionInfo {
            version: version.version,
            author: version.author.clone(),
            at: format_instant(version.at),
            note: version.note.clone(),
            labels: version.labels.clone(),
            bytes: version.bytes,
            reset: version.reset,
        }
    }
}

/// A version of a template.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct VersionReply {
    /// The text; of a version that goes back to the default, the default.
    pub template: String,
    /// The variables that it declares, by `type:name`.
    #[serde(skip_serializing_if = "Declarations::is_empty")]
    #[schema(value_type = BTreeMap<String, VariableDeclaration>)]
    pub variables: Declarations,
    /// The metadata.
    #[serde(flatten)]
    pub info: VersionInfo,
}

/// A named template and its current version.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TemplateEntry {
    /// The name.
    pub name: String,
    /// The current version.
    #[serde(flatten)]
    pub current: VersionInfo,
}

/// The versions to compare.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DiffQuery {
    /// The version before; 0 is the default template.
    pub from: u64,
    /// The version after; the current one where it is left out, 0 is the default template.
    pub to: Option<u64>,
}

/// A label's place.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LabelWrite {
    /// The version that gets it.
    #[serde(deserialize_with = "preface_engine::json_input::number")]
    #[schema(minimum = 1)]
    pub version: u64,
}

/// Returns the effective template of a name.
pub(crate) async fn read(
    app: &App,
    name: &TemplateName,
    headers: &HeaderMap,
    shape: ReplyShape,
) -> HandlerResult<Response> {
    let default = app.default_template().await?;
    let main = *name == TemplateName::main();
    let effective = match templates::effective(&*app.store, name, &default).await {
        Ok(Some(effective)) => effective,
        Ok(None) if main => EffectiveTemplate::of(None, &default),
        Ok(None) => return Err(Problem::from(TemplatesError::NoTemplate(name.clone()))),
        // The seed: without the service there is still the default.
        Err(TemplatesError::Store(error)) if main => {
            let reason = error.to_string();
            warn!(
                reason = &*escape_hidden(&reason),
                "the stored template cannot be read; using the built-in default"
            );
            let degraded = [(DEGRADED, HeaderValue::from_static("store"))];
            return Ok((degraded, Json(TemplateReply { template: default })).into_response());
        }
        Err(error) => return Err(error.into()),
    };
    if if_none_match(headers, &tag(&effective)) {
        return Ok((StatusCode::NOT_MODIFIED, version_headers(&effective)).into_response());
    }
    Ok(template_response(&effective, shape))
}

/// Stores a text as the next version.
pub(crate) async fn write(
    app: &App,
    name: &TemplateName,
    body: NamedTemplateWrite,
    headers: &HeaderMap,
    actor: &Actor,
    shape: ReplyShape,
) -> HandlerResult<Response> {
    let NamedTemplateWrite { template, variables, note } = body;
    let declared = match &variables {
        Some(variables) => variables.clone(),
        None => {
            let current = app.store.template(name, &VersionChoice::Current).await?;
            current.map(|current| current.variables).unwrap_or_default()
        }
    };
    let problems = check(app, &template, declared).await?;
    let default = app.default_template().await?;
    let expect = expected_version(app, name, &default, headers).await?;
    let new = NewVersion { note, variables, ..NewVersion::of(name.clone(), template) };
    let stored = templates::put(&*app.store, new, expect, actor).await?;
    let mut response = template_response(&EffectiveTemplate::of(Some(&stored), &default), shape);
    if let Some(problems) = problems {
        warn!(
            template = name.as_str(),
            version = stored.version,
            problems,
            "the stored template has problems"
        );
        let value = HeaderValue::from_str(&problems).expect("codes and numbers are ASCII");
        response.headers_mut().insert(DIAGNOSTICS, value);
    }
    Ok(response)
}

/// Refuses a text that breaks a hard limit. Returns the errors and warnings of any other text, the worst first, as a list of
/// RFC 9651: `template/unbalanced;line=1;column=5`.
async fn check(app: &App, text: &str, variables: Declarations) -> HandlerResult<Option<String>> {
    let declared = TemplateInput { variables, ..TemplateInput::unsaved("template", "") };
    let (request, text) = (BuildOptions { template_text: Some(declared), ..app.request() }, text.to_owned());
    let checked = app.work(move |engine| {
        if let Err(note) = engine.check_template(&request, &text)? {
            return Ok(Err(note));
        }
        let file =
            LintFile { path: "template".into(), shown: "template".to_owned(), bytes: text.into_bytes() };
        Ok(Ok(engine.lint_files(&request, &[file])?.findings))
    });
    let mut findings = checked.await?.map_err(|note| template_refused(*note))?;
    findings.retain(|note| note.severity >= Severity::Warning);
    findings.sort_by_key(|note| Reverse(note.severity));
    let shown = |note: &Diagnostic| {
        let place = note.place.as_ref();
        let number = |name, value: Option<usize>| value.map(|value| format!(";{name}={value}"));
        let line = number("line", place.and_then(|place| place.line)).unwrap_or_default();
        let column = number("column", place.and_then(|place| place.column)).unwrap_or_default();
        format!("{}{line}{column}", note.code.as_str())
    };
    let shown: Vec<String> = findings.iter().take(MOST_DIAGNOSTICS).map(shown).collect();
    Ok((!shown.is_empty()).then(|| shown.join(", ")))
}

/// Refuses a named template that was never stored. The template of `/system-prompt` is always there.
pub(crate) async fn require_template(app: &App, name: &TemplateName) -> HandlerResult<()> {
    if *name == TemplateName::main() || app.store.template(name, &VersionChoice::Current).await?.is_some() {
        return Ok(());
    }
    Err(TemplatesError::NoTemplate(name.clone()).into())
}

/// Works out which version the writer believes to be the current one.
pub(crate) async fn expected_version(
    app: &App,
    name: &TemplateName,
    default: &str,
    headers: &HeaderMap,
) -> HandlerResult<ExpectedVersion> {
    if !headers.contains_key(header::IF_MATCH) && !headers.contains_key(header::IF_NONE_MATCH) {
        return Ok(ExpectedVersion::Any);
    }
    let stored = app.store.template(name, &VersionChoice::Current).await?;
    let effective = EffectiveTemplate::of(stored.as_ref(), default);
    let tag = tag(&effective);
    // The template of `/system-prompt` is always there; `If-None-Match: *` requires that nothing was stored yet. A named one that
    // was deleted is not there.
    let is_main = *name == TemplateName::main();
    let is_stored = stored.as_ref().is_some_and(|stored| is_main || !stored.reset);
    let matches =
        !headers.contains_key(header::IF_MATCH) || ((is_stored || is_main) && if_match(headers, &tag));
    if !matches || (is_stored && if_none_match(headers, &tag)) {
        return Err(TemplatesError::Stale(Box::new(stored)).into());
    }
    Ok(ExpectedVersion::Version(effective.version))
}

pub(crate) fn template_response(effective: &EffectiveTemplate, shape: ReplyShape) -> Response {
    let template = effective.text.as_ref().to_owned();
    let headers = version_headers(effective);
    match shape {
        ReplyShape::Plain => (headers, Json(TemplateReply { template })).into_response(),
        ReplyShape::Named => {
            let variables = effective.variables.clone();
            (headers, Json(NamedTemplateReply { template, variables })).into_response()
        }
    }
}

fn tag(effective: &EffectiveTemplate) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{}\"", effective.tag())).expect("digits and a dash stand in a header")
}

fn version_headers(effective: &EffectiveTemplate) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::ETAG, tag(effective));
    headers.insert(VERSION, HeaderValue::from(effective.version));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers
}

impl From<TemplatesError> for Problem {
    fn from(error: TemplatesError) -> Self {
        let (status, code) = match &error {
            TemplatesError::Store(error) => return error.clone().into(),
            TemplatesError::NoTemplate(_) => (StatusCode::NOT_FOUND, "no-template"),
            TemplatesError::NoVersion(..) => (StatusCode::NOT_FOUND, "no-version"),
            TemplatesError::NoLabel(..) => (StatusCode::NOT_FOUND, "no-label"),
            TemplatesError::Stale(_) => (StatusCode::PRECONDITION_FAILED, "stale"),
            TemplatesError::Invalid(..) => (StatusCode::BAD_REQUEST, "invalid"),
        };
        let problem = Problem::new(status, code, error.to_string());
        Problem { help: error.help().map(|help| help.words), ..problem }
    }
}

/// Reads the name of a template in the path.
pub(crate) fn parse_name(text: &str) -> HandlerResult<TemplateName> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(80).collect();
        let detail = format!("invalid template name: `{}`", escape_hidden(&shown));
        Problem::new(StatusCode::BAD_REQUEST, "path", detail)
            .help("use 1 to 64 letters, digits, `-`, `_` or `.`; start with a letter or digit")
    })
}
