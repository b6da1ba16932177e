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

/// The values of a statement that outlive it.
type OwnValues<'a> = Vec<Box<dyn ToSql + Sync + Send + 'a>>;

/// Returns the values of a conversation in the order of its columns, then those of the audit entry.
fn row_values<'a>(conversation: &'a StoredPrompt, actor: &'a Actor) -> Result<OwnValues<'a>, StoreError> {
    let head = &conversation.head;
    let used = head.template.as_ref();
    Ok(vec![
        Box::new(head.id.as_str()),
        Box::new(signed(head.revision.revision)?),
        Box::new(head.revision.stamp),
        Box::new(head.text.as_bytes()),
        Box::new(signed(head.bytes)?),
        Box::new(&head.fingerprint),
        Box::new(head.cwd.as_bytes()),
        Box::new(head.model.as_deref().map(str::as_bytes)),
        Box::new(head.preset.as_bytes()),
        Box::new(used.map(|used| used.chosen.as_bytes())),
        Box::new(used.map(|used| used.name.as_str())),
        Box::new(used.and_then(|used| used.version).map(signed).transpose()?),
        Box::new(head.reason.as_str()),
        Box::new(head.created_at.as_millisecond()),
        Box::new(head.constructed_at.as_millisecond()),
        Box::new(conversation.record.as_bytes()),
        Box::new(actor.at.as_millisecond()),
        Box::new(actor.name.as_bytes()),
        Box::new(head.id.as_str().as_bytes()),
        Box::new(conversation.audit_detail().to_string()),
    ])
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
        let values = row_values(conversation, actor)?;
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| &**value as _).collect();
        let session = self.session().await?;
        loop {
            if has_changed_rows(&session, CREATE, &values).await? {
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
        let mut values = row_values(conversation, actor)?;
        values.push(Box::new(i64::try_from(expected.revision).unwrap_or(-1)));
        values.push(Box::new(expected.stamp));
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| &**value as _).collect();
        let session = self.session().await?;
        loop {
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
