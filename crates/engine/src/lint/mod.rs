//! Lint: the problems of all texts that a build of a directory would use, untrusted ones included.
//!
//! Nothing here changes a prompt. A text is scanned for what hides in it, for secrets and for forged structure; a
//! template also for tags that do nothing; the finished prompt for parts that spoil a cache. The diagnostics of the build are
//! added.
//!
//! The files of a project are scanned whole, whatever the trust in them: beside the build, everything is collected once more as if
//! all of them were granted and every tool active, and the gate lists what it sees. Of texts that are made of such a file, only
//! the tags of templates are looked at.

mod build;
mod files;
mod ignored;
mod text;

use crate::{
    BuildResult, Engine, Error, WriteScope,
    build_options::BuildOptions,
    input::{
        Inputs,
        collect::Breadth,
        load_profile::LoadedProfile,
        source_texts::{SourceText, source_texts},
    },
    trust::coverage::unrendered,
};
use build::{BUILD_LINTS, LintedBuild};
use files::{FileTexts, VERBATIM, is_template, lossy};
use ignored::IgnoredFindings;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy, Severity},
    lint::template::VariableTypes,
    origin::{Origin, Piece},
    profile::Profile,
    scope::Scope,
    section::Language,
    settings::{AddedList, offset_in_string},
    snapshot::Snapshot,
    template::TemplateOptions,
};
use preface_host::{
    agents, commands,
    profile::{self, ProfileChoice},
    provider::context::{CONTEXT_FILE_LIMIT, Headless, SETTINGS_LIMIT, other_encoding, utf_16},
    skills::{self, SkillOptions},
    styles,
    system::{ReadError, ReadScope},
    trust::gate::Consent,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::PathBuf,
    sync::Arc,
};
use text::{LintedText, TEXT_LINTS};

/// The result of linting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LintReport {
    /// The findings, by file and line; those without a place come last.
    pub findings: Diagnostics,
    /// The number of files that were read.
    pub texts: usize,
}

/// A file that the caller wants to be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFile {
    /// The absolute path.
    pub path: PathBuf,
    /// The path for people.
    pub shown: String,
    /// The content.
    pub bytes: Vec<u8>,
}

impl Engine<'_> {
    /// Looks at everything that a build for this request would use. What stops the build is a finding where it is about
    /// a text or the budget.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn lint(&self, request: &BuildOptions) -> Result<LintReport, Error> {
        let engine = self.writing(WriteScope::Nothing).without_programs();
        let (built, stopped) = engine.build_to_lint(request)?;
        let (whole, files) = engine.collect_whole(request, &built)?;
        let mut lint = Lint::new(&built.snapshot.profile, request);
        lint.report.findings = stopped;
        lint.files(&files, [&built.snapshot, &whole]);
        lint.sources(&engine, &built, &whole, &files);
        let linted = LintedBuild { system: self.system(), built: &built, catalogue: &lint.catalogue };
        let of_lints = BUILD_LINTS.iter().flat_map(|lint| lint(&linted));
        lint.report.findings.extend(of_lints);
        let mut of_build = built.prompt.diagnostics.clone();
        of_build.extend(files.not_utf8.into_iter().filter(|found| {
            let is_same = |known: &Diagnostic| known.code == found.code && known.place == found.place;
            !built.prompt.diagnostics.iter().any(is_same)
        }));
        if request.events.is_empty() {
            of_build.extend(engine.reminder_problems(&built.snapshot.profile, &built.places));
        }
        of_build.retain(|found| {
            // The build names the first hidden text of a file; here each has its line.
            let is_scanned = |place: &Place| place.line.is_none() && lint.scanned.contains(&place.path);
            let has_lines = found.code.topic() == "hidden" && found.place.as_ref().is_some_and(is_scanned);
            // A build reports these up to a limit for each text; here all of them were found.
            let is_limited = found.code == DiagnosticCode::TemplateUnbalanced;
            !has_lines && !is_limited && !lint.report.findings.contains(found)
        });
        lint.report.findings.append(&mut of_build);
        untrusted_once(&mut lint.report.findings);
        Ok(lint.done(&built.settings.lint.ignore))
    }

    /// Builds: without a token budget where that stops the build, and where a template does, the texts alone, which are linted as
    /// they are. Returns what stopped it, too.
    fn build_to_lint(&self, request: &BuildOptions) -> Result<(BuildResult, Diagnostics), Error> {
        let (mut inputs, mut snapshot) = self.read_and_collect(request, Breadth::Turn, None, &Headless)?;
        let mut stopped = Diagnostics::new();
        let (prompt, tools) = loop {
            match self.complete(&mut inputs, &mut snapshot, &Headless) {
                Ok(completed) => {
                    self.refuse_untrusted_in(request, &inputs)?;
                    break completed;
                }
                Err(Error::Over(over)) => {
                    snapshot.turn.budget = Some(usize::MAX);
                    let largest = over.largest.iter();
                    let largest: Vec<_> =
                        largest.map(|(section, tokens)| format!("`{section}` needs {tokens}")).collect();
                    let diagnostic = Diagnostic::error(DiagnosticCode::BudgetOver, over.to_string());
                    stopped.push(diagnostic.help(largest.join(", ")));
                }
                Err(Error::Render(diagnostic)) => {
                    stopped.push(*diagnostic);
                    break unrendered(&snapshot);
                }
                Err(error) => return Err(error),
            }
        };
        Ok((BuildResult::new(prompt, snapshot, tools, inputs), stopped))
    }

    /// Collects what a build may use once all of the project is granted, also with other tools, and the files that came to the gate.
    fn collect_whole(
        &self,
        request: &BuildOptions,
        built: &BuildResult,
    ) -> Result<(Snapshot, FileTexts), Error> {
        let mut files = FileTexts::default();
        for seen in &built.seen {
            files.add(Scope::Project, &seen.shown, &seen.path, &seen.bytes);
        }
        let (inputs, mut whole) =
            self.read_and_collect(request, Breadth::EveryTool, Some(Consent::Linting), &Headless)?;
        // The state of a repository takes long to find out and decides about no file.
        whole.variables.clone_from(&built.snapshot.variables);
        whole.variables.retain(|key, _| key.kind() == "git");
        self.read_for_other_tools(&inputs, &whole);
        let agent = self.read_on_demand(&inputs, &mut files);
        // The sections of an agent are no part of the profile of the main conversation.
        if agent.is_some() && request.agent.is_none() {
            let of_agent = BuildOptions { agent, ..request.clone() };
            if let Ok(inputs) = self.read_inputs(&of_agent, Some(Consent::Linting)) {
                self.read_on_demand(&inputs, &mut files);
            }
        }
        Ok((whole, files))
    }

    /// Reads what a build uses once an agent or a style is named, or a model once it uses a skill, and adds what came to the gate so
    /// far, and the user's own skills. What is wrong with their heads is reported where they are listed. Returns the name of an
    /// agent, if there are any.
    fn read_on_demand(&self, inputs: &Inputs, files: &mut FileTexts) -> Option<String> {
        let context = inputs.context(self);
        let profile = &inputs.entries.profile;
        let mut agent = None;
        if profile.has_agents {
            agent = agents::load(&context).into_iter().find(|agent| agent.active);
            let _ = (commands::load(&context), styles::load(&context));
        }
        for section in profile.sections.iter().filter(|section| section.options.contains_key("roots")) {
            for entry in skills::load(&SkillOptions::read(section, &context), &context) {
                let Some(loaded) = entry.value.loaded.filter(|_| entry.origin.scope == Scope::Global) else {
                    continue;
                };
                if let Ok(read) = self.system().read(&loaded.path, ReadScope::Anywhere, CONTEXT_FILE_LIMIT) {
                    files.add(Scope::Global, &entry.origin.path, &loaded.path, &read.bytes);
                }
            }
        }
        for seen in inputs.gate().seen() {
            files.add(Scope::Project, &seen.shown, &seen.path, &seen.bytes);
        }
        for unread in inputs.gate().unread() {
            if let ReadError::Encoding(encoding) = unread.error {
                files.not_utf8.push(other_encoding(Some(Scope::Project), &unread.shown, encoding));
            }
        }
        agent.map(|agent| agent.name)
    }

    /// Looks at single files: texts, templates, settings and profiles, by their names.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn lint_files(&self, request: &BuildOptions, files: &[LintFile]) -> Result<LintReport, Error> {
        let (loaded, mut lint) = self.load_to_lint(request)?;
        for file in files {
            let name = file.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let plain = name.ends_with(".json") || name.ends_with(".toml") || VERBATIM.contains(&&*name);
            // A profile that is one template has no name for its file.
            let is_template =
                !plain && (lint.profile.takes_template() || is_template(&lint.profile, &file.path));
            let language = if is_template { Language::Template } else { Language::Verbatim };
            let is_text = lint.add_bytes(file, language);
            if is_text && loaded.places.settings_names().contains(&&*name) {
                let (_, diagnostics) = loaded.places.parse_settings(Scope::Global, &file.shown, &file.bytes);
                lint.report.findings.extend(diagnostics);
            } else if is_text && name.ends_with(".toml") {
                let choice = ProfileChoice::File(file.path.clone());
                let global = loaded.places.global.as_deref();
                if let Err(error) = profile::load(self.system(), global, &choice, &[]) {
                    let place = Place { path: file.shown.clone(), ..*error.place.clone() };
                    lint.report.findings.push(Diagnostic::from(error).at(place));
                }
            }
        }
        Ok(lint.done(&loaded.typed.lint.ignore))
    }

    /// Loads the profile that single files are linted with.
    fn load_to_lint(&self, request: &BuildOptions) -> Result<(LoadedProfile, Lint), Error> {
        let mut loaded = self.load_profile(request)?;
        if let Some(template) = &request.template_text {
            Arc::make_mut(&mut loaded.profile).variables.0.extend(template.variables.0.clone());
        }
        let lint = Lint::new(&loaded.profile, request);
        Ok((loaded, lint))
    }

    /// Looks for hidden text, secrets and forged tags in files that other agents read, and adds what else was found about them. Not
    /// reported are the label of a turn, such as `User:`, because these files are full of examples of conversations, and characters where
    /// they are ordinary, such as a joiner in an emoji.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn lint_texts(
        &self,
        request: &BuildOptions,
        files: &[LintFile],
        found: Diagnostics,
    ) -> Result<LintReport, Error> {
        let (loaded, mut lint) = self.load_to_lint(request)?;
        lint.report.findings = found;
        files.iter().for_each(|file| _ = lint.add_bytes(file, Language::Verbatim));
        lint.report.findings.retain(|found| match found.code {
            DiagnosticCode::ForgedRole => false,
            DiagnosticCode::HiddenCharacter => found.severity > Severity::Info,
            _ => true,
        });
        comments_once(&mut lint.report.findings);
        Ok(lint.done(&loaded.typed.lint.ignore))
    }

    /// Finds bytes of a text in the file that contains it as a string: a profile or settings. `None` for other texts.
    fn place_of_piece(&self, built: &BuildResult, piece: &Piece, part: &Range<usize>) -> Option<Place> {
        let places = &built.places;
        match &piece.origin {
            Origin::Literal { .. } => self.place_of_literal(&built.profile_source, places, piece, part),
            Origin::Source { source, span, lossy: true } => {
                let (dir, inside) = match source.scope {
                    Scope::Project => places.project.as_deref().map(|dir| (dir, ReadScope::Root(dir)))?,
                    _ => (places.global.as_deref()?, ReadScope::Anywhere),
                };
                let mut files = places.settings_names().iter().map(|name| dir.join(name));
                let file = files.find(|file| places.source(source.scope, file).path == source.path)?;
                let read = self.system().read(&file, inside, SETTINGS_LIMIT).ok()?;
                let text = String::from_utf8(read.into_bytes()).ok()?;
                let written = text.get(span.clone()).filter(|written| written.starts_with('"'))?;
                let start = span.start + offset_in_string(written, part.start);
                let end = span.start + offset_in_string(written, part.end);
                Some(Place::within(Some(source.scope), &source.path, &text, start..end))
            }
            _ => None,
        }
    }
}

/// The most findings of one code that are kept of one file.
const MOST: usize = 100;
/// The number of findings from which on each further file keeps fewer of its own.
const PLENTY: usize = 2_000;
/// The most findings of one code that are kept of one file beyond that.
const FEW: usize = 2;

/// What the lints of texts know, and what they found.
struct Lint {
    profile: Arc<Profile>,
    catalogue: VariableTypes,
    limits: TemplateOptions,
    /// The tags that no text may imitate: those that any preset writes, and those of this profile.
    tags: Vec<String>,
    /// The paths of the texts that were linted.
    scanned: BTreeSet<String>,
    report: LintReport,
}

impl Lint {
    fn new(profile: &Arc<Profile>, request: &BuildOptions) -> Self {
        Lint {
            profile: profile.clone(),
            catalogue: VariableTypes::of(profile, &request.variables),
            limits: TemplateOptions::of(profile, &request.variables),
            tags: profile.reserved_tags(),
            scanned: BTreeSet::new(),
            report: LintReport::default(),
        }
    }

    /// Checks the files, each as a whole: they are read as text, and nothing in them is acted upon.
    fn files(&mut self, files: &FileTexts, snapshots: [&Snapshot; 2]) {
        let used = snapshots.into_iter().flat_map(source_texts);
        let used = used.filter(|text| text.scope == Some(Scope::Project));
        let used: BTreeSet<String> = used.map(|text| text.path).collect();
        for (shown, file) in &files.by_name {
            // The tags of a text that a prompt is made of are looked at there.
            let is_template = file.scope == Scope::Project
                && !used.contains(shown)
                && is_template(&self.profile, &file.path);
            let language = if is_template { Language::Template } else { Language::Verbatim };
            self.add(&LintedText { scope: Some(file.scope), path: shown, text: &file.text, language });
        }
    }

    /// Checks the texts that prompts are made of: those of a build, and those of the project that it would use with all of the
    /// project granted.
    fn sources(&mut self, engine: &Engine<'_>, built: &BuildResult, whole: &Snapshot, files: &FileTexts) {
        let mut seen: BTreeSet<(Scope, String, String)> = BTreeSet::new();
        let more = source_texts(whole).into_iter().filter(|text| text.scope == Some(Scope::Project));
        for source in source_texts(&built.snapshot).into_iter().chain(more) {
            let text = source.text();
            let SourceText { scope, path, pieces, language } = &source;
            if !seen.insert((scope.unwrap_or(Scope::Bundled), path.clone(), text.clone())) {
                continue;
            }
            let linted = LintedText { scope: *scope, path, text: &text, language: *language };
            let file = files.get(*scope, path);
            let mut found = match file {
                // The file was scanned, with its strings as they are read.
                Some(_) => self.template_tags(&linted),
                None => self.find(&linted),
            };
            for place in found.iter_mut().filter_map(|diagnostic| diagnostic.place.as_mut()) {
                let (Some(span), [piece]) = (place.span.clone(), *pieces) else { continue };
                *place = match (engine.place_of_piece(built, piece, &span), file, &piece.origin) {
                    (Some(found), ..) => found,
                    (None, Some(file), Origin::Source { span: whole, lossy: false, .. }) => {
                        let span = whole.start + span.start..whole.start + span.end;
                        Place::within(*scope, path.as_str(), &file.text, span)
                    }
                    (None, Some(_), _) => Place::file(*scope, path.as_str()),
                    (None, None, _) => continue,
                };
            }
            self.report.findings.append(&mut found);
        }
    }

    /// Checks the bytes of a file. Returns false for one that is no text.
    fn add_bytes(&mut self, file: &LintFile, language: Language) -> bool {
        if let Some(encoding) = utf_16(&file.bytes) {
            self.report.texts += 1;
            self.report.findings.push(other_encoding(None, &file.shown, encoding));
            return false;
        }
        let text = &lossy(None, &file.shown, &file.bytes, &mut self.report.findings);
        self.add(&LintedText { scope: None, path: &file.shown, text, language });
        true
    }

    /// Checks a text, and adds what is found.
    fn add(&mut self, linted: &LintedText<'_>) {
        let found = self.find(linted);
        self.report.findings.extend(found);
    }

    /// Checks a text, and returns what is found.
    fn find(&mut self, linted: &LintedText<'_>) -> Diagnostics {
        self.report.texts += 1;
        self.scanned.insert(linted.path.to_owned());
        TEXT_LINTS.iter().flat_map(|lint| lint(self, linted)).collect()
    }

    /// Returns the most findings of one code that are kept of the next text.
    fn most(&self) -> usize {
        if self.report.findings.len() < PLENTY { MOST } else { FEW }
    }

    /// Sorts, and drops what two lints found alike and what the settings accept.
    fn done(self, ignore: &BTreeMap<String, AddedList>) -> LintReport {
        let LintReport { mut findings, texts } = self.report;
        let mut faults = Diagnostics::new();
        let ignored = IgnoredFindings::of(ignore, &mut faults);
        findings.retain(|diagnostic| !ignored.has(diagnostic));
        findings.append(&mut faults);
        let at = |diagnostic: &Diagnostic| match &diagnostic.place {
            Some(place) if !place.path.is_empty() => (0, place.path.clone(), place.line, place.column),
            _ => (1, String::new(), None, None),
        };
        findings.sort_by_cached_key(|diagnostic| {
            (at(diagnostic), std::cmp::Reverse(diagnostic.severity), diagnostic.code)
        });
        findings.dedup_by(|a, b| {
            // The diagnostic of the build names the escaped form of an imitated tag.
            let alike = a.message == b.message
                || (a.code == DiagnosticCode::ForgedTag && spot(a).is_some_and(|at| at.1.is_some()));
            a.code == b.code && alike && spot(a) == spot(b)
        });
        LintReport { findings, texts }
    }
}

/// Reports untrusted files once: they are linted like all others.
fn untrusted_once(findings: &mut Diagnostics) {
    let is_untrusted = |diagnostic: &Diagnostic| diagnostic.code == DiagnosticCode::TrustUntrusted;
    let untrusted: BTreeSet<&str> = findings
        .iter()
        .filter(|diagnostic| is_untrusted(diagnostic))
        .filter_map(|diagnostic| Some(diagnostic.place.as_ref()?.path.as_str()))
        .collect();
    let count = untrusted.len();
    if count < 2 {
        return;
    }
    findings.retain(|diagnostic| !is_untrusted(diagnostic));
    let what = format!("{count} files are not trusted: no build has them yet");
    findings.push(
        Diagnostic::warning(DiagnosticCode::TrustUntrusted, what)
            .help(Remedy::grant("look at them, then trust them")),
    );
}

/// Reports the HTML comments of a file once, at the first: many files have one behind each paragraph.
fn comments_once(findings: &mut Diagnostics) {
    let path_of = |found: &Diagnostic| {
        let place = found.place.as_ref().filter(|_| found.code == DiagnosticCode::HiddenComment);
        place.map(|place| place.path.clone())
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    findings.iter().filter_map(path_of).for_each(|path| *counts.entry(path).or_default() += 1);
    findings.retain_mut(|found| {
        let Some(path) = path_of(found) else { return true };
        let Some(count) = counts.remove(&path) else { return false };
        if count > 1 {
            let count = if count > MOST { format!("more than {MOST}") } else { count.to_string() };
            found.message =
                format!("{count} HTML comments, this is the first: absent from the rendered page");
        }
        true
    });
}

fn spot(diagnostic: &Diagnostic) -> Option<(&str, Option<usize>, Option<usize>)> {
    diagnostic.place.as_ref().map(|place| (place.path.as_str(), place.line, place.column))
}
