//! The prompt of a conversation that the store keeps: built by the first call that names the conversation, read by all
//! later ones.

use crate::{
    advice,
    ask::Terminal,
    failure::Failure,
    files,
    flags::Format,
    notes,
    store::{self, actor},
    stored_template::TemplateFlags,
    subject::{Asking, Subject, SubjectFlags, refused},
    ui::{Talk, Ui, style},
};
use clap::Args;
use preface::{
    Ask, Engine, Headless, Request, TrustAnswer, TrustChoice, TrustQuestion, Writes,
    core::{diagnostic::Diagnostics, lint::hidden::escape_hidden, profile::Rebuild, prompt::Prompt},
    host::look::Confirm,
    keep::{Asked, Here, KeepError, Keeper, Record},
    store::{Conversation, ConversationId, Head, Store, StoreUrl},
};
use std::sync::Arc;

/// The flags that say what the store has to do with a build.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Store")]
pub struct KeepFlags {
    /// Build now, and neither read nor keep the prompt of `--conversation`: its id is a fact and nothing else
    #[arg(long)]
    pub no_keep: bool,

    #[command(flatten)]
    pub template: TemplateFlags,
}

/// A stored prompt, as a call found or built it.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The prompt and what it was built for.
    pub head: Head,
    /// True where this call built it.
    pub constructed: bool,
    /// The diagnostics of this call.
    pub notes: Diagnostics,
}

/// The way to go on where no prompt is stored yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Build the prompt and store it.
    Construct,
    /// Go on without a prompt.
    Skip,
}

impl SubjectFlags {
    /// Returns the prompt of the conversation that is named. `None`: none is, or nothing is kept and nothing is to be.
    pub fn kept(
        &self,
        ui: &Ui,
        asking: Asking,
        format: Format,
        missing: Missing,
    ) -> Result<Option<Subject>, Failure> {
        let Some(id) = self.turn.conversation.as_deref().filter(|_| !self.keep.no_keep) else {
            return Ok(None);
        };
        let id = conversation_id(id)?;
        match missing {
            Missing::Skip => look(&self.keep.template, &id),
            Missing::Construct => self.turn(ui, &id, asking, format).map(Some),
        }
    }

    fn turn(&self, ui: &Ui, id: &ConversationId, asking: Asking, format: Format) -> Result<Subject, Failure> {
        let system = Arc::new(files::system());
        let url = self.keep.template.store.url(&*system)?;
        if url == StoreUrl::Memory {
            return Err(Failure::usage(
                "`memory:` is gone with this command, and a prompt for later turns with it",
            )
            .hint("name a store that stays, such as `--store sqlite:PATH`, or build with `--no-keep`"));
        }
        let mut request = self.turn.request();
        self.trust.apply(&mut request)?;
        let actor = actor(request.now.as_deref())?;
        let mut asked = self.asked(&Engine::new(&*system), &request)?;
        if asking == Asking::May && ui.can_ask() && request.trust == TrustChoice::Ask {
            let there = self.keep.template.store.look(async |store| Ok(store.conversation(id).await?))?;
            let record = there.flatten().and_then(|conversation| Record::of(&conversation).ok());
            // A prompt that stays has nothing to ask about.
            let builds = match record {
                None => Some(request.clone()),
                Some(record) if record.rebuild == Rebuild::BetweenTurns => {
                    let Request { trust, home_trust, pins, .. } = request.clone();
                    Some(Request { trust, home_trust, pins, ..record.asked.request(id.as_str()) })
                }
                Some(_) => None,
            };
            if let Some(request) = builds {
                asked.trust = self.ask_first(ui, &Engine::new(&*system), &request)?;
            }
        }
        store::with(&url, async |store| {
            let keeper = Keeper::new(system, store.clone(), Arc::new(Here)).writing(Writes::All);
            let turned = keeper.turn(id, &asked, &actor).await;
            let is_new =
                turned.as_ref().is_ok_and(|turned| turned.constructed && turned.head.seal.revision == 1);
            if !is_new
                && let Ok(Some(stored)) = store.conversation(id).await
                && let Ok(record) = Record::of(&stored)
            {
                advice::set_conversation(&record.asked);
            }
            let turned = turned.map_err(|error| match error {
                KeepError::Engine(error) => refused(error, format),
                error => error.into(),
            })?;
            let conversation = known(&store, id).await?;
            let mut subject = Subject::kept(&conversation)?;
            subject.kept =
                Some(Kept { head: conversation.head, constructed: turned.constructed, notes: turned.notes });
            Ok(subject)
        })
    }

    /// Returns the inputs in the form that is stored: with absolute directories and files.
    fn asked(&self, engine: &Engine<'_>, request: &Request) -> Result<Asked, Failure> {
        let cwd = engine.cwd(request)?;
        let cwd = cwd.to_str().ok_or_else(|| {
            Failure::new("the directory's name is not UTF-8, and a conversation cannot keep it")
                .hint("`--no-keep` builds without keeping")
        })?;
        let profile = self.turn.profile.as_deref().map(files::absolute).transpose()?;
        let template = self.keep.template.template.as_ref().map(ToString::to_string);
        Ok(Asked { cwd: Some(cwd.to_owned()), profile, template, ..Asked::of(request) })
    }

    /// Builds once for the questions alone: what is answered is recorded, and the build that is kept finds it there.
    fn ask_first(&self, ui: &Ui, engine: &Engine<'_>, request: &Request) -> Result<TrustChoice, Failure> {
        let templates = self.keep.template.source();
        Ok(engine.with_templates(&templates).ask_trust(request, &TrustOnly(Terminal::new(ui)))?)
    }
}

/// Reads an id.
pub fn conversation_id(text: &str) -> Result<ConversationId, Failure> {
    text.parse().map_err(|error: preface::store::ConversationIdError| Failure::usage(error.to_string()))
}

/// Returns the kept prompt of a conversation; `None` where there is none. Nothing is built.
pub fn look(flags: &TemplateFlags, id: &ConversationId) -> Result<Option<Subject>, Failure> {
    let found = flags.store.look(async |store| Ok(store.conversation(id).await?))?.flatten();
    found.as_ref().map(Subject::kept).transpose()
}

/// Reads a conversation that has to be there.
pub async fn known(store: &Arc<dyn Store>, id: &ConversationId) -> Result<Conversation, Failure> {
    Ok(store.conversation(id).await?.ok_or_else(|| KeepError::Unknown(id.clone()))?)
}

impl Subject {
    /// Takes what the store keeps.
    pub fn kept(conversation: &Conversation) -> Result<Subject, Failure> {
        let record = Record::of(conversation)?;
        let head = conversation.head.clone();
        let counter = record.counter().name().to_owned();
        let prompt = Prompt { text: head.text.to_string(), ..record.prompt };
        prompt.check_tiling().map_err(KeepError::Record)?;
        Ok(Subject {
            counter,
            prompt,
            world: None,
            places: None,
            tools: Vec::new(),
            messages: Vec::new(),
            kept: Some(Kept { head, constructed: false, notes: Diagnostics::new() }),
        })
    }
}

impl Kept {
    /// Tells that this is a prompt that is kept, and what this call asks for beside it.
    pub fn tell(&self, ui: &Ui, talk: Talk, prompt: &Prompt) {
        if talk == Talk::Quiet {
            return;
        }
        let Head { id, seal, constructed_at, .. } = &self.head;
        let id = escape_hidden(id.as_str());
        let (good, dim) = (style::GOOD, style::DIM);
        let line = match self.constructed {
            true => format!("for later turns of `{id}` (revision {})", seal.revision),
            false => format!("since {constructed_at}, for `{id}` (revision {})", seal.revision),
        };
        ui.say(&format!("{good}kept{good:#}{dim}: {line}{dim:#}\n"));
        let told = if self.constructed { prompt.clone() } else { Prompt::default() };
        notes::tell(ui, talk, &Prompt { diagnostics: self.notes.clone(), ..told });
    }
}

/// Asks about trust on a terminal. Single files are not asked about: such an answer is not recorded, and the build that is
/// kept would not find it.
#[derive(Debug)]
struct TrustOnly<'u>(Terminal<'u>);

impl Confirm for TrustOnly<'_> {
    fn confirm(&self, _question: &str) -> bool {
        false
    }
}

impl Ask for TrustOnly<'_> {
    fn trust(&self, question: &TrustQuestion) -> Option<TrustAnswer> {
        self.0.trust(question)
    }

    fn as_confirm(&self) -> &dyn Confirm {
        &Headless
    }
}
