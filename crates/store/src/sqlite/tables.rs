//! Makes the tables, in one transaction, by the first process that opens the file.

use rusqlite::{Connection, TransactionBehavior};

/// The tables of an empty file.
const TABLES: &str = include_str!("tables.sql");

/// The version of the tables that this preface knows.
pub(super) const KNOWN: u32 = 2;

/// Returns the version of the tables; 0 if there are none.
pub(super) fn read_version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Writes the version of the tables once more: a page on disk without a change.
pub(super) fn write_again(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", read_version(connection)?)
}

/// Makes the tables if there are none.
pub(super) fn make(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if read_version(&transaction)? == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", KNOWN)?;
    }
    transaction.commit()
}
