//! Builds with the questions of trust around them.

use crate::{
    BuildResult, Engine, Error, WriteScope,
    build_options::{BuildOptions, TrustChoice},
    error::UntrustedProject,
    input::{
        Inputs,
        collect::Breadth,
        consent::{self, Ask, ProjectAccess, TrustAnswer, TrustQuestion},
    },
    log::{HandOver, by_hand_over},
    trust::{
        coverage::{HiddenText, Review, pinned_texts, texts_of_whole, without_hidden},
        grant::unknown_to_grants,
    },
};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    lint::hidden::escape_hidden,
    trust::{Trust, TrustMode},
};
use preface_host::{
    places::Places,
    provider::context::{CONTEXT_FILE_LIMIT, Headless},
    system::FileKind,
    trust::{
        Digest, PinPath, PinnedText, PinnedVersion, RootRecord, TrustStore,
        gate::{GateVerdict, GatedText},
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
        let mut built = self.handing_out().run(request, Breadth::Turn, None, ask)?;
        let layer = built.untrusted_layer.as_deref();
        let refused = self.refuse_untrusted(request, &built.places, built.mode, layer, &built.seen);
        if let Err(refused) = refused {
            self.log_before_hand_over(&mut built);
            return Err(refused);
        }
        let asks = request.trust == TrustChoice::Ask || request.shown.is_some();
        if asks
            && ask.is_there()
            && let Some(open) = self.open_question(request, &built)
        {
            return self.answered(request, built, open, ask);
        }
        Ok(built)
    }

    /// Asks the question, and builds again with the answer where it is a yes.
    ///
    /// A yes, for once too, is about the bytes that were shown and nothing else: where they name further texts (a granted template
    /// that says `[file:…]`), those are asked about in their turn. The branch is the one that was shown, whatever is checked out
    /// when the answer comes.
    fn answered(
        &self,
        request: &BuildOptions,
        built: BuildResult,
        open: OpenQuestion<'_>,
        ask: &dyn Ask,
    ) -> Result<BuildResult, Error> {
        let OpenQuestion { question, texts, branch, store } = open;
        let root = &question.path;
        let (again, audit) = match ask.trust(&question) {
            None => return Ok(built),
            Some(TrustAnswer::Abort) => return Err(Error::Abort),
            Some(TrustAnswer::Trust) if !question.can_trust => return Ok(built),
            Some(TrustAnswer::Once) => {
                let mut shown = request.shown.as_deref().cloned().unwrap_or_default();
                shown.join(shown_texts(&texts, branch));
                let shown = Some(Arc::new(shown));
                (BuildOptions { trust: TrustChoice::Once, shown, ..request.clone() }, Vec::new())
            }
            Some(TrustAnswer::Trust) => {
                let store = store.ok_or_else(|| consent::no_store(self.system(), &built.places))?;
                let report = match built.mode {
                    TrustMode::Whole => store.grant_whole(root, &texts),
                    TrustMode::Pinned | TrustMode::None => store.grant_pins(root, &texts, branch.as_deref()),
                };
                (request.clone(), report?.audit)
            }
            Some(TrustAnswer::Decline) => {
                let declined = store.map(|store| store.decline(root, Some(listing(&texts))));
                let is_whole = built.mode == TrustMode::Whole;
                let mut left_out = match is_whole {
                    // As one that is declined from now on.
                    true => self.handing_out().run(request, Breadth::Turn, None, ask)?,
                    false => built.clone(),
                };
                match declined {
                    Some(Ok(report)) => _ = left_out.prompt.audit.splice(0..0, report.audit),
                    Some(Err(error)) => left_out.prompt.diagnostics.insert(0, error.diagnostic()),
                    None => {}
                }
                return Ok(if is_whole { with_first_files(built, left_out) } else { left_out });
            }
        };
        let mut again = self.build_confirmed(&again, ask)?;
        again.prompt.audit.splice(0..0, audit);
        Ok(with_first_files(built, again))
    }

    /// Returns the question about the texts of a build that are left out: single ones, or a project that is trusted as a whole.
    /// `None` where there are none, or exactly these were declined. What others could have put there is granted by its path alone.
    fn open_question(&self, request: &BuildOptions, built: &BuildResult) -> Option<OpenQuestion<'_>> {
        let is_whole = built.mode == TrustMode::Whole;
        let root = match is_whole {
            true => built.untrusted_layer.clone()?,
            false => consent::pin_root(self.system(), &built.places.cwd),
        };
        // What changed since an answer for once is left out.
        let was_shown =
            |seen: &GatedText| request.shown.as_ref().is_some_and(|shown| shown.has_text(&seen.pin));
        let open: Vec<&GatedText> =
            built.untrusted().filter(|seen| !seen.shared && !was_shown(seen)).collect();
        if open.is_empty() && !is_whole {
            return None;
        }
        // A project whose text stops a build is asked about all the same.
        let review = self.writing(WriteScope::Nothing).review(request, &[]);
        let open = match &review {
            Ok(review) if is_whole => texts_of_whole(&review.built),
            _ => open,
        };
        let (shown, hidden) = without_hidden(open, HiddenText::Refuse, (!is_whole).then_some(&root));
        if shown.is_empty() && !is_whole {
            return None;
        }
        let texts = pinned_texts(shown.iter().copied());
        let file = built.store.as_deref();
        let store = file.map(|file| consent::store_of(self.system(), file, &built.places, &root));
        let record = store.as_ref().map(|store| store.load(&mut Diagnostics::new()).root(&root));
        if record.is_some_and(|record| record.declines(&listing(&texts))) {
            return None;
        }
        let is_sent = |seen: &GatedText| {
            let texts = review.iter().flat_map(|review| &review.coverage.texts);
            is_whole && texts.into_iter().any(|text| text.is_sent && text.file.pin == seen.pin)
        };
        let mut contents: Vec<String> = shown
            .iter()
            .map(|seen| {
                let why = match seen.verdict {
                    GateVerdict::UntrustedChanged => ", changed since you trusted it",
                    _ if is_sent(seen) => ", sent to the model",
                    _ => "",
                };
                let name = if is_whole { seen.shown.clone() } else { seen.name_in(&root) };
                format!("{name} ({} bytes{why})", seen.bytes.len())
            })
            .collect();
        contents.extend(
            hidden.iter().map(|name| {
                format!("{name} has hidden text: only a grant that allows hidden text trusts it")
            }),
        );
        if contents.is_empty() {
            contents.push("no file that a build uses".to_owned());
        }
        let (mut can_trust, mut branch) = (true, None);
        match &review {
            Ok(Review { built, coverage }) => {
                branch = coverage.branch.as_ref().map(|branch| branch.name.clone());
                contents.extend(coverage.question_lines());
                if is_whole && unknown_to_grants(built).next().is_some() {
                    contents.push("what cannot be read cannot be trusted".to_owned());
                    can_trust = false;
                }
            }
            Err(error) => {
                contents.push(format!("with a grant no prompt could be built: {error}"));
                can_trust = !is_whole;
            }
        }
        let question = TrustQuestion {
            path: root,
            contents,
            texts: shown.iter().map(|seen| seen.readable()).collect(),
            changed: shown.iter().any(|seen| seen.verdict == GateVerdict::UntrustedChanged),
            can_trust: can_trust && (hidden.is_empty() || !is_whole),
        };
        Some(OpenQuestion { question, texts, branch, store })
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

/// Returns a second build with what the first one reported about the first files of a profile, which it wrote.
fn with_first_files(first: BuildResult, mut second: BuildResult) -> BuildResult {
    let is_first = |event: &AuditEvent| matches!(event, AuditEvent::SystemPromptScaffolded { .. });
    second.prompt.audit.splice(0..0, first.prompt.audit.into_iter().filter(is_first));
    let is_report = |diagnostic: &Diagnostic| diagnostic.code == DiagnosticCode::ScaffoldCreated;
    second.prompt.diagnostics.splice(0..0, first.prompt.diagnostics.into_iter().filter(is_report));
    second
}

/// A question about trust, with what the answers are about.
struct OpenQuestion<'s> {
    question: TrustQuestion,
    texts: Vec<PinnedText>,
    branch: Option<String>,
    store: Option<TrustStore<'s>>,
}

/// Returns the digest that a decline of texts records.
fn listing(texts: &[PinnedText]) -> Digest {
    Digest::of_listing(texts.iter().map(|text| (&text.path, Digest::of(&text.bytes))))
}

/// Returns what an answer for once grants: texts and a branch that were shown.
fn shown_texts(texts: &[PinnedText], branch: Option<String>) -> RootRecord {
    let version = |text: &PinnedText| (text.path.clone(), PinnedVersion::of(&text.bytes));
    RootRecord::given(texts.iter().map(version), branch)
}
