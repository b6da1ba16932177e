//! Every example of every `--help` runs as printed: in a project that has what examples name, and in an empty directory.
//!
//! There an example may fail because a thing that it names is missing, with an error and its help. It is never a usage error, and
//! never a panic.

use crate::{Machine, commands::helps, sandbox::Sandbox};
use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Examples that do not run, by what is in them.
const SKIPPED: [(&str, &str); 4] = [
    ("claude --listen", "waits for Ctrl-C"),
    ("postgres://", "needs PostgreSQL"),
    ("--listen 0.0.0.0", "listens to the network"),
    ("curl ", "needs the service of the line above"),
];

/// Examples whose exit code is a result, by what is in them.
const RESULTS: [(&str, i32); 3] = [("--exit-code", 1), ("--deny warning", 4), ("--trust require", 3)];

/// Programs of examples that a machine may not have.
const PROGRAMS: &str = "mkdir -p ~/bin && printf '#!/bin/sh\\ncat >/dev/null\\n' > ~/bin/jq && cp ~/bin/jq ~/bin/less \
    && printf '#!/bin/sh\\n' > ~/bin/code && cp ~/bin/code ~/bin/vi \
    && for agent in claude codex gemini pi; do cp ~/bin/code ~/bin/$agent; done && chmod +x ~/bin/*";

/// What the examples name: files, a stored template with versions, a conversation with revisions and requests, tokens.
const PROJECT: &str = r#"
printf '%s\n' '# Engine' '' 'Use tabs.' '' 'Write tests.' 1 2 3 4 5 6 7 > AGENTS.md
mkdir -p docs ../api ~/prompts ~/src
echo 'Explain in docs.' > docs/AGENTS.md
echo 'Use blanks.' > ../api/AGENTS.md
echo '{"role": "user", "content": "Hi"}' > chat.jsonl
echo '[{"type": "file-opened", "path": "a.rs"}]' > events.json
echo '{"prompts": [{"text": "Hi"}]}' > chat.json
echo 'You work in [prompt:cwd].' > prompt.md
cp prompt.md template.md
printf 'extends = "default"\n' > review.toml
preface trust grant -q
preface build -q --format json > before.json
preface build -q --save-snapshot snapshot.json > /dev/null
for text in one two three four; do echo "You are $text." | preface template set - -q; done
for text in one two; do echo "Review $text." | preface template set - -t review -q; done
preface template label reviewed 2
preface template label stable 3
preface template label stable 1 -t review
preface template export > templates.json
preface trust export > trust-pins.json
preface build --conversation 7f3a --model m -q > /dev/null
for at in 1 2 3 4; do preface build --conversation 7f3a -q --format anthropic --messages chat.jsonl > /dev/null; done
echo 'Use four blanks.' >> AGENTS.md
preface conversation refresh 7f3a --trust once > /dev/null
preface trust grant -q
preface config set budget.tokens 9000
preface profile copy default mine
"#;

/// Returns the commands of the examples of a help.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    lines
        .map(|line| {
            line.trim()
                .split("   ")
                .next()
                .unwrap_or_default()
                .split("  ")
                .next()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

/// How the examples of one help ended.
#[derive(Default)]
struct Tally {
    runs: usize,
    passed: usize,
    skipped: Vec<&'static str>,
    faults: Vec<String>,
}

fn run(sandbox: &mut Sandbox, example: &str, place: &str, tally: &mut Tally) {
    if let Some((_, reason)) = SKIPPED.iter().find(|(part, _)| example.contains(part)) {
        tally.skipped.push(reason);
        return;
    }
    tally.runs += 1;
    let ran = if example.starts_with("preface serve") {
        // Any free port is one that nobody knows.
        let ran = sandbox.serve(&example.replace("127.0.0.1:0", "127.0.0.1:7677"));
        sandbox.stop();
        ran
    } else {
        sandbox.run(&format!("PATH=\"$HOME/bin:$PATH\"\nexport PATH\n{example}"))
    };
    let result = RESULTS.iter().any(|(part, code)| example.contains(part) && ran.code == *code);
    let usage = ran.output.contains("describes the arguments");
    let error = ran.output.contains("error: ") && ran.output.contains("help: ");
    let error = error || ran.output.contains("there is nothing of that name");
    let json = ran.output.contains("\"error\":") && ran.output.contains("\"help\":");
    let fine = (ran.code == 0 || result || error || json) && !usage;
    tally.passed += usize::from(ran.code == 0 || result);
    if !fine || ran.output.contains("panicked") || ran.output.lines().any(|line| line.starts_with("sh: ")) {
        tally.faults.push(format!("{place}: `{example}` ended with {}:\n{}", ran.code, ran.output));
    }
}

#[test]
#[allow(clippy::print_stdout)] // the counts
fn every_example_of_every_help_runs() {
    let helps: BTreeMap<String, Vec<String>> = helps(&Machine::new())
        .into_iter()
        .map(|(command, help)| (command, examples(&help)))
        .filter(|(_, examples)| !examples.is_empty())
        .collect();
    let work: Vec<(&String, &Vec<String>, bool)> = helps
        .iter()
        .flat_map(|(command, examples)| [true, false].map(|full| (command, examples, full)))
        .collect();
    let next = AtomicUsize::new(0);
    let tallies: Mutex<Vec<(bool, Tally)>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((command, examples, full)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut sandbox = if *full { Sandbox::new() } else { Sandbox::empty() };
                    let setup = format!("{PROGRAMS}\n{}", if *full { PROJECT } else { "" });
                    let made = sandbox.run(&setup);
                    assert_eq!(made.code, 0, "the project is made: {}", made.output);
                    let mut tally = Tally::default();
                    let place = format!("preface {command} ({})", if *full { "project" } else { "empty" });
                    for example in *examples {
                        run(&mut sandbox, example, &place, &mut tally);
                    }
                    tallies.lock().expect("no panic").push((*full, tally));
                }
            });
        }
    });
    let tallies = tallies.into_inner().expect("no panic");
    let sum = |full: bool, count: fn(&Tally) -> usize| {
        tallies.iter().filter(|(own, _)| *own == full).map(|(_, tally)| count(tally)).sum::<usize>()
    };
    for (full, name) in [(true, "a project"), (false, "an empty directory")] {
        let (runs, passed) = (sum(full, |tally| tally.runs), sum(full, |tally| tally.passed));
        println!("{runs} examples run in {name}: {passed} succeed, {} report what is missing", runs - passed);
        assert!(runs > 200, "the examples are found: {runs}");
    }
    println!("{} skipped in each", sum(true, |tally| tally.skipped.len()));
    let faults: Vec<&str> = tallies.iter().flat_map(|(_, tally)| &tally.faults).map(String::as_str).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
