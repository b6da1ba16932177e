//! Conversations: reading, creating, replacing, deleting.

use super::{
    SqliteStore, lists,
    log::{remove_old, write_audit_entry},
    rows::{instant, number, parsed, query_all, signed, text, word},
};
use crate::{
    Actor, Answer, AuditAction, ConversationId, ConversationStore, Filter, InsertOutcome, Page, PageRequest,
    PromptSummary, ReplaceOutcome, ReplacedPrompt, Revision, StoredPrompt, TOUCHED_EACH, TemplateUsed,
};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use serde_json::json;
use std::sync::Arc;

/// The columns of a head without its text, in the order of [`read_summary`].
pub(super) const HEAD: &str = "id, revision, stamp, bytes, fingerprint, cwd, model, preset, template, template_chosen, \
     template_version, reason, created_at, constructed_at";

/// Reads [`HEAD`].
pub(super) fn read_summary(row: &Row<'_>) -> rusqlite::Result<PromptSummary> {
    let template = match row.get_ref(8)? {
        rusqlite::types::ValueRef::Null => None,
        _ => Some(TemplateUsed {
            name: parsed(row, 8)?,
            chosen: row.get(9)?,
            version: match row.get_ref(10)? {
                rusqlite::types::ValueRef::Null => None,
                _ => Some(number(row, 10)?),
            },
        }),
    };
    Ok(PromptSummary {
        id: parsed(row, 0)?,
        revision: Revision { revision: number(row, 1)?, stamp: row.get(2)? },
        text: Arc::from(""),
        bytes: number(row, 3)?,
        fingerprint: row.get(4)?,
        cwd: row.get(5)?,
        model: row.get(6)?,
        preset: row.get(7)?,
        template,
        reason: word(row, 11)?,
        created_at: instant(row, 12)?,
        constructed_at: instant(row, 13)?,
    })
}

/// Reads [`HEAD`] and the text after it.
fn read_summary_with_text(row: &Row<'_>) -> rusqlite::Result<PromptSummary> {
    Ok(PromptSummary { text: text(row, 14)?, ..read_summary(row)? })
}

/// Reads [`HEAD`], the text and the record after it.
fn read_prompt(row: &Row<'_>) -> rusqlite::Result<StoredPrompt> {
    Ok(StoredPrompt { head: read_summary_with_text(row)?, record: text(row, 15)? })
}

#[async_trait]
impl ConversationStore for SqliteStore {
    async fn revision(&self, id: &ConversationId) -> Answer<Option<Revision>> {
        self.read(|connection| revision(connection, id))
    }

    async fn head(&self, id: &ConversationId) -> Answer<Option<PromptSummary>> {
        self.read(|connection| head(connection, id))
    }

    async fn conversation(&self, id: &ConversationId) -> Answer<Option<StoredPrompt>> {
        let sql = format!("SELECT {HEAD}, text, record FROM conversations WHERE id = ?1");
        self.read(|connection| {
            connection.prepare_cached(&sql)?.query_row([id.as_str()], read_prompt).optional()
        })
    }

    async fn create(&self, conversation: StoredPrompt, actor: &Actor) -> Answer<InsertOutcome> {
        let actor = actor.clone();
        self.write(move |connection| create(connection, &conversation, &actor)).await
    }

    async fn replace(
        &self,
        conversation: StoredPrompt,
        expected: Revision,
        actor: &Actor,
    ) -> Answer<ReplaceOutcome> {
        let actor = actor.clone();
        self.write(move |connection| replace(connection, &conversation, expected, &actor)).await
    }

    async fn delete(&self, id: &ConversationId, expected: Option<Revision>, actor: &Actor) -> Answer<bool> {
        let (id, actor) = (id.clone(), actor.clone());
        self.write(move |connection| {
            let known = revision(connection, &id)?;
            if known.is_none() || expected.is_some_and(|expected| Some(expected) != known) {
                return Ok(false);
            }
            connection.prepare_cached("DELETE FROM conversations WHERE id = ?1")?.execute([id.as_str()])?;
            write_audit_entry(connection, &actor, AuditAction::ConversationDelete, id.as_str(), &json!({}))?;
            Ok(true)
        })
        .await
    }

    async fn touch(&self, id: &ConversationId, at: Timestamp) -> Answer<bool> {
        let sql = "UPDATE conversations SET used_at = ?2 WHERE id = ?1 AND used_at <= ?2 - ?3";
        let id = id.clone();
        self.write(move |connection| {
            let values = params![id.as_str(), at.as_millisecond(), TOUCHED_EACH];
            Ok(connection.prepare_cached(sql)?.execute(values)? == 1)
        })
        .await
    }

    async fn conversations(&self, filter: &Filter, request: &PageRequest) -> Answer<Page<PromptSummary>> {
        self.read(|connection| lists::conversations(connection, filter, request))
    }

    async fn history(&self, id: &ConversationId, request: &PageRequest) -> Answer<Page<ReplacedPrompt>> {
        let Some(below) = request.below() else { return Ok(Page::empty()) };
        let sql = format!(
            "SELECT {HEAD}, text, record, replaced_at FROM past_prompts \
             WHERE conversation = (SELECT number FROM conversations WHERE id = :id) AND revision < :below \
             ORDER BY revision DESC LIMIT :n"
        );
        let read =
            |row: &Row<'_>| Ok(ReplacedPrompt { was: read_prompt(row)?, replaced_at: instant(row, 16)? });
        let values = named_params! {":id": id.as_str(), ":below": below, ":n": request.rows()};
        let items = self.read(|connection| query_all(connection, &sql, values, read))?;
        Ok(Page::cut(items, request.entries(), |history| history.was.head.revision.revision))
    }

    async fn purge(&self, before: Timestamp, most: u64, actor: &Actor) -> Answer<u64> {
        // The order is that of the index.
        let sql = "DELETE FROM conversations WHERE number IN (SELECT number FROM conversations \
                   INDEXED BY conversations_by_use WHERE used_at < ?1 ORDER BY used_at, id LIMIT ?2)";
        let actor = actor.clone();
        self.write(move |connection| {
            remove_old(connection, sql, before, most, &actor, AuditAction::ConversationPurge)
        })
        .await
    }

    async fn count_unused(&self, before: Timestamp) -> Answer<u64> {
        let sql = "SELECT count(*) FROM conversations INDEXED BY conversations_by_use WHERE used_at < ?1";
        self.read(|connection| {
            connection.prepare_cached(sql)?.query_row([before.as_millisecond()], |row| number(row, 0))
        })
    }
}

/// Returns the revision of a conversation.
fn revision(connection: &Connection, id: &ConversationId) -> rusqlite::Result<Option<Revision>> {
    connection
        .prepare_cached("SELECT revision, stamp FROM conversations WHERE id = ?1")?
        .query_row([id.as_str()], |row| Ok(Revision { revision: number(row, 0)?, stamp: row.get(1)? }))
        .optional()
}

/// Returns the prompt of a conversation.
fn head(connection: &Connection, id: &ConversationId) -> rusqlite::Result<Option<PromptSummary>> {
    connection
        .prepare_cached(&format!("SELECT {HEAD}, text FROM conversations WHERE id = ?1"))?
        .query_row([id.as_str()], read_summary_with_text)
        .optional()
}

/// Stores a first prompt, unless there is one.
pub(super) fn create(
    connection: &Connection,
    conversation: &StoredPrompt,
    actor: &Actor,
) -> rusqlite::Result<InsertOutcome> {
    let sql = format!(
        "INSERT INTO conversations ({HEAD}, text, record, used_at) VALUES (:id, :revision, :stamp, :bytes, :fingerprint, \
         :cwd, :model, :preset, :template, :template_chosen, :template_version, :reason, :created_at, \
         :constructed_at, :text, :record, :constructed_at) ON CONFLICT (id) DO NOTHING"
    );
    let created_at = conversation.head.created_at;
    if write(connection, &sql, conversation, created_at)? == 0 {
        let existing =
            head(connection, &conversation.head.id)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        return Ok(InsertOutcome::Existing(Box::new(existing)));
    }
    write_audit_entry(
        connection,
        actor,
        AuditAction::ConversationCreate,
        conversation.head.id.as_str(),
        &conversation.audit_detail(),
    )?;
    Ok(InsertOutcome::New)
}

/// Replaces the prompt with the revision `expected`, which goes to the history.
fn replace(
    connection: &Connection,
    conversation: &StoredPrompt,
    expected: Revision,
    actor: &Actor,
) -> rusqlite::Result<ReplaceOutcome> {
    let id = &conversation.head.id;
    let Some(current) = head(connection, id)? else { return Ok(ReplaceOutcome::Missing) };
    if current.revision != expected {
        return Ok(ReplaceOutcome::Stale(Box::new(current)));
    }
    connection
        .prepare_cached(&format!(
            "INSERT INTO past_prompts (conversation, replaced_at, {HEAD}, text, record) \
             SELECT number, ?2, {HEAD}, text, record FROM conversations WHERE id = ?1"
        ))?
        .execute(params![id.as_str(), actor.at.as_millisecond()])?;
    let sql = "UPDATE conversations SET revision = :revision, stamp = :stamp, bytes = :bytes, \
               fingerprint = :fingerprint, cwd = :cwd, model = :model, preset = :preset, template = :template, \
               template_chosen = :template_chosen, template_version = :template_version, reason = :reason, \
               created_at = :created_at, constructed_at = :constructed_at, text = :text, record = :record, \
               used_at = :constructed_at WHERE id = :id";
    write(connection, sql, conversation, current.created_at)?;
    write_audit_entry(
        connection,
        actor,
        AuditAction::ConversationReplace,
        id.as_str(),
        &conversation.audit_detail(),
    )?;
    Ok(ReplaceOutcome::Done)
}

fn write(
    connection: &Connection,
    sql: &str,
    conversation: &StoredPrompt,
    created_at: Timestamp,
) -> rusqlite::Result<usize> {
    let head = &conversation.head;
    let template = head.template.as_ref();
    let version = template.and_then(|used| used.version).map(signed).transpose()?;
    connection.prepare_cached(sql)?.execute(named_params! {
        ":id": head.id.as_str(),
        ":revision": signed(head.revision.revision)?,
        ":stamp": head.revision.stamp,
        ":bytes": signed(head.bytes)?,
        ":fingerprint": head.fingerprint,
        ":cwd": head.cwd,
        ":model": head.model,
        ":preset": head.preset,
        ":template": template.map(|used| used.name.as_str()),
        ":template_chosen": template.map(|used| used.chosen.as_str()),
        ":template_version": version,
        ":reason": head.reason.as_str(),
        ":created_at": created_at.as_millisecond(),
        ":constructed_at": head.constructed_at.as_millisecond(),
        ":text": head.text.as_ref(),
        ":record": conversation.record.as_ref(),
    })
}
