//! Parses the address of a server: the parameters of every PostgreSQL client, with `sslmode=verify-full` and `sslrootcert`, and
//! `pool_max`.

use crate::{StoreError, StoreUrl};
use std::{error::Error as _, str::FromStr, thread::available_parallelism, time::Duration};
use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};

/// The longest time in which a server must accept a connection.
pub(super) const CONNECT: Duration = Duration::from_secs(5);

/// The most connections of one node where the address names no number: three nodes fit into the hundred that a server allows
/// unless it is set up otherwise.
const DEFAULT_POOL_LIMIT: usize = 32;

/// The address of the server and the settings of the connection.
pub(super) struct PostgresAddress {
    /// The configuration of the client.
    pub config: Config,
    pub pool_max: usize,
    /// The encryption of the connection.
    pub tls_mode: TlsMode,
    /// The file of certificates that may sign the server's, in place of those that the machine trusts: `sslrootcert`.
    pub root_certificates: Option<String>,
    /// The address without its password.
    pub shown: String,
}

/// The encryption of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TlsMode {
    /// Not at all: `sslmode=disable`, or a socket of this machine.
    None,
    /// TLS where the server offers it, with any certificate: `sslmode=prefer`, which a man in the middle could undo anyway.
    Offered,
    /// TLS, and the server's certificate must be one that this machine trusts, for the server's name: `sslmode=require` or
    /// `verify-full`.
    Verified,
}

impl PostgresAddress {
    /// Reads an address.
    pub fn read(url: &str) -> Result<PostgresAddress, StoreError> {
        let shown = StoreUrl::Postgres(url.to_owned()).shown();
        let bad = |why: String| StoreError::Address { address: shown.clone(), why };
        let OwnParameters { rest, pool_max, root_certificates } = OwnParameters::take(url).map_err(bad)?;
        let mut config = Config::from_str(&rest).map_err(|error| {
            // The cause names the option, never its value.
            bad(error.source().map_or_else(|| error.to_string(), ToString::to_string))
        })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(bad(
                "the host is missing (a Unix socket: `postgres:///DATABASE?host=/DIRECTORY`)".to_owned()
            ));
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        // A connection that the network lost is noticed within half a minute, unless the address sets other limits.
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(Duration::from_secs(15));
        }
        if config.get_keepalives_interval().is_none() && config.get_keepalives_retries().is_none() {
            config.keepalives_idle(Duration::from_secs(15));
            config.keepalives_interval(Duration::from_secs(5)).keepalives_retries(3);
        }
        if config.get_application_name().is_none() {
            config.application_name("preface");
        }
        let is_remote = config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_)))
            || !config.get_hostaddrs().is_empty();
        let tls_mode = match config.get_ssl_mode() {
            SslMode::Require => TlsMode::Verified,
            SslMode::Prefer if is_remote => TlsMode::Offered,
            _ => TlsMode::None,
        };
        if tls_mode == TlsMode::None {
            config.ssl_mode(SslMode::Disable);
        }
        Ok(PostgresAddress { config, pool_max, tls_mode, root_certificates, shown })
    }
}

/// The parameters that the client does not know.
struct OwnParameters {
    /// The address for the client.
    rest: String,
    pool_max: usize,
    root_certificates: Option<String>,
}

impl OwnParameters {
    /// Takes them out of the query.
    fn take(url: &str) -> Result<Self, String> {
        let mut own = OwnParameters {
            rest: url.to_owned(),
            pool_max: default_pool_max(available_parallelism().map_or(2, usize::from)),
            root_certificates: None,
        };
        // The user ends at the first `@`; a password may hold a `?`.
        let start = url.find('@').map_or(0, |at| at + 1);
        let Some(query) = url[start..].find('?').map(|at| start + at) else { return Ok(own) };
        let mut others = Vec::new();
        for pair in url[query + 1..].split('&') {
            match pair.split_once('=') {
                Some(("pool_max", number)) => {
                    own.pool_max = number
                        .parse()
                        .ok()
                        .filter(|number| (1..=1000).contains(number))
                        .ok_or("`pool_max` is a number from 1 to 1000")?;
                }
                Some(("sslrootcert", file)) => own.root_certificates = Some(file.to_owned()),
                Some(("sslmode", "verify-full")) => others.push("sslmode=require"),
                _ => others.push(pair),
            }
        }
        let mark = if others.is_empty() { "" } else { "?" };
        own.rest = format!("{}{mark}{}", &url[..query], others.join("&"));
        Ok(own)
    }
}

/// Returns how many connections a node with this many cores may open.
fn default_pool_max(cores: usize) -> usize {
    (2 * cores + 2).clamp(8, DEFAULT_POOL_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_size_of_the_pool_has_bounds() {
        let sizes = [1, 3, 4, 15, 16, 128].map(default_pool_max);
        assert_eq!(sizes, [8, 8, 10, 32, 32, 32]);
    }

    #[test]
    fn pool_max_is_taken_out_of_the_address_of_the_client() {
        let address =
            PostgresAddress::read("postgres://me:p@db.example/x?pool_max=3&application_name=a").unwrap();
        assert_eq!(address.pool_max, 3);
        assert_eq!(address.config.get_application_name(), Some("a"));
        assert_eq!((address.config.get_dbname(), address.config.get_user()), (Some("x"), Some("me")));
        let address = PostgresAddress::read("postgres://me@db.example/x?pool_max=12").unwrap();
        assert_eq!((address.pool_max, address.config.get_dbname()), (12, Some("x")));
        assert!(PostgresAddress::read("postgres://me@db.example/x").unwrap().pool_max >= 8);
        for wrong in ["0", "many", "-1", ""] {
            let error =
                PostgresAddress::read(&format!("postgres://me:s3cret@h/x?pool_max={wrong}")).err().unwrap();
            assert!(error.to_string().contains("`pool_max`"), "{error}");
            assert!(!error.to_string().contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn a_unix_socket_needs_no_tls() {
        let tls_mode = |url: &str| PostgresAddress::read(url).unwrap().tls_mode;
        assert_eq!(tls_mode("postgres:///x?host=/run/postgresql"), TlsMode::None);
        assert_eq!(tls_mode("postgres://h/x"), TlsMode::Offered);
        assert_eq!(tls_mode("postgres://h/x?sslmode=prefer"), TlsMode::Offered);
        assert_eq!(tls_mode("postgres://h/x?sslmode=disable"), TlsMode::None);
        assert_eq!(tls_mode("postgres://h/x?sslmode=require"), TlsMode::Verified);
        assert_eq!(tls_mode("postgres://h/x?sslmode=verify-full"), TlsMode::Verified);
    }

    #[test]
    fn errors_of_an_address_do_not_contain_its_password() {
        for wrong in [
            "postgres://me:s3cret@h:port/x",
            "postgres://me:s3cret@h/x?sslmode=maybe",
            "postgres://me:s3cret@h/x?colour=red",
            "postgres:///x",
        ] {
            let error = PostgresAddress::read(wrong).err().unwrap();
            assert!(matches!(error, StoreError::Address { .. }), "{error}");
            assert!(!error.to_string().contains("s3cret"), "{error}");
        }
    }
}
