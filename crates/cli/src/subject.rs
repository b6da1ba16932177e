//! What a command is about: a build of this directory, or a saved snapshot that is built again.

use crate::{
    ask::Terminal,
    conversation::ConversationInput,
    conversation_prompt::PersistFlags,
    diagnostics,
    failure::{CommandFailure, CommandResult},
    files,
    flags::{DirectoryArgument, TrustFlags, TurnFlags},
    ui::Ui,
};
use clap::Args;
use preface_core::{
    attachment::AttachmentRole,
    budget::Counter,
    diagnostic::{Diagnostics, Place, Remedy},
    document::Document,
    format::{RequestContent, RequestTarget},
    lock::Lock,
    message::{Message, ModelMessage, convert},
    model::Models,
    origin::{Origin, Source},
    prompt::Prompt,
    snapshot::{SNAPSHOT_VERSION, Snapshot},
    turn::Tool,
};
use preface_engine::{
    Ask, BuildOptions, BuildResult, Conversation, Engine, HandOver, Headless, ProfileSource, SnapshotError,
    WriteScope,
    conversation::{ToolSelection, TurnResult},
    counter,
    host::{
        models,
        places::{Places, normal},
        provider::context::CONTEXT_FILE_LIMIT,
        system::{ReadScope, System},
    },
    read_snapshot,
};
use serde_json::Value;
use std::{borrow::Cow, ops::Range, path::PathBuf, sync::Arc};

/// The flags of what to build.
#[derive(Args, Clone, Debug, Default)]
pub struct SubjectFlags {
    #[command(flatten)]
    pub turn: TurnFlags,

    #[command(flatten)]
    pub trust: TrustFlags,

    #[command(flatten)]
    pub keep: PersistFlags,

    /// Build from the snapshot in FILE; nothing else is read
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["TurnFlags", "TrustFlags", "no_store", "template"],
        help_heading = "What to build",
    )]
    pub snapshot: Option<PathBuf>,
}

/// A prompt with everything that it was made from.
#[derive(Debug, Default)]
pub struct Subject {
    /// The prompt.
    pub prompt: Prompt,
    /// The snapshot that the prompt was built from; `None` for a stored prompt.
    pub snapshot: Option<Snapshot>,
    /// The name of the tokenizer.
    pub counter: String,
    /// The directories of the build; `None` if the machine was not read.
    pub places: Option<Places>,
    /// The place that the profile was read from; `None` if the machine was not read.
    pub profile: Option<ProfileSource>,
    /// The active tools.
    pub tools: Vec<Tool>,
    /// The messages behind the prompt, as a model gets them.
    pub messages: Vec<ModelMessage>,
    /// The role of new attachments, as the profile sets it.
    pub attachment_role: AttachmentRole,
    /// The choice of the tools for a request of a conversation.
    pub selection: ToolSelection,
    /// The rows of models, if they were read already.
    pub models: Option<Cow<'static, Models>>,
    /// The stored prompt, if this is one.
    pub kept: Option<TurnResult>,
    /// What loggers get once the prompt is handed out.
    pub hand_over: HandOver,
}

/// The permission to ask the user and to write anything besides the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InteractionMode {
    /// On a terminal. The prompt is handed out: loggers get their lines, and first files are created.
    May,
    /// Never. The prompt is only looked at, and nothing is written.
    MayNot,
}

impl InteractionMode {
    fn writes(self) -> WriteScope {
        match self {
            InteractionMode::May => WriteScope::All,
            InteractionMode::MayNot => WriteScope::Nothing,
        }
    }

    /// Returns who is asked.
    fn asks(self, ui: &Ui) -> Box<dyn Ask + '_> {
        if self == InteractionMode::May && ui.can_ask() {
            Box::new(Terminal::new(ui))
        } else {
            Box::new(Headless)
        }
    }
}

impl SubjectFlags {
    /// Returns the flags with the directory of an argument.
    ///
    /// # Errors
    /// A snapshot, which needs no directory, and a directory.
    pub fn in_directory(&self, dir: &DirectoryArgument) -> CommandResult<SubjectFlags> {
        if self.snapshot.is_some() && dir.dir.is_some() {
            return Err(CommandFailure::usage("`--snapshot` and `DIR` cannot be used together")
                .help("a snapshot is built without its directory"));
        }
        Ok(SubjectFlags { turn: dir.apply(&self.turn), ..self.clone() })
    }

    /// Returns the request, after these events.
    pub fn request(&self, events: Vec<Value>) -> CommandResult<BuildOptions> {
        self.trust.apply(BuildOptions { events, ..self.turn.request() })
    }

    /// Builds after something happened.
    pub fn build(&self, events: Vec<Value>, ui: &Ui, asking: InteractionMode) -> CommandResult<Subject> {
        if let Some(file) = &self.snapshot {
            return rebuild(&file.display().to_string(), &files::read(file)?);
        }
        let request = self.request(events)?;
        let templates = self.keep.template.source(&request);
        let engine = Engine::new(files::system()).with_templates(&templates).writing(asking.writes());
        let (built, hand_over) = engine.build_to_hand_over(&request, &*asking.asks(ui))?;
        Ok(Subject { hand_over, ..Subject::of(built, Vec::new()) })
    }

    /// Builds, and starts a run if there is a new message. Returns `None` if a hook handled the message.
    pub fn run(
        &self,
        ui: &Ui,
        asking: InteractionMode,
        conversation: ConversationInput,
    ) -> CommandResult<Option<Subject>> {
        let ConversationInput { mut history, prompt, events, mut diagnostics } = conversation;
        let Some(text) = prompt else {
            let mut subject = self.build(events, ui, asking)?;
            subject.add_history(&history, &mut diagnostics);
            return Ok(Some(subject));
        };
        let request = self.request(events)?;
        let templates = self.keep.template.source(&request);
        let setup = Conversation::setup(files::shared_system(), request)
            .with_templates(Arc::new(templates))
            .writing(asking.writes());
        let mut conversation = setup.start_interactive(&*asking.asks(ui))?;
        if !conversation.submit(&text, &mut history)? {
            let diagnostics = conversation.take_diagnostics();
            ui.eprint("a hook took care of the message; nothing is sent\n");
            diagnostics::all(ui, &diagnostics);
            return Ok(None);
        }
        let seen = conversation.request(&history);
        diagnostics.append(&mut conversation.take_diagnostics());
        let mut subject = Subject::of(conversation.into_built(), seen.messages);
        subject.prompt.diagnostics.append(&mut diagnostics);
        Ok(Some(subject))
    }
}

/// Builds a saved snapshot again; `shown` is its file, for people.
pub fn rebuild(shown: &str, bytes: &[u8]) -> CommandResult<Subject> {
    let mut snapshot = saved(shown, bytes)?;
    let prompt = Engine::rebuild(&mut snapshot)?;
    let tools = Engine::rebuild_tools(&mut snapshot)?;
    prompt.check_tiling().map_err(|why| CommandFailure::new(format!("`{shown}` does not add up: {why}")))?;
    Ok(Subject::made(prompt, snapshot, tools))
}

/// Reads a saved snapshot.
fn saved(shown: &str, bytes: &[u8]) -> CommandResult<Snapshot> {
    read_snapshot(bytes).map_err(|error| {
        let failure = |message: String, help: Remedy| CommandFailure::new(message).help(help);
        match error {
            _ if Lock::read(bytes).is_ok() => failure(
                format!("`{shown}` is a lock file, which has digests and no text"),
                Remedy::command("compare a build with it", "build --locked FILE"),
            ),
            SnapshotError::Invalid(why) => failure(
                format!("invalid snapshot: `{shown}`: {why}"),
                Remedy::command("write one", "build --save-snapshot FILE"),
            ),
            SnapshotError::Version(found) => {
                let age = if found < SNAPSHOT_VERSION { "an earlier" } else { "a later" };
                let numbers = format!("version {found}; this program reads version {SNAPSHOT_VERSION}");
                failure(
                    format!("`{shown}` was written by {age} version of preface ({numbers})"),
                    Remedy::command("write it again", "build --save-snapshot FILE"),
                )
            }
        }
    })
}

impl Subject {
    /// Returns what was just built.
    pub fn of(built: BuildResult, messages: Vec<ModelMessage>) -> Self {
        let BuildResult { prompt, snapshot, tools, places, profile_source, .. } = built;
        let (places, profile) = (Some(places), Some(profile_source));
        Subject { places, profile, messages, ..Subject::made(prompt, snapshot, tools) }
    }

    fn made(prompt: Prompt, snapshot: Snapshot, tools: Vec<Tool>) -> Self {
        let counter = snapshot.turn.counter.clone();
        let attachment_role = snapshot.profile.messages.attachments;
        Subject { prompt, snapshot: Some(snapshot), counter, tools, attachment_role, ..Subject::default() }
    }

    /// Tells the loggers that the prompt was handed out.
    pub fn handed_out(&mut self) {
        self.prompt.diagnostics.extend(Engine::new(files::system()).handed_out(&self.hand_over));
    }

    /// Adds the earlier messages as a model of this profile gets them.
    pub fn add_history(&mut self, history: &[Message], diagnostics: &mut Diagnostics) {
        let Some(snapshot) = &self.snapshot else { return };
        let seen = convert(history, &snapshot.profile.messages);
        diagnostics.extend(seen.diagnostics());
        self.prompt.diagnostics.append(diagnostics);
        self.messages = seen.messages;
    }

    /// Adds tools, messages and reminders of this turn to a prompt that is kept. They are worked out now: only the prompt is
    /// kept.
    pub fn with_turn(mut self, flags: &SubjectFlags, conversation: ConversationInput) -> CommandResult<Self> {
        let ConversationInput { history, events, mut diagnostics, .. } = conversation;
        let request = flags.request(events)?;
        let templates = flags.keep.template.source(&request);
        let setup = Conversation::setup(files::shared_system(), request);
        let setup = setup.with_templates(Arc::new(templates)).writing(WriteScope::Nothing);
        let (mut turn, mut came_up) = setup.one_request(&history)?;
        diagnostics.append(&mut came_up);
        if let Some(kept) = &mut self.kept {
            kept.diagnostics.append(&mut diagnostics);
        }
        self.prompt.attachments.append(&mut turn.prompt.attachments);
        (self.tools, self.selection, self.messages) = (turn.tools, turn.selection, turn.messages);
        (self.models, self.attachment_role) = (Some(turn.models), turn.attachment_role);
        Ok(self)
    }

    /// Returns the rows of models: those of the user first, if there are directories of a build.
    pub fn models(&self, diagnostics: &mut Diagnostics) -> Cow<'_, Models> {
        match (&self.models, &self.places) {
            (Some(models), _) => Cow::Borrowed(models),
            (None, Some(places)) => models::read_in(files::system(), places, diagnostics),
            (None, None) => Cow::Borrowed(Models::bundled()),
        }
    }

    /// Returns the model that a stored prompt or a snapshot was built for.
    pub fn model(&self) -> Option<&str> {
        let stored = self.kept.as_ref().and_then(|kept| kept.head.model.as_deref());
        stored.or_else(|| self.snapshot.as_ref()?.turn.model.as_deref())
    }

    /// Returns the content of a request for a model.
    pub fn content<'s>(&'s self, target: RequestTarget<'s>) -> RequestContent<'s> {
        let target = RequestTarget { attachment_role: self.attachment_role, ..target };
        RequestContent {
            prompt: &self.prompt,
            messages: &self.messages,
            tools: &self.tools,
            attachments: &[],
            target,
        }
    }

    /// Returns the tokenizer.
    pub fn counter(&self) -> CommandResult<Box<dyn Counter>> {
        Ok(counter(&self.counter)?)
    }

    /// Publishes the prompt.
    pub fn document(&self) -> CommandResult<Document> {
        Ok(Document::of(&self.prompt, self.counter()?.as_ref()))
    }

    /// Finds in the profile's file what the profile itself, or a variable of it, gives at some bytes of the prompt.
    pub fn place_in_profile(&self, origin: &Origin, bytes: &Range<usize>) -> Option<Place> {
        let profile = self.profile.as_ref()?;
        // The run of one origin around the bytes, and these bytes in it.
        let (_, span, _) = self.prompt.at(bytes.start)?;
        let text = self.prompt.text.get(span.clone())?;
        let part = bytes.start - span.start..bytes.end - span.start;
        let place = match origin {
            Origin::Literal { profile: name, key } => {
                profile.locate(files::system(), (name, key), text, &part)
            }
            Origin::Variable { key, source } => {
                profile.locate_variable(files::system(), (key, source), text, &part)
            }
            _ => None,
        }?;
        let shown = self.places.as_ref().map(|places| places.shown(place.path.as_ref()));
        Some(Place { path: shown.unwrap_or_else(|| place.path.clone()), ..place })
    }

    /// Reads a file that an origin names, as it is on disk now; `None` if it cannot be read.
    pub fn file(&self, source: &Source) -> Option<Vec<u8>> {
        let path = self.path_of(&source.path)?;
        if let Some(rest) = source.path.strip_prefix("bundled/") {
            return files::system().bundled(rest).map(Cow::into_owned);
        }
        files::system()
            .read(&path, ReadScope::Anywhere, CONTEXT_FILE_LIMIT)
            .ok()
            .map(|read| read.into_bytes())
    }

    /// Returns the absolute path of a file that an origin or a place names; `None` if the machine was not read.
    pub fn path_of(&self, shown: &str) -> Option<PathBuf> {
        let places = self.places.as_ref()?;
        match shown.strip_prefix("~/") {
            Some(rest) => Some(places.home.as_ref()?.join(rest)),
            None => Some(normal(&places.cwd, shown.as_ref())),
        }
    }
}
