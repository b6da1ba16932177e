//! The state that the handlers share.

use crate::{
    guard::{RequestGuard, TokenRule},
    prompt_reply::PromptCache,
    telemetry::Metrics,
    threads::{ThreadSlots, Threads},
    tls::TlsFiles,
    write_probe::WriteProbe,
};
use preface_engine::{
    conversation::ConversationService,
    host::{places::HomeTrust, system::System},
    store::Store,
};
use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};
use tokio::sync::{OnceCell, Semaphore};

/// The preset of conversations that name none, where the service has no other setting.
pub const SERVICE_PRESET: &str = "template";

/// The settings of the service.
#[derive(Clone, Debug)]
pub struct ServiceSettings {
    /// The directories below which a conversation may work, real paths. Naming one is the grant for what is in it.
    pub roots: Vec<PathBuf>,
    /// The profile of conversations that name none.
    pub preset: String,
    /// The directories named by the environment that are the user's.
    pub home_trust: HomeTrust,
    /// The most bytes of a request's body.
    pub max_body: usize,
}

/// The limits of requests.
#[derive(Clone, Copy, Debug)]
pub struct ServiceLimits {
    /// The deadline of a request, including its body.
    pub deadline: Duration,
    /// The number of concurrent requests; more are rejected.
    pub requests: usize,
    /// The number of open connections; more get nothing but health checks.
    pub connections: usize,
    /// The timeout for the first head of a connection.
    pub head: Duration,
    /// The time after which a connection that had a request is closed while it is idle; longer than that of proxies.
    pub keep_alive: Duration,
    /// The time after which a connection is closed whose peer reads nothing of a reply.
    pub write: Duration,
    /// The timeout for a body.
    pub body: Duration,
    /// The most bytes of all bodies that are held at once; a request that would need more is turned away.
    pub bodies: usize,
    /// The same of all replies that are not sent yet.
    pub replies: usize,
    /// The time for accepted requests at shutdown.
    pub farewell: Duration,
}

impl Default for ServiceLimits {
    fn default() -> Self {
        ServiceLimits {
            deadline: Duration::from_secs(30),
            requests: 1024,
            connections: 4096,
            head: Duration::from_secs(10),
            keep_alive: Duration::from_secs(75),
            write: Duration::from_secs(10),
            body: Duration::from_secs(10),
            bodies: 64 << 20,
            replies: 64 << 20,
            farewell: Duration::from_secs(30),
        }
    }
}

/// The service: its machine, its store, its settings, and what every request passes.
#[derive(Clone, Debug)]
pub struct App {
    /// The machine that prompts are built on.
    pub system: Arc<dyn System>,
    /// Where they are kept.
    pub store: Arc<dyn Store>,
    /// Builds each of them once.
    pub service: ConversationService,
    /// The recently read ones.
    pub(crate) prompts: PromptCache,
    /// Where requests look at disks.
    pub(crate) looking: ThreadSlots,
    /// Where templates are analyzed, which takes longer; apart, so that nothing else waits for it.
    pub(crate) analyzing: ThreadSlots,
    /// Where documents of all templates are made, which can be as large as the store.
    pub(crate) exporting: Arc<Semaphore>,
    /// The settings.
    pub settings: Arc<ServiceSettings>,
    /// The access checks.
    pub guard: Arc<RequestGuard>,
    /// The metrics.
    pub metrics: Arc<Metrics>,
    /// The limits.
    pub limits: ServiceLimits,
    /// The certificate and key of connections; without them connections are not encrypted.
    pub tls: Option<Arc<TlsFiles>>,
    /// The state of writes to the store.
    pub(crate) write_probe: Arc<WriteProbe>,
    pub(crate) store_identity: Arc<OnceCell<u64>>,
}

/// The size of the prompt cache in bytes.
const AT_HAND: u64 = 64 << 20;
/// The number of concurrent builds, and of requests that read disks.
const BUILDS: usize = 16;
/// The number of documents of all templates that are made at a time.
const EXPORTS: usize = 2;
/// The timeout of a build.
const BUILD_DEADLINE: Duration = Duration::from_secs(20);

impl App {
    /// Makes a service that listens nowhere yet: its router can be called, as from this machine.
    #[must_use]
    pub fn new(system: Arc<dyn System>, store: Arc<dyn Store>, settings: Arc<ServiceSettings>) -> Self {
        let guard = RequestGuard::new(None, &[], TokenRule::default(), system.clone(), store.clone());
        let threads = Arc::new(Threads::new(BUILDS, BUILD_DEADLINE));
        let service =
            ConversationService::new(system.clone(), store.clone(), threads).with_roots(&settings.roots);
        App {
            system,
            store,
            service,
            prompts: PromptCache::new(AT_HAND),
            looking: ThreadSlots::new(BUILDS),
            analyzing: ThreadSlots::of_cores(),
            exporting: Arc::new(Semaphore::new(EXPORTS)),
            settings,
            guard: Arc::new(guard),
            metrics: Arc::default(),
            limits: ServiceLimits::default(),
            tls: None,
            write_probe: Arc::default(),
            store_identity: Arc::default(),
        }
    }

    /// Writes to the store and keeps the result for `/readyz`. [`serve`](crate::serve) does so every five seconds.
    pub async fn probe_store(&self) {
        self.write_probe.once(&*self.store).await;
    }

    /// Returns what distinguishes the store from others, for the page; empty while the store does not respond.
    pub(crate) async fn store_identity(&self) -> String {
        let identity = self.store_identity.get_or_try_init(|| self.store.identity()).await;
        identity.map(|identity| format!("{identity:016x}")).unwrap_or_default()
    }

    /// Keeps so many bytes of prompts at hand.
    #[must_use]
    pub fn keeping_at_hand(self, bytes: u64) -> Self {
        App { prompts: PromptCache::new(bytes), ..self }
    }

    /// Sets where it listens, under which names it is also known there (`NAME` or `NAME:PORT`), and who needs a token.
    #[must_use]
    pub fn listening(self, bound: SocketAddr, hosts: &[String], rule: TokenRule) -> Self {
        let guard = RequestGuard::new(Some(bound), hosts, rule, self.system.clone(), self.store.clone());
        App { guard: Arc::new(guard), ..self }
    }
}
