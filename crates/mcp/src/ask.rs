//! Asks servers what they offer: all at once, each with a deadline of its own.

use crate::{
    AskLimits, McpError, ServerEndpoint, ServerReply, ServerTarget,
    conversation::{ExchangeError, Handshake, converse},
    http::{HttpAddress, Posts, TargetHeaders},
    intake::{Intake, PipeTransport},
    program::ServerProcess,
    reach::AskDeadline,
    server_reply::PartialReply,
    text::{self, Secrets},
};
use preface_core::diagnostic::{Diagnostic, DiagnosticCode};
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

/// Asks servers what they offer, all at once, and waits for all of them. One server's trouble costs the others no time.
///
/// Each answer is told as soon as it is there; all are returned in the order of the targets. The caller may be inside a
/// runtime or not. Where the [`StopSignal`](crate::StopSignal) of the limits is used, all programs that were started are killed, and whoever had
/// not answered is [`McpError::Stopped`]. Nothing that a server does makes this fail: its trouble is in its own [`ServerReply`].
///
/// ```
/// use preface_mcp::{AskLimits, ServerEndpoint, ServerTarget, McpError, ask};
/// let reach = ServerEndpoint::Program {
///     command: "/no/such/server".to_owned(),
///     args: Vec::new(),
///     env: Vec::new(),
///     cwd: "/".into(),
/// };
/// let deadline = std::time::Duration::from_secs(5);
/// let target = ServerTarget { name: "ghost".to_owned(), reach, deadline, wants: Vec::new() };
/// let heard = ask(&[target], &AskLimits::default(), &|heard| assert_eq!(heard.name, "ghost"));
/// assert!(matches!(heard[0].result, Err(McpError::Unreachable(_))));
/// ```
///
/// # Panics
/// Where `tell` does.
pub fn ask(
    targets: &[ServerTarget],
    limits: &AskLimits,
    tell: &(dyn Fn(&ServerReply) + Sync),
) -> Vec<ServerReply> {
    if targets.is_empty() {
        return Vec::new();
    }
    // A thread of its own: a runtime cannot be started where the caller is inside one.
    thread::scope(|scope| {
        scope.spawn(|| ask_here(targets, limits, tell)).join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn ask_here(
    targets: &[ServerTarget],
    limits: &AskLimits,
    tell: &(dyn Fn(&ServerReply) + Sync),
) -> Vec<ServerReply> {
    let runtime = match Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let problem = McpError::Unreachable(format!("no runtime: {error}"));
            let reply: Vec<ServerReply> =
                targets.iter().map(|target| not_received(target, Duration::ZERO, problem.clone())).collect();
            reply.iter().for_each(tell);
            return reply;
        }
    };
    let reply = runtime.block_on(async {
        let mut running = JoinSet::new();
        for (at, target) in targets.iter().cloned().enumerate() {
            let limits = limits.clone();
            let asked = target.clone();
            let asking = async move { ask_one(&asked, &limits).await };
            running.spawn(async move { (at, contained(&target, asking).await) });
        }
        let mut reply: Vec<Option<ServerReply>> = targets.iter().map(|_| None).collect();
        loop {
            let done = tokio::select! {
                biased;
                () = limits.stop.stopped() => break,
                done = running.join_next() => done,
            };
            // What runs there contains what may panic.
            let Some(done) = done else { break };
            let Ok((at, one)) = done else { continue };
            tell(&one);
            reply[at] = Some(one);
        }
        reply
    });
    let missing = if limits.stop.is_stopped() {
        // Whatever still runs is dropped, and a program is killed when it is.
        runtime.shutdown_timeout(KILLING);
        McpError::Stopped
    } else {
        // A name that is still being looked up holds nobody.
        runtime.shutdown_background();
        McpError::Lied(PANIC.to_owned())
    };
    let lost = |target: &ServerTarget| not_received(target, Duration::ZERO, missing.clone());
    reply.into_iter().zip(targets).map(|(one, target)| one.unwrap_or_else(|| lost(target))).collect()
}

/// The longest duration of a stop.
const KILLING: Duration = Duration::from_secs(3);

const PANIC: &str = "internal error while reading the server's reply; please report this bug";

fn not_received(target: &ServerTarget, took: Duration, problem: McpError) -> ServerReply {
    ServerReply {
        name: target.name.clone(),
        took,
        calls_itself: None,
        protocol: None,
        result: Err(problem),
        refused: Vec::new(),
        notes: Vec::new(),
    }
}

/// Asks one server in a task of its own, so that a panic ends nothing else.
async fn contained(
    target: &ServerTarget,
    asking: impl Future<Output = ServerReply> + Send + 'static,
) -> ServerReply {
    let start = Instant::now();
    match tokio::spawn(asking).await {
        Ok(reply) => reply,
        Err(_) => not_received(target, start.elapsed(), McpError::Lied(PANIC.to_owned())),
    }
}

async fn ask_one(target: &ServerTarget, limits: &AskLimits) -> ServerReply {
    let start = Instant::now();
    let time = AskDeadline::of(start, target.deadline);
    let (result, mut story) = match &target.reach {
        ServerEndpoint::Program { command, args, env, cwd } => {
            let start = || ServerProcess::start(command, args, env, cwd);
            ask_program(&start, command, cwd, target, limits, &time).await
        }
        ServerEndpoint::Address { url, headers } => ask_address(url, headers, target, limits, &time).await,
    };
    story.close_notes();
    let result = result.map(|()| {
        story.described.settle();
        story.notes.extend(text::warning(&story.described));
        story.described
    });
    let PartialReply { calls_itself, protocol, refused, notes, .. } = story;
    let took = start.elapsed();
    let mut reply =
        ServerReply { name: target.name.clone(), took, calls_itself, protocol, result, refused, notes };
    Secrets::of(target).hide(&mut reply);
    reply
}

// Asks a server that is a program.

/// The time in which a program that closed the connection must end.
const AFTERMATH: Duration = Duration::from_secs(4);

/// The time in which a program must end after its answers were read.
const GOODBYE: Duration = Duration::from_millis(1500);

type ProgramStarter<'a> = dyn Fn() -> std::io::Result<(ServerProcess, tokio::process::ChildStdout, tokio::process::ChildStdin)>
    + Sync
    + 'a;

/// Starts a server, asks it, and ends it.
pub(crate) async fn ask_program(
    start: &ProgramStarter<'_>,
    command: &str,
    cwd: &Path,
    target: &ServerTarget,
    limits: &AskLimits,
    time: &AskDeadline,
) -> (Result<(), McpError>, PartialReply) {
    let mut handshake = Handshake::Either;
    loop {
        let began = tokio::time::Instant::now();
        let mut story = PartialReply::default();
        let (mut program, stdout, stdin) = match start() {
            Ok(started) => started,
            Err(error) => {
                let place = if cwd.is_dir() { String::new() } else { format!(" in `{}`", cwd.display()) };
                let why = format!("`{}` cannot be started{place}: {error}", command.escape_debug());
                return (Err(McpError::Unreachable(why)), story);
            }
        };
        let intake = Arc::new(Intake::new(limits.bytes));
        // Where nothing else is left to try, all the time is for that.
        let patience = if handshake == Handshake::Discover { time.left() } else { time.patience };
        let lines = PipeTransport::new(stdout, stdin, intake.clone(), patience);
        let talked = {
            let talk = converse(lines, handshake, &target.wants, limits, &mut story);
            let gone = async {
                program.ended().await;
                sleep(AFTERMATH / 4).await;
            };
            tokio::select! {
                talked = timeout_at(time.talk, talk) => talked.ok(),
                () = gone => Some(Err(ExchangeError::Closed)),
            }
        };
        // One that closed the connection is about to end, and how it does says why.
        let patience = match talked {
            Some(Err(ExchangeError::Closed | ExchangeError::Way(_))) => AFTERMATH,
            _ => GOODBYE,
        };
        let status = program.end(time.left().clamp(Duration::from_millis(150), patience)).await;
        // Two kinds get another chance: a server that ends over a question that it does not know, and one that knows only
        // that and answered too late. It takes about as long as it took, so that much must be left.
        let again = match talked {
            _ if handshake != Handshake::Either || intake.flooded().is_some() => None,
            Some(Err(ExchangeError::Closed | ExchangeError::Refused(_) | ExchangeError::Lied(_)))
                if intake.speaks_modern() =>
            {
                Some(Handshake::Discover)
            }
            Some(Err(ExchangeError::Closed | ExchangeError::Way(_)))
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
        let result = judge(talked, &intake, &mut story, || last_words(status, &program));
        return (result, story);
    }
}

fn last_words(status: Option<ExitStatus>, program: &ServerProcess) -> String {
    let end = status.map_or_else(|| "it closed its output".to_owned(), |status| status.to_string());
    match program.complaints() {
        output if output.is_empty() => end,
        output => format!("{end}; its last output: `{output}`"),
    }
}

// Asks a server that is an address.

/// Reaches a server, and asks it.
pub(crate) async fn ask_address(
    url: &str,
    headers: &[(String, String)],
    target: &ServerTarget,
    limits: &AskLimits,
    time: &AskDeadline,
) -> (Result<(), McpError>, PartialReply) {
    let mut story = PartialReply::default();
    let ready = HttpAddress::parse(url).map_err(str::to_owned);
    let (address, headers) = match ready.and_then(|address| Ok((address, TargetHeaders::read(headers)?))) {
        Ok(ready) => ready,
        Err(why) => return (Err(McpError::Unreachable(why)), story),
    };
    let intake = Arc::new(Intake::new(limits.bytes));
    let posts = Posts::new(address, headers, intake.clone(), time.patience);
    let talk = converse(posts, Handshake::Either, &target.wants, limits, &mut story);
    let talked = match timeout_at(time.talk, talk).await.ok() {
        // Where nothing was said yet, nobody was reached.
        Some(Err(ExchangeError::Way(why))) if story.protocol.is_none() && !intake.received_any() => {
            Some(Err(ExchangeError::Unreached(why)))
        }
        talked => talked,
    };
    (judge(talked, &intake, &mut story, || "the connection was closed".to_owned()), story)
}

// Says what came of a conversation.

/// Returns the result of a conversation.
pub(crate) fn judge(
    talked: Option<Result<(), ExchangeError>>,
    intake: &Intake,
    story: &mut PartialReply,
    last_words: impl FnOnce() -> String,
) -> Result<(), McpError> {
    let nonsense = intake.nonsense();
    if let Some(limit) = intake.flooded() {
        return Err(McpError::Flooded(limit));
    }
    match talked {
        Some(Ok(())) => {}
        None if story.listed => story.notes.push(
            Diagnostic::warning(
                DiagnosticCode::McpLate,
                "not all that the profile names was answered in time",
            )
            .help("give it a longer deadline"),
        ),
        None => return Err(nonsense.map_or(McpError::Late, |it| McpError::Lied(format!("it sends {it}")))),
        Some(Err(ExchangeError::Closed)) => return Err(McpError::Died(last_words())),
        Some(Err(ExchangeError::Way(why))) => {
            return Err(McpError::Died(format!("{why}; {}", last_words())));
        }
        Some(Err(ExchangeError::Unreached(why))) => return Err(McpError::Unreachable(why)),
        Some(Err(ExchangeError::Refused(why))) => {
            return Err(McpError::Unreachable(format!("it refuses to begin: {why}")));
        }
        Some(Err(ExchangeError::Lied(why))) => return Err(McpError::Lied(why)),
    }
    if let Some(nonsense) = nonsense {
        story.note(
            DiagnosticCode::McpNonsense,
            format!("beside its messages it sends {nonsense}"),
            "a server that is a program writes messages to its output and nothing else",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::contained;
    use crate::{McpError, ServerEndpoint, ServerTarget, ask};
    use std::time::Duration;

    fn nobody() -> ServerTarget {
        let reach = ServerEndpoint::Address { url: "none".to_owned(), headers: Vec::new() };
        ServerTarget { name: "nobody".to_owned(), reach, deadline: Duration::from_secs(5), wants: Vec::new() }
    }

    #[tokio::test]
    async fn a_panic_is_contained() {
        let target = nobody();
        let reply = contained(&target, async { panic!("this is expected in the output of a test") }).await;
        assert_eq!(reply.name, "nobody");
        assert!(matches!(reply.result, Err(McpError::Lied(why)) if why.contains("please report this bug")));
    }

    #[tokio::test]
    async fn a_caller_inside_a_runtime_may_ask() {
        let reply = ask(&[nobody(), nobody()], &crate::AskLimits::default(), &|_| ());
        assert!(reply.iter().all(|one| matches!(one.result, Err(McpError::Unreachable(_)))), "{reply:?}");
    }
}
