//! Runs a program: one loop over its pipes and its end, no threads.
//!
//! The program leads a process group of its own, which ends with it: what a program leaves running in its group would
//! otherwise hold its pipes, and us, for as long as it likes.

use crate::system::{
    ProcessGroup, RunError, RunOutput, RunRequest, RunStatus, program::ResolvedProgram, run::STDERR_LIMIT,
};
use rustix::{
    event::{PollFd, PollFlags, Timespec},
    fd::{AsFd, OwnedFd},
    fs::OFlags,
    process::{Pid, Signal},
};
use std::{
    ffi::OsString,
    io::{self, ErrorKind, Read, Write as _},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The process groups of the programs that run now.
static RUNNING: Mutex<Running> = Mutex::new(Running { groups: Vec::new() });

struct Running {
    groups: Vec<Pid>,
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all programs that run, with what they started, for a process that ends.
pub(super) fn end_all() {
    let running = running();
    for (signal, wait) in [(Signal::TERM, GRACE), (Signal::KILL, Duration::ZERO)] {
        for group in &running.groups {
            let _ = rustix::process::kill_process_group(*group, signal);
        }
        if !running.groups.is_empty() {
            std::thread::sleep(wait);
        }
    }
    // Whoever waits for a program waits for the end of this process, and nothing is started any more.
    std::mem::forget(running);
}

/// The time that a program has to end after SIGTERM.
const GRACE: Duration = Duration::from_millis(200);

/// The time to wait for the end of a program that was killed. One that runs as another user cannot be killed.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// The time between two checks for the end where the kernel does not report it.
const TICK: Duration = Duration::from_millis(5);

/// The most attempts to start a program that is still being written.
const BUSY_TRIES: u32 = 100;

/// The bytes that are read or written at a time.
const CHUNK: usize = 64 << 10;

/// The most that a pipe holds after the end of its program.
const PIPE: usize = 1 << 20;

pub(super) fn run(
    run: &RunRequest,
    program: &ResolvedProgram,
    environment: Vec<(OsString, OsString)>,
) -> Result<RunOutput, RunError> {
    let start = Instant::now();
    let mut command = Command::new(&program.path);
    command
        .arg0(&run.argv[0])
        .args(&run.argv[1..])
        .current_dir(&run.cwd)
        .env_clear()
        .envs(environment)
        .stdin(if run.stdin.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    ProcessGroup::lead(&mut command);
    let mut running = running();
    let mut child = spawn(&mut command).map_err(|error| not_started(&run.argv[0], &error))?;
    let ends = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let mut group = RunningGroup::of(child);
    running.groups.extend(group.group.id());
    drop(running);
    let mut pipes = Pipes::of(ends, run).map_err(|error| RunError::Other(error.to_string()))?;
    // A time too long to be represented is none.
    let end = start.checked_add(run.timeout);
    let talked = pipes.talk(&group, end);
    match talked {
        Ok(()) => {
            group.group.kill();
            pipes.drain();
        }
        Err(RunError::TimedOut { .. }) => {
            drop(pipes);
            group.terminate();
            return Err(RunError::TimedOut { after: run.timeout });
        }
        Err(error) => return Err(error),
    }
    let status = group.finish().ok_or_else(|| RunError::Other("its end was not reported".to_owned()))?;
    let (stdout, stderr) = (pipes.stdout, pipes.stderr);
    if stdout.bytes.len() > run.output_limit {
        return Err(RunError::TooMuch { limit: run.output_limit });
    }
    Ok(RunOutput {
        program: program.real.clone(),
        status: match (status.code(), status.signal()) {
            (Some(code), _) => RunStatus::Code(code),
            (None, signal) => RunStatus::Signal(signal.unwrap_or_default()),
        },
        stdout: stdout.bytes,
        stderr: stderr.bytes,
        stderr_cut: stderr.cut,
        took: start.elapsed(),
        skipped: program.skipped.clone(),
    })
}

/// Starts a program. One that was just written is busy as long as another thread, which started a program meanwhile, has
/// not yet closed what it inherited.
fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..BUSY_TRIES {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => std::thread::sleep(TICK),
            other => return other,
        }
    }
    command.spawn()
}

/// Returns the error for a program that was found but could not be started.
fn not_started(program: &str, error: &io::Error) -> RunError {
    match error.kind() {
        // The file is there (it was found), so it is its interpreter that is not.
        ErrorKind::NotFound => RunError::Other(format!(
            "`{}` cannot be started: the program that it needs is not there",
            program.escape_debug()
        )),
        ErrorKind::PermissionDenied => RunError::Denied { program: program.to_owned() },
        _ => RunError::Other(format!("`{}` cannot be started: {error}", program.escape_debug())),
    }
}

/// A program and what it started, listed in [`RUNNING`]. When this is dropped, all of it is gone.
struct RunningGroup {
    group: ProcessGroup,
    /// Readable once the program ended; not every kernel has it.
    end: Option<OwnedFd>,
}

impl RunningGroup {
    fn of(child: Child) -> Self {
        let group = ProcessGroup::of(child);
        RunningGroup { end: group.id().and_then(watch), group }
    }

    /// Asks politely, and then no more.
    fn terminate(&mut self) {
        self.group.terminate();
        self.wait(GRACE);
        self.finish();
    }

    fn wait(&self, at_most: Duration) {
        let deadline = Instant::now() + at_most;
        while !self.group.has_ended() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let mut fds: Vec<_> = self.end.iter().map(|end| PollFd::new(end, PollFlags::IN)).collect();
            poll(&mut fds, Some(if self.end.is_some() { left } else { left.min(TICK) }));
        }
    }

    /// Ends everything that is left in the group, and collects the program. `None` if it would not end.
    fn finish(&mut self) -> Option<ExitStatus> {
        self.group.kill();
        self.wait(LAST_WAIT);
        // Removed only where it was collected: as long as it was not, the number is still taken.
        let mut running = running();
        let status = self.group.collect();
        if status.is_some() {
            running.groups.retain(|group| Some(*group) != self.group.id());
        }
        status
    }
}

impl Drop for RunningGroup {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(target_os = "linux")]
fn watch(id: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(id, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn watch(_id: Pid) -> Option<OwnedFd> {
    None
}

type PipeEnds = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);

/// Our ends of the pipes.
struct Pipes<'a> {
    stdin: Option<(ChildStdin, &'a [u8])>,
    stdout: PipeReader<ChildStdout>,
    stderr: PipeReader<ChildStderr>,
    limit: usize,
}

impl<'a> Pipes<'a> {
    fn of(ends: PipeEnds, run: &'a RunRequest) -> io::Result<Self> {
        let (stdin, stdout, stderr) = ends;
        stdin.as_ref().map_or(Ok(()), never_block)?;
        // One byte more than allowed shows that it was too much.
        let stdout = PipeReader::of(stdout, run.output_limit.saturating_add(1))?;
        let stderr = PipeReader::of(stderr, STDERR_LIMIT)?;
        Ok(Pipes { stdin: stdin.map(|pipe| (pipe, &run.stdin[..])), stdout, stderr, limit: run.output_limit })
    }

    /// Passes everything on until the program ends.
    fn talk(&mut self, group: &RunningGroup, end: Option<Instant>) -> Result<(), RunError> {
        let mut room = vec![0; CHUNK];
        while !group.group.has_ended() {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Err(RunError::TimedOut { after: Duration::ZERO });
            }
            let tick =
                if group.end.is_some() { left } else { Some(left.map_or(TICK, |left| left.min(TICK))) };
            let (write, out, err) = self.wait(group, tick);
            if write {
                self.write();
            }
            if out {
                self.stdout.read(&mut room);
            }
            if err {
                self.stderr.read(&mut room);
            }
            if self.stdout.bytes.len() > self.limit {
                return Err(RunError::TooMuch { limit: self.limit });
            }
        }
        Ok(())
    }

    /// Waits until a pipe is ready, and returns which of the pipes are.
    fn wait(&self, group: &RunningGroup, at_most: Option<Duration>) -> (bool, bool, bool) {
        let pipes = [
            self.stdin.as_ref().map(|(pipe, _)| (pipe.as_fd(), PollFlags::OUT)),
            self.stdout.pipe.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN)),
            self.stderr.pipe.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN)),
        ];
        let mut fds: Vec<_> = group.end.iter().map(|end| PollFd::new(end, PollFlags::IN)).collect();
        let first = fds.len();
        fds.extend(pipes.iter().flatten().map(|(pipe, flags)| PollFd::from_borrowed_fd(*pipe, *flags)));
        poll(&mut fds, at_most);
        let mut ready = fds[first..].iter().map(|fd| !fd.revents().is_empty());
        let [write, out, err] = pipes.map(|pipe| pipe.is_some() && ready.next().unwrap_or_default());
        (write, out, err)
    }

    /// Writes what fits, and closes the pipe after the last byte or when the reader is gone.
    fn write(&mut self) {
        let Some((pipe, rest)) = &mut self.stdin else { return };
        match pipe.write(&rest[..rest.len().min(CHUNK)]) {
            Ok(written) => *rest = &rest[written..],
            Err(error) if waits(&error) => return,
            Err(_) => *rest = &[],
        }
        if rest.is_empty() {
            self.stdin = None;
        }
    }

    /// Reads what the ended program left in its pipes.
    fn drain(&mut self) {
        let mut room = vec![0; CHUNK];
        for _ in 0..PIPE / CHUNK {
            let out = self.stdout.read(&mut room);
            let err = self.stderr.read(&mut room);
            if !(out || err) {
                break;
            }
        }
    }
}

/// A pipe that is read, and what came.
struct PipeReader<P> {
    pipe: Option<P>,
    bytes: Vec<u8>,
    limit: usize,
    /// The number of bytes that were read and not kept.
    cut: usize,
}

impl<P: Read + AsFd> PipeReader<P> {
    fn of(pipe: Option<P>, limit: usize) -> io::Result<Self> {
        pipe.as_ref().map_or(Ok(()), never_block)?;
        Ok(PipeReader { pipe, bytes: Vec::new(), limit, cut: 0 })
    }

    /// Reads once. Returns whether there was any data.
    fn read(&mut self, room: &mut [u8]) -> bool {
        let Some(pipe) = &mut self.pipe else { return false };
        match pipe.read(room) {
            Ok(0) => self.pipe = None,
            Ok(count) => {
                let kept = count.min(self.limit - self.bytes.len());
                self.bytes.extend_from_slice(&room[..kept]);
                self.cut += count - kept;
                return true;
            }
            Err(error) if waits(&error) => {}
            Err(_) => self.pipe = None,
        }
        false
    }
}

fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Only our end of the pipe: the program's own end is another description.
fn never_block(pipe: &impl AsFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(pipe)?;
    Ok(rustix::fs::fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?)
}

fn poll(fds: &mut [PollFd<'_>], at_most: Option<Duration>) {
    // A time that does not fit is none; a signal in between only makes the caller look once more.
    let at_most = at_most.and_then(|wait| Timespec::try_from(wait).ok());
    let _ = rustix::event::poll(fds, at_most.as_ref());
}
