//! Conversion of rows.

use crate::{PromptSummary, Revision, StoreError, StoredPrompt, TemplateName, TemplateUsed, TemplateVersion};
use jiff::Timestamp;
use serde::de::{DeserializeOwned, IntoDeserializer};
use std::{fmt, str::FromStr, sync::Arc};
use tokio_postgres::{Row, types::FromSql};

/// The columns of a conversation but for its record, as [`head`] reads them. `$text` is `text`, or what stands for it.
macro_rules! head_columns {
    ($text:literal) => {
        concat!(
            "id, revision, stamp, ",
            $text,
            ", bytes, fingerprint, cwd, model, preset, template_chosen, template_name, template_version, \
             reason, created_at, constructed_at"
        )
    };
}
pub(super) use head_columns;

/// The columns of a version of a template, as [`version`] reads them.
macro_rules! version_columns {
    ($text:literal) => {
        concat!(
            "v.name, v.version, ",
            $text,
            ", v.text IS NULL, v.bytes, v.author, v.at, v.note, \
             ARRAY(SELECT l.label FROM preface_template_labels l \
             WHERE l.name = v.name AND l.version = v.version ORDER BY l.label), v.variables"
        )
    };
}
pub(super) use version_columns;

fn damaged(column: usize, why: impl fmt::Display) -> StoreError {
    StoreError::Damaged(format!("column {column} of a row: {why}"))
}

pub(super) fn get<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Result<T, StoreError> {
    row.try_get(column).map_err(|error| damaged(column, error))
}

/// Reads a number that is not negative.
pub(super) fn count(row: &Row, column: usize) -> Result<u64, StoreError> {
    u64::try_from(get::<i64>(row, column)?).map_err(|error| damaged(column, error))
}

/// Reads a text that is stored as bytes.
pub(super) fn text(row: &Row, column: usize) -> Result<String, StoreError> {
    utf8(column, get(row, column)?).map(str::to_owned)
}

pub(super) fn long_text(row: &Row, column: usize) -> Result<Arc<str>, StoreError> {
    utf8(column, get(row, column)?).map(Arc::from)
}

fn utf8(column: usize, bytes: &[u8]) -> Result<&str, StoreError> {
    str::from_utf8(bytes).map_err(|error| damaged(column, error))
}

/// Reads an instant.
pub(super) fn time(row: &Row, column: usize) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(get(row, column)?).map_err(|error| damaged(column, error))
}

/// Reads one of several known words.
pub(super) fn word<T: DeserializeOwned>(row: &Row, column: usize) -> Result<T, StoreError> {
    let word: &str = get(row, column)?;
    T::deserialize(word.into_deserializer())
        .map_err(|error: serde::de::value::Error| damaged(column, error.to_string().escape_debug()))
}

/// Parses a name or an id.
pub(super) fn parsed<T: FromStr<Err: fmt::Display>>(row: &Row, column: usize) -> Result<T, StoreError> {
    get::<&str>(row, column)?.parse().map_err(|error| damaged(column, error))
}

/// Reads a conversation without its record.
pub(super) fn head(row: &Row) -> Result<PromptSummary, StoreError> {
    let model: Option<&[u8]> = get(row, 7)?;
    let template = match get::<Option<&str>>(row, 10)? {
        Some(_) => Some(TemplateUsed {
            chosen: text(row, 9)?,
            name: parsed::<TemplateName>(row, 10)?,
            version: get::<Option<i64>>(row, 11)?.map(|_| count(row, 11)).transpose()?,
        }),
        None => None,
    };
    Ok(PromptSummary {
        id: parsed(row, 0)?,
        revision: revision_at(row, 1)?,
        text: long_text(row, 3)?,
        bytes: count(row, 4)?,
        fingerprint: get(row, 5)?,
        cwd: text(row, 6)?,
        model: model.map(|model| utf8(7, model).map(str::to_owned)).transpose()?,
        preset: text(row, 8)?,
        template,
        reason: word(row, 12)?,
        created_at: time(row, 13)?,
        constructed_at: time(row, 14)?,
    })
}

/// Reads a revision from two columns.
pub(super) fn revision_at(row: &Row, column: usize) -> Result<Revision, StoreError> {
    Ok(Revision { revision: count(row, column)?, stamp: get(row, column + 1)? })
}

/// Reads a conversation with its record.
pub(super) fn conversation(row: &Row) -> Result<StoredPrompt, StoreError> {
    Ok(StoredPrompt { head: head(row)?, record: long_text(row, 15)? })
}

/// Reads a version of a template.
pub(super) fn version(row: &Row) -> Result<TemplateVersion, StoreError> {
    let text_bytes: Option<&[u8]> = get(row, 2)?;
    let labels: Vec<&[u8]> = get(row, 8)?;
    Ok(TemplateVersion {
        name: parsed(row, 0)?,
        version: count(row, 1)?,
        text: text_bytes.map(|text_bytes| utf8(2, text_bytes).map(Arc::from)).transpose()?,
        reset: get(row, 3)?,
        bytes: count(row, 4)?,
        author: text(row, 5)?,
        at: time(row, 6)?,
        note: text(row, 7)?,
        variables: serde_json::from_slice(get(row, 9)?).map_err(|error| damaged(9, error))?,
        labels: labels
            .into_iter()
            .map(|label| utf8(8, label).map(str::to_owned))
            .collect::<Result<_, StoreError>>()?,
    })
}

/// Converts a number to one with a sign.
pub(super) fn signed(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Other(format!("{number} is too large a number")))
}
