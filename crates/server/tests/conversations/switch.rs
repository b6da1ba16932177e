//! A store that can be switched off, and to which nothing can be written.

use jiff::Timestamp;
use preface_engine::store::{
    Actor, Answer, AuditEntry, ConversationId, DraftKey, DraftLimits, ExpectedVersion, Filter, InsertOutcome,
    NewVersion, Page, PageRequest, PromptSummary, PutOutcome, ReplaceOutcome, ReplacedPrompt, Revision,
    Store, StoreError, StoredDraft, StoredPrompt, StoredRequest, TemplateName, TemplateSummary,
    TemplateVersion, TokenRecord, VersionChoice,
};
use std::{
    future::ready,
    sync::{Arc, Mutex},
};

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

    fn read<'a, T: Send + 'a>(&'a self, call: impl FnOnce(&'a dyn Store) -> Answer<'a, T>) -> Answer<'a, T> {
        match self.works() {
            Works::All | Works::Reads => call(&*self.store),
            Works::Damaged => Box::pin(ready(Err(StoreError::Damaged("scratched".to_owned())))),
            Works::Nothing => Box::pin(ready(Err(StoreError::Unreachable {
                address: "postgres://me@db/preface".to_owned(),
                why: "connection refused".to_owned(),
            }))),
        }
    }

    fn write<'a, T: Send + 'a>(&'a self, call: impl FnOnce(&'a dyn Store) -> Answer<'a, T>) -> Answer<'a, T> {
        match self.works() {
            Works::Reads => Box::pin(ready(Err(StoreError::Full("no space left".to_owned())))),
            Works::All | Works::Nothing | Works::Damaged => self.read(call),
        }
    }
}

impl Store for Switch {
    fn kind(&self) -> &'static str {
        self.store.kind()
    }

    fn check(&self) -> Answer<'_, ()> {
        self.read(|store| store.check())
    }

    fn probe(&self) -> Answer<'_, ()> {
        self.write(|store| store.probe())
    }

    fn close(&self) -> Answer<'_, ()> {
        self.store.close()
    }

    fn template<'a>(
        &'a self,
        name: &'a TemplateName,
        which: &'a VersionChoice,
    ) -> Answer<'a, Option<TemplateVersion>> {
        self.read(|store| store.template(name, which))
    }

    fn put_template<'a>(
        &'a self,
        new: NewVersion,
        expect: ExpectedVersion,
        actor: &'a Actor,
    ) -> Answer<'a, PutOutcome> {
        self.write(|store| store.put_template(new, expect, actor))
    }

    fn templates<'a>(&'a self, page: &'a PageRequest) -> Answer<'a, Page<TemplateSummary>> {
        self.read(|store| store.templates(page))
    }

    fn versions<'a>(
        &'a self,
        name: &'a TemplateName,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<TemplateVersion>> {
        self.read(|store| store.versions(name, page))
    }

    fn label<'a>(
        &'a self,
        name: &'a TemplateName,
        label: &'a str,
        version: Option<u64>,
        actor: &'a Actor,
    ) -> Answer<'a, bool> {
        self.write(|store| store.label(name, label, version, actor))
    }

    fn revision<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<Revision>> {
        self.read(|store| store.revision(id))
    }

    fn head<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<PromptSummary>> {
        self.read(|store| store.head(id))
    }

    fn conversation<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<StoredPrompt>> {
        self.read(|store| store.conversation(id))
    }

    fn identity(&self) -> Answer<'_, u64> {
        self.read(|store| store.identity())
    }

    fn put_draft(&self, draft: StoredDraft, limits: DraftLimits) -> Answer<'_, bool> {
        self.write(|store| store.put_draft(draft, limits))
    }

    fn draft<'a>(&'a self, key: &'a DraftKey) -> Answer<'a, Option<StoredDraft>> {
        self.read(|store| store.draft(key))
    }

    fn drafts<'a>(&'a self, owner: &'a str) -> Answer<'a, Vec<StoredDraft>> {
        self.read(|store| store.drafts(owner))
    }

    fn delete_draft<'a>(&'a self, key: &'a DraftKey) -> Answer<'a, bool> {
        self.write(|store| store.delete_draft(key))
    }

    fn expire_drafts(&self, before: Timestamp, most: u64) -> Answer<'_, u64> {
        self.write(|store| store.expire_drafts(before, most))
    }

    fn create<'a>(&'a self, conversation: StoredPrompt, actor: &'a Actor) -> Answer<'a, InsertOutcome> {
        self.write(|store| store.create(conversation, actor))
    }

    fn replace<'a>(
        &'a self,
        new: StoredPrompt,
        expected: Revision,
        actor: &'a Actor,
    ) -> Answer<'a, ReplaceOutcome> {
        self.write(|store| store.replace(new, expected, actor))
    }

    fn delete<'a>(
        &'a self,
        id: &'a ConversationId,
        expected: Option<Revision>,
        actor: &'a Actor,
    ) -> Answer<'a, bool> {
        self.write(|store| store.delete(id, expected, actor))
    }

    fn conversations<'a>(
        &'a self,
        filter: &'a Filter,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<PromptSummary>> {
        self.read(|store| store.conversations(filter, page))
    }

    fn history<'a>(
        &'a self,
        id: &'a ConversationId,
        page: &'a PageRequest,
    ) -> Answer<'a, Page<ReplacedPrompt>> {
        self.read(|store| store.history(id, page))
    }

    fn purge<'a>(&'a self, before: Timestamp, most: u64, actor: &'a Actor) -> Answer<'a, u64> {
        self.write(|store| store.purge(before, most, actor))
    }

    fn count_unused(&self, before: Timestamp) -> Answer<'_, u64> {
        self.read(|store| store.count_unused(before))
    }

    fn touch<'a>(&'a self, id: &'a ConversationId, at: Timestamp) -> Answer<'a, bool> {
        self.write(|store| store.touch(id, at))
    }

    fn add_request(&self, request: StoredRequest) -> Answer<'_, bool> {
        self.write(|store| store.add_request(request))
    }

    fn requests<'a>(&'a self, id: &'a ConversationId, from: u64) -> Answer<'a, Vec<StoredRequest>> {
        self.read(|store| store.requests(id, from))
    }

    fn set_request<'a>(&'a self, id: &'a ConversationId, number: u64, record: Arc<str>) -> Answer<'a, bool> {
        self.write(|store| store.set_request(id, number, record))
    }

    fn audit<'a>(&'a self, page: &'a PageRequest) -> Answer<'a, Page<AuditEntry>> {
        self.read(|store| store.audit(page))
    }

    fn add_access<'a>(&'a self, access: TokenRecord, actor: &'a Actor) -> Answer<'a, bool> {
        self.write(|store| store.add_access(access, actor))
    }

    fn trim_audit<'a>(&'a self, before: Timestamp, most: u64, actor: &'a Actor) -> Answer<'a, u64> {
        self.write(|store| store.trim_audit(before, most, actor))
    }

    fn accesses(&self) -> Answer<'_, Vec<TokenRecord>> {
        self.read(|store| store.accesses())
    }

    fn remove_access<'a>(&'a self, name: &'a str, actor: &'a Actor) -> Answer<'a, bool> {
        self.write(|store| store.remove_access(name, actor))
    }
}
