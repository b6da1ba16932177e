//! Unsaved texts of the editor.

use super::rows::{instant, number, parsed, signed, text};
use crate::{DraftKey, DraftLimits, StoredDraft};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

/// Stores a draft in the place of the one with its key, if the owner's limits allow it.
pub(super) fn put(
    connection: &Connection,
    draft: &StoredDraft,
    limits: DraftLimits,
) -> rusqlite::Result<bool> {
    let sql = "INSERT INTO drafts (owner, template, id, version, etag, text, bytes, at) \
               SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE \
               (SELECT count(*) < ?9 AND coalesce(sum(bytes), 0) + ?7 <= ?10 FROM drafts \
               WHERE owner = ?1 AND NOT (template = ?2 AND id = ?3)) \
               ON CONFLICT (owner, template, id) DO UPDATE SET version = excluded.version, \
               etag = excluded.etag, text = excluded.text, bytes = excluded.bytes, at = excluded.at";
    let DraftKey { owner, template, id } = &draft.key;
    let done = connection.prepare_cached(sql)?.execute(params![
        owner.as_ref(),
        template.as_str(),
        id.as_str(),
        signed(draft.version)?,
        draft.etag.as_deref(),
        draft.text.as_ref(),
        signed(draft.bytes)?,
        draft.at.as_millisecond(),
        i64::try_from(limits.count).unwrap_or(i64::MAX),
        i64::try_from(limits.bytes).unwrap_or(i64::MAX),
    ])?;
    Ok(done == 1)
}

/// Returns a draft.
pub(super) fn draft(connection: &Connection, key: &DraftKey) -> rusqlite::Result<Option<StoredDraft>> {
    let sql =
        "SELECT version, etag, text, bytes, at FROM drafts WHERE owner = ?1 AND template = ?2 AND id = ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let row = |row: &rusqlite::Row<'_>| {
        Ok(StoredDraft {
            key: key.clone(),
            version: number(row, 0)?,
            etag: row.get::<_, Option<String>>(1)?.map(Arc::from),
            text: text(row, 2)?,
            bytes: number(row, 3)?,
            at: instant(row, 4)?,
        })
    };
    statement.query_row(params![key.owner.as_ref(), key.template.as_str(), key.id.as_str()], row).optional()
}

/// Lists the drafts of an owner without their texts, the last written first.
pub(super) fn list(connection: &Connection, owner: &str) -> rusqlite::Result<Vec<StoredDraft>> {
    let sql = "SELECT template, id, version, etag, bytes, at FROM drafts WHERE owner = ?1 \
               ORDER BY at DESC, template, id";
    let mut statement = connection.prepare_cached(sql)?;
    let shared: Arc<str> = Arc::from(owner);
    let rows = statement.query_map([owner], |row| {
        Ok(StoredDraft {
            key: DraftKey { owner: Arc::clone(&shared), template: parsed(row, 0)?, id: parsed(row, 1)? },
            version: number(row, 2)?,
            etag: row.get::<_, Option<String>>(3)?.map(Arc::from),
            text: Arc::from(""),
            bytes: number(row, 4)?,
            at: instant(row, 5)?,
        })
    })?;
    rows.collect()
}

/// Deletes a draft.
pub(super) fn delete(connection: &Connection, key: &DraftKey) -> rusqlite::Result<bool> {
    let sql = "DELETE FROM drafts WHERE owner = ?1 AND template = ?2 AND id = ?3";
    let values = params![key.owner.as_ref(), key.template.as_str(), key.id.as_str()];
    Ok(connection.prepare_cached(sql)?.execute(values)? == 1)
}

/// Deletes the drafts that were last written before an instant.
pub(super) fn expire(connection: &Connection, before: Timestamp, most: u64) -> rusqlite::Result<u64> {
    let sql =
        "DELETE FROM drafts WHERE rowid IN (SELECT rowid FROM drafts WHERE at < ?1 ORDER BY at LIMIT ?2)";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let deleted = connection.prepare_cached(sql)?.execute(params![before.as_millisecond(), most])?;
    Ok(deleted as u64)
}

/// Returns the number that identifies this store.
pub(super) fn identity(connection: &Connection) -> rusqlite::Result<u64> {
    let value: i64 =
        connection.prepare_cached("SELECT value FROM identity")?.query_row([], |row| row.get(0))?;
    Ok(value.cast_unsigned())
}
