//! Listening: what happens to connections, and to accepted requests at the end.

mod support;

use axum::{
    Router,
    extract::State,
    routing::{get, put},
};
use preface_engine::store::{Actor, ExpectedVersion, NewVersion, Store, TemplateName, VersionChoice};
use preface_server::{ServiceLimits, TokenRule, layered, listen};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};
use tokio::{net::TcpListener, runtime::Runtime, sync::oneshot, task::JoinHandle};

/// The bytes of a large reply.
const LARGE: usize = 32 << 20;

struct Listening {
    runtime: Runtime,
    address: SocketAddr,
    store: Arc<dyn Store>,
    stop: oneshot::Sender<()>,
    done: JoinHandle<()>,
}

/// A service whose one route keeps its body as a template.
fn listening(limits: ServiceLimits) -> Listening {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (stop, stopped) = oneshot::channel();
    let (address, store, done) = runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut app = support::app().await.listening(address, &[], TokenRule::default());
        app.limits = limits;
        let store = app.store.clone();
        let routes = Router::new().route(
            "/keep",
            put(async |State(store): State<Arc<dyn Store>>, body: String| {
                let new = NewVersion::of(TemplateName::main(), body);
                store.put_template(new, ExpectedVersion::Any, &Actor::new("local")).await.unwrap();
                "kept"
            })
            .with_state(store.clone()),
        );
        // More than the buffers of a connection take.
        let routes = routes
            .route("/large", get(async || vec![b'x'; LARGE]))
            .route("/slow", get(async || tokio::time::sleep(Duration::from_secs(600)).await))
            .route(
                "/metrics",
                get({
                    let metrics = app.metrics.clone();
                    async move || metrics.text()
                }),
            )
            .route("/healthz", get(async || "ok"));
        let router = layered(routes, &app);
        let done = tokio::spawn(listen(router, limits, listener, async {
            let _ = stopped.await;
        }));
        (address, store, done)
    });
    Listening { runtime, address, store, stop, done }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    // A test that fails must end.
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

fn rest(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn an_accepted_write_is_finished_after_a_stop_signal() {
    let service = listening(ServiceLimits::default());
    let mut stream = connect(service.address);
    let idle = connect(service.address);
    // The handler runs and waits for its body: the server requests it.
    write!(
        stream,
        "PUT /keep HTTP/1.1\r\nHost: {}\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n",
        service.address
    )
    .unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    service.stop.send(()).unwrap();
    // New connections are no longer taken.
    while TcpStream::connect(service.address).is_ok() {
        std::thread::yield_now();
    }
    stream.write_all(b"my own").unwrap();
    let answer = rest(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.ends_with("kept"), "{answer}");
    service.runtime.block_on(async {
        service.done.await.unwrap();
        let kept =
            service.store.template(&TemplateName::main(), &VersionChoice::Current).await.unwrap().unwrap();
        assert_eq!(kept.text.as_deref(), Some("my own"));
    });
    drop(idle);
}

#[test]
fn a_client_that_never_finishes_its_head_is_hung_up_on() {
    let limits = ServiceLimits { head: Duration::from_millis(50), ..ServiceLimits::default() };
    let service = listening(limits);
    let mut silent = connect(service.address);
    let mut slow = connect(service.address);
    slow.write_all(b"GET /keep HTTP/1.1\r\nHost: ").unwrap();
    for stream in [&mut silent, &mut slow] {
        let answer = rest(stream);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    }
}

#[test]
fn a_client_that_never_finishes_its_body_is_hung_up_on() {
    let limits = ServiceLimits { body: Duration::from_millis(50), ..ServiceLimits::default() };
    let service = listening(limits);
    let mut stream = connect(service.address);
    write!(stream, "PUT /keep HTTP/1.1\r\nHost: {}\r\nContent-Length: 6\r\n\r\nmy", service.address).unwrap();
    let answer = rest(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("body-timeout"), "{answer}");
}

/// Sends a request and returns the first line of the answer; the connection stays open.
fn ask(stream: &mut TcpStream, path: &str) -> String {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", stream.peer_addr().unwrap()).unwrap();
    let mut line = Vec::new();
    let mut byte = [0];
    while stream.read(&mut byte).unwrap_or_default() == 1 && byte[0] != b'\n' {
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap().trim_end().to_owned()
}

#[test]
fn a_client_that_reads_nothing_is_hung_up_on() {
    let limits = ServiceLimits { write: Duration::from_millis(100), ..ServiceLimits::default() };
    let service = listening(limits);
    let mut stream = connect(service.address);
    write!(stream, "GET /large HTTP/1.1\r\nHost: {}\r\n\r\n", service.address).unwrap();
    // Nothing is read until the service is done with it.
    std::thread::sleep(Duration::from_secs(2));
    assert!(rest(&mut stream).len() < LARGE);
    let mut slow = connect(service.address);
    write!(slow, "GET /large HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", service.address).unwrap();
    assert!(rest(&mut slow).len() > LARGE, "who reads gets all of it");
}

#[test]
fn beyond_the_limit_of_connections_health_is_answered() {
    let service = listening(ServiceLimits { connections: 1, ..ServiceLimits::default() });
    let mut first = connect(service.address);
    assert_eq!(ask(&mut first, "/healthz"), "HTTP/1.1 200 OK");
    for (path, status) in [("/healthz", "HTTP/1.1 200 OK"), ("/large", "HTTP/1.1 503 Service Unavailable")] {
        let mut more = connect(service.address);
        assert_eq!(ask(&mut more, path), status);
        assert!(rest(&mut more).contains("connection: close"), "{path}");
    }
    drop(first);
    // Its place is free once the service has seen that.
    let is_free = || ask(&mut connect(service.address), "/metrics") == "HTTP/1.1 200 OK";
    while !is_free() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_idle_connection_stays_longer_than_one_without_a_request() {
    let (head, keep_alive) = (Duration::from_millis(50), Duration::from_millis(500));
    let service = listening(ServiceLimits { head, keep_alive, ..ServiceLimits::default() });
    let mut stream = connect(service.address);
    for _ in 0..2 {
        assert_eq!(ask(&mut stream, "/healthz"), "HTTP/1.1 200 OK");
        let mut left = [0; 4096];
        let _ = stream.read(&mut left).unwrap();
        std::thread::sleep(head * 4);
    }
    let started = std::time::Instant::now();
    assert_eq!(rest(&mut stream), "");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_request_whose_client_goes_away_is_counted() {
    let service = listening(ServiceLimits::default());
    let mut gone = connect(service.address);
    write!(gone, "GET /slow HTTP/1.1\r\nHost: {}\r\n\r\n", service.address).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    drop(gone);
    let line = r#"http_requests_total{route="/slow",method="GET",status="499"} 1"#;
    let is_counted = || {
        let mut stream = connect(service.address);
        let host = service.address;
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        rest(&mut stream).contains(line)
    };
    while !is_counted() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_end_does_not_wait_for_ever() {
    let limits = ServiceLimits { farewell: Duration::from_millis(50), ..ServiceLimits::default() };
    let service = listening(limits);
    let mut stream = connect(service.address);
    write!(
        stream,
        "PUT /keep HTTP/1.1\r\nHost: {}\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n",
        service.address
    )
    .unwrap();
    stream.read_exact(&mut [0; 25]).unwrap();
    service.stop.send(()).unwrap();
    let bound = Duration::from_secs(10);
    service
        .runtime
        .block_on(async { tokio::time::timeout(bound, service.done).await.expect("it ends").unwrap() });
}
