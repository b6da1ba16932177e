//! The audit log and the access tokens.

use super::rows::{instant, json, number, word};
use crate::{Actor, AuditAction, AuditEntry, TokenRecord, TokenRole, actor::to_millisecond};
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};
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
pub(super) fn entry(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry {
        id: number(row, 0)?,
        at: instant(row, 1)?,
        actor: row.get(2)?,
        action: word(row, 3, AuditAction::parse, "an action")?,
        subject: row.get(4)?,
        detail: json(row, 5)?,
    })
}

/// Removes old entries. There is no index by time: entries are written in the order of their times, but for clocks that
/// jump, and the search ends where enough were found.
pub(super) fn trim(
    connection: &Connection,
    before: Timestamp,
    most: u64,
    actor: &Actor,
) -> rusqlite::Result<u64> {
    let (before, most) = (to_millisecond(before), i64::try_from(most).unwrap_or(i64::MAX));
    let count = connection
        .prepare_cached(
            "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ?1 ORDER BY id LIMIT ?2)",
        )?
        .execute(params![before.as_millisecond(), most])? as u64;
    if count > 0 {
        write_audit_entry(
            connection,
            actor,
            AuditAction::AuditTrim,
            &before.to_string(),
            &json!({"count": count}),
        )?;
    }
    Ok(count)
}

/// Adds a token.
pub(super) fn add_access(
    connection: &Connection,
    access: &TokenRecord,
    actor: &Actor,
) -> rusqlite::Result<bool> {
    let added = connection
        .prepare_cached(
            "INSERT INTO accesses (name, role, digest, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (name) DO NOTHING",
        )?
        .execute(params![
            access.name,
            access.role.as_str(),
            access.digest,
            access.created_at.as_millisecond(),
            access.expires_at.map(Timestamp::as_millisecond),
        ])?;
    if added > 0 {
        write_audit_entry(connection, actor, AuditAction::TokenCreate, &access.name, &access.audit_detail())?;
    }
    Ok(added > 0)
}

/// Lists the tokens.
pub(super) fn accesses(connection: &Connection) -> rusqlite::Result<Vec<TokenRecord>> {
    connection
        .prepare_cached("SELECT name, role, digest, created_at, expires_at FROM accesses ORDER BY name")?
        .query_map([], |row| {
            Ok(TokenRecord {
                name: row.get(0)?,
                role: word(row, 1, TokenRole::parse, "a role")?,
                digest: row.get(2)?,
                created_at: instant(row, 3)?,
                expires_at: row.get::<_, Option<i64>>(4)?.map(|_| instant(row, 4)).transpose()?,
            })
        })?
        .collect()
}

/// Removes a token.
pub(super) fn remove_access(connection: &Connection, name: &str, actor: &Actor) -> rusqlite::Result<bool> {
    let removed = connection.prepare_cached("DELETE FROM accesses WHERE name = ?1")?.execute([name])?;
    if removed > 0 {
        write_audit_entry(connection, actor, AuditAction::TokenRevoke, name, &json!({}))?;
    }
    Ok(removed > 0)
}
