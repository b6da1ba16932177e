//! Listening: what happens to connections, and to accepted requests at the end.

mod support;

use axum::{Router, extract::State, routing::put};
use preface_engine::store::{Actor, ExpectedVersion, NewVersion, Store, TemplateName, VersionChoice};
use preface_server::{ServiceLimits, TokenRule, layered, listen};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};
use tokio::{net::TcpListener, runtime::Runtime, sync::oneshot, task::JoinHandle};

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
fn a_head_that_is_refused_is_a_problem_like_any_other() {
    let service = listening(ServiceLimits::default());
    let many: String = (0..1000).map(|number| format!("X-{number}: x\r\n")).collect();
    for (status, code, sent) in [
        (400, "head", "NONSENSE\r\n\r\n".to_owned()),
        (
            400,
            "head",
            "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n".to_owned(),
        ),
        (414, "path-too-long", format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(65_535))),
        (431, "head-too-large", format!("GET / HTTP/1.1\r\nHost: x\r\n{many}\r\n")),
    ] {
        let mut stream = connect(service.address);
        // It may answer before it has read everything.
        let _ = stream.write_all(sent.as_bytes());
        let answer = rest(&mut stream);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{code}: {answer}"));
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        assert!(head.contains("content-type: application/problem+json"), "{head}");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        let problem: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!((&problem["status"], &problem["code"]), (&status.into(), &code.into()));
    }
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
