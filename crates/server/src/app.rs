//! What the handlers share.

use crate::{kept::Kept, threads::Threads};
use preface::{host::system::System, keep::Keeper, store::Store};
use std::{path::PathBuf, sync::Arc, time::Duration};

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
    /// Builds each of them once.
    pub keeper: Keeper,
    /// Those that were read lately.
    pub(crate) kept: Kept,
    /// How it was started.
    pub settings: Arc<Settings>,
}

/// How many bytes of prompts are kept at hand.
const AT_HAND: u64 = 64 << 20;
/// How many prompts are built at once.
const BUILDS: usize = 16;
/// How long one may take.
const BUILD_DEADLINE: Duration = Duration::from_secs(20);

impl App {
    /// Makes a service.
    #[must_use]
    pub fn new(system: Arc<dyn System>, store: Arc<dyn Store>, settings: Arc<Settings>) -> Self {
        let threads = Arc::new(Threads::new(BUILDS, BUILD_DEADLINE));
        let keeper = Keeper::new(system.clone(), store.clone(), threads).with_roots(&settings.roots);
        App { system, store, keeper, kept: Kept::new(AT_HAND), settings }
    }
}
