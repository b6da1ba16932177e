//! The audit log and the access tokens.

use super::{
    PostgresStore,
    fault::AttemptError,
    rows::{count, get, text, time, word},
    session::{PostgresSession, RetryPolicy, TransactionEnd, Values},
};
use crate::{
    Actor, Answer, AuditAction, AuditEntry, AuditStore, Page, PageRequest, StoreError, TokenRecord,
    actor::to_millisecond,
};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio_postgres::Row;

impl PostgresSession {
    /// Writes an entry of the audit, in the transaction of the change.
    pub(super) async fn write_audit_entry(
        &self,
        actor: &Actor,
        action: AuditAction,
        subject: &str,
        detail: &Value,
    ) -> Result<(), AttemptError> {
        let sql =
            "INSERT INTO preface_audit (at, actor, action, subject, detail) VALUES ($1, $2, $3, $4, $5)";
        let (at, who, subject) = (actor.at.as_millisecond(), actor.name.as_bytes(), subject.as_bytes());
        self.rows(sql, &[&at, &who, &action.as_str(), &subject, &detail.to_string()]).await?;
        Ok(())
    }
}

/// Skips rows that another trim has locked.
const TRIM: &str = "WITH gone AS (DELETE FROM preface_audit WHERE id = ANY (ARRAY(\
     SELECT id FROM preface_audit WHERE at < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id) \
     SELECT count(*) FROM gone";

#[async_trait]
impl AuditStore for PostgresStore {
    async fn audit(&self, request: &PageRequest) -> Answer<Page<AuditEntry>> {
        let Some(below) = request.below() else { return Ok(Page::empty()) };
        let sql = "SELECT id, at, actor, action, subject, detail FROM preface_audit WHERE id < $1 \
                   ORDER BY id DESC LIMIT $2";
        let entries = self.read_rows(sql, &[&below, &request.rows()], entry).await?;
        Ok(Page::cut(entries, request.entries(), |entry: &AuditEntry| entry.id))
    }

    async fn trim_audit(&self, before: Timestamp, most: u64, actor: &Actor) -> Answer<u64> {
        self.remove_old(TRIM, before, most, actor, AuditAction::AuditTrim).await
    }

    async fn add_access(&self, access: TokenRecord, actor: &Actor) -> Answer<bool> {
        let TokenRecord { name, role, digest, created_at, expires_at } = &access;
        let expires_at = expires_at.map(Timestamp::as_millisecond);
        let sql = "INSERT INTO preface_access (name, role, digest, created_at, expires_at) \
                   VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO NOTHING RETURNING name";
        let values: Values<'_> =
            &[&name.as_bytes(), &role.as_str(), digest, &created_at.as_millisecond(), &expires_at];
        let detail = access.audit_detail();
        self.change_access(sql, values, actor, AuditAction::TokenCreate, name, &detail).await
    }

    async fn accesses(&self) -> Answer<Vec<TokenRecord>> {
        let sql = "SELECT name, role, digest, created_at, expires_at FROM preface_access ORDER BY name";
        self.read_rows(sql, &[], access).await
    }

    async fn remove_access(&self, name: &str, actor: &Actor) -> Answer<bool> {
        let sql = "DELETE FROM preface_access WHERE name = $1 RETURNING name";
        self.change_access(sql, &[&name.as_bytes()], actor, AuditAction::TokenRevoke, name, &json!({})).await
    }
}

impl PostgresStore {
    /// Runs a statement that returns the token that it changed, with an audit entry.
    async fn change_access(
        &self,
        sql: &'static str,
        values: Values<'_>,
        actor: &Actor,
        action: AuditAction,
        name: &str,
        detail: &Value,
    ) -> Answer<bool> {
        let change = async || {
            let session = self.session().await?;
            let changed = async {
                if session.row(sql, values).await?.is_none() {
                    return Ok(TransactionEnd::Undo(false));
                }
                session.write_audit_entry(actor, action, name, detail).await?;
                Ok(TransactionEnd::Keep(true))
            };
            session.transaction(changed).await
        };
        self.attempt(RetryPolicy::IfNotKept, |_| change()).await
    }

    /// Removes rows by a statement whose row is their number, with an audit entry of it.
    pub(super) async fn remove_old(
        &self,
        sql: &'static str,
        before: Timestamp,
        most: u64,
        actor: &Actor,
        action: AuditAction,
    ) -> Answer<u64> {
        let before = to_millisecond(before);
        let (instant, most) = (before.as_millisecond(), i64::try_from(most).unwrap_or(i64::MAX));
        let remove = async || {
            let session = self.session().await?;
            let removed = async {
                let count = session.count(sql, &[&instant, &most]).await?;
                if count == 0 {
                    return Ok(TransactionEnd::Undo(0));
                }
                let detail = json!({"count": count});
                session.write_audit_entry(actor, action, &before.to_string(), &detail).await?;
                Ok(TransactionEnd::Keep(count))
            };
            session.transaction(removed).await
        };
        self.attempt(RetryPolicy::IfNotKept, |_| remove()).await
    }
}

fn entry(row: &Row) -> Answer<AuditEntry> {
    let detail: &str = get(row, 5)?;
    Ok(AuditEntry {
        id: count(row, 0)?,
        at: time(row, 1)?,
        actor: text(row, 2)?,
        action: word(row, 3)?,
        subject: text(row, 4)?,
        detail: serde_json::from_str(detail).map_err(|error| StoreError::Damaged(error.to_string()))?,
    })
}

fn access(row: &Row) -> Answer<TokenRecord> {
    Ok(TokenRecord {
        name: text(row, 0)?,
        role: word(row, 1)?,
        digest: get(row, 2)?,
        created_at: time(row, 3)?,
        expires_at: get::<Option<i64>>(row, 4)?.map(|_| time(row, 4)).transpose()?,
    })
}
