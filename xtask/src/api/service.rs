//! The service under test: the built program with a store, a home and a root of its own, on a port of its own.

use crate::{child, failure::Failure};
use std::{
    env, fs,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// A service that runs. It ends, and its directory goes, with this value.
pub struct Service {
    child: Child,
    /// Where it listens: `http://127.0.0.1:PORT`.
    pub url: String,
    directory: PathBuf,
}

impl Service {
    /// Starts the program and waits until it listens.
    ///
    /// # Errors
    /// It does not start. The error has its output.
    pub fn start(binary: &Path) -> Result<Service, Failure> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = env::temp_dir().join(format!("preface-api-{}-{count}", process::id()));
        let begun = begin(binary, &directory);
        let (mut child, url) = begun.map_err(|error| {
            _ = fs::remove_dir_all(&directory);
            Failure::start(&binary.display().to_string(), &error)
        })?;
        let Some(url) = url else {
            _ = child.kill();
            _ = child.wait();
            return Err(Failure::new(format!("the service does not listen: {}", log(&directory).join(" "))));
        };
        Ok(Service { child, url, directory })
    }

    /// Returns the directory that conversations may work in; it holds an `AGENTS.md`.
    pub fn root(&self) -> PathBuf {
        self.directory.join("root")
    }

    /// Returns the end of what the service logged.
    pub fn log(&self) -> Vec<String> {
        log(&self.directory)
    }

    /// Fetches the description of the service into a file.
    ///
    /// # Errors
    /// `python` cannot fetch it.
    pub fn describe(&self, python: &Path, file: &Path) -> Result<(), Failure> {
        let script = "import sys, urllib.request as web; open(sys.argv[2], 'wb').write(web.urlopen(sys.argv[1]).read())";
        let mut command = Command::new(python);
        command.args(["-c", script, &format!("{}/openapi.json", self.url)]).arg(file);
        match child::quietly(command)? {
            true => Ok(()),
            false => Err(Failure::new("the service does not describe itself at `/openapi.json`")),
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
        _ = fs::remove_dir_all(&self.directory);
    }
}

/// Starts the program; returns the address that it prints, and lets it log into a file from then on.
fn begin(binary: &Path, directory: &Path) -> io::Result<(Child, Option<String>)> {
    let (home, root) = (directory.join("home"), directory.join("root"));
    fs::create_dir_all(&home)?;
    fs::create_dir_all(&root)?;
    fs::write(root.join("AGENTS.md"), "Use tabs.\n")?;
    let mut command = Command::new(binary);
    command.args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--store"]);
    command.arg(format!("sqlite:{}", directory.join("store.db").display())).current_dir(&root);
    // The developer's own settings of preface stay out.
    command.env_clear().env("PATH", env::var_os("PATH").unwrap_or_default()).env("HOME", home);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut stderr = BufReader::new(child.stderr.take().ok_or_else(|| io::Error::other("no pipe"))?);
    let mut file = fs::File::create(directory.join("log"))?;
    let mut line = String::new();
    stderr.read_line(&mut line)?;
    io::Write::write_all(&mut file, line.as_bytes())?;
    let url = line.strip_prefix("Listening on ").and_then(|rest| rest.split(',').next());
    thread::spawn(move || io::copy(&mut stderr, &mut file));
    Ok((child, url.map(str::to_owned)))
}

fn log(directory: &Path) -> Vec<String> {
    let text = fs::read(directory.join("log")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].iter().map(|line| (*line).to_owned()).collect()
}
