//! Every command block of the README and of `docs` runs, page by page, each page in a sandbox of its own.
//!
//! A `sh` block is a script. A `console` block has commands after `$ `, each with the output below it: where there is some it is
//! compared, and `…` matches anything in a line, or any lines where it is alone. A block of another language after a line
//! `` `path`: `` is written to that file. A `toml` block that begins with `extends` is a profile that builds. Comments before a block change that:
//!
//! - `<!-- skip: reason -->`: the block is not run; the reasons are listed in `SKIPPED`.
//! - `<!-- exit: 3 -->`: the last command of the block ends with this code.
//! - `<!-- service -->`: the block starts `preface serve`, which runs to the end of the page.
//! - `<!-- setup: command -->`: what the page takes for granted, run before the block.
//!
//! `PREFACE_PRINT=1` writes the output of commands where it differs. `PREFACE_PAGE=getting-started` runs the pages with that in
//! their name.

use crate::{
    markdown::{Block, Page, pages, root},
    sandbox::Sandbox,
};
use std::{
    collections::BTreeMap,
    fs,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// How many blocks are not run, by reason.
const SKIPPED: [(&str, usize); 5] = [
    ("compiles preface", 3),
    ("installs", 1),
    ("needs PostgreSQL", 1),
    ("needs a certificate", 1),
    ("starts agents", 4),
];

/// What became of the blocks of a page.
#[derive(Default)]
struct Report {
    runs: usize,
    commands: usize,
    skipped: Vec<String>,
    faults: Vec<String>,
    /// The page as it would be with the output of now.
    text: String,
}

fn has_curl() -> bool {
    std::env::split_paths("/usr/local/bin:/usr/bin:/bin").any(|dir| dir.join("curl").is_file())
}

#[allow(clippy::print_stdout)] // what is not run
fn run_page(page: &Page) -> Report {
    let mut report = Report::default();
    let blocks = page.blocks();
    let mut sandbox = None;
    let mut at = 0;
    for block in &blocks {
        let place = format!("{}:{}", page.name, block.line);
        if let Some(reason) = block.directive("skip") {
            assert!(block.is_command(), "{place}: only a command block is skipped");
            report.skipped.push(reason.to_owned());
            continue;
        }
        if let Some(path) = &block.path {
            sandbox.get_or_insert_with(Sandbox::new).write(path, &block.body);
            continue;
        }
        if block.language == "toml" && block.body.starts_with("extends = ") {
            report.faults.extend(profile_fault(&place, &block.body));
        }
        if !block.is_command() {
            continue;
        }
        if block.body.contains("curl ") && !has_curl() {
            println!("{place}: not run, because curl is not installed");
            continue;
        }
        let sandbox = sandbox.get_or_insert_with(Sandbox::new);
        for command in block.setup() {
            let ran = sandbox.run(command);
            if ran.code != 0 {
                report.faults.push(format!("{place}: setup `{command}` failed:\n{}", ran.output));
            }
        }
        let printed = run_block(&place, block, sandbox, &mut report);
        report.text.push_str(&page.text[at..block.range.start]);
        report.text.push_str(&printed);
        at = block.range.end;
        report.runs += 1;
    }
    report.text.push_str(&page.text[at..]);
    report
}

/// Builds with a profile, and returns what is wrong with it.
fn profile_fault(place: &str, profile: &str) -> Option<String> {
    let sandbox = Sandbox::new();
    sandbox.write("~/block.toml", profile);
    let ran = sandbox.run("preface build --profile ~/block.toml -qo /dev/null");
    (ran.code != 0 || !ran.output.is_empty()).then(|| format!("{place}: not a profile:\n{}", ran.output))
}

/// Runs the commands of a block, and returns its text with the output of now.
fn run_block(place: &str, block: &Block, sandbox: &mut Sandbox, report: &mut Report) -> String {
    let commands = block.commands();
    let last = commands.len() - 1;
    let expected = block.directive("exit").map_or(0, |code| code.parse().expect("an exit code"));
    let mut printed = String::new();
    for (nth, (command, output)) in commands.iter().enumerate() {
        let ran = match block.directive("service") {
            Some(_) => sandbox.serve(command),
            None => sandbox.run(command),
        };
        report.commands += 1;
        let code = if nth == last { expected } else { 0 };
        if ran.code != code {
            report
                .faults
                .push(format!("{place}: `{command}` ended with {}, not {code}:\n{}", ran.code, ran.output));
        }
        if block.language == "sh" {
            return block.body.clone();
        }
        let lines: Vec<&str> = ran.output.lines().collect();
        printed.push_str(&format!("$ {command}\n"));
        let same = output.is_empty() || matches(output, &lines);
        if !same {
            report.faults.push(format!(
                "{place}: `{command}` prints something else.\n--- the page\n{}\n--- now\n{}",
                output.join("\n"),
                ran.output
            ));
        }
        for line in if same { output } else { &lines } {
            printed.push_str(line.trim_end());
            printed.push('\n');
        }
    }
    printed
}

/// Returns true if the lines match those of a page, where a line `…` matches any lines.
fn matches(page: &[&str], lines: &[&str]) -> bool {
    match page.split_first() {
        None => lines.is_empty(),
        Some((&"…", rest)) => (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..])),
        Some((first, rest)) => {
            lines.first().is_some_and(|line| line_matches(first, line)) && matches(rest, &lines[1..])
        }
    }
}

/// Returns true if the line matches that of a page, where `…` matches any characters.
fn line_matches(page: &str, line: &str) -> bool {
    let line = line.trim_end();
    let mut pieces = page.split('…');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut last = None;
    for piece in pieces {
        if let Some(piece) = last.replace(piece) {
            let Some(at) = rest.find::<&str>(piece) else { return false };
            rest = &rest[at + piece.len()..];
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[test]
fn an_ellipsis_matches_anything() {
    assert!(matches(&["a", "…", "d"], &["a", "b", "c", "d"]));
    assert!(matches(&["…"], &[]));
    assert!(!matches(&["a", "…", "d"], &["a", "b", "c"]));
    assert!(line_matches("blake3:… is … here", "blake3:12 is not here"));
    assert!(!line_matches("blake3:… is", "blake3:12 is not"));
    assert!(!line_matches("one", "one two"));
}

#[test]
#[allow(clippy::print_stdout)] // the counts
fn every_command_block_runs() {
    let only = std::env::var("PREFACE_PAGE").ok();
    let chosen = |page: &Page| only.as_ref().is_none_or(|name| page.name.contains(name));
    let pages: Vec<Page> = pages().into_iter().filter(chosen).collect();
    let next = AtomicUsize::new(0);
    let reports: Mutex<BTreeMap<usize, Report>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((at, page)) = pages.get(next.fetch_add(1, Ordering::Relaxed)).map(|page| {
                    (pages.iter().position(|other| other.name == page.name).expect("a page"), page)
                }) {
                    let report = run_page(page);
                    reports.lock().expect("no panic").insert(at, report);
                }
            });
        }
    });
    let reports = reports.into_inner().expect("no panic");
    assert_eq!(reports.len(), pages.len());
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in reports.values().flat_map(|report| &report.skipped) {
        *skipped.entry(reason).or_default() += 1;
    }
    let runs: usize = reports.values().map(|report| report.runs).sum();
    let commands: usize = reports.values().map(|report| report.commands).sum();
    println!(
        "{runs} command blocks with {commands} commands run, {} skipped: {skipped:?}",
        skipped.values().sum::<usize>()
    );
    if std::env::var_os("PREFACE_PRINT").is_some() {
        for (page, report) in
            pages.iter().zip(reports.values()).filter(|(page, report)| page.text != report.text)
        {
            fs::write(root().join(&page.name), &report.text).expect("a page");
            println!("written: {}", page.name);
        }
    }
    let faults: Vec<&str> = reports.values().flat_map(|report| &report.faults).map(String::as_str).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    if only.is_some() {
        return;
    }
    assert_eq!(skipped, BTreeMap::from(SKIPPED), "the blocks that are not run are listed in `SKIPPED`");
    assert!(runs > 50, "the blocks are found: {runs}");
}

/// A command in a block of another kind would not run.
#[test]
fn commands_are_shown_in_command_blocks() {
    for page in pages().iter().filter(|page| !page.is_generated() && !page.name.starts_with("docs/design/")) {
        for block in page.blocks().iter().filter(|block| !block.is_command() && block.path.is_none()) {
            let command = block.body.lines().find(|line| {
                ["$ ", "preface ", "cargo ", "curl ", "git "].iter().any(|start| line.starts_with(start))
            });
            assert!(
                command.is_none(),
                "{}:{}: a command in a block of `{}`",
                page.name,
                block.line,
                block.language
            );
        }
        for block in page.blocks() {
            assert!(!block.language.is_empty(), "{}:{}: a block without a language", page.name, block.line);
        }
    }
}
