//! Makes the tables. Several nodes may start at the same time; the row with the version serializes them.

use super::{
    PostgresStore,
    fault::{AttemptError, Cause},
    session::{PostgresSession, TransactionEnd},
};
use crate::StoreError;
use tokio_postgres::error::SqlState;

/// The tables of an empty database.
const TABLES: &str = include_str!("tables.sql");

/// The version of the tables that this preface knows.
pub(super) const KNOWN: u32 = 2;

/// Statements that make it faster if the server knows them: texts are stored without compression; a first
/// prompt of 20 KiB then costs two thirds of the time. Other servers may refuse.
const STORAGE_SETTINGS: &[&str] = &[
    "ALTER TABLE preface_conversations ALTER COLUMN text SET STORAGE EXTERNAL, \
     ALTER COLUMN record SET STORAGE EXTERNAL",
    "ALTER TABLE preface_past_prompts ALTER COLUMN text SET STORAGE EXTERNAL, \
     ALTER COLUMN record SET STORAGE EXTERNAL",
    "ALTER TABLE preface_template_versions ALTER COLUMN text SET STORAGE EXTERNAL",
];

impl PostgresStore {
    /// Makes the tables if there are none.
    pub(super) async fn make_tables(&self) -> Result<(), AttemptError> {
        let session = self.session().await?;
        if let Some(encoding) = session.row("SHOW server_encoding", &[]).await? {
            let encoding: String = encoding.try_get(0)?;
            if !["UTF8", "SQL_ASCII"].contains(&encoding.as_str()) {
                let why = format!("the database's encoding is {encoding}, and it must be UTF8");
                return Err(StoreError::Address { address: self.address.shown.clone(), why }.into());
            }
        }
        // Most starts end here, and need no right to write.
        let found = read_version(&session).await?;
        if found == Some(KNOWN) {
            return Ok(());
        }
        if found.is_none() {
            make_place(&session).await?;
        }
        session.transaction(create_tables(&session)).await?;
        for statement in STORAGE_SETTINGS {
            match session.batch(statement).await {
                Err(AttemptError { cause: Cause::Server(error), .. }) if error.code().is_some() => (),
                done => done?,
            }
        }
        Ok(())
    }
}

/// Makes the place of the version.
async fn make_place(session: &PostgresSession) -> Result<(), AttemptError> {
    for attempt in 0.. {
        let made = session
            .batch("CREATE TABLE IF NOT EXISTS preface_meta (key text PRIMARY KEY, value bigint NOT NULL)")
            .await;
        match made {
            // `IF NOT EXISTS` does not look at what another node is just making.
            Err(fault) if attempt < 4 && is_rivalry(&fault) => (),
            made => return made,
        }
    }
    Ok(())
}

fn is_rivalry(fault: &AttemptError) -> bool {
    let Cause::Server(error) = &fault.cause else { return false };
    let code = error.code();
    [SqlState::UNIQUE_VIOLATION, SqlState::DUPLICATE_TABLE, SqlState::DUPLICATE_OBJECT]
        .iter()
        .any(|rival| code == Some(rival))
}

async fn create_tables(session: &PostgresSession) -> Result<TransactionEnd<()>, AttemptError> {
    let place = "INSERT INTO preface_meta (key, value) VALUES ('tables', 0) ON CONFLICT (key) DO NOTHING";
    session.batch(place).await?;
    let lock = "SELECT value FROM preface_meta WHERE key = 'tables' FOR UPDATE";
    let row = session.row(lock, &[]).await?;
    let found = row.map(|row| row.try_get::<_, i64>(0)).transpose()?.unwrap_or_default();
    let found = u32::try_from(found).unwrap_or(u32::MAX);
    // Another node may have been faster.
    match found {
        0 => session.batch(TABLES).await?,
        KNOWN => return Ok(TransactionEnd::Undo(())),
        found => return Err(version_error(Some(found)).into()),
    }
    session.rows("UPDATE preface_meta SET value = $1 WHERE key = 'tables'", &[&i64::from(KNOWN)]).await?;
    Ok(TransactionEnd::Keep(()))
}

/// Returns the version of the tables; `None` if there are none.
pub(super) async fn read_version(session: &PostgresSession) -> Result<Option<u32>, AttemptError> {
    match session.row("SELECT value FROM preface_meta WHERE key = 'tables'", &[]).await {
        Ok(row) => {
            let version = row.map(|row| row.try_get::<_, i64>(0)).transpose()?;
            Ok(version.map(|version| u32::try_from(version).unwrap_or(u32::MAX)))
        }
        Err(AttemptError { cause: Cause::Server(error), .. })
            if error.code() == Some(&SqlState::UNDEFINED_TABLE) =>
        {
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}

/// Returns the error for tables of another version.
pub(super) fn version_error(found: Option<u32>) -> StoreError {
    match found {
        Some(found) if found > KNOWN => StoreError::Newer { found, known: KNOWN },
        _ => StoreError::Damaged("its tables were taken away or set back; a new start makes them".to_owned()),
    }
}
