//! An agent that is started so that its requests go to the endpoint, within limits, and ended with all that it started.

use crate::{
    agent::CaptureRules,
    endpoint::{Endpoint, ReceivedRequest},
    files::Places,
};
use ignore::WalkBuilder;
use rustix::process::{
    Pid, Signal, kill_process, kill_process_group, test_kill_process, test_kill_process_group,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant, SystemTime},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{Child, Command},
    signal::unix::{SignalKind, signal},
    time::{sleep, timeout},
};

/// A key that opens nothing.
const KEY: &str = "preface-capture";
/// The time that an agent has in print mode.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);
/// The most requests that are taken of one run.
pub const REQUEST_LIMIT: usize = 20;
/// The most bytes of all bodies together.
const TOTAL_LIMIT: usize = 128 << 20;
/// The time that an agent has to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// The end of what an agent printed, for the message about one that sent nothing.
const PRINTED: usize = 2000;
/// The most files that are compared before and after.
const MOST_FILES: usize = 50_000;

/// The way in which an agent is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// For one message, without a terminal.
    Print,
    /// On the terminal of the user.
    Terminal,
    /// By the user.
    Listen,
}

/// An agent that is ready to be started. Its private files are deleted with it.
#[derive(Debug)]
pub struct Launch {
    /// The arguments.
    pub args: Vec<OsString>,
    /// The variables that are set.
    pub set: BTreeMap<String, String>,
    /// The variables that are removed.
    pub unset: Vec<String>,
    /// The directory of the private files, and their texts.
    dir: PathBuf,
    files: BTreeMap<PathBuf, String>,
}

impl Drop for Launch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// The reasons not to start an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// A file of the machine wins over the arguments and could send requests elsewhere.
    File(PathBuf, String),
    /// An argument of the user could send requests elsewhere.
    Argument(String),
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The agent ended by itself.
    Exited(Option<i32>),
    /// It was ended after the first answer.
    Answered,
    /// It was ended after the time limit.
    TimeLimit,
    /// It was ended after the most requests.
    RequestLimit,
    /// The user ended it.
    Interrupted,
}

/// The requests of a run.
#[derive(Debug)]
pub struct Recording {
    /// The requests, in order.
    pub requests: Vec<ReceivedRequest>,
    /// The end.
    pub ended: Ended,
    /// The end of what it printed, in print mode.
    pub printed: String,
}

impl Launch {
    /// Prepares an agent: arguments, variables and the private files in `dir`, which are not written yet.
    ///
    /// # Errors
    /// A request could go elsewhere.
    pub fn prepare(
        rules: &CaptureRules,
        places: &Places,
        mode: Mode,
        address: &str,
        message: &str,
        user_args: &[OsString],
        dir: PathBuf,
    ) -> Result<Self, LaunchError> {
        for refuse in &rules.refuse {
            for file in places.files(rules, &refuse.file, &[]) {
                let text = fs::read(&file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                let text = text.unwrap_or_else(|_| refuse.words.join(" "));
                if let Some(word) = refuse.words.iter().find(|word| text.contains(word.as_str())) {
                    return Err(LaunchError::File(file, word.clone()));
                }
            }
        }
        for arg in user_args {
            let arg = arg.to_string_lossy();
            let is_refused = |refused: &&String| match refused.starts_with('-') {
                true => arg.split('=').next() == Some(refused.as_str()),
                false => arg.contains(refused.as_str()),
            };
            if rules.refuse_args.iter().any(|refused| is_refused(&refused)) {
                return Err(LaunchError::Argument(arg.into_owned()));
            }
        }
        let last = match mode {
            Mode::Listen => [].as_slice(),
            Mode::Print => &rules.print,
            Mode::Terminal => rules.terminal.as_ref().unwrap_or(&rules.print),
        };
        let proxied = no_proxy();
        let path = dir.to_string_lossy();
        let values = [
            ("[address]", address),
            ("[key]", KEY),
            ("[no_proxy]", &proxied),
            ("[dir]", &path),
            ("[message]", message),
        ];
        let fill = |template: &String| {
            values
                .iter()
                .fold(template.clone(), |text, (placeholder, value)| text.replace(placeholder, value))
        };
        let files = rules.files.iter().map(|(name, text)| (dir.join(name), fill(text))).collect();
        // `codex exec -m MODEL TEXT`: what the user gives is an option of the subcommand.
        let (first, rest) = match last.split_first() {
            Some((first, rest)) if !first.starts_with('-') && !rest.is_empty() => (Some(first), rest),
            _ => (None, last),
        };
        let mut args: Vec<OsString> =
            first.into_iter().chain(&rules.args).map(|arg| fill(arg).into()).collect();
        args.extend(user_args.iter().cloned());
        args.extend(rest.iter().map(|arg| OsString::from(fill(arg))));
        let mut set: BTreeMap<String, String> =
            rules.env.iter().map(|(name, value)| (name.clone(), fill(value))).collect();
        for name in ["NO_PROXY", "no_proxy"] {
            set.insert(name.to_owned(), proxied.clone());
        }
        Ok(Launch { args, set, unset: rules.unset.clone(), dir, files })
    }

    fn write_files(&self) -> io::Result<()> {
        if !self.files.is_empty() {
            fs::DirBuilder::new().mode(0o700).create(&self.dir)?;
        }
        for (file, text) in &self.files {
            fs::write(file, text)?;
        }
        Ok(())
    }

    /// Starts the agent, or waits for the one that the user starts, and takes its requests until it ends.
    ///
    /// # Errors
    /// The program cannot be started, or the private files not written.
    pub async fn run(
        self,
        program: &Path,
        path: Option<&OsStr>,
        places: &Places,
        mode: Mode,
        message: &str,
        endpoint: &mut Endpoint,
    ) -> io::Result<Recording> {
        // From here on a signal is taken below, and leaves no file.
        let interruption = interruption(mode)?;
        self.write_files()?;
        if mode == Mode::Listen {
            return Ok(take(None, endpoint, mode, message, interruption).await);
        }
        let mut command = Command::new(program);
        command.args(&self.args).current_dir(&places.cwd).kill_on_drop(true);
        for name in &self.unset {
            command.env_remove(name);
        }
        if let Some(path) = path {
            command.env("PATH", path);
        }
        command.envs(&self.set).env("PWD", &places.cwd);
        if mode == Mode::Print {
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        }
        let terminal = (mode == Mode::Terminal).then(TerminalState::save);
        let mut child = command.spawn()?;
        // Dropped at an error and a panic, too.
        let end = EndGroup::of(&child, mode == Mode::Print);
        let printed = tokio::spawn(both_ends(child.stdout.take(), child.stderr.take()));
        let mut recording = take(Some(&mut child), endpoint, mode, message, interruption).await;
        end.end(&mut child).await;
        drop(terminal);
        // Requests that were on the way.
        while let Ok(Some(request)) = timeout(Duration::from_millis(20), endpoint.next()).await {
            if recording.requests.len() < REQUEST_LIMIT {
                recording.requests.push(request);
            }
        }
        // A process that left the group may hold the pipe.
        if let Ok(Ok(text)) = timeout(Duration::from_millis(200), printed).await {
            recording.printed = text;
        }
        Ok(recording)
    }
}

/// Takes requests until the agent ends, or has to.
async fn take(
    child: Option<&mut Child>,
    endpoint: &mut Endpoint,
    mode: Mode,
    message: &str,
    interruption: impl Future<Output = ()>,
) -> Recording {
    let mut recording = Recording { requests: Vec::new(), ended: Ended::Interrupted, printed: String::new() };
    let limit = if mode == Mode::Print { TIME_LIMIT } else { Duration::from_secs(24 * 3600) };
    let deadline = sleep(limit);
    let exited = async {
        match child {
            Some(child) => child.wait().await.ok().and_then(|status| status.code()),
            None => std::future::pending().await,
        }
    };
    tokio::pin!(deadline, interruption, exited);
    let mut bytes = 0;
    // On a terminal the agent goes on after an answer: it gets a moment to show it.
    let mut answered: Option<tokio::time::Instant> = None;
    recording.ended = loop {
        let moment = answered.unwrap_or_else(|| tokio::time::Instant::now() + limit);
        tokio::select! {
            request = endpoint.next() => {
                let Some(request) = request else { break Ended::Interrupted };
                bytes += request.body.len();
                if mode == Mode::Terminal && has_message(&request.body, message) {
                    answered = Some(tokio::time::Instant::now() + Duration::from_millis(1500));
                }
                recording.requests.push(request);
                if recording.requests.len() >= REQUEST_LIMIT || bytes > TOTAL_LIMIT {
                    break Ended::RequestLimit;
                }
            }
            code = &mut exited => break Ended::Exited(code),
            () = &mut deadline => break Ended::TimeLimit,
            () = tokio::time::sleep_until(moment), if answered.is_some() => break Ended::Answered,
            () = &mut interruption => break Ended::Interrupted,
        }
    };
    recording
}

/// Listens for the signals that end this process, from now on. On a terminal Ctrl-C is for the agent.
fn interruption(mode: Mode) -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv(), if mode != Mode::Terminal => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

/// True if a body has the message of this capture.
#[must_use]
pub fn has_message(body: &[u8], message: &str) -> bool {
    !message.is_empty() && body.windows(message.len()).any(|window| window == message.as_bytes())
}

/// Returns the main request: the largest with the message, or the largest of all without a message.
#[must_use]
pub fn main_request(requests: &[ReceivedRequest], message: &str) -> Option<usize> {
    let is_candidate = |request: &ReceivedRequest| {
        request.method == "POST" && (message.is_empty() || has_message(&request.body, message))
    };
    // Of equals the first.
    (0..requests.len())
        .rev()
        .filter(|at| is_candidate(&requests[*at]))
        .max_by_key(|at| requests[*at].body.len())
}

/// Returns the hosts that no proxy is used for, with loopback.
fn no_proxy() -> String {
    let mut hosts: Vec<String> = ["NO_PROXY", "no_proxy"]
        .iter()
        .filter_map(|name| env::var(name).ok())
        .flat_map(|hosts| hosts.split(',').map(|host| host.trim().to_owned()).collect::<Vec<_>>())
        .chain(["127.0.0.1".to_owned(), "localhost".to_owned()])
        // It is put into JSON.
        .filter(|host| !host.is_empty() && !host.contains(['"', '\\']))
        .collect();
    hosts.sort();
    hosts.dedup();
    hosts.join(",")
}

/// Ends what was started, at the latest when it is dropped.
struct EndGroup {
    pid: Option<Pid>,
    is_group: bool,
}

impl EndGroup {
    fn of(child: &Child, is_group: bool) -> Self {
        EndGroup { pid: child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?)), is_group }
    }

    /// Sends a signal to the group, or, on a terminal, which has one group for all, to each of these processes.
    fn signal(&self, processes: &[Pid], signal: Signal) {
        match self.pid {
            Some(group) if self.is_group => _ = kill_process_group(group, signal),
            _ => processes.iter().for_each(|pid| _ = kill_process(*pid, signal)),
        }
    }

    async fn end(&self, child: &mut Child) {
        let is_over = child.try_wait().is_ok_and(|status| status.is_some());
        if is_over && !self.is_group {
            return;
        }
        let processes = self.pid.filter(|_| !self.is_group).map(with_descendants).unwrap_or_default();
        self.signal(&processes, Signal::TERM);
        let _ = timeout(GRACE, child.wait()).await;
        let deadline = Instant::now() + GRACE;
        let is_left = || match self.pid {
            Some(group) if self.is_group => test_kill_process_group(group).is_ok(),
            _ => processes.iter().any(|pid| test_kill_process(*pid).is_ok()),
        };
        while is_left() && Instant::now() < deadline {
            sleep(Duration::from_millis(20)).await;
        }
        self.signal(&processes, Signal::KILL);
        let _ = timeout(GRACE, child.wait()).await;
    }
}

impl Drop for EndGroup {
    fn drop(&mut self) {
        if self.is_group {
            self.signal(&[], Signal::KILL);
        }
    }
}

/// Returns a process with all that it started and that still runs, as far as the system has a table of processes.
fn with_descendants(root: Pid) -> Vec<Pid> {
    let row = |entry: fs::DirEntry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name before it, in parentheses, may have any character.
        let parent: i32 = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        Some((Pid::from_raw(parent)?, Pid::from_raw(pid)?))
    };
    let table: Vec<(Pid, Pid)> =
        fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(row).collect();
    let mut found = vec![root];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        found.extend(table.iter().filter(|row| row.0 == parent).map(|row| row.1));
        at += 1;
    }
    found
}

/// Ends what a program that draws on the whole screen may leave on: keys and mouse reports, pasting, the other screen.
const RESET: &[u8] =
    b"\x1b[<9u\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?1047l\x1b[?25h\r\n";

/// The settings of the terminal, which an agent that is ended may leave changed.
struct TerminalState(Option<rustix::termios::Termios>);

impl TerminalState {
    fn save() -> Self {
        TerminalState(rustix::termios::tcgetattr(io::stdin()).ok())
    }
}

impl Drop for TerminalState {
    fn drop(&mut self) {
        if let Some(state) = &self.0 {
            let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, state);
            let _ = io::Write::write_all(&mut io::stdout(), RESET);
        }
    }
}

async fn both_ends(out: Option<impl AsyncRead + Unpin>, err: Option<impl AsyncRead + Unpin>) -> String {
    let (out, err) = tokio::join!(last_bytes(out), last_bytes(err));
    [err, out].into_iter().filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

/// Reads to the end, and keeps the last bytes.
async fn last_bytes(from: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut from) = from else { return String::new() };
    let mut kept = Vec::new();
    let mut buffer = vec![0; 8192];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        kept.extend_from_slice(&buffer[..count]);
        if kept.len() > 2 * PRINTED {
            kept.drain(..kept.len() - PRINTED);
        }
    }
    let from = kept.len().saturating_sub(PRINTED);
    String::from_utf8_lossy(&kept[from..]).into_owned()
}

/// The state of files, to see what a run wrote.
#[derive(Clone, Debug, Default)]
pub struct WrittenFiles(BTreeMap<PathBuf, (u64, Option<SystemTime>)>);

impl WrittenFiles {
    /// Looks at the project, and at the agent's own directories.
    #[must_use]
    pub fn list(rules: &CaptureRules, places: &Places) -> Self {
        let mut state = WrittenFiles::default();
        state.add(&places.root);
        for path in &rules.writes {
            if let Some((dir, rest)) = places.user_pattern(rules, &format!("{path}/")) {
                state.add(&dir.join(rest.trim_end_matches('/')));
            }
        }
        state
    }

    fn add(&mut self, path: &Path) {
        let mut walk = WalkBuilder::new(path);
        // Git's own objects are no news.
        walk.standard_filters(false)
            .filter_entry(|entry| entry.file_name() != "node_modules" && entry.file_name() != "objects");
        for entry in walk.build().flatten().take(MOST_FILES) {
            if let Some(meta) = entry.metadata().ok().filter(|meta| !meta.is_dir()) {
                self.0.insert(entry.into_path(), (meta.len(), meta.modified().ok()));
            }
        }
    }

    /// Returns the files that are new or changed since then.
    #[must_use]
    pub fn since(&self, before: &WrittenFiles, places: &Places) -> Vec<String> {
        let changed = self.0.iter().filter(|(path, state)| before.0.get(*path) != Some(state));
        changed.map(|(path, _)| places.shown(path)).collect()
    }
}

/// Returns digits that are in no other text: what a project writes cannot be taken for the message that has them.
///
/// # Errors
/// The system gives no random bytes.
pub fn unique_digits() -> io::Result<String> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{:016x}", u64::from_le_bytes(random)))
}

/// Returns the version that a program prints, within a few seconds.
pub async fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.process_group(0).kill_on_drop(true).spawn().ok()?;
    let _end = EndGroup::of(&child, true);
    let output = timeout(Duration::from_secs(5), child.wait_with_output()).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_version =
        |word: &&str| word.len() < 40 && word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    text.split_whitespace().find(is_version).map(|word| word.trim_end_matches('.').to_owned())
}
