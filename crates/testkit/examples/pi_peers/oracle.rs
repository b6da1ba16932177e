//! The published packages as programs: one process for each mode, a line of JSON in, a line of JSON out.

use crate::Setup;
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread::JoinHandle,
};

/// The package that a variant is compared with.
pub fn version(variant: &str) -> &'static str {
    match variant {
        "0.58" => "0.58.3",
        "0.73" => "0.73.1",
        _ => "0.87.1",
    }
}

/// A running package that answers line by line.
pub struct Oracle {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: Option<JoinHandle<String>>,
}

impl Oracle {
    /// Starts a mode of the package that answers lines: `pure` or `serve`.
    pub fn start(setup: &Setup, variant: &str, mode: &str, now: &str) -> Result<Self, String> {
        let mut child = command(setup, variant, mode, now)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the package could not be started: {error}"))?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut errors = child.stderr.take().ok_or("no stderr")?;
        let stderr = std::thread::spawn(move || {
            let (mut kept, mut buffer) = (Vec::new(), [0; 4096]);
            while let Ok(count @ 1..) = errors.read(&mut buffer) {
                kept.extend_from_slice(&buffer[..count]);
                let extra = kept.len().saturating_sub(2000);
                kept.drain(..extra);
            }
            String::from_utf8_lossy(&kept).into_owned()
        });
        let stdin = child.stdin.take();
        Ok(Oracle { child, stdin, stdout, stderr: Some(stderr) })
    }

    /// Sends one line and returns the prompt, or the error that the package throws.
    pub fn request(&mut self, line: &str) -> Result<Result<String, String>, String> {
        let mut answer = Vec::new();
        let sent = self.stdin.as_mut().map(|stdin| writeln!(stdin, "{line}").and_then(|()| stdin.flush()));
        let read = self.stdout.read_until(b'\n', &mut answer);
        if !matches!(sent, Some(Ok(()))) || !matches!(read, Ok(1..)) {
            return Err(format!("the package ended early:\n{}", self.end()));
        }
        let value: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
        Ok(match value["prompt"].as_str() {
            Some(prompt) => Ok(prompt.to_owned()),
            None => Err(value["error"].as_str().unwrap_or("no prompt").to_owned()),
        })
    }

    fn end(&mut self) -> String {
        self.stdin = None;
        _ = self.child.wait();
        self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        _ = self.end();
    }
}

/// Returns the prompt of a whole session of the package: slower than `serve`, and with the tools' own texts.
pub fn session(
    setup: &Setup,
    variant: &str,
    now: &str,
    cwd: &Path,
    home: &Path,
    tools: Option<&[String]>,
) -> Result<String, String> {
    let mut command = command(setup, variant, "prompt", now);
    command.arg("--cwd").arg(cwd).arg("--home").arg(home).env("HOME", home);
    if let Some(tools) = tools {
        command.arg("--tools").arg(if tools.is_empty() { "none".to_owned() } else { tools.join(",") });
    }
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn command(setup: &Setup, variant: &str, mode: &str, now: &str) -> Command {
    let mut command = Command::new("bash");
    command
        .arg(setup.oracle.join("run.sh"))
        .args([version(variant), mode])
        .current_dir(&setup.root)
        .env("PI_ORACLE_HOME", &setup.packages)
        .env("PI_PACKAGE_DIR", setup.package_dir())
        .env("PI_ORACLE_NOW", now)
        .env("TZ", crate::ZONE)
        .env("HOME", setup.root.join("nobody"))
        .env_remove("PI_CODING_AGENT_DIR");
    command
}
