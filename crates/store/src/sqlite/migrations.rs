//! Migrates the tables: numbered files, each applied once, in one transaction, by the first process that opens the file.

use rusqlite::{Connection, TransactionBehavior};

/// The files, by number. A file that was released never changes; what comes after it is another file.
pub(super) const MIGRATIONS: &[(u32, &str)] = &[
    (1, include_str!("migrations/001_tables.sql")),
    (2, include_str!("migrations/002_token_expiry.sql")),
    (3, include_str!("migrations/003_requests.sql")),
    (4, include_str!("migrations/004_drafts.sql")),
    (5, include_str!("migrations/005_draft_owners.sql")),
    (6, include_str!("migrations/006_last_use.sql")),
];

/// The version of the tables that this preface knows.
pub(super) fn known() -> u32 {
    MIGRATIONS.last().map_or(0, |(number, _)| *number)
}

/// Returns the version of the tables.
pub(super) fn read_version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Writes the version of the tables once more: a page on disk without a change.
pub(super) fn write_again(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", read_version(connection)?)
}

/// Brings the tables up to date. Of several processes that do so at once each step is done by one.
pub(super) fn bring_up(connection: &mut Connection) -> rusqlite::Result<()> {
    for (number, sql) in MIGRATIONS {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if read_version(&transaction)? < *number {
            transaction.execute_batch(sql)?;
            transaction.pragma_update(None, "user_version", number)?;
        }
        transaction.commit()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_the_list_in_its_place() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/src/sqlite/migrations");
        let mut files: Vec<String> = std::fs::read_dir(directory)
            .expect("the directory is there")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .collect();
        files.sort();
        assert_eq!(files.len(), MIGRATIONS.len());
        for ((file, (number, sql)), place) in files.iter().zip(MIGRATIONS).zip(1..) {
            assert_eq!(*number, place, "numbers have no gap");
            assert!(file.starts_with(&format!("{number:03}_")), "{file}");
            assert_eq!(std::fs::read_to_string(format!("{directory}/{file}")).unwrap(), *sql, "{file}");
        }
    }
}
