//! `preface serve`: the HTTP service, until a signal ends it.

use crate::{
    CommandFailure, CommandResult, Exit, StoreFlag,
    call::command,
    files,
    flags::home_trust,
    roots::roots,
    signals::SignalStreams,
    store,
    ui::{Ui, listed},
};
use clap::ValueEnum;
use preface_core::lint::hidden::escape_hidden;
use preface_engine::{BuildOptions, Engine, TrustChoice, host::system::System, store::StoreUrl};
use preface_server::{
    App, LogFormat, SERVICE_PRESET, ServiceSettings, Telemetry, TlsError, TlsFiles, TokenRule,
};
use std::{
    io::{self, ErrorKind},
    net::SocketAddr,
    path::PathBuf,
    process,
    sync::Arc,
    time::Duration,
};
use tokio::net::TcpListener;

const EXAMPLES: &str = "\
Examples:
  preface serve                            for this directory, on this machine
  preface serve --root ~/src --listen 127.0.0.1:0
  preface serve --store postgres://me@db/preface --preset default
  preface token create alice && preface serve --listen 0.0.0.0:7677
  preface serve --require-token            behind a proxy on this machine
  preface serve --listen 0.0.0.0:7677 --tls-cert chain.pem --tls-key key.pem
  curl -s http://127.0.0.1:7677/system-prompt

The OpenAPI document is at /openapi.json, numbers for Prometheus at /metrics.
OTEL_EXPORTER_OTLP_ENDPOINT=http://HOST:4318 sends traces to a collector.
A first ctrl-c or SIGTERM finishes accepted requests, a second ends at once.";

/// The most bytes of a request's body: room for the largest template, written as JSON.
const MAX_BODY: usize = 4 << 20;

/// The time that threads with a running build have once everything else has ended.
const LAST_THREADS: Duration = Duration::from_secs(1);

/// The exit code of a process that a second signal ends.
const AT_ONCE: i32 = 130;

/// Serve templates and conversations over HTTP
///
/// Keeps one template with its versions and the prompt of each conversation: built on the first turn, read on all later
/// ones, built again on compaction. By default it listens on 127.0.0.1:7677 and lets in programs of this machine and its
/// own page. Beyond this machine every request needs a token of `preface token create`; with `--require-token` here, too.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Listen at this address; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7677", value_parser = address)]
    listen: SocketAddr,

    #[command(flatten)]
    store: StoreFlag,

    /// Let conversations work in DIR and below, instead of the current directory; may be given again
    ///
    /// It is also the grant for the text that lies there.
    #[arg(long, value_name = "DIR", value_parser = crate::roots::parse)]
    root: Vec<PathBuf>,

    /// Build with a preset, or a profile of yours, if a conversation names none
    ///
    /// `preset` and `profile` in settings are for commands; the service does not use them.
    #[arg(long, value_name = "NAME", default_value = SERVICE_PRESET)]
    preset: String,

    /// Use HOME, XDG_CONFIG_HOME and PREFACE_HOME as they are, even inside of a root
    #[arg(long)]
    trust_home: bool,

    /// Answer to NAME, or NAME:PORT, too, as a proxy in front may call it; may be given again
    ///
    /// On 127.0.0.1 a request that a proxy forwards is treated as local: let the proxy check the client, or add
    /// `--require-token`.
    #[arg(long, value_name = "NAME")]
    allowed_host: Vec<String>,

    /// Demand an access token on this machine, too
    #[arg(long)]
    require_token: bool,

    /// Encrypt connections with the certificate in FILE, PEM, followed by the certificates of its chain
    ///
    /// FILE and the key are read again within seconds after they change. Clients then ask for `https://`; a name in the
    /// certificate that is not this machine's address is also given to `--allowed-host`.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// Use the private key in FILE, PEM and not encrypted, for the certificate of `--tls-cert`
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// Cache up to MIB mebibytes of prompts; 0 disables the cache
    ///
    /// An answer is never older than the store's: it is asked each time whether a prompt is still the one that is kept.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    cache_size: u32,

    /// Keep up to N connections open; more get health checks and nothing else
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_connections: u32,

    /// Close a connection that is idle for SECONDS after an answer
    ///
    /// It must be longer than the time for which a proxy in front keeps its connections.
    #[arg(long, value_name = "SECONDS", default_value_t = 75, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    keep_alive: u32,

    /// Close a connection whose client reads nothing of an answer for SECONDS
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    write_timeout: u32,

    /// Log from this level on, or by a filter such as `preface=debug,hyper=info`
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: String,

    /// Choose the form of the log
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    log_format: LogForm,
}

/// The form of the log.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum LogForm {
    /// Lines for people
    #[default]
    Text,
    /// An object a line
    Json,
}

/// Reads the address to listen on.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "write an IP address and a port, such as `127.0.0.1:7677` or `[::1]:7677`".to_owned())
}

/// Serves until the process receives a signal.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let system = Arc::new(files::served_system());
    if let Some(name) = args.allowed_host.iter().find(|name| !preface_server::is_host(name)) {
        return Err(CommandFailure::usage(format!("not the name of a host: `{}`", name.escape_debug()))
            .help("a host is `NAME` or `NAME:PORT`, without `http://`"));
    }
    let roots = roots(&args.root)?;
    check_preset(system.as_ref(), args, &roots)?;
    let tls = tls(args)?;
    // A store that came with one of the roots is not used.
    let mut url = args.store.url(system.as_ref())?;
    for root in &roots {
        let request = BuildOptions {
            cwd: Some(root.clone()),
            home_trust: home_trust(args.trust_home),
            ..BuildOptions::default()
        };
        url = args.store.for_request(&request).url(system.as_ref())?;
    }
    let format = match args.log_format {
        LogForm::Text => LogFormat::Text,
        LogForm::Json => LogFormat::Json,
    };
    let telemetry =
        Telemetry::begin(&args.log, format).map_err(|error| CommandFailure::usage(error.to_string()))?;
    let settings = ServiceSettings {
        roots,
        preset: args.preset.clone(),
        max_body: MAX_BODY,
        home_trust: home_trust(args.trust_home),
    };
    let runtime = store::runtime(tokio::runtime::Builder::new_multi_thread())?;
    let served = runtime.block_on(serve(ui, args, system, &url, settings, tls));
    runtime.shutdown_timeout(LAST_THREADS);
    telemetry.end();
    served.map(|()| Exit::Done)
}

async fn serve(
    ui: &Ui,
    args: &Args,
    system: Arc<dyn System>,
    url: &StoreUrl,
    settings: ServiceSettings,
    tls: Option<Arc<TlsFiles>>,
) -> CommandResult<()> {
    let store = preface_engine::store::open(url).await?;
    store.check().await?;
    let rule = if args.require_token { TokenRule::Always } else { TokenRule::BeyondLoopback };
    if rule == TokenRule::Always || !args.listen.ip().is_loopback() {
        let now = system.now();
        if store.accesses().await?.iter().all(|access| access.is_expired(now)) {
            let address = args.listen;
            let help = if *url == StoreUrl::Memory {
                "use a store that keeps tokens, such as `--store sqlite:PATH`".to_owned()
            } else {
                format!("make a token: {}", command("token create NAME --role ROLE"))
            };
            let (problem, help) = if args.listen.ip().is_loopback() {
                ("--require-token is given, and the store has no valid token".to_owned(), help)
            } else {
                let problem =
                    format!("{address} is open to other machines, and the store has no valid token");
                (problem, format!("{help}; or listen on 127.0.0.1"))
            };
            return Err(CommandFailure::new(problem).help(help));
        }
    }
    let listener =
        TcpListener::bind(args.listen).await.map_err(|error| cannot_listen(args.listen, &error))?;
    let bound = listener.local_addr().map_err(|error| cannot_listen(args.listen, &error))?;
    let signals =
        SignalStreams::without_hang_up().map_err(|error| CommandFailure::cannot("start", &error))?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let mut greeting = greeting(&format!("{scheme}://{bound}"), url, &settings);
    if tls.is_none() && !bound.ip().is_loopback() {
        greeting.push_str("Tokens and prompts are not encrypted: use a proxy with TLS, or --tls-cert.\n");
    }
    match args.log_format {
        LogForm::Text => ui.eprint(&greeting),
        LogForm::Json => {
            let line = serde_json::json!({
                "timestamp": system.now().to_string(),
                "level": "INFO",
                "message": greeting.trim_end(),
            });
            ui.eprint(&format!("{line}\n"));
        }
    }
    let mut app = App::new(system, store, Arc::new(settings))
        .listening(bound, &args.allowed_host, rule)
        .keeping_at_hand(u64::from(args.cache_size) << 20);
    app.tls = tls;
    app.limits.connections = args.max_connections as usize;
    app.limits.keep_alive = Duration::from_secs(args.keep_alive.into());
    app.limits.write = Duration::from_secs(args.write_timeout.into());
    Ok(preface_server::serve(app, listener, shutdown_requested(signals)).await?)
}

/// Reads the certificate and its key, if they are named.
fn tls(args: &Args) -> CommandResult<Option<Arc<TlsFiles>>> {
    let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) else { return Ok(None) };
    let opened = TlsFiles::open(&files::absolute(certificate)?, &files::absolute(key)?);
    opened.map(|files| Some(Arc::new(files))).map_err(|error| {
        let help = match error {
            TlsError::Certificate(_) => {
                "`--tls-cert` names a PEM file with the certificate of this service, then those of its chain"
            }
            TlsError::Key(_) => {
                "`--tls-key` names a PEM file with the private key of the certificate, not encrypted"
            }
        };
        CommandFailure::new(escape_hidden(&error.to_string()).into_owned()).help(help)
    })
}

/// One line for people: the address, and what is served.
fn greeting(address: &str, url: &StoreUrl, settings: &ServiceSettings) -> String {
    let roots: Vec<String> =
        settings.roots.iter().map(|root| escape_hidden(&root.display().to_string()).into_owned()).collect();
    let store = url.to_string();
    format!(
        "Listening on {address}, store {}, preset `{}`, for {}.\n",
        escape_hidden(&store),
        settings.preset,
        listed(&roots)
    )
}

/// Reports an unknown preset now, not on the first turn.
fn check_preset(system: &dyn System, args: &Args, roots: &[PathBuf]) -> CommandResult<()> {
    let request = BuildOptions {
        cwd: roots.first().cloned(),
        preset: Some(args.preset.clone()),
        trust: TrustChoice::Deny,
        home_trust: home_trust(args.trust_home),
        ..BuildOptions::default()
    };
    Engine::new(system).look(&request)?.scopes()?;
    Ok(())
}

fn cannot_listen(address: SocketAddr, error: &io::Error) -> CommandFailure {
    let failure = CommandFailure::cannot(&format!("listen on {address}"), error);
    match error.kind() {
        ErrorKind::AddrInUse => {
            failure.help("another program does; `--listen 127.0.0.1:0` picks a free port")
        }
        ErrorKind::PermissionDenied => failure.help("ports below 1024 are the system's: choose a higher one"),
        ErrorKind::AddrNotAvailable => failure.help("this machine does not have that address"),
        _ => failure,
    }
}

/// Ends with the first signal. The second ends the process at once.
async fn shutdown_requested(mut signals: SignalStreams) {
    signals.next().await;
    tokio::spawn(async move {
        signals.next().await;
        process::exit(AT_ONCE);
    });
}
