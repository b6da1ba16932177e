//! TLS: a client that trusts the certificate is answered, and a certificate that was renewed is used for new connections.

mod support;

use preface_server::{App, TlsFiles, TokenRule, serve};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use std::{fs, net::SocketAddr, path::Path, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};

/// Writes a new certificate for `localhost`, and its key.
fn certify(directory: &Path) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    fs::write(directory.join("cert.pem"), cert.pem()).expect("it is written");
    fs::write(directory.join("key.pem"), signing_key.serialize_pem()).expect("it is written");
    CertificateDer::from_pem_slice(cert.pem().as_bytes()).expect("PEM")
}

fn open(directory: &Path) -> Result<TlsFiles, String> {
    TlsFiles::open(&directory.join("cert.pem"), &directory.join("key.pem"))
        .map_err(|error| format!("{error:?}").replace(directory.to_str().expect("text"), "DIR"))
}

/// Requests `/healthz` and trusts this certificate alone.
async fn get_health(address: SocketAddr, trusted: &CertificateDer<'static>) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").expect("a name");
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
    let request =
        format!("GET /healthz HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", address.port());
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_renewed_certificate_is_used_without_a_restart() {
    let directory = tempfile::tempdir().expect("a directory");
    let first = certify(directory.path());
    let tls = Arc::new(open(directory.path()).expect("it is usable"));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut app: App = support::app().await.listening(address, &[], TokenRule::default());
    app.tls = Some(tls.clone());
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(serve(app, listener, async {
        let _ = stopped.await;
    }));

    let response = get_health(address, &first).await.expect("an response");
    assert!(
        response.starts_with("HTTP/1.1 200 OK") && response.ends_with(r#"{"status":"ok"}"#),
        "{response}"
    );
    // A client without TLS gets no response, and disturbs no other.
    let mut plain = TcpStream::connect(address).await.expect("a connection");
    plain.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("it is sent");
    let mut plain_response = Vec::new();
    let _ = plain.read_to_end(&mut plain_response).await;
    assert!(!plain_response.starts_with(b"HTTP"), "{plain_response:?}");

    // While the files cannot be used the former certificate stays.
    fs::write(directory.path().join("cert.pem"), "half").expect("it is written");
    tls.reload();
    assert!(get_health(address, &first).await.is_ok());
    let second = certify(directory.path());
    tls.reload();
    assert!(get_health(address, &second).await.expect("an response").starts_with("HTTP/1.1 200 OK"));
    assert!(get_health(address, &first).await.is_err(), "the former certificate is not used any more");
    stop.send(()).expect("it runs");
    served.await.expect("it ends").expect("the store is closed");
}

#[test]
fn a_file_that_cannot_be_used_is_named_with_the_reason() {
    let directory = tempfile::tempdir().expect("a directory");
    let refused = || open(directory.path()).expect_err("it cannot be used");
    assert_eq!(
        refused(),
        r#"Certificate("the certificate cannot be read: DIR/cert.pem: No such file or directory")"#
    );
    certify(directory.path());
    let key = fs::read(directory.path().join("key.pem")).expect("it is there");
    fs::write(directory.path().join("key.pem"), "x").expect("it is written");
    assert_eq!(refused(), r#"Key("DIR/key.pem: the file contains no readable private key")"#);
    fs::write(directory.path().join("key.pem"), &key).expect("it is written");
    let certificate = fs::read(directory.path().join("cert.pem")).expect("it is there");
    fs::write(directory.path().join("cert.pem"), &key).expect("it is written");
    assert_eq!(refused(), r#"Certificate("DIR/cert.pem: the file contains no certificate")"#);
    certify(directory.path());
    fs::write(directory.path().join("cert.pem"), &certificate).expect("it is written");
    let wrong = refused();
    assert!(
        wrong.starts_with(r#"Key("DIR/key.pem: the key does not match the certificate DIR/cert.pem: "#),
        "{wrong}"
    );
}
