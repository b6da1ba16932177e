//! Conversations: each is created once; a replacement requires the current revision.

use super::{
    PostgresStore,
    fault::AttemptError,
    rows::{conversation, head, head_columns, revision_at, signed, time},
    session::{PostgresSession, PriorAttempts, RetryPolicy, Values},
};
use crate::{
    Actor, Answer, AuditAction, ConversationId, ConversationStore, Filter, InsertOutcome, Page, PageRequest,
    PromptSummary, ReplaceOutcome, ReplacedPrompt, Revision, StoreError, StoredPrompt, TOUCHED_EACH,
};
use async_trait::async_trait;
use jiff::Timestamp;
use tokio_postgres::{Row, types::ToSql};

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

const HEAD: &str = concat!("SELECT ", head_columns!("text"), " FROM preface_conversations WHERE id = $1");

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
const PURGE: &str = "WITH gone AS (DELETE FROM preface_conversations WHERE id = ANY (ARRAY(\
     SELECT id FROM preface_conversations WHERE used_at < $1 \
     ORDER BY used_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id) \
     SELECT count(*) FROM gone";

#[async_trait]
impl ConversationStore for PostgresStore {
    async fn revision(&self, id: &ConversationId) -> Answer<Option<Revision>> {
        let sql = "SELECT revision, stamp FROM preface_conversations WHERE id = $1";
        self.read_row(sql, &[&id.as_str()], |row| revision_at(row, 0)).await
    }

    async fn head(&self, id: &ConversationId) -> Answer<Option<PromptSummary>> {
        self.read_row(HEAD, &[&id.as_str()], head).await
    }

    async fn conversation(&self, id: &ConversationId) -> Answer<Option<StoredPrompt>> {
        let sql =
            concat!("SELECT ", head_columns!("text"), ", record FROM preface_conversations WHERE id = $1");
        self.read_row(sql, &[&id.as_str()], conversation).await
    }

    async fn create(&self, conversation: StoredPrompt, actor: &Actor) -> Answer<InsertOutcome> {
        self.attempt(RetryPolicy::Always, |before| self.add_first(&conversation, actor, before)).await
    }

    async fn replace(
        &self,
        conversation: StoredPrompt,
        expected: Revision,
        actor: &Actor,
    ) -> Answer<ReplaceOutcome> {
        let replace = |before| self.add_next(&conversation, expected, actor, before);
        self.attempt(RetryPolicy::Always, replace).await
    }

    async fn delete(&self, id: &ConversationId, expected: Option<Revision>, actor: &Actor) -> Answer<bool> {
        let revision = expected.map(|revision| i64::try_from(revision.revision).unwrap_or(-1));
        let stamp = expected.map(|revision| revision.stamp);
        let (at, who, subject) = (actor.at.as_millisecond(), actor.name.as_bytes(), id.as_str().as_bytes());
        let values: Values<'_> = &[&id.as_str(), &revision, &stamp, &at, &who, &subject];
        Ok(self.read_count(RetryPolicy::IfNotKept, DELETE, values).await? > 0)
    }

    async fn touch(&self, id: &ConversationId, at: Timestamp) -> Answer<bool> {
        let values: Values<'_> = &[&id.as_str(), &at.as_millisecond(), &TOUCHED_EACH];
        Ok(self.read_count(RetryPolicy::IfNotKept, TOUCH, values).await? > 0)
    }

    async fn conversations(&self, filter: &Filter, page: &PageRequest) -> Answer<Page<PromptSummary>> {
        self.attempt(RetryPolicy::Always, |_| self.list_conversations(filter, page)).await
    }

    async fn history(&self, id: &ConversationId, request: &PageRequest) -> Answer<Page<ReplacedPrompt>> {
        let Some(below) = request.below() else { return Ok(Page::empty()) };
        let sql = concat!(
            "SELECT ",
            head_columns!("text"),
            ", record, replaced_at FROM preface_past_prompts WHERE id = $1 AND revision < $2 \
             ORDER BY revision DESC LIMIT $3"
        );
        let replaced =
            |row: &Row| Ok(ReplacedPrompt { was: conversation(row)?, replaced_at: time(row, 16)? });
        let history = self.read_rows(sql, &[&id.as_str(), &below, &request.rows()], replaced).await?;
        Ok(Page::cut(history, request.entries(), |history: &ReplacedPrompt| {
            history.was.head.revision.revision
        }))
    }

    async fn purge(&self, before: Timestamp, most: u64, actor: &Actor) -> Answer<u64> {
        self.remove_old(PURGE, before, most, actor, AuditAction::ConversationPurge).await
    }

    async fn count_unused(&self, before: Timestamp) -> Answer<u64> {
        let sql = "SELECT count(*) FROM preface_conversations WHERE used_at < $1";
        self.read_count(RetryPolicy::Always, sql, &[&before.as_millisecond()]).await
    }
}

impl PostgresStore {
    /// Stores the first prompt. After an attempt whose answer was lost the stamp shows if ours was stored.
    async fn add_first(
        &self,
        conversation: &StoredPrompt,
        actor: &Actor,
        before: PriorAttempts,
    ) -> Result<InsertOutcome, AttemptError> {
        let values = row_values(conversation, actor)?;
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| &**value as _).collect();
        let session = self.session().await?;
        loop {
            if session.count(CREATE, &values).await? > 0 {
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
    async fn add_next(
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
            if session.count(REPLACE, &values).await? > 0 {
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
}

async fn head_of(
    session: &PostgresSession,
    id: &ConversationId,
) -> Result<Option<PromptSummary>, AttemptError> {
    Ok(session.row(HEAD, &[&id.as_str()]).await?.map(|row| head(&row)).transpose()?)
}
