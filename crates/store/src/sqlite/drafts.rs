//! Unsaved texts of the editor.

use super::{
    SqliteStore,
    rows::{instant, number, parsed, query_all, signed, text},
};
use crate::{Answer, DraftKey, DraftLimits, DraftStore, StoredDraft};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, named_params, params};
use std::sync::Arc;

#[async_trait]
impl DraftStore for SqliteStore {
    async fn put_draft(&self, draft: StoredDraft, limits: DraftLimits) -> Answer<bool> {
        let sql = "INSERT INTO drafts (owner, template, id, version, etag, text, bytes, at) \
                   SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE \
                   (SELECT count(*) < ?9 AND coalesce(sum(bytes), 0) + ?7 <= ?10 FROM drafts \
                   WHERE owner = ?1 AND NOT (template = ?2 AND id = ?3)) \
                   ON CONFLICT (owner, template, id) DO UPDATE SET version = excluded.version, \
                   etag = excluded.etag, text = excluded.text, bytes = excluded.bytes, at = excluded.at";
        self.write(move |connection| {
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
        })
        .await
    }

    async fn draft(&self, key: &DraftKey) -> Answer<Option<StoredDraft>> {
        let sql = "SELECT version, etag, text, bytes, at FROM drafts \
                   WHERE owner = ?1 AND template = ?2 AND id = ?3";
        let read = |row: &Row<'_>| {
            Ok(StoredDraft {
                key: key.clone(),
                version: number(row, 0)?,
                etag: row.get::<_, Option<String>>(1)?.map(Arc::from),
                text: text(row, 2)?,
                bytes: number(row, 3)?,
                at: instant(row, 4)?,
            })
        };
        let values = params![key.owner.as_ref(), key.template.as_str(), key.id.as_str()];
        self.read(|connection| connection.prepare_cached(sql)?.query_row(values, read).optional())
    }

    async fn drafts(&self, owner: &str) -> Answer<Vec<StoredDraft>> {
        let sql = "SELECT template, id, version, etag, bytes, at FROM drafts WHERE owner = :owner \
                   ORDER BY at DESC, template, id";
        let shared: Arc<str> = Arc::from(owner);
        let read = |row: &Row<'_>| {
            Ok(StoredDraft {
                key: DraftKey { owner: Arc::clone(&shared), template: parsed(row, 0)?, id: parsed(row, 1)? },
                version: number(row, 2)?,
                etag: row.get::<_, Option<String>>(3)?.map(Arc::from),
                text: Arc::from(""),
                bytes: number(row, 4)?,
                at: instant(row, 5)?,
            })
        };
        self.read(|connection| query_all(connection, sql, named_params! {":owner": owner}, read))
    }

    async fn delete_draft(&self, key: &DraftKey) -> Answer<bool> {
        let key = key.clone();
        self.write(move |connection| {
            let sql = "DELETE FROM drafts WHERE owner = ?1 AND template = ?2 AND id = ?3";
            let values = params![key.owner.as_ref(), key.template.as_str(), key.id.as_str()];
            Ok(connection.prepare_cached(sql)?.execute(values)? == 1)
        })
        .await
    }

    async fn expire_drafts(&self, before: Timestamp, most: u64) -> Answer<u64> {
        let sql =
            "DELETE FROM drafts WHERE rowid IN (SELECT rowid FROM drafts WHERE at < ?1 ORDER BY at LIMIT ?2)";
        let values = (before.as_millisecond(), i64::try_from(most).unwrap_or(i64::MAX));
        self.write(move |connection| Ok(connection.prepare_cached(sql)?.execute(values)? as u64)).await
    }
}
