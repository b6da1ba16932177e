//! Conversations: a prompt that is built once and sent with every request.

use crate::{
    Diagnostic, Error, ErrorKind, Format, HookHandler, Preface, RequestBuilder, RequestUsage, Tool,
    stored_template::StoredTemplate,
};
use preface_core::{
    diagnostic::Diagnostics,
    message::{self, Message},
};
use preface_engine::{
    BuildOptions, WriteScope,
    conversation::{
        self, ConversationService, ConversationStore, InlineOffload, StoreWaiter, TemplateChoice,
    },
    templates,
};
use preface_store::{ConversationId, Store as Backend, StoreError, StoreUrl};
use serde_json::Value;
#[cfg(feature = "store-sqlite")]
use std::path::Path;
use std::{fmt, future::Future, pin::Pin, sync::Arc};

/// Where prompts and requests of conversations are stored. Cheap to clone; threads can share it.
///
/// Calls wait for the disk or the server: in a program with an event loop, make them on a thread for blocking work.
#[derive(Clone, Debug)]
pub struct Store(Arc<Opened>);

struct Opened {
    backend: Arc<dyn Backend>,
    /// What drives the connections to a server.
    #[cfg(feature = "store-postgres")]
    runtime: Option<tokio::runtime::Runtime>,
}

impl Store {
    /// Makes a store in memory, which ends with its last clone.
    ///
    /// # Errors
    /// None that is known.
    #[cfg(feature = "store-sqlite")]
    pub fn memory() -> Result<Self, Error> {
        Store::open_url(&StoreUrl::Memory).map_err(Error::of_store)
    }

    /// Opens a store in a SQLite file, which is made where it does not exist. Several processes can share it.
    ///
    /// # Errors
    /// The file cannot be opened, is no store, or a newer preface made it.
    #[cfg(feature = "store-sqlite")]
    pub fn sqlite(file: impl AsRef<Path>) -> Result<Self, Error> {
        Store::open_url(&StoreUrl::Sqlite(file.as_ref().to_owned())).map_err(Error::of_store)
    }

    /// Opens a store on a PostgreSQL server: `postgres://user@host/database`.
    ///
    /// # Errors
    /// The address is not valid, the server does not answer, or a newer preface made the tables.
    #[cfg(feature = "store-postgres")]
    pub fn postgres(url: impl Into<String>) -> Result<Self, Error> {
        Store::open_url(&StoreUrl::Postgres(url.into())).map_err(Error::of_store)
    }

    /// Opens the store at an address.
    pub(crate) fn open_url(url: &StoreUrl) -> Result<Self, StoreError> {
        #[cfg(feature = "store-postgres")]
        let runtime = match url {
            StoreUrl::Postgres(_) => {
                let runtime =
                    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
                Some(runtime.map_err(|error| StoreError::Other(error.to_string()))?)
            }
            _ => None,
        };
        #[cfg(feature = "store-postgres")]
        let _context = runtime.as_ref().map(tokio::runtime::Runtime::enter);
        let backend = pollster::block_on(preface_store::open(url))?;
        #[cfg(feature = "store-postgres")]
        drop(_context);
        Ok(Store(Arc::new(Opened {
            backend,
            #[cfg(feature = "store-postgres")]
            runtime,
        })))
    }

    /// Returns a stored template.
    pub(crate) fn template(
        &self,
        choice: &TemplateChoice,
    ) -> Result<Option<preface_engine::TemplateInput>, preface_engine::Error> {
        self.0.wait(templates::chosen(&*self.0.backend, choice))
    }
}

impl Opened {
    /// Waits for an answer of the store.
    fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        #[cfg(feature = "store-postgres")]
        let _context = self.runtime.as_ref().map(tokio::runtime::Runtime::enter);
        pollster::block_on(answer)
    }
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.backend.kind()).finish()
    }
}

impl StoreWaiter for Opened {
    fn wait(&self, answer: Pin<&mut dyn Future<Output = ()>>) {
        Opened::wait(self, answer);
    }
}

#[cfg(feature = "store-postgres")]
impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A conversation: its prompt is built once, and each request extends the one before, so that the cache of the service is read.
/// [`PromptBuilder::conversation`](crate::PromptBuilder::conversation) opens it.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let preface = preface::Preface::with_home(dir.path());
/// # #[cfg(feature = "store-sqlite")] {
/// use preface::{Format, Store};
/// use serde_json::json;
///
/// let store = Store::memory()?;
/// let mut chat = preface.prompt(dir.path()).model("claude-opus-5-5").conversation(&store, "7f3a")?;
/// assert!(chat.is_new());
/// let mut history = vec![json!({"role": "user", "content": "Fix the tests."})];
/// let first = chat.request(Format::Anthropic).messages(&history.clone().into()).build()?;
/// history.push(json!({"role": "assistant", "content": "Done."}));
/// history.push(json!({"role": "user", "content": "Thanks."}));
/// let second = chat.request(Format::Anthropic).messages(&history.into()).build()?;
/// assert_eq!((first.number(), second.number(), second.extends()), (Some(1), Some(2), Some(true)));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Its prompt stays as it is until a compaction or a refresh. The profile may name more reasons: in the preset `pi` it follows
/// at once when the [active tools](Self::set_active_tools) change or everything is [read again](Self::reload), in `stud` before
/// each turn.
pub struct Conversation {
    pub(crate) inner: conversation::Conversation,
    id: String,
    diagnostics: Diagnostics,
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Conversation");
        debug.field("id", &self.id).field("is_new", &self.is_new());
        debug.field("fingerprint", &self.inner.base().fingerprint()).finish_non_exhaustive()
    }
}

impl Conversation {
    pub(crate) fn open(
        preface: &Preface,
        store: Option<&Store>,
        id: &str,
        mut request: BuildOptions,
        template: String,
    ) -> Result<Self, Error> {
        let id =
            id.parse::<ConversationId>().map_err(|error| Error::new(ErrorKind::Usage, error.to_string()))?;
        let events = std::mem::take(&mut request.events);
        let cwd = request.cwd.clone().unwrap_or_default();
        let cwd = std::path::absolute(&cwd).unwrap_or(cwd);
        let request = BuildOptions { cwd: Some(cwd.clone()), conversation: Some(id.to_string()), ..request };
        let system = preface.system();
        let setup = conversation::Conversation::setup(system.clone(), request);
        let setup = match store {
            Some(store) => {
                let backend = store.0.backend.clone();
                setup.writing(WriteScope::Audit).stored_in(ConversationStore {
                    service: ConversationService::new(system.clone(), backend, Arc::new(InlineOffload)),
                    id: id.clone(),
                    template: Some(template).filter(|template| !template.is_empty()),
                    actor: "library",
                    waiter: store.0.clone(),
                })
            }
            None => {
                let system = system.clone();
                setup.with_templates(Arc::new(StoredTemplate { system, cwd, name: template }))
            }
        };
        let inner = setup.start().map_err(Error::of_conversation)?;
        let mut chat = Conversation { inner, id: id.to_string(), diagnostics: Diagnostics::new() };
        events.into_iter().try_for_each(|event| chat.remind(event))?;
        chat.note_diagnostics();
        Ok(chat)
    }

    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the text of the prompt, without what hooks change for one run.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.inner.base().text
    }

    /// Returns the active tools, in order.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        self.inner.tools()
    }

    /// Returns true if the prompt was built here, and false if it was stored before.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.inner.is_constructed()
    }

    /// Returns the diagnostics of the last call that built or read the prompt, or called hooks.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Adds an event that calls for a reminder in the next request: a JSON object with a `type`. With a store the reminder stays at
    /// its place in later requests; the history does not have to repeat it.
    ///
    /// # Errors
    /// The profile has no such reminder, or the event lacks a value that the reminder needs.
    pub fn remind(&mut self, event: impl Into<Value>) -> Result<(), Error> {
        self.inner.remind(&event.into()).map_err(Error::of_engine)
    }

    /// Adds a hook. It runs after the programs of the user and the project and after the handlers before it; one of
    /// `resources_discover` is called by the next [`reload`](Self::reload). `docs/reference/hooks.md` has the events.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # let preface = preface::Preface::with_home(dir.path());
    /// use preface::{Format, HookEvent, HookFn, HookReply};
    /// use serde_json::json;
    ///
    /// let mut chat = preface.prompt(dir.path()).preset("pi").conversation(None, "7f3a")?;
    /// chat.on(HookFn::new("tone", [HookEvent::BeforeAgentStart], |call| {
    ///     let prompt = call.system_prompt.unwrap_or_default();
    ///     Ok(HookReply { system_prompt: Some(format!("{prompt}\nBe brief.")), ..HookReply::default() })
    /// }));
    /// let history = chat.submit("Fix the tests.", &json!([]))?.expect("no hook handled it");
    /// let request = chat.request(Format::Anthropic).messages(&history).build()?;
    /// assert!(request.body().contains("Be brief.") && !chat.text().contains("Be brief."));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on(&mut self, handler: impl HookHandler + 'static) {
        self.inner.on(handler);
    }

    /// Takes a message of the user and begins a run: hooks of `input` and `before_agent_start` are called, and what they change
    /// holds for the requests of this run alone. Returns the history with the message and those that hooks added; `None` if a
    /// hook handled the message, and nothing is to be sent.
    ///
    /// # Errors
    /// The messages are not valid, or the prompt cannot be built for the tools that a hook asked for.
    pub fn submit(&mut self, text: &str, messages: &Value) -> Result<Option<Value>, Error> {
        let mut diagnostics = Diagnostics::new();
        let mut history = read_messages(messages, &mut diagnostics)?;
        let runs = self.call(|inner| inner.submit(text, &mut history))?;
        self.diagnostics.append(&mut diagnostics);
        let values = || history.iter().map(|message| Value::Object(message.fields().clone())).collect();
        Ok(runs.then(values))
    }

    /// Ends the run: the next request has the prompt without what hooks changed.
    pub fn finish(&mut self) {
        self.inner.finish();
    }

    /// Switches to these tools, from the next request on, or from the next run where the profile has it so. Whether the prompt
    /// follows is the profile's business; where it does not, `conversation/tools` is reported. Unknown names are ignored and reported.
    ///
    /// # Errors
    /// The prompt cannot be built for them, or the store does not answer. The tools stay then.
    pub fn set_active_tools<T: Into<String>>(
        &mut self,
        names: impl IntoIterator<Item = T>,
    ) -> Result<(), Error> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        self.call(|inner| inner.set_active_tools(&names))
    }

    /// Registers a tool of the program, which is active if its name is new, or takes the place of one of its name.
    ///
    /// # Errors
    /// As [`set_active_tools`](Self::set_active_tools).
    pub fn register_tool(&mut self, tool: impl Into<Tool>) -> Result<(), Error> {
        let tool = tool.into();
        self.call(|inner| inner.register_tool(tool))
    }

    /// Reads settings, files, skills and extensions again. The prompt follows at once or at the next compaction, as the profile
    /// has it. Returns true if it changed.
    ///
    /// # Errors
    /// The prompt cannot be built, or the store does not answer. The conversation stays as it was then.
    pub fn reload(&mut self) -> Result<bool, Error> {
        self.call(conversation::Conversation::reload)
    }

    /// Begins the next request.
    pub fn request(&mut self, format: Format) -> RequestBuilder<'_> {
        RequestBuilder::of_conversation(self, format)
    }

    /// Builds the prompt again for a history that is about to be replaced by its summary, and returns the
    /// instructions for the summary. [`RequestBuilder::compaction`] makes the request for it.
    ///
    /// # Errors
    /// The prompt cannot be built, or the store does not answer. The prompt stays then.
    pub fn compact(&mut self) -> Result<String, Error> {
        self.call(conversation::Conversation::compact)
    }

    /// Builds the prompt again from what is there now. Returns true if it changed: the cache of the service
    /// begins anew then.
    ///
    /// # Errors
    /// The prompt cannot be built, or the store does not answer. The prompt stays then.
    pub fn refresh(&mut self) -> Result<bool, Error> {
        self.call(conversation::Conversation::refresh)
    }

    /// Records what the service counted for a request: `preface conversation history --requests` shows it.
    ///
    /// # Errors
    /// There is no such request or no store, or the store does not answer.
    pub fn record_usage(&mut self, number: u64, usage: RequestUsage) -> Result<(), Error> {
        self.call(|inner| inner.set_usage(number, usage))
    }

    fn call<T>(
        &mut self,
        work: impl FnOnce(&mut conversation::Conversation) -> Result<T, conversation::ConversationError>,
    ) -> Result<T, Error> {
        let done = work(&mut self.inner).map_err(Error::of_conversation)?;
        self.note_diagnostics();
        Ok(done)
    }

    fn note_diagnostics(&mut self) {
        let built = self.inner.is_constructed().then(|| self.inner.base().diagnostics.clone());
        self.diagnostics = built.unwrap_or_default();
        self.diagnostics.append(&mut self.inner.take_diagnostics());
    }
}

/// Reads messages of a caller.
pub(crate) fn read_messages(messages: &Value, diagnostics: &mut Diagnostics) -> Result<Vec<Message>, Error> {
    message::read("messages", messages.to_string().as_bytes(), diagnostics).map_err(Error::of_messages)
}
