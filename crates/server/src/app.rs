//! What the handlers share.

use preface::{host::system::System, store::Store};
use std::{path::PathBuf, sync::Arc};

/// How the service was started.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The directories below which a conversation may work, real paths. Naming one is the grant for what lies in it.
    pub roots: Vec<PathBuf>,
    /// The profile of conversations that name none.
    pub preset: String,
    /// The most bytes of a request's body.
    pub max_body: usize,
}

/// The service: its machine, its store, its settings.
#[derive(Clone, Debug)]
pub struct App {
    /// The machine that prompts are built on.
    pub system: Arc<dyn System>,
    /// Where they are kept.
    pub store: Arc<dyn Store>,
    /// How it was started.
    pub settings: Arc<Settings>,
}
