//! The tools: their arguments, their results, and what each one does. The types are the schemas that clients get.

use crate::{advice, failure::CommandFailure, subject::Subject};
use preface_engine::{
    core::{
        diagnostic::{Diagnostic, Severity},
        document::Tokens,
        explain::{Explanation, Labels},
        format::{self, RequestTarget},
        lint::hidden::{HiddenKind, escape_hidden},
        message::Message,
        origin::Source,
    },
    lint::LintReport,
};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::num::NonZeroU64;

/// The arguments of all tools; the last four are those of `request`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// The directory that the prompt is for: a path at or below a root of the server, absolute or relative to where it was
    /// started. Without it, where the server was started.
    pub directory: Option<String>,
    /// A preset, or a profile of the user's, by its name. Without it the user's settings decide.
    pub preset: Option<String>,
    /// The model that will read the prompt.
    pub model: Option<String>,
    /// Build the prompt of this agent instead of the main conversation's.
    pub agent: Option<String>,
    /// The names of the active tools; an empty list activates no tool. Without it the profile decides.
    pub tools: Option<Vec<String>>,
    /// The format of the body: that of a service.
    pub format: Option<String>,
    /// The messages so far, oldest first, as Anthropic or OpenAI write them, or in the neutral form.
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    pub messages: Option<Vec<Message>>,
    /// The most tokens of the answer.
    pub max_output_tokens: Option<NonZeroU64>,
    /// The lifetime of the cache marks as the service writes it, such as `1h`. Without it that of the model.
    pub cache_ttl: Option<String>,
}

/// The names of the arguments that only `request` takes.
pub const OF_REQUEST: [&str; 4] = ["format", "messages", "max_output_tokens", "cache_ttl"];

/// The result of `build`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BuildOutput {
    preset: String,
    /// The system prompt.
    pub text: String,
    /// The same for the same text.
    fingerprint: String,
    tokens: TokenCount,
    attachments: Vec<AttachmentText>,
    pub diagnostics: Vec<Finding>,
}

/// A text that goes into a message of the user, beside the prompt.
#[derive(Debug, Serialize, JsonSchema)]
struct AttachmentText {
    id: String,
    place: String,
    text: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct TokenCount {
    count: usize,
    counter: String,
    /// False for an estimate.
    exact: bool,
}

/// The result of `explain`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExplainOutput {
    preset: String,
    tokens: TokenCount,
    bytes: usize,
    parts: Vec<PartOutput>,
    absent: Vec<AbsentSection>,
    cache: CacheOutput,
    diagnostics: Vec<Finding>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PartOutput {
    section: String,
    tokens: usize,
    bytes: usize,
    /// How long its bytes stay the same.
    stability: String,
    origins: Vec<OriginOutput>,
    /// True if a limit took something away.
    cut: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct OriginOutput {
    /// A file and its line, a key, or a variable.
    label: String,
    /// The layer that is used.
    scope: Option<String>,
    tokens: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AbsentSection {
    section: String,
    reason: Value,
    why: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CacheOutput {
    static_tokens: usize,
    /// The first section that is not static.
    ends_at: Option<String>,
}

/// The result of `lint`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LintOutput {
    /// How many texts were read.
    texts: usize,
    errors: usize,
    warnings: usize,
    diagnostics: Vec<Finding>,
}

/// The result of `request`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RequestOutput {
    /// What to send.
    body: Map<String, Value>,
    /// That of the prompt.
    fingerprint: String,
    diagnostics: Vec<Finding>,
}

/// A diagnostic for a model. Lines of files are left out: untrusted text must not reach it here either.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Finding {
    code: &'static str,
    /// `info`, `warning` or `error`.
    severity: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

impl Finding {
    fn of(diagnostic: &Diagnostic) -> Self {
        let place = diagnostic.place.as_ref().filter(|place| !place.path.is_empty());
        // The text that tag characters hide is left out: a model would read it.
        let message = if diagnostic.code == HiddenKind::Tag.code() {
            "tag characters hide a text; `preface lint` shows it to a person".into()
        } else {
            escape_hidden(&diagnostic.message)
        };
        Finding {
            code: diagnostic.code.as_str(),
            severity: diagnostic.severity.as_str(),
            message: message.into_owned(),
            path: place.map(|place| escape_hidden(&place.path).into_owned()),
            line: place.and_then(|place| place.line),
            column: place.and_then(|place| place.column),
            help: advice::help(diagnostic).map(|help| escape_hidden(&help).into_owned()),
        }
    }

    /// Converts the failure of a call.
    pub fn of_failure(failure: CommandFailure) -> Self {
        Finding::of(&failure.into_diagnostic())
    }

    /// Returns the message with the place in one line, and the help in a second one.
    pub fn text(&self) -> String {
        let numbers = [self.line, self.column].into_iter().flatten().map(|number| format!(":{number}"));
        let place = self.path.as_ref().map(|path| format!(" ({path}{})", numbers.collect::<String>()));
        let help = self.help.as_ref().map(|help| format!("\nhelp: {help}"));
        format!("{}{}{}", self.message, place.unwrap_or_default(), help.unwrap_or_default())
    }
}

fn findings(diagnostics: &[Diagnostic]) -> Vec<Finding> {
    diagnostics.iter().map(Finding::of).collect()
}

fn token_count(tokens: &Tokens) -> TokenCount {
    TokenCount { count: tokens.count, counter: tokens.counter.clone(), exact: tokens.exact }
}

/// Returns the result of `build`.
pub fn build(subject: &Subject) -> Result<BuildOutput, CommandFailure> {
    let document = subject.document()?;
    let attachments = document.attachments.iter().map(|attachment| AttachmentText {
        id: attachment.id.to_string(),
        place: attachment.place.to_string(),
        text: attachment.text.clone(),
    });
    Ok(BuildOutput {
        tokens: token_count(&document.tokens),
        attachments: attachments.collect(),
        diagnostics: findings(&document.diagnostics),
        preset: document.preset,
        text: document.text,
        fingerprint: document.fingerprint,
    })
}

/// Returns the result of `explain`: a row for each part, and what is absent.
pub fn explain(subject: &Subject) -> Result<ExplainOutput, CommandFailure> {
    let mut labels = Labels::with_files(|source: &Source| subject.file(source));
    let explained = Explanation::with(&subject.prompt, subject.counter()?.as_ref(), &mut labels);
    let parts = explained.parts.iter().map(|part| PartOutput {
        section: part.section.to_string(),
        tokens: part.tokens,
        bytes: part.bytes,
        stability: part.stability.to_string(),
        origins: part
            .sources
            .iter()
            .map(|source| OriginOutput {
                label: escape_hidden(&source.label).into_owned(),
                scope: source.scope.map(|scope| scope.to_string()),
                tokens: source.tokens,
            })
            .collect(),
        cut: !part.cuts.is_empty(),
    });
    let absent = explained.absent.iter().map(|absent| AbsentSection {
        section: absent.section.to_string(),
        reason: serde_json::to_value(absent.reason).unwrap_or_default(),
        why: escape_hidden(&absent.why).into_owned(),
    });
    Ok(ExplainOutput {
        tokens: token_count(&explained.tokens),
        bytes: explained.bytes,
        parts: parts.collect(),
        absent: absent.collect(),
        cache: CacheOutput {
            static_tokens: explained.cache.static_tokens,
            ends_at: explained.cache.ends_at.as_ref().map(ToString::to_string),
        },
        diagnostics: findings(&subject.prompt.diagnostics),
        preset: explained.preset,
    })
}

/// Returns the result of `lint`.
pub fn lint(report: &LintReport) -> LintOutput {
    let count =
        |severity| report.findings.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    LintOutput {
        texts: report.texts,
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        diagnostics: findings(&report.findings),
    }
}

/// Returns the result of `request`: the body, and its properties.
pub fn request(mut subject: Subject, arguments: &Arguments) -> Result<RequestOutput, CommandFailure> {
    let named = arguments.format.as_deref().unwrap_or_default();
    let Some(format) = format::services().find(|format| format.name() == named) else {
        let names: Vec<&str> = format::services().map(|format| format.name()).collect();
        return Err(CommandFailure::usage(format!(
            "not the format of a service: `{}`",
            escape_hidden(named)
        ))
        .help(format!("formats are {}", names.join(", "))));
    };
    subject.add_history(arguments.messages.as_deref().unwrap_or_default(), &mut Vec::new());
    let mut diagnostics = subject.prompt.diagnostics.clone();
    let (models, counter) = (subject.models(&mut diagnostics), subject.counter()?);
    let made = format.format(subject.content(RequestTarget {
        model: arguments.model.as_deref(),
        models: &models,
        max_output_tokens: arguments.max_output_tokens.map(NonZeroU64::get),
        cache_ttl: arguments.cache_ttl.as_deref(),
        counter: &*counter,
        ..RequestTarget::default()
    }));
    diagnostics.extend(made.diagnostics);
    Ok(RequestOutput {
        body: serde_json::from_str(&made.body).map_err(|error| CommandFailure::new(error.to_string()))?,
        fingerprint: subject.document()?.fingerprint,
        diagnostics: findings(&diagnostics),
    })
}
