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
use tokio::time::{sleep, timeout_at};

/// How long a program that is ended by itself, or has answered all, may take to go: its pipes, or its goodbye.
const AFTERMATH: Duration = Duration::from_secs(2);

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

fn last_words(status: Option<ExitStatus>, program: &Program) -> String {
    let end = status.map_or_else(|| "it closed its output".to_owned(), |status| status.to_string());
    match program.complaints() {
        said if said.is_empty() => end,
        said => format!("{end}; the last it said: `{said}`"),
    }
}
