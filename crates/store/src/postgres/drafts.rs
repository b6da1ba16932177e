//! Unsaved texts of the editor.

use super::{
    PostgresStore,
    fault::AttemptError,
    rows::{count, get, long_text, signed, time},
};
use crate::{DraftKey, DraftLimits, StoreError, StoredDraft};
use jiff::Timestamp;
use std::sync::Arc;
use tokio_postgres::Row;

const PUT: &str = "WITH done AS (INSERT INTO preface_drafts (owner, template, id, version, etag, text, bytes, at) \
     SELECT $1::text, $2::text, $3::text, $4::bigint, $5::text, $6::bytea, $7::bigint, $8::bigint WHERE \
     (SELECT count(*) < $9::bigint AND coalesce(sum(bytes), 0) + $7::bigint <= $10::bigint FROM preface_drafts \
     WHERE owner = $1::text AND NOT (template = $2::text AND id = $3::text)) \
     ON CONFLICT (owner, template, id) DO UPDATE SET version = excluded.version, etag = excluded.etag, \
     text = excluded.text, bytes = excluded.bytes, at = excluded.at RETURNING at) SELECT count(*) FROM done";

const GET: &str = "SELECT version, etag, text, bytes, at FROM preface_drafts \
     WHERE owner = $1 AND template = $2 AND id = $3";

const LIST: &str = "SELECT template, id, version, etag, bytes, at FROM preface_drafts WHERE owner = $1 \
     ORDER BY at DESC, template, id";

const DELETE: &str = "WITH done AS (DELETE FROM preface_drafts WHERE owner = $1 AND template = $2 AND id = $3 \
     RETURNING at) SELECT count(*) FROM done";

const EXPIRE: &str = "WITH done AS (DELETE FROM preface_drafts WHERE (owner, template, id) IN \
     (SELECT owner, template, id FROM preface_drafts WHERE at < $1 ORDER BY at LIMIT $2) RETURNING at) \
     SELECT count(*) FROM done";

impl PostgresStore {
    pub(super) async fn write_draft(
        &self,
        draft: &StoredDraft,
        limits: DraftLimits,
    ) -> Result<bool, AttemptError> {
        let DraftKey { owner, template, id } = &draft.key;
        let (version, bytes) = (signed(draft.version)?, signed(draft.bytes)?);
        let most = i64::try_from(limits.count).unwrap_or(i64::MAX);
        let most_bytes = i64::try_from(limits.bytes).unwrap_or(i64::MAX);
        let at = draft.at.as_millisecond();
        let row = self
            .session()
            .await?
            .row(
                PUT,
                &[
                    &owner.as_ref(),
                    &template.as_str(),
                    &id.as_str(),
                    &version,
                    &draft.etag.as_deref(),
                    &draft.text.as_bytes(),
                    &bytes,
                    &at,
                    &most,
                    &most_bytes,
                ],
            )
            .await?;
        Ok(read_count(row)? > 0)
    }

    pub(super) async fn find_draft(&self, key: &DraftKey) -> Result<Option<StoredDraft>, AttemptError> {
        let DraftKey { owner, template, id } = key;
        let row =
            self.session().await?.row(GET, &[&owner.as_ref(), &template.as_str(), &id.as_str()]).await?;
        let read = |row: Row| {
            Ok(StoredDraft {
                key: key.clone(),
                version: count(&row, 0)?,
                etag: get::<Option<&str>>(&row, 1)?.map(Arc::from),
                text: long_text(&row, 2)?,
                bytes: count(&row, 3)?,
                at: time(&row, 4)?,
            })
        };
        Ok(row.map(read).transpose().map_err(|error: StoreError| error)?)
    }

    pub(super) async fn list_drafts(&self, owner: &Arc<str>) -> Result<Vec<StoredDraft>, AttemptError> {
        let rows = self.session().await?.rows(LIST, &[&owner.as_ref()]).await?;
        let damaged = |error: &dyn std::fmt::Display| StoreError::Damaged(format!("a draft: {error}"));
        let read = |row: &Row| {
            let template = get::<&str>(row, 0)?.parse().map_err(|error| damaged(&error))?;
            let id = get::<&str>(row, 1)?.parse().map_err(|error| damaged(&error))?;
            Ok(StoredDraft {
                key: DraftKey { owner: Arc::clone(owner), template, id },
                version: count(row, 2)?,
                etag: get::<Option<&str>>(row, 3)?.map(Arc::from),
                text: Arc::from(""),
                bytes: count(row, 4)?,
                at: time(row, 5)?,
            })
        };
        Ok(rows.iter().map(read).collect::<Result<_, StoreError>>()?)
    }

    pub(super) async fn remove_draft(&self, key: &DraftKey) -> Result<bool, AttemptError> {
        let DraftKey { owner, template, id } = key;
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
            [&owner.as_ref(), &template.as_str(), &id.as_str()];
        Ok(read_count(self.session().await?.row(DELETE, &values).await?)? > 0)
    }

    pub(super) async fn remove_old_drafts(&self, before: Timestamp, most: u64) -> Result<u64, AttemptError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        Ok(read_count(self.session().await?.row(EXPIRE, &[&before.as_millisecond(), &most]).await?)?)
    }

    pub(super) async fn read_identity(&self) -> Result<u64, AttemptError> {
        let sql = "SELECT value FROM preface_meta WHERE key = 'identity'";
        Ok(read_count(self.session().await?.row(sql, &[]).await?)?)
    }
}

fn read_count(row: Option<Row>) -> Result<u64, StoreError> {
    row.map(|row| count(&row, 0)).transpose().map(Option::unwrap_or_default)
}
