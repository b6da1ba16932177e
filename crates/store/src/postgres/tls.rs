//! TLS for connections; not set up for plain connections.

use super::address::{PostgresAddress, TlsMode};
use crate::StoreError;
use deadpool_postgres::{Manager, ManagerConfig, RecyclingMethod};
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use std::sync::Arc;
use tokio_postgres::NoTls;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Builds the manager of the connections to an address.
pub(super) fn build_manager(address: &PostgresAddress) -> Result<Manager, StoreError> {
    let config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let provider = Arc::new(ring::default_provider());
    let tls_config = match address.tls_mode {
        TlsMode::None => return Ok(Manager::from_config(address.config.clone(), NoTls, config)),
        TlsMode::Offered => config_builder(&provider)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyServerVerifier(provider)))
            .with_no_client_auth(),
        TlsMode::Verified => {
            let mut roots = RootCertStore::empty();
            let bad = |why: String| StoreError::Address { address: address.shown.clone(), why };
            let certificates = match &address.root_certificates {
                None => rustls_native_certs::load_native_certs().certs,
                Some(file) => CertificateDer::pem_file_iter(file)
                    .and_then(Iterator::collect)
                    .map_err(|error| bad(format!("`sslrootcert`: {file}: {error}")))?,
            };
            roots.add_parsable_certificates(certificates);
            if roots.is_empty() {
                return Err(bad("TLS needs certificates that this machine trusts, and it has none; \
                                `sslrootcert=FILE` names a file of them"
                    .to_owned()));
            }
            config_builder(&provider)?.with_root_certificates(roots).with_no_client_auth()
        }
    };
    Ok(Manager::from_config(address.config.clone(), MakeRustlsConnect::new(tls_config), config))
}

type TlsBuilder = rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>;

fn config_builder(provider: &Arc<CryptoProvider>) -> Result<TlsBuilder, StoreError> {
    ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Other(error.to_string()))
}

/// Accepts any certificate whose key the server holds: it protects against listeners, not against another server.
#[derive(Debug)]
struct AnyServerVerifier(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyServerVerifier {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
