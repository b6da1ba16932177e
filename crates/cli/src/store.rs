//! The store that a command works on: which one, and how it is opened. Only commands that need it start a runtime.

use crate::failure::{CommandFailure, CommandResult};
use preface_core::lint::hidden::escape_hidden;
use preface_engine::{
    BuildOptions, Error,
    conversation::{ConversationService, InlineOffload},
    default_store,
    host::{
        places::{HomeTrust, StateDirInside, normal},
        system::System,
        trust::{TrustError, TrustStore},
    },
    store::{self, Actor, Page, PageRequest, Store, StoreError, StoreUrl},
};
use std::{
    future::Future,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::runtime::Runtime;

/// Which store.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct StoreFlag {
    /// Keep templates and conversations at ADDRESS: `sqlite:PATH`, `postgres://USER@HOST/DATABASE` or `memory:`
    ///
    /// Without it `preface.db` in your state directory. An address with a password is better given in the environment,
    /// where other users do not see it.
    #[arg(long, value_name = "ADDRESS", env = "PREFACE_STORE", hide_env_values = true)]
    store: Option<String>,

    /// The directory that the command is about; `None` is the current one.
    #[arg(skip)]
    directory: Option<PathBuf>,

    #[arg(skip)]
    home_trust: HomeTrust,
}

/// The reason why there is no store to work on.
#[derive(Debug)]
pub enum StorePlaceError {
    /// The store without an address could have come with the project.
    Inside(StateDirInside),
    /// The address cannot be read, or others can write the store without an address.
    Other(Error),
}

impl StoreFlag {
    /// Returns the flag of a command about the directory of a request.
    pub fn for_request(&self, request: &BuildOptions) -> StoreFlag {
        StoreFlag {
            store: self.store.clone(),
            directory: request.cwd.clone(),
            home_trust: request.home_trust,
        }
    }

    /// Returns the address of the store.
    pub fn url(&self, system: &dyn System) -> CommandResult<StoreUrl> {
        self.place(system)?.ok_or_else(|| {
            CommandFailure::new(
                "there is no place for a store: neither PREFACE_HOME nor a home directory is set",
            )
            .help("name one with `--store sqlite:PATH`")
        })
    }

    /// Returns the address of a store to look at; `None` if nothing was stored yet. Looking makes no file.
    pub fn there(&self, system: &dyn System) -> Result<Option<StoreUrl>, StorePlaceError> {
        Ok(self.place(system)?.filter(|url| match url {
            StoreUrl::Sqlite(path) => {
                let here = system.current_dir().unwrap_or_default();
                system.stat(&normal(&here, path)).is_some()
            }
            _ => true,
        }))
    }

    fn place(&self, system: &dyn System) -> Result<Option<StoreUrl>, StorePlaceError> {
        // Commands without the flag work on the same store as those with it.
        let given = || Some(system.var("PREFACE_STORE")?.to_string_lossy().into_owned());
        // An empty variable is one that is not set; an empty flag comes from a variable that should have been.
        if self.store.as_deref() == Some("") && given().as_deref() != Some("") {
            let why = "the address is empty".to_owned();
            return Err(Error::Store(StoreError::Address { address: String::new(), why }).into());
        }
        match self.store.clone().or_else(given).filter(|address| !address.is_empty()) {
            Some(address) => Ok(Some(address.parse().map_err(Error::Store)?)),
            None => self.default_url(system),
        }
    }

    /// Returns the store without an address: one that neither the project nor other users could have written.
    fn default_url(&self, system: &dyn System) -> Result<Option<StoreUrl>, StorePlaceError> {
        let here = system.current_dir().unwrap_or_default();
        let cwd = normal(&here, self.directory.as_deref().unwrap_or(Path::new(".")));
        let url = default_store(system, &cwd, self.home_trust).map_err(StorePlaceError::Inside)?;
        if let Some(StoreUrl::Sqlite(file)) = &url {
            TrustStore::check_file(system, file).map_err(exposed)?;
        }
        Ok(url)
    }

    /// Works on the store if there is one; `None` if nothing was stored yet.
    pub fn open<T, Done: Future<Output = CommandResult<T>>>(
        &self,
        act: impl FnOnce(Arc<dyn Store>) -> Done,
    ) -> CommandResult<Option<T>> {
        self.there(crate::files::system())?.map(|url| with(&url, act)).transpose()
    }

    /// Works on the store, which is created if it is missing.
    pub fn work<T, Done: Future<Output = CommandResult<T>>>(
        &self,
        act: impl FnOnce(Arc<dyn Store>) -> Done,
    ) -> CommandResult<T> {
        with(&self.url(crate::files::system())?, act)
    }
}

/// Returns the service of the conversations of a store.
pub fn conversations(store: Arc<dyn Store>) -> ConversationService {
    ConversationService::new(crate::files::shared_system(), store, Arc::new(InlineOffload))
}

/// Names who works at the command line, at an instant if one is given.
pub fn actor(now: Option<&str>) -> CommandResult<Actor> {
    match now {
        None => Ok(Actor::new(LOCAL)),
        Some(text) => match text.parse() {
            Ok(at) => Ok(Actor::at(LOCAL, at)),
            Err(_) => Err(CommandFailure::usage(format!("not an instant: `{text}`"))
                .help("use RFC 3339, such as `2026-03-07T14:55:05Z`")),
        },
    }
}

/// The name of who works at the command line.
const LOCAL: &str = "local";

/// Opens a store, does something with it and closes it.
pub fn with<T, Done: Future<Output = CommandResult<T>>>(
    url: &StoreUrl,
    act: impl FnOnce(Arc<dyn Store>) -> Done,
) -> CommandResult<T> {
    runtime(tokio::runtime::Builder::new_current_thread())?.block_on(async {
        let store = store::open(url).await?;
        let done = act(store.clone()).await;
        let closed = store.close().await;
        let done = done?;
        closed?;
        Ok(done)
    })
}

/// Reads pages one after the other, as far as they go. Returns also whether there are more.
pub async fn pages<T>(
    most: usize,
    read: impl AsyncFn(PageRequest) -> Result<Page<T>, StoreError>,
) -> CommandResult<(Vec<T>, bool)> {
    let mut found = Vec::new();
    let mut page = PageRequest::first(most);
    loop {
        let answer = read(page).await?;
        found.extend(answer.items);
        match answer.next {
            Some(next) if found.len() < most => {
                page = PageRequest { after: Some(next), ..PageRequest::first(most - found.len()) };
            }
            next => return Ok((found, next.is_some())),
        }
    }
}

/// Starts what stores and services run on.
pub fn runtime(mut builder: tokio::runtime::Builder) -> CommandResult<Runtime> {
    builder.enable_all().build().map_err(|error| CommandFailure::cannot("start", &error))
}

/// Returns the error for a store without an address that others can write.
fn exposed(error: TrustError) -> Error {
    let (message, help) = match error {
        TrustError::Exposed { path, why, remedy } => {
            let path = path.display().to_string();
            let help = format!("`{remedy}`, then check what the store holds; or name another with `--store`");
            (format!("the store is not used: `{}`: {why}", escape_hidden(&path)), help)
        }
        error => (error.to_string(), "name a store with `--store`".to_owned()),
    };
    Error::Trust(message, Some(help.into()))
}

impl From<Error> for StorePlaceError {
    fn from(error: Error) -> Self {
        StorePlaceError::Other(error)
    }
}

impl From<StorePlaceError> for Error {
    fn from(error: StorePlaceError) -> Self {
        match error {
            StorePlaceError::Other(error) => error,
            StorePlaceError::Inside(inside) => {
                let help = format!("{}, or name a store with `--store`", inside.help());
                Error::Trust(inside.to_string(), Some(help.into()))
            }
        }
    }
}

impl From<StorePlaceError> for CommandFailure {
    fn from(error: StorePlaceError) -> Self {
        Error::from(error).into()
    }
}

impl From<StateDirInside> for CommandFailure {
    fn from(inside: StateDirInside) -> Self {
        let help = inside.help();
        CommandFailure::new(inside.to_string()).help(help)
    }
}

impl From<StoreError> for CommandFailure {
    fn from(error: StoreError) -> Self {
        let failure = match error {
            StoreError::Address { .. } => CommandFailure::usage(error.to_string()),
            _ => CommandFailure::new(error.to_string()),
        };
        match (error.help(), &error) {
            (_, StoreError::NotAStore(_)) => {
                failure.help("name another file with `--store`; this one was left as it is")
            }
            (Some(help), StoreError::ReadOnly(_)) => failure.help(format!("{help} with `--store`")),
            (Some(help), _) => failure.help(help),
            (None, _) => failure,
        }
    }
}
