//! Runs a program with `std` alone: a thread for each pipe.
//!
//! Without process groups only the program itself can be ended. A thread that reads from something which the program
//! left running ends with that, and nobody waits for it.

use crate::system::{
    RunError, RunOutput, RunRequest, RunStatus, program::ResolvedProgram, run::STDERR_LIMIT,
};
use std::{
    ffi::OsString,
    io::{self, ErrorKind, Read, Write as _},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

/// The time between two checks for the end.
const TICK: Duration = Duration::from_millis(5);

/// The time to wait for more output after the end.
const LAST_WAIT: Duration = Duration::from_millis(200);

const CHUNK: usize = 64 << 10;

pub(super) fn run(
    run: &RunRequest,
    program: &ResolvedProgram,
    environment: Vec<(OsString, OsString)>,
) -> Result<RunOutput, RunError> {
    let start = Instant::now();
    let mut command = Command::new(&program.path);
    command
        .args(&run.argv[1..])
        .current_dir(&run.cwd)
        .env_clear()
        .envs(environment)
        .stdin(if run.stdin.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    hide_window(&mut command);
    let mut child = ChildGuard(command.spawn().map_err(|error| not_started(&run.argv[0], &error))?);
    if let Some(mut pipe) = child.0.stdin.take() {
        let bytes = run.stdin.clone();
        // Whoever does not read is no error.
        thread::spawn(move || drop(pipe.write_all(&bytes)));
    }
    let stdout = OutputReader::start(child.0.stdout.take(), run.output_limit.saturating_add(1));
    let stderr = OutputReader::start(child.0.stderr.take(), STDERR_LIMIT);
    let end = start.checked_add(run.timeout);
    let status = loop {
        if stdout.is_full() {
            return Err(RunError::TooMuch { limit: run.output_limit });
        }
        match child.0.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => return Err(RunError::Other(error.to_string())),
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            return Err(RunError::TimedOut { after: run.timeout });
        }
        thread::sleep(TICK);
    };
    let (stdout, _) = stdout.finish();
    let (stderr, stderr_cut) = stderr.finish();
    if stdout.len() > run.output_limit {
        return Err(RunError::TooMuch { limit: run.output_limit });
    }
    let status = RunStatus::Code(status.code().unwrap_or(1));
    let (program, skipped) = (program.real.clone(), program.skipped.clone());
    Ok(RunOutput { program, status, stdout, stderr, stderr_cut, took: start.elapsed(), skipped })
}

/// Does nothing: without process groups there is nothing to end but what ends with this process.
pub(super) fn end_all() {}

fn not_started(program: &str, error: &io::Error) -> RunError {
    match error.kind() {
        ErrorKind::NotFound => RunError::NotFound { program: program.to_owned() },
        ErrorKind::PermissionDenied => RunError::Denied { program: program.to_owned() },
        _ => RunError::Other(format!("`{}` cannot be started: {error}", program.escape_debug())),
    }
}

#[cfg(windows)]
fn hide_window(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NO_WINDOW);
}

#[cfg(not(windows))]
fn hide_window(_command: &mut Command) {}

/// A program that is gone when this is dropped.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The output of a pipe that a thread reads.
struct OutputReader {
    kept: Arc<Mutex<(Vec<u8>, usize)>>,
    full: Arc<AtomicBool>,
    done: mpsc::Receiver<()>,
}

impl OutputReader {
    fn start(pipe: Option<impl Read + Send + 'static>, limit: usize) -> Self {
        let (kept, full) = (Arc::<Mutex<(Vec<u8>, usize)>>::default(), Arc::<AtomicBool>::default());
        let (send, done) = mpsc::channel();
        let (into, is_full) = (Arc::clone(&kept), Arc::clone(&full));
        thread::spawn(move || {
            let Some(mut pipe) = pipe else { return };
            let mut room = vec![0; CHUNK];
            while let Ok(count @ 1..) = pipe.read(&mut room) {
                let (bytes, cut) = &mut *into.lock().unwrap_or_else(PoisonError::into_inner);
                let fits = count.min(limit - bytes.len());
                bytes.extend_from_slice(&room[..fits]);
                *cut += count - fits;
                is_full.store(bytes.len() == limit, Ordering::Relaxed);
            }
            let _ = send.send(());
        });
        OutputReader { kept, full, done }
    }

    fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    fn finish(self) -> (Vec<u8>, usize) {
        let _ = self.done.recv_timeout(LAST_WAIT);
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
