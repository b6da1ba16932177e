//! Asks a server that is a program.

use crate::{
    Limits, Target, Trouble,
    conversation::{Broken, Handshake, converse},
    intake::Intake,
    judgement::judge,
    lines::Lines,
    program::Program,
    story::Story,
    time::Time,
};
use std::{path::Path, process::ExitStatus, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout_at};

/// How long a program that closed the connection may take to end.
const AFTERMATH: Duration = Duration::from_secs(4);

/// How long a program may take to go whose answers we have.
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
        let began = Instant::now();
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
