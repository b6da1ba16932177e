//! The store that a command works on: which one, and how it is opened. Only commands that need it start a runtime.

use crate::failure::Failure;
use preface::{
    default_store,
    host::system::System,
    store::{self, Store, StoreError, StoreUrl},
};
use std::{future::Future, sync::Arc};
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
}

impl StoreFlag {
    /// Returns the address of the store.
    pub fn url(&self, system: &dyn System) -> Result<StoreUrl, Failure> {
        match self.store.as_deref().filter(|address| !address.is_empty()) {
            Some(address) => Ok(address.parse::<StoreUrl>()?),
            None => default_store(system).ok_or_else(|| {
                Failure::new(
                    "there is no place for a store: neither PREFACE_HOME nor a home directory is set",
                )
                .hint("name one with `--store sqlite:PATH`")
            }),
        }
    }
}

/// Opens a store, does something with it and closes it.
pub fn with<T, Done: Future<Output = Result<T, Failure>>>(
    url: &StoreUrl,
    act: impl FnOnce(Arc<dyn Store>) -> Done,
) -> Result<T, Failure> {
    runtime(tokio::runtime::Builder::new_current_thread())?.block_on(async {
        let store = store::open(url).await?;
        let done = act(store.clone()).await;
        let closed = store.close().await;
        let done = done?;
        closed?;
        Ok(done)
    })
}

/// Starts what stores and services run on.
pub fn runtime(mut builder: tokio::runtime::Builder) -> Result<Runtime, Failure> {
    builder
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {}", crate::failure::words(&error))))
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let failure = match error {
            StoreError::Address { .. } => Failure::usage(error.to_string()),
            _ => Failure::new(error.to_string()),
        };
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}
