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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// The file with the certificate and its chain is missing or cannot be used.
    #[error("{0}")]
    Certificate(String),
    /// The file with the private key is missing, cannot be used, or does not fit the certificate.
    #[error("{0}")]
    Key(String),
}

/// The file of a certificate and that of its key, both PEM, and what they held when they were last usable.
pub struct TlsFiles {
    certificate: PathBuf,
    key: PathBuf,
    acceptor: RwLock<TlsAcceptor>,
    /// Both files, or why they could not be read, at the last look.
    seen: Mutex<Result<Contents, TlsError>>,
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
            seen: Mutex::new(Ok(contents)),
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
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen == contents {
            return;
        }
        seen.clone_from(&contents);
        match contents.and_then(|contents| contents.acceptor(&self.certificate, &self.key)) {
            Ok(acceptor) => {
                *self.acceptor.write().unwrap_or_else(PoisonError::into_inner) = acceptor;
                info!(certificate = %self.certificate.display(), "certificate reloaded");
            }
            Err(error) => {
                warn!(%error, "cannot use the new certificate; the earlier one stays in use");
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
#[derive(Clone, PartialEq, Eq)]
struct Contents {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Contents {
    fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let read = |what: &str, path: &Path| fs::read(path).map_err(|error| unreadable(what, path, &error));
        Ok(Contents {
            certificate: read("certificate", certificate).map_err(TlsError::Certificate)?,
            key: read("key", key).map_err(TlsError::Key)?,
        })
    }

    fn acceptor(&self, certificate: &Path, key: &Path) -> Result<TlsAcceptor, TlsError> {
        let not_certificate =
            |what: &str| TlsError::Certificate(format!("{}: {what}", certificate.display()));
        let not_key = |what: &str| TlsError::Key(format!("{}: {what}", key.display()));
        let chain = CertificateDer::pem_slice_iter(&self.certificate)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| not_certificate(&format!("not PEM: {error}")))?;
        if chain.is_empty() {
            return Err(not_certificate("the file contains no certificate"));
        }
        let secret = PrivateKeyDer::from_pem_slice(&self.key)
            .map_err(|_| not_key("the file contains no readable private key"))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
            .map_err(|error| {
                not_key(&format!("the key does not match the certificate {}: {error}", certificate.display()))
            })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

fn unreadable(what: &str, path: &Path, error: &io::Error) -> String {
    let why = error.to_string();
    // The number of an error does not help.
    let why = why.split(" (os error").next().unwrap_or_default();
    format!("the {what} cannot be read: {}: {why}", path.display())
}
