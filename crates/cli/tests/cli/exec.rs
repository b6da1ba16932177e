//! `preface exec`, with scripts in the place of agents.

use crate::sandbox::{BARE, Ran, Sandbox};
use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::{
        fs::{PermissionsExt, symlink},
        process::ExitStatusExt,
    },
    path::PathBuf,
    process::Stdio,
    time::{Duration, SystemTime},
};

/// Prints its arguments between brackets, the variables of agents, its directory, and the prompt where an argument or a variable
/// names a file.
const FAKE: &str = r#"#!/bin/sh
for arg; do printf '[%s]' "$arg"; done
printf '\n%s|%s\n%s\n' "$GEMINI_SYSTEM_MD" "$OPENCODE_CONFIG_CONTENT" "$(pwd)"
for arg; do case $arg in /*.md) cat "$arg";; esac; done
if [ -n "$GEMINI_SYSTEM_MD" ]; then cat "$GEMINI_SYSTEM_MD"; fi
exit 7
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new().env("PATH", "[ROOT]/bin:/usr/bin:/bin");
    fs::create_dir(sandbox.path("bin")).expect("a directory");
    for name in ["claude", "codex", "gemini", "opencode", "pi", "aider", "goose", "copilot"] {
        program(&sandbox, &format!("bin/{name}"), FAKE);
    }
    sandbox
}

fn program(sandbox: &Sandbox, path: &str, text: &str) {
    let path = sandbox.path(path);
    fs::write(&path, text).expect("a program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be run");
}

fn exec(sandbox: &Sandbox, words: &str) -> Ran {
    let (flags, args) = words.split_once(" -- ").unwrap_or((words, ""));
    sandbox.run(&format!("preface exec {flags} --now 2026-03-07T14:55:05Z --tz UTC -- {args}"))
}

fn files(sandbox: &Sandbox) -> Vec<PathBuf> {
    let dir = sandbox.path("home/.local/state/preface/prompts");
    let entries = fs::read_dir(dir).into_iter().flatten();
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// The path of the prompt, as a test shows it.
fn shown(sandbox: &Sandbox) -> String {
    let name = files(sandbox).remove(0).file_name().expect("a name").display().to_string();
    format!("[ROOT]/home/.local/state/preface/prompts/{name}")
}

#[test]
fn each_agent_gets_the_prompt_in_its_way() {
    let sandbox = sandbox();
    exec(&sandbox, "claude").exits(7);
    let file = shown(&sandbox);
    let cwd = "[ROOT]/work";
    let ways = [
        ("claude --replace", format!("[--system-prompt-file][{file}][-p][hi you]\n|\n{cwd}\n{BARE}")),
        ("claude", format!("[--append-system-prompt-file][{file}][-p][hi you]\n|\n{cwd}\n{BARE}")),
        ("codex --replace", format!("[-c][model_instructions_file=\"{file}\"][-p][hi you]\n|\n{cwd}\n")),
        (
            "codex",
            format!(
                "[-c][developer_instructions=\"You help.\\n\\nIt is 2026-03-07.\"][-p][hi you]\n|\n{cwd}\n"
            ),
        ),
        ("gemini --replace", format!("[-p][hi you]\n{file}|\n{cwd}\n{BARE}")),
        (
            "opencode --replace",
            format!("[-p][hi you]\n|{{\"agent\":{{\"build\":{{\"prompt\":\"{{file:{file}}}\"}}}}}}\n{cwd}\n"),
        ),
        ("pi --replace", format!("[--system-prompt][{file}][-p][hi you]\n|\n{cwd}\n{BARE}")),
        ("pi", format!("[--append-system-prompt][{file}][-p][hi you]\n|\n{cwd}\n{BARE}")),
        ("aider", format!("[--read][{file}][-p][hi you]\n|\n{cwd}\n{BARE}")),
        ("goose", format!("[run][--system][{BARE}][-p][hi you]\n|\n{cwd}\n")),
    ];
    for (words, printed) in ways {
        exec(&sandbox, &format!("{words} -- -p 'hi you'")).exits(7).prints(&printed).says("");
    }
    assert_eq!(files(&sandbox).len(), 1, "the same prompt is the same file");
}

#[test]
fn the_file_is_private_and_outside_of_the_project() {
    let sandbox = sandbox();
    exec(&sandbox, "claude").exits(7);
    let file = files(&sandbox).remove(0);
    let mode = |path: &std::path::Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().expect("a directory"))), (0o600, 0o700));
    assert_eq!(fs::read_dir(sandbox.path("work")).expect("the project").count(), 0);
    fs::write(&file, "other").expect("the file");
    assert!(exec(&sandbox, "claude").exits(7).stdout.ends_with(BARE), "another text is replaced");
}

#[test]
fn a_dry_run_starts_and_writes_nothing() {
    let sandbox = sandbox();
    let ran = exec(&sandbox, "gemini --replace --dry-run -- -p 'hi you'").exits(0).says("");
    let digest = "[ROOT]/home/.local/state/preface/prompts/";
    let command = ran.stdout.lines().next().expect("a line").to_owned();
    let way = format!("command     GEMINI_SYSTEM_MD={digest}");
    assert!(command.starts_with(&way) && command.ends_with(".md gemini -p 'hi you'"), "{command}");
    for line in ["program     [ROOT]/bin/gemini\n", "mode        replace\n", "limits      It cannot append."]
    {
        assert!(ran.stdout.contains(line), "{}", ran.stdout);
    }
    assert!(files(&sandbox).is_empty());
    fs::remove_file(sandbox.path("bin/gemini")).expect("the program");
    let ran = exec(&sandbox, "gemini --replace --dry-run").exits(0);
    assert!(ran.stdout.contains("program     not found; install it: `npm install -g @google/gemini-cli`"));
}

#[test]
fn modes_that_an_agent_does_not_have_are_refused() {
    let sandbox = sandbox();
    exec(&sandbox, "gemini").exits(2).prints("").says(
        "error: Gemini CLI cannot append to its prompt\nhelp: replace it: `preface exec gemini --replace`\n",
    );
    exec(&sandbox, "aider --replace")
        .exits(2)
        .says("error: aider cannot replace its prompt\nhelp: append to it: `preface exec aider`\n");
    let ran = exec(&sandbox, "copilot").exits(2).prints("");
    assert!(ran.stderr.contains("`preface hook answer --for copilot`"), "{}", ran.stderr);
    let ran = sandbox.run("preface exec cursor").exits(2);
    assert!(ran.stderr.contains("possible values: claude, codex"), "{}", ran.stderr);
}

#[test]
fn a_program_of_the_project_is_never_started() {
    let sandbox = sandbox().env("PATH", "[ROOT]/work/bin:[ROOT]/links:[ROOT]/bin");
    fs::create_dir_all(sandbox.path("work/bin")).expect("a directory");
    fs::create_dir(sandbox.path("links")).expect("a directory");
    program(&sandbox, "work/bin/claude", "#!/bin/sh\necho from the project\n");
    symlink(sandbox.path("work/bin/claude"), sandbox.path("links/claude")).expect("a link");
    assert!(
        exec(&sandbox, "claude").exits(7).stdout.starts_with("[--append-system-prompt-file]"),
        "the user's own"
    );
    fs::remove_file(sandbox.path("bin/claude")).expect("the program");
    let ran = exec(&sandbox, "claude").exits(1).prints("");
    assert!(ran.stderr.contains("lies inside of the project"), "{}", ran.stderr);
    fs::remove_file(sandbox.path("work/bin/claude")).expect("the program");
    exec(&sandbox, "claude").exits(1).prints("").says(
        "error: program not found: `claude`\nhelp: install Claude Code: `npm install -g @anthropic-ai/claude-code`\n",
    );
}

#[test]
fn what_cannot_be_passed_is_an_error() {
    let sandbox = sandbox();
    sandbox.home(".config/preface/base.md", "x".repeat(128 << 10));
    exec(&sandbox, "claude").exits(7);
    let ran = exec(&sandbox, "codex").exits(1).prints("");
    assert!(ran.stderr.contains("takes the prompt as an argument"), "{}", ran.stderr);
    let set = sandbox.env("OPENCODE_CONFIG_CONTENT", "{}");
    exec(&set, "opencode --replace").exits(1).prints("").says(
        "error: the variable `OPENCODE_CONFIG_CONTENT` is set already\nhelp: opencode takes the prompt from it; unset it\n",
    );
}

#[test]
fn the_process_becomes_the_agent() {
    let sandbox = sandbox();
    program(&sandbox, "bin/claude", "#!/bin/sh\necho $$\nkill -TERM $$\n");
    let mut command = sandbox.command("preface exec claude");
    let child = command.spawn().expect("the binary starts");
    let id = child.id();
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.signal(), Some(15), "a signal of the agent is its own");
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{id}\n"));
}

#[test]
fn a_directory_of_prompts_that_is_a_link_is_refused() {
    let sandbox = sandbox();
    let state = sandbox.path("home/.local/state/preface");
    let elsewhere = sandbox.path("elsewhere");
    for dir in [&state, &elsewhere] {
        fs::create_dir_all(dir).expect("a directory");
    }
    let old = elsewhere.join(format!("{}.md", "a".repeat(64)));
    let file = fs::File::create(&old).expect("a file");
    file.set_modified(SystemTime::UNIX_EPOCH).expect("a time");
    symlink(&elsewhere, state.join("prompts")).expect("a link");
    let ran = exec(&sandbox, "claude").exits(1).prints("");
    let said = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("/prompts` is not a directory"), "{said}");
    let names = fs::read_dir(&elsewhere).expect("a directory").count();
    assert!(old.exists() && names == 1, "nothing is deleted or written where it leads");
}

#[test]
fn old_files_are_deleted_unless_their_agent_runs() {
    let sandbox = sandbox();
    program(&sandbox, "bin/pi", "#!/bin/sh\necho started\nread line\ncat \"$2\"\n");
    let mut command = sandbox.command("preface exec pi --set systemPrompt=Running.");
    let mut agent = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts");
    let mut printed = BufReader::new(agent.stdout.take().expect("a pipe"));
    let mut line = String::new();
    printed.read_line(&mut line).expect("the agent runs");
    let running = files(&sandbox);
    exec(&sandbox, "claude --set systemPrompt=Ended.").exits(7);
    let dir = running[0].parent().expect("a directory");
    fs::write(dir.join("notes.md"), "mine").expect("a file");
    let eight_days_ago = SystemTime::now() - Duration::from_secs(8 * 24 * 60 * 60);
    for file in files(&sandbox) {
        let file = fs::File::options().write(true).open(file).expect("a file");
        file.set_modified(eight_days_ago).expect("a time");
    }
    let texts = || {
        let read = |file: PathBuf| fs::read_to_string(file).expect("a text");
        let mut texts: Vec<String> = files(&sandbox).into_iter().map(read).collect();
        texts.sort();
        texts
    };
    exec(&sandbox, "claude --dry-run").exits(0);
    assert_eq!(texts(), ["Ended.", "Running.", "mine"], "a dry run deletes nothing");
    exec(&sandbox, "claude --set systemPrompt=New.").exits(7);
    assert_eq!(texts(), ["New.", "Running.", "mine"]);
    drop(agent.stdin.take());
    line.clear();
    printed.read_to_string(&mut line).expect("the agent reads its file");
    assert_eq!(line, "Running.");
    agent.wait().expect("it ends");
    exec(&sandbox, "claude --set systemPrompt=New.").exits(7);
    assert_eq!(texts(), ["New.", "mine"]);
}

#[test]
fn an_agent_that_is_a_script_finds_no_interpreter_in_the_project() {
    let sandbox = Sandbox::new().env("PATH", "[ROOT]/work/bin:[ROOT]/bin:/usr/bin:/bin");
    for dir in ["bin", "work/bin"] {
        fs::create_dir_all(sandbox.path(dir)).expect("a directory");
    }
    program(&sandbox, "bin/claude", "#!/usr/bin/env node\n");
    program(&sandbox, "bin/node", "#!/bin/sh\necho the user\n");
    program(&sandbox, "work/bin/node", "#!/bin/sh\necho the project\n");
    exec(&sandbox, "claude").exits(0).prints("the user\n");
}
