//! Requests of conversations.

use super::{
    PostgresStore,
    fault::AttemptError,
    rows::{count, long_text, parsed, revision_at, signed, time},
    session::{PriorAttempts, RetryPolicy, Values},
};
use crate::{Answer, ConversationId, REQUESTS, RequestStore, StoredRequest};
use async_trait::async_trait;
use std::sync::Arc;
use tokio_postgres::Row;

/// Adds a request if its number is the next one. Of two at the same time the primary key lets one through. The lock waits for
/// a deletion of the conversation that has begun; without it the foreign key would refuse the row with an error.
const ADD: &str = "WITH added AS (INSERT INTO preface_requests (id, number, revision, stamp, at, record) \
     SELECT c.id, $2, $3, $4, $5, $6 FROM preface_conversations c WHERE c.id = $1 AND $2 = 1 + \
     (SELECT coalesce(max(r.number), 0) FROM preface_requests r WHERE r.id = $1) \
     FOR KEY SHARE OF c ON CONFLICT (id, number) DO NOTHING RETURNING number), \
     used AS (UPDATE preface_conversations SET used_at = greatest(used_at, $5) \
     WHERE id = $1 AND EXISTS (SELECT 1 FROM added)) SELECT count(*) FROM added";

const SET: &str = "WITH done AS (UPDATE preface_requests SET record = $3 WHERE id = $1 AND number = $2 RETURNING number) \
     SELECT count(*) FROM done";

#[async_trait]
impl RequestStore for PostgresStore {
    async fn add_request(&self, request: StoredRequest) -> Answer<bool> {
        // A number beyond what a column takes is not the next one.
        let Ok(number) = i64::try_from(request.number) else { return Ok(false) };
        self.attempt(RetryPolicy::Always, |before| self.insert_request(&request, number, before)).await
    }

    async fn requests(&self, id: &ConversationId, from: u64) -> Answer<Vec<StoredRequest>> {
        let sql = "SELECT id, number, revision, stamp, at, record FROM preface_requests \
                   WHERE id = $1 AND number >= $2 ORDER BY number LIMIT $3";
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        let most = i64::try_from(REQUESTS).unwrap_or(i64::MAX);
        self.read_rows(sql, &[&id.as_str(), &from, &most], request).await
    }

    async fn set_request(&self, id: &ConversationId, number: u64, record: Arc<str>) -> Answer<bool> {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        let values: Values<'_> = &[&id.as_str(), &number, &record.as_bytes()];
        Ok(self.read_count(RetryPolicy::Always, SET, values).await? > 0)
    }
}

impl PostgresStore {
    /// Adds a request. After an attempt whose answer was lost the row is compared: it may be the one that was added.
    async fn insert_request(
        &self,
        request: &StoredRequest,
        number: i64,
        before: PriorAttempts,
    ) -> Result<bool, AttemptError> {
        let revision = signed(request.revision.revision)?;
        let (at, record) = (request.at.as_millisecond(), request.record.as_bytes());
        let (id, stamp) = (request.conversation.as_str(), request.revision.stamp);
        let session = self.session().await?;
        if session.count(ADD, &[&id, &number, &revision, &stamp, &at, &record]).await? > 0 {
            return Ok(true);
        }
        if before != PriorAttempts::Perhaps {
            return Ok(false);
        }
        let sql =
            "SELECT count(*) FROM preface_requests WHERE id = $1 AND number = $2 AND at = $3 AND record = $4";
        Ok(session.count(sql, &[&id, &number, &at, &record]).await? > 0)
    }
}

fn request(row: &Row) -> Answer<StoredRequest> {
    Ok(StoredRequest {
        conversation: parsed(row, 0)?,
        number: count(row, 1)?,
        revision: revision_at(row, 2)?,
        at: time(row, 4)?,
        record: long_text(row, 5)?,
    })
}
