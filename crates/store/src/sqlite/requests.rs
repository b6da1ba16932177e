//! Requests of conversations: adding, reading, replacing a record.

use super::{
    SqliteStore,
    rows::{instant, number, query_all, signed, text},
};
use crate::{Answer, ConversationId, REQUESTS, RequestStore, Revision, StoredRequest};
use async_trait::async_trait;
use rusqlite::{Row, named_params, params};
use std::sync::Arc;

#[async_trait]
impl RequestStore for SqliteStore {
    async fn add_request(&self, request: StoredRequest) -> Answer<bool> {
        // A number beyond what a column takes is not the next one.
        let Ok(next) = i64::try_from(request.number) else { return Ok(false) };
        let sql = "INSERT INTO requests (conversation, number, revision, stamp, at, record) \
                   SELECT number, ?2, ?3, ?4, ?5, ?6 FROM conversations WHERE id = ?1 AND ?2 = 1 + \
                   (SELECT coalesce(max(requests.number), 0) FROM requests \
                   WHERE requests.conversation = conversations.number)";
        self.write(move |connection| {
            let added = connection.prepare_cached(sql)?.execute(params![
                request.conversation.as_str(),
                next,
                signed(request.revision.revision)?,
                request.revision.stamp,
                request.at.as_millisecond(),
                request.record.as_ref(),
            ])?;
            if added == 1 {
                let sql = "UPDATE conversations SET used_at = max(used_at, ?2) WHERE id = ?1";
                let values = params![request.conversation.as_str(), request.at.as_millisecond()];
                connection.prepare_cached(sql)?.execute(values)?;
            }
            Ok(added == 1)
        })
        .await
    }

    async fn requests(&self, id: &ConversationId, from: u64) -> Answer<Vec<StoredRequest>> {
        let sql = "SELECT number, revision, stamp, at, record FROM requests \
                   WHERE conversation = (SELECT number FROM conversations WHERE id = :id) AND number >= :from \
                   ORDER BY number LIMIT :most";
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        let most = i64::try_from(REQUESTS).unwrap_or(i64::MAX);
        let read = |row: &Row<'_>| {
            Ok(StoredRequest {
                conversation: id.clone(),
                number: number(row, 0)?,
                revision: Revision { revision: number(row, 1)?, stamp: row.get(2)? },
                at: instant(row, 3)?,
                record: text(row, 4)?,
            })
        };
        let values = named_params! {":id": id.as_str(), ":from": from, ":most": most};
        self.read(|connection| query_all(connection, sql, values, read))
    }

    async fn set_request(&self, id: &ConversationId, number: u64, record: Arc<str>) -> Answer<bool> {
        let sql = "UPDATE requests SET record = ?3 \
                   WHERE conversation = (SELECT number FROM conversations WHERE id = ?1) AND number = ?2";
        let (id, number) = (id.clone(), i64::try_from(number).unwrap_or(i64::MAX));
        self.write(move |connection| {
            Ok(connection.prepare_cached(sql)?.execute(params![id.as_str(), number, record.as_ref()])? == 1)
        })
        .await
    }
}
