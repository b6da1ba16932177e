//! Conversations: a prompt that is built once, stored, and sent with every request.

use crate::{Diagnostic, Error, ErrorKind, Format, Preface, Request, RequestBuilder, RequestUsage};
use preface_core::diagnostic::Diagnostics;
use preface_engine::{
    BuildOptions,
    conversation::{
        ConversationError, ConversationService, InlineOffload, Refresh, RequestInput, TemplateChoice,
    },
    templates,
};
use preface_store::{Actor, ConversationId, PromptSummary, Store as Backend, StoreError, StoreUrl};
use serde_json::Value;
#[cfg(feature = "store-sqlite")]
use std::path::Path;
use std::{fmt, future::Future, sync::Arc};

/// Where prompts and requests of conversations are stored. Cheap to clone; threads can share it.
///
/// Calls wait for the disk or the server: in a program with an event loop, make them on a thread for blocking work.
#[derive(Clone)]
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
        self.wait(templates::chosen(&*self.0.backend, choice))
    }

    /// Waits for an answer of the store.
    fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        #[cfg(feature = "store-postgres")]
        let _context = self.0.runtime.as_ref().map(tokio::runtime::Runtime::enter);
        pollster::block_on(answer)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.0.backend.kind()).finish()
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

/// A conversation: its prompt is built by the first call and stored, and each request extends the one before, so that the cache
/// of the service is read. [`PromptBuilder::conversation`](crate::PromptBuilder::conversation) opens it.
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
pub struct Conversation {
    store: Store,
    service: ConversationService,
    id: ConversationId,
    options: BuildOptions,
    events: Vec<Value>,
    head: PromptSummary,
    is_new: bool,
    diagnostics: Diagnostics,
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Conversation");
        debug.field("id", &self.id.as_str()).field("store", &self.store).field("is_new", &self.is_new);
        debug.field("fingerprint", &self.head.fingerprint).finish_non_exhaustive()
    }
}

/// The name of the program in the log of the store.
const ACTOR: &str = "library";

impl Conversation {
    pub(crate) fn open(
        preface: &Preface,
        store: &Store,
        id: &str,
        mut request: preface_engine::Request,
        template: String,
    ) -> Result<Self, Error> {
        let id =
            id.parse::<ConversationId>().map_err(|error| Error::new(ErrorKind::Usage, error.to_string()))?;
        let events = std::mem::take(&mut request.events);
        if let Some(cwd) = &request.cwd {
            request.cwd = Some(std::path::absolute(cwd).unwrap_or_else(|_| cwd.clone()));
        }
        let template = Some(template).filter(|template| !template.is_empty());
        let options = BuildOptions { template, ..BuildOptions::of(&request) };
        let backend = store.0.backend.clone();
        let service = ConversationService::new(preface.system().clone(), backend, Arc::new(InlineOffload));
        let turn =
            store.wait(service.turn(&id, &options, &Actor::new(ACTOR))).map_err(Error::of_conversation)?;
        let (head, is_new, diagnostics, store) =
            (turn.head, turn.constructed, turn.diagnostics, store.clone());
        Ok(Conversation { store, service, id, options, events, head, is_new, diagnostics })
    }

    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_str()
    }

    /// Returns the text of the stored prompt.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.head.text
    }

    /// Returns true if this call built the prompt, and false if it was stored before.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns the diagnostics of the last call that built or read the prompt.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Adds an event that calls for a reminder in the next request: a JSON object with a `type`. The reminder stays at its place
    /// in later requests; the history does not have to repeat it.
    pub fn remind(&mut self, event: impl Into<Value>) {
        self.events.push(event.into());
    }

    /// Begins the next request.
    pub fn request(&mut self, format: Format) -> RequestBuilder<'_> {
        RequestBuilder::of_conversation(self, format)
    }

    /// Builds the prompt again for a history that is about to be replaced by its summary, stores it, and returns the
    /// instructions for the summary. [`RequestBuilder::compaction`] makes the request for it.
    ///
    /// # Errors
    /// The prompt cannot be built, or the store does not answer. The stored prompt stays then.
    pub fn compact(&mut self) -> Result<String, Error> {
        let actor = Actor::new(ACTOR);
        let result = self.wait(self.service.compact(&self.id, &self.options, None, &actor))?;
        self.head = result.head;
        self.diagnostics = result.diagnostics;
        Ok(result.instructions)
    }

    /// Builds the prompt again from what is there now, and stores it. Returns true if it changed: the cache of the service
    /// begins anew then.
    ///
    /// # Errors
    /// The prompt cannot be built, or the store does not answer. The stored prompt stays then.
    pub fn refresh(&mut self) -> Result<bool, Error> {
        let actor = Actor::new(ACTOR);
        let refreshed = self.service.refresh(&self.id, &self.options, Refresh::Keep, None, &actor);
        let result = self.wait(refreshed)?;
        self.head = result.head;
        self.diagnostics = result.diagnostics;
        Ok(!result.difference.same)
    }

    /// Records what the service counted for a request: `preface conversation history --requests` shows it.
    ///
    /// # Errors
    /// There is no such request, or the store does not answer.
    pub fn record_usage(&mut self, number: u64, usage: RequestUsage) -> Result<(), Error> {
        self.wait(self.service.set_usage(&self.id, number, usage))
    }

    fn wait<T>(&self, answer: impl Future<Output = Result<T, ConversationError>>) -> Result<T, Error> {
        self.store.wait(answer).map_err(Error::of_conversation)
    }

    pub(crate) fn send(
        &mut self,
        input: RequestInput,
        mut diagnostics: Diagnostics,
    ) -> Result<Request, Error> {
        let input = RequestInput { events: self.events.clone(), ..input };
        let actor = Actor::new(ACTOR);
        let result = self.wait(self.service.request(&self.id, &self.options, input, &actor))?;
        self.events.clear();
        self.head = result.head;
        diagnostics.extend(result.diagnostics);
        Ok(Request {
            body: result.body,
            number: Some(result.number),
            extends: result.comparison.map(|comparison| comparison.extends),
            diagnostics,
        })
    }
}
