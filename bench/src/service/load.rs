//! A server on one core, `wrk` on another, and their measurements.

use super::{LASTS, PROMPT};
use crate::{BenchError, harness::Measured};
use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

/// The cores of server and load.
const CORES: [&str; 2] = ["0", "1"];
/// The number of open connections of the load.
const CONNECTIONS: &str = "32";

/// Checks that the tools are on this machine.
pub fn check_tools() -> Result<(), BenchError> {
    for (tool, package) in [("wrk", "wrk"), ("taskset", "util-linux")] {
        if Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            return Err(BenchError::Missing(format!(
                "`{tool}` is not installed (Debian: apt-get install {package})"
            )));
        }
    }
    match std::thread::available_parallelism()?.get() {
        1 => Err(BenchError::Missing("server and load need a core each".to_owned())),
        _ => Ok(()),
    }
}

/// A server that runs.
pub struct Served {
    child: Child,
    address: String,
    scripts: PathBuf,
}

impl Served {
    /// Starts one of the bare servers.
    pub fn bare(kind: &str, database: &Path, dir: &Path) -> Result<Self, BenchError> {
        let mut command = pinned(CORES[0], &env::current_exe()?);
        command.args(["--serve", kind]).arg(database).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let out = child.stdout.take().ok_or_else(|| BenchError::Failed("no stdout".to_owned()))?;
        Served::connect(child, &mut BufReader::new(out), dir)
    }

    /// Starts preface. Its template is a file of 20 KiB.
    pub fn preface(preface: &Path, database: &Path, dir: &Path, more: &[&str]) -> Result<Self, BenchError> {
        let project = dir.join("project");
        fs::create_dir_all(&project)?;
        fs::write(project.join("AGENTS.md"), "Keep functions short.\n".repeat(PROMPT / 22))?;
        let mut command = pinned(CORES[0], preface);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--store"])
            .arg(format!("sqlite:{}", database.display()))
            .arg("--root")
            .arg(&project)
            .args(more)
            .env("HOME", dir)
            .env("PREFACE_HOME", dir.join("home"))
            .env("TOKIO_WORKER_THREADS", "1")
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let err = child.stderr.take().ok_or_else(|| BenchError::Failed("no stderr".to_owned()))?;
        let mut lines = BufReader::new(err);
        let served = Served::connect(child, &mut lines, dir);
        // What it logs is read and thrown away, as a collector would.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        served
    }

    fn connect(child: Child, lines: &mut dyn BufRead, dir: &Path) -> Result<Self, BenchError> {
        let mut line = String::new();
        lines.read_line(&mut line)?;
        let address = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"))
            .map(|word| word.trim_end_matches([',', '.']).to_owned());
        let address = address.ok_or_else(|| BenchError::Failed(format!("the server printed: {line}")))?;
        Ok(Served { child, address, scripts: dir.to_owned() })
    }

    /// Returns the processor time that it has used.
    fn cpu(&self) -> Result<Duration, BenchError> {
        // In hundredths of a second, threads that have ended included.
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let ticks: u64 =
            fields.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum();
        Ok(Duration::from_millis(ticks * 10))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It is ours, and nothing of it is needed any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn pinned(core: &str, program: &Path) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", core]).arg(program);
    command
}

/// The request of a load.
#[derive(Clone, Copy)]
pub enum Requests {
    /// `/`.
    Hello,
    /// The prompts of `c0` to `cN`, by chance.
    Read {
        /// The number of them.
        of: usize,
    },
    /// First turns of new conversations.
    Construct {
        /// The prefix of their ids.
        prefix: &'static str,
    },
}

impl Requests {
    /// The script for `wrk`. `salt` makes the ids of one run new.
    fn script(self, salt: usize) -> String {
        match self {
            Requests::Hello => String::new(),
            Requests::Read { of } => format!(
                "math.randomseed({salt})\nrequest = function()\n  return wrk.format(\"GET\", \
                 \"/conversations/c\" .. math.random(0, {}) .. \"/system-prompt\")\nend\n",
                of - 1
            ),
            Requests::Construct { prefix } => format!(
                "local n = 0\nwrk.headers[\"Content-Type\"] = \"application/json\"\nrequest = function()\n  n = n + 1\n  \
                 return wrk.format(\"POST\", \"/conversations/{prefix}{salt}-\" .. n .. \"/turns\", nil, \"{{}}\")\nend\n"
            ),
        }
    }
}

/// A server and its request.
pub struct Contestant {
    name: &'static str,
    served: Served,
    requests: Requests,
}

impl Contestant {
    /// Names one.
    pub fn new(name: &'static str, served: Served, requests: Requests) -> Self {
        Contestant { name, served, requests }
    }

    fn run(&self, salt: usize) -> Result<Run, BenchError> {
        let script = self.served.scripts.join("load.lua");
        fs::write(&script, self.requests.script(salt))?;
        let before = self.served.cpu()?;
        let mut wrk = pinned(CORES[1], Path::new("wrk"));
        wrk.args(["-t1", "-c", CONNECTIONS, "--latency", "-d"])
            .arg(format!("{}s", LASTS.as_secs()))
            .arg("-s")
            .arg(&script)
            .arg(&self.served.address);
        let output = wrk.output()?;
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        let used = self.served.cpu()?.saturating_sub(before);
        Run::read(&output, used)
            .ok_or_else(|| BenchError::Failed(format!("{}: wrk printed:\n{output}", self.name)))
    }
}

struct Run {
    cpu: Duration,
    pace: Duration,
    late: Duration,
}

impl Run {
    /// Reads the output of `wrk`; `None` where a request failed.
    fn read(output: &str, used: Duration) -> Option<Run> {
        if output.contains("Non-2xx") || output.contains("Socket errors") {
            return None;
        }
        let word = |line: &str, at: usize| line.split_whitespace().nth(at).map(str::to_owned);
        let requests: f64 = output
            .lines()
            .find(|line| line.contains(" requests in "))
            .and_then(|line| word(line, 0))?
            .parse()
            .ok()?;
        let rate: f64 = output
            .lines()
            .find(|line| line.starts_with("Requests/sec:"))
            .and_then(|line| word(line, 1))?
            .parse()
            .ok()?;
        let late = output
            .lines()
            .find(|line| line.trim_start().starts_with("99%"))
            .and_then(|line| word(line, 1))?;
        Some(Run {
            cpu: used.div_f64(requests.max(1.0)),
            pace: Duration::from_secs_f64(1.0 / rate.max(f64::MIN_POSITIVE)),
            late: time(&late)?,
        })
    }
}

/// `1.23ms`, `870.00us`, `1.02s`.
fn time(word: &str) -> Option<Duration> {
    let (number, scale) = if let Some(number) = word.strip_suffix("us") {
        (number, 1e-6)
    } else if let Some(number) = word.strip_suffix("ms") {
        (number, 1e-3)
    } else {
        (word.strip_suffix('s')?, 1.0)
    };
    Some(Duration::from_secs_f64(number.parse::<f64>().ok()? * scale))
}

/// The results of one contestant, round by round.
#[derive(Clone)]
pub struct Runs {
    /// Processor time of the server for a request.
    pub cpu: Measured,
    /// Time between two answers.
    pub pace: Measured,
    /// 99 of 100 were answered within.
    pub late: Measured,
}

/// Runs all of them in turns, once before it counts.
pub fn interleave<const N: usize>(
    contestants: &mut [Contestant; N],
    rounds: usize,
) -> Result<[Runs; N], BenchError> {
    let mut runs: Vec<Vec<Run>> = (0..N).map(|_| Vec::new()).collect();
    for round in 0..=rounds {
        for (contestant, runs) in contestants.iter().zip(&mut runs) {
            let run = contestant.run(round)?;
            if round > 0 {
                runs.push(run);
            }
        }
    }
    let measured = |name: &str, of: &[Run], what: fn(&Run) -> Duration| {
        Measured::new(name.to_owned(), of.iter().map(what).collect())
    };
    let all: Vec<Runs> = contestants
        .iter()
        .zip(&runs)
        .map(|(contestant, of)| Runs {
            cpu: measured(contestant.name, of, |run| run.cpu),
            pace: measured(contestant.name, of, |run| run.pace),
            late: measured(contestant.name, of, |run| run.late),
        })
        .collect();
    all.try_into().map_err(|_| BenchError::Failed("each contestant has its runs".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "Running 2s test @ http://127.0.0.1:1\n  Latency Distribution\n     50%  338.00us\n     99%    1.20ms\n  \
                        189400 requests in 2.00s, 23.12MB read\nRequests/sec:  94700.00\n";

    #[test]
    fn a_run_is_read_off() {
        let run = Run::read(OUTPUT, Duration::from_secs(2)).unwrap();
        assert_eq!(run.late, Duration::from_micros(1200));
        assert_eq!((run.cpu.as_micros(), run.pace.as_micros()), (10, 10));
    }

    #[test]
    fn a_refused_request_spoils_the_run() {
        let output = format!("{OUTPUT}  Non-2xx or 3xx responses: 1\n");
        assert!(Run::read(&output, Duration::from_secs(2)).is_none());
        // It is this line that spoils it, not the form of the output.
        let other = Run::read(&output.replace("Non-2xx or 3xx", "Other"), Duration::from_secs(2)).unwrap();
        assert_eq!(other.late, Duration::from_micros(1200));
    }
}
