//! Conversion of SQLite errors to store errors.

use crate::StoreError;
use rusqlite::{Error, ErrorCode};
use std::path::Path;

/// Converts an error of SQLite to an error of the store in this file.
pub(super) fn convert_error(error: &Error, file: &Path) -> StoreError {
    let why = format!("{}: {error}", file.display());
    match error {
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::Utf8Error(..) => return StoreError::Damaged(why),
        _ => {}
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy(why),
        Some(ErrorCode::DiskFull) => StoreError::Full(why),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly(why),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged(why),
        Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => {
            StoreError::Unreachable { address: format!("sqlite:{}", file.display()), why: error.to_string() }
        }
        _ => StoreError::Other(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    #[test]
    fn codes_are_converted_to_store_errors() {
        let convert =
            |code| convert_error(&Error::SqliteFailure(ffi::Error::new(code), None), Path::new("/a/b.db"));
        assert!(matches!(convert(ffi::SQLITE_FULL), StoreError::Full(why) if why.starts_with("/a/b.db: ")));
        assert!(matches!(convert(ffi::SQLITE_BUSY), StoreError::Busy(_)));
        assert!(matches!(convert(ffi::SQLITE_BUSY_SNAPSHOT), StoreError::Busy(_)));
        assert!(matches!(convert(ffi::SQLITE_READONLY_DIRECTORY), StoreError::ReadOnly(_)));
        assert!(matches!(convert(ffi::SQLITE_CORRUPT), StoreError::Damaged(_)));
        assert!(matches!(convert(ffi::SQLITE_IOERR_WRITE), StoreError::Unreachable { .. }));
        assert!(matches!(convert(ffi::SQLITE_MISUSE), StoreError::Other(_)));
    }
}
