//! Diagnostics about single tags: their key is unknown, they are text, they are nested too deeply.

use super::{PendingFinding, PendingFindings, VariableType, VariableTypes, shown};
use crate::{
    diagnostic::{DiagnosticCode, Remedy, Severity},
    suggestion::quoted,
    template::{StrayReason, Tag, TagRole, Template, TemplateError, TemplateOptions, find_endraw},
    variable::VariableKey,
};
use std::ops::Range;

/// Reports the tags that are text because their block is broken, and comparisons that cannot hold.
pub(super) fn structure(template: &Template, options: &TemplateOptions, diagnostics: &mut PendingFindings) {
    for tag in template.tags() {
        if let Some((range, word, help)) = impossible_value(template, tag, options) {
            let key = tag.role.key().map_or("", |key| template.key(key).as_str());
            let message = format!("`{key}` cannot be `{}`", shown(word));
            let code = DiagnosticCode::TemplateUnknownValue;
            diagnostics.push(PendingFinding::new(Severity::Warning, code, &range, message).help(help));
        }
        if let Some(diagnostic) = tag.stray.and_then(|stray| stray_tag(tag, stray)) {
            diagnostics.push(diagnostic);
        }
    }
}

/// Reports the tags whose key can have no value.
pub(super) fn unknown(
    template: &Template,
    options: &TemplateOptions,
    catalogue: &VariableTypes,
    diagnostics: &mut PendingFindings,
) {
    let mut answers = Answers { template, catalogue, raw: options.raw, wrapped: 0 };
    for tag in template.tags().iter().filter(|tag| tag.stray.is_none()) {
        if let Some(key) = tag.role.key() {
            let key = template.key(key);
            // Those of an entry were checked where blocks were paired.
            if key.kind() == "item" && options.inputs.is_some() {
                continue;
            }
            if let Some(diagnostic) = answers.check(tag, key) {
                diagnostics.push(diagnostic);
            }
        }
    }
}

/// Reports variables with a better one, and tags that are nested too deeply.
pub(super) fn diagnostics(
    template: &Template,
    options: &TemplateOptions,
    catalogue: &VariableTypes,
    diagnostics: &mut PendingFindings,
) {
    for tag in template.tags().iter().filter(|tag| tag.stray.is_none()) {
        if let TagRole::Variable { key } = tag.role
            && template.key(key).as_str() == "system:date"
        {
            diagnostics.push(utc_date(tag, catalogue));
        }
    }
    if let Some(TemplateError { code, message, position, setting }) = TemplateError::depth(template, options)
    {
        diagnostics.push(
            PendingFinding::new(Severity::Error, code, &position.range, message).help(Remedy::lift(setting)),
        );
    }
}

/// Returns the value of a comparison that its variable can never have, and the help.
pub(crate) fn impossible_value<'t>(
    template: &'t Template,
    tag: &Tag,
    options: &TemplateOptions,
) -> Option<(Range<usize>, &'t str, Remedy)> {
    let test = tag.role.test().filter(|_| tag.stray.is_none())?;
    let words = template.text().get(test.words.clone()?)?;
    let (word, help) = options.inputs.as_ref()?.impossible(template.key(test.key), words)?;
    let at = test.words.as_ref()?.start + (word.as_ptr() as usize - words.as_ptr() as usize);
    Some((at..at + word.len(), word, help))
}

/// Reports a tag that is in the output as text.
fn stray_tag(tag: &Tag, stray: StrayReason) -> Option<PendingFinding> {
    let message = match (&tag.role, stray) {
        (TagRole::Variable { .. } | TagRole::If { .. } | TagRole::Elif { .. }, StrayReason::NoEach) => {
            "no working `each` is open here: `item:` will appear as text"
        }
        (TagRole::Variable { .. } | TagRole::If { .. } | TagRole::Elif { .. }, StrayReason::NoField) => {
            "the entries of this list have no such `item:`: it will appear as text"
        }
        (TagRole::Each { .. }, StrayReason::NoList) => {
            "this is not declared as a list: it will appear as text"
        }
        (TagRole::Each { .. }, _) => "no `[endeach]` closes this `each`: it will appear as text",
        (TagRole::Endeach, StrayReason::NoOpenEach) => {
            "no `each` is open here: `[endeach]` will appear as text"
        }
        (_, StrayReason::NoEach | StrayReason::NoField | StrayReason::NoList) | (TagRole::Endeach, _) => {
            return None;
        }
        (TagRole::If { .. }, _) => "no `[endif]` closes this `if`: it will appear as text",
        (_, StrayReason::SecondElse) => "this `if` has an `[else]` already: it will appear as text",
        (TagRole::Elif { .. }, StrayReason::NoOpenIf) => "no `if` is open here: `elif` will appear as text",
        (TagRole::Elif { .. }, _) => "no `[endif]` closes the `if` of this `elif`: it will appear as text",
        (TagRole::Else, StrayReason::NeverClosed) => {
            "no `[endif]` closes the `if` of this `[else]`: it will appear as text"
        }
        (TagRole::Else, _) => "no `if` is open here: `[else]` will appear as text",
        (TagRole::Endif, _) => "no `if` is open here: `[endif]` will appear as text",
        (TagRole::Raw | TagRole::Endraw | TagRole::Variable { .. }, _) => return None,
    };
    Some(PendingFinding::new(Severity::Warning, DiagnosticCode::TemplateUnbalanced, &tag.range, message))
}

/// The check that the keys of a template are known.
struct Answers<'a> {
    template: &'a Template,
    catalogue: &'a VariableTypes,
    raw: bool,
    /// The end of the last block that an edit wraps. That edit settles the blocks inside it; theirs would copy the
    /// same text once more each.
    wrapped: usize,
}

impl Answers<'_> {
    /// Reports an unknown key.
    fn check(&mut self, tag: &Tag, key: &VariableKey) -> Option<PendingFinding> {
        if self.catalogue.stability(key).is_some() {
            return None;
        }
        let follows = match tag.role {
            TagRole::If { ref test, .. } | TagRole::Elif { ref test } => {
                format!("its first branch is {} taken", if test.negated { "always" } else { "never" })
            }
            _ => format!("`{}` will vanish", shown(&self.template.text()[tag.range.clone()])),
        };
        Some(match self.catalogue.kind(key.kind()) {
            Some(kind) => unknown_name(tag, key, kind, &follows),
            None => self.unregistered_type(tag, key, &follows),
        })
    }

    fn unregistered_type(&mut self, tag: &Tag, key: &VariableKey, follows: &str) -> PendingFinding {
        let message = format!("`{}` is no registered type: {follows}", shown(key.kind()));
        let mut diagnostic = PendingFinding::new(
            Severity::Warning,
            DiagnosticCode::TemplateUnregisteredType,
            &tag.range,
            message,
        );
        let meant = self.catalogue.nearest_kind(key.kind());
        if let Some(kind) = meant {
            diagnostic = diagnostic.help(format!("did you mean the type `{kind}`?"));
        }
        if let Some(range) = self.raw.then(|| self.wrap(tag)).flatten() {
            let replacement = format!("[raw]{}[endraw]", &self.template.text()[range.clone()]);
            diagnostic.edit(range, replacement)
        } else if let Some(kind) = meant {
            diagnostic.edit(tag.key.start..tag.key.start + key.kind().len(), kind)
        } else {
            diagnostic
        }
    }

    /// Returns the text to wrap in `[raw]` to keep a tag as text: the variable, or the whole block of an `if`.
    fn wrap(&mut self, tag: &Tag) -> Option<Range<usize>> {
        let end = match tag.role {
            TagRole::If { .. } if tag.range.start < self.wrapped => return None,
            TagRole::If { endif, .. } => {
                self.wrapped = self.template.tags().get(endif?)?.range.end;
                self.wrapped
            }
            _ => tag.range.end,
        };
        let ended = find_endraw(&self.template.text()[..end], tag.range.start);
        ended.is_none().then_some(tag.range.start..end)
    }
}

fn unknown_name(tag: &Tag, key: &VariableKey, kind: &VariableType, follows: &str) -> PendingFinding {
    let message = format!("`{}` has no name `{}`: {follows}", key.kind(), shown(key.name()));
    let diagnostic =
        PendingFinding::new(Severity::Warning, DiagnosticCode::TemplateUnknownName, &tag.range, message);
    match kind.nearest_name(key.name()) {
        Some(name) => {
            let start = tag.key.start + key.kind().len() + 1;
            diagnostic.help(format!("did you mean `{}:{name}`?", key.kind())).edit(start..tag.key.end, name)
        }
        None if kind.names.is_empty() => {
            diagnostic.help(format!("there are no names of `{}` here", key.kind()))
        }
        None => diagnostic.help(format!("its names are {}", quoted(kind.names.keys()))),
    }
}

/// Reports that `system:date` may be yesterday or tomorrow where the user is.
fn utc_date(tag: &Tag, catalogue: &VariableTypes) -> PendingFinding {
    let diagnostic = PendingFinding::new(
        Severity::Info,
        DiagnosticCode::TemplateUtcDate,
        &tag.range,
        "`system:date` is the day in UTC, for part of each day another one than the user's",
    );
    let local = VariableKey::new("system", "local_date");
    if catalogue.stability(&local).is_none() {
        return diagnostic;
    }
    diagnostic.help(format!("`{local}` is the day in the user's zone")).edit(tag.key.clone(), local.as_str())
}
