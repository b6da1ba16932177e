//! A machine of its own for each page: the home directory of a user, a project in it, and what the page's blocks do there.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The home directory as pages show it. The real one has as many bytes, so that sizes and tokens are the same.
const HOME: &str = "/home/ada";

/// The day that pages show in place of today.
const TODAY: &str = "2026-03-07";

/// The address of a service as pages show it.
const ADDRESS: &str = "127.0.0.1:7677";

pub struct Sandbox {
    home: TempDir,
    port: u16,
    services: Vec<Child>,
}

/// What a command printed, and how it ended.
pub struct Ran {
    pub code: i32,
    pub output: String,
}

impl Sandbox {
    /// Makes a home with a project `engine`: a git repository with one commit.
    pub fn new() -> Self {
        let home =
            tempfile::Builder::new().prefix("").rand_bytes(HOME.len() - "/tmp/".len()).tempdir_in("/tmp");
        let home = home.expect("a temporary directory");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let sandbox = Sandbox { home, port: free.expect("a free port").port(), services: Vec::new() };
        fs::create_dir(sandbox.project()).expect("a project");
        let made = sandbox.run(
            "git init -q -b main\necho '# Engine' > README.md\ngit add README.md\ngit commit -q -m 'Begin the engine'",
        );
        assert_eq!((made.code, made.output.as_str()), (0, ""), "the project is made");
        sandbox
    }

    /// Makes a home with an empty directory `engine`.
    pub fn empty() -> Self {
        let sandbox = Sandbox::new();
        fs::remove_dir_all(sandbox.project())
            .and_then(|()| fs::create_dir(sandbox.project()))
            .expect("a directory");
        sandbox
    }

    /// Stops the services.
    pub fn stop(&mut self) {
        for mut service in self.services.drain(..) {
            let _ = service.kill();
            let _ = service.wait();
        }
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("engine")
    }

    /// Puts the real paths, dates and addresses in the place of those that pages show.
    fn real(&self, text: &str) -> String {
        let text = text.replace(HOME, self.home.path().to_str().expect("a plain path"));
        text.replace(ADDRESS, &format!("127.0.0.1:{}", self.port))
    }

    /// Puts what pages show in the place of real paths, dates and addresses.
    fn shown(&self, text: &str) -> String {
        let mut text = text.replace(self.home.path().to_str().expect("a plain path"), HOME);
        text = text.replace(&format!("127.0.0.1:{}", self.port), ADDRESS);
        // A page may run past midnight.
        let day = |ago: i64| {
            let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
            now.saturating_sub(jiff::Span::new().days(ago)).strftime("%Y-%m-%d").to_string()
        };
        text.replace(&day(0), TODAY).replace(&day(1), TODAY)
    }

    fn command(&self, script: &str) -> Command {
        let bin = Path::new(env!("CARGO_BIN_EXE_preface")).parent().expect("a directory");
        let mut command = Command::new("sh");
        command
            .args(["-ec", &format!("exec 2>&1\n{}", self.real(script))])
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()))
            .envs([("SHELL", "/bin/bash"), ("LANG", "C.UTF-8"), ("TZ", "UTC"), ("GIT_CONFIG_NOSYSTEM", "1")])
            .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@engine.example")])
            .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@engine.example")])
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }

    /// Runs a script in the project; stderr joins stdout.
    pub fn run(&self, script: &str) -> Ran {
        let ran = self.command(script).output().expect("a shell");
        let output = String::from_utf8_lossy(&ran.stdout);
        Ran { code: ran.status.code().unwrap_or(-1), output: self.shown(&output) }
    }

    /// Starts `preface serve` on a free port and returns what it printed once it answers.
    pub fn serve(&mut self, script: &str) -> Ran {
        let mut script = script.trim_end().to_owned();
        if !script.contains("--listen") {
            script.push_str(&format!(" --listen {ADDRESS}"));
        }
        let log = self.home.path().join(format!("service-{}.log", self.services.len()));
        let file = fs::File::create(&log).expect("a log");
        let mut child = self.command(&format!("exec {script}")).stdout(file).spawn().expect("a shell");
        let start = Instant::now();
        let mut code = 0;
        let answers = |port| TcpStream::connect(("127.0.0.1", port)).is_ok();
        // The service prints its address after it listens.
        while !answers(self.port) || fs::metadata(&log).expect("the log").len() == 0 {
            if let Some(status) = child.try_wait().expect("a process") {
                code = status.code().unwrap_or(-1);
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "the service does not answer: {script}");
            thread::sleep(Duration::from_millis(20));
        }
        self.services.push(child);
        let output = fs::read_to_string(log).expect("the log");
        Ran { code, output: self.shown(&output) }
    }

    /// Writes a file that a page shows; `~` is the home directory, other paths are relative to the project.
    pub fn write(&self, path: &str, text: &str) {
        let path = match path.strip_prefix("~/") {
            Some(path) => self.home.path().join(path),
            None => self.project().join(path),
        };
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(&path, self.real(text)).expect("a file");
        let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a file of ours");
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.stop();
    }
}
