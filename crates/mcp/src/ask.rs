//! Asks servers what they offer: all at once, each with a deadline of its own.

use crate::{
    Heard, Limits, Reach, Target, Trouble,
    conversation::{Broken, Handshake, converse},
    heard::Story,
    http::{Address, Headers, Posts},
    intake::{Intake, Lines},
    program::Program,
    reach::Time,
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
/// runtime or not. Where the [`Stop`](crate::Stop) of the limits is used, all programs that were started are killed, and whoever had
/// not answered is [`Trouble::Stopped`]. Nothing that a server does makes this fail: its trouble is in its own [`Heard`].
///
/// ```
/// use preface_mcp::{Limits, Reach, Target, Trouble, ask};
/// let reach = Reach::Program {
///     command: "/no/such/server".to_owned(),
///     args: Vec::new(),
///     env: Vec::new(),
///     cwd: "/".into(),
/// };
/// let deadline = std::time::Duration::from_secs(5);
/// let target = Target { name: "ghost".to_owned(), reach, deadline, wants: Vec::new() };
/// let heard = ask(&[target], &Limits::default(), &|heard| assert_eq!(heard.name, "ghost"));
/// assert!(matches!(heard[0].said, Err(Trouble::Unreachable(_))));
/// ```
///
/// # Panics
/// Where `tell` does.
pub fn ask(targets: &[Target], limits: &Limits, tell: &(dyn Fn(&Heard) + Sync)) -> Vec<Heard> {
    if targets.is_empty() {
        return Vec::new();
    }
    // A thread of its own: a runtime cannot be started where the caller is inside one.
    thread::scope(|scope| {
        scope.spawn(|| ask_here(targets, limits, tell)).join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn ask_here(targets: &[Target], limits: &Limits, tell: &(dyn Fn(&Heard) + Sync)) -> Vec<Heard> {
    let runtime = match Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let trouble = Trouble::Unreachable(format!("no runtime: {error}"));
            let heard: Vec<Heard> =
                targets.iter().map(|target| unheard(target, Duration::ZERO, trouble.clone())).collect();
            heard.iter().for_each(tell);
            return heard;
        }
    };
    let heard = runtime.block_on(async {
        let mut running = JoinSet::new();
        for (at, target) in targets.iter().cloned().enumerate() {
            let limits = limits.clone();
            let asked = target.clone();
            let asking = async move { ask_one(&asked, &limits).await };
            running.spawn(async move { (at, contained(&target, asking).await) });
        }
        let mut heard: Vec<Option<Heard>> = targets.iter().map(|_| None).collect();
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
            heard[at] = Some(one);
        }
        heard
    });
    let missing = if limits.stop.is_stopped() {
        // Whatever still runs is dropped, and a program is killed when it is.
        runtime.shutdown_timeout(KILLING);
        Trouble::Stopped
    } else {
        // A name that is still being looked up holds nobody.
        runtime.shutdown_background();
        Trouble::Lied(PANIC.to_owned())
    };
    let lost = |target: &Target| unheard(target, Duration::ZERO, missing.clone());
    heard.into_iter().zip(targets).map(|(one, target)| one.unwrap_or_else(|| lost(target))).collect()
}

/// The longest duration of a stop.
const KILLING: Duration = Duration::from_secs(3);

const PANIC: &str = "what it said made us stumble; this is a fault of ours, please report it";

fn unheard(target: &Target, took: Duration, trouble: Trouble) -> Heard {
    Heard {
        name: target.name.clone(),
        took,
        calls_itself: None,
        protocol: None,
        said: Err(trouble),
        refused: Vec::new(),
        notes: Vec::new(),
    }
}

/// Asks one server in a task of its own, so that a panic ends nothing else.
async fn contained(target: &Target, asking: impl Future<Output = Heard> + Send + 'static) -> Heard {
    let start = Instant::now();
    match tokio::spawn(asking).await {
        Ok(heard) => heard,
        Err(_) => unheard(target, start.elapsed(), Trouble::Lied(PANIC.to_owned())),
    }
}

async fn ask_one(target: &Target, limits: &Limits) -> Heard {
    let start = Instant::now();
    let time = Time::of(start, target.deadline);
    let (said, mut story) = match &target.reach {
        Reach::Program { command, args, env, cwd } => {
            let start = || Program::start(command, args, env, cwd);
            ask_program(&start, command, cwd, target, limits, &time).await
        }
        Reach::Address { url, headers } => ask_address(url, headers, target, limits, &time).await,
    };
    story.close_notes();
    let said = said.map(|()| {
        story.described.settle();
        story.notes.extend(text::warning(&story.described));
        story.described
    });
    let Story { calls_itself, protocol, refused, notes, .. } = story;
    let took = start.elapsed();
    let mut heard = Heard { name: target.name.clone(), took, calls_itself, protocol, said, refused, notes };
    Secrets::of(target).hide(&mut heard);
    heard
}

// Asks a server that is a program.

/// The time in which a program that closed the connection must end.
const AFTERMATH: Duration = Duration::from_secs(4);

/// The time in which a program must end after its answers were read.
const GOODBYE: Duration = Duration::from_millis(1500);

type Start<'a> = dyn Fn() -> std::io::Result<(Program, tokio::process::ChildStdout, tokio::process::ChildStdin)>
    + Sync
    + 'a;

/// Starts a server, asks it, and ends it.
pub(crate) async fn ask_program(
    start: &Start<'_>,
    command: &str,
    cwd: &Path,
    target: &Target,
    limits: &Limits,
    time: &Time,
) -> (Result<(), Trouble>, Story) {
    let mut handshake = Handshake::Either;
    loop {
        let began = tokio::time::Instant::now();
        let mut story = Story::default();
        let (mut program, stdout, stdin) = match start() {
            Ok(started) => started,
            Err(error) => {
                let place = if cwd.is_dir() { String::new() } else { format!(" in `{}`", cwd.display()) };
                let why = format!("`{}` cannot be started{place}: {error}", command.escape_debug());
                return (Err(Trouble::Unreachable(why)), story);
            }
        };
        let intake = Arc::new(Intake::new(limits.bytes));
        // Where nothing else is left to try, all the time is for that.
        let patience = if handshake == Handshake::Discover { time.left() } else { time.patience };
        let lines = Lines::new(stdout, stdin, intake.clone(), patience);
        let talked = {
            let talk = converse(lines, handshake, &target.wants, limits, &mut story);
            let gone = async {
                program.ended().await;
                sleep(AFTERMATH / 4).await;
            };
            tokio::select! {
                talked = timeout_at(time.talk, talk) => talked.ok(),
                () = gone => Some(Err(Broken::Closed)),
            }
        };
        // One that closed the connection is about to end, and how it does says why.
        let patience = match talked {
            Some(Err(Broken::Closed | Broken::Way(_))) => AFTERMATH,
            _ => GOODBYE,
        };
        let status = program.end(time.left().clamp(Duration::from_millis(150), patience)).await;
        // Two kinds get another chance: a server that ends over a question that it does not know, and one that knows only
        // that and answered too late. It takes about as long as it took, so that much must be left.
        let again = match talked {
            _ if handshake != Handshake::Either || intake.flooded().is_some() => None,
            Some(Err(Broken::Closed | Broken::Refused(_) | Broken::Lied(_))) if intake.speaks_modern() => {
                Some(Handshake::Discover)
            }
            Some(Err(Broken::Closed | Broken::Way(_))) if status.is_some() && !intake.heard_any() => {
                Some(Handshake::Initialize)
            }
            _ => None,
        };
        if let Some(again) = again.filter(|_| time.left() > began.elapsed()) {
            handshake = again;
            continue;
        }
        let said = judge(talked, &intake, &mut story, || last_words(status, &program));
        return (said, story);
    }
}

fn last_words(status: Option<ExitStatus>, program: &Program) -> String {
    let end = status.map_or_else(|| "it closed its output".to_owned(), |status| status.to_string());
    match program.complaints() {
        said if said.is_empty() => end,
        said => format!("{end}; the last it said: `{said}`"),
    }
}

// Asks a server that is an address.

/// Reaches a server, and asks it.
pub(crate) async fn ask_address(
    url: &str,
    headers: &[(String, String)],
    target: &Target,
    limits: &Limits,
    time: &Time,
) -> (Result<(), Trouble>, Story) {
    let mut story = Story::default();
    let ready = Address::parse(url).map_err(str::to_owned);
    let (address, headers) = match ready.and_then(|address| Ok((address, Headers::read(headers)?))) {
        Ok(ready) => ready,
        Err(why) => return (Err(Trouble::Unreachable(why)), story),
    };
    let intake = Arc::new(Intake::new(limits.bytes));
    let posts = Posts::new(address, headers, intake.clone(), time.patience);
    let talk = converse(posts, Handshake::Either, &target.wants, limits, &mut story);
    let talked = match timeout_at(time.talk, talk).await.ok() {
        // Where nothing was said yet, nobody was reached.
        Some(Err(Broken::Way(why))) if story.protocol.is_none() && !intake.heard_any() => {
            Some(Err(Broken::Unreached(why)))
        }
        talked => talked,
    };
    (judge(talked, &intake, &mut story, || "the connection was closed".to_owned()), story)
}

// Says what came of a conversation.

/// Says what came of a conversation.
pub(crate) fn judge(
    talked: Option<Result<(), Broken>>,
    intake: &Intake,
    story: &mut Story,
    last_words: impl FnOnce() -> String,
) -> Result<(), Trouble> {
    let nonsense = intake.nonsense();
    if let Some(limit) = intake.flooded() {
        return Err(Trouble::Flooded(limit));
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
        None => return Err(nonsense.map_or(Trouble::Late, |it| Trouble::Lied(format!("it sends {it}")))),
        Some(Err(Broken::Closed)) => return Err(Trouble::Died(last_words())),
        Some(Err(Broken::Way(why))) => {
            return Err(Trouble::Died(format!("{why}; {}", last_words())));
        }
        Some(Err(Broken::Unreached(why))) => return Err(Trouble::Unreachable(why)),
        Some(Err(Broken::Refused(why))) => {
            return Err(Trouble::Unreachable(format!("it refuses to begin: {why}")));
        }
        Some(Err(Broken::Lied(why))) => return Err(Trouble::Lied(why)),
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
    use crate::{Reach, Target, Trouble, ask};
    use std::time::Duration;

    fn nobody() -> Target {
        let reach = Reach::Address { url: "none".to_owned(), headers: Vec::new() };
        Target { name: "nobody".to_owned(), reach, deadline: Duration::from_secs(5), wants: Vec::new() }
    }

    #[tokio::test]
    async fn a_panic_is_contained() {
        let target = nobody();
        let heard = contained(&target, async { panic!("this is expected in the output of a test") }).await;
        assert_eq!(heard.name, "nobody");
        assert!(matches!(heard.said, Err(Trouble::Lied(why)) if why.contains("a fault of ours")));
    }

    #[tokio::test]
    async fn a_caller_inside_a_runtime_may_ask() {
        let heard = ask(&[nobody(), nobody()], &crate::Limits::default(), &|_| ());
        assert!(heard.iter().all(|one| matches!(one.said, Err(Trouble::Unreachable(_)))), "{heard:?}");
    }
}
