//! TLS: the certificate and the key of the service, read again when their files change.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};
use tracing::{info, warn};

/// The pause between two looks at the files.
const PAUSE: Duration = Duration::from_secs(5);

/// Why a certificate and its key cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsError {
    problem: String,
    help: &'static str,
}

impl TlsError {
    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        self.help
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for TlsError {}

const CERTIFICATE_HELP: &str =
    "`--tls-cert` names a PEM file with the certificate of this service, then those of its chain";
const KEY_HELP: &str = "`--tls-key` names a PEM file with the private key of the certificate, not encrypted";

/// The file of a certificate and that of its key, both PEM, and what they held when they were last usable.
pub struct TlsFiles {
    certificate: PathBuf,
    key: PathBuf,
    acceptor: RwLock<TlsAcceptor>,
    /// The digest of both files, or why they could not be read, at the last look.
    seen: Mutex<Result<blake3::Hash, TlsError>>,
}

impl TlsFiles {
    /// Reads a certificate with its chain, and its key.
    ///
    /// # Errors
    /// A file cannot be read or holds something else, or the key is that of another certificate.
    pub fn open(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let contents = Contents::read(certificate, key)?;
        let acceptor = contents.acceptor(certificate, key)?;
        Ok(TlsFiles {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            acceptor: RwLock::new(acceptor),
            seen: Mutex::new(Ok(contents.digest())),
        })
    }

    /// Returns the acceptor for a new connection.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks at the files every few seconds, for as long as it is polled.
    pub(crate) async fn follow(self: Arc<Self>) {
        loop {
            tokio::time::sleep(PAUSE).await;
            let files = self.clone();
            let _ = tokio::task::spawn_blocking(move || files.reload()).await;
        }
    }

    /// Reads the files again. New connections get the new certificate; while the files cannot be used, the former one.
    pub fn reload(&self) {
        let contents = Contents::read(&self.certificate, &self.key);
        let found = contents.as_ref().map(Contents::digest).map_err(Clone::clone);
        if std::mem::replace(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner), found.clone())
            == found
        {
            return;
        }
        match contents.and_then(|contents| contents.acceptor(&self.certificate, &self.key)) {
            Ok(acceptor) => {
                *self.acceptor.write().unwrap_or_else(PoisonError::into_inner) = acceptor;
                info!(certificate = %self.certificate.display(), "the certificate was read again");
            }
            Err(error) => {
                warn!(%error, help = error.help, "the new certificate cannot be used; the former one stays in use");
            }
        }
    }
}

impl fmt::Debug for TlsFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsFiles")
            .field("certificate", &self.certificate)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// The bytes of both files.
struct Contents {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Contents {
    fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let read = |what: &str, path: &Path, help| {
            fs::read(path).map_err(|error| TlsError { problem: unreadable(what, path, &error), help })
        };
        Ok(Contents {
            certificate: read("certificate", certificate, CERTIFICATE_HELP)?,
            key: read("key", key, KEY_HELP)?,
        })
    }

    fn digest(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.certificate.len() as u64).to_le_bytes());
        hasher.update(&self.certificate).update(&self.key);
        hasher.finalize()
    }

    fn acceptor(&self, certificate: &Path, key: &Path) -> Result<TlsAcceptor, TlsError> {
        let wrong =
            |path: &Path, what: &str, help| TlsError { problem: format!("{}: {what}", path.display()), help };
        let chain = CertificateDer::pem_slice_iter(&self.certificate)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| wrong(certificate, &format!("not PEM: {error}"), CERTIFICATE_HELP))?;
        if chain.is_empty() {
            return Err(wrong(certificate, "the file holds no certificate", CERTIFICATE_HELP));
        }
        let secret = PrivateKeyDer::from_pem_slice(&self.key)
            .map_err(|_| wrong(key, "the file holds no private key that can be read", KEY_HELP))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
            .map_err(|error| {
                wrong(
                    key,
                    &format!("the key does not fit the certificate {}: {error}", certificate.display()),
                    KEY_HELP,
                )
            })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

fn unreadable(what: &str, path: &Path, error: &io::Error) -> String {
    let why = error.to_string();
    // The number of an error helps nobody.
    let why = why.split(" (os error").next().unwrap_or_default();
    format!("the {what} cannot be read: {}: {why}", path.display())
}
