//! Declared variables: the declarations themselves, and the tests of the profile that compare with them.

use super::ProfileBuilder;
use crate::{
    condition::Condition,
    declaration::{Declarations, GivenVariables},
    diagnostic::Place,
    lint::template::impossible_value,
    origin::{Origin, Piece},
    profile::{Profile, ProfileError},
    section::{Language, SectionBody},
    template::{Template, TemplateOptions},
};
use std::{ops::Range, sync::Arc};

impl ProfileBuilder<'_> {
    /// Reads the declarations as they are before options and conditional variants are laid over the profile.
    pub(super) fn declared(&self) -> Result<Declarations, ProfileError> {
        let written = self.table.get("variables").cloned();
        Ok(written.map(|value| self.deserialize(&["variables"], value)).transpose()?.unwrap_or_default())
    }

    pub(super) fn variables(&mut self) -> Result<Declarations, ProfileError> {
        let variables = self.declared()?;
        self.table.remove("variables");
        match variables.check() {
            Ok(()) => Ok(variables),
            Err((key, "", message)) => Err(self.error(&["variables", key.as_str()], message)),
            Err((key, at, message)) => Err(self.value_error(&["variables", key.as_str(), at], message)),
        }
    }

    /// Refuses a test that compares a variable with a value that its declaration does not have.
    pub(super) fn check_tests(&self, profile: &Profile) -> Result<(), ProfileError> {
        for section in &profile.sections {
            if let Some(when) = &section.when {
                self.check_condition(when, &format!("section.{}.when", section.id), &profile.variables)?;
            }
        }
        for (at, guideline) in profile.guidelines.iter().enumerate() {
            if let Some(when) = &guideline.when {
                self.check_condition(when, &format!("guideline.{at}.when"), &profile.variables)?;
            }
        }
        let options = TemplateOptions::of(profile, &GivenVariables::new());
        let pieces = profile.sections.iter().flat_map(|section| {
            let body = match &section.body {
                SectionBody::Text(pieces) if section.language == Language::Template => pieces.as_slice(),
                _ => &[],
            };
            let frames = [&section.intro, &section.prefix, &section.item, &section.between];
            let frames = frames.into_iter().chain([&section.empty, &section.suffix]);
            body.iter().chain(frames.flatten())
        });
        let frame = profile.frame.iter().flat_map(|frame| [&frame.prefix, &frame.suffix]);
        for piece in pieces.chain(frame).chain(&profile.project_item) {
            self.check_template(piece, &options)?;
        }
        Ok(())
    }

    fn check_condition(
        &self,
        when: &Condition,
        key: &str,
        declared: &Declarations,
    ) -> Result<(), ProfileError> {
        for test in when.tests() {
            let read = test.read(declared);
            let Some((word, help)) = read.words.and_then(|words| declared.impossible(&read.key, words))
            else {
                continue;
            };
            let text = test.as_str();
            let at = text.rfind(word).unwrap_or_default();
            let error =
                self.value_error(&key.split('.').collect::<Vec<_>>(), cannot_be(read.key.as_str(), word));
            return Err(self.located(error, key, text, &(at..at + word.len())).help(help));
        }
        Ok(())
    }

    fn check_template(&self, piece: &Piece, options: &TemplateOptions) -> Result<(), ProfileError> {
        let template = Template::parse_unlimited(Arc::from(piece.text.as_str()), options);
        for tag in template.tags() {
            let Some((range, word, help)) = impossible_value(&template, tag, options) else { continue };
            let key = tag.role.key().map_or("", |key| template.key(key).as_str());
            let message = cannot_be(key, word);
            return Err(match &piece.origin {
                Origin::Literal { key, .. } => {
                    let error = self.value_error(&key.split('.').collect::<Vec<_>>(), message);
                    self.located(error, key, &piece.text, &range)
                }
                origin => {
                    let path = match origin {
                        Origin::Source { source, .. } => source.path.clone(),
                        other => other.to_string(),
                    };
                    let place = Place::within(origin.scope(), path, &piece.text, range);
                    ProfileError { place: Box::new(place), ..self.error(&[], message) }
                }
            }
            .help(help));
        }
        Ok(())
    }

    /// Points an error at bytes of a text of the profile, if a file of the chain has it.
    fn located(&self, error: ProfileError, key: &str, text: &str, part: &Range<usize>) -> ProfileError {
        let overlaid = [error.in_overlay, !error.in_overlay].into_iter();
        let mut found = overlaid.flat_map(|overlaid| {
            self.chain.iter().rev().filter_map(move |raw| raw.locate(key, text, part, overlaid))
        });
        match found.next() {
            Some(place) => ProfileError { place: Box::new(place), ..error },
            None => error,
        }
    }
}

fn cannot_be(key: &str, word: &str) -> String {
    format!("`{key}` cannot be `{word}`")
}
