//! Lint: the problems of all texts that a build of a directory would use, untrusted ones included.
//!
//! Nothing here changes a prompt. A text is scanned for what hides in it, for secrets and for forged structure; a
//! template also for tags that do nothing; the finished prompt for parts that spoil a cache. The diagnostics of the build are
//! added.
//!
//! The files of a project are scanned whole, whatever the trust in them: beside the build, everything is collected once more as if
//! all of them were granted and every tool active, and the gate lists what it sees. Of texts that are made of such a file, only
//! what the file does not show as it is (an escape of JSON) and the tags of templates are looked at.

use crate::{
    BuildResult, Engine, Error, WriteScope,
    input::{Inputs, collect::Breadth},
    request::Request,
    trust::coverage::unrendered,
};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy, Severity},
    lint::{
        decoded::scan_strings,
        finding::{self, FindingLimiter},
        forged,
        hidden::{self, CommentHandling},
        secret,
        template::{self, VariableTypes},
    },
    origin::{Origin, Piece},
    profile::{Profile, ReplacementSource},
    prompt::Prompt,
    scope::Scope,
    section::{Language, SectionBody},
    settings::{AddedList, offset_in_string},
    snapshot::Snapshot,
    suggestion::suggest_or,
    template::TemplateOptions,
    trust::TrustMode,
    variable::{Stability, VariableKey},
};
use preface_host::{
    agents, commands,
    gate::Consent,
    profile::{self, ProfileChoice},
    provider_context::{CONTEXT_FILE_LIMIT, Headless, SETTINGS_LIMIT, other_encoding, utf_16},
    skills::{self, SkillOptions},
    styles,
    system::{ReadError, ReadScope},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

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

/// Files that every profile sends as they are.
const VERBATIM: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "system.md"];

impl Engine<'_> {
    /// Looks at everything that a build for this request would use. What stops the build is a finding where it is about
    /// a text or the budget.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn lint(&self, request: &Request) -> Result<LintReport, Error> {
        self.writing(WriteScope::Nothing).lint_project(request)
    }

    fn lint_project(&self, request: &Request) -> Result<LintReport, Error> {
        let mut linted = LintReport::default();
        let (built, limits) = match self.without_programs().build(request) {
            Ok(built) => {
                let limits = TemplateOptions::of(&built.snapshot.profile, &request.variables);
                (built, limits)
            }
            // What the build refuses to render is not rendered here either: the texts are linted as they are.
            Err(Error::Render(diagnostic)) => {
                linted.findings.push(*diagnostic);
                (self.unrendered(request)?, self.limits(request)?)
            }
            Err(Error::Over(over)) => {
                let largest: Vec<String> = over
                    .largest
                    .iter()
                    .map(|(section, tokens)| format!("`{section}` needs {tokens}"))
                    .collect();
                linted.findings.push(
                    Diagnostic::error(DiagnosticCode::BudgetOver, over.to_string()).help(largest.join(", ")),
                );
                (self.build_unlimited(request)?, self.limits(request)?)
            }
            Err(error) => return Err(error),
        };
        let profile = &built.snapshot.profile;
        let mut files = FileTexts::default();
        for seen in &built.seen {
            files.add(Scope::Project, &seen.shown, &seen.path, &seen.bytes);
        }
        let whole = self.collect_whole(request, &built, &mut files)?;
        let mut lint = Lint {
            catalogue: VariableTypes::of(profile, &request.variables),
            limits,
            tags: tags(profile),
            trust: profile.trust,
            files,
            scanned: BTreeSet::new(),
            linted,
        };
        lint.not_utf8(&built.prompt.diagnostics);
        lint.files(profile, &[&built.snapshot, &whole]);
        lint.sources(&built.snapshot, &whole, &|piece, part| self.place_of_piece(&built, piece, part));
        let shown = |place: Place| Place { path: built.places.shown(place.path.as_ref()), ..place };
        let place_of = |path: &[&str]| built.profile_source.place_of_key(self.system(), path).map(shown);
        let place_of_test = |when: &str, variable: &VariableKey| {
            built.profile_source.locate_test(self.system(), when, variable).map(shown)
        };
        lint.conditions(&built.snapshot, &place_of_test);
        if let Some((place, below)) = built.profile_source.replaced(self.system(), "guideline") {
            let message = format!("the guidelines of the profile replace those of `{below}`");
            let help = "copy those that you want to keep: a list replaces the one of the extended profile";
            let diagnostic = Diagnostic::info(DiagnosticCode::ProfileGuidelines, message);
            lint.linted.findings.push(diagnostic.at(shown(place)).help(help));
        }
        lint.order(&built.prompt, &place_of);
        lint.stability(&built, &place_of);
        // The build names the first hidden text of a file; here each has its line.
        let scanned = std::mem::take(&mut lint.scanned);
        let has_lines = |diagnostic: &Diagnostic| {
            let path =
                diagnostic.place.as_ref().filter(|place| place.line.is_none()).map(|place| &place.path);
            diagnostic.code.topic() == "hidden" && path.is_some_and(|path| scanned.contains(path))
        };
        let encodings = std::mem::take(&mut lint.files.encodings);
        let known = lint.linted.findings.clone();
        let is_new = |diagnostic: &Diagnostic| {
            !has_lines(diagnostic)
                // A build reports these up to a limit for each text; here all of them were found.
                && diagnostic.code != DiagnosticCode::TemplateUnbalanced
                && !known.contains(diagnostic)
        };
        let of_build = built.prompt.diagnostics.into_iter();
        let of_reminders = self.reminder_problems(&built.snapshot.profile, &built.places);
        let of_reminders = of_reminders.into_iter().filter(|_| request.events.is_empty());
        lint.linted.findings.extend(of_build.chain(of_reminders).filter(is_new));
        let found = &mut lint.linted.findings;
        untrusted_once(found);
        for (shown, encoding) in encodings {
            let diagnostic = other_encoding(Some(Scope::Project), &shown, encoding);
            if !found.contains(&diagnostic) {
                found.push(diagnostic);
            }
        }
        Ok(lint.done(&built.settings.lint.ignore))
    }

    /// Collects what a build may use once all of the project is granted, also with other tools, and adds the files that came to the
    /// gate.
    fn collect_whole(
        &self,
        request: &Request,
        built: &BuildResult,
        files: &mut FileTexts,
    ) -> Result<Snapshot, Error> {
        let (inputs, mut whole) =
            self.read_and_collect(request, Breadth::EveryTool, Some(Consent::Linting), &Headless)?;
        // The state of a repository takes long to find out and decides about no file.
        whole.variables.clone_from(&built.snapshot.variables);
        whole.variables.retain(|key, _| key.kind() == "git");
        self.read_for_other_tools(&inputs, &whole);
        let agent = self.any_agent(&inputs);
        self.read_on_demand(&inputs, files);
        // The sections of an agent are no part of the profile of the main conversation.
        if request.agent.is_none()
            && let Some(agent) = agent
        {
            let of_agent = Request { agent: Some(agent), ..request.clone() };
            if let Ok(inputs) = self.read_inputs(&of_agent, Some(Consent::Linting)) {
                self.read_on_demand(&inputs, files);
            }
        }
        Ok(whole)
    }

    /// Reads what a build uses once an agent or a style is named, or a model once it uses a skill, and adds what came to the gate so
    /// far, and the user's own skills. What is wrong with their heads is reported where they are listed.
    fn read_on_demand(&self, inputs: &Inputs, files: &mut FileTexts) {
        let context = inputs.context(self);
        let profile = &inputs.entries.profile;
        if profile.has_agents {
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
                files.encodings.insert(unread.shown, encoding);
            }
        }
    }

    /// Reads the agents and returns the name of one, if there are any.
    fn any_agent(&self, inputs: &Inputs) -> Option<String> {
        let agents = inputs.entries.profile.has_agents.then(|| agents::load(&inputs.context(self)))?;
        agents.into_iter().find(|agent| agent.active).map(|agent| agent.name)
    }

    /// Looks at single files: texts, templates, settings and profiles, by their names.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn lint_files(&self, request: &Request, files: &[LintFile]) -> Result<LintReport, Error> {
        let mut loaded = self.load_profile(request)?;
        if let Some(template) = &request.template {
            Arc::make_mut(&mut loaded.profile).variables.0.extend(template.variables.0.clone());
        }
        let mut lint = Lint::of_files(&loaded.profile, request);
        for file in files {
            if lint.is_other_encoding(file) {
                continue;
            }
            let name = file.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            if name == "settings.json" {
                let (_, diagnostics) = loaded.places.parse_settings(Scope::Global, &file.shown, &file.bytes);
                lint.linted.findings.extend(diagnostics);
            } else if name.ends_with(".toml") {
                let global = loaded.places.global.as_deref();
                if let Err(error) =
                    profile::load(self.system(), global, &ProfileChoice::File(file.path.clone()), &[])
                {
                    let place = Place { path: file.shown.clone(), ..*error.place.clone() };
                    lint.linted.findings.push(Diagnostic::from(error).at(place));
                }
            }
            let plain = name.ends_with(".json") || name.ends_with(".toml") || VERBATIM.contains(&&*name);
            // A profile that is one template has no name for its file.
            let is_template =
                !plain && (loaded.profile.takes_template() || is_template(&loaded.profile, &file.path));
            let language = if is_template { Language::Template } else { Language::Verbatim };
            lint.bytes(None, &file.shown, &file.bytes, language);
        }
        Ok(lint.done(&loaded.typed.lint.ignore))
    }

    /// Looks for hidden text, secrets and forged tags in files that other agents read, and adds what else was found about them. Not
    /// reported are the label of a turn, such as `User:`, because these files are full of examples of conversations, and characters where
    /// they are ordinary, such as a joiner in an emoji.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn lint_texts(
        &self,
        request: &Request,
        files: &[LintFile],
        found: Diagnostics,
    ) -> Result<LintReport, Error> {
        let loaded = self.load_profile(request)?;
        let mut lint = Lint::of_files(&loaded.profile, request);
        lint.linted.findings = found;
        for file in files {
            if !lint.is_other_encoding(file) {
                lint.bytes(None, &file.shown, &file.bytes, Language::Verbatim);
            }
        }
        lint.linted.findings.retain(|found| match found.code {
            DiagnosticCode::ForgedRole => false,
            DiagnosticCode::HiddenCharacter => found.severity > Severity::Info,
            _ => true,
        });
        comments_once(&mut lint.linted.findings);
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
                let file = dir.join("settings.json");
                if places.source(source.scope, &file).path != source.path {
                    return None;
                }
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

    /// Builds without a token budget; where a template stops that build, the texts alone.
    fn build_unlimited(&self, request: &Request) -> Result<BuildResult, Error> {
        let unlimited = Request { budget: Some(usize::MAX), ..request.clone() };
        match self.without_programs().build(&unlimited) {
            Err(Error::Render(_)) => self.unrendered(request),
            built => built,
        }
    }

    /// Collects what a build would read, and renders nothing.
    fn unrendered(&self, request: &Request) -> Result<BuildResult, Error> {
        let (inputs, snapshot) =
            self.without_programs().read_and_collect(request, Breadth::Turn, None, &Headless)?;
        Ok(unrendered(inputs, snapshot))
    }

    /// The limits that hold for the templates of a request, from the profile alone.
    fn limits(&self, request: &Request) -> Result<TemplateOptions, Error> {
        Ok(TemplateOptions::of(&self.load_profile(request)?.profile, &request.variables))
    }
}

/// The tags that no text may imitate: those that any preset writes, and those of this profile.
pub(crate) fn tags(profile: &Profile) -> Vec<String> {
    profile.reserved_tags()
}

/// The most findings of one code that are kept of one file.
const MOST: usize = 100;
/// The number of findings from which on each further file keeps fewer of its own.
const PLENTY: usize = 2_000;
/// The most findings of one code that are kept of one file beyond that.
const FEW: usize = 2;

struct Lint {
    catalogue: VariableTypes,
    limits: TemplateOptions,
    tags: Vec<String>,
    trust: TrustMode,
    files: FileTexts,
    /// The paths of the texts that were linted.
    scanned: BTreeSet<String>,
    linted: LintReport,
}

/// The files that are scanned as a whole, by their paths for people: those of the project, and the user's skills.
#[derive(Default)]
struct FileTexts {
    by_name: BTreeMap<String, FileText>,
    paths: BTreeSet<PathBuf>,
    /// The files of the project that are not UTF-8, with their encodings.
    encodings: BTreeMap<String, &'static str>,
}

struct FileText {
    scope: Scope,
    path: PathBuf,
    text: String,
    /// False if there is something to report about its bytes.
    is_utf8: bool,
}

impl FileTexts {
    /// Adds a file, each once.
    fn add(&mut self, scope: Scope, shown: &str, path: &Path, bytes: &[u8]) {
        if !self.paths.insert(path.to_owned()) {
            return;
        }
        let text = String::from_utf8_lossy(bytes);
        let is_utf8 = matches!(text, Cow::Borrowed(_));
        let file = FileText { scope, path: path.to_owned(), text: text.into_owned(), is_utf8 };
        self.by_name.insert(shown.to_owned(), file);
    }

    /// Returns the file that a text is from.
    fn get(&self, scope: Option<Scope>, path: &str) -> Option<&FileText> {
        self.by_name.get(path).filter(|file| Some(file.scope) == scope)
    }
}

/// A text of a snapshot, and where it comes from.
pub(crate) struct ScannedText<'s> {
    pub scope: Option<Scope>,
    pub path: String,
    pub pieces: &'s [Piece],
    pub language: Language,
}

impl ScannedText<'_> {
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }
}

/// Returns the texts that a snapshot includes: contributions, layer files, section files, settings, the stored template, the
/// profile's own.
pub(crate) fn source_texts(snapshot: &Snapshot) -> Vec<ScannedText<'_>> {
    let mut texts: Vec<(&[Piece], Language)> = Vec::new();
    for item in snapshot.contributions.iter().flat_map(|given| &given.items) {
        texts.push((&item.pieces, item.language));
    }
    for layer in &snapshot.stack.0 {
        for (name, pieces) in &layer.files {
            let group = snapshot.profile.groups.iter().find(|group| {
                group
                    .replace
                    .iter()
                    .filter_map(ReplacementSource::file)
                    .any(|file| file.scope == layer.scope && file.name == *name)
            });
            texts.push((pieces, group.map_or(Language::Verbatim, |group| group.language)));
        }
        texts.extend(layer.sections.values().map(|pieces| (pieces.as_slice(), Language::Template)));
    }
    for given in &snapshot.overrides {
        if let Some(text) = &given.text {
            texts.push((text, given.language.unwrap_or_default()));
        }
    }
    let given = [&snapshot.system_prompt.custom, &snapshot.system_prompt.append];
    texts.extend(given.into_iter().flatten().map(|piece| (std::slice::from_ref(piece), Language::Verbatim)));
    if let Some(stored) = &snapshot.stored {
        let group =
            snapshot.profile.groups.iter().find(|group| group.replace.contains(&ReplacementSource::Store));
        texts.push((stored, group.map_or(Language::Template, |group| group.language)));
    }
    for section in &snapshot.profile.sections {
        if let SectionBody::Text(pieces) = &section.body {
            texts.push((pieces, section.language));
        }
    }
    let named = |(pieces, language): (&'_ [Piece], Language)| {
        let (scope, path) = pieces.first().and_then(|piece| named(&piece.origin))?;
        Some((scope, path, language))
    };
    let with_source = |text| {
        named(text).map(|(scope, path, language)| ScannedText { scope, path, pieces: text.0, language })
    };
    texts.into_iter().filter_map(with_source).collect()
}

impl Lint {
    /// Creates the lint of single files.
    fn of_files(profile: &Profile, request: &Request) -> Self {
        Lint {
            catalogue: VariableTypes::of(profile, &request.variables),
            limits: TemplateOptions::of(profile, &request.variables),
            tags: tags(profile),
            trust: profile.trust,
            files: FileTexts::default(),
            scanned: BTreeSet::new(),
            linted: LintReport::default(),
        }
    }

    /// Returns true for a file that is not UTF-8 as a whole, and reports it.
    fn is_other_encoding(&mut self, file: &LintFile) -> bool {
        let Some(encoding) = utf_16(&file.bytes) else { return false };
        self.linted.texts += 1;
        self.linted.findings.push(other_encoding(None, &file.shown, encoding));
        true
    }

    /// Takes the files that a build reported as no UTF-8.
    fn not_utf8(&mut self, reported: &[Diagnostic]) {
        for diagnostic in reported.iter().filter(|diagnostic| diagnostic.code == DiagnosticCode::FileNotUtf8)
        {
            let file = diagnostic.place.as_ref().and_then(|place| self.files.by_name.get_mut(&place.path));
            file.into_iter().for_each(|file| file.is_utf8 = true);
        }
    }

    /// Checks the files, each as a whole: they are read as text, and nothing in them is acted upon.
    fn files(&mut self, profile: &Profile, snapshots: &[&Snapshot]) {
        let used: BTreeSet<String> = snapshots
            .iter()
            .flat_map(|snapshot| source_texts(snapshot))
            .filter(|text| text.scope == Some(Scope::Project))
            .map(|text| text.path)
            .collect();
        let files = std::mem::take(&mut self.files);
        for (shown, file) in &files.by_name {
            // The tags of a text that a prompt is made of are looked at there.
            let template =
                file.scope == Scope::Project && !used.contains(shown) && is_template(profile, &file.path);
            let language = if template { Language::Template } else { Language::Verbatim };
            if !file.is_utf8 {
                self.bad_bytes(Some(file.scope), shown);
            }
            self.text(Some(file.scope), shown, &file.text, language);
        }
        self.files = files;
    }

    /// Checks the texts that prompts are made of: those of a build, and those of the project that it would use with all of the
    /// project granted.
    fn sources(
        &mut self,
        built: &Snapshot,
        whole: &Snapshot,
        place_of: &dyn Fn(&Piece, &Range<usize>) -> Option<Place>,
    ) {
        let mut seen: BTreeSet<(Scope, String, String)> = BTreeSet::new();
        let more = source_texts(whole).into_iter().filter(|text| text.scope == Some(Scope::Project));
        for source in source_texts(built).into_iter().chain(more) {
            let text = source.text();
            let ScannedText { scope, path, pieces, language } = &source;
            if !seen.insert((scope.unwrap_or(Scope::Bundled), path.clone(), text.clone())) {
                continue;
            }
            let before = self.linted.findings.len();
            let file = self.files.get(*scope, path);
            match file {
                // The file was scanned, with its strings as they are read.
                Some(_) => self.tags(*scope, path, &text, *language),
                None => self.text(*scope, path, &text, *language),
            }
            let file = self.files.get(*scope, path);
            let piece = if let [piece] = pieces { Some(piece) } else { None };
            let mut found = self.linted.findings.split_off(before);
            found.retain_mut(|diagnostic| {
                let Some(place) = &mut diagnostic.place else { return true };
                let Some(span) = place.span.clone() else { return true };
                if let Some(found) = piece.and_then(|piece| place_of(piece, &span)) {
                    *place = found;
                    return true;
                }
                let Some(file) = file else { return true };
                let is_tag = diagnostic.code.as_str().starts_with("template/");
                if !is_tag && file.text.contains(&text[span.clone()]) {
                    return false;
                }
                *place = match piece.map(|piece| &piece.origin) {
                    Some(Origin::Source { span: whole, lossy: false, .. }) => {
                        let span = whole.start + span.start..whole.start + span.end;
                        Place::within(*scope, path.as_str(), &file.text, span)
                    }
                    Some(_) => Place::file(*scope, path.as_str()),
                    None => return true,
                };
                true
            });
            self.linted.findings.append(&mut found);
        }
    }

    /// Checks a text as a whole.
    fn text(&mut self, scope: Option<Scope>, path: &str, text: &str, language: Language) {
        self.linted.texts += 1;
        self.scanned.insert(path.to_owned());
        self.scan(scope, path, text);
        self.tags(scope, path, text, language);
    }

    /// Returns the most findings of one code that are kept of the next text.
    fn most(&self) -> usize {
        if self.linted.findings.len() < PLENTY { MOST } else { FEW }
    }

    /// Looks for hidden text, secrets and forged structure.
    fn scan(&mut self, scope: Option<Scope>, path: &str, text: &str) {
        let most = self.most();
        let found = &mut self.linted.findings;
        let (hidden, more) = hidden::scan_few(text, most);
        found.extend(hidden::diagnostics(&hidden, text, scope, path, CommentHandling::Sent));
        found.extend(finding::diagnostics(&more, text, scope, path));
        let (secrets, more) = FindingLimiter::of(most, secret::scan(text));
        found.extend(finding::diagnostics(&secrets, text, scope, path));
        found.extend(finding::diagnostics(&more, text, scope, path));
        let is_foreign = self.trust == TrustMode::None && scope == Some(Scope::Project);
        let scan = if is_foreign { forged::scan_few } else { forged::scan_granted };
        let (forged, more) = scan(text, &self.tags, most);
        found.extend(finding::diagnostics(&forged, text, scope, path));
        found.extend(finding::diagnostics(&more, text, scope, path));
        found.extend(scan_strings(text, scope, path, |text| hidden::scan_few(text, most).0));
        found.extend(scan_strings(text, scope, path, |text| FindingLimiter::of(most, secret::scan(text)).0));
        found.extend(scan_strings(text, scope, path, |text| scan(text, &self.tags, most).0));
    }

    /// Looks at the tags of a template.
    fn tags(&mut self, scope: Option<Scope>, path: &str, text: &str, language: Language) {
        if language == Language::Template {
            let most = self.most() * 5;
            let found = &mut self.linted.findings;
            let (diagnostics, left) =
                template::lint_few(text, &self.limits, &self.catalogue, scope, path, most);
            found.extend(diagnostics.into_iter().map(|diagnostic| diagnostic.diagnostic));
            if left > 0 {
                let what = format!("… and {left} more findings about the tags of this template");
                found.push(
                    Diagnostic::warning(DiagnosticCode::TemplateMore, what).at(Place::file(scope, path)),
                );
            }
        }
    }

    /// Lints bytes that nothing has read as text yet.
    fn bytes(&mut self, scope: Option<Scope>, path: &str, bytes: &[u8], language: Language) {
        let text = String::from_utf8_lossy(bytes);
        if let Cow::Owned(_) = &text {
            self.bad_bytes(scope, path);
        }
        self.text(scope, path, &text, language);
    }

    fn bad_bytes(&mut self, scope: Option<Scope>, path: &str) {
        let diagnostic = Diagnostic::warning(
            DiagnosticCode::FileNotUtf8,
            format!("{path} is not UTF-8: bad bytes became U+FFFD"),
        );
        self.linted.findings.push(diagnostic.at(Place::file(scope, path)).help("save the file as UTF-8"));
    }

    /// Reports conditions of sections and guidelines on variables that never have a value.
    fn conditions(&mut self, snapshot: &Snapshot, place: &dyn Fn(&str, &VariableKey) -> Option<Place>) {
        enum ConditionPlace {
            /// A key of the profile.
            Key(String),
            Place(Place),
        }
        let sections = snapshot.profile.sections.iter().filter_map(|section| {
            let id = section.id.as_str();
            let when = section.when.as_ref()?;
            Some((format!("section `{id}`"), ConditionPlace::Key(format!("section.{id}.when")), when))
        });
        let mut found: Vec<_> = sections.collect();
        found.extend(snapshot.profile.guidelines.iter().filter_map(|guideline| {
            let Origin::Literal { key, .. } = &guideline.text.origin else { return None };
            let place = ConditionPlace::Key(format!("{key}.when"));
            Some(("a guideline".to_owned(), place, guideline.when.as_ref()?))
        }));
        found.extend(snapshot.overrides.iter().filter_map(|given| {
            let place = given.place.clone().unwrap_or_else(|| Place::file(None, &given.source));
            Some((format!("section `{}`", given.id), ConditionPlace::Place(place), given.when.as_ref()?))
        }));
        for (what, of, when) in found {
            for key in when.tests().into_iter().map(|test| test.read(&snapshot.profile.variables).key) {
                let key = &key;
                let Some((why, help)) = self.catalogue.unknown(key) else { continue };
                let code = match self.catalogue.kind(key.kind()) {
                    None => DiagnosticCode::TemplateUnregisteredType,
                    Some(_) => DiagnosticCode::TemplateUnknownName,
                };
                let message =
                    format!("the condition of {what} tests `{key}`, which never has a value: {why}");
                let mut diagnostic = Diagnostic::warning(code, message);
                diagnostic.place = match &of {
                    ConditionPlace::Key(when) => place(when, key),
                    ConditionPlace::Place(place) => Some(place.clone()),
                };
                diagnostic.help = match key.kind() {
                    "option" => Some(format!("declare it: `[options]` with the key `{}`", key.name()).into()),
                    _ => help.map(Remedy::from).or_else(|| Some(Remedy::list("variables"))),
                };
                self.linted.findings.push(diagnostic);
            }
        }
    }

    /// Reports sections that are declared to be more stable than a variable in them: caches are planned by what is declared.
    fn stability(&mut self, built: &BuildResult, place: &dyn Fn(&[&str]) -> Option<Place>) {
        for part in &built.prompt.parts {
            let variables = part.spans.iter().filter_map(|span| match &span.origin {
                Origin::Variable { key, .. } => Some((key, built.snapshot.variables.get(key)?.stability)),
                _ => None,
            });
            let Some((key, actual)) = variables.max_by_key(|(_, stability)| *stability) else { continue };
            if actual <= part.stability {
                continue;
            }
            let id = part.section.as_str();
            let place = place(&["section", id, "stability"]);
            // A preset decides for the prompt of a conversation, which is stored with its first date.
            if place.as_ref().is_some_and(|place| place.path.starts_with("bundled/")) {
                continue;
            }
            let message = format!(
                "section `{id}` is declared as `{}`, but `[{key}]` in it is `{actual}`: caches are planned as if it \
                 stayed the same",
                part.stability
            );
            let mut diagnostic = match actual {
                Stability::Turn => Diagnostic::warning(DiagnosticCode::CacheStability, message),
                _ => Diagnostic::info(DiagnosticCode::CacheStability, message),
            };
            diagnostic.place = place;
            self.linted.findings.push(diagnostic);
        }
    }

    /// Reports parts that change and come before parts that do not: everything after them is sent anew. An order of the
    /// preset's own is not the user's to change.
    fn order(&mut self, prompt: &Prompt, place: &dyn Fn(&[&str]) -> Option<Place>) {
        let is_own = |key: &[&str]| place(key).is_some_and(|place| !place.path.starts_with("bundled/"));
        let is_reordered = ["arrange", "order", "orders"].iter().any(|key| is_own(&[key]));
        let is_bundled = |part: &preface_core::prompt::Part| !is_own(&["section", part.section.as_str()]);
        let mut worst: Option<&preface_core::prompt::Part> = None;
        for part in &prompt.parts {
            if let Some(before) = worst
                && part.stability < before.stability
                && (is_reordered || !is_bundled(before) || !is_bundled(part))
            {
                let message = format!(
                    "section `{}` ({}) comes before `{}` ({}): when it changes, the cache of everything after it is lost",
                    before.section, before.stability, part.section, part.stability
                );
                let diagnostic = match before.stability {
                    Stability::Turn => Diagnostic::warning(DiagnosticCode::CacheVolatileEarly, message),
                    _ => Diagnostic::info(DiagnosticCode::CacheVolatileEarly, message),
                };
                self.linted.findings.push(
                    diagnostic
                        .help("move it behind what stays the same: `arrange = \"stability\"` does that"),
                );
                return;
            }
            if worst.is_none_or(|before| part.stability > before.stability) {
                worst = Some(part);
            }
        }
    }

    /// Sorts, and drops what two lints found alike and what the settings accept.
    fn done(self, ignore: &BTreeMap<String, AddedList>) -> LintReport {
        let LintReport { mut findings, texts } = self.linted;
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

/// The findings that the settings accept, `lint.ignore`.
struct IgnoredFindings(Vec<(DiagnosticCode, GlobSet)>);

impl IgnoredFindings {
    fn of(ignore: &BTreeMap<String, AddedList>, faults: &mut Diagnostics) -> Self {
        let mut all = Vec::new();
        for (code, patterns) in ignore {
            let fault = |why: String| {
                Diagnostic::warning(
                    DiagnosticCode::ConfigSchemaViolation,
                    format!("`lint.ignore.{code}`: {why}"),
                )
            };
            let Some(known) = DiagnosticCode::ALL.iter().find(|known| known.as_str() == code) else {
                let codes = DiagnosticCode::ALL.iter().map(|known| known.as_str());
                faults
                    .push(fault("there is no such code".to_owned()).help(suggest_or(code, codes, || {
                        "each finding has its code in brackets".to_owned()
                    })));
                continue;
            };
            let mut globs = GlobSetBuilder::new();
            for pattern in &patterns.0 {
                match GlobBuilder::new(pattern).literal_separator(true).build() {
                    Ok(glob) => _ = globs.add(glob),
                    Err(error) => faults.push(fault(error.to_string())),
                }
            }
            match globs.build() {
                Ok(globs) => all.push((*known, globs)),
                Err(error) => faults.push(fault(error.to_string())),
            }
        }
        IgnoredFindings(all)
    }

    fn has(&self, diagnostic: &Diagnostic) -> bool {
        let path = diagnostic.place.as_ref().map_or("", |place| place.path.as_str());
        self.0.iter().any(|(code, globs)| *code == diagnostic.code && globs.is_match(path))
    }
}

/// Returns true for a file that a profile reads as a template, by its name.
fn is_template(profile: &Profile, path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let in_sections = path.parent().and_then(Path::file_name).is_some_and(|dir| dir == "sections");
    let listed = profile.sections.iter().any(|section| {
        let names = section.options.get("names").and_then(|names| names.as_array());
        section.language == Language::Template
            && matches!(section.body, SectionBody::Fill(_))
            && names.is_some_and(|names| names.iter().any(|one| one.as_str() == Some(&*name)))
            && !VERBATIM.contains(&&*name)
    });
    let replaces = profile.groups.iter().any(|group| {
        group.language == Language::Template
            && group.replace.iter().filter_map(ReplacementSource::file).any(|file| file.name == *name)
    });
    in_sections || listed || replaces
}

fn spot(diagnostic: &Diagnostic) -> Option<(&str, Option<usize>, Option<usize>)> {
    diagnostic.place.as_ref().map(|place| (place.path.as_str(), place.line, place.column))
}

/// Names the text that a piece belongs to.
fn named(origin: &Origin) -> Option<(Option<Scope>, String)> {
    match origin {
        Origin::Source { source, .. } => Some((Some(source.scope), source.path.clone())),
        Origin::Caller { flag } => Some((None, flag.to_string())),
        Origin::Literal { .. } | Origin::Hook { .. } | Origin::Stored { .. } => {
            Some((None, origin.to_string()))
        }
        Origin::Variable { .. } => None,
    }
}
