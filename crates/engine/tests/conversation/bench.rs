//! A machine, a store, a keeper, and short words for what tests do with them.

use jiff::Timestamp;
use preface_engine::{
    ASSETS, BuildOptions,
    conversation::{
        CompactionResult, ConversationError, ConversationService, InlineOffload, Refresh, RefreshResult,
        TurnResult,
    },
    host::system::testing::MemorySystem,
    store::{
        self, Actor, ConversationId, ExpectedVersion, NewVersion, PageRequest, PutOutcome, Revision, Store,
        StoredPrompt, TemplateName,
    },
};
use std::{future::Future, sync::Arc};

/// The preset that is requested where a test says nothing else.
pub const PRESET: &str = "template";

pub struct Bench {
    pub system: MemorySystem,
    pub store: Arc<dyn Store>,
    pub service: ConversationService,
}

/// Runs a test on one thread.
pub fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(test)
}

/// A machine with a project at `/work/p`.
pub fn machine() -> MemorySystem {
    MemorySystem::new().with_bundle(ASSETS).with_dir("/work/p")
}

pub async fn memory() -> Arc<dyn Store> {
    store::open(&"memory:".parse().expect("an address")).await.expect("memory is there")
}

/// Somebody who acts so many seconds after the epoch.
pub fn at(second: i64) -> Actor {
    Actor::at("tester", instant(second))
}

pub fn instant(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("an instant")
}

pub fn id(text: &str) -> ConversationId {
    text.parse().expect("an id")
}

pub fn turn_options() -> BuildOptions {
    BuildOptions { preset: Some(PRESET.to_owned()), ..BuildOptions::in_dir("/work/p") }
}

impl Bench {
    pub async fn new() -> Self {
        Bench::on(machine()).await
    }

    pub async fn on(system: MemorySystem) -> Self {
        let store = memory().await;
        let service =
            ConversationService::new(Arc::new(system.clone()), store.clone(), Arc::new(InlineOffload));
        Bench { system, store, service }
    }

    /// The same, for conversations at and below `/work` alone.
    pub async fn rooted(system: MemorySystem) -> Self {
        let bench = Bench::on(system).await;
        let service = bench.service.clone().with_roots(&["/work".into()]);
        Bench { service, ..bench }
    }

    /// Stores a text as the template `main`.
    pub async fn template(&self, text: &str) {
        self.named("main", text).await;
    }

    pub async fn named(&self, name: &str, text: &str) -> u64 {
        self.version(NewVersion::of(name.parse().expect("a name"), text)).await
    }

    pub async fn reset(&self, name: &str) {
        self.version(NewVersion::reset(name.parse().expect("a name"))).await;
    }

    async fn version(&self, new: NewVersion) -> u64 {
        match self.store.put_template(new, ExpectedVersion::Any, &at(0)).await.expect("the store answers") {
            PutOutcome::Stored(version) | PutOutcome::Unchanged(version) => version.version,
            PutOutcome::Stale(_) => panic!("nothing was expected"),
        }
    }

    pub async fn label(&self, name: &str, label: &str, version: Option<u64>) {
        let name: TemplateName = name.parse().expect("a name");
        assert!(self.store.label(&name, label, version, &at(0)).await.expect("the store answers"));
    }

    pub async fn turn_of(&self, name: &str, options: &BuildOptions) -> Result<TurnResult, ConversationError> {
        self.service.turn(&id(name), options, &at(10)).await
    }

    pub async fn turn(&self, name: &str) -> TurnResult {
        self.turn_of(name, &turn_options()).await.expect("a turn")
    }

    pub async fn compact(&self, name: &str) -> CompactionResult {
        self.compact_as(name, &BuildOptions::default(), None).await.expect("a compaction")
    }

    pub async fn compact_as(
        &self,
        name: &str,
        over: &BuildOptions,
        expected: Option<Revision>,
    ) -> Result<CompactionResult, ConversationError> {
        self.service.compact(&id(name), over, expected, &at(20)).await
    }

    pub async fn refresh(&self, name: &str, how: Refresh) -> RefreshResult {
        self.service
            .refresh(&id(name), &BuildOptions::default(), how, None, &at(30))
            .await
            .expect("a refresh")
    }

    /// What the store keeps.
    pub async fn kept(&self, name: &str) -> StoredPrompt {
        self.store.conversation(&id(name)).await.expect("the store answers").expect("it is kept")
    }

    pub async fn text(&self, name: &str) -> String {
        self.kept(name).await.head.text.to_string()
    }

    /// How many prompts the conversation had before.
    pub async fn history(&self, name: &str) -> usize {
        let all = PageRequest::first(PageRequest::MOST);
        self.store.history(&id(name), &all).await.expect("the store answers").items.len()
    }
}
