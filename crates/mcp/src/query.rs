//! Queries servers: all at once, each with a deadline of its own.

use crate::{
    McpError, QueryLimits, ServerEndpoint, ServerReply, ServerTarget,
    exchange::{ExchangeError, Handshake, run_exchange},
    http,
    intake::{Intake, PipeTransport},
    program::ServerProcess,
    reach::QueryDeadline,
    server_reply::PartialReply,
    text,
};
use preface_core::diagnostic::{Diagnostic, DiagnosticCode, Remedy};
use std::{
    future::Future,
    panic::resume_unwind,
    path::Path,
    process::ExitStatus,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tokio::{
    runtime::Builder,
    task::JoinSet,
    time::{sleep, timeout_at},
};

/// Requests the lists of servers, all at once, and waits for all of them. A failing server costs the others no time.
///
/// `on_reply` is called with each reply as it arrives; all are returned in the order of the targets. The caller may be inside
/// a runtime or not. The [`CancellationToken`](crate::CancellationToken) of the limits kills all programs that were started; the servers
/// without a reply are [`McpError::Stopped`]. Nothing that a server does makes this fail: its error is in its [`ServerReply`].
///
/// ```
/// use preface_mcp::{McpError, QueryLimits, ServerEndpoint, ServerTarget, query_servers};
/// let reach = ServerEndpoint::Program {
///     command: "/no/such/server".to_owned(),
///     args: Vec::new(),
///     env: Vec::new(),
///     cwd: "/".into(),
/// };
/// let deadline = std::time::Duration::from_secs(5);
/// let target = ServerTarget { name: "ghost".to_owned(), reach, deadline, wants: Vec::new() };
/// let replies = query_servers(&[target], &QueryLimits::default(), &|reply| assert_eq!(reply.name, "ghost"));
/// assert!(matches!(replies[0].result, Err(McpError::Unreachable(_))));
/// ```
///
/// # Panics
/// Where `on_reply` does.
pub fn query_servers(
    targets: &[ServerTarget],
    limits: &QueryLimits,
    on_reply: &(dyn Fn(&ServerReply) + Sync),
) -> Vec<ServerReply> {
    if targets.is_empty() {
        return Vec::new();
    }
    // A thread of its own: a runtime cannot be started where the caller is inside one.
    thread::scope(|scope| {
        scope
            .spawn(|| query_on_this_thread(targets, limits, on_reply, query_server))
            .join()
            .unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn query_on_this_thread<Q>(
    targets: &[ServerTarget],
    limits: &QueryLimits,
    on_reply: &(dyn Fn(&ServerReply) + Sync),
    query: impl Fn(ServerTarget, QueryLimits) -> Q,
) -> Vec<ServerReply>
where
    Q: Future<Output = ServerReply> + Send + 'static,
{
    let runtime = match Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let problem = McpError::Unreachable(format!("no runtime: {error}"));
            let reply: Vec<ServerReply> =
                targets.iter().map(|target| not_received(target, Duration::ZERO, problem.clone())).collect();
            reply.iter().for_each(on_reply);
            return reply;
        }
    };
    let reply = runtime.block_on(async {
        let mut running = JoinSet::new();
        for (at, target) in targets.iter().cloned().enumerate() {
            let query = query(target, limits.clone());
            running.spawn(async move { (at, query.await) });
        }
        let mut reply: Vec<Option<ServerReply>> = targets.iter().map(|_| None).collect();
        loop {
            let done = tokio::select! {
                biased;
                () = limits.stop.cancelled() => break,
                done = running.join_next() => done,
            };
            let Some(done) = done else { break };
            // One that panicked is missing at the end; the others go on.
            let Ok((at, one)) = done else { continue };
            on_reply(&one);
            reply[at] = Some(one);
        }
        reply
    });
    let missing = if limits.stop.is_cancelled() {
        // Whatever still runs is dropped, and a program is killed when it is.
        runtime.shutdown_timeout(STOP_TIMEOUT);
        McpError::Stopped
    } else {
        // A pending name lookup blocks nothing.
        runtime.shutdown_background();
        McpError::Protocol(PANIC.to_owned())
    };
    let lost = |target: &ServerTarget| not_received(target, Duration::ZERO, missing.clone());
    reply.into_iter().zip(targets).map(|(one, target)| one.unwrap_or_else(|| lost(target))).collect()
}

/// The longest duration of a stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

const PANIC: &str = "internal error while reading the server's reply; please report this bug";

fn not_received(target: &ServerTarget, took: Duration, problem: McpError) -> ServerReply {
    ServerReply {
        name: target.name.clone(),
        took,
        calls_itself: None,
        protocol: None,
        result: Err(problem),
        refused: Vec::new(),
        diagnostics: Vec::new(),
    }
}

async fn query_server(target: ServerTarget, limits: QueryLimits) -> ServerReply {
    let (target, limits) = (&target, &limits);
    let start = Instant::now();
    let time = QueryDeadline::of(start, target.deadline);
    let (result, mut partial) = match &target.reach {
        ServerEndpoint::Program { command, args, env, cwd } => {
            let start = || ServerProcess::start(command, args, env, cwd);
            query_program(&start, command, cwd, target, limits, &time).await
        }
        ServerEndpoint::Address { url, headers } => query_address(url, headers, target, limits, &time).await,
    };
    partial.close_diagnostics();
    let result = result.map(|()| {
        partial.described.settle();
        partial.diagnostics.extend(text::warning(&partial.described));
        partial.described
    });
    let PartialReply { calls_itself, protocol, refused, diagnostics, .. } = partial;
    let took = start.elapsed();
    ServerReply { name: target.name.clone(), took, calls_itself, protocol, result, refused, diagnostics }
}

// Queries a server that is a program.

/// The time in which a program that closed the connection must end.
const CLOSED_END_TIMEOUT: Duration = Duration::from_secs(4);

/// The time in which a program must end after its answers were read.
const END_TIMEOUT: Duration = Duration::from_millis(1500);

type ProgramStarter<'a> = dyn Fn() -> std::io::Result<(ServerProcess, tokio::process::ChildStdout, tokio::process::ChildStdin)>
    + Sync
    + 'a;

/// Starts a server, queries it, and ends it.
pub(crate) async fn query_program(
    start: &ProgramStarter<'_>,
    command: &str,
    cwd: &Path,
    target: &ServerTarget,
    limits: &QueryLimits,
    time: &QueryDeadline,
) -> (Result<(), McpError>, PartialReply) {
    let mut handshake = Handshake::Either;
    loop {
        let began = tokio::time::Instant::now();
        let mut partial = PartialReply::default();
        let (mut program, stdout, stdin) = match start() {
            Ok(started) => started,
            Err(error) => {
                let place = if cwd.is_dir() { String::new() } else { format!(" in `{}`", cwd.display()) };
                let why = format!("`{}` cannot be started{place}: {error}", command.escape_debug());
                return (Err(McpError::Unreachable(why)), partial);
            }
        };
        let intake = Arc::new(Intake::new(limits.bytes));
        // Where nothing else is left to try, all the time is for that.
        let patience = if handshake == Handshake::Discover { time.left() } else { time.patience };
        let lines = PipeTransport::new(stdout, stdin, intake.clone(), patience);
        let outcome = {
            let exchange = run_exchange(lines, handshake, &target.wants, limits, &mut partial);
            let gone = async {
                program.ended().await;
                sleep(CLOSED_END_TIMEOUT / 4).await;
            };
            tokio::select! {
                outcome = timeout_at(time.talk, exchange) => outcome.ok(),
                () = gone => Some(Err(ExchangeError::Closed)),
            }
        };
        // One that closed the connection is about to end, and its exit status shows why.
        let patience = match outcome {
            Some(Err(ExchangeError::Closed | ExchangeError::Transport(_))) => CLOSED_END_TIMEOUT,
            _ => END_TIMEOUT,
        };
        let status = program.end(time.left().clamp(Duration::from_millis(150), patience)).await;
        // Two kinds get another chance: a server that ends because of a request that it does not know, and one that knows
        // only that and answered too late. It takes about as long as it took, so that much must be left.
        let again =
            match outcome {
                _ if handshake != Handshake::Either || intake.flooded().is_some() => None,
                Some(Err(
                    ExchangeError::Closed | ExchangeError::Refused(_) | ExchangeError::Violation(_),
                )) if intake.answered_discover_late() => Some(Handshake::Discover),
                Some(Err(ExchangeError::Closed | ExchangeError::Transport(_)))
                    if status.is_some() && !intake.received_any() =>
                {
                    Some(Handshake::Initialize)
                }
                _ => None,
            };
        if let Some(again) = again.filter(|_| time.left() > began.elapsed()) {
            handshake = again;
            continue;
        }
        let result = exchange_result(outcome, &intake, &mut partial, || describe_end(status, &program));
        return (result, partial);
    }
}

fn describe_end(status: Option<ExitStatus>, program: &ServerProcess) -> String {
    let end = status.map_or_else(|| "it closed its output".to_owned(), |status| status.to_string());
    match program.stderr_tail() {
        output if output.is_empty() => end,
        output => format!("{end}; its last output: `{output}`"),
    }
}

// Queries a server at an address.

/// Connects to a server, and queries it.
pub(crate) async fn query_address(
    url: &str,
    headers: &[(String, String)],
    target: &ServerTarget,
    limits: &QueryLimits,
    time: &QueryDeadline,
) -> (Result<(), McpError>, PartialReply) {
    let mut partial = PartialReply::default();
    let intake = Arc::new(Intake::new(limits.bytes));
    let posts = match http::connect(url, headers, intake.clone(), time.patience) {
        Ok(posts) => posts,
        Err(why) => return (Err(McpError::Unreachable(why)), partial),
    };
    let exchange = run_exchange(posts, Handshake::Either, &target.wants, limits, &mut partial);
    let outcome = tokio::select! {
        outcome = timeout_at(time.talk, exchange) => outcome.ok(),
        () = intake.until_flooded() => None,
    };
    let outcome = match outcome {
        // Where nothing was received yet, no server was reached.
        Some(Err(ExchangeError::Transport(why))) if partial.protocol.is_none() => {
            Some(Err(ExchangeError::Unreached(why)))
        }
        outcome => outcome,
    };
    (exchange_result(outcome, &intake, &mut partial, || "the connection was closed".to_owned()), partial)
}

// The result of an exchange.

/// Converts the outcome of an exchange.
pub(crate) fn exchange_result(
    outcome: Option<Result<(), ExchangeError>>,
    intake: &Intake,
    partial: &mut PartialReply,
    describe_end: impl FnOnce() -> String,
) -> Result<(), McpError> {
    let nonsense = intake.nonsense();
    if let Some(limit) = intake.flooded() {
        return Err(McpError::TooLarge(limit));
    }
    match outcome {
        Some(Ok(())) => {}
        None if partial.listed => partial.diagnostics.push(
            Diagnostic::warning(
                DiagnosticCode::McpLate,
                "not all that the profile names was answered in time",
            )
            .help(Remedy::flag("give it more time", "--timeout 60")),
        ),
        None => {
            return Err(nonsense.map_or(McpError::Timeout, |it| McpError::Protocol(format!("it sends {it}"))));
        }
        Some(Err(ExchangeError::Closed)) => return Err(McpError::Died(describe_end())),
        Some(Err(ExchangeError::Transport(why))) => {
            return Err(McpError::Died(format!("{why}; {}", describe_end())));
        }
        Some(Err(ExchangeError::Unreached(why))) => return Err(McpError::Unreachable(why)),
        Some(Err(ExchangeError::Refused(why))) => {
            return Err(McpError::Unreachable(format!("it refuses to begin: {why}")));
        }
        Some(Err(ExchangeError::Violation(why))) => return Err(McpError::Protocol(why)),
    }
    if let Some(nonsense) = nonsense {
        partial.note(
            DiagnosticCode::McpProtocol,
            format!("beside its messages it sends {nonsense}"),
            "a server that is a program writes messages to its output and nothing else",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::query_on_this_thread;
    use crate::{McpError, QueryLimits, ServerEndpoint, ServerTarget, query_servers};
    use std::time::Duration;

    fn no_server() -> ServerTarget {
        let reach = ServerEndpoint::Address { url: "none".to_owned(), headers: Vec::new() };
        ServerTarget { name: "nobody".to_owned(), reach, deadline: Duration::from_secs(5), wants: Vec::new() }
    }

    #[test]
    fn a_panic_is_contained() {
        let query = |_, _| async { panic!("this is expected in the output of a test") };
        let reply = query_on_this_thread(&[no_server()], &QueryLimits::default(), &|_| (), query).remove(0);
        assert_eq!(reply.name, "nobody");
        assert!(
            matches!(reply.result, Err(McpError::Protocol(why)) if why.contains("please report this bug"))
        );
    }

    #[tokio::test]
    async fn a_caller_inside_a_runtime_may_query() {
        let reply = query_servers(&[no_server(), no_server()], &QueryLimits::default(), &|_| ());
        assert!(reply.iter().all(|one| matches!(one.result, Err(McpError::Unreachable(_)))), "{reply:?}");
    }
}
