//! A store that can be switched off, and to which nothing can be written.

use async_trait::async_trait;
use jiff::Timestamp;
use preface_engine::store::{
    Actor, Answer, AuditEntry, AuditStore, ConversationId, ConversationStore, ExpectedVersion, Filter,
    InsertOutcome, NewVersion, Page, PageRequest, PromptSummary, PutOutcome, ReplaceOutcome, ReplacedPrompt,
    RequestStore, Revision, Store, StoreError, StoredPrompt, StoredRequest, TemplateName, TemplateStore,
    TemplateVersion, TokenRecord, VersionChoice,
};
use std::sync::{Arc, Mutex};

/// What works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Works {
    All,
    Reads,
    Nothing,
    /// Nothing, and waiting does not help.
    Damaged,
}

#[derive(Debug)]
pub struct Switch {
    store: Arc<dyn Store>,
    works: Mutex<Works>,
}

impl Switch {
    pub fn over(store: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Switch { store, works: Mutex::new(Works::All) })
    }

    pub fn set(&self, works: Works) {
        *self.works.lock().unwrap() = works;
    }

    fn works(&self) -> Works {
        *self.works.lock().unwrap()
    }

    fn read(&self) -> Result<&dyn Store, StoreError> {
        match self.works() {
            Works::All | Works::Reads => Ok(&*self.store),
            Works::Damaged => Err(StoreError::Damaged("scratched".to_owned())),
            Works::Nothing => Err(StoreError::Unreachable {
                address: "postgres://me@db/preface".to_owned(),
                why: "connection refused".to_owned(),
            }),
        }
    }

    fn write(&self) -> Result<&dyn Store, StoreError> {
        match self.works() {
            Works::Reads => Err(StoreError::Full("no space left".to_owned())),
            Works::All | Works::Nothing | Works::Damaged => self.read(),
        }
    }
}

#[async_trait]
impl Store for Switch {
    fn kind(&self) -> &'static str {
        self.store.kind()
    }

    async fn check(&self) -> Answer<()> {
        self.read()?.check().await
    }

    async fn probe(&self) -> Answer<()> {
        self.write()?.probe().await
    }

    async fn identity(&self) -> Answer<u64> {
        self.read()?.identity().await
    }

    async fn close(&self) -> Answer<()> {
        self.store.close().await
    }
}

#[async_trait]
impl TemplateStore for Switch {
    async fn template(&self, name: &TemplateName, which: &VersionChoice) -> Answer<Option<TemplateVersion>> {
        self.read()?.template(name, which).await
    }

    async fn put_template(
        &self,
        new: NewVersion,
        expect: ExpectedVersion,
        actor: &Actor,
    ) -> Answer<PutOutcome> {
        self.write()?.put_template(new, expect, actor).await
    }

    async fn templates(&self, page: &PageRequest) -> Answer<Page<TemplateVersion>> {
        self.read()?.templates(page).await
    }

    async fn versions(&self, name: &TemplateName, page: &PageRequest) -> Answer<Page<TemplateVersion>> {
        self.read()?.versions(name, page).await
    }

    async fn label(
        &self,
        name: &TemplateName,
        label: &str,
        version: Option<u64>,
        actor: &Actor,
    ) -> Answer<bool> {
        self.write()?.label(name, label, version, actor).await
    }
}

#[async_trait]
impl ConversationStore for Switch {
    async fn revision(&self, id: &ConversationId) -> Answer<Option<Revision>> {
        self.read()?.revision(id).await
    }

    async fn head(&self, id: &ConversationId) -> Answer<Option<PromptSummary>> {
        self.read()?.head(id).await
    }

    async fn conversation(&self, id: &ConversationId) -> Answer<Option<StoredPrompt>> {
        self.read()?.conversation(id).await
    }

    async fn create(&self, conversation: StoredPrompt, actor: &Actor) -> Answer<InsertOutcome> {
        self.write()?.create(conversation, actor).await
    }

    async fn replace(&self, new: StoredPrompt, expected: Revision, actor: &Actor) -> Answer<ReplaceOutcome> {
        self.write()?.replace(new, expected, actor).await
    }

    async fn delete(&self, id: &ConversationId, expected: Option<Revision>, actor: &Actor) -> Answer<bool> {
        self.write()?.delete(id, expected, actor).await
    }

    async fn touch(&self, id: &ConversationId, at: Timestamp) -> Answer<bool> {
        self.write()?.touch(id, at).await
    }

    async fn conversations(&self, filter: &Filter, page: &PageRequest) -> Answer<Page<PromptSummary>> {
        self.read()?.conversations(filter, page).await
    }

    async fn history(&self, id: &ConversationId, page: &PageRequest) -> Answer<Page<ReplacedPrompt>> {
        self.read()?.history(id, page).await
    }

    async fn purge(&self, before: Timestamp, most: u64, actor: &Actor) -> Answer<u64> {
        self.write()?.purge(before, most, actor).await
    }

    async fn count_unused(&self, before: Timestamp) -> Answer<u64> {
        self.read()?.count_unused(before).await
    }
}

#[async_trait]
impl RequestStore for Switch {
    async fn add_request(&self, request: StoredRequest) -> Answer<bool> {
        self.write()?.add_request(request).await
    }

    async fn requests(&self, id: &ConversationId, from: u64) -> Answer<Vec<StoredRequest>> {
        self.read()?.requests(id, from).await
    }

    async fn set_request(&self, id: &ConversationId, number: u64, record: Arc<str>) -> Answer<bool> {
        self.write()?.set_request(id, number, record).await
    }
}

#[async_trait]
impl AuditStore for Switch {
    async fn audit(&self, page: &PageRequest) -> Answer<Page<AuditEntry>> {
        self.read()?.audit(page).await
    }

    async fn trim_audit(&self, before: Timestamp, most: u64, actor: &Actor) -> Answer<u64> {
        self.write()?.trim_audit(before, most, actor).await
    }

    async fn add_access(&self, access: TokenRecord, actor: &Actor) -> Answer<bool> {
        self.write()?.add_access(access, actor).await
    }

    async fn accesses(&self) -> Answer<Vec<TokenRecord>> {
        self.read()?.accesses().await
    }

    async fn remove_access(&self, name: &str, actor: &Actor) -> Answer<bool> {
        self.write()?.remove_access(name, actor).await
    }
}
