//! The audit log and the access tokens.

use super::{
    SqliteStore,
    rows::{instant, json, number, query_all, word},
};
use crate::{
    Actor, Answer, AuditAction, AuditEntry, AuditStore, Page, PageRequest, TokenRecord, actor::to_millisecond,
};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, Row, named_params, params};
use serde_json::{Value, json};

/// Writes an entry of the audit, in the transaction of the change.
pub(super) fn write_audit_entry(
    connection: &Connection,
    actor: &Actor,
    action: AuditAction,
    subject: &str,
    detail: &Value,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO audit (at, actor, action, subject, detail) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![
            actor.at.as_millisecond(),
            actor.name,
            action.as_str(),
            subject,
            detail.to_string()
        ])?;
    Ok(())
}

/// Reads `id, at, actor, action, subject, detail`.
fn entry(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry {
        id: number(row, 0)?,
        at: instant(row, 1)?,
        actor: row.get(2)?,
        action: word(row, 3)?,
        subject: row.get(4)?,
        detail: json(row, 5)?,
    })
}

#[async_trait]
impl AuditStore for SqliteStore {
    async fn audit(&self, request: &PageRequest) -> Answer<Page<AuditEntry>> {
        let Some(below) = request.below() else { return Ok(Page::empty()) };
        let sql = "SELECT id, at, actor, action, subject, detail FROM audit WHERE id < :below \
                   ORDER BY id DESC LIMIT :n";
        let values = named_params! {":below": below, ":n": request.rows()};
        let items = self.read(|connection| query_all(connection, sql, values, entry))?;
        Ok(Page::cut(items, request.entries(), |entry| entry.id))
    }

    /// There is no index by time: entries are written in the order of their times, but for clocks that jump, and the search
    /// ends where enough were found.
    async fn trim_audit(&self, before: Timestamp, most: u64, actor: &Actor) -> Answer<u64> {
        let sql = "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ?1 ORDER BY id LIMIT ?2)";
        let (before, actor) = (to_millisecond(before), actor.clone());
        self.write(move |connection| {
            remove_old(connection, sql, before, most, &actor, AuditAction::AuditTrim)
        })
        .await
    }

    async fn add_access(&self, access: TokenRecord, actor: &Actor) -> Answer<bool> {
        let sql = "INSERT INTO accesses (name, role, digest, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5) \
                   ON CONFLICT (name) DO NOTHING";
        let actor = actor.clone();
        self.write(move |connection| {
            let TokenRecord { name, role, digest, created_at, expires_at } = &access;
            let expires_at = expires_at.map(Timestamp::as_millisecond);
            let values = params![name, role.as_str(), digest, created_at.as_millisecond(), expires_at];
            let is_added = connection.prepare_cached(sql)?.execute(values)? > 0;
            if is_added {
                write_audit_entry(
                    connection,
                    &actor,
                    AuditAction::TokenCreate,
                    name,
                    &access.audit_detail(),
                )?;
            }
            Ok(is_added)
        })
        .await
    }

    async fn accesses(&self) -> Answer<Vec<TokenRecord>> {
        let sql = "SELECT name, role, digest, created_at, expires_at FROM accesses ORDER BY name";
        let read = |row: &Row<'_>| {
            Ok(TokenRecord {
                name: row.get(0)?,
                role: word(row, 1)?,
                digest: row.get(2)?,
                created_at: instant(row, 3)?,
                expires_at: row.get::<_, Option<i64>>(4)?.map(|_| instant(row, 4)).transpose()?,
            })
        };
        self.read(|connection| query_all(connection, sql, &[], read))
    }

    async fn remove_access(&self, name: &str, actor: &Actor) -> Answer<bool> {
        let (name, actor) = (name.to_owned(), actor.clone());
        self.write(move |connection| {
            let sql = "DELETE FROM accesses WHERE name = ?1";
            let is_removed = connection.prepare_cached(sql)?.execute([&name])? > 0;
            if is_removed {
                write_audit_entry(connection, &actor, AuditAction::TokenRevoke, &name, &json!({}))?;
            }
            Ok(is_removed)
        })
        .await
    }
}

/// Removes rows from before an instant by a statement, at most `most` of them, with an audit entry of their number.
pub(super) fn remove_old(
    connection: &Connection,
    sql: &str,
    before: Timestamp,
    most: u64,
    actor: &Actor,
    action: AuditAction,
) -> rusqlite::Result<u64> {
    let values = (before.as_millisecond(), i64::try_from(most).unwrap_or(i64::MAX));
    let count = connection.prepare_cached(sql)?.execute(values)? as u64;
    if count > 0 {
        write_audit_entry(connection, actor, action, &before.to_string(), &json!({"count": count}))?;
    }
    Ok(count)
}
