//! The preset `pi` beside the published packages that it is compared with: a cold process, discover and build
//! in a warm one, and the build alone.
//!
//! `PI_ORACLE_HOME` is the place of the packages, and `PEERS_ORACLE` that of the folder that starts them;
//! without them only our own times are taken.

use crate::{
    Bench, BenchError,
    harness::{Measured, closure, interleave},
    process::process,
    start::{binary, sentence},
    table::{Bar, Table},
    template::bytes,
};
use preface_engine::{
    ASSETS, BuildOptions, Conversation, Engine, OsSystem,
    core::{pipeline, snapshot::Snapshot, variable::source::NoSource},
};
use serde_json::Value;
use std::{env, fs, io, path::PathBuf, process::Command, sync::Arc, thread, time::Duration};
use tempfile::TempDir;

pub const BENCH: Bench = Bench {
    name: "anatomy",
    about: "the prompt of `pi`, cold and warm, beside the published packages.",
    run,
};

/// The preset that is measured.
const PRESET: &str = "pi";

/// The variants, the release that each is compared with, and how much slower that one's process must be.
const PEERS: [(&str, &str, f64); 3] =
    [("0.58", "0.58.3", 500.0), ("0.73", "0.73.1", 500.0), ("0.87", "0.87.1", 400.0)];

/// Rounds of processes of a peer: each takes seconds.
const PEER_ROUNDS: usize = 21;

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    let mut tables = Vec::new();
    for (variant, release, slower) in PEERS {
        for skills in [0, 70] {
            let place = Place::with(skills)?;
            let (discover, build) = if skills == 0 { (5.0, 4.0) } else { (20.0, 4.0) };
            let system = OsSystem::new(ASSETS).with_home(place.home());
            let engine = Engine::new(&system);
            let warm = Arc::new(OsSystem::new(ASSETS).with_home(place.home()));
            let setup = Conversation::setup(warm, place.request(variant));
            let mut conversation = setup.start().map_err(failed)?;
            conversation.reload().map_err(failed)?;
            let prompt = conversation.base().text.clone();
            if !prompt.contains(&sentence(2)) || prompt.matches("<skill>").count() != skills {
                return Err(BenchError::Failed("the prompt does not list what there is".to_owned()));
            }
            let mut snapshot: Snapshot = engine.build(&place.request(variant)).map_err(failed)?.snapshot;
            let mut measured = interleave(
                vec![
                    closure("discover and build", || conversation.reload().expect("it did before")),
                    closure("the same, nothing known", || {
                        engine.build(&place.request(variant)).expect("it did before")
                    }),
                    closure("build with provenance", || {
                        pipeline::run(&mut snapshot, &mut NoSource).expect("complete")
                    }),
                ],
                rounds.unwrap_or(201),
            );
            let mut bars = Vec::new();
            if let Some(peer) = place.peer(release)? {
                measured.push(Measured::of("peer: discover and build", peer.discover + peer.build));
                measured.push(Measured::of("peer: build", peer.build));
                bars.push(Bar {
                    of: "discover and build",
                    to: "peer: discover and build",
                    at_most: 1.0 / discover,
                });
                bars.push(Bar { of: "build with provenance", to: "peer: build", at_most: 1.0 / build });
            }
            let title = format!(
                "variant {variant}, 4 context files, {skills} skills, prompt of {}",
                bytes(prompt.len())
            );
            tables.push(Table::new(title, measured, bars));
            if skills == 0 && peer_folder().is_some() {
                tables.push(place.processes(variant, release, slower)?);
            }
        }
    }
    Ok(tables)
}

fn failed(error: impl std::fmt::Display) -> BenchError {
    BenchError::Failed(error.to_string())
}

fn peer_folder() -> Option<PathBuf> {
    env::var_os("PI_ORACLE_HOME")?;
    env::var_os("PEERS_ORACLE").map(PathBuf::from)
}

/// A home and a working directory with context files and skills.
struct Place {
    root: TempDir,
}

/// The warm times of a peer.
struct Peer {
    discover: Duration,
    build: Duration,
}

impl Place {
    fn with(skills: usize) -> io::Result<Self> {
        let root = tempfile::tempdir()?;
        let cwd = root.path().join("work/a/b");
        let agent = root.path().join("home/.pi/agent");
        fs::create_dir_all(&cwd)?;
        fs::create_dir_all(&agent)?;
        for (number, dir) in
            [&agent, &root.path().join("work"), &root.path().join("work/a"), &cwd].iter().enumerate()
        {
            fs::write(dir.join("AGENTS.md"), format!("{}\n", sentence(number)).repeat(8))?;
        }
        for number in 0..skills {
            let dir = agent.join(format!("skills/skill-{number}"));
            fs::create_dir_all(&dir)?;
            let text = format!(
                "---\nname: skill-{number}\ndescription: Does task number {number} as it is done here\n---\n\n# Skill {number}\n"
            );
            fs::write(dir.join("SKILL.md"), text + &"One more line of what to do.\n".repeat(20))?;
        }
        // What changed a moment ago is never taken for unchanged.
        thread::sleep(Duration::from_millis(2_100));
        Ok(Place { root })
    }

    fn cwd(&self) -> PathBuf {
        self.root.path().join("work/a/b")
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    fn request(&self, variant: &str) -> BuildOptions {
        BuildOptions {
            profile: None,
            preset: Some(PRESET.to_owned()),
            sets: vec![format!("variant={variant}")],
            now: Some("2026-01-02T03:04:05Z".to_owned()),
            ..BuildOptions::in_dir(self.cwd())
        }
    }

    /// Returns the warm medians that a peer measures itself.
    fn peer(&self, release: &str) -> Result<Option<Peer>, BenchError> {
        let Some(folder) = peer_folder() else { return Ok(None) };
        let output = Command::new(folder.join("run.sh"))
            .args([release, "bench", "--n", "500", "--cwd"])
            .arg(self.cwd())
            .arg("--home")
            .arg(self.home())
            .output()?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let json: Value = serde_json::from_str(&stdout).map_err(|error| {
            BenchError::Failed(format!("{release}: {error}\n{}", String::from_utf8_lossy(&output.stderr)))
        })?;
        let time = |key: &str| {
            let us = json[key]["p50_us"]
                .as_f64()
                .ok_or_else(|| BenchError::Failed(format!("{release} has no {key}")))?;
            Ok::<_, BenchError>(Duration::from_secs_f64(us / 1e6))
        };
        Ok(Some(Peer { discover: time("reload_warm")?, build: time("build_warm")? }))
    }

    fn processes(&self, variant: &str, release: &str, slower: f64) -> Result<Table, BenchError> {
        let folder = peer_folder().unwrap_or_default();
        let mut ours = Command::new(binary()?);
        ours.args(["build", "-q", "--preset", PRESET, "--set", &format!("variant={variant}"), "-C"])
            .arg(self.cwd());
        ours.env("HOME", self.home());
        let mut theirs = Command::new(folder.join("run.sh"));
        theirs.args([release, "prompt", "--cwd"]).arg(self.cwd()).arg("--home").arg(self.home());
        let contestants = vec![process("preface build", ours)?, process("peer: the full process", theirs)?];
        let measured = interleave(contestants, PEER_ROUNDS);
        let bar = Bar { of: "preface build", to: "peer: the full process", at_most: 1.0 / slower };
        Ok(Table::new(format!("variant {variant}, from a cold process"), measured, vec![bar]))
    }
}
