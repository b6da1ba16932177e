//! Render: from an outline and variables to a draft in which each range of output knows its source span. Inserted values
//! are inert: they are written, never scanned for tags.

mod part;
mod ready;
mod values;
mod watch;

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Severity},
    lint::{
        character::{HiddenKind, escape_name},
        finding::TextFinding,
        forged, hidden,
        template::{VariableTypes, lint_unknown},
    },
    origin::{Origin, Piece, Span},
    pipeline::{
        draft::{Absent, AbsentReason, Draft, DraftPart, behead_spans, push_span, truncate_spans},
        outline::{Outline, Plan},
    },
    profile::{EngineTags, Profile},
    reminder::FieldKind,
    scope::Scope,
    section::TrimMode,
    template::{TemplateError, TemplateOptions},
    trust::TrustMode,
    turn::{Turn, one_line},
    variable::{
        VariableKey,
        source::{MissingVariable, Variables},
    },
};
use part::WrittenPart;
use ready::ParsedTemplate;
use std::{borrow::Cow, ops::Range};
use watch::ImitationWatch;

/// The reason why a render fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A text that cannot be rendered, as a diagnostic with file, line and column.
    #[error("{}", .0.message)]
    Text(Box<Diagnostic>),
    /// A text has a variable that is not known.
    #[error(transparent)]
    Missing(MissingVariable),
}

impl From<MissingVariable> for RenderError {
    fn from(missing: MissingVariable) -> Self {
        RenderError::Missing(missing)
    }
}

/// The profile's rules for rendering.
#[derive(Clone, Debug)]
pub struct RenderRules<'p> {
    /// The template language's switches and limits.
    pub template: TemplateOptions,
    /// The same for the frames of items.
    pub frames: TemplateOptions,
    /// The known types, where a tag of another type is blank.
    pub blank: Option<VariableTypes>,
    /// The known variables, where some are declared: then a part is as stable as the least stable one that its texts name, in any
    /// branch.
    pub named: Option<VariableTypes>,
    /// The types of variables whose values are escaped.
    pub escape: &'p [String],
    /// The tags that no value may imitate.
    pub tags: Cow<'p, [String]>,
    /// The engine's own tags, for texts that are watched.
    pub own_tags: Cow<'p, EngineTags>,
    /// The way in which the texts of a project were granted.
    pub trust: TrustMode,
}

/// The characters that end a line.
const LINE_ENDS: [char; 2] = ['\n', '\r'];

impl<'p> RenderRules<'p> {
    /// Reads the rules off a profile and a turn.
    #[must_use]
    pub fn new(profile: &'p Profile, turn: &'p Turn) -> Self {
        let template = TemplateOptions::of(profile, &turn.variables);
        let is_blank = profile.template.blank_unknown;
        RenderRules {
            frames: template.with_type("item"),
            template,
            named: profile.variables.has_inputs().then(|| VariableTypes::of(profile, &turn.variables)),
            blank: is_blank.then(|| VariableTypes::of(profile, &turn.variables)),
            escape: &profile.escape,
            tags: profile.reserved_tags().into(),
            own_tags: Cow::Owned(EngineTags::default()),
            trust: profile.trust,
        }
    }

    /// Sets the tags that watched texts must not imitate.
    #[must_use]
    pub fn with_own_tags(self, own_tags: &'p EngineTags) -> Self {
        RenderRules { own_tags: Cow::Borrowed(own_tags), ..self }
    }

    /// Writes a value of `kind` as the profile wants it, and reports what is wrong with it.
    fn escape_value<'t>(
        &self,
        kind: &str,
        key: &VariableKey,
        text: &'t str,
        diagnostics: &mut Diagnostics,
    ) -> Cow<'t, str> {
        let form = ValueForm::of(kind, key);
        if !self.escapes(kind) {
            self.report(kind, key, form, &form.fold(text), diagnostics);
            return Cow::Borrowed(text);
        }
        let text = form.fold(text);
        if let Cow::Owned(safe) = self.write_form(form, &text) {
            report_once(diagnostics, self.escaped_diagnostic(key, form, &text).about(key));
            return Cow::Owned(safe);
        }
        if form == ValueForm::Text {
            self.report(kind, key, form, &text, diagnostics);
        }
        text
    }

    /// Returns true if the profile escapes values of this type.
    fn escapes(&self, kind: &str) -> bool {
        self.escape.iter().any(|escaped| escaped == kind)
    }

    /// Writes a value without what a value of this form must not have.
    fn write_form<'t>(&self, form: ValueForm, text: &'t str) -> Cow<'t, str> {
        match form {
            ValueForm::Name => escape_name(text),
            ValueForm::Branch => match text.char_indices().nth(BRANCH_CHARS) {
                Some((end, _)) => Cow::Owned(format!("{}…", escape_name(&text[..end]))),
                None => escape_name(text),
            },
            ValueForm::Names => {
                if names(text).all(|name| matches!(escape_name(name), Cow::Borrowed(_))) {
                    return Cow::Borrowed(text);
                }
                let escaped = |line| status_names(line).map(escape_name).collect::<Vec<_>>().join(ARROW);
                Cow::Owned(text.split('\n').map(escaped).collect::<Vec<_>>().join("\n"))
            }
            ValueForm::Line => forged::escape_folded(text, &self.tags),
            ValueForm::Text => forged::neutralise(text, &self.tags),
        }
    }

    /// Escapes forged structure in a value, whatever the profile wants, and reports it.
    fn escape_forged<'t>(
        &self,
        key: &VariableKey,
        text: &'t str,
        diagnostics: &mut Diagnostics,
    ) -> Cow<'t, str> {
        let safe = forged::neutralise(text, &self.tags);
        if let Cow::Owned(_) = &safe {
            report_once(diagnostics, self.escaped_diagnostic(key, ValueForm::Text, text));
        }
        safe
    }

    /// Writes a value of an event as its field has it.
    fn of_event<'t>(
        &self,
        key: &VariableKey,
        kind: Option<FieldKind>,
        text: &'t str,
        diagnostics: &mut Diagnostics,
    ) -> Cow<'t, str> {
        let form = match kind {
            Some(FieldKind::Name) => ValueForm::Name,
            Some(FieldKind::Line) => ValueForm::Line,
            _ => return self.escape_forged(key, text, diagnostics),
        };
        let text = form.fold(text);
        let Cow::Owned(safe) = self.write_form(form, &text) else { return text };
        report_once(diagnostics, self.escaped_diagnostic(key, form, &text).about(key));
        Cow::Owned(safe)
    }

    fn escaped_diagnostic(&self, key: &VariableKey, form: ValueForm, text: &str) -> Diagnostic {
        if form == ValueForm::Text || !forged::scan_few(text, &self.tags, 1).0.is_empty() {
            let what = format!("the value of `{key}` imitates the structure of a prompt; it was escaped");
            return Diagnostic::warning(DiagnosticCode::ForgedEscaped, what);
        }
        if form == ValueForm::Branch
            && let Some((end, _)) = text.char_indices().nth(BRANCH_CHARS)
        {
            let what = format!(
                "the value of `{key}` was cut after {BRANCH_CHARS} characters: `{}` was left out",
                escape_name(&text[end..])
            );
            return Diagnostic::warning(DiagnosticCode::GitBranchCut, what);
        }
        let (severity, what) = describe_characters(form, text);
        let what = format!("the value of `{key}` {what}; they were escaped");
        Diagnostic::new(severity, DiagnosticCode::HiddenValue, what)
    }

    /// Reports what is wrong with a value that goes in as it is. The text of files is reported where the file is known.
    fn report(
        &self,
        kind: &str,
        key: &VariableKey,
        form: ValueForm,
        text: &str,
        diagnostics: &mut Diagnostics,
    ) {
        if !REPORTED.contains(&kind) {
            return;
        }
        if form != ValueForm::Text && !matches!(self.write_form(form, text), Cow::Borrowed(_)) {
            let forged = forged::scan_few(text, &self.tags, 1).0.pop();
            let diagnostic = match forged {
                Some(forged) => {
                    let diagnostic = forged.diagnostic();
                    Diagnostic { message: format!("`{key}` {}", diagnostic.message), ..diagnostic }
                }
                None => {
                    let (severity, what) = describe_characters(form, text);
                    Diagnostic::new(
                        severity,
                        DiagnosticCode::HiddenValue,
                        format!("the value of `{key}` {what}"),
                    )
                }
            };
            let help = format!("`escape = [\"{kind}\"]` in a profile writes such characters out");
            return report_once(diagnostics, diagnostic.about(key).help(help));
        }
        let (hides, _) = hidden::scan_few(text, 1);
        for found in hides.iter().map(TextFinding::diagnostic).filter(|found| found.severity > Severity::Info)
        {
            let message = format!("the value of `{key}` hides text: {}", found.message);
            report_once(diagnostics, Diagnostic { severity: Severity::Warning, message, ..found }.about(key));
        }
        for found in forged::scan_few(text, &self.tags, 1).0.iter().map(TextFinding::diagnostic) {
            let message = format!("`{key}` {}", found.message);
            report_once(diagnostics, Diagnostic { message, ..found }.about(key));
        }
    }
}

/// The types of variables whose values are chosen by the directory or its files and are not checked elsewhere.
const REPORTED: &[&str] = &["agents", "git", "item", "prompt", "system", "tool"];

/// The number of characters of a branch's name that are shown: more of them make sentences.
const BRANCH_CHARS: usize = 100;

/// The kind of a value, which decides how it is escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueForm {
    /// A name: one line of visible characters.
    Name,
    /// The name of a branch: the same, and short.
    Branch,
    /// Lines with a name each, or two with an arrow between them.
    Names,
    /// A description on one line.
    Line,
    /// Text of several lines.
    Text,
}

impl ValueForm {
    /// Returns the form of a variable's value; `kind` is the type that its writer has.
    fn of(kind: &str, key: &VariableKey) -> Self {
        match (kind, key.name()) {
            ("git", "branch") => ValueForm::Branch,
            ("git", "status") => ValueForm::Names,
            ("git" | "prompt" | "system", _) => ValueForm::Name,
            ("item", "absolute" | "base_dir" | "location" | "name" | "path") => ValueForm::Name,
            ("item", _) => ValueForm::Line,
            _ => ValueForm::Text,
        }
    }

    /// Folds the white space of a description.
    fn fold(self, text: &str) -> Cow<'_, str> {
        if self == ValueForm::Line { one_line(text) } else { Cow::Borrowed(text) }
    }
}

/// The text that git writes between the two names of a renamed file.
const ARROW: &str = " -> ";

/// Returns the names in the lines of a status.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(status_names)
}

/// Returns the names of one line of a status, the first one behind its two letters.
fn status_names(line: &str) -> impl Iterator<Item = &str> {
    let is_rename = line.bytes().take(2).any(|letter| matches!(letter, b'C' | b'R'));
    line.splitn(if is_rename { 2 } else { 1 }, ARROW)
}

/// Returns how bad the characters of a name are, and which they are.
fn describe_characters(form: ValueForm, text: &str) -> (Severity, String) {
    const SHOWN: usize = 8;
    let plain = |c: &char| matches!(escape_name(c.encode_utf8(&mut [0; 4])), Cow::Borrowed(_));
    let unusual = |name: &str| name.chars().filter(|c| !plain(c)).collect::<Vec<char>>();
    let mut found = match form {
        ValueForm::Names => names(text).flat_map(unusual).collect(),
        _ => unusual(text),
    };
    found.sort_unstable();
    found.dedup();
    let hides = found.iter().any(|c| c.is_control() || HiddenKind::of(*c).is_some());
    let points: Vec<String> = found.iter().take(SHOWN).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
    let more = if found.len() > SHOWN { " …" } else { "" };
    let what = if found.is_empty() {
        "has characters that could be read as an escape".to_owned()
    } else {
        format!("has characters that a name does not need: {}{more}", points.join(" "))
    };
    (if hides { Severity::Warning } else { Severity::Info }, what)
}

/// The most diagnostics about values; many files may have many names.
const VALUE_NOTES: usize = 100;

/// Adds a diagnostic about a value that is not there yet.
fn report_once(diagnostics: &mut Diagnostics, diagnostic: Diagnostic) {
    let is_of_value = |diagnostic: &&Diagnostic| {
        let is_escape =
            matches!(diagnostic.code, DiagnosticCode::ForgedEscaped | DiagnosticCode::GitBranchCut);
        diagnostic.place.is_none() && (is_escape || diagnostic.code.topic() == "hidden")
    };
    if diagnostics.contains(&diagnostic) || diagnostics.iter().filter(is_of_value).count() > VALUE_NOTES {
        return;
    }
    if diagnostics.iter().filter(is_of_value).count() == VALUE_NOTES {
        let what = format!(
            "more than {VALUE_NOTES} diagnostics about values, such as `{}`: the rest is left out",
            diagnostic.code
        );
        diagnostics.push(Diagnostic::warning(diagnostic.code, what));
        return;
    }
    diagnostics.push(diagnostic);
}

/// Renders an outline.
///
/// # Errors
/// A template that is nested too deeply or too large, or an unknown variable.
pub fn render(
    outline: Outline<'_>,
    rules: &RenderRules<'_>,
    variables: &mut Variables<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Draft, RenderError> {
    let tags = rules.own_tags.watched(&outline.plans);
    let of_event = outline.plans.iter().any(|plan| plan.event.is_some());
    let neutralise = rules.own_tags.neutralise;
    let watch = ImitationWatch { tags, neutralise, of_event, trust: rules.trust };
    // The parts that are watched, with what they were made of.
    let mut watched = Vec::new();
    let mut draft = Draft { parts: Vec::with_capacity(outline.plans.len()), absent: outline.absent };
    for plan in outline.plans {
        let written = part::write(&plan, rules, &watch, variables, diagnostics)?;
        let at = draft.parts.len();
        match finish(&plan, written) {
            Ok(part) => draft.parts.push(part),
            Err(absent) => {
                draft.absent.push(absent);
                continue;
            }
        }
        // No heading leaves a tag.
        let is_in_tags = plan.item.as_ref().is_some_and(|item| item.text.starts_with('<'));
        if plan.watch_tags && !is_in_tags {
            watched.push((at, plan.items));
        }
    }
    watch::headings(&draft.parts, &watched, diagnostics);
    Ok(draft)
}

/// Trims what was written, and takes it as a part unless it is empty.
fn finish(plan: &Plan<'_>, written: WrittenPart) -> Result<DraftPart, Absent> {
    let WrittenPart { mut rendered, mut items, blank, volatility } = written;
    if !plan.keep_blank && blank {
        return Err(Absent {
            section: plan.meta.id.clone(),
            reason: AbsentReason::Empty,
            why: "it came out empty".to_owned(),
        });
    }
    if plan.trim != TrimMode::None {
        let end = rendered.text.trim_end_matches(['\n', '\r']).len();
        rendered.truncate(end);
    }
    if plan.trim == TrimMode::Both {
        let gone = rendered.text.len() - rendered.text.trim_start_matches(['\n', '\r']).len();
        rendered.behead(gone);
        for item in &mut items {
            item.shift(0, gone);
        }
    }
    for item in &mut items {
        item.truncate(rendered.text.len());
    }
    Ok(DraftPart {
        meta: plan.meta.clone(),
        text: rendered.text,
        spans: rendered.spans,
        items,
        stability: plan.meta.stability.unwrap_or(volatility),
        cuts: Vec::new(),
    })
}

/// A text with spans that tile it.
#[derive(Clone, Debug, Default)]
struct RenderedText {
    text: String,
    spans: Vec<Span>,
}

impl RenderedText {
    fn with_room(bytes: usize, spans: usize) -> Self {
        RenderedText { text: String::with_capacity(bytes), spans: Vec::with_capacity(spans) }
    }

    fn push(&mut self, text: &str, origin: Origin) {
        push_span(&mut self.text, &mut self.spans, text, origin);
    }

    fn append(&mut self, other: &RenderedText) {
        for span in &other.spans {
            self.push(&other.text[span.range.clone()], span.origin.clone());
        }
    }

    /// Takes everything from `at` on.
    fn split_off(&mut self, at: usize) -> RenderedText {
        let mut rest = RenderedText::default();
        for span in self.spans.iter().filter(|span| span.range.end > at) {
            let start = span.range.start.max(at);
            let within = start - span.range.start..span.range.len();
            rest.push(&self.text[start..span.range.end], span.origin.part(&within));
        }
        self.truncate(at);
        rest
    }

    /// Takes away the line ends at a place, and returns how many bytes they were.
    fn take_line_ends(&mut self, at: usize) -> usize {
        let behind = &self.text[at..];
        let gone = behind.len() - behind.trim_start_matches(LINE_ENDS).len();
        if gone > 0 {
            let mut rest = self.split_off(at);
            rest.behead(gone);
            self.append(&rest);
        }
        gone
    }

    fn truncate(&mut self, len: usize) {
        self.text.truncate(len);
        truncate_spans(&mut self.spans, len);
    }

    fn behead(&mut self, len: usize) {
        self.text.drain(..len);
        behead_spans(&mut self.spans, len);
    }
}

/// Writes pieces as they are, but for forged structure in values of variables.
fn push_pieces(
    out: &mut RenderedText,
    pieces: &[Piece],
    rules: &RenderRules<'_>,
    diagnostics: &mut Diagnostics,
) {
    for piece in pieces {
        let text = match &piece.origin {
            Origin::Variable { key, .. } => rules.escape_value(key.kind(), key, &piece.text, diagnostics),
            _ => Cow::Borrowed(piece.text.as_str()),
        };
        out.push(&text, piece.origin.clone());
    }
}

/// The most that a template may come out as, where templates have a limit at all: a short one can name a large file
/// many times.
const RENDERED_LIMIT: usize = 64 << 20;

/// The most tags of one text that are reported as blank.
const BLANK_TAGS: usize = 20;

/// Reports the tags of a text that are blank because nothing can give them a value.
fn report_blank(parsed: &ParsedTemplate<'_>, rules: &RenderRules<'_>, diagnostics: &mut Diagnostics) {
    let Some(types) = &rules.blank else { return };
    let (scope, path) = place_of(parsed.pieces);
    let (found, left) = lint_unknown(&parsed.template, &rules.template, types, scope, &path, BLANK_TAGS);
    diagnostics.extend(found.into_iter().map(|found| found.diagnostic));
    if left > 0 {
        let what = format!("… and {left} more tags of this template are blank");
        diagnostics
            .push(Diagnostic::warning(DiagnosticCode::TemplateMore, what).at(Place::file(scope, path)));
    }
}

fn template_error(error: &TemplateError, pieces: &[Piece], text: &str) -> RenderError {
    let (scope, path) = place_of(pieces);
    RenderError::Text(Box::new(error.to_diagnostic(scope, &path, text)))
}

fn error_at(diagnostic: Diagnostic, pieces: &[Piece], text: &str, range: Range<usize>) -> RenderError {
    let (scope, path) = place_of(pieces);
    RenderError::Text(Box::new(diagnostic.at(Place::within(scope, path, text, range))))
}

/// Returns the file that a text is from, or what stands for it.
fn place_of(pieces: &[Piece]) -> (Option<Scope>, String) {
    match pieces.first().map(|piece| &piece.origin) {
        Some(origin @ Origin::Source { source, .. }) => (origin.scope(), source.path.clone()),
        Some(other) => (None, other.to_string()),
        None => (None, String::new()),
    }
}
