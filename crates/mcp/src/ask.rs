//! Asks servers what they offer: all at once, each with a deadline of its own.

use crate::{
    Heard, Limits, Reach, Target, Trouble,
    conversation::{Broken, Handshake, converse},
    intake::Intake,
    lines::Lines,
    program::Program,
    story::Story,
};
use preface_core::diagnostic::Diagnostic;
use std::{
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
/// runtime or not. Nothing that a server does makes this fail: its trouble is in its own [`Heard`].
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
            running.spawn(async move { (at, contained(target, limits).await) });
        }
        let mut heard: Vec<Option<Heard>> = targets.iter().map(|_| None).collect();
        while let Some(done) = running.join_next().await {
            // What runs there contains what may panic.
            let Ok((at, one)) = done else { continue };
            tell(&one);
            heard[at] = Some(one);
        }
        heard
    });
    // A name that is still being looked up holds nobody.
    runtime.shutdown_background();
    let lost = |target: &Target| unheard(target, Duration::ZERO, Trouble::Lied(PANIC.to_owned()));
    heard.into_iter().zip(targets).map(|(one, target)| one.unwrap_or_else(|| lost(target))).collect()
}

const PANIC: &str = "what it said made us stumble; this is a fault of ours, please report it";

fn unheard(target: &Target, took: Duration, trouble: Trouble) -> Heard {
    Heard {
        name: target.name.clone(),
        took,
        calls_itself: None,
        protocol: None,
        said: Err(trouble),
        notes: Vec::new(),
    }
}

/// Asks one server in a task of its own, so that a panic ends nothing else.
async fn contained(target: Target, limits: Limits) -> Heard {
    let start = Instant::now();
    let asked = target.clone();
    match tokio::spawn(async move { ask_one(&asked, &limits).await }).await {
        Ok(heard) => heard,
        Err(_) => unheard(&target, start.elapsed(), Trouble::Lied(PANIC.to_owned())),
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
        Reach::Address { .. } => {
            (Err(Trouble::Unreachable("addresses are not reached yet".to_owned())), Story::default())
        }
    };
    let said = said.map(|()| {
        story.described.settle();
        std::mem::take(&mut story.described)
    });
    Heard {
        name: target.name.clone(),
        took: start.elapsed(),
        calls_itself: story.calls_itself,
        protocol: story.protocol,
        said,
        notes: story.notes,
    }
}

/// How a deadline is spent.
struct Time {
    /// Until when it may talk.
    talk: tokio::time::Instant,
    /// Until when it is gone.
    end: tokio::time::Instant,
    /// How long it may think about `server/discover`.
    patience: Duration,
}

impl Time {
    fn of(start: Instant, deadline: Duration) -> Self {
        // A time too long to be said is a day.
        let deadline = deadline.min(Duration::from_secs(86_400));
        let goodbye = (deadline / 10).clamp(Duration::from_millis(150), Duration::from_secs(1)).min(deadline);
        let end = tokio::time::Instant::from_std(start + deadline);
        Time { talk: end - goodbye, end, patience: (deadline / 3).min(Duration::from_secs(8)) }
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(tokio::time::Instant::now())
    }
}

/// How long a program that is ended by itself, or has answered all, may take to go: its pipes, or its goodbye.
const AFTERMATH: Duration = Duration::from_secs(2);

type Start<'a> = dyn Fn() -> std::io::Result<(Program, tokio::process::ChildStdout, tokio::process::ChildStdin)>
    + Sync
    + 'a;

async fn ask_program(
    start: &Start<'_>,
    command: &str,
    cwd: &Path,
    target: &Target,
    limits: &Limits,
    time: &Time,
) -> (Result<(), Trouble>, Story) {
    let mut handshake = Handshake::Either;
    loop {
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
        let lines = Lines::new(stdout, stdin, intake.clone(), time.patience);
        let talked = {
            let talk = converse(lines, handshake, &target.wants, limits, &mut story);
            let gone = async {
                program.ended().await;
                sleep(AFTERMATH / 2).await;
            };
            tokio::select! {
                talked = timeout_at(time.talk, talk) => talked.ok(),
                () = gone => Some(Err(Broken::Closed)),
            }
        };
        let status = program.end(time.left().clamp(Duration::from_millis(150), AFTERMATH)).await;
        // A server that ends over a question that it does not know, or that knows it and was too slow, gets another chance.
        let again = match talked {
            Some(Err(Broken::Closed)) if handshake == Handshake::Either && intake.flooded().is_none() => {
                match (intake.heard_any(), intake.speaks_modern()) {
                    (_, true) => Some(Handshake::Discover),
                    (false, false) if status.is_some() => Some(Handshake::Initialize),
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(again) = again.filter(|_| time.left() > time.patience) {
            handshake = again;
            continue;
        }
        let said = judge(talked, &intake, &mut story, || last_words(status, &program));
        return (said, story);
    }
}

/// Says what came of a conversation.
fn judge(
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
            Diagnostic::warning("mcp/late", "not all that the profile names was answered in time")
                .help("give it a longer deadline"),
        ),
        None => return Err(nonsense.map_or(Trouble::Late, |it| Trouble::Lied(format!("it sends {it}")))),
        Some(Err(Broken::Closed)) => return Err(Trouble::Died(last_words())),
        Some(Err(Broken::Way(why))) => return Err(Trouble::Died(format!("{why}; {}", last_words()))),
        Some(Err(Broken::Refused(why))) => {
            return Err(Trouble::Unreachable(format!("it refuses to begin: {why}")));
        }
        Some(Err(Broken::Lied(why))) => return Err(Trouble::Lied(why)),
    }
    if let Some(nonsense) = nonsense {
        story.note(
            "mcp/nonsense",
            format!("beside its messages it sends {nonsense}"),
            "a server that is a program writes messages to its output and nothing else",
        );
    }
    Ok(())
}

fn last_words(status: Option<ExitStatus>, program: &Program) -> String {
    let end = status.map_or_else(|| "it closed its output".to_owned(), |status| status.to_string());
    match program.complaints() {
        said if said.is_empty() => end,
        said => format!("{end}; the last it said: `{said}`"),
    }
}
