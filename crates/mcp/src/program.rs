//! A server that is a program: started in a process group of its own, and gone with all that it started when we are done.

use crate::text;
use preface_host::system::ProcessGroup;
use std::{
    io,
    path::Path,
    process::{Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::{ChildStdin, ChildStdout},
    task::JoinHandle,
    time::sleep,
};

/// A running program. When this is dropped, it and its group are gone.
pub(crate) struct ServerProcess {
    group: ProcessGroup,
    stderr_tail: Arc<Mutex<Vec<u8>>>,
    /// Reads them.
    stderr_reader: Option<JoinHandle<()>>,
}

/// The interval at which the end of a program is checked.
const TICK: Duration = Duration::from_millis(10);

/// The longest wait for the end of a program that was killed. One that runs as another user cannot be killed.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// The longest wait for the output of a program that ended.
const OUTPUT_WAIT: Duration = Duration::from_millis(300);

/// The number of bytes of a program's error output that are kept: the last ones.
const STDERR_KEPT: usize = 4 << 10;

/// The number of characters of it that are shown.
const SHOWN: usize = 300;

impl ServerProcess {
    /// Starts a program with exactly this environment, in which it is also looked for.
    pub(crate) fn start(
        command: &str,
        args: &[String],
        env: &[(String, String)],
        cwd: &Path,
    ) -> io::Result<(ServerProcess, ChildStdout, ChildStdin)> {
        // A path is seen from the directory that the program runs in, on every system.
        let path = if command.contains('/') { cwd.join(command) } else { command.into() };
        let mut program = Command::new(path);
        program
            .args(args)
            .current_dir(cwd)
            .env_clear()
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        ProcessGroup::lead(&mut program);
        let mut child = program.spawn()?;
        let pipes = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        let mut program = ServerProcess {
            group: ProcessGroup::of(child),
            stderr_tail: Arc::default(),
            stderr_reader: None,
        };
        let (Some(stdout), Some(stdin), Some(stderr)) = pipes else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let stderr = tokio::process::ChildStderr::from_std(stderr)?;
        program.stderr_reader = Some(tokio::spawn(keep_tail(stderr, program.stderr_tail.clone())));
        Ok((program, ChildStdout::from_std(stdout)?, ChildStdin::from_std(stdin)?))
    }

    /// Waits until the program ended. What it started may be there still.
    pub(crate) async fn ended(&mut self) {
        while !self.group.has_ended() {
            sleep(TICK).await;
        }
    }

    /// Ends the program, whose input is closed by now: gives it two thirds of the time to end by itself, sends SIGTERM, and
    /// then kills all of its group. Returns how it ended, where it went by itself.
    pub(crate) async fn end(&mut self, within: Duration) -> Option<ExitStatus> {
        let by_itself = tokio::time::timeout(within * 2 / 3, self.ended()).await.is_ok();
        self.group.terminate();
        // Also processes that the program left behind get the signal first, but their end is not awaited.
        let _ = tokio::time::timeout(within / 3, self.ended()).await;
        self.group.kill();
        let _ = tokio::time::timeout(LAST_WAIT, self.ended()).await;
        let status = self.group.collect();
        if let Some(stderr_reader) = self.stderr_reader.take() {
            // What left the group keeps the pipe.
            let _ = tokio::time::timeout(OUTPUT_WAIT, stderr_reader).await;
        }
        status.filter(|_| by_itself)
    }

    /// Returns the end of its error output, in one line.
    pub(crate) fn stderr_tail(&self) -> String {
        let tail = self.stderr_tail.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&tail);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = lines[lines.len().saturating_sub(3)..].join(" / ");
        text::shown(last.as_bytes(), SHOWN)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.group.kill();
        let until = Instant::now() + LAST_WAIT;
        while self.group.collect().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Reads to the end, so that the program never waits for us, and keeps the last of it.
async fn keep_tail(mut stderr: impl AsyncRead + Unpin, tail: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = vec![0; STDERR_KEPT];
    while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&chunk[..read]);
        let old = tail.len().saturating_sub(STDERR_KEPT);
        tail.drain(..old);
    }
}
