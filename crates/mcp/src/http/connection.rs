//! A connection to a server: TCP, TLS where the address wants it, and every byte that comes counted.
//!
//! Each request has a connection of its own. There are a dozen of them in a conversation, and nothing is to be found out
//! about one that has died meanwhile.

use super::address::Address;
use crate::intake::Intake;
use http_body_util::Full;
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    client::conn::http1,
};
use hyper_util::rt::TokioIo;
use std::{
    io,
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll, ready},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};

/// Sends a request and returns the answer, whose body is still to come.
pub(super) async fn send(
    address: &Address,
    request: Request<Full<Bytes>>,
    intake: &Arc<Intake>,
) -> io::Result<Response<Incoming>> {
    let tcp = TcpStream::connect((address.host.as_str(), address.port)).await?;
    // Nothing is waited for: a request is one piece.
    let _ = tcp.set_nodelay(true);
    let tcp = Counted { inner: tcp, intake: intake.clone() };
    if address.secure {
        let name = ServerName::try_from(address.host.clone()).map_err(io::Error::other)?;
        let tls = TlsConnector::from(trust()?).connect(name, tcp).await.map_err(no_tls)?;
        over(tls, request).await
    } else {
        over(tcp, request).await
    }
}

/// Says that it was TLS that failed: what follows sounds like a broken server where the address is that of plain HTTP.
fn no_tls(error: io::Error) -> io::Error {
    let hint = match error.to_string().contains("InvalidContentType") {
        true => "; is it an `http` address?",
        false => "",
    };
    io::Error::new(error.kind(), format!("TLS failed: {error}{hint}"))
}

async fn over<C>(connection: C, request: Request<Full<Bytes>>) -> io::Result<Response<Incoming>>
where
    C: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(connection)).await.map_err(io::Error::other)?;
    // It ends with the answer, or when that is dropped.
    tokio::spawn(connection);
    sender.send_request(request).await.map_err(io::Error::other)
}

/// Whom this machine trusts. Read once: it is a file of some hundred certificates.
fn trust() -> io::Result<Arc<ClientConfig>> {
    static TRUST: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();
    let trust = TRUST.get_or_init(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err("this machine trusts no certificate; `SSL_CERT_FILE` names a file of them".to_owned());
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
    });
    trust.clone().map_err(io::Error::other)
}

/// A connection that ends where a server has said too much.
struct Counted {
    inner: TcpStream,
    intake: Arc<Intake>,
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let read = buffer.filled().len() - before;
        if !self.intake.take(read) {
            return Poll::Ready(Err(io::Error::other("it sends too much")));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Counted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
