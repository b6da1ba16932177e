//! A store in this process, gone with it. The reference for the other stores.

use crate::{
    Actor, Answer, AuditAction, AuditEntry, ConversationId, DraftKey, DraftLimits, ExpectedVersion, Filter,
    InsertOutcome, NewVersion, Page, PageRequest, PromptSummary, PutOutcome, REQUESTS, ReplaceOutcome,
    ReplacedPrompt, Revision, Store, StoreError, StoredDraft, StoredPrompt, StoredRequest, TOUCHED_EACH,
    TemplateName, TemplateSummary, TemplateVersion, TokenRecord, VersionChoice,
    actor::to_millisecond,
    page::{ConversationKey, PageKey, PageStart},
};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    future::ready,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A store in memory.
#[derive(Debug, Default)]
pub(crate) struct MemoryStore(Mutex<MemoryTables>, RandomState);

#[derive(Debug, Default)]
struct MemoryTables {
    closed: bool,
    templates: BTreeMap<TemplateName, Vec<TemplateVersion>>,
    conversations: BTreeMap<ConversationId, StoredPrompt>,
    history: BTreeMap<ConversationId, Vec<ReplacedPrompt>>,
    requests: BTreeMap<ConversationId, Vec<StoredRequest>>,
    /// The last use of each conversation.
    used: BTreeMap<ConversationId, Timestamp>,
    drafts: BTreeMap<DraftKey, StoredDraft>,
    audit: Vec<AuditEntry>,
    /// The number of entries that were ever added.
    last_id: u64,
    accesses: BTreeMap<String, TokenRecord>,
}

impl MemoryTables {
    /// Returns the conversations that nobody used since an instant.
    fn unused(&self, before: Timestamp) -> Vec<(Timestamp, ConversationId)> {
        let is_stored = |id: &ConversationId| self.conversations.contains_key(id);
        let used = self.used.iter().filter(|(id, at)| **at < before && is_stored(id));
        used.map(|(id, at)| (*at, id.clone())).collect()
    }

    fn log(&mut self, actor: &Actor, action: AuditAction, subject: impl Into<String>, detail: Value) {
        self.last_id += 1;
        let id = self.last_id;
        let (at, actor) = (to_millisecond(actor.at), actor.name.clone());
        self.audit.push(AuditEntry { id, at, actor, action, subject: subject.into(), detail });
    }
}

fn without_version_text(version: &TemplateVersion) -> TemplateVersion {
    TemplateVersion { text: None, ..version.clone() }
}

fn without_text(head: &PromptSummary) -> PromptSummary {
    PromptSummary { text: Arc::from(""), ..head.clone() }
}

/// Returns a page of a list that is sorted by its key; `behind` compares a key with the start of the page.
fn page<T, P: PageKey>(
    all: impl Iterator<Item = T>,
    request: &PageRequest,
    key: impl Fn(&T) -> P,
    behind: impl Fn(&P, &P) -> bool,
) -> Page<T> {
    let start = request.start();
    let wanted = |item: &T| match &start {
        PageStart::Top => true,
        PageStart::Behind(place) => behind(&key(item), place),
        PageStart::Nowhere => false,
    };
    let limit = request.entries();
    Page::cut(all.filter(wanted).take(limit + 1).collect(), limit, key)
}

/// Rounds the times of a conversation as stores keep them.
fn round_times(mut conversation: StoredPrompt) -> StoredPrompt {
    let head = &mut conversation.head;
    head.created_at = to_millisecond(head.created_at);
    head.constructed_at = to_millisecond(head.constructed_at);
    conversation
}

impl MemoryStore {
    fn with<T: Send + 'static>(&self, act: impl FnOnce(&mut MemoryTables) -> T) -> Answer<'_, T> {
        let mut tables: MutexGuard<'_, MemoryTables> = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = if tables.closed { Err(StoreError::Closed) } else { Ok(act(&mut tables)) };
        drop(tables);
        Box::pin(ready(answer))
    }
}

impl Store for MemoryStore {
    fn kind(&self) -> &'static str {
        "memory"
    }

    fn check(&self) -> Answer<'_, ()> {
        self.with(|_| ())
    }

    fn close(&self) -> Answer<'_, ()> {
        self.with(|tables| tables.closed = true)
    }

    fn template<'a>(
        &'a self,
        name: &'a TemplateName,
        which: &'a VersionChoice,
    ) -> Answer<'a, Option<TemplateVersion>> {
        self.with(|tables| {
            let versions = tables.templates.get(name)?;
            match which {
                VersionChoice::Current => versions.last(),
                VersionChoice::Version(number) => versions.iter().find(|one| one.version == *number),
                VersionChoice::Label(label) => versions.iter().find(|one| one.labels.contains(label)),
            }
            .cloned()
        })
    }

    fn put_template<'a>(
        &'a self,
        new: NewVersion,
        expect: ExpectedVersion,
        actor: &'a Actor,
    ) -> Answer<'a, PutOutcome> {
        self.with(|tables| {
            let current = tables.templates.get(&new.name).and_then(|versions| versions.last()).cloned();
            let number = current.as_ref().map_or(0, |current| current.version);
            if matches!(expect, ExpectedVersion::Version(expected) if expected != number) {
                return PutOutcome::Stale(current);
            }
            if let Some(current) = current.filter(|current| current.text == new.text && new.note.is_empty()) {
                return PutOutcome::Unchanged(current);
            }
            let version = new.numbered(number + 1, actor);
            tables.templates.entry(version.name.clone()).or_default().push(version.clone());
            tables.log(actor, AuditAction::TemplatePut, version.name.as_str(), version.audit_detail());
            PutOutcome::Stored(version)
        })
    }

    fn templates<'a>(&'a self, request: &'a PageRequest) -> Answer<'a, Page<TemplateSummary>> {
        self.with(|tables| {
            let all = tables.templates.values().filter_map(|versions| versions.last());
            let all = all.map(|current| TemplateSummary { current: without_version_text(current) });
            page(all, request, |template| template.current.name.clone(), |name, place| name > place)
        })
    }

    fn versions<'a>(
        &'a self,
        name: &'a TemplateName,
        request: &'a PageRequest,
    ) -> Answer<'a, Page<TemplateVersion>> {
        self.with(|tables| {
            let all = tables.templates.get(name).into_iter().flatten().rev().map(without_version_text);
            page(all, request, |version| version.version, |number, place| number < place)
        })
    }

    fn label<'a>(
        &'a self,
        name: &'a TemplateName,
        label: &'a str,
        version: Option<u64>,
        actor: &'a Actor,
    ) -> Answer<'a, bool> {
        self.with(|tables| {
            let Some(versions) = tables.templates.get_mut(name) else { return false };
            if version.is_some_and(|number| !versions.iter().any(|one| one.version == number)) {
                return false;
            }
            for one in versions {
                one.labels.retain(|known| known != label);
                if Some(one.version) == version {
                    one.labels.push(label.to_owned());
                    one.labels.sort();
                }
            }
            tables.log(
                actor,
                AuditAction::TemplateLabel,
                name.as_str(),
                json!({"label": label, "version": version}),
            );
            true
        })
    }

    fn identity(&self) -> Answer<'_, u64> {
        let identity = self.1.hash_one(());
        self.with(move |_| identity)
    }

    fn put_draft(&self, draft: StoredDraft, limits: DraftLimits) -> Answer<'_, bool> {
        self.with(move |tables| {
            let others = tables.drafts.values();
            let others = others.filter(|one| one.key.owner == draft.key.owner && one.key != draft.key);
            let (count, bytes) = others.fold((0, 0), |(count, bytes), one| (count + 1, bytes + one.bytes));
            let fits = count < limits.count && bytes + draft.bytes <= limits.bytes;
            if fits {
                let draft = StoredDraft { at: to_millisecond(draft.at), ..draft };
                tables.drafts.insert(draft.key.clone(), draft);
            }
            fits
        })
    }

    fn draft<'a>(&'a self, key: &'a DraftKey) -> Answer<'a, Option<StoredDraft>> {
        self.with(|tables| tables.drafts.get(key).cloned())
    }

    fn drafts<'a>(&'a self, owner: &'a str) -> Answer<'a, Vec<StoredDraft>> {
        self.with(|tables| {
            let own = tables.drafts.values().filter(|draft| &*draft.key.owner == owner);
            let mut own: Vec<_> = own.map(|draft| StoredDraft { text: "".into(), ..draft.clone() }).collect();
            own.sort_by_key(|draft| Reverse(draft.at));
            own
        })
    }

    fn delete_draft<'a>(&'a self, key: &'a DraftKey) -> Answer<'a, bool> {
        self.with(|tables| tables.drafts.remove(key).is_some())
    }

    fn expire_drafts(&self, before: Timestamp, most: u64) -> Answer<'_, u64> {
        let before = to_millisecond(before);
        self.with(move |tables| {
            let mut old: Vec<_> = tables.drafts.values().filter(|draft| draft.at < before).collect();
            old.sort_by_key(|draft| draft.at);
            let keys: Vec<DraftKey> = old
                .into_iter()
                .take(usize::try_from(most).unwrap_or(usize::MAX))
                .map(|draft| draft.key.clone())
                .collect();
            for key in &keys {
                tables.drafts.remove(key);
            }
            keys.len() as u64
        })
    }

    fn revision<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<Revision>> {
        self.with(|tables| tables.conversations.get(id).map(|conversation| conversation.head.revision))
    }

    fn head<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<PromptSummary>> {
        self.with(|tables| tables.conversations.get(id).map(|conversation| conversation.head.clone()))
    }

    fn conversation<'a>(&'a self, id: &'a ConversationId) -> Answer<'a, Option<StoredPrompt>> {
        self.with(|tables| tables.conversations.get(id).cloned())
    }

    fn create<'a>(&'a self, conversation: StoredPrompt, actor: &'a Actor) -> Answer<'a, InsertOutcome> {
        self.with(|tables| {
            if let Some(existing) = tables.conversations.get(&conversation.head.id) {
                return InsertOutcome::Existing(Box::new(existing.head.clone()));
            }
            let (id, conversation) = (conversation.head.id.clone(), round_times(conversation));
            tables.log(actor, AuditAction::ConversationCreate, id.as_str(), conversation.audit_detail());
            tables.used.insert(id.clone(), conversation.head.constructed_at);
            tables.conversations.insert(id, conversation);
            InsertOutcome::New
        })
    }

    fn replace<'a>(
        &'a self,
        conversation: StoredPrompt,
        expected: Revision,
        actor: &'a Actor,
    ) -> Answer<'a, ReplaceOutcome> {
        self.with(|tables| {
            let id = conversation.head.id.clone();
            let Some(current) = tables.conversations.get_mut(&id) else { return ReplaceOutcome::Missing };
            if current.head.revision != expected {
                return ReplaceOutcome::Stale(Box::new(current.head.clone()));
            }
            let detail = conversation.audit_detail();
            let was = std::mem::replace(current, round_times(conversation));
            current.head.created_at = was.head.created_at;
            tables.used.insert(id.clone(), current.head.constructed_at);
            let history = ReplacedPrompt { was, replaced_at: to_millisecond(actor.at) };
            tables.history.entry(id.clone()).or_default().push(history);
            tables.log(actor, AuditAction::ConversationReplace, id.as_str(), detail);
            ReplaceOutcome::Done
        })
    }

    fn delete<'a>(
        &'a self,
        id: &'a ConversationId,
        expected: Option<Revision>,
        actor: &'a Actor,
    ) -> Answer<'a, bool> {
        self.with(|tables| {
            let known = tables.conversations.get(id).map(|conversation| conversation.head.revision);
            if known.is_none() || expected.is_some_and(|expected| Some(expected) != known) {
                return false;
            }
            tables.conversations.remove(id);
            tables.history.remove(id);
            tables.requests.remove(id);
            tables.log(actor, AuditAction::ConversationDelete, id.as_str(), json!({}));
            true
        })
    }

    fn conversations<'a>(
        &'a self,
        filter: &'a Filter,
        request: &'a PageRequest,
    ) -> Answer<'a, Page<PromptSummary>> {
        self.with(|tables| {
            let prefix = filter.id_prefix.as_deref().unwrap_or_default();
            let wanted = |head: &&PromptSummary| {
                head.id.as_str().starts_with(prefix)
                    && filter
                        .template
                        .as_ref()
                        .is_none_or(|name| head.template.as_ref().is_some_and(|used| used.name == *name))
            };
            let mut all: Vec<PromptSummary> = tables
                .conversations
                .values()
                .map(|conversation| &conversation.head)
                .filter(wanted)
                .map(without_text)
                .collect();
            all.sort_by(|a, b| (b.created_at, &a.id).cmp(&(a.created_at, &b.id)));
            page(all.into_iter(), request, ConversationKey::of, |one, place| {
                (place.at, &one.id) > (one.at, &place.id)
            })
        })
    }

    fn history<'a>(
        &'a self,
        id: &'a ConversationId,
        request: &'a PageRequest,
    ) -> Answer<'a, Page<ReplacedPrompt>> {
        self.with(|tables| {
            let all = tables.history.get(id).into_iter().flatten().rev().cloned();
            page(
                all,
                request,
                |history| history.was.head.revision.revision,
                |revision, place| revision < place,
            )
        })
    }

    fn purge<'a>(&'a self, before: Timestamp, most: u64, actor: &'a Actor) -> Answer<'a, u64> {
        let before = to_millisecond(before);
        self.with(|tables| {
            let mut old = tables.unused(before);
            old.sort();
            old.truncate(usize::try_from(most).unwrap_or(usize::MAX));
            for (_, id) in &old {
                tables.conversations.remove(id);
                tables.history.remove(id);
                tables.requests.remove(id);
            }
            let count = old.len() as u64;
            if count > 0 {
                tables.log(
                    actor,
                    AuditAction::ConversationPurge,
                    before.to_string(),
                    json!({"count": count}),
                );
            }
            count
        })
    }

    fn count_unused(&self, before: Timestamp) -> Answer<'_, u64> {
        self.with(|tables| tables.unused(to_millisecond(before)).len() as u64)
    }

    fn touch<'a>(&'a self, id: &'a ConversationId, at: Timestamp) -> Answer<'a, bool> {
        let at = to_millisecond(at);
        self.with(|tables| match tables.used.get_mut(id) {
            Some(used) if used.as_millisecond() <= at.as_millisecond() - TOUCHED_EACH => {
                *used = at;
                true
            }
            _ => false,
        })
    }

    fn add_request(&self, request: StoredRequest) -> Answer<'_, bool> {
        self.with(|tables| {
            if !tables.conversations.contains_key(&request.conversation) {
                return false;
            }
            let requests = tables.requests.entry(request.conversation.clone()).or_default();
            let next = requests.len() as u64 + 1;
            if request.number == next {
                let used = tables.used.entry(request.conversation.clone()).or_default();
                *used = to_millisecond(request.at).max(*used);
                requests.push(StoredRequest { at: to_millisecond(request.at), ..request });
            }
            requests.len() as u64 == next
        })
    }

    fn requests<'a>(&'a self, id: &'a ConversationId, from: u64) -> Answer<'a, Vec<StoredRequest>> {
        self.with(|tables| {
            let all = tables.requests.get(id).into_iter().flatten();
            all.filter(|request| request.number >= from).take(REQUESTS).cloned().collect()
        })
    }

    fn set_request<'a>(&'a self, id: &'a ConversationId, number: u64, record: Arc<str>) -> Answer<'a, bool> {
        self.with(|tables| {
            let mut all = tables.requests.get_mut(id).into_iter().flatten();
            let found = all.find(|request| request.number == number);
            found.map(|request| request.record = record).is_some()
        })
    }

    fn audit<'a>(&'a self, request: &'a PageRequest) -> Answer<'a, Page<AuditEntry>> {
        self.with(|tables| {
            let all = tables.audit.iter().rev().cloned();
            page(all, request, |entry| entry.id, |id, place| id < place)
        })
    }

    fn trim_audit<'a>(&'a self, before: Timestamp, most: u64, actor: &'a Actor) -> Answer<'a, u64> {
        let before = to_millisecond(before);
        self.with(|tables| {
            let mut left = most;
            let mut count = 0;
            tables.audit.retain(|entry| {
                let goes = entry.at < before && left > 0;
                (left, count) = (left - u64::from(goes), count + u64::from(goes));
                !goes
            });
            if count > 0 {
                tables.log(actor, AuditAction::AuditTrim, before.to_string(), json!({"count": count}));
            }
            count
        })
    }

    fn add_access<'a>(&'a self, access: TokenRecord, actor: &'a Actor) -> Answer<'a, bool> {
        self.with(|tables| {
            if tables.accesses.contains_key(&access.name) {
                return false;
            }
            tables.log(actor, AuditAction::AccessAdd, &access.name, access.audit_detail());
            let access = TokenRecord {
                created_at: to_millisecond(access.created_at),
                expires_at: access.expires_at.map(to_millisecond),
                ..access
            };
            tables.accesses.insert(access.name.clone(), access);
            true
        })
    }

    fn accesses(&self) -> Answer<'_, Vec<TokenRecord>> {
        self.with(|tables| tables.accesses.values().cloned().collect())
    }

    fn remove_access<'a>(&'a self, name: &'a str, actor: &'a Actor) -> Answer<'a, bool> {
        self.with(|tables| {
            let removed = tables.accesses.remove(name).is_some();
            if removed {
                tables.log(actor, AuditAction::AccessRemove, name, json!({}));
            }
            removed
        })
    }
}
