//! The analysis of a template for an editor: its tags, its diagnostics, the rendered text with the origin of each byte, and
//! the values of its variables.
//!
//! A template that exceeds a limit is not an error here: the limit is one of the diagnostics.

mod diagnostics;
mod preview;
mod probe;
mod reply;

pub(crate) use probe::Probe;
pub use reply::{
    Analysis, AnalyzedEdit, AnalyzedNote, AnalyzedPart, AnalyzedSpan, AnalyzedToken, Condition, Left,
    Preview, SpanOrigin, UsedVariable,
};

use crate::{COUNTERS, Error, build_options::BuildOptions, engine::Engine};
use preface_core::{
    budget::{Bytes4, Counter},
    diagnostic::Diagnostics,
    model::{Model, Models},
    template::{Template, TemplateOptions, Utf16},
    variable::RecordedVariables,
};
use preface_host::{
    provider::file_listing::{FileListing, list_files},
    system::ReadError,
};
use std::path::PathBuf;

/// A template to analyze, with the request whose variables it may use.
#[derive(Clone, Debug, Default)]
pub struct AnalysisRequest {
    /// The template.
    pub template: String,
    /// The request whose variables are used. Without a `cwd` nothing about a directory is looked up.
    pub request: BuildOptions,
    /// The directories below which files may be read, real paths. The request's `cwd` must be below one of them.
    pub roots: Vec<PathBuf>,
    /// True if `[raw]` blocks work; `None` uses the profile's setting.
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
        let options = TemplateOptions::of(&probe.profile, &probe.turn().variables);

        let text = wanted.template.as_str();
        let (mut variables, mut problem) = (RecordedVariables::default(), Diagnostics::new());
        let preview = match Template::parse(text, &options) {
            Ok(_) => preview::preview(&probe, text, &mut variables, &mut problem)?,
            // Its finding comes with the others.
            Err(_) => None,
        };
        // What is too deep or too large is still coloured.
        let unlimited = TemplateOptions { max_depth: None, max_bytes: None, ..options.clone() };
        let Ok(template) = Template::parse(text, &unlimited) else { return Ok(Analysis::default()) };
        let tiles = template.tiles();
        let utf16 = Utf16::new(text);
        let conditions = preview::conditions(&tiles, &variables);
        let (diagnostics, more_diagnostics) = diagnostics::diagnostics(
            &diagnostics::AnalysisInput { text, options: &options, probe: &probe },
            &tiles,
            &variables,
            problem,
            &utf16,
        );
        let (variables, more_variables) = preview::variables(&tiles, &variables, &probe.profile.variables);
        let model = Models::bundled().find(wanted.request.model.as_deref().unwrap_or_default()).model;
        let counter = counter_of(model);
        let of = |prompt| Preview::of(&prompt, conditions, &*counter, model.cache_minimum);
        let (preview, more_spans) = preview.map(of).unzip();
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
    /// one, it must be below a root. A type of which any name is good has no value.
    ///
    /// # Errors
    /// The profile cannot be used.
    pub fn variable_values(
        &self,
        request: &BuildOptions,
        roots: &[PathBuf],
    ) -> Result<Vec<(crate::Variable, Option<preface_core::variable::RecordedVariable>)>, Error> {
        let probe = Probe::new(self, request, roots)?;
        let answer = |variable: &crate::Variable| {
            let key = preface_core::variable::VariableKey::new(variable.kind, variable.name);
            (!variable.dynamic).then(|| probe.answer(&key))
        };
        Ok(crate::variables().into_iter().map(|variable| (variable, answer(&variable))).collect())
    }

    /// Lists the entries of a directory that `file:` variables of a request can name, as [`list_files`] does.
    ///
    /// # Errors
    /// The profile cannot be used; the inner error is about the directory.
    pub fn list_files(
        &self,
        request: &BuildOptions,
        roots: &[PathBuf],
        dir: &str,
        search: &str,
    ) -> Result<Result<FileListing, ReadError>, Error> {
        Ok(list_files(dir, search, &Probe::new(self, request, roots)?.context()))
    }
}

/// Returns the counter that has the vocabulary of a model, or the estimate.
fn counter_of(model: &Model) -> Box<dyn Counter> {
    let own = model.tokenizer.as_deref().and_then(|name| COUNTERS.get(name));
    own.unwrap_or_else(|| Box::new(Bytes4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_with_the_vocabulary_of_the_model_or_estimated() {
        let exact = if cfg!(feature = "exact-counts") { "o200k" } else { "estimate:bytes4" };
        for (model, counter) in [
            ("gpt-5-2026-01-01", exact),
            ("claude-opus-5-5", "estimate:bytes4"),
            ("my-own", "estimate:bytes4"),
            ("", "estimate:bytes4"),
        ] {
            assert_eq!(counter_of(Models::bundled().find(model).model).name(), counter, "{model:?}");
        }
    }
}
