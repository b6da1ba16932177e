//! Errors of a connection, and the decision to retry.

use super::address::PostgresAddress;
use crate::StoreError;
use deadpool_postgres::{HookError, PoolError, TimeoutType};
use preface_core::causes::join_causes;
use std::error::Error as _;
use tokio_postgres::{
    Error,
    error::{DbError, SqlState},
};

/// The error of one attempt.
#[derive(Debug)]
pub(super) struct AttemptError {
    pub cause: Cause,
    /// True if the server may have stored the write although its reply was lost.
    pub in_doubt: bool,
}

/// The reason why an attempt failed.
#[derive(Debug)]
pub(super) enum Cause {
    /// No connection came out of the pool.
    Pool(PoolError),
    /// The connection or the server.
    Server(Error),
    /// The server took too long.
    Timeout,
    /// An error of the store itself.
    Store(StoreError),
}

/// The next step after an attempt that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RetryAction {
    /// Two writers conflict: try again after a while.
    Yield,
    /// The connection is dead, or leads to a server that takes no writes: try again on another.
    Reconnect,
    /// Give up.
    Fail,
}

impl From<PoolError> for AttemptError {
    fn from(error: PoolError) -> Self {
        AttemptError { cause: Cause::Pool(error), in_doubt: false }
    }
}

impl From<Error> for AttemptError {
    fn from(error: Error) -> Self {
        let in_doubt = error.as_db_error().is_none_or(|error| is_end(error.code()));
        AttemptError { cause: Cause::Server(error), in_doubt }
    }
}

impl From<StoreError> for AttemptError {
    fn from(error: StoreError) -> Self {
        AttemptError { cause: Cause::Store(error), in_doubt: false }
    }
}

impl AttemptError {
    pub fn timeout() -> Self {
        AttemptError { cause: Cause::Timeout, in_doubt: true }
    }

    /// Returns the next step.
    pub fn retry_action(&self) -> RetryAction {
        match &self.cause {
            Cause::Server(error) => match error.code() {
                Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED) => {
                    RetryAction::Yield
                }
                Some(code) if is_end(code) || is_read_only(code) => RetryAction::Reconnect,
                Some(_) => RetryAction::Fail,
                None if is_broken(error) => RetryAction::Reconnect,
                None => RetryAction::Fail,
            },
            Cause::Pool(_) | Cause::Timeout | Cause::Store(_) => RetryAction::Fail,
        }
    }

    /// Returns true if the server takes no writes: a standby, or the former primary after a failover.
    pub fn is_read_only(&self) -> bool {
        matches!(&self.cause, Cause::Server(error) if error.code().is_some_and(is_read_only))
    }

    /// Returns true if no connection could be made because the server allows no more of them.
    pub fn is_connection_limit(&self) -> bool {
        matches!(&self.cause, Cause::Pool(PoolError::Backend(error))
            if error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS))
    }

    /// Converts it to a store error, without secrets.
    pub fn into_store_error(self, address: &PostgresAddress) -> StoreError {
        let unreachable = |why: String| StoreError::Unreachable { address: address.shown.clone(), why };
        let error = match self.cause {
            Cause::Store(error) => return error,
            Cause::Timeout => return unreachable("it did not answer in time".to_owned()),
            Cause::Pool(PoolError::Closed) => return StoreError::Closed,
            Cause::Pool(PoolError::Timeout(TimeoutType::Wait)) => {
                return StoreError::Busy(format!(
                    "all {} connections are in use; `pool_max` in the address allows more",
                    address.pool_max
                ));
            }
            Cause::Pool(PoolError::Timeout(_)) => {
                return unreachable("no connection could be made in time".to_owned());
            }
            Cause::Pool(PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)))
            | Cause::Server(error) => error,
            Cause::Pool(other) => return StoreError::Other(other.to_string()),
        };
        let Some(db_error) = error.as_db_error() else {
            let why = join_causes(&error);
            // The client's own refusal of a connection to such a server has no code.
            if why.contains("does not allow writes") {
                return StoreError::ReadOnly("the server is a standby, or set to read-only".to_owned());
            }
            return match is_broken(&error) {
                true => unreachable(why),
                false => StoreError::Other(why),
            };
        };
        convert_db_error(db_error, address)
    }
}

fn convert_db_error(error: &DbError, address: &PostgresAddress) -> StoreError {
    let message = error.message().to_owned();
    let code = error.code();
    if *code == SqlState::DISK_FULL {
        return StoreError::Full(message);
    }
    if is_read_only(code) || *code == SqlState::INSUFFICIENT_PRIVILEGE {
        return StoreError::ReadOnly(message);
    }
    // No such database, no such user or a wrong password, or the end of the connection.
    if *code == SqlState::INVALID_CATALOG_NAME || code.code().starts_with("28") || is_end(code) {
        return StoreError::Unreachable { address: address.shown.clone(), why: message };
    }
    match code.code() {
        // Statement or lock timeout, too many connections, out of memory, rivals until the end.
        "57014" | "55P03" | "53300" | "53200" | "40001" | "40P01" => StoreError::Busy(message),
        "XX001" | "XX002" => StoreError::Damaged(message),
        code => StoreError::Other(format!("{message} ({code})")),
    }
}

/// Returns true if the server ends the connection: it stops, starts, or lost its way.
fn is_end(code: &SqlState) -> bool {
    code.code().starts_with("08") || ["57P01", "57P02", "57P03", "57P04", "57P05"].contains(&code.code())
}

/// Returns true if the server takes no writes on this connection. A connection that was made before a failover keeps leading to
/// the former primary.
fn is_read_only(code: &SqlState) -> bool {
    *code == SqlState::READ_ONLY_SQL_TRANSACTION
}

/// Returns true if the connection is at fault, not the request.
fn is_broken(error: &Error) -> bool {
    if error.is_closed() || error.source().is_some_and(|cause| cause.is::<std::io::Error>()) {
        return true;
    }
    // The kinds are private; their messages are not.
    let kind = error.to_string();
    ["TLS", "connecting", "timeout", "communicating", "authentication", "configuration", "unexpected message"]
        .iter()
        .any(|word| kind.contains(word))
}
