//! The audit log.

use super::{
    PostgresStore,
    fault::AttemptError,
    rows::{count, get, signed, text, time, word},
    session::{PostgresSession, TransactionEnd},
};
use crate::{Actor, AuditAction, AuditEntry, Page, PageRequest, StoreError, actor::to_millisecond};
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

impl PostgresStore {
    pub(super) async fn list_audit(&self, request: &PageRequest) -> Result<Page<AuditEntry>, AttemptError> {
        let Some(below) = request.below() else { return Ok(Page::empty()) };
        let sql = "SELECT id, at, actor, action, subject, detail FROM preface_audit WHERE id < $1 \
                   ORDER BY id DESC LIMIT $2";
        let rows = self.session().await?.rows(sql, &[&below, &request.rows()]).await?;
        let entries = rows.iter().map(entry).collect::<Result<_, StoreError>>()?;
        Ok(Page::cut(entries, request.entries(), |entry: &AuditEntry| entry.id))
    }
}

/// A statement that removes the oldest rows of a table. Its values are an instant and a limit, its row is the number of
/// removed rows.
pub(super) struct Removal {
    pub sql: &'static str,
    /// The number of rows that one statement removes.
    pub batch: u64,
    /// The action in the audit.
    pub action: AuditAction,
}

/// Skips rows that another trim has locked.
const TRIM: Removal = Removal {
    sql: "WITH gone AS (DELETE FROM preface_audit WHERE id = ANY (ARRAY(\
          SELECT id FROM preface_audit WHERE at < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id) \
          SELECT count(*) FROM gone",
    batch: 10_000,
    action: AuditAction::AuditTrim,
};

impl PostgresStore {
    pub(super) async fn trim(
        &self,
        before: Timestamp,
        most: u64,
        actor: &Actor,
    ) -> Result<u64, AttemptError> {
        self.remove_old(&TRIM, before, most, actor).await
    }

    /// Removes rows in one transaction, with an audit entry of their number.
    pub(super) async fn remove_old(
        &self,
        removal: &Removal,
        before: Timestamp,
        most: u64,
        actor: &Actor,
    ) -> Result<u64, AttemptError> {
        let before = to_millisecond(before);
        let instant = before.as_millisecond();
        let session = self.session().await?;
        session
            .transaction(async {
                let mut sum = 0;
                while sum < most {
                    let some = signed((most - sum).min(removal.batch))?;
                    let row = session.row(removal.sql, &[&instant, &some]).await?;
                    match row.map(|row| count(&row, 0)).transpose()?.unwrap_or_default() {
                        0 => break,
                        gone => sum += gone,
                    }
                }
                if sum == 0 {
                    return Ok(TransactionEnd::Undo(0));
                }
                let detail = json!({"count": sum});
                session.write_audit_entry(actor, removal.action, &before.to_string(), &detail).await?;
                Ok(TransactionEnd::Keep(sum))
            })
            .await
    }
}

fn entry(row: &Row) -> Result<AuditEntry, StoreError> {
    let detail: &str = get(row, 5)?;
    Ok(AuditEntry {
        id: count(row, 0)?,
        at: time(row, 1)?,
        actor: text(row, 2)?,
        action: word(row, 3, AuditAction::parse)?,
        subject: text(row, 4)?,
        detail: serde_json::from_str(detail).map_err(|error| StoreError::Damaged(error.to_string()))?,
    })
}
