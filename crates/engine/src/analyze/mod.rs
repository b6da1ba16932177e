//! Everything that somebody who edits a template wants to see of it at once: its tags, what is wrong with it, what it
//! renders to and where each byte of that came from, and the values that it names.
//!
//! A template that breaks a limit is no failure here: that is one of the findings.

mod notes;
mod preview;
mod probe;
mod reply;
#[cfg(feature = "openapi")]
mod words;

pub(crate) use probe::Probe;
pub use reply::{
    Analysis, AnalyzedEdit, AnalyzedNote, AnalyzedPart, AnalyzedSpan, AnalyzedToken, Condition, Left,
    Preview, SpanOrigin, UsedVariable,
};

use crate::{Error, engine::Engine, request::Request};
use preface_core::{
    diagnostic::Diagnostics,
    render::RenderRules,
    template::{Template, TemplateOptions, Utf16},
    variable::RecordedVariables,
};
use std::path::PathBuf;

/// A template to analyze, with the request whose variables it may use.
#[derive(Clone, Debug, Default)]
pub struct AnalysisRequest {
    /// The template.
    pub template: String,
    /// The request whose variables are used. Without a `cwd` nothing about a directory is looked up.
    pub request: Request,
    /// The directories below which files may be read, real paths. The request's `cwd` must lie below one of them.
    pub roots: Vec<PathBuf>,
    /// True where `[raw]` blocks work; `None` uses the profile's setting.
    pub raw: Option<bool>,
    /// True where lines of tags alone are removed; `None` uses the profile's setting.
    pub trim_tag_lines: Option<bool>,
}

impl Engine<'_> {
    /// Analyzes a template. Nothing is stored, and nothing outside of the roots is read.
    ///
    /// # Errors
    /// The profile cannot be used, or the request cannot be understood.
    pub fn analyze(&self, wanted: &AnalysisRequest) -> Result<Analysis, Error> {
        let mut probe = Probe::new(self, &wanted.request, &wanted.roots)?;
        let limits = &mut probe.profile.template;
        limits.raw = wanted.raw.unwrap_or(limits.raw);
        limits.trim_tag_lines = wanted.trim_tag_lines.unwrap_or(limits.trim_tag_lines);
        let options = RenderRules::new(limits, &[]).template;

        let text = wanted.template.as_str();
        let (mut variables, mut problem) = (RecordedVariables::default(), Diagnostics::new());
        let preview = match Template::parse(text, &options) {
            Ok(_) => preview::preview(&probe, text, &mut variables, &mut problem)?,
            // Its finding comes with the others.
            Err(_) => None,
        };
        // What is too deep or too large is still coloured.
        let unlimited = TemplateOptions { max_depth: None, max_bytes: None, ..options };
        let Ok(template) = Template::parse(text, &unlimited) else { return Ok(Analysis::default()) };
        let tiles = template.tiles();
        let utf16 = Utf16::new(text);
        let conditions = preview::conditions(&tiles, &variables);
        let (diagnostics, more_diagnostics) = notes::notes(
            &notes::AnalysisInput {
                text,
                options: &options,
                profile: &probe.profile,
                somewhere: probe.somewhere,
            },
            &tiles,
            &variables,
            problem,
            &utf16,
        );
        let (variables, more_variables) = preview::variables(&tiles, &variables);
        let (preview, more_spans) = preview.map(|prompt| Preview::of(&prompt, conditions)).unzip();
        Ok(Analysis {
            variables,
            preview,
            raw: options.raw,
            tokens: tiles
                .iter()
                .take(reply::MOST_TOKENS)
                .map(|tile| AnalyzedToken::of(tile, &utf16))
                .collect(),
            diagnostics,
            left: Left {
                tokens: tiles.len().saturating_sub(reply::MOST_TOKENS),
                diagnostics: more_diagnostics,
                spans: more_spans.unwrap_or(0),
                variables: more_variables,
            },
        })
    }

    /// Lists the variables with their values for a request. Without a `cwd` nothing about a directory is looked at; with
    /// one, it must lie below a root. A type of which any name is good has no value.
    ///
    /// # Errors
    /// The profile cannot be used.
    pub fn variable_values(
        &self,
        request: &Request,
        roots: &[PathBuf],
    ) -> Result<Vec<(crate::Variable, Option<preface_core::variable::RecordedVariable>)>, Error> {
        let probe = Probe::new(self, request, roots)?;
        let answer = |variable: &crate::Variable| {
            let key = preface_core::variable::VariableKey::new(variable.kind, variable.name);
            (!variable.dynamic).then(|| probe.answer(&key))
        };
        Ok(crate::variables().into_iter().map(|variable| (variable, answer(&variable))).collect())
    }
}
