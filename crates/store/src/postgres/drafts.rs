//! Unsaved texts of the editor.

use super::{
    PostgresStore,
    rows::{count, get, long_text, parsed, signed, time},
    session::{RetryPolicy, Values},
};
use crate::{Answer, DraftKey, DraftLimits, DraftStore, StoredDraft};
use async_trait::async_trait;
use jiff::Timestamp;
use std::sync::Arc;
use tokio_postgres::Row;

const PUT: &str = "WITH done AS (INSERT INTO preface_drafts (owner, template, id, version, etag, text, bytes, at) \
     SELECT $1::text, $2::text, $3::text, $4::bigint, $5::text, $6::bytea, $7::bigint, $8::bigint WHERE \
     (SELECT count(*) < $9::bigint AND coalesce(sum(bytes), 0) + $7::bigint <= $10::bigint FROM preface_drafts \
     WHERE owner = $1::text AND NOT (template = $2::text AND id = $3::text)) \
     ON CONFLICT (owner, template, id) DO UPDATE SET version = excluded.version, etag = excluded.etag, \
     text = excluded.text, bytes = excluded.bytes, at = excluded.at RETURNING at) SELECT count(*) FROM done";

const GET: &str = "SELECT owner, template, id, version, etag, text, bytes, at FROM preface_drafts \
     WHERE owner = $1 AND template = $2 AND id = $3";

const LIST: &str = "SELECT owner, template, id, version, etag, ''::bytea AS text, bytes, at FROM preface_drafts \
     WHERE owner = $1 ORDER BY at DESC, template, id";

const DELETE: &str = "WITH done AS (DELETE FROM preface_drafts WHERE owner = $1 AND template = $2 AND id = $3 \
     RETURNING at) SELECT count(*) FROM done";

const EXPIRE: &str = "WITH done AS (DELETE FROM preface_drafts WHERE (owner, template, id) IN \
     (SELECT owner, template, id FROM preface_drafts WHERE at < $1 ORDER BY at LIMIT $2) RETURNING at) \
     SELECT count(*) FROM done";

#[async_trait]
impl DraftStore for PostgresStore {
    async fn put_draft(&self, draft: StoredDraft, limits: DraftLimits) -> Answer<bool> {
        let DraftKey { owner, template, id } = &draft.key;
        let values: Values<'_> = &[
            &owner.as_ref(),
            &template.as_str(),
            &id.as_str(),
            &signed(draft.version)?,
            &draft.etag.as_deref(),
            &draft.text.as_bytes(),
            &signed(draft.bytes)?,
            &draft.at.as_millisecond(),
            &i64::try_from(limits.count).unwrap_or(i64::MAX),
            &i64::try_from(limits.bytes).unwrap_or(i64::MAX),
        ];
        Ok(self.read_count(RetryPolicy::Always, PUT, values).await? > 0)
    }

    async fn draft(&self, key: &DraftKey) -> Answer<Option<StoredDraft>> {
        let DraftKey { owner, template, id } = key;
        self.read_row(GET, &[&owner.as_ref(), &template.as_str(), &id.as_str()], draft).await
    }

    async fn drafts(&self, owner: &str) -> Answer<Vec<StoredDraft>> {
        self.read_rows(LIST, &[&owner], draft).await
    }

    async fn delete_draft(&self, key: &DraftKey) -> Answer<bool> {
        let DraftKey { owner, template, id } = key;
        let values: Values<'_> = &[&owner.as_ref(), &template.as_str(), &id.as_str()];
        Ok(self.read_count(RetryPolicy::IfNotKept, DELETE, values).await? > 0)
    }

    async fn expire_drafts(&self, before: Timestamp, most: u64) -> Answer<u64> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.read_count(RetryPolicy::Always, EXPIRE, &[&before.as_millisecond(), &most]).await
    }
}

fn draft(row: &Row) -> Answer<StoredDraft> {
    Ok(StoredDraft {
        key: DraftKey { owner: get::<&str>(row, 0)?.into(), template: parsed(row, 1)?, id: parsed(row, 2)? },
        version: count(row, 3)?,
        etag: get::<Option<&str>>(row, 4)?.map(Arc::from),
        text: long_text(row, 5)?,
        bytes: count(row, 6)?,
        at: time(row, 7)?,
    })
}
