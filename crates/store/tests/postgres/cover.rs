//! TLS: used where the server offers it, refused where it must be trusted and is not.

use preface_store::{StoreError, StoreUrl};
use preface_testkit::contract::server::{Durability, PostgresServer};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    process::Command,
};

/// Gives the server a certificate that nobody trusts.
fn cover(server: &PostgresServer) {
    let data = server.data();
    let owner = fs::metadata(&data).expect("it is there");
    let (key, certificate) = (data.join("server.key"), data.join("server.crt"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-subj", "/CN=127.0.0.1", "-days", "2"])
        .args([
            "-addext",
            "subjectAltName=IP:127.0.0.1,DNS:localhost",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output()
        .expect("openssl, which Debian's PostgreSQL brings");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for file in [&key, &certificate] {
        chown(file, Some(owner.uid()), Some(owner.gid())).expect("it is ours");
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).expect("it is ours");
    }
    server.sql("postgres", "ALTER SYSTEM SET ssl = on");
    server.stop();
    server.start_again();
}

#[tokio::test]
async fn the_connection_is_covered_where_it_can_be() {
    let Some(server) = PostgresServer::start_with(Durability::Nothing) else { return };
    server.create_database("db");
    let how = || {
        server.sql(
            "db",
            "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
             WHERE application_name = 'preface'",
        )
    };
    let url = server.url("db");
    let required = async || {
        let url: StoreUrl = format!("{url}?sslmode=require").parse().expect("an address");
        preface_store::open(&url).await.expect_err("it does not open")
    };
    let store = crate::open(&url).await;
    assert_eq!(how(), "f", "the connection to a server without TLS is plain");
    store.close().await.expect("it closes");
    let error = required().await;
    // A machine without trusted certificates fails before it connects.
    let nobody = matches!(&error, StoreError::Address { why, .. } if why.contains("certificates"));
    let message = error.to_string();
    assert!(nobody || message.contains("server does not support TLS"), "{message}");

    cover(&server);
    let store = crate::open(&url).await;
    assert_eq!(how(), "t", "one that offers TLS gets it");
    store.close().await.expect("it closes");
    let store = crate::open(&format!("{url}?sslmode=disable")).await;
    assert_eq!(how(), "f");
    store.close().await.expect("it closes");
    let store = crate::open(&server.socket_url("db")).await;
    assert_eq!(how(), "f", "a Unix socket needs none");
    store.close().await.expect("it closes");
    let message = required().await.to_string();
    assert!(nobody || message.contains("certificate"), "{message}");
    let certificate = server.data().join("server.crt");
    let store =
        crate::open(&format!("{url}?sslmode=verify-full&sslrootcert={}", certificate.display())).await;
    assert_eq!(how(), "t", "its certificate is one that is trusted");
    store.close().await.expect("it closes");
    let missing: StoreUrl =
        format!("{url}?sslmode=verify-full&sslrootcert=/no/ca.pem").parse().expect("an address");
    let error = preface_store::open(&missing).await.expect_err("the file is missing");
    assert!(error.to_string().contains("`sslrootcert`: /no/ca.pem: "), "{error}");
}
