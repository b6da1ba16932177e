//! Texts of an imported catalog in the place of the profile's own: sections, tool descriptions, the prompt of an agent.
//!
//! The user chooses the catalog; the profile chooses which of its texts are used. A catalog that is not there, or not the one that was
//! pinned, stops the build. A text that cannot be used does not: the profile's own text is used, with a diagnostic.

use crate::{Engine, Error, input::load_profile::LoadedProfile, request::Request};
use preface_core::{
    catalog::{CatalogBody, CatalogIndex, CatalogTexts},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity},
    profile::{CatalogChoice, Profile},
    section::{Section, SectionBody, TrimMode},
};
use preface_host::{
    catalogs,
    places::Places,
    provider::{ContextProvider, agent::AgentSection},
    system::System,
};
use serde::Serialize;
use std::{collections::BTreeSet, sync::Arc};

/// The option that is set to the version of the program that a catalog's texts describe.
pub(crate) const VERSION: &str = "catalog.version";

/// Replaces texts of a profile by those of the chosen catalog. `agent` is the agent of the prompt, if it ships with the
/// profile: the user's own agent keeps its text.
///
/// # Errors
/// The catalog is not there, cannot be read, or has another digest.
pub(crate) fn lay(
    system: &dyn System,
    places: &Places,
    profile: &mut Arc<Profile>,
    agent: Option<&str>,
    diagnostics: &mut Diagnostics,
) -> Result<(), Error> {
    if profile.catalog.is_none() {
        return Ok(());
    }
    let profile = Arc::make_mut(profile);
    let Some(choice) = profile.catalog.take() else { return Ok(()) };
    let mut shelf = CatalogReader::open(system, places, &choice, diagnostics)?;
    for section in &mut profile.sections {
        if section.catalog.is_empty() {
            continue;
        }
        if let Some(body) = shelf.body(&section.catalog, &format!("section `{}`", section.id), diagnostics) {
            section.body = SectionBody::Catalog(body);
            section.trim = TrimMode::Both;
            section.intro = None;
            (section.prefix, section.suffix) = (None, None);
        }
    }
    for (name, texts) in &mut profile.tool_texts {
        let place = format!("tool `{name}`");
        if !texts.catalog.is_empty() {
            texts.imported = shelf.body(&texts.catalog, &place, diagnostics);
        }
        if let Some(after) = texts.after.as_mut().filter(|after| !after.catalog.is_empty()) {
            after.imported = shelf.body(&after.catalog, &place, diagnostics);
        }
    }
    shelf.report_missing(diagnostics);
    let is_prompt = |section: &&mut Section| {
        matches!(&section.body, SectionBody::Fill(provider) if provider.as_str() == AgentSection.name())
            && section.options.get("part").is_none_or(|part| part == "prompt")
    };
    if let Some((agent, prompts)) = agent.and_then(|agent| Some((agent, choice.agents.get(agent)?)))
        && let Some(section) = profile.sections.iter_mut().find(is_prompt)
    {
        if let Some(body) = shelf.body(&prompts.0, &format!("agent `{agent}`"), diagnostics) {
            section.body = SectionBody::Catalog(body);
        }
        shelf.report_missing(diagnostics);
    }
    // The version in its texts: the one that the user names, else its own.
    let version = profile.options.get("version").unwrap_or(&shelf.index.version).clone();
    profile.options.insert(VERSION.to_owned(), version);
    let digits = shelf.index.digest.strip_prefix("blake3:").unwrap_or_default();
    let used = format!("catalog.{}.{}", shelf.index.version, &digits[..digits.len().min(8)]);
    profile.texts_version = Some(match &profile.texts_version {
        Some(own) => format!("{own}+{used}"),
        None => used,
    });
    profile.catalog = Some(choice);
    Ok(())
}

/// A place of a profile that could have a text of a catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CatalogUse {
    /// The place: section `main`, tool `Bash`, agent `explore`.
    pub place: String,
    /// The prompt that is used there; `None` if the text is the profile's own.
    pub prompt: Option<String>,
    /// The reason why the profile's own text is used.
    pub why: Option<String>,
}

impl Engine<'_> {
    /// Returns what a request with a catalog would take from it, and what of the profile's own words would stay, whatever the
    /// conditions of sections are.
    ///
    /// # Errors
    /// See [`Engine::build`].
    pub fn catalog_uses(&self, request: &Request) -> Result<Vec<CatalogUse>, Error> {
        let LoadedProfile { profile, places, .. } = self.load_profile(request)?;
        let Some(choice) = &profile.catalog else { return Ok(Vec::new()) };
        let mut shelf = CatalogReader::open(self.system(), &places, choice, &mut Diagnostics::new())?;
        let mut refused = self.build(request)?.prompt.diagnostics;
        refused.retain(|diagnostic| diagnostic.code == DiagnosticCode::CatalogParameter);
        let mut uses = Vec::new();
        let mut row = |place: String, prompts: &[String], refused: Option<&Diagnostic>| {
            let mut diagnostics = Diagnostics::new();
            let body = shelf.body(prompts, &place, &mut diagnostics).filter(|_| refused.is_none());
            let why = match (&body, refused.or(diagnostics.first())) {
                (Some(_), _) => None,
                (None, Some(diagnostic)) => Some(diagnostic.message.clone()),
                (None, None) if prompts.is_empty() => Some("no prompt is mapped to it".to_owned()),
                (None, None) => Some("the catalog has no such prompt".to_owned()),
            };
            uses.push(CatalogUse {
                place,
                prompt: body.and_then(|body| body.prompts.into_iter().next()),
                why,
            });
        };
        for section in &profile.sections {
            if !section.catalog.is_empty() || matches!(section.body, SectionBody::Text(_)) {
                row(format!("section `{}`", section.id), &section.catalog, None);
            }
        }
        for (name, texts) in &profile.tool_texts {
            let place = format!("tool `{name}`");
            let refused = refused.iter().find(|diagnostic| diagnostic.subject.as_ref() == Some(name));
            row(place.clone(), &texts.catalog, refused);
            if let Some(after) = texts.after.as_ref().filter(|after| !after.catalog.is_empty()) {
                row(format!("{place}, the text behind it"), &after.catalog, refused);
            }
        }
        for (name, prompts) in &choice.agents {
            row(format!("agent `{name}`"), &prompts.0, None);
        }
        Ok(uses)
    }
}

/// One catalog, read as far as it is used.
struct CatalogReader<'a> {
    system: &'a dyn System,
    choice: &'a CatalogChoice,
    index: CatalogIndex,
    texts: CatalogTexts,
    /// The places that it has no text for.
    missing: Vec<String>,
}

impl<'a> CatalogReader<'a> {
    fn open(
        system: &'a dyn System,
        places: &Places,
        choice: &'a CatalogChoice,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, Error> {
        let pin = &choice.pin;
        if places.state.is_none() && catalogs::dir(system).is_some() {
            let what = "no catalog is used: the state directory lies inside of the project";
            let help = "set HOME, XDG_STATE_HOME and PREFACE_HOME to directories outside of the project";
            let diagnostic = Diagnostic::error(DiagnosticCode::CatalogNoDirectory, what).help(help);
            return Err(Error::Catalog(Box::new(diagnostic)));
        }
        let index = catalogs::index(system, &pin.version).map_err(Error::Catalog)?;
        let whole = index.pin();
        if !pin.accepts(&index.digest) {
            let what = format!(
                "the catalog {} that is imported is another than `{pin}`: it is `{whole}`",
                pin.version
            );
            let help = "import the one that was pinned, or verify this one and pin it";
            return Err(Error::Catalog(Box::new(
                Diagnostic::error(DiagnosticCode::CatalogOther, what).help(help),
            )));
        }
        if pin.digest.is_none() {
            let what =
                format!("the catalog {} is used as it is, whatever an import makes of it", pin.version);
            let help = format!(
                "pin it with the option `catalog={whole}`, in settings.json `\"options\": {{\"catalog\": \"{whole}\"}}`"
            );
            diagnostics.push(Diagnostic::info(DiagnosticCode::CatalogNotPinned, what).help(help));
        }
        let texts = CatalogTexts { version: index.version.clone(), ..CatalogTexts::default() };
        Ok(CatalogReader { system, choice, index, texts, missing: Vec::new() })
    }

    /// Reports the places, since the last report, that it has no text for.
    fn report_missing(&mut self, diagnostics: &mut Diagnostics) {
        let missing = std::mem::take(&mut self.missing);
        if !missing.is_empty() {
            let what = format!("catalog {} has no text for {}", self.index.version, missing.join(", "));
            let help = "the profile's own text is used, if it has one";
            diagnostics.push(Diagnostic::info(DiagnosticCode::CatalogNoPrompt, what).help(help));
        }
    }

    /// The text of the first of these prompts that there is, ready for the line; `None` if there is none, or with a diagnostic
    /// where it cannot be used.
    fn body(
        &mut self,
        prompts: &[String],
        place: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<CatalogBody> {
        let Some(prompt) = prompts.iter().find(|prompt| self.index.entry(prompt).is_some()) else {
            self.missing.push(place.to_owned());
            return None;
        };
        let mut wanted = BTreeSet::from([prompt.clone()]);
        while let Some(name) = wanted.pop_first() {
            if self.texts.texts.contains_key(&name) || self.index.entry(&name).is_none() {
                continue;
            }
            match catalogs::text(self.system, &self.index, &name) {
                Ok(text) => {
                    let more = CatalogTexts::included(&text, &self.choice.bindings);
                    wanted.extend(more.into_iter().map(str::to_owned));
                    self.texts.texts.insert(name, text);
                }
                Err(diagnostic) => {
                    diagnostics.push(stands_for(*diagnostic, place));
                    return None;
                }
            }
        }
        let mut kept = Vec::new();
        match self.texts.body(prompt, &self.choice.bindings, &mut kept) {
            // What cannot be worked out is code, and no text for a model.
            Ok(body) => match kept.into_iter().next().or_else(|| fault(prompt, &body, self.choice)) {
                None => Some(body),
                Some(mut diagnostic) => {
                    diagnostic.severity = Severity::Warning;
                    diagnostics.push(stands_for(diagnostic, place));
                    None
                }
            },
            Err(diagnostic) => {
                diagnostics.push(stands_for(*diagnostic, place));
                None
            }
        }
    }
}

fn fault(prompt: &str, body: &CatalogBody, choice: &CatalogChoice) -> Option<Diagnostic> {
    let (written, why) = body.find_error(&choice.bindings)?;
    let shown: String = written.text.chars().take(60).collect();
    let what = format!("`{shown}` in `{prompt}` of catalog {} comes to nothing: {why}", choice.pin.version);
    Some(Diagnostic::warning(DiagnosticCode::CatalogValue, what))
}

/// Adds the place that lacks the text to a diagnostic about an unusable text.
fn stands_for(mut diagnostic: Diagnostic, place: &str) -> Diagnostic {
    diagnostic.message = format!("{}; {place} is without it", diagnostic.message);
    diagnostic
}
