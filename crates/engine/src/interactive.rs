//! Builds with the questions of trust around them.

use crate::{
    BuildResult, Engine, Error, WriteScope,
    build_options::{BuildOptions, TrustChoice},
    error::UntrustedProject,
    input::{
        FirstFiles, Inputs,
        collect::Breadth,
        consent::{self, Ask, ProjectAccess, TrustAnswer, TrustQuestion},
        load_profile::LoadedProfile,
    },
    log::{HandOver, by_hand_over},
    trust::{
        coverage::{CoveredText, HiddenText, Review, without_hidden},
        grant::{grant_branch, unknown_to_grants},
    },
};
use preface_core::{
    audit::AuditEvent,
    diagnostic::Diagnostics,
    lint::hidden::escape_hidden,
    trust::{Trust, TrustMode},
};
use preface_host::{
    places::Places,
    provider::context::{CONTEXT_FILE_LIMIT, Headless},
    system::FileKind,
    trust::{
        Digest, GrantedFiles, PinPath, PinnedText, PinnedVersion, RootRecord, TrustStore,
        gate::{GateVerdict, GatedText},
        trust_evaluated,
    },
};
use std::{path::Path, sync::Arc};

impl Engine<'_> {
    /// Builds a prompt without asking the user.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build(&self, request: &BuildOptions) -> Result<BuildResult, Error> {
        self.build_interactive(request, &Headless)
    }

    /// Builds a prompt, and asks the user about projects without recorded trust.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build_interactive(&self, request: &BuildOptions, ask: &dyn Ask) -> Result<BuildResult, Error> {
        let (mut built, hand_over) = self.build_to_hand_over(request, ask)?;
        built.prompt.diagnostics.extend(self.handed_out(&hand_over));
        Ok(built)
    }

    /// Builds as [`Engine::build_interactive`] does, for a caller that may not hand the prompt out: loggers learn of its
    /// contributions by [`Engine::handed_out`].
    ///
    /// # Errors
    /// See [`Error`].
    pub fn build_to_hand_over(
        &self,
        request: &BuildOptions,
        ask: &dyn Ask,
    ) -> Result<(BuildResult, HandOver), Error> {
        let mut built = self.build_confirmed(request, ask)?;
        let hand_over = self.log_before_hand_over(&mut built);
        Ok((built, hand_over))
    }

    /// Asks the user the questions of a build, and records the answers. It returns no prompt: the
    /// next build uses the recorded answers and the request that this returns, since an answer for once is not
    /// recorded.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn ask_trust(&self, request: &BuildOptions, ask: &dyn Ask) -> Result<BuildOptions, Error> {
        let built = self.build_confirmed(request, ask)?;
        // An answer that holds for once is an event of the build that goes by it.
        let recorded = |event: &&AuditEvent| {
            matches!(event, AuditEvent::ProjectTrusted { .. } | AuditEvent::ProjectDeclined { .. })
        };
        let events: Vec<AuditEvent> = built.prompt.audit.iter().filter(recorded).cloned().collect();
        self.append(&built.loggers, &events);
        let mut request = request.clone();
        if built.trust == Trust::Once {
            (request.trust, request.shown) = (TrustChoice::Once, built.shown);
        }
        Ok(request)
    }

    /// Builds with the given answers, and logs nothing but a refusal.
    pub(crate) fn build_confirmed(
        &self,
        request: &BuildOptions,
        ask: &dyn Ask,
    ) -> Result<BuildResult, Error> {
        let WholeAnswer { request, audit, once, diagnostics } = ask_for_whole(self, request, ask)?;
        let request = &request;
        let mut built = self.handing_out().run(request, Breadth::Turn, None, ask)?;
        if let Some(decision) = once {
            let is_once = |event: &AuditEvent| matches!(event, AuditEvent::ProjectTrustOnce { .. });
            let at = built.prompt.audit.iter().position(is_once).map_or(0, |at| at + 1);
            built.prompt.audit.insert(at, decision);
        }
        built.prompt.audit.splice(0..0, audit);
        built.prompt.diagnostics.splice(0..0, diagnostics);
        let layer = built.untrusted_layer.as_deref();
        let refused = self.refuse_untrusted(request, &built.places, built.mode, layer, &built.seen);
        if let Err(refused) = refused {
            self.log_before_hand_over(&mut built);
            return Err(refused);
        }
        let asks = request.trust == TrustChoice::Ask || request.shown.is_some();
        if asks && built.untrusted().next().is_some() {
            return Ok(ask_for_pins(self, request, &built, ask)?.unwrap_or(built));
        }
        Ok(built)
    }

    /// Appends the events of a build but for those of its prompt, which [`Engine::handed_out`] appends.
    pub(crate) fn log_before_hand_over(&self, built: &mut BuildResult) -> HandOver {
        let (events, others) = by_hand_over(&built.prompt.audit);
        let diagnostics = self.append(&built.loggers, &others);
        built.prompt.diagnostics.extend(diagnostics);
        HandOver { loggers: built.loggers.clone(), events }
    }

    /// Refuses a request that does not accept untrusted texts, if there are any: texts by name, the project layer as a
    /// whole, or texts that the pins of the request name and that are not there.
    fn refuse_untrusted(
        &self,
        request: &BuildOptions,
        places: &Places,
        mode: TrustMode,
        layer: Option<&Path>,
        seen: &[GatedText],
    ) -> Result<(), Error> {
        if request.trust != TrustChoice::Require {
            return Ok(());
        }
        // Pins have paths from the root of the project, and so have the files beside them.
        let root = (mode != TrustMode::Whole).then(|| consent::pin_root(self.system(), &places.cwd));
        let name = |seen: &GatedText| match &root {
            Some(root) => seen.name_in(root),
            None => seen.shown.clone(),
        };
        let mut texts: Vec<(String, &str)> =
            seen.iter().filter_map(|seen| Some((name(seen), untrusted_state(seen.verdict)?))).collect();
        if let Some(bytes) = request.pins.as_deref().filter(|_| mode != TrustMode::Whole) {
            texts.extend(self.lost_texts(places, bytes)?);
        }
        if texts.is_empty() && layer.is_none() {
            return Ok(());
        }
        let path = layer.map_or_else(|| consent::pin_root(self.system(), &places.cwd), Path::to_path_buf);
        let (mut sources, states): (Vec<_>, Vec<_>) = texts.into_iter().unzip();
        if sources.is_empty() {
            sources.push(places.shown(&path));
        }
        Err(Error::Untrusted(UntrustedProject { path: path.display().to_string(), sources, states }))
    }

    /// Returns the texts of the project that exported pins name and that no build can read. A pin outside of the project
    /// is about the machine that exported it, and may be missing. Each has its path from the root of the project, and what became
    /// of it, such as `missing`.
    ///
    /// # Errors
    /// The pins are no export.
    pub fn lost_texts(&self, places: &Places, pins: &[u8]) -> Result<Vec<(String, &'static str)>, Error> {
        let pins = RootRecord::from_export(pins).map_err(|error| Error::Trust(error.to_string(), None))?;
        let root = consent::pin_root(self.system(), &places.cwd);
        let lost = |(pin, _): (&PinPath, _)| {
            let path = pin.resolve(&root);
            if !path.starts_with(&root) {
                return None;
            }
            let state = match (self.system().link_stat(&path), self.system().canonical(&path)) {
                (None, _) => "missing",
                (Some(stat), _) if stat.kind == FileKind::Link => "now a link",
                (_, Ok(real)) if real != path => "now behind a link",
                (Some(stat), _) if stat.kind != FileKind::File => "no regular file",
                (Some(stat), _) if stat.len > CONTEXT_FILE_LIMIT => "too large",
                _ => return None,
            };
            Some((escape_hidden(pin.as_str()).into_owned(), state))
        };
        Ok(pins.texts().filter_map(lost).collect())
    }

    /// As [`Engine::refuse_untrusted`], of what was just collected.
    pub(crate) fn refuse_untrusted_in(&self, request: &BuildOptions, inputs: &Inputs) -> Result<(), Error> {
        let ProjectAccess { places, gate, untrusted_layer, .. } = &inputs.project.access;
        self.refuse_untrusted(request, places, gate.mode(), untrusted_layer.as_deref(), &gate.seen())
    }
}

/// Names the state of a text that is left out; `None` for one that is included.
fn untrusted_state(verdict: GateVerdict) -> Option<&'static str> {
    match verdict {
        GateVerdict::Included => None,
        GateVerdict::UntrustedNew | GateVerdict::Denied => Some("new"),
        GateVerdict::UntrustedChanged => Some("changed"),
        GateVerdict::UntrustedShared => Some("others could have put it there"),
    }
}

/// The answer of the user about a project as a whole, before a build.
struct WholeAnswer {
    /// The request that goes by the answer.
    pub request: BuildOptions,
    pub audit: Vec<AuditEvent>,
    /// The decision of an answer for one build, which follows the event of the gate.
    pub once: Option<AuditEvent>,
    pub diagnostics: Diagnostics,
}

/// Asks a person about a project that is trusted as a whole, where no decision about it is recorded, or where it changed since
/// it was declined. The answer is recorded before anything is built.
fn ask_for_whole(engine: &Engine<'_>, request: &BuildOptions, ask: &dyn Ask) -> Result<WholeAnswer, Error> {
    let mut answer = WholeAnswer {
        request: request.clone(),
        audit: Vec::new(),
        once: None,
        diagnostics: Diagnostics::new(),
    };
    if request.trust != TrustChoice::Ask || !ask.is_there() {
        return Ok(answer);
    }
    let LoadedProfile { profile, places, store, .. } = engine.load_profile(request)?;
    let Some(root) = consent::layer_root(engine.system(), &places) else { return Ok(answer) };
    if profile.trust != TrustMode::Whole {
        return Ok(answer);
    }
    let store = store.map(|file| consent::store_of(engine.system(), &file, &places, &root));
    let mut store_diagnostics = Diagnostics::new();
    let record =
        store.as_ref().map(|store| store.load(&mut store_diagnostics).root(&root)).unwrap_or_default();
    if record.whole().is_some() {
        return Ok(answer);
    }
    let WholeQuestion { question, once, files } = whole_question(engine, request, &root);
    let contents = Digest::of_listing(files.iter().map(|(path, digest)| (path, *digest)));
    if record.declines(&contents) {
        return Ok(answer);
    }
    // Before an answer is recorded, where this engine writes them.
    let first_files = || match engine.handing_out().scaffolds() {
        true => engine.scaffold(&profile, &places),
        false => FirstFiles::default(),
    };
    match ask.trust(&question) {
        None => {}
        Some(TrustAnswer::Abort) => return Err(Error::Abort),
        Some(TrustAnswer::Once) => {
            answer.request.trust = TrustChoice::Once;
            answer.request.shown = Some(Arc::new(once));
            // What is wrong with the store is reported by builds that go by it.
            answer.diagnostics = store_diagnostics;
            answer.once = Some(trust_evaluated(&root, Trust::Once));
        }
        Some(TrustAnswer::Trust) if whole_question(engine, request, &root).files != files => {
            let what = format!("{} changed while the question was open: nothing was granted", root.display());
            return Err(Error::Trust(what, None));
        }
        Some(TrustAnswer::Trust) if question.can_trust => {
            let store = store.ok_or_else(|| consent::no_store(engine.system(), &places))?;
            let first = first_files();
            (answer.diagnostics, answer.audit) = (first.diagnostics, first.audit);
            let report = store.grant_whole(&root, files);
            answer.audit.extend(report?.audit);
        }
        Some(TrustAnswer::Trust) => {}
        Some(TrustAnswer::Decline) => {
            let first = first_files();
            (answer.diagnostics, answer.audit) = (first.diagnostics, first.audit);
            match store.map(|store| store.decline(&root, Some(contents))) {
                Some(Ok(report)) => answer.audit.extend(report.audit),
                Some(Err(error)) => answer.diagnostics.push(error.diagnostic()),
                None => {}
            }
        }
    }
    Ok(answer)
}

/// A question about a project as a whole, with the files that each answer is about.
struct WholeQuestion {
    question: TrustQuestion,
    /// The texts of an answer for once: those without hidden text.
    once: RootRecord,
    /// The files of a grant.
    files: GrantedFiles,
}

/// Returns the question about a project as a whole: what a grant of it would cover.
fn whole_question(engine: &Engine<'_>, request: &BuildOptions, root: &Path) -> WholeQuestion {
    let mut question = TrustQuestion {
        path: root.to_owned(),
        contents: Vec::new(),
        texts: Vec::new(),
        changed: false,
        can_trust: false,
    };
    let (mut once, mut files) = (RootRecord::default(), GrantedFiles::new());
    match engine.writing(WriteScope::Nothing).review(request, &[]) {
        Ok(Review { built, coverage }) => {
            let (shown, hidden) = without_hidden(&built.seen, HiddenText::Refuse, None);
            // What others can write is granted by its path alone.
            let included =
                shown.into_iter().filter(|seen| seen.verdict == GateVerdict::Included && !seen.shared);
            once = shown_texts(included, None);
            files = consent::files_of_grant(root, &built.admitted);
            let is_known = unknown_to_grants(&built).next().is_none();
            question.can_trust = hidden.is_empty() && is_known;
            question.contents.extend(coverage.texts.iter().map(|CoveredText { file, is_sent, .. }| {
                let sent = if *is_sent { ", sent to the model" } else { "" };
                format!("{} ({} bytes{sent})", file.shown, file.bytes.len())
            }));
            if question.contents.is_empty() {
                question.contents.push("no file that a build uses".to_owned());
            }
            question.contents.extend(coverage.question_lines());
            question.contents.extend(hidden.iter().map(|name| {
                format!("{name} has hidden text: only a grant that allows hidden text trusts it")
            }));
            if !is_known {
                question.contents.push("what cannot be read cannot be trusted".to_owned());
            }
            question.texts.extend(coverage.texts.iter().map(|text| text.file.readable()));
        }
        Err(error) => {
            question.contents.push(format!("with a grant no prompt could be built: {error}"));
        }
    }
    WholeQuestion { question, once, files }
}

/// Returns what an answer for once grants: texts and a branch that were shown.
fn shown_texts<'s>(texts: impl IntoIterator<Item = &'s GatedText>, branch: Option<String>) -> RootRecord {
    let version = |seen: &GatedText| (seen.pin.clone(), PinnedVersion::of(&seen.bytes));
    RootRecord::given(texts.into_iter().map(version), branch)
}

/// Asks the user about untrusted texts and builds again with the answer. Returns `None` if no user could be
/// asked, or the answer was no.
///
/// A yes, for once too, is about the bytes that were shown and nothing else: where they name further texts (a granted template that
/// says `[file:…]`), those are asked about in their turn. What others can write is granted by its path alone. The branch is
/// the one that was shown, whatever is checked out when the answer comes.
fn ask_for_pins(
    engine: &Engine<'_>,
    request: &BuildOptions,
    built: &BuildResult,
    ask: &dyn Ask,
) -> Result<Option<BuildResult>, Error> {
    // Where nobody is there, nothing is looked up for a question. What has hidden text takes a flag.
    if !ask.is_there() {
        return Ok(None);
    }
    let root = consent::pin_root(engine.system(), &built.places.cwd);
    // What changed since an answer for once is left out.
    let was_shown = |seen: &GatedText| request.shown.as_ref().is_some_and(|shown| shown.has_text(&seen.pin));
    let open = built.untrusted().filter(|seen| !seen.shared && !was_shown(seen));
    let (untrusted, hidden) = without_hidden(open, HiddenText::Refuse, Some(&root));
    if untrusted.is_empty() {
        return Ok(None);
    }
    let contents = Digest::of_listing(untrusted.iter().map(|seen| (&seen.pin, seen.digest)));
    let store =
        built.store.as_ref().map(|file| TrustStore::at(engine.system(), file.clone()).for_project(&root));
    let mut diagnostics = Diagnostics::new();
    if let Some(store) = &store
        && store.load(&mut diagnostics).root(&root).declines(&contents)
    {
        return Ok(None);
    }
    let mut contents_shown: Vec<String> = untrusted
        .iter()
        .map(|seen| {
            let why = match seen.verdict {
                GateVerdict::UntrustedChanged => ", changed since you trusted it",
                _ => "",
            };
            format!("{} ({} bytes{why})", seen.name_in(&root), seen.bytes.len())
        })
        .collect();
    contents_shown.extend(hidden.iter().map(|name| {
        format!(
            "{name} has hidden text and is not part of this: only a grant that allows hidden text trusts it"
        )
    }));
    // A project whose text stops a build is asked about all the same.
    let mut branch = None;
    contents_shown.extend(match engine.review(request, &[]) {
        Ok(Review { coverage, .. }) => {
            branch = coverage.branch.as_ref().map(|branch| branch.name.clone());
            coverage.question_lines()
        }
        Err(error) => vec![format!("with a grant no prompt could be built: {error}")],
    });
    let question = TrustQuestion {
        path: root.clone(),
        contents: contents_shown,
        texts: untrusted.iter().map(|seen| seen.readable()).collect(),
        changed: untrusted.iter().any(|seen| seen.verdict == GateVerdict::UntrustedChanged),
        can_trust: true,
    };
    match ask.trust(&question) {
        None => Ok(None),
        Some(TrustAnswer::Abort) => Err(Error::Abort),
        Some(TrustAnswer::Once) => {
            let mut shown = request.shown.as_deref().cloned().unwrap_or_default();
            shown.join(shown_texts(untrusted.iter().copied(), branch));
            let again =
                BuildOptions { trust: TrustChoice::Once, shown: Some(Arc::new(shown)), ..request.clone() };
            engine.build_confirmed(&again, ask).map(Some)
        }
        Some(TrustAnswer::Trust) => {
            let texts: Vec<PinnedText> = untrusted
                .iter()
                .map(|seen| PinnedText { path: seen.pin.clone(), bytes: seen.bytes.to_vec() })
                .collect();
            let store = engine.store(built)?.for_project(&root);
            let report = store.grant_pins(&root, &texts)?;
            grant_branch(&store, &root, branch.as_deref())?;
            let mut again = engine.build_confirmed(request, ask)?;
            again.prompt.audit.splice(0..0, report.audit);
            Ok(Some(again))
        }
        Some(TrustAnswer::Decline) => {
            let mut built = built.clone();
            match store.map(|store| store.decline(&root, Some(contents))) {
                Some(Ok(mut report)) => built.prompt.audit.append(&mut report.audit),
                Some(Err(error)) => built.prompt.diagnostics.push(error.diagnostic()),
                None => {}
            }
            Ok(Some(built))
        }
    }
}
