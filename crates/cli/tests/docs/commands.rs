//! Every command and flag that a page names exists, and `docs/reference/commands.md` is the help of all of them.

use crate::{
    Machine,
    markdown::{Page, pages, root},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

/// The commands with their help, by their words: `trust grant`.
pub fn helps(machine: &Machine) -> BTreeMap<String, String> {
    let mut helps = BTreeMap::new();
    let mut pending = vec![Vec::<String>::new()];
    while let Some(command) = pending.pop() {
        let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let help = String::from_utf8(machine.preface(&words).stdout).expect("text");
        for name in listed(&help) {
            pending.push(command.iter().cloned().chain([name]).collect());
        }
        helps.insert(command.join(" "), help);
    }
    helps
}

/// Returns the commands that a help lists.
fn listed(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  ")).filter(|line| !line.starts_with("   "));
    lines
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Returns the flags that a help lists.
fn flags(help: &str) -> BTreeSet<&str> {
    let lines =
        help.lines().map(str::trim_start).filter(|line| line.starts_with('-') || line.starts_with("[alias"));
    let words = lines.flat_map(|line| line.split([' ', ',', '[', ']']));
    words.filter(|word| word.starts_with('-')).collect()
}

/// Returns what is wrong with the words after `preface`.
fn fault(helps: &BTreeMap<String, String>, words: &[&str]) -> Option<String> {
    let hidden = ["completions", "man", "help"];
    let mut command = String::new();
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        if word.starts_with('-') || listed(&helps[&command]).is_empty() {
            break;
        }
        // A word such as COMMAND is a placeholder.
        if !word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
            || (command.is_empty() && hidden.contains(word))
        {
            return None;
        }
        let below = if command.is_empty() { (*word).to_owned() } else { format!("{command} {word}") };
        if !helps.contains_key(&below) {
            return Some(format!("there is no command `preface {below}`"));
        }
        (command, rest) = (below, after);
    }
    let known = flags(&helps[&command]);
    // What follows `--` is for another program.
    let own = rest.iter().take_while(|word| **word != "--");
    let mut given = own.map(|word| word.split(['=', ',', '…']).next().unwrap_or_default());
    let unknown = given.find(|word| word.starts_with("--") && word.len() > 2 && !known.contains(word))?;
    Some(format!("`preface {command}` has no flag `{unknown}`"))
}

/// Splits a command line into words; quotes hold what has blanks in it.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (at, part) in line.split('\'').enumerate() {
        for (nth, piece) in part.split_whitespace().enumerate() {
            if at % 2 == 0 && (nth > 0 || part.starts_with(char::is_whitespace)) {
                words.push(String::new());
            }
            words.last_mut().expect("a word").push_str(piece);
        }
        if at % 2 == 0 && part.ends_with(char::is_whitespace) {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the words after `preface` of each call in a text of the shell.
fn calls(script: &str) -> Vec<Vec<String>> {
    let script = script.replace("\\\n", " ");
    let commands = script.lines().flat_map(|line| line.split_inclusive(['|', ';', '&', '>', '#']).take(9));
    let mut calls = Vec::new();
    for command in commands {
        let words = words(command.trim_end_matches(['|', ';', '&', '>', '#']));
        if words.first().is_some_and(|word| word == "preface") {
            calls.push(words[1..].to_vec());
        }
    }
    calls
}

#[test]
fn every_command_and_flag_that_a_page_names_exists() {
    let machine = Machine::new();
    let helps = helps(&machine);
    assert!(
        helps.len() > 40 && helps.contains_key("trust grant"),
        "the commands are found: {:?}",
        helps.keys()
    );
    let all: BTreeSet<&str> = helps.values().flat_map(|help| flags(help)).collect();
    let mut faults = Vec::new();
    let mut named = 0;
    let others = ["CONTRIBUTING.md", "ARCHITECTURE.md"].map(Page::read);
    for page in pages().iter().chain(&others).filter(|page| page.name != "docs/reference/commands.md") {
        let blocks = page.blocks();
        let scripts = blocks.iter().filter(|block| block.is_command());
        let scripts = scripts.flat_map(|block| block.commands().into_iter().map(|(command, _)| command));
        for script in scripts.chain(page.code_spans()) {
            for call in calls(&script) {
                named += 1;
                let words: Vec<&str> = call.iter().map(String::as_str).collect();
                faults.extend(fault(&helps, &words).map(|fault| format!("{}: {fault}", page.name)));
            }
            // A flag of its own, such as `--trust once`.
            let flag = script.split([' ', '=', '…']).next().unwrap_or_default();
            if flag.starts_with("--")
                && flag != "---"
                && !page.name.starts_with("docs/design/")
                && !page.name.starts_with("CONTRIBUTING")
            {
                named += 1;
                if !all.contains(flag) {
                    faults.push(format!("{}: no command has the flag `{flag}`", page.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(named > 300, "the commands of the pages are found: {named}");
}

#[test]
fn a_wrong_command_or_flag_is_found() {
    let machine = Machine::new();
    let helps = helps(&machine);
    let fault = |line: &str| {
        let call = calls(line).remove(0);
        fault(&helps, &call.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!(fault("preface trust grant --allow-commands"), None);
    assert_eq!(fault("preface build --set 'a=--b c' --tz UTC | head"), None);
    assert_eq!(fault("preface exec claude --dry-run -- --print"), None);
    assert_eq!(
        fault("preface exec claude --print -- -p").as_deref(),
        Some("`preface exec` has no flag `--print`")
    );
    assert_eq!(fault("preface trust gramt").as_deref(), Some("there is no command `preface trust gramt`"));
    assert_eq!(fault("preface build --world x").as_deref(), Some("`preface build` has no flag `--world`"));
}

/// The fewest commands that make a flag a common one.
const COMMON: usize = 2;

/// The flags of every command.
const EVERYWHERE: [&str; 3] = ["-h, --help", "-q, --quiet", "-v, --verbose"];

/// A piece of a help: a flag with its description, or other lines.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum HelpPiece {
    Flag(String, String),
    Lines(String),
}

/// Splits a help into its pieces.
fn pieces(help: &str) -> Vec<HelpPiece> {
    let mut pieces: Vec<HelpPiece> = Vec::new();
    let mut is_flags = false;
    for line in help.trim_end().lines() {
        let indent = line.len() - line.trim_start().len();
        if indent == 0 && !line.is_empty() {
            is_flags = false;
        }
        if indent <= 6 && line.trim_start().starts_with('-') && !line.starts_with('-') {
            is_flags = true;
            pieces.push(HelpPiece::Flag(line.trim().to_owned(), String::new()));
        } else {
            match pieces.last_mut() {
                Some(HelpPiece::Flag(_, about)) if is_flags => about.push_str(&format!("{line}\n")),
                Some(HelpPiece::Lines(lines)) => lines.push_str(&format!("{line}\n")),
                _ => pieces.push(HelpPiece::Lines(format!("{line}\n"))),
            }
        }
    }
    pieces
}

/// Returns the flags that several commands have with the same description.
fn common(helps: &BTreeMap<String, String>) -> BTreeMap<(String, String), usize> {
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for piece in helps.values().flat_map(|help| pieces(help)) {
        if let HelpPiece::Flag(flag, about) = piece {
            *seen.entry((flag, about)).or_default() += 1;
        }
    }
    seen.retain(|_, commands| *commands >= COMMON);
    seen
}

/// Joins the paragraphs and lists of a description to one line.
fn joined(about: &str) -> String {
    let mut text = String::new();
    let mut is_new = false;
    for line in about.lines().map(str::trim) {
        if line.is_empty() {
            is_new = !text.is_empty();
            continue;
        }
        let (separator, line) = match line.strip_prefix("- ") {
            Some(item) if text.ends_with(':') => (" ", item),
            Some(item) => ("; ", item),
            None if is_new && !text.ends_with(['.', ':']) => (". ", line),
            None if text.is_empty() => ("", line),
            None => (" ", line),
        };
        text.push_str(separator);
        text.push_str(line);
        is_new = false;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|")
}

/// Returns the first paragraph of a flag's description, with its possible values by name, its default and its aliases.
fn first_paragraph(about: &str) -> String {
    let about: Vec<&str> = about.lines().map(str::trim_end).collect();
    let about = about.join("\n");
    let mut paragraphs = about.split("\n\n").map(|paragraph| paragraph.trim_matches('\n'));
    let mut lines = vec![paragraphs.next().unwrap_or_default().to_owned()];
    for paragraph in paragraphs {
        let trimmed = paragraph.trim_start();
        if trimmed.starts_with('[') {
            lines.push(paragraph.to_owned());
        } else if let Some(values) = trimmed.strip_prefix("Possible values:") {
            let names = values.lines().filter_map(|line| line.trim_start().strip_prefix("- "));
            let names: Vec<&str> =
                names.map(|line| line.split(':').next().unwrap_or(line).trim_end()).collect();
            lines.push(format!("          [possible values: {}]", names.join(", ")));
        }
    }
    lines.retain(|line| !line.is_empty());
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Leaves out the examples, and the list of commands, which have sections of their own.
fn without_lists(lines: &str) -> String {
    let mut is_list = false;
    let mut rest = String::new();
    for line in lines.lines() {
        if !line.is_empty() && !line.starts_with(' ') {
            is_list = ["Commands:", "Examples:"].contains(&line);
        }
        if !is_list {
            rest.push_str(&format!("{line}\n"));
        }
    }
    rest
}

/// Writes the help of a command and of those below it as Markdown. A common flag is named, and described once.
fn reference(
    helps: &BTreeMap<String, String>,
    common: &BTreeMap<(String, String), usize>,
    command: &[&str],
    page: &mut String,
) {
    let help = &helps[&command.join(" ")];
    let level = "#".repeat(command.len() + 2);
    let name = [&["preface"], command].concat().join(" ");
    let (mut text, mut named) = (String::new(), Vec::new());
    for piece in pieces(help) {
        match piece {
            HelpPiece::Lines(lines) if command.is_empty() => text.push_str(&lines),
            HelpPiece::Lines(lines) => text.push_str(&without_lists(&lines)),
            HelpPiece::Flag(flag, about) if common.contains_key(&(flag.clone(), about.clone())) => {
                if EVERYWHERE.contains(&flag.as_str()) {
                    continue;
                }
                named.push(format!(
                    "`{}`",
                    flag.split(' ').find(|word| word.starts_with("--")).unwrap_or(&flag)
                ));
            }
            HelpPiece::Flag(flag, about) => {
                text.push_str(&format!("  {flag}\n{}", first_paragraph(&about)));
            }
        }
    }
    // A heading whose flags are all common ones has nothing below it.
    let mut lines: Vec<&str> = Vec::new();
    for line in text.trim_end().lines() {
        let is_heading = |line: &str| line.ends_with(':') && !line.starts_with(' ');
        while is_heading(line) && lines.last().is_some_and(|last| is_heading(last) || last.is_empty()) {
            lines.pop();
        }
        if is_heading(line) && !lines.is_empty() {
            lines.push("");
        }
        lines.push(line);
    }
    while lines.last().is_some_and(|last| last.is_empty() || last.ends_with(':') && !last.starts_with(' ')) {
        lines.pop();
    }
    page.push_str(&format!("{level} `{name}`\n\n```text\n{}\n```\n\n", lines.join("\n")));
    if !named.is_empty() {
        page.push_str(&format!("Common flags: {}\n\n", named.join(" ")));
    }
    for below in listed(help) {
        reference(helps, common, &[command, &[below.as_str()]].concat(), page);
    }
}

/// `PREFACE_PRINT=1` writes the page.
#[test]
fn the_reference_has_the_help_of_every_command() {
    let mut page =
        "# Commands\n\nEvery command, from its help: `preface help COMMAND` prints it, with examples and more about each flag. Flags that several \
         commands share are described once; `-h`, `-q` and `-v` are flags of each.\n\n<!-- Written by `PREFACE_PRINT=1 cargo test -p preface-cli --test docs`. -->\n\n\
         ## Common flags\n\n| flag | |\n| --- | --- |\n"
            .to_owned();
    let helps = helps(&Machine::new());
    let common = common(&helps);
    // Of several descriptions the one that most commands have.
    let mut usual: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for ((flag, about), commands) in &common {
        let known = usual.entry(flag).or_default();
        *known = (*known).max((*commands, about));
    }
    for (flag, (_, about)) in usual {
        page.push_str(&format!("| `{flag}` | {} |\n", joined(&first_paragraph(about))));
    }
    page.push('\n');
    reference(&helps, &common, &[], &mut page);
    let page = format!("{}\n", page.trim_end());
    let path = root().join("docs/reference/commands.md");
    if std::env::var_os("PREFACE_PRINT").is_some() {
        fs::write(&path, &page).unwrap();
        panic!("the page is written: review the difference, then run the test without PREFACE_PRINT");
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == page,
        "docs/reference/commands.md is stale; `PREFACE_PRINT=1 cargo test -p preface-cli --test docs` writes it"
    );
}
