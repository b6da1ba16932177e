//! A machine of its own for each test: a home, a directory to work in, nothing from outside.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// The user's own profile in every sandbox: three short parts, so that whole prompts fit into a test.
const PROFILE: &str = r###"
name = "small"
home = { global = ["config:preface"], project = ".preface" }
trust = { mode = "pinned" }
arrange = "stability"
seam = true
added_after = "rules"

[orders]
main = ["identity", "rules", "context", "today"]

[group.base]
members = ["identity"]
replace = ["global:base.md"]

[section.identity]
text = "You help."
cut = "never"

[section.rules]
fill = "layer-files"
names = ["append.md"]
between = "\n\n"
language = "template"

[section.context]
fill = "instructions"
stop = "cwd"
item = "## [item:path]\n\n[item:text]"
between = "\n\n"
seam = true

[section.today]
text = "It is [system:local_date]."
"###;

/// What the prompt is where nothing else speaks.
pub const BARE: &str = "You help.\n\nIt is 2026-03-07.";

/// The commands that take `--now` and `--tz`.
const TIMED: [&str; 6] = ["build", "diff", "explain", "lint", "list", "template render"];

/// A home and a directory to work in.
pub struct Sandbox {
    dir: TempDir,
    env: Vec<(String, String)>,
}

impl Sandbox {
    /// Makes a home with a small profile, and an empty directory to work in.
    pub fn new() -> Self {
        let sandbox = Sandbox::empty();
        sandbox.home(".config/preface/profiles/small.toml", PROFILE);
        sandbox.home(".config/preface/settings.json", r#"{"preset": "small"}"#);
        sandbox
    }

    /// Makes an empty home and an empty directory to work in.
    pub fn empty() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        for name in ["home", "work"] {
            fs::create_dir(dir.path().join(name)).expect("a new directory");
        }
        let home = dir.path().join("home").display().to_string();
        Sandbox { dir, env: vec![("HOME".to_owned(), home)] }
    }

    /// Sets a variable for the commands; all others are unset.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.replace("[ROOT]", &self.root())));
        self
    }

    /// Unsets a variable.
    pub fn without(mut self, name: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self
    }

    /// Writes a file of the project.
    pub fn work(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        write(&self.path("work").join(path), text.as_ref());
        self
    }

    /// Writes a file of the user's.
    pub fn home(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        write(&self.path("home").join(path), text.as_ref());
        self
    }

    /// Returns a path in the sandbox: `work`, `home/.config/preface`.
    pub fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn root(&self) -> String {
        self.dir.path().display().to_string()
    }

    /// Runs a line such as `preface build --trust once`; words in `'…'` stay together.
    pub fn run(&self, line: &str) -> Ran {
        self.run_with(line, "")
    }

    /// Runs a line with a text on stdin.
    pub fn run_with(&self, line: &str, stdin: &str) -> Ran {
        let mut child = self.command(line).stdin(Stdio::piped()).spawn().expect("the binary starts");
        // A command that does not read its stdin may be gone already.
        let _ = child.stdin.take().expect("a pipe").write_all(stdin.as_bytes());
        let output = child.wait_with_output().expect("the binary ends");
        Ran::of(line, output, &self.root())
    }

    /// Prepares a line, with its outputs in pipes.
    pub fn command(&self, line: &str) -> Command {
        let mut words = words(line);
        assert_eq!(words.remove(0), "preface", "a line starts with the program: {line}");
        let timed = TIMED.iter().any(|command| words.join(" ").starts_with(command));
        let snapshot = words.iter().any(|word| word == "--snapshot" || word == "--help" || word == "-h");
        let mut command = Command::new(env!("CARGO_BIN_EXE_preface"));
        command.args(words.iter().map(|word| word.replace("[ROOT]", &self.root())));
        for (flag, value) in [("--now", "2026-03-07T14:55:05Z"), ("--tz", "UTC")] {
            if timed && !snapshot && !words.iter().any(|word| word == flag) {
                command.args([flag, value]);
            }
        }
        command
            .current_dir(self.path("work"))
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// What a command did. Paths of the sandbox are written `[ROOT]`.
#[derive(Debug)]
pub struct Ran {
    line: String,
    /// What it printed.
    pub stdout: String,
    /// What it said.
    pub stderr: String,
    code: Option<i32>,
}

impl Ran {
    fn of(line: &str, output: Output, root: &str) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace(root, "[ROOT]");
        Ran {
            line: line.to_owned(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code(),
        }
    }

    /// Returns the exit code.
    #[allow(dead_code)]
    pub fn code(&self) -> Option<i32> {
        self.code
    }

    /// Checks the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}{}", self.line, self.stdout, self.stderr);
        self
    }

    /// Checks everything on stdout.
    #[track_caller]
    pub fn prints(self, stdout: &str) -> Self {
        assert_eq!(self.stdout, stdout, "{}\n{}", self.line, self.stderr);
        self
    }

    /// Checks everything on stderr.
    #[track_caller]
    pub fn says(self, stderr: &str) -> Self {
        assert_eq!(self.stderr, stderr, "{}", self.line);
        self
    }

    /// Reads stdout as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// Reads stdout as the JSON document of a list, and returns its entries.
    #[track_caller]
    pub fn entries(&self) -> serde_json::Value {
        let document = self.json();
        assert!(document["kind"].is_string() && document["diagnostics"].is_array(), "{document}");
        document["entries"].clone()
    }
}

fn write(path: &Path, text: &[u8]) {
    fs::create_dir_all(path.parent().expect("a file lies in a directory")).expect("its directory");
    fs::write(path, text).expect("a file in the sandbox");
}

fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("never empty").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
