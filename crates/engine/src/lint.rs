//! Lint: everything that is wrong with what a build of a directory would use, the texts that are held included.
//!
//! Nothing here changes a prompt. A text is scanned for what hides in it, for secrets and for forged structure; a
//! template also for tags that do nothing; the finished prompt for parts that spoil a cache. The notes of the build come
//! with them.

use crate::{Built, Engine, Error, request::Request};
use preface_core::{
    diagnostic::{Diagnostic, Diagnostics, Place},
    fact::Stability,
    lint::{
        finding, forged,
        hidden::{self, Comments},
        secret,
        template::{self, Catalogue},
    },
    origin::{Origin, Piece},
    profile::{Candidate, Profile},
    prompt::Prompt,
    render::Rules,
    scope::Scope,
    section::{Body, Language},
    settings,
};
use preface_host::{
    gate::Verdict,
    profile::{self, Choice},
    provider::FACT_PROVIDERS,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// What lint found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linted {
    /// The findings, by file and line; those without a place come last.
    pub findings: Diagnostics,
    /// How many texts were read.
    pub texts: usize,
}

/// A file that the caller wants to be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFile {
    /// Where it lies, absolute.
    pub path: PathBuf,
    /// Its path for people.
    pub shown: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Files that every profile sends as they are.
const VERBATIM: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "system.md"];

impl Engine<'_> {
    /// Looks at everything that a build for this request would use. What stops the build is a finding where it is about
    /// a text or the budget.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn lint(&self, request: &Request) -> Result<Linted, Error> {
        let mut linted = Linted::default();
        let (built, limits) = match self.build(request) {
            Ok(built) => {
                let limits = Rules::new(&built.world.profile.template, &[]);
                (built, limits)
            }
            Err(Error::Render(note)) => {
                linted.findings.push(*note);
                (self.build(&without_limits(request))?, self.limits(request)?)
            }
            Err(Error::Over(over)) => {
                let largest: Vec<String> = over
                    .largest
                    .iter()
                    .map(|(section, tokens)| format!("`{section}` needs {tokens}"))
                    .collect();
                linted
                    .findings
                    .push(Diagnostic::error("budget/over", over.to_string()).help(largest.join(", ")));
                (self.build(&without_limits(request))?, self.limits(request)?)
            }
            Err(error) => return Err(error),
        };
        let profile = &built.world.profile;
        let mut lint = Lint { catalogue: catalogue(profile), limits, tags: tags(profile), linted };
        lint.sources(&built);
        lint.held(&built);
        lint.order(&built.prompt);
        lint.linted.findings.extend(built.prompt.diagnostics);
        Ok(lint.done())
    }

    /// Looks at single files: texts, templates, settings and profiles, by their names.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn lint_files(&self, request: &Request, files: &[LintFile]) -> Result<Linted, Error> {
        let prepared = self.prepare(request, &mut Diagnostics::new())?;
        let mut lint = Lint {
            catalogue: catalogue(&prepared.profile),
            limits: Rules::new(&prepared.profile.template, &[]),
            tags: tags(&prepared.profile),
            linted: Linted::default(),
        };
        for file in files {
            let name = file.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let text = String::from_utf8_lossy(&file.bytes);
            if name == "settings.json" {
                lint.linted.findings.extend(settings::parse(Scope::Global, &file.shown, &file.bytes).1);
            } else if name.ends_with(".toml") {
                let global = prepared.places.global.as_deref();
                if let Err(error) =
                    profile::load(self.system(), global, &Choice::File(file.path.clone()), &[])
                {
                    let mut note = Diagnostic::error("profile/invalid", error.message)
                        .at(Place { path: file.shown.clone(), ..*error.place });
                    note.help = error.help;
                    lint.linted.findings.push(note);
                }
            }
            let plain = name.ends_with(".json") || name.ends_with(".toml") || VERBATIM.contains(&&*name);
            let language = if plain { Language::Verbatim } else { Language::Template };
            lint.text(None, &file.shown, &text, language);
        }
        Ok(lint.done())
    }

    /// The limits that hold for the templates of a request, from the profile alone.
    fn limits(&self, request: &Request) -> Result<Rules<'static>, Error> {
        Ok(Rules::new(&self.prepare(request, &mut Diagnostics::new())?.profile.template, &[]))
    }
}

fn without_limits(request: &Request) -> Request {
    let mut request = request.clone();
    request.budget = Some(usize::MAX);
    request.sets.extend(["template.maxDepth=0".to_owned(), "template.maxBytes=0".to_owned()]);
    request
}

/// The facts that somebody answers here.
pub(crate) fn catalogue(profile: &Profile) -> Catalogue {
    let facts = FACT_PROVIDERS.iter().flat_map(|provider| provider.facts());
    let known = facts.fold(Catalogue::default(), |known, info| match info.dynamic {
        true => known.dynamic(info.kind, info.stability),
        false => known.fixed(info.kind, info.name, info.stability),
    });
    // A section that stands in another one's text has a tag there.
    let merged = profile.sections.iter().filter(|section| section.merge_into.is_some());
    let known =
        merged.fold(known, |known, section| known.fixed("section", section.id.as_str(), Stability::Static));
    let options = profile.options.keys().chain(&profile.unset_options);
    options.fold(known, |known, name| {
        known.fixed("option", name, Stability::Static).fixed("given", name, Stability::Static)
    })
}

/// The tags that no text may imitate: those that any preset writes, and those of this profile.
pub(crate) fn tags(profile: &Profile) -> Vec<String> {
    let sections = profile.sections.iter().map(|section| section.id.as_str());
    let mut tags = profile.own_tags.all(sections);
    tags.extend(forged::TAGS.iter().map(|tag| (*tag).to_owned()));
    tags
}

struct Lint {
    catalogue: Catalogue,
    limits: Rules<'static>,
    tags: Vec<String>,
    linted: Linted,
}

impl Lint {
    /// The texts that speak: contributions, layer files, section files, settings, the profile's own.
    fn sources(&mut self, built: &Built) {
        let world = &built.world;
        let mut seen: BTreeSet<(Scope, String, String)> = BTreeSet::new();
        let mut texts: Vec<(&[Piece], Language)> = Vec::new();
        for item in world.contributions.iter().flat_map(|said| &said.items) {
            texts.push((&item.pieces, item.language));
        }
        for layer in &world.stack.0 {
            for (name, pieces) in &layer.files {
                let group = world.profile.groups.iter().find(|group| {
                    group
                        .replace
                        .iter()
                        .filter_map(Candidate::file)
                        .any(|file| file.scope == layer.scope && file.name == *name)
                });
                texts.push((pieces, group.map_or(Language::Verbatim, |group| group.language)));
            }
            texts.extend(layer.sections.values().map(|pieces| (pieces.as_slice(), Language::Template)));
        }
        for said in &world.overrides {
            if let Some(text) = &said.text {
                texts.push((text, said.language.unwrap_or_default()));
            }
        }
        for section in &world.profile.sections {
            if let Body::Text(pieces) = &section.body {
                texts.push((pieces, section.language));
            }
        }
        for (pieces, language) in texts {
            let Some((scope, path)) = pieces.first().and_then(|piece| named(&piece.origin)) else { continue };
            let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
            if seen.insert((scope.unwrap_or(Scope::Bundled), path.clone(), text.clone())) {
                self.text(scope, &path, &text, language);
            }
        }
    }

    /// The texts of the project that are held: they are read as text, and nothing in them is acted upon.
    fn held(&mut self, built: &Built) {
        let profile = &built.world.profile;
        let is_template = |path: &Path| {
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let in_sections = path.parent().and_then(Path::file_name).is_some_and(|dir| dir == "sections");
            let listed = profile.sections.iter().any(|section| {
                let names = section.options.get("names").and_then(|names| names.as_array());
                section.language == Language::Template
                    && matches!(section.body, Body::Fill(_))
                    && names.is_some_and(|names| names.iter().any(|one| one.as_str() == Some(&*name)))
                    && !VERBATIM.contains(&&*name)
            });
            in_sections || listed
        };
        for seen in built.seen.iter().filter(|seen| seen.verdict != Verdict::Speaks) {
            let language = if is_template(&seen.path) { Language::Template } else { Language::Verbatim };
            self.text(Some(Scope::Project), &seen.shown, &String::from_utf8_lossy(&seen.bytes), language);
        }
    }

    fn text(&mut self, scope: Option<Scope>, path: &str, text: &str, language: Language) {
        self.linted.texts += 1;
        let found = &mut self.linted.findings;
        found.extend(hidden::diagnostics(&hidden::scan(text), text, scope, path, Comments::Sent));
        found.extend(finding::diagnostics(&secret::scan(text), text, scope, path));
        found.extend(finding::diagnostics(&forged::scan_for(text, &self.tags), text, scope, path));
        if language == Language::Template {
            let notes = template::lint(text, &self.limits.template, &self.catalogue, scope, path);
            found.extend(notes.into_iter().map(|note| note.diagnostic));
        }
    }

    /// Parts that change and stand before parts that do not: everything behind them is sent anew.
    fn order(&mut self, prompt: &Prompt) {
        let mut worst: Option<&preface_core::prompt::Part> = None;
        for part in &prompt.parts {
            if let Some(before) = worst
                && part.stability < before.stability
            {
                let message = format!(
                    "section `{}` ({}) stands before `{}` ({}): when it changes, no cache keeps what follows",
                    before.section, before.stability, part.section, part.stability
                );
                let note = match before.stability {
                    Stability::Turn => Diagnostic::warning("cache/volatile-early", message),
                    _ => Diagnostic::info("cache/volatile-early", message),
                };
                self.linted.findings.push(
                    note.help("move it behind what stays the same: `arrange = \"stability\"` does that"),
                );
                return;
            }
            if worst.is_none_or(|before| part.stability > before.stability) {
                worst = Some(part);
            }
        }
    }

    /// Sorts, and drops what two lints found alike.
    fn done(self) -> Linted {
        let Linted { mut findings, texts } = self.linted;
        let at = |note: &Diagnostic| match &note.place {
            Some(place) if !place.path.is_empty() => (0, place.path.clone(), place.line, place.column),
            _ => (1, String::new(), None, None),
        };
        findings.sort_by_cached_key(|note| (at(note), std::cmp::Reverse(note.severity), note.code.clone()));
        findings.dedup_by(|a, b| {
            // What the build says of an imitated tag names what became of it.
            let alike = a.message == b.message
                || (a.code == "forged-tag" && spot(a).is_some_and(|at| at.1.is_some()));
            a.code == b.code && alike && spot(a) == spot(b)
        });
        Linted { findings, texts }
    }
}

fn spot(note: &Diagnostic) -> Option<(&str, Option<usize>, Option<usize>)> {
    note.place.as_ref().map(|place| (place.path.as_str(), place.line, place.column))
}

/// Names the text that a piece belongs to.
fn named(origin: &Origin) -> Option<(Option<Scope>, String)> {
    match origin {
        Origin::Source { source, .. } => Some((Some(source.scope), source.path.clone())),
        Origin::Literal { profile, key } => Some((None, format!("{profile}.toml {key}"))),
        Origin::Caller { flag } => Some((None, flag.to_string())),
        Origin::Hook { .. } | Origin::Stored { .. } => Some((None, origin.to_string())),
        Origin::Fact { .. } => None,
    }
}
