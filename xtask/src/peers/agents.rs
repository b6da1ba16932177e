//! `cargo xtask peers agents`: the agents of `preface exec` and `preface hook answer`, each in one exact version, against an endpoint on loopback.
//!
//! Where the text arrives, what follows it and what a session sends that is resumed or compacted is compared with `recordings`;
//! `PREFACE_PRINT=1` writes them.
//! The packages take 1.4 GB, so it is no part of the tests.

use crate::{
    child,
    failure::Failure,
    flags::Flags,
    packages::{Node, Python},
};

const USAGE: &str = "peers agents [AGENT…]";
/// The agents that are started.
const NAMES: [&str; 7] = ["claude", "codex", "gemini", "opencode", "pi", "copilot", "aider"];
const RECORDINGS: &str = "xtask/src/peers/recordings";

const AGENTS: Node<'static> = Node {
    names: "the agents",
    package: include_str!("package.json"),
    lock: include_str!("package-lock.json"),
    file: "xtask/src/peers/package.json",
};

const AIDER: Python<'static> = Python {
    names: "aider",
    requirements: include_str!("requirements.txt"),
    file: "xtask/src/peers/requirements.txt",
};

/// Installs the agents and runs those that are named, or all.
pub fn run(words: &[String]) -> Result<(), Failure> {
    let mut flags = Flags::new(USAGE, words);
    let mut names = Vec::new();
    while let Some(word) = flags.next() {
        if !NAMES.contains(&word) {
            return Err(flags.unknown(word));
        }
        names.push(word.to_owned());
    }
    let modules = child::target().join("peers/agents");
    AGENTS.ensure(&modules)?;
    let environment = child::target().join("peers/aider");
    AIDER.ensure(&environment)?;
    let mut agents = child::script("python3".as_ref(), "xtask/src/peers/agents.py");
    agents.arg(child::debug_binary()?);
    agents.arg(modules).arg(environment).arg(child::root().join(RECORDINGS)).args(names);
    child::lend_endpoint(&mut agents)?;
    child::run(agents)
}

#[cfg(test)]
mod tests {
    use super::{AGENTS, AIDER, NAMES, RECORDINGS, run};
    use crate::{
        child,
        packages::tests::{assert_exact, assert_locked},
    };
    use serde_json::Value;
    use std::fs;

    #[test]
    fn each_package_has_one_exact_version() {
        assert_locked(AGENTS.package, AGENTS.lock);
        assert_exact(AIDER.requirements);
    }

    #[test]
    fn an_agent_that_is_not_started_is_refused() {
        let failure = run(&["goose".to_owned()]).unwrap_err().to_string();
        assert!(failure.starts_with("error: unexpected argument: `goose`"), "{failure}");
    }

    /// `preface exec --help` names versions: they are those of the recordings, and each way of passing a prompt was recorded.
    #[test]
    fn the_versions_that_exec_names_are_the_recorded_ones() {
        let file = fs::read_to_string(child::root().join("crates/capture/agents.toml")).unwrap();
        for name in NAMES {
            let recording =
                fs::read_to_string(child::root().join(RECORDINGS).join(format!("{name}.json"))).unwrap();
            let recording: Value = serde_json::from_str(&recording).unwrap();
            let mut entries = file.split("[[agent]]\n");
            let entry =
                entries.find(|entry| entry.starts_with(&format!("name = \"{name}\"\n"))).expect("an entry");
            let version = recording["version"].as_str().unwrap();
            assert!(entry.contains(&format!("\nmeasured = \"{version}\"\n")), "{name}: {entry}");
            let is_installed = AGENTS.package.contains(&format!("\"{version}\""))
                || AIDER.requirements.contains(&format!("{name}-chat=={version}\n"));
            assert!(is_installed, "{name} is installed as {version}");
            for mode in ["replace", "append"] {
                let is_possible = entry.contains(&format!("\n{mode}."));
                let is_recorded = recording[mode]["places"].get(0).is_some();
                assert_eq!(is_possible, is_recorded, "{name}: {mode}");
            }
        }
    }

    /// Returns the prompt of a request as pages name it.
    fn in_words(found: &str) -> &str {
        match found {
            "first" => "the first prompt",
            "second" => "the new prompt",
            "first and second" => "both prompts",
            other => panic!("no page has this: `{other}`"),
        }
    }

    /// The page of each agent has what was recorded: the version, each way, each place, a session that is resumed or compacted.
    #[test]
    fn the_page_of_an_agent_has_what_was_recorded() {
        let read = |file: String| fs::read_to_string(child::root().join(file)).unwrap();
        let overview = read("docs/tasks/use-it-from-your-agent.md".to_owned());
        for name in NAMES {
            let page = read(format!("docs/tasks/agents/{name}.md"));
            let recording: Value = serde_json::from_str(&read(format!("{RECORDINGS}/{name}.json"))).unwrap();
            let version = recording["version"].as_str().unwrap();
            let mut rows = overview.lines().filter(|line| line.contains(&format!("(agents/{name}.md)")));
            assert!(rows.any(|row| row.ends_with(&format!("| {version} |"))), "{name}: {version}");
            assert!(page.contains(version), "{name}: {version}");
            for (way, found) in recording.as_object().unwrap() {
                for place in found["places"].as_array().into_iter().flatten() {
                    let place = place["place"].as_str().unwrap();
                    assert!(page.contains(&format!("`{place}`")), "{name}: {way}: {place}");
                }
                if let (Some(resumed), Some(compacted)) =
                    (found["resumed"].as_str(), found["compacted"].as_str())
                {
                    let row = format!("| {} | {} |", in_words(resumed), in_words(compacted));
                    assert!(page.lines().any(|line| line.ends_with(&row)), "{name}: {way}: {row}");
                }
            }
        }
    }
}
