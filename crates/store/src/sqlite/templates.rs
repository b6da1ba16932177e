//! Templates and their versions.

use super::{
    SqliteStore,
    log::write_audit_entry,
    rows::{instant, json, number, parsed, query_all, signed, text},
};
use crate::{
    Actor, Answer, AuditAction, ExpectedVersion, NewVersion, Page, PageRequest, PutOutcome, TemplateName,
    TemplateStore, TemplateVersion, VersionChoice, page::PageStart,
};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, named_params, params, types::ValueRef};

/// The columns of a version without its text, in the order of [`read_version`].
const LISTED: &str = "name, version, bytes, at, author, note, reset, variables";

/// Reads [`LISTED`]; the labels are elsewhere.
fn read_version(row: &Row<'_>) -> rusqlite::Result<TemplateVersion> {
    Ok(TemplateVersion {
        name: parsed(row, 0)?,
        version: number(row, 1)?,
        text: None,
        bytes: number(row, 2)?,
        at: instant(row, 3)?,
        author: row.get(4)?,
        note: row.get(5)?,
        reset: row.get(6)?,
        variables: json(row, 7)?,
        labels: Vec::new(),
    })
}

/// Adds the labels of a version, sorted.
fn add_labels(connection: &Connection, version: &mut TemplateVersion) -> rusqlite::Result<()> {
    let mut statement = connection
        .prepare_cached("SELECT label FROM labels WHERE name = ?1 AND version = ?2 ORDER BY label")?;
    let labels = statement
        .query_map(params![version.name.as_str(), signed(version.version)?], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    version.labels = labels;
    Ok(())
}

/// Returns a version with its text.
fn template(
    connection: &Connection,
    name: &TemplateName,
    which: &VersionChoice,
) -> rusqlite::Result<Option<TemplateVersion>> {
    let number = match which {
        VersionChoice::Current => connection
            .prepare_cached("SELECT current FROM templates WHERE name = ?1")?
            .query_row([name.as_str()], |row| row.get::<_, i64>(0))
            .optional()?,
        VersionChoice::Version(number) => i64::try_from(*number).ok(),
        VersionChoice::Label(label) => connection
            .prepare_cached("SELECT version FROM labels WHERE name = ?1 AND label = ?2")?
            .query_row([name.as_str(), label], |row| row.get(0))
            .optional()?,
    };
    let Some(number) = number else { return Ok(None) };
    let found = connection
        .prepare_cached(&format!(
            "SELECT {LISTED}, text FROM template_versions WHERE name = ?1 AND version = ?2"
        ))?
        .query_row(params![name.as_str(), number], |row| {
            let text = match row.get_ref(8)? {
                ValueRef::Null => None,
                _ => Some(text(row, 8)?),
            };
            Ok(TemplateVersion { text, ..read_version(row)? })
        })
        .optional()?;
    let Some(mut version) = found else { return Ok(None) };
    add_labels(connection, &mut version)?;
    Ok(Some(version))
}

#[async_trait]
impl TemplateStore for SqliteStore {
    async fn template(&self, name: &TemplateName, which: &VersionChoice) -> Answer<Option<TemplateVersion>> {
        // Its reads are of one instant.
        self.read(|connection| template(&*connection.unchecked_transaction()?, name, which))
    }

    async fn put_template(
        &self,
        new: NewVersion,
        expect: ExpectedVersion,
        actor: &Actor,
    ) -> Answer<PutOutcome> {
        let actor = actor.clone();
        self.write(move |connection| {
            let current = template(connection, &new.name, &VersionChoice::Current)?;
            let known = current.as_ref().map_or(0, |current| current.version);
            if matches!(expect, ExpectedVersion::Version(expected) if expected != known) {
                return Ok(PutOutcome::Stale(current));
            }
            if let Some(current) = current.as_ref().filter(|current| new.is_current(current)) {
                return Ok(PutOutcome::Unchanged(current.clone()));
            }
            let version = new.numbered(known + 1, current.as_ref(), &actor);
            connection
                .prepare_cached(
                    "INSERT INTO templates (name, current) VALUES (?1, ?2) \
                     ON CONFLICT (name) DO UPDATE SET current = excluded.current",
                )?
                .execute(params![version.name.as_str(), signed(version.version)?])?;
            connection
                .prepare_cached(&format!(
                    "INSERT INTO template_versions ({LISTED}, text) \
                     VALUES (:name, :version, :bytes, :at, :author, :note, :reset, :variables, :text)"
                ))?
                .execute(named_params! {
                    ":name": version.name.as_str(),
                    ":version": signed(version.version)?,
                    ":bytes": signed(version.bytes)?,
                    ":at": version.at.as_millisecond(),
                    ":author": version.author,
                    ":note": version.note,
                    ":reset": version.reset,
                    ":variables": serde_json::json!(version.variables).to_string(),
                    ":text": version.text.as_deref(),
                })?;
            write_audit_entry(
                connection,
                &actor,
                AuditAction::TemplatePut,
                version.name.as_str(),
                &version.audit_detail(),
            )?;
            Ok(PutOutcome::Stored(version))
        })
        .await
    }

    async fn templates(&self, request: &PageRequest) -> Answer<Page<TemplateVersion>> {
        let after = match request.start::<TemplateName>() {
            PageStart::Top => String::new(),
            PageStart::Behind(name) => name.to_string(),
            PageStart::Nowhere => return Ok(Page::empty()),
        };
        let sql = format!(
            "SELECT {LISTED} FROM (SELECT name AS head, current FROM templates WHERE name > :after ORDER BY name \
             LIMIT :n) JOIN template_versions ON name = head AND version = current ORDER BY head"
        );
        let values = named_params! {":after": after, ":n": request.rows()};
        let templates = self.read(|connection| list(connection, &sql, values))?;
        Ok(Page::cut(templates, request.entries(), |current: &TemplateVersion| current.name.clone()))
    }

    async fn versions(&self, name: &TemplateName, request: &PageRequest) -> Answer<Page<TemplateVersion>> {
        let Some(below) = request.below() else { return Ok(Page::empty()) };
        let sql = format!(
            "SELECT {LISTED} FROM template_versions WHERE name = :name AND version < :below \
             ORDER BY version DESC LIMIT :n"
        );
        let values = named_params! {":name": name.as_str(), ":below": below, ":n": request.rows()};
        let versions = self.read(|connection| list(connection, &sql, values))?;
        Ok(Page::cut(versions, request.entries(), |version| version.version))
    }

    async fn label(
        &self,
        name: &TemplateName,
        label: &str,
        version: Option<u64>,
        actor: &Actor,
    ) -> Answer<bool> {
        let (name, label, actor) = (name.clone(), label.to_owned(), actor.clone());
        self.write(move |connection| {
            let exists = match version.map(i64::try_from) {
                Some(Ok(number)) => connection
                    .prepare_cached("SELECT 1 FROM template_versions WHERE name = ?1 AND version = ?2")?
                    .exists(params![name.as_str(), number])?,
                Some(Err(_)) => false,
                None => connection
                    .prepare_cached("SELECT 1 FROM templates WHERE name = ?1")?
                    .exists([name.as_str()])?,
            };
            if !exists {
                return Ok(false);
            }
            match version {
                Some(version) => connection
                    .prepare_cached(
                        "INSERT INTO labels (name, label, version) VALUES (?1, ?2, ?3) \
                         ON CONFLICT (name, label) DO UPDATE SET version = excluded.version",
                    )?
                    .execute(params![name.as_str(), label, signed(version)?])?,
                None => connection
                    .prepare_cached("DELETE FROM labels WHERE name = ?1 AND label = ?2")?
                    .execute([name.as_str(), &label])?,
            };
            let detail = serde_json::json!({"label": label, "version": version});
            write_audit_entry(connection, &actor, AuditAction::TemplateLabel, name.as_str(), &detail)?;
            Ok(true)
        })
        .await
    }
}

/// Lists versions, with their labels, of one instant.
fn list(
    connection: &Connection,
    sql: &str,
    values: &[(&str, &dyn ToSql)],
) -> rusqlite::Result<Vec<TemplateVersion>> {
    let transaction = connection.unchecked_transaction()?;
    let mut versions = query_all(&transaction, sql, values, read_version)?;
    versions.iter_mut().try_for_each(|version| add_labels(&transaction, version))?;
    Ok(versions)
}
