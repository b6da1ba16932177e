//! Reads columns.

use jiff::Timestamp;
use rusqlite::{Connection, Error, Row, ToSql, types::Type};
use serde::de::{DeserializeOwned, IntoDeserializer};
use std::{error::Error as StdError, str::FromStr, sync::Arc};

/// Returns the error for a column that cannot be read.
fn bad(column: usize, error: impl StdError + Send + Sync + 'static) -> Error {
    Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}

/// Reads a long text with one copy.
pub(super) fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Arc<str>> {
    let text = row.get_ref(column)?.as_str().map_err(|error| bad(column, error))?;
    Ok(Arc::from(text))
}

/// Reads a number that is not negative.
pub(super) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|error| bad(column, error))
}

/// Reads an instant.
pub(super) fn instant(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    Timestamp::from_millisecond(row.get(column)?).map_err(|error| bad(column, error))
}

/// Parses a name or an id.
pub(super) fn parsed<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr<Err: StdError + Send + Sync + 'static>,
{
    let text = row.get_ref(column)?.as_str().map_err(|error| bad(column, error))?;
    text.parse().map_err(|error| bad(column, error))
}

/// Reads one of a few words.
pub(super) fn word<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(|error| bad(column, error))?;
    T::deserialize(text.into_deserializer()).map_err(|error: serde::de::value::Error| bad(column, error))
}

/// Reads a JSON document.
pub(super) fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(|error| bad(column, error))?;
    serde_json::from_str(text).map_err(|error| bad(column, error))
}

/// Converts a number to one with a sign.
pub(super) fn signed(number: u64) -> rusqlite::Result<i64> {
    i64::try_from(number).map_err(|error| Error::ToSqlConversionFailure(Box::new(error)))
}

/// Runs a query and reads each row.
pub(super) fn query_all<T>(
    connection: &Connection,
    sql: &str,
    values: &[(&str, &dyn ToSql)],
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(values, read)?.collect()
}
