//! What a command is about: a build of this directory, or a saved snapshot that is built again.

use crate::{
    ask::Terminal,
    conversation::ConversationInput,
    conversation_prompt::{ConversationPrompt, PersistFlags},
    failure::CommandFailure,
    files,
    flags::{DirectoryArgument, TrustFlags, TurnFlags},
    notes,
    ui::Ui,
};
use clap::Args;
use preface::{
    BuildResult, COUNTERS, Engine, Headless, ProfileSource, Request, Session, WriteScope,
    core::{
        attachment::{AttachmentPlace, AttachmentRole},
        budget::Counter,
        diagnostic::{Diagnostics, Place},
        document::Document,
        format::{RequestContent, RequestTarget},
        message::{Message, ModelMessage, convert},
        model::Models,
        origin::Source,
        prompt::Prompt,
        reminder::is_about_reminders,
        snapshot::{SNAPSHOT_VERSION, Snapshot},
        turn::Tool,
    },
    host::{
        models,
        places::{Places, normal},
        provider_context::CONTEXT_FILE_LIMIT,
        system::{ReadScope, System},
    },
    session::InputOutcome,
};
use serde::Deserialize;
use serde_json::Value;
use std::{borrow::Cow, cmp::Ordering, ops::Range, path::PathBuf};

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
#[derive(Debug)]
pub struct Subject {
    /// The prompt.
    pub prompt: Prompt,
    /// The snapshot that the prompt was built from; `None` for a stored prompt.
    pub snapshot: Option<Snapshot>,
    /// The name of the tokenizer.
    pub counter: String,
    /// The directories of the build; `None` where the machine was not looked at.
    pub places: Option<Places>,
    /// The place that the profile was read from; `None` where the machine was not looked at.
    pub profile: Option<ProfileSource>,
    /// The active tools.
    pub tools: Vec<Tool>,
    /// The messages behind the prompt, as a model gets them.
    pub messages: Vec<ModelMessage>,
    /// The role of new attachments, as the profile sets it.
    pub attachment_role: AttachmentRole,
    /// The stored prompt, if this is one.
    pub kept: Option<ConversationPrompt>,
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
}

impl SubjectFlags {
    /// Returns the flags with the directory of an argument.
    pub fn in_directory(&self, dir: &DirectoryArgument) -> SubjectFlags {
        SubjectFlags { turn: dir.apply(&self.turn), ..self.clone() }
    }

    /// Builds after something happened.
    pub fn build(
        &self,
        events: Vec<Value>,
        ui: &Ui,
        asking: InteractionMode,
    ) -> Result<Subject, CommandFailure> {
        if let Some(file) = &self.snapshot {
            return rebuild(&file.display().to_string(), &files::read(file)?);
        }
        let mut request = Request { events, ..self.turn.request() };
        self.trust.apply(&mut request)?;
        let system = files::system();
        let templates = self.keep.template.source();
        let engine = Engine::new(&system).with_templates(&templates).writing(asking.writes());
        let built = if asking == InteractionMode::May && ui.can_ask() {
            engine.build_asking(&request, &Terminal::new(ui))
        } else {
            engine.build_asking(&request, &Headless)
        };
        let built = built?;
        Ok(Subject::of(built, Vec::new()))
    }

    /// Builds, and starts a run if there is a new message. Returns `None` if a hook handled the message.
    pub fn run(
        &self,
        ui: &Ui,
        asking: InteractionMode,
        conversation: ConversationInput,
    ) -> Result<Option<Subject>, CommandFailure> {
        let ConversationInput { history, prompt, events, mut notes } = conversation;
        let Some(text) = prompt else {
            let mut subject = self.build(events, ui, asking)?;
            subject.add_history(&history, &mut notes);
            return Ok(Some(subject));
        };
        let mut request = Request { events, ..self.turn.request() };
        self.trust.apply(&mut request)?;
        let system = files::system();
        let templates = self.keep.template.source();
        let engine = Engine::new(&system).with_templates(&templates).writing(asking.writes());
        let setup = Session::setup(engine, request).history(history);
        let session = if asking == InteractionMode::May && ui.can_ask() {
            setup.start_asking(&Terminal::new(ui))
        } else {
            setup.start()
        };
        let mut session = session?;
        let became = session.say(&text)?;
        if became == InputOutcome::Handled {
            let notes = session.take_notes();
            ui.say("a hook took care of the message; nothing is sent\n");
            notes::all(ui, &notes);
            return Ok(None);
        }
        let seen = session.request();
        notes.append(&mut session.take_notes());
        let mut subject = Subject::of(session.into_built(), seen.messages);
        subject.prompt.diagnostics.append(&mut notes);
        Ok(Some(subject))
    }
}

/// Builds a saved snapshot again; `shown` is its file, for people.
pub fn rebuild(shown: &str, bytes: &[u8]) -> Result<Subject, CommandFailure> {
    let mut snapshot = read_snapshot(shown, bytes)?;
    let prompt = Engine::rebuild(&mut snapshot)?;
    let tools = Engine::rebuild_tools(&mut snapshot)?;
    prompt.check_tiling().map_err(|why| CommandFailure::new(format!("`{shown}` does not add up: {why}")))?;
    Ok(Subject::made(prompt, snapshot, tools, None, Vec::new()))
}

/// Reads a saved snapshot. Its version comes first, because a file of another version has other fields.
fn read_snapshot(shown: &str, bytes: &[u8]) -> Result<Snapshot, CommandFailure> {
    #[derive(Deserialize)]
    struct SnapshotVersion {
        version: u32,
    }
    let invalid = |error: serde_json::Error| {
        CommandFailure::new(format!("invalid snapshot: `{shown}`: {error}"))
            .help("`preface build --save-snapshot FILE` writes one")
    };
    let SnapshotVersion { version } = serde_json::from_slice(bytes).map_err(invalid)?;
    let age = match version.cmp(&SNAPSHOT_VERSION) {
        Ordering::Less => "an earlier",
        Ordering::Equal => return serde_json::from_slice(bytes).map_err(invalid),
        Ordering::Greater => "a later",
    };
    let numbers = format!("version {version}; this program reads version {SNAPSHOT_VERSION}");
    Err(CommandFailure::new(format!("`{shown}` was written by {age} version of preface ({numbers})"))
        .help("build it again with `preface build --save-snapshot FILE`"))
}

impl Subject {
    /// Returns what was just built.
    pub fn of(built: BuildResult, messages: Vec<ModelMessage>) -> Self {
        let BuildResult { prompt, snapshot, tools, places, profile_source, .. } = built;
        let profile = Some(profile_source);
        Subject { profile, ..Subject::made(prompt, snapshot, tools, Some(places), messages) }
    }

    fn made(
        prompt: Prompt,
        snapshot: Snapshot,
        tools: Vec<Tool>,
        places: Option<Places>,
        messages: Vec<ModelMessage>,
    ) -> Self {
        let counter = snapshot.turn.counter.clone();
        let attachment_role = snapshot.profile.messages.attachments;
        Subject {
            prompt,
            snapshot: Some(snapshot),
            counter,
            places,
            profile: None,
            tools,
            messages,
            attachment_role,
            kept: None,
        }
    }

    /// Adds the earlier messages as a model of this profile gets them.
    pub fn add_history(&mut self, history: &[Message], notes: &mut Diagnostics) {
        let Some(snapshot) = &self.snapshot else { return };
        let seen = convert(history, &snapshot.profile.messages);
        notes.extend(seen.notes());
        self.prompt.diagnostics.append(notes);
        self.messages = seen.messages;
    }

    /// Adds tools, messages and reminders of this turn to a prompt that is kept. They are worked out now: only the prompt is
    /// kept.
    pub fn with_turn(
        mut self,
        ui: &Ui,
        flags: &SubjectFlags,
        conversation: ConversationInput,
    ) -> Result<Self, CommandFailure> {
        let mut turn = flags.build(conversation.events, ui, InteractionMode::MayNot)?;
        let mut notes = conversation.notes;
        notes.extend(turn.prompt.diagnostics.iter().filter(|note| is_about_reminders(note)).cloned());
        let before = turn.prompt.diagnostics.len();
        turn.add_history(&conversation.history, &mut notes);
        let more = turn.prompt.diagnostics.split_off(before);
        if let Some(kept) = &mut self.kept {
            kept.notes.extend(more);
        }
        (self.tools, self.messages) = (turn.tools, turn.messages);
        (self.places, self.attachment_role) = (turn.places, turn.attachment_role);
        let of_turn = turn
            .prompt
            .attachments
            .into_iter()
            .filter(|attachment| attachment.place == AttachmentPlace::LastUser);
        self.prompt.attachments.extend(of_turn);
        Ok(self)
    }

    /// Returns the rows of models: those of the user first, where there are directories of a build.
    pub fn models(&self, diagnostics: &mut Diagnostics) -> Cow<'static, Models> {
        match &self.places {
            Some(places) => models::read_in(&files::system(), places, diagnostics),
            None => Cow::Borrowed(Models::bundled()),
        }
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

    /// Returns who counts.
    pub fn counter(&self) -> Result<Box<dyn Counter>, CommandFailure> {
        let name = &self.counter;
        COUNTERS.get(name).ok_or_else(|| CommandFailure::new(format!("unknown counter: `{name}`")))
    }

    /// Publishes the prompt.
    pub fn document(&self) -> Result<Document, CommandFailure> {
        Ok(Document::of(&self.prompt, self.counter()?.as_ref()))
    }

    /// Finds what the profile itself gives at some bytes of the prompt in the profile's file.
    pub fn place_in_profile(&self, profile: &str, key: &str, bytes: &Range<usize>) -> Option<Place> {
        let source = self.profile.as_ref()?;
        let (_, span, _) = self.prompt.at(bytes.start)?;
        let text = self.prompt.text.get(span.clone())?;
        let part = bytes.start - span.start..bytes.end - span.start;
        let place = source.locate(&files::system(), (profile, key), text, &part)?;
        let shown = self.places.as_ref().map(|places| places.shown(place.path.as_ref()));
        Some(Place { path: shown.unwrap_or_else(|| place.path.clone()), ..place })
    }

    /// Reads a file that an origin names, as it is on disk now; `None` where it is not to be had.
    pub fn file(&self, source: &Source) -> Option<Vec<u8>> {
        let places = self.places.as_ref()?;
        let system = files::system();
        if let Some(rest) = source.path.strip_prefix("bundled/") {
            return system.bundled(rest).map(Cow::into_owned);
        }
        let path = match source.path.strip_prefix("~/") {
            Some(rest) => places.home.as_ref()?.join(rest),
            None => normal(&places.cwd, source.path.as_ref()),
        };
        system.read(&path, ReadScope::Anywhere, CONTEXT_FILE_LIMIT).ok().map(|read| read.into_bytes())
    }
}
