//! Conversations: each is created once; a replacement requires the current revision.

use super::{
    PostgresStore,
    audit::Removal,
    fault::AttemptError,
    rows::{conversation, count, head, head_columns, revision, signed},
    session::{PostgresSession, PriorAttempts},
};
use crate::{
    Actor, AuditAction, ConversationId, InsertOutcome, PromptSummary, ReplaceOutcome, Revision, StoreError,
    StoredPrompt, TOUCHED_EACH,
};
use jiff::Timestamp;
use tokio_postgres::types::ToSql;

/// The values of a conversation, in the order of its columns.
struct ConversationRow<'a> {
    id: &'a str,
    revision: i64,
    stamp: i64,
    text: &'a [u8],
    bytes: i64,
    fingerprint: &'a str,
    cwd: &'a [u8],
    model: Option<&'a [u8]>,
    preset: &'a [u8],
    template_chosen: Option<&'a [u8]>,
    template_name: Option<&'a str>,
    template_version: Option<i64>,
    reason: &'static str,
    created_at: i64,
    constructed_at: i64,
    record: &'a [u8],
    /// The values of the audit entry.
    at: i64,
    actor: &'a [u8],
    subject: &'a [u8],
    detail: String,
}

impl<'a> ConversationRow<'a> {
    fn of(conversation: &'a StoredPrompt, actor: &'a Actor) -> Result<Self, StoreError> {
        let head = &conversation.head;
        let used = head.template.as_ref();
        Ok(ConversationRow {
            id: head.id.as_str(),
            revision: signed(head.revision.revision)?,
            stamp: head.revision.stamp,
            text: head.text.as_bytes(),
            bytes: signed(head.bytes)?,
            fingerprint: &head.fingerprint,
            cwd: head.cwd.as_bytes(),
            model: head.model.as_deref().map(str::as_bytes),
            preset: head.preset.as_bytes(),
            template_chosen: used.map(|used| used.chosen.as_bytes()),
            template_name: used.map(|used| used.name.as_str()),
            template_version: used.and_then(|used| used.version).map(signed).transpose()?,
            reason: head.reason.as_str(),
            created_at: head.created_at.as_millisecond(),
            constructed_at: head.constructed_at.as_millisecond(),
            record: conversation.record.as_bytes(),
            at: actor.at.as_millisecond(),
            actor: actor.name.as_bytes(),
            subject: head.id.as_str().as_bytes(),
            detail: conversation.audit_detail().to_string(),
        })
    }

    fn values(&self) -> [&(dyn ToSql + Sync); 20] {
        [
            &self.id,
            &self.revision,
            &self.stamp,
            &self.text,
            &self.bytes,
            &self.fingerprint,
            &self.cwd,
            &self.model,
            &self.preset,
            &self.template_chosen,
            &self.template_name,
            &self.template_version,
            &self.reason,
            &self.created_at,
            &self.constructed_at,
            &self.record,
            &self.at,
            &self.actor,
            &self.subject,
            &self.detail,
        ]
    }
}

/// Inserts the conversation and its audit entry, in one round trip.
const CREATE: &str = concat!(
    "WITH kept AS (INSERT INTO preface_conversations (",
    head_columns!("text"),
    ", record, used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $15) \
     ON CONFLICT (id) DO NOTHING RETURNING id), \
     entry AS (INSERT INTO preface_audit (at, actor, action, subject, detail) \
     SELECT $17::bigint, $18::bytea, 'conversation.create', $19::bytea, $20::text FROM kept RETURNING id) \
     SELECT count(*) FROM kept",
);

/// Locks the prompt if it is the expected one, moves it to the history, stores the next and an audit entry, in one round
/// trip. `$14` is not stored: `created_at` stays.
const REPLACE: &str = concat!(
    "WITH was AS (SELECT ",
    head_columns!("text"),
    ", record FROM preface_conversations WHERE id = $1 AND revision = $21 AND stamp = $22 FOR UPDATE), \
     past AS (INSERT INTO preface_past_prompts (",
    head_columns!("text"),
    ", record, replaced_at) SELECT ",
    head_columns!("text"),
    ", record, $17::bigint FROM was RETURNING id), \
     kept AS (UPDATE preface_conversations SET revision = $2, stamp = $3, text = $4, bytes = $5, \
     fingerprint = $6, cwd = $7, model = $8, preset = $9, template_chosen = $10, template_name = $11, \
     template_version = $12, reason = $13, constructed_at = $15, record = $16, used_at = $15 \
     WHERE id IN (SELECT id FROM was) AND $14::bigint IS NOT NULL RETURNING id), \
     entry AS (INSERT INTO preface_audit (at, actor, action, subject, detail) \
     SELECT $17::bigint, $18::bytea, 'conversation.replace', $19::bytea, $20::text FROM kept RETURNING id) \
     SELECT count(*) FROM kept",
);

const DELETE: &str = "WITH gone AS (DELETE FROM preface_conversations \
     WHERE id = $1 AND ($2::bigint IS NULL OR (revision = $2 AND stamp = $3::bigint)) RETURNING id), \
     entry AS (INSERT INTO preface_audit (at, actor, action, subject, detail) \
     SELECT $4::bigint, $5::bytea, 'conversation.delete', $6::bytea, '{}' FROM gone RETURNING id) \
     SELECT count(*) FROM gone";

const TOUCH: &str = "WITH used AS (UPDATE preface_conversations SET used_at = $2 \
     WHERE id = $1 AND used_at <= $2 - $3::bigint RETURNING id) SELECT count(*) FROM used";

/// Skips rows that another purge has locked.
const PURGE: Removal = Removal {
    sql: "WITH gone AS (DELETE FROM preface_conversations WHERE id = ANY (ARRAY(\
          SELECT id FROM preface_conversations WHERE used_at < $1 \
          ORDER BY used_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id) \
          SELECT count(*) FROM gone",
    batch: 1_000,
    action: AuditAction::ConversationPurge,
};

impl PostgresStore {
    pub(super) async fn find_revision(&self, id: &ConversationId) -> Result<Option<Revision>, AttemptError> {
        let sql = "SELECT revision, stamp FROM preface_conversations WHERE id = $1";
        let row = self.session().await?.row(sql, &[&id.as_str()]).await?;
        Ok(row.map(|row| revision(&row, 0)).transpose()?)
    }

    pub(super) async fn find_head(&self, id: &ConversationId) -> Result<Option<PromptSummary>, AttemptError> {
        head_of(&self.session().await?, id).await
    }

    pub(super) async fn find_conversation(
        &self,
        id: &ConversationId,
    ) -> Result<Option<StoredPrompt>, AttemptError> {
        let sql =
            concat!("SELECT ", head_columns!("text"), ", record FROM preface_conversations WHERE id = $1");
        let row = self.session().await?.row(sql, &[&id.as_str()]).await?;
        Ok(row.map(|row| conversation(&row)).transpose()?)
    }

    /// Stores the first prompt. After an attempt whose answer was lost the stamp shows if ours was stored.
    pub(super) async fn add_first(
        &self,
        conversation: &StoredPrompt,
        actor: &Actor,
        before: PriorAttempts,
    ) -> Result<InsertOutcome, AttemptError> {
        let flat = ConversationRow::of(conversation, actor)?;
        let session = self.session().await?;
        loop {
            if has_changed_rows(&session, CREATE, &flat.values()).await? {
                return Ok(InsertOutcome::New);
            }
            // The existing one may have been deleted by now.
            if let Some(existing) = head_of(&session, &conversation.head.id).await? {
                let ours =
                    before == PriorAttempts::Perhaps && existing.revision == conversation.head.revision;
                return Ok(if ours {
                    InsertOutcome::New
                } else {
                    InsertOutcome::Existing(Box::new(existing))
                });
            }
        }
    }

    /// Replaces the expected prompt. After an attempt whose answer was lost the revision shows if ours was stored.
    pub(super) async fn add_next(
        &self,
        conversation: &StoredPrompt,
        expected: Revision,
        actor: &Actor,
        before: PriorAttempts,
    ) -> Result<ReplaceOutcome, AttemptError> {
        let flat = ConversationRow::of(conversation, actor)?;
        let revision = i64::try_from(expected.revision).unwrap_or(-1);
        let session = self.session().await?;
        loop {
            let mut values = flat.values().to_vec();
            values.extend([&revision as &(dyn ToSql + Sync), &expected.stamp]);
            if has_changed_rows(&session, REPLACE, &values).await? {
                return Ok(ReplaceOutcome::Done);
            }
            match head_of(&session, &conversation.head.id).await? {
                None => return Ok(ReplaceOutcome::Missing),
                Some(now)
                    if before == PriorAttempts::Perhaps && now.revision == conversation.head.revision =>
                {
                    return Ok(ReplaceOutcome::Done);
                }
                // It became the expected one between our two reads.
                Some(now) if now.revision == expected => (),
                Some(now) => return Ok(ReplaceOutcome::Stale(Box::new(now))),
            }
        }
    }

    pub(super) async fn delete_conversation(
        &self,
        id: &ConversationId,
        expected: Option<Revision>,
        actor: &Actor,
    ) -> Result<bool, AttemptError> {
        let revision = expected.map(|revision| i64::try_from(revision.revision).unwrap_or(-1));
        let stamp = expected.map(|revision| revision.stamp);
        let (at, who, subject) = (actor.at.as_millisecond(), actor.name.as_bytes(), id.as_str().as_bytes());
        let session = self.session().await?;
        has_changed_rows(&session, DELETE, &[&id.as_str(), &revision, &stamp, &at, &who, &subject]).await
    }

    pub(super) async fn touch_conversation(
        &self,
        id: &ConversationId,
        at: Timestamp,
    ) -> Result<bool, AttemptError> {
        let session = self.session().await?;
        has_changed_rows(&session, TOUCH, &[&id.as_str(), &at.as_millisecond(), &TOUCHED_EACH]).await
    }

    pub(super) async fn count_unused_conversations(&self, before: Timestamp) -> Result<u64, AttemptError> {
        let sql = "SELECT count(*) FROM preface_conversations WHERE used_at < $1";
        let row = self.session().await?.row(sql, &[&before.as_millisecond()]).await?;
        Ok(row.map(|row| count(&row, 0)).transpose()?.unwrap_or_default())
    }

    pub(super) async fn purge_conversations(
        &self,
        before: Timestamp,
        most: u64,
        actor: &Actor,
    ) -> Result<u64, AttemptError> {
        self.remove_old(&PURGE, before, most, actor).await
    }
}

/// Runs a statement that returns the number of changed rows; returns true if there are any.
async fn has_changed_rows(
    session: &PostgresSession,
    sql: &'static str,
    values: &[&(dyn ToSql + Sync)],
) -> Result<bool, AttemptError> {
    let row = session.row(sql, values).await?;
    Ok(row.map(|row| count(&row, 0)).transpose()?.unwrap_or_default() > 0)
}

async fn head_of(
    session: &PostgresSession,
    id: &ConversationId,
) -> Result<Option<PromptSummary>, AttemptError> {
    let sql = concat!("SELECT ", head_columns!("text"), " FROM preface_conversations WHERE id = $1");
    let row = session.row(sql, &[&id.as_str()]).await?;
    Ok(row.map(|row| head(&row)).transpose()?)
}
