//! The conversations of a store, each found by its id: the prompt is built on the first turn, stored, and read from then on.

use super::{
    ConversationError, Offload, PromptRecord, TemplateChoice, UsedValue,
    construct::{ConstructInput, ConstructedPrompt},
    record::{is_same, rebuild_help},
    trust::{self, RefusalFilter, TrustWatch},
};
use crate::{
    BuildOptions, Engine, Error, TemplateInput, ToolChoice, TrustChoice, WriteScope,
    conversation::input_cache::InputCache,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    diff::Difference,
    document::Document,
    profile::{CompactionAction, Rebuild},
    prompt::Prompt,
};
use preface_host::{
    places::normal,
    system::{FileKind, System},
};
use preface_store::{
    Actor, ConstructReason, ConversationId, InsertOutcome, PromptSummary, ReplaceOutcome, Revision, Store,
    StoredPrompt, TemplateUsed,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The conversations of a store.
///
/// It joins the pipeline, which blocks on files, and the store, which is asynchronous. Its [`Offload`] decides where the
/// blocking work runs: [`InlineOffload`](super::InlineOffload) for a command, a thread of its own for a service.
///
/// ```
/// use preface_engine::{ASSETS, BuildOptions, conversation::{InlineOffload, ConversationService}, store::{self, Actor}};
/// use preface_engine::host::system::testing::MemorySystem;
/// use std::sync::Arc;
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # runtime.block_on(async {
/// let system = MemorySystem::new().with_bundle(ASSETS).with_dir("/work");
/// let store = store::open(&"memory:".parse()?).await?;
/// let service = ConversationService::new(Arc::new(system), store, Arc::new(InlineOffload));
/// let options = BuildOptions { preset: Some("template".into()), ..BuildOptions::in_dir("/work") };
/// let id = "7f3a".parse().unwrap();
/// let first = service.turn(&id, &options, &Actor::new("you")).await?;
/// let later = service.turn(&id, &options, &Actor::new("you")).await?;
/// assert!(first.constructed && !later.constructed);
/// assert_eq!(first.head.text, later.head.text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct ConversationService {
    pub(super) system: Arc<dyn System>,
    pub(super) store: Arc<dyn Store>,
    pub(super) offload: Arc<dyn Offload>,
    pub(super) roots: Option<Arc<[PathBuf]>>,
    cache: Arc<InputCache>,
    watch: Arc<TrustWatch>,
    writes: WriteScope,
}

/// The result of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnResult {
    /// The prompt. An empty one is not sent.
    pub head: PromptSummary,
    /// True if this turn built it.
    pub constructed: bool,
    /// The diagnostics of the build, and of requests for something other than what the prompt was built for.
    pub diagnostics: Diagnostics,
}

/// The result of a compaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionResult {
    /// The prompt of the turns to come.
    pub head: PromptSummary,
    /// True if this call built it; false where another did at the same time, or the profile keeps prompts.
    pub constructed: bool,
    /// The instructions for the model in this one request.
    pub instructions: String,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
}

impl CompactionResult {
    /// Returns the prompt of the compaction's own request: instructions after the prompt; where one of them
    /// is empty, the other alone.
    #[must_use]
    pub fn system_prompt(&self) -> String {
        let mut prompt = Prompt { text: self.head.text.to_string(), ..Prompt::default() };
        prompt.append_instructions(&self.instructions);
        prompt.text
    }
}

/// The result of a refresh, done or only shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefreshResult {
    /// The prompt that is stored now.
    pub head: PromptSummary,
    /// True if it was replaced.
    pub constructed: bool,
    /// The prompt that was stored before.
    pub before: Document,
    /// The new prompt.
    pub after: Document,
    /// The difference between the two.
    pub difference: Difference,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
}

/// The effect of a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// The new prompt is stored.
    Keep,
    /// The new prompt is only shown.
    Show,
}

/// A stored prompt with everything that is recorded of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptExplanation {
    /// The prompt and what it was built for.
    pub head: PromptSummary,
    /// The parts with their origins.
    pub document: Document,
    /// The variables that were looked up.
    pub variables: Vec<UsedValue>,
    /// The inputs that the prompt was built from.
    pub options: BuildOptions,
}

impl ConversationService {
    /// Joins a machine and a store.
    #[must_use]
    pub fn new(system: Arc<dyn System>, store: Arc<dyn Store>, offload: Arc<dyn Offload>) -> Self {
        ConversationService {
            system,
            store,
            offload,
            roots: None,
            cache: Arc::default(),
            watch: Arc::default(),
            writes: WriteScope::Audit,
        }
    }

    /// Sets what constructs may write beside their results; the default is the lines of loggers.
    #[must_use]
    pub fn writing(self, writes: WriteScope) -> Self {
        ConversationService { writes, ..self }
    }

    /// Lets conversations work in these directories and below, and read nothing outside of them. Real paths. Naming a
    /// directory here is the grant for the text in it.
    #[must_use]
    pub fn with_roots(self, roots: &[PathBuf]) -> Self {
        ConversationService { roots: Some(roots.into()), ..self }
    }

    /// Reports options of a turn that differ from those of the stored prompt. Nothing is changed
    /// by that.
    ///
    /// # Errors
    /// See [`ConversationError`].
    pub async fn diagnostics(
        &self,
        head: &PromptSummary,
        options: &BuildOptions,
    ) -> Result<Diagnostics, ConversationError> {
        let keeps = || self.watch.profile(&*self.system, head).compaction == CompactionAction::Keep;
        let mut diagnostics = differs(head, options, &keeps);
        // Only the record has the rest. A service does not read it for each turn.
        let names_more = options.agent.is_some()
            || options.tools != ToolChoice::Profile
            || options.budget.is_some()
            || !options.sets.is_empty()
            || !options.variables.is_empty();
        if self.roots.is_some() && !names_more {
            return Ok(diagnostics);
        }
        let Some(conversation) = self.store.conversation(&head.id).await? else { return Ok(diagnostics) };
        let record = match PromptRecord::of(&conversation) {
            // The prompt is returned without it.
            Err(_) if !names_more => return Ok(diagnostics),
            record => record?,
        };
        let mut named = options.clone();
        // A turn of a service that names no tools has those of the prompt.
        if self.roots.is_some() && named.tools == ToolChoice::Profile {
            named.tools = record.options.tools.clone();
        }
        diagnostics.extend(record.differs(&named));
        if let Some(agent) = &options.agent {
            let kept = record.options.agent;
            if !kept.as_ref().is_some_and(|kept| kept.eq_ignore_ascii_case(agent)) {
                let whose = kept
                    .map_or_else(|| "the main conversation".to_owned(), |kept| format!("the agent `{kept}`"));
                let what = format!(
                    "the prompt was built for {whose} and is not built again; this turn has `{agent}`"
                );
                diagnostics.push(
                    Diagnostic::warning(DiagnosticCode::ConversationAgent, what)
                        .help("give the agent a conversation of its own"),
                );
            }
        }
        Ok(diagnostics)
    }

    /// Returns the store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Returns the prompt of a conversation: the first turn builds it, later ones read it.
    ///
    /// # Errors
    /// See [`ConversationError`]. Nothing is kept then.
    pub async fn turn(
        &self,
        id: &ConversationId,
        options: &BuildOptions,
        actor: &Actor,
    ) -> Result<TurnResult, ConversationError> {
        match self.store.head(id).await? {
            Some(head) => {
                // A store that takes no writes still has the prompt.
                let _ = self.store.touch(id, actor.at).await;
                self.later_turn(&head, options, actor).await
            }
            None => self.first_turn(id, options, actor).await,
        }
    }

    /// Makes a stored prompt ready for a later turn.
    ///
    /// A profile that builds between turns has it built again; else it is handed out only where the user did not take the
    /// trust in a text of it back.
    ///
    /// # Errors
    /// [`ConversationError::TrustChanged`]; and see [`ConversationError`].
    pub async fn later_turn(
        &self,
        head: &PromptSummary,
        options: &BuildOptions,
        actor: &Actor,
    ) -> Result<TurnResult, ConversationError> {
        let rebuild = match self.roots {
            Some(_) => self.watch.profile(&*self.system, head).rebuild,
            None => self.record(head, options).await?.map(|record| record.rebuild).unwrap_or_default(),
        };
        if rebuild == Rebuild::BetweenTurns {
            return self.rebuilt(head, options, actor).await;
        }
        let mut came_up = self.check_trust(head, options).await?;
        let mut diagnostics = self.diagnostics(head, options).await?;
        diagnostics.append(&mut came_up);
        Ok(TurnResult { head: head.clone(), constructed: false, diagnostics })
    }

    /// Refuses a stored prompt with text that would not be admitted now; returns what came up. In a command it also writes
    /// down that the prompt is handed out.
    ///
    /// # Errors
    /// [`ConversationError::TrustChanged`]; and see [`ConversationError`].
    pub async fn check_trust(
        &self,
        head: &PromptSummary,
        options: &BuildOptions,
    ) -> Result<Diagnostics, ConversationError> {
        let refusals = match self.roots {
            None => RefusalFilter::Any,
            Some(_) => {
                let profile = self.watch.profile(&*self.system, head);
                if !self.watch.refused_after(&*self.system, &profile, head.constructed_at) {
                    return Ok(Diagnostics::new());
                }
                RefusalFilter::After(head.constructed_at)
            }
        };
        let Some(record) = self.record(head, options).await? else { return Ok(Diagnostics::new()) };
        let (system, head, options, writes) =
            (self.system.clone(), head.clone(), options.clone(), self.writes);
        let work = move || {
            let untrusted = trust::not_admitted(&*system, &record, &head, &options, refusals)?;
            if !untrusted.is_empty() {
                return Err(ConversationError::TrustChanged(head.id, untrusted));
            }
            let engine = Engine::new(&*system).writing(writes);
            Ok(match refusals {
                RefusalFilter::Any => trust::log_handed_out(&engine, &record, &head, &options),
                RefusalFilter::After(_) => Diagnostics::new(),
            })
        };
        self.offload.result(work).await
    }

    /// Reads the record of a stored prompt. Returns `None` if it is gone, or cannot be read and the call does
    /// not require it.
    async fn record(
        &self,
        head: &PromptSummary,
        options: &BuildOptions,
    ) -> Result<Option<PromptRecord>, ConversationError> {
        let Some(conversation) = self.store.conversation(&head.id).await? else { return Ok(None) };
        match PromptRecord::of(&conversation) {
            Ok(record) => Ok(Some(record)),
            Err(_) if matches!(options.trust, TrustChoice::Ask | TrustChoice::Once) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Builds the prompt of a later turn again, as it was requested before. One that comes out the same stays.
    async fn rebuilt(
        &self,
        head: &PromptSummary,
        options: &BuildOptions,
        actor: &Actor,
    ) -> Result<TurnResult, ConversationError> {
        let Some(was) = self.store.conversation(&head.id).await? else {
            return self.first_turn(&head.id, options, actor).await;
        };
        let before = PromptRecord::of(&was)?.options;
        let again = BuildOptions {
            now: options.now.clone(),
            trust: options.trust,
            home_trust: options.home_trust,
            pins: options.pins.clone(),
            ..before
        };
        let made = self.construct(&head.id, &again, ConstructReason::Refresh, Some(&was.head), actor).await;
        let made = made.map_err(|error| match error {
            ConversationError::Engine(Error::Usage(what, _))
                if self
                    .system
                    .stat(Path::new(&was.head.cwd))
                    .is_none_or(|stat| stat.kind != FileKind::Dir) =>
            {
                let help = "a refresh with another directory moves the conversation there";
                ConversationError::Engine(Error::Usage(what, Some(help.into())))
            }
            error => error,
        })?;
        let ConstructedPrompt { conversation, mut diagnostics, .. } = made;
        diagnostics.extend(self.diagnostics(&was.head, options).await?);
        if conversation.head.text == was.head.text {
            return Ok(TurnResult { head: was.head, constructed: false, diagnostics });
        }
        let (head, constructed) = self.put(conversation, Some(&was.head), None, actor).await?;
        Ok(TurnResult { head, constructed, diagnostics })
    }

    /// Does a turn as [`ConversationService::turn`] does, for a caller that has just found no prompt: the prompt is built
    /// without another lookup.
    ///
    /// # Errors
    /// As [`ConversationService::turn`].
    pub async fn first_turn(
        &self,
        id: &ConversationId,
        options: &BuildOptions,
        actor: &Actor,
    ) -> Result<TurnResult, ConversationError> {
        let made = self.construct(id, options, ConstructReason::FirstTurn, None, actor).await?;
        let ConstructedPrompt { conversation, diagnostics, .. } = made;
        let (head, constructed) = self.put(conversation, None, None, actor).await?;
        // Where another turn was first, its prompt is the conversation's.
        let diagnostics = if constructed { diagnostics } else { self.diagnostics(&head, options).await? };
        Ok(TurnResult { head, constructed, diagnostics })
    }

    /// Rebuilds the prompt, stores it, and returns it with the instructions for the model. `over` describes
    /// what changed since; `expected` is the prompt that the caller knows.
    ///
    /// # Errors
    /// The conversation is unknown, or not at `expected` any more; and see [`ConversationError`]. The old prompt stays then.
    pub async fn compact(
        &self,
        id: &ConversationId,
        over: &BuildOptions,
        expected: Option<Revision>,
        actor: &Actor,
    ) -> Result<CompactionResult, ConversationError> {
        let was = self.known(id, expected).await?;
        let options = PromptRecord::of(&was)?.options.overlaid(over);
        let made = self.construct(id, &options, ConstructReason::Compaction, Some(&was.head), actor).await?;
        let ConstructedPrompt { conversation, mut diagnostics, instructions, keeps } = made;
        if keeps {
            diagnostics.push(kept_at_compaction(&was.head.preset));
            self.record_compaction(&was.head, actor).await?;
            return Ok(CompactionResult { head: was.head, constructed: false, instructions, diagnostics });
        }
        let (head, constructed) = self.put(conversation, Some(&was.head), expected, actor).await?;
        self.record_compaction(&head, actor).await?;
        Ok(CompactionResult { head, constructed, instructions, diagnostics })
    }

    /// Rebuilds the prompt outside of a compaction, and returns what that changes. An unchanged prompt stays,
    /// unless the options have another directory, model, preset or template: later turns and compactions use
    /// those.
    ///
    /// # Errors
    /// As [`ConversationService::compact`].
    pub async fn refresh(
        &self,
        id: &ConversationId,
        over: &BuildOptions,
        how: Refresh,
        expected: Option<Revision>,
        actor: &Actor,
    ) -> Result<RefreshResult, ConversationError> {
        let was = self.known(id, expected).await?;
        let options = PromptRecord::of(&was)?.options.overlaid(over);
        // A prompt that is only shown is not handed out.
        let writes = if how == Refresh::Show { WriteScope::Nothing } else { self.writes };
        let builder = self.clone().writing(writes);
        let made = builder.construct(id, &options, ConstructReason::Refresh, Some(&was.head), actor).await?;
        let ConstructedPrompt { conversation, diagnostics, .. } = made;
        let (before, after) = (explained(&was)?.document, explained(&conversation)?.document);
        let counter = PromptRecord::of(&conversation)?.counter();
        let difference = Difference::of(&before, &after, counter.as_ref());
        if how == Refresh::Show || is_same(&was, &conversation)? {
            return Ok(RefreshResult {
                head: was.head,
                constructed: false,
                before,
                after,
                difference,
                diagnostics,
            });
        }
        let (head, constructed) = self.put(conversation, Some(&was.head), expected, actor).await?;
        Ok(RefreshResult { head, constructed, before, after, difference, diagnostics })
    }

    /// Returns the origins of the stored prompt of a conversation.
    ///
    /// # Errors
    /// The conversation is unknown, or its record cannot be read.
    pub async fn explain(&self, id: &ConversationId) -> Result<PromptExplanation, ConversationError> {
        explained(&self.known(id, None).await?)
    }

    pub(super) async fn known(
        &self,
        id: &ConversationId,
        expected: Option<Revision>,
    ) -> Result<StoredPrompt, ConversationError> {
        let known =
            self.store.conversation(id).await?.ok_or_else(|| ConversationError::Unknown(id.clone()))?;
        match expected.is_none_or(|expected| expected == known.head.revision) {
            true => Ok(known),
            false => Err(ConversationError::Stale(Box::new(known.head))),
        }
    }

    /// Stores a prompt, in the place of the one that was read if there was one. Of two that race, the first stays and the
    /// second gets it; one with an expected revision gets a conflict. A conversation that began again meanwhile was first.
    pub(super) async fn put(
        &self,
        conversation: StoredPrompt,
        was: Option<&PromptSummary>,
        expected: Option<Revision>,
        actor: &Actor,
    ) -> Result<(PromptSummary, bool), ConversationError> {
        let mut head = conversation.head.clone();
        let Some(was) = was else {
            return Ok(match self.store.create(conversation, actor).await? {
                InsertOutcome::New => (head, true),
                InsertOutcome::Existing(head) => (*head, false),
            });
        };
        head.created_at = was.created_at;
        match self.store.replace(conversation, was.revision, actor).await? {
            ReplaceOutcome::Done => Ok((head, true)),
            ReplaceOutcome::Stale(head) if expected.is_some() => Err(ConversationError::Stale(head)),
            ReplaceOutcome::Stale(head) => Ok((*head, false)),
            ReplaceOutcome::Missing => Err(ConversationError::Unknown(was.id.clone())),
        }
    }

    /// Finds the template of a build: what was chosen, and its text where the store has it.
    pub(super) async fn template(
        &self,
        chosen: Option<&str>,
    ) -> Result<(TemplateUsed, Option<TemplateInput>), ConversationError> {
        let choice: TemplateChoice = chosen.unwrap_or_default().parse()?;
        let found = self.store.template(&choice.name, &choice.which).await?;
        if choice.is_named() && found.as_ref().is_none_or(|found| found.reset) {
            return Err(ConversationError::UnknownTemplate(choice.to_string()));
        }
        let version = found.as_ref().map(|found| found.version);
        let text = found.and_then(|found| {
            let (text, variables) = (found.text?, found.variables);
            Some(TemplateInput { name: choice.name.as_str().into(), version, text, variables })
        });
        Ok((TemplateUsed { chosen: choice.to_string(), name: choice.name, version }, text))
    }

    async fn construct(
        &self,
        id: &ConversationId,
        options: &BuildOptions,
        reason: ConstructReason,
        was: Option<&PromptSummary>,
        actor: &Actor,
    ) -> Result<ConstructedPrompt, ConversationError> {
        let (template, text) = self.template(options.template.as_deref()).await?;
        let order = ConstructInput {
            options: options.clone(),
            roots: self.roots.clone(),
            template,
            text,
            writes: self.writes,
            ..ConstructInput::new(id.clone(), reason, was, actor)
        };
        let (system, cache) = (self.system.clone(), self.cache.clone());
        self.offload.result(move || order.construct(&*system, &cache)).await
    }
}

/// Reports a compaction of a profile that keeps its prompt.
pub(super) fn kept_at_compaction(preset: &str) -> Diagnostic {
    let what = format!("the profile `{preset}` keeps its prompt over a compaction");
    Diagnostic::info(DiagnosticCode::ConversationKept, what)
}

/// Replays a record over its text.
fn explained(conversation: &StoredPrompt) -> Result<PromptExplanation, ConversationError> {
    let record = PromptRecord::of(conversation)?;
    record.prompt.check_tiling().map_err(ConversationError::Record)?;
    let document = Document::of(&record.prompt, record.counter().as_ref());
    let head = conversation.head.clone();
    Ok(PromptExplanation { head, document, variables: record.variables, options: record.options })
}

/// Reports options of a later turn that differ from those of the stored prompt. Nothing is changed by
/// that.
fn differs(head: &PromptSummary, options: &BuildOptions, keeps: &dyn Fn() -> bool) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    let mut report = |what: &str, built: &str, now: Option<&str>| {
        if let Some(now) = now.filter(|now| *now != built) {
            let built = match built {
                "" => format!("without a {what}"),
                built => format!("for the {what} `{built}`"),
            };
            diagnostics.push(
                Diagnostic::warning(
                    DiagnosticCode::ConversationOptions,
                    format!("the prompt was built {built} and is not built again; this turn has `{now}`"),
                )
                .help(rebuild_help(keeps())),
            );
        }
    };
    // However it is written, it may be the same.
    let plain = |cwd: &Path| normal(Path::new("/"), cwd);
    let cwd = options.cwd.as_deref().filter(|cwd| plain(cwd) != plain(Path::new(&head.cwd)));
    report("cwd", &head.cwd, cwd.map(Path::to_string_lossy).as_deref());
    report("model", head.model.as_deref().unwrap_or_default(), options.model.as_deref());
    report("preset", &head.preset, options.preset.as_deref());
    if let Some(used) = &head.template {
        let template = options.template.as_ref().map(|text| match text.parse::<TemplateChoice>() {
            Ok(choice) => choice.to_string(),
            Err(_) => text.clone(),
        });
        report("template", &used.chosen, template.as_deref());
    }
    diagnostics
}
