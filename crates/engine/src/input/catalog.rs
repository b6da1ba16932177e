//! Texts of an imported catalog in the place of the profile's own: sections, tool descriptions, the prompt of an agent.
//!
//! The user chooses the catalog; the profile chooses which of its texts are used. A catalog that is not there, is damaged, or is not the
//! one that was pinned, stops the build. A text with a value that has no binding does not: the profile's own text is used, and reported.

use crate::Error;
use preface_core::{
    catalog::{CatalogEntry, CatalogIndex},
    definition::unknown_parameter,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy},
    origin::{Piece, Source},
    profile::{CatalogChoice, Parameter, Profile},
    scope::Scope,
    section::{Language, SectionBody, TrimMode},
    suggestion::quoted,
    turn::Tool,
};
use preface_host::{catalogs, places::Places, provider::agent::AGENT, system::System};
use serde::Serialize;
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

/// The option that is set to the version of the program that a catalog's texts describe.
pub(crate) const VERSION: &str = "catalog.version";

/// Why a place has no text of a catalog.
const NO_PROMPT: &str = "the catalog has no such prompt";

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

/// Replaces texts of a profile by those of the chosen catalog. `agent` is the agent of the prompt, if it ships with the
/// profile: the user's own agent keeps its text. `tools` have the schemas whose parameters a description may name.
///
/// # Errors
/// The catalog is not there, cannot be read, is damaged, or has another digest.
pub(crate) fn lay(
    system: &dyn System,
    places: &Places,
    profile: &mut Arc<Profile>,
    agent: Option<&str>,
    tools: &[Tool],
    diagnostics: &mut Diagnostics,
) -> Result<(), Error> {
    if profile.catalog.is_none() {
        return Ok(());
    }
    let profile = Arc::make_mut(profile);
    let Some(choice) = profile.catalog.clone() else { return Ok(()) };
    let mut reader = CatalogReader::open(system, places, &choice, &profile.name, diagnostics)?;
    reader.lay(profile, tools);
    for (name, prompts) in &choice.agents {
        if agent != Some(name.as_str()) {
            continue;
        }
        let Some(pieces) = reader.pieces(&prompts.0, format!("agent `{name}`"), None) else { continue };
        let section = profile.sections.iter_mut().find(|section| {
            matches!(&section.body, SectionBody::Fill(provider) if provider.as_str() == AGENT.name)
                && section.options.get("part").is_none_or(|part| part == "prompt")
        });
        if let Some(section) = section {
            (section.body, section.language) = (SectionBody::Text(pieces), Language::Catalog);
        }
    }
    let missing: Vec<&str> = reader
        .uses
        .iter()
        .filter(|place| place.why.as_deref() == Some(NO_PROMPT))
        .map(|place| place.place.as_str())
        .collect();
    if !missing.is_empty() {
        let what = format!("catalog {} has no text for {}", reader.index.version, missing.join(", "));
        let help = "the profile's own text is used, if it has one";
        diagnostics.push(Diagnostic::info(DiagnosticCode::CatalogNoPrompt, what).help(help));
    }
    diagnostics.append(&mut reader.diagnostics);
    // The version in its texts: the one that the user names, else its own.
    let index = &reader.index;
    let version = profile.options.get("version").unwrap_or(&index.version).clone();
    profile.options.insert(VERSION.to_owned(), version);
    let digits = index.digest.strip_prefix("blake3:").unwrap_or_default();
    let used = format!("catalog.{}.{}.{}", index.version, &digits[..digits.len().min(8)], index.converter);
    profile.texts_version = Some(match &profile.texts_version {
        Some(own) => format!("{own}+{used}"),
        None => used,
    });
    Ok(())
}

/// One catalog, and the texts of it that are used.
pub(crate) struct CatalogReader<'a> {
    choice: &'a CatalogChoice,
    profile: String,
    index: CatalogIndex,
    pub uses: Vec<CatalogUse>,
    /// Why the profile's own text is used, where the catalog has a prompt.
    diagnostics: Diagnostics,
}

impl<'a> CatalogReader<'a> {
    pub fn open(
        system: &dyn System,
        places: &Places,
        choice: &'a CatalogChoice,
        profile: &str,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, Error> {
        let pin = &choice.pin;
        if places.state.is_none() && catalogs::dir(system).is_some() {
            let what = "no catalog is used: the state directory lies inside of the project";
            let help = "set HOME, XDG_STATE_HOME and PREFACE_HOME to directories outside of the project";
            let diagnostic = Diagnostic::error(DiagnosticCode::CatalogRefused, what).help(help);
            return Err(Error::Catalog(Box::new(diagnostic)));
        }
        let index = catalogs::index(system, &pin.version).map_err(Error::Catalog)?;
        let whole = index.pin();
        if !pin.accepts(&index.digest) {
            let what = format!(
                "the catalog {} that is imported is another than `{pin}`: it is `{whole}`",
                pin.version
            );
            let help =
                Remedy::command("pin this one, or import the one that was pinned", "catalog import DIR");
            return Err(Error::Catalog(Box::new(
                Diagnostic::error(DiagnosticCode::CatalogDamaged, what).help(help),
            )));
        }
        if pin.digest.is_none() {
            let what =
                format!("the catalog {} is used as it is, whatever an import makes of it", pin.version);
            let help = format!(
                "pin it with the option `catalog={whole}`, in your settings `\"options\": {{\"catalog\": \"{whole}\"}}`"
            );
            diagnostics.push(Diagnostic::info(DiagnosticCode::CatalogNotPinned, what).help(help));
        }
        let profile = profile.to_owned();
        Ok(CatalogReader { choice, profile, index, uses: Vec::new(), diagnostics: Diagnostics::new() })
    }

    /// Replaces the texts of sections and tools.
    pub fn lay(&mut self, profile: &mut Profile, tools: &[Tool]) {
        // A prompt is the text of one section only.
        let mut taken: BTreeMap<String, String> = BTreeMap::new();
        for section in &mut profile.sections {
            if section.catalog.is_empty() && !matches!(section.body, SectionBody::Text(_)) {
                continue;
            }
            let place = format!("section `{}`", section.id);
            if let Some(other) = self.entry(&section.catalog).and_then(|entry| taken.get(&entry.name)) {
                section.body = SectionBody::Text(Vec::new());
                self.uses.push(CatalogUse {
                    place,
                    prompt: None,
                    why: Some(format!("its prompt is in {other}")),
                });
            } else if let Some(pieces) = self.pieces(&section.catalog, place.clone(), None) {
                taken.extend(self.entry(&section.catalog).map(|entry| (entry.name.clone(), place)));
                (section.body, section.language) = (SectionBody::Text(pieces), Language::Catalog);
                section.trim = TrimMode::Both;
                section.intro = None;
                (section.prefix, section.suffix) = (None, None);
            }
        }
        for (name, texts) in &mut profile.tool_texts {
            let schema =
                tools.iter().find(|tool| tool.name == *name).and_then(|tool| tool.input_schema.as_deref());
            let schema = schema.map(|schema| (schema, &texts.parameters));
            if let Some(pieces) = self.pieces(&texts.catalog, format!("tool `{name}`"), schema) {
                (texts.description, texts.language) = (Some(pieces), Language::Catalog);
            }
            if let Some(after) = texts.after.as_mut().filter(|after| !after.catalog.is_empty()) {
                let place = format!("tool `{name}`, the text behind it");
                if let Some(pieces) = self.pieces(&after.catalog, place, None) {
                    (after.text, after.language) = (pieces, Language::Catalog);
                }
            }
        }
    }

    /// Returns the first of these prompts that the catalog has.
    fn entry(&self, prompts: &[String]) -> Option<&CatalogEntry> {
        prompts.iter().find_map(|prompt| self.index.entry(prompt))
    }

    /// Returns the text of the first of these prompts that the catalog has; `None`, with the reason, where the profile's own is used.
    pub fn pieces(
        &mut self,
        prompts: &[String],
        place: String,
        schema: Option<(&Value, &BTreeMap<String, Parameter>)>,
    ) -> Option<Vec<Piece>> {
        let Some(entry) = self.entry(prompts) else {
            let why = match prompts {
                [] => "no prompt is mapped to it",
                _ => NO_PROMPT,
            };
            self.uses.push(CatalogUse { place, prompt: None, why: Some(why.to_owned()) });
            return None;
        };
        let template = self.index.template(&entry.name);
        let path = format!("catalog {}/{}", self.index.version, entry.file);
        let source = Arc::new(Source { scope: Scope::Global, path });
        let refused = match self.choice.bindings.apply(template, &source, &self.profile) {
            Ok(pieces) => {
                let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
                let unknown =
                    schema.and_then(|(schema, parameters)| unknown_parameter(schema, parameters, &text));
                match unknown {
                    None => {
                        let prompt = Some(entry.name.clone());
                        self.uses.push(CatalogUse { place, prompt, why: None });
                        return Some(pieces);
                    }
                    Some(name) => {
                        let what = format!("it names the parameter `{name}`, which the schema does not have");
                        Diagnostic::warning(DiagnosticCode::CatalogParameter, what)
                            .help("`parameters` of the tool in a profile describes it")
                    }
                }
            }
            Err(unbound) => {
                let what = format!("it has values that are not bound: {}", quoted(&unbound.keys));
                let place = Place::within(
                    Some(source.scope),
                    source.path.clone(),
                    template,
                    unbound.at..unbound.at + 1,
                );
                Diagnostic::info(DiagnosticCode::CatalogUnbound, what)
                    .at(place)
                    .help("bind them in a profile under `[catalog.bind]`")
            }
        };
        self.uses.push(CatalogUse { place: place.clone(), prompt: None, why: Some(refused.message.clone()) });
        let message =
            format!("{place} does not have its text of catalog {}: {}", self.index.version, refused.message);
        self.diagnostics.push(Diagnostic { message, ..refused });
        None
    }
}
