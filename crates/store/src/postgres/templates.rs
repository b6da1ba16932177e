//! Templates: versions with numbers of their own, given out under the lock of the template's row.

use super::{
    PostgresStore,
    fault::AttemptError,
    rows::{count, signed, version, version_columns},
    session::{PostgresSession, PriorAttempts, RetryPolicy, TransactionEnd},
};
use crate::{
    Actor, Answer, AuditAction, ExpectedVersion, NewVersion, Page, PageRequest, PutOutcome, Revision,
    TemplateName, TemplateStore, TemplateVersion, VersionChoice, page::PageStart,
};
use async_trait::async_trait;
use serde_json::json;

const CURRENT: &str = concat!(
    "SELECT ",
    version_columns!("v.text"),
    " FROM preface_templates t \
     JOIN preface_template_versions v ON v.name = t.name AND v.version = t.version WHERE t.name = $1"
);
const NUMBERED: &str = concat!(
    "SELECT ",
    version_columns!("v.text"),
    " FROM preface_template_versions v WHERE v.name = $1 AND v.version = $2"
);
const LABELLED: &str = concat!(
    "SELECT ",
    version_columns!("v.text"),
    " FROM preface_template_labels b \
     JOIN preface_template_versions v ON v.name = b.name AND v.version = b.version \
     WHERE b.name = $1 AND b.label = $2"
);
const STAMPED: &str = concat!(
    "SELECT ",
    version_columns!("v.text"),
    " FROM preface_template_versions v WHERE v.name = $1 AND v.stamp = $2"
);

/// Takes the next number; other writers wait until this transaction ends.
const NEXT: &str = "INSERT INTO preface_templates (name, version) VALUES ($1, 1) \
     ON CONFLICT (name) DO UPDATE SET version = preface_templates.version + 1 RETURNING version";

#[async_trait]
impl TemplateStore for PostgresStore {
    async fn template(&self, name: &TemplateName, which: &VersionChoice) -> Answer<Option<TemplateVersion>> {
        let name = name.as_str();
        match which {
            VersionChoice::Current => self.read_row(CURRENT, &[&name], version).await,
            VersionChoice::Version(number) => match i64::try_from(*number) {
                Ok(number) => self.read_row(NUMBERED, &[&name, &number], version).await,
                Err(_) => Ok(None),
            },
            VersionChoice::Label(label) => {
                self.read_row(LABELLED, &[&name, &label.as_bytes()], version).await
            }
        }
    }

    async fn put_template(
        &self,
        new: NewVersion,
        expect: ExpectedVersion,
        actor: &Actor,
    ) -> Answer<PutOutcome> {
        let stamp = Revision::new(1).stamp;
        let put = async |before| {
            let session = self.session().await?;
            session.transaction(insert_version(&session, &new, expect, actor, stamp, before)).await
        };
        self.attempt(RetryPolicy::Always, put).await
    }

    async fn templates(&self, request: &PageRequest) -> Answer<Page<TemplateVersion>> {
        let start = request.start::<TemplateName>();
        let after = match &start {
            PageStart::Top => "",
            PageStart::Behind(name) => name.as_str(),
            PageStart::Nowhere => return Ok(Page::empty()),
        };
        let sql = concat!(
            "SELECT ",
            version_columns!("NULL::bytea"),
            " FROM preface_templates t \
             JOIN preface_template_versions v ON v.name = t.name AND v.version = t.version \
             WHERE t.name > $1 ORDER BY t.name LIMIT $2"
        );
        let templates = self.read_rows(sql, &[&after, &request.rows()], version).await?;
        Ok(Page::cut(templates, request.entries(), |current: &TemplateVersion| current.name.clone()))
    }

    async fn versions(&self, name: &TemplateName, request: &PageRequest) -> Answer<Page<TemplateVersion>> {
        let Some(below) = request.below() else { return Ok(Page::empty()) };
        let sql = concat!(
            "SELECT ",
            version_columns!("NULL::bytea"),
            " FROM preface_template_versions v WHERE v.name = $1 AND v.version < $2 \
             ORDER BY v.version DESC LIMIT $3"
        );
        let versions = self.read_rows(sql, &[&name.as_str(), &below, &request.rows()], version).await?;
        Ok(Page::cut(versions, request.entries(), |version: &TemplateVersion| version.version))
    }

    async fn label(
        &self,
        name: &TemplateName,
        label: &str,
        version: Option<u64>,
        actor: &Actor,
    ) -> Answer<bool> {
        let put = async || {
            let session = self.session().await?;
            session.transaction(set_label(&session, name, label, version, actor)).await
        };
        self.attempt(RetryPolicy::IfNotKept, |_| put()).await
    }
}

async fn insert_version(
    session: &PostgresSession,
    new: &NewVersion,
    expect: ExpectedVersion,
    actor: &Actor,
    stamp: i64,
    before: PriorAttempts,
) -> Result<TransactionEnd<PutOutcome>, AttemptError> {
    let name = new.name.as_str();
    let row = session.row(NEXT, &[&name]).await?;
    let number = row.map(|row| count(&row, 0)).transpose()?.unwrap_or(1);
    if before == PriorAttempts::Perhaps
        && let Some(ours) = session.row(STAMPED, &[&name, &stamp]).await?
    {
        return Ok(TransactionEnd::Undo(PutOutcome::Stored(version(&ours)?)));
    }
    let current = match number {
        1 => None,
        _ => session.row(NUMBERED, &[&name, &signed(number - 1)?]).await?,
    };
    let current = current.map(|row| version(&row)).transpose()?;
    if matches!(expect, ExpectedVersion::Version(expected) if expected != number - 1) {
        return Ok(TransactionEnd::Undo(PutOutcome::Stale(current)));
    }
    if let Some(current) = current.as_ref().filter(|current| new.is_current(current)) {
        return Ok(TransactionEnd::Undo(PutOutcome::Unchanged(current.clone())));
    }
    let version = new.numbered(number, current.as_ref(), actor);
    session
        .rows(
            "INSERT INTO preface_template_versions \
             (name, version, text, bytes, author, at, note, stamp, variables) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            &[
                &name,
                &signed(number)?,
                &version.text.as_deref().map(str::as_bytes),
                &signed(version.bytes)?,
                &version.author.as_bytes(),
                &version.at.as_millisecond(),
                &version.note.as_bytes(),
                &stamp,
                &json!(version.variables).to_string().as_bytes(),
            ],
        )
        .await?;
    session.write_audit_entry(actor, AuditAction::TemplatePut, name, &version.audit_detail()).await?;
    Ok(TransactionEnd::Keep(PutOutcome::Stored(version)))
}

async fn set_label(
    session: &PostgresSession,
    name: &TemplateName,
    label: &str,
    version: Option<u64>,
    actor: &Actor,
) -> Result<TransactionEnd<bool>, AttemptError> {
    let (name, bytes) = (name.as_str(), label.as_bytes());
    // Those who move labels of one template queue.
    let lock = "SELECT version FROM preface_templates WHERE name = $1 FOR UPDATE";
    if session.row(lock, &[&name]).await?.is_none() {
        return Ok(TransactionEnd::Undo(false));
    }
    match version.map(i64::try_from) {
        None => {
            let sql = "DELETE FROM preface_template_labels WHERE name = $1 AND label = $2";
            session.rows(sql, &[&name, &bytes]).await?;
        }
        Some(number) => {
            let sql = "INSERT INTO preface_template_labels (name, label, version) \
                       SELECT name, $2::bytea, version FROM preface_template_versions \
                       WHERE name = $1 AND version = $3 \
                       ON CONFLICT (name, label) DO UPDATE SET version = excluded.version RETURNING version";
            let number = number.unwrap_or(-1);
            if session.row(sql, &[&name, &bytes, &number]).await?.is_none() {
                return Ok(TransactionEnd::Undo(false));
            }
        }
    }
    let detail = json!({"label": label, "version": version});
    session.write_audit_entry(actor, AuditAction::TemplateLabel, name, &detail).await?;
    Ok(TransactionEnd::Keep(true))
}
