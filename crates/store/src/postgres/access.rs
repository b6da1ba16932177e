//! The access tokens.

use super::{
    PostgresStore,
    fault::AttemptError,
    rows::{get, text, time, word},
    session::TransactionEnd,
};
use crate::{Actor, AuditAction, StoreError, TokenRecord, TokenRole};
use jiff::Timestamp;
use serde_json::json;
use tokio_postgres::Row;

impl PostgresStore {
    pub(super) async fn insert_access(
        &self,
        access: &TokenRecord,
        actor: &Actor,
    ) -> Result<bool, AttemptError> {
        let session = self.session().await?;
        let sql = "INSERT INTO preface_access (name, role, digest, created_at, expires_at) \
                   VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO NOTHING RETURNING name";
        let (name, at) = (access.name.as_bytes(), access.created_at.as_millisecond());
        let expires_at = access.expires_at.map(Timestamp::as_millisecond);
        session
            .transaction(async {
                let added = session
                    .row(sql, &[&name, &access.role.as_str(), &access.digest, &at, &expires_at])
                    .await?;
                if added.is_none() {
                    return Ok(TransactionEnd::Undo(false));
                }
                session
                    .write_audit_entry(actor, AuditAction::TokenCreate, &access.name, &access.audit_detail())
                    .await?;
                Ok(TransactionEnd::Keep(true))
            })
            .await
    }

    pub(super) async fn list_accesses(&self) -> Result<Vec<TokenRecord>, AttemptError> {
        let sql = "SELECT name, role, digest, created_at, expires_at FROM preface_access ORDER BY name";
        let rows = self.session().await?.rows(sql, &[]).await?;
        Ok(rows.iter().map(access).collect::<Result<_, StoreError>>()?)
    }

    pub(super) async fn delete_access(&self, name: &str, actor: &Actor) -> Result<bool, AttemptError> {
        let session = self.session().await?;
        let sql = "DELETE FROM preface_access WHERE name = $1 RETURNING name";
        session
            .transaction(async {
                if session.row(sql, &[&name.as_bytes()]).await?.is_none() {
                    return Ok(TransactionEnd::Undo(false));
                }
                session.write_audit_entry(actor, AuditAction::TokenRevoke, name, &json!({})).await?;
                Ok(TransactionEnd::Keep(true))
            })
            .await
    }
}

fn access(row: &Row) -> Result<TokenRecord, StoreError> {
    Ok(TokenRecord {
        name: text(row, 0)?,
        role: word(row, 1, TokenRole::parse)?,
        digest: get(row, 2)?,
        created_at: time(row, 3)?,
        expires_at: get::<Option<i64>>(row, 4)?.map(|_| time(row, 4)).transpose()?,
    })
}
