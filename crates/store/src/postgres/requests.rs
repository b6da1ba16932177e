//! Requests of conversations.

use super::{
    PostgresStore,
    fault::AttemptError,
    rows::{count, long_text, revision, signed, time},
    session::PriorAttempts,
};
use crate::{ConversationId, REQUESTS, StoreError, StoredRequest};

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

impl PostgresStore {
    /// Adds a request. After an attempt whose answer was lost the row is compared: it may be the one that was added.
    pub(super) async fn insert_request(
        &self,
        request: &StoredRequest,
        before: PriorAttempts,
    ) -> Result<bool, AttemptError> {
        // A number beyond what a column takes is not the next one.
        let Ok(number) = i64::try_from(request.number) else { return Ok(false) };
        let revision = signed(request.revision.revision)?;
        let (at, record) = (request.at.as_millisecond(), request.record.as_bytes());
        let (id, stamp) = (request.conversation.as_str(), request.revision.stamp);
        let session = self.session().await?;
        let row = session.row(ADD, &[&id, &number, &revision, &stamp, &at, &record]).await?;
        if row.map(|row| count(&row, 0)).transpose()?.unwrap_or_default() > 0 {
            return Ok(true);
        }
        if before != PriorAttempts::Perhaps {
            return Ok(false);
        }
        let sql =
            "SELECT count(*) FROM preface_requests WHERE id = $1 AND number = $2 AND at = $3 AND record = $4";
        let row = session.row(sql, &[&id, &number, &at, &record]).await?;
        Ok(row.map(|row| count(&row, 0)).transpose()?.unwrap_or_default() > 0)
    }

    pub(super) async fn list_requests(
        &self,
        id: &ConversationId,
        from: u64,
    ) -> Result<Vec<StoredRequest>, AttemptError> {
        let sql = "SELECT number, revision, stamp, at, record FROM preface_requests \
                   WHERE id = $1 AND number >= $2 ORDER BY number LIMIT $3";
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        let most = i64::try_from(REQUESTS).unwrap_or(i64::MAX);
        let rows = self.session().await?.rows(sql, &[&id.as_str(), &from, &most]).await?;
        let read = |row| {
            Ok(StoredRequest {
                conversation: id.clone(),
                number: count(row, 0)?,
                revision: revision(row, 1)?,
                at: time(row, 3)?,
                record: long_text(row, 4)?,
            })
        };
        Ok(rows.iter().map(read).collect::<Result<_, StoreError>>()?)
    }

    pub(super) async fn put_request(
        &self,
        id: &ConversationId,
        number: u64,
        record: &str,
    ) -> Result<bool, AttemptError> {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        let row = self.session().await?.row(SET, &[&id.as_str(), &number, &record.as_bytes()]).await?;
        Ok(row.map(|row| count(&row, 0)).transpose()?.unwrap_or_default() > 0)
    }
}
