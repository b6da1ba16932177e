//! The prompt of a conversation that the store keeps: built by the first call that names the conversation, read by all
//! later ones.

use crate::{
    ask::Terminal,
    call, diagnostics,
    failure::{CommandFailure, CommandResult},
    files,
    store::{self, actor, conversations},
    stored_template::TemplateFlags,
    subject::{InteractionMode, Subject, SubjectFlags},
    ui::{Ui, style},
};
use clap::Args;
use preface_core::{
    diagnostic::Diagnostics,
    format::{RequestContent, RequestFormat},
    lint::hidden::escape_hidden,
    profile::Rebuild,
    prompt::Prompt,
};
use preface_engine::{
    BuildOptions, Engine, TrustChoice, WriteScope,
    conversation::{
        ConversationError, PromptRecord, RequestPurpose, RequestResult, ToolSelection, TurnResult,
    },
    store::{ConversationId, ConversationIdError, PromptSummary, Store, StoreUrl, StoredPrompt},
};
use std::sync::Arc;

/// The flags of the store in a build.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Store")]
pub struct PersistFlags {
    /// Build now; neither read nor store the prompt of `--conversation`, whose id is only a variable
    #[arg(long)]
    pub no_store: bool,

    #[command(flatten)]
    pub template: TemplateFlags,
}

impl SubjectFlags {
    /// Returns the prompt of the conversation that is named, which is built and stored if it is missing and the mode writes. `None`: none
    /// is named, or nothing is kept and nothing is to be.
    pub fn kept(&self, ui: &Ui, asking: InteractionMode) -> CommandResult<Option<Subject>> {
        let Some(id) = self.turn.conversation.as_deref().filter(|_| !self.keep.no_store) else {
            return Ok(None);
        };
        let wrong = |error: ConversationIdError| CommandFailure::usage(error.to_string());
        let id = id.parse::<ConversationId>().map_err(wrong)?;
        match asking {
            InteractionMode::May => self.turn(ui, &id).map(Some),
            InteractionMode::MayNot => {
                let store = self.keep.template.store.for_request(&self.turn.request());
                let found = store.open(async |store| Ok(store.conversation(&id).await?))?.flatten();
                found.as_ref().map(Subject::kept).transpose()
            }
        }
    }

    fn turn(&self, ui: &Ui, id: &ConversationId) -> CommandResult<Subject> {
        let system = files::system();
        let store = self.keep.template.store.for_request(&self.turn.request());
        let url = store.url(system)?;
        if url == StoreUrl::Memory {
            return Err(CommandFailure::usage(
                "`memory:` is gone with this command, and a prompt for later turns with it",
            )
            .help("name a store that stays, such as `--store sqlite:PATH`, or build with `--no-store`"));
        }
        let request = self.request(Vec::new())?;
        let actor = actor(request.now.as_deref())?;
        let mut options = self.turn_options(&Engine::new(system), &request)?;
        if ui.can_ask() && request.trust == TrustChoice::Ask {
            let there = store.open(async |store| Ok(store.conversation(id).await?))?;
            let record = there.flatten().and_then(|conversation| PromptRecord::of(&conversation).ok());
            // A stored prompt needs no questions.
            let builds = match record {
                None => Some(request),
                Some(record) if record.rebuild == Rebuild::BetweenTurns => {
                    let BuildOptions { trust, home_trust, pins, .. } = request;
                    let conversation = Some(id.to_string());
                    Some(BuildOptions { trust, home_trust, pins, conversation, ..record.options })
                }
                Some(_) => None,
            };
            if let Some(request) = builds {
                // What is answered is recorded, and the build that is kept finds it there.
                let templates = self.keep.template.source(&request);
                let engine = Engine::new(system).with_templates(&templates);
                let BuildOptions { trust, shown, .. } =
                    engine.ask_trust(&request, &Terminal::about_projects(ui))?;
                (options.trust, options.shown) = (trust, shown);
            }
        }
        store::with(&url, async |store| {
            let service = conversations(store.clone()).writing(WriteScope::All);
            let turned = service.turn(id, &options, &actor).await;
            let is_new =
                turned.as_ref().is_ok_and(|turned| turned.constructed && turned.head.revision.revision == 1);
            if !is_new
                && let Ok(Some(stored)) = store.conversation(id).await
                && let Ok(record) = PromptRecord::of(&stored)
            {
                call::set_conversation(&record.options);
            }
            let turned = turned?;
            let conversation = known(&store, id).await?;
            let mut subject = Subject::kept(&conversation)?;
            subject.kept = Some(TurnResult { head: conversation.head, ..turned });
            Ok(subject)
        })
    }

    /// Refuses a stored prompt that a turn would refuse, because its text is not trusted. Nothing is written.
    pub fn check_trust(&self, kept: &TurnResult) -> CommandResult<()> {
        let system = files::system();
        let request = self.request(Vec::new())?;
        let options = self.turn_options(&Engine::new(system), &request)?;
        let store = self.keep.template.store.for_request(&request);
        let checked = store.open(async |store| {
            let record = PromptRecord::of(&known(&store, &kept.head.id).await?)?;
            if record.rebuild != Rebuild::BetweenTurns {
                call::set_conversation(&record.options);
                let service = conversations(store).writing(WriteScope::Nothing);
                service.check_trust(&kept.head, &options).await?;
            }
            Ok(())
        });
        checked.map(Option::unwrap_or_default)
    }

    /// Formats the next request of a conversation and records it.
    pub fn record_request(
        &self,
        kept: &TurnResult,
        format: &'static RequestFormat,
        content: RequestContent<'_>,
        selection: &ToolSelection,
    ) -> CommandResult<RequestResult> {
        let actor = actor(self.turn.request().now.as_deref())?;
        self.keep.template.store.for_request(&self.turn.request()).work(async |store| {
            Ok(conversations(store)
                .record_request(&kept.head, format, content, selection, RequestPurpose::Turn, &actor)
                .await?)
        })
    }

    /// Returns the inputs in the form that is stored: with absolute directories and files.
    fn turn_options(&self, engine: &Engine<'_>, request: &BuildOptions) -> CommandResult<BuildOptions> {
        let cwd = engine.cwd(request)?;
        if cwd.to_str().is_none() {
            let what = "the directory's name is not UTF-8, and a conversation cannot keep it";
            return Err(CommandFailure::new(what).help("`--no-store` builds without keeping"));
        }
        let profile = self.turn.profile.as_deref().map(files::absolute).transpose()?;
        let template = self.keep.template.template.as_ref().map(ToString::to_string);
        Ok(BuildOptions { cwd: Some(cwd), profile, template, ..request.clone() })
    }
}

/// Reads a conversation that has to be there.
pub async fn known(store: &Arc<dyn Store>, id: &ConversationId) -> CommandResult<StoredPrompt> {
    Ok(store.conversation(id).await?.ok_or_else(|| ConversationError::Unknown(id.clone()))?)
}

impl Subject {
    /// Takes what the store keeps.
    pub fn kept(conversation: &StoredPrompt) -> CommandResult<Subject> {
        let record = PromptRecord::of(conversation)?;
        let head = conversation.head.clone();
        let counter = record.counter().name().to_owned();
        let prompt = record.prompt;
        prompt.check_tiling().map_err(ConversationError::Record)?;
        let kept = TurnResult { head, constructed: false, diagnostics: Diagnostics::new() };
        Ok(Subject { counter, prompt, kept: Some(kept), ..Subject::default() })
    }

    /// Prints the diagnostics. Of a stored prompt it reports that it is one, and which flags of this call have no effect.
    pub fn print_diagnostics(&self, ui: &Ui) {
        let Some(kept) = &self.kept else { return diagnostics::print(ui, &self.prompt) };
        if ui.is_quiet() {
            diagnostics::listing(ui, kept.diagnostics.iter());
            return;
        }
        let PromptSummary { id, revision, constructed_at, .. } = &kept.head;
        let id = escape_hidden(id.as_str());
        let (good, dim) = (style::GOOD, style::DIM);
        let line = if kept.constructed {
            format!("for later turns of `{id}` (revision {})", revision.revision)
        } else {
            format!("since {constructed_at}, for `{id}` (revision {})", revision.revision)
        };
        ui.eprint(&format!("{good}stored{good:#}{dim}: {line}{dim:#}\n"));
        let shown = if kept.constructed { self.prompt.clone() } else { Prompt::default() };
        diagnostics::print(ui, &Prompt { diagnostics: kept.diagnostics.clone(), ..shown });
    }
}
