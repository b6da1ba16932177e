//! Requests of conversations: adding, reading, replacing a record.

use super::rows::{instant, number, signed, text};
use crate::{ConversationId, REQUESTS, Revision, StoredRequest};
use rusqlite::{Connection, params};

/// Adds a request if its number is the next one of its conversation.
pub(super) fn add(connection: &Connection, request: &StoredRequest) -> rusqlite::Result<bool> {
    // A number beyond what a column takes is not the next one.
    let Ok(next) = i64::try_from(request.number) else { return Ok(false) };
    let sql = "INSERT INTO requests (conversation, number, revision, stamp, at, record) \
               SELECT number, ?2, ?3, ?4, ?5, ?6 FROM conversations WHERE id = ?1 AND ?2 = 1 + \
               (SELECT coalesce(max(requests.number), 0) FROM requests \
               WHERE requests.conversation = conversations.number)";
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
}

/// Returns the requests of a conversation from a number on.
pub(super) fn list(
    connection: &Connection,
    id: &ConversationId,
    from: u64,
) -> rusqlite::Result<Vec<StoredRequest>> {
    let sql = "SELECT number, revision, stamp, at, record FROM requests \
               WHERE conversation = (SELECT number FROM conversations WHERE id = ?1) AND number >= ?2 \
               ORDER BY number LIMIT ?3";
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let most = i64::try_from(REQUESTS).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![id.as_str(), from, most], |row| {
        Ok(StoredRequest {
            conversation: id.clone(),
            number: number(row, 0)?,
            revision: Revision { revision: number(row, 1)?, stamp: row.get(2)? },
            at: instant(row, 3)?,
            record: text(row, 4)?,
        })
    })?;
    rows.collect()
}

/// Replaces the record of a request.
pub(super) fn set(
    connection: &Connection,
    id: &ConversationId,
    number: u64,
    record: &str,
) -> rusqlite::Result<bool> {
    let sql = "UPDATE requests SET record = ?3 \
               WHERE conversation = (SELECT number FROM conversations WHERE id = ?1) AND number = ?2";
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    Ok(connection.prepare_cached(sql)?.execute(params![id.as_str(), number, record])? == 1)
}
