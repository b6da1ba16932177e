//! Asks servers what they offer: all at once, each with a deadline of its own.

use crate::{
    Heard, Limits, Reach, Target, Trouble, by_address::ask_address, by_program::ask_program, hidden,
    program::Program, secrets::Secrets, time::Time,
};
use std::{
    future::Future,
    panic::resume_unwind,
    thread,
    time::{Duration, Instant},
};
use tokio::{runtime::Builder, task::JoinSet};

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

/// How long a stop may take.
const KILLING: Duration = Duration::from_secs(3);

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
        story.notes.extend(hidden::warning(&story.described));
        story.described
    });
    let (calls_itself, protocol, notes) = (story.calls_itself, story.protocol, story.notes);
    let took = start.elapsed();
    let mut heard = Heard { name: target.name.clone(), took, calls_itself, protocol, said, notes };
    Secrets::of(target).hide(&mut heard);
    heard
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
