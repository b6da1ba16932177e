//! The README and the guides say what the program does: every command they name exists, every block they show works.

use preface_core::settings::{ProjectRule, TOP};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The bodies of the fenced blocks with this info string.
fn blocks(text: &str, info: &str) -> Vec<String> {
    let fence = format!("\n```{info}\n");
    text.split(&fence)
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap_or_default().to_owned() + "\n")
        .collect()
}

struct Machine {
    dir: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["home", "project", "global/profiles"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("project/AGENTS.md"), "Use tabs.\n").unwrap();
        Machine { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn preface(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_preface"))
            .args(args)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PREFACE_HOME", self.path("global"))
            .current_dir(self.path("project"))
            .output()
            .unwrap()
    }

    /// The commands that `--help` lists.
    fn commands(&self) -> Vec<String> {
        let help = String::from_utf8(self.preface(&["--help"]).stdout).unwrap();
        let listed = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
        let names = listed.take_while(|line| line.starts_with("  "));
        names.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
    }
}

#[test]
fn every_command_that_a_page_names_exists() {
    let commands = Machine::new().commands();
    assert!(commands.iter().any(|name| name == "build"), "the help lists the commands: {commands:?}");
    for name in [
        "README.md",
        "docs/catalogs.md",
        "docs/claude-code.md",
        "docs/conversations.md",
        "docs/hooks.md",
        "docs/mcp-server.md",
        "docs/mcp.md",
        "docs/messages.md",
        "docs/pi.md",
        "docs/profiles.md",
        "docs/reminders.md",
        "docs/scopes.md",
        "docs/service.md",
        "docs/settings.md",
        "docs/skills.md",
        "docs/templates.md",
        "docs/tokens.md",
        "docs/trust.md",
        "docs/reference/snapshot.md",
    ] {
        let text = page(name);
        for after in text.split("`preface ").skip(1).chain(text.split("$ preface ").skip(1)) {
            let word: String = after.chars().take_while(char::is_ascii_lowercase).collect();
            assert!(
                word.is_empty() || commands.contains(&word),
                "{name} names `preface {word}`, which does not exist"
            );
        }
    }
}

/// Writes the help of a command and of those below it as Markdown.
fn reference(machine: &Machine, command: &[&str], page: &mut String) {
    let help = machine.preface(&[command, &["--help"]].concat());
    let help = String::from_utf8(help.stdout).unwrap();
    let level = "#".repeat(command.len() + 2);
    let name = [&["preface"], command].concat().join(" ");
    page.push_str(&format!("{level} `{name}`\n\n```text\n{}\n```\n\n", help.trim_end()));
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    for line in listed.take_while(|line| line.starts_with("  ")) {
        let below = line.split_whitespace().next().unwrap_or_default();
        if !line.starts_with("   ") && below != "help" {
            reference(machine, &[command, &[below]].concat(), page);
        }
    }
}

/// `PREFACE_PRINT=1` writes the page.
#[test]
fn the_reference_has_the_help_of_every_command() {
    let mut page =
        "# Commands\n\nThe help of every command, as `preface help COMMAND` prints it.\n\n<!-- Written by \
                    `PREFACE_PRINT=1 cargo test -p preface-cli --test docs`. -->\n\n"
            .to_owned();
    reference(&Machine::new(), &[], &mut page);
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

#[test]
fn the_profile_of_the_guide_builds() {
    let machine = Machine::new();
    let profiles = blocks(&page("docs/profiles.md"), "toml");
    assert_eq!(profiles.len(), 1, "the guide shows one profile");
    fs::write(machine.path("global/profiles/house.toml"), &profiles[0]).unwrap();
    let built =
        machine.preface(&["build", "--preset", "house", "--trust", "once", "--variable", "git:branch=main"]);
    let text = String::from_utf8(built.stdout).unwrap();
    assert!(text.contains("\n\nWork in small steps. You are on main."), "{text}");
    assert!(!text.contains("# How to answer"), "`remove` takes the section out: {text}");
}

#[test]
fn the_guide_names_every_key_of_a_profile_and_a_section() {
    let page = page("docs/profiles.md");
    for key in preface_core::profile::KEYS.iter().chain(&preface_core::profile::SECTION_KEYS) {
        let named =
            page.split('`').skip(1).step_by(2).any(|code| {
                code.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == *key)
            });
        assert!(named, "docs/profiles.md does not tell of `{key}`");
    }
}

#[test]
fn the_guide_names_every_counter_and_its_ratios() {
    let page = page("docs/tokens.md");
    for counter in preface::COUNTERS.names().into_iter().filter_map(|name| preface::COUNTERS.get(name)) {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{}`", counter.name())));
        let row = row.unwrap_or_else(|| panic!("docs/tokens.md has no row for `{}`", counter.name()));
        let ratios = counter
            .about()
            .split(|c: char| !(c.is_ascii_digit() || c == '.'))
            .filter(|word| word.contains("."));
        for ratio in ratios.filter(|word| word.len() == 4) {
            assert!(
                row.contains(ratio),
                "docs/tokens.md has another ratio for `{}`: {ratio}",
                counter.name()
            );
        }
    }
}

#[test]
fn the_settings_of_the_guide_are_understood() {
    let machine = Machine::new();
    let settings = blocks(&page("docs/profiles.md"), "json");
    assert_eq!(settings.len(), 1, "the guide shows one settings file");
    fs::write(machine.path("global/settings.json"), &settings[0]).unwrap();
    let built = machine.preface(&["build", "--trust", "once", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&built.stdout).unwrap();
    let notes = json["diagnostics"].as_array().unwrap();
    let notes: Vec<_> = notes.iter().filter(|note| note["severity"] != "info").collect();
    assert!(notes.is_empty(), "{notes:?}");
    let parts = json["parts"].as_array().unwrap();
    let sections: Vec<_> = parts.iter().map(|part| part["section"].as_str().unwrap()).collect();
    assert_eq!(sections[..3], ["identity", "house-rules", "instructions"]);
    assert!(!sections.contains(&"answers"));
}

#[test]
fn the_commands_of_the_pi_page_build() {
    let machine = Machine::new();
    fs::write(machine.path("project/poet.md"), "You are a poet.").unwrap();
    let page = page("docs/pi.md");
    let commands = blocks(&page, "sh");
    let lines: Vec<&str> = commands.iter().flat_map(|block| block.lines()).collect();
    let said = [
        "You are a purpose-driven",
        "Answer in French.",
        "You are a poet.",
        "",
        "- deploy: Deploys",
        "with care",
    ];
    assert_eq!(lines.len(), said.len(), "the page shows these: {lines:?}");
    for (line, said) in lines.into_iter().zip(said) {
        let mut words: Vec<&str> = Vec::new();
        for (at, part) in line.split('\'').enumerate() {
            match at % 2 {
                0 => words.extend(part.split_whitespace()),
                _ => words.push(part),
            }
        }
        let built = machine.preface(&words[1..]);
        let text = String::from_utf8_lossy(&built.stdout);
        assert!(
            built.status.success() && text.contains(said),
            "{line}: {}",
            String::from_utf8_lossy(&built.stderr)
        );
    }
}

/// Each option of the preset has a row, and each row is an option that there is.
#[test]
fn the_pi_page_lists_every_option() {
    let preset = page("crates/core/assets/presets/pi.toml");
    let options = preset.lines().skip_while(|line| *line != "[options]").skip(1);
    let options = options.take_while(|line| !line.starts_with('['));
    let mut known: Vec<&str> = options.filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
    known.extend(["neutralise_tags", "rules", "tool_texts", "variant"]);
    known.sort_unstable();
    let page = page("docs/pi.md");
    let table = page.split("\n## Options\n").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let cells = table.lines().filter(|line| line.starts_with("| `")).filter_map(|row| row.split('|').nth(1));
    let mut listed: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    listed.sort_unstable();
    assert_eq!(listed, known);
}

#[test]
fn the_commands_of_the_claude_code_page_work() {
    let machine = Machine::new();
    let commands = blocks(&page("docs/claude-code.md"), "sh");
    let lines: Vec<&str> = commands.iter().flat_map(|block| block.lines()).collect();
    assert!(lines.len() > 15, "the page shows commands: {lines:?}");
    for line in lines {
        let words = words_of(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = machine.preface(&words[1..]);
        assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

/// The words of a command; quotes hold what has blanks in it, wherever in a word they begin.
fn words_of(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (at, part) in line.split('\'').enumerate() {
        for (nth, piece) in part.split(' ').enumerate() {
            if nth > 0 && at % 2 == 0 {
                words.push(String::new());
            } else if nth > 0 {
                words.last_mut().unwrap().push(' ');
            }
            words.last_mut().unwrap().push_str(piece);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The first cells of the rows of a section, word by word.
fn listed(page: &str, section: &str) -> Vec<String> {
    let text = page.split(&format!("\n## {section}\n")).nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows = text.unwrap().lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn the_claude_code_page_lists_every_option_part_and_agent() {
    let page_of_preset = page("docs/claude-code.md");
    let preset = page("crates/core/assets/presets/claude-code.toml");
    let from = |head: &str, end: char| {
        let lines = preset.lines().skip_while(|line| *line != head).skip(1).collect::<Vec<_>>();
        lines
            .into_iter()
            .take_while(|line| !line.starts_with(end))
            .filter(|line| !line.starts_with('#'))
            .collect()
    };
    let of_preset: Vec<&str> = from("[options]", '[');
    let mut known: Vec<&str> =
        of_preset.iter().filter_map(|line| Some(line.split_once(" = ")?.0.trim_matches('"'))).collect();
    known.sort_unstable();
    let mut options = listed(&page_of_preset, "Options");
    options.sort_unstable();
    assert_eq!(options, known);
    let order: Vec<&str> = from("seed = [", ']');
    let parts: Vec<&str> = order
        .iter()
        .map(|line| line.trim().trim_end_matches(',').trim_matches('"'))
        .chain(["append"])
        .collect();
    assert_eq!(listed(&page_of_preset, "What is printed, in this order"), parts);
    let mut agents: Vec<String> = fs::read_dir(root().join("crates/core/assets/bundles/claude-code/agents"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    agents.sort_unstable();
    assert_eq!(listed(&page_of_preset, "Agents")[..agents.len()], agents);
}

/// The prefix that a prompt cache keeps has these tokens in every directory.
#[test]
fn the_figures_of_the_claude_code_page_are_measured() {
    let machine = Machine::new();
    let page = page("docs/claude-code.md");
    for order in ["seed", "catalog", "stable-first"] {
        let set = format!("order={order}");
        let ran = machine.preface(&["explain", "--preset", "claude-code", "--set", &set]);
        let text = String::from_utf8(ran.stdout).unwrap();
        let measured = text.split("static up to here: ").nth(1).and_then(|rest| rest.split(" ──").next());
        let row = page.lines().find(|line| line.starts_with(&format!("| `{order}`"))).unwrap();
        assert!(row.ends_with(&format!("| {} |", measured.unwrap())), "{order}: {measured:?} in `{row}`");
    }
}

#[test]
fn the_settings_of_the_claude_code_page_are_understood() {
    let machine = Machine::new();
    let settings = blocks(&page("docs/claude-code.md"), "json").remove(0);
    fs::write(machine.path("global/settings.json"), settings).unwrap();
    let built = machine.preface(&["build", "--preset", "claude-code", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&built.stdout).unwrap();
    assert_eq!(json["diagnostics"], serde_json::json!([]));
    let parts = json["parts"].as_array().unwrap();
    for section in ["past-sessions", "output-style", "append"] {
        assert!(parts.iter().any(|part| part["section"] == section), "`{section}` speaks");
    }
}

#[test]
fn the_history_of_the_messages_page_is_read() {
    let machine = Machine::new();
    let page = page("docs/messages.md");
    fs::write(machine.path("project/chat.jsonl"), &blocks(&page, "json")[0]).unwrap();
    let built =
        machine.preface(&["build", "--format", "request", "--messages", "chat.jsonl", "--tools", "none"]);
    let request: serde_json::Value = serde_json::from_slice(&built.stdout).unwrap();
    let roles: Vec<_> =
        request["messages"].as_array().unwrap().iter().map(|one| one["role"].clone()).collect();
    assert_eq!(roles, ["user"; 4], "five messages, one of them excluded");
}

#[test]
fn the_scenario_of_the_hooks_page_plays() {
    let machine = Machine::new();
    let page = page("docs/hooks.md");
    let scenario = blocks(&page, "json").pop().expect("the last block is the scenario");
    fs::write(machine.path("project/chat.json"), scenario).unwrap();
    let played =
        machine.preface(&["hook", "run", "--scenario", "chat.json", "--preset", "pi", "--format", "json"]);
    let record: serde_json::Value = serde_json::from_slice(&played.stdout).unwrap();
    let calls = record["calls"].as_array().unwrap();
    let tools: Vec<_> = calls.iter().map(|call| call["tools"].as_array().unwrap().len()).collect();
    assert_eq!(tools, [5, 5, 1], "the call of the tool, its answer, and the run with one tool");
    assert_eq!(calls[1]["messages"][2]["content"][0]["text"], "planned");
}

#[test]
fn the_settings_page_lists_every_key() {
    let page = page("docs/settings.md");
    let listed: Vec<&str> =
        page.lines().skip_while(|line| *line != "## Keys").filter(|line| line.starts_with("| `")).collect();
    let rows: Vec<String> = TOP
        .iter()
        .map(|field| {
            let about = field.about.trim_end_matches('.');
            let about = about[..1].to_lowercase() + &about[1..];
            let project = if field.project == ProjectRule::May { "yes" } else { "no" };
            format!("| `{}` | {about} | {project} |", field.name)
        })
        .collect();
    assert_eq!(listed, rows, "the table of docs/settings.md is the list of settings");
}

#[test]
fn the_commands_of_the_settings_page_work() {
    let machine = Machine::new();
    let page = page("docs/settings.md");
    let commands = &blocks(&page, "console")[0];
    for line in commands.lines().filter(|line| !line.contains("config edit") && !line.contains("config get"))
    {
        let line = line.strip_prefix("$ preface ").and_then(|line| line.split(" #").next()).unwrap_or(line);
        let mut words: Vec<String> = Vec::new();
        for (at, part) in line.split('\'').enumerate() {
            match at % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = machine.preface(&words);
        assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn the_template_of_the_guide_renders() {
    let machine = Machine::new();
    let guide = page("docs/templates.md");
    let template = guide.split("\n```\n").nth(1).unwrap().to_owned() + "\n";
    fs::write(machine.path("project/t.md"), &template).unwrap();
    let args = ["template", "render", "t.md", "--variable", "git:branch=main", "--variable", "prompt:cwd=/p"];
    let plain = machine.preface(&args);
    assert_eq!(
        String::from_utf8(plain.stdout).unwrap(),
        "You work in /p, on main.\nThere are no house rules here.\n"
    );
    fs::create_dir(machine.path("project/docs")).unwrap();
    fs::write(machine.path("project/docs/house-rules.md"), "Be kind.").unwrap();
    let ruled = machine.preface(&[&args[..], &["--trust", "once"]].concat());
    assert_eq!(String::from_utf8(ruled.stdout).unwrap(), "You work in /p, on main.\nBe kind.\n");
}

#[test]
fn the_keys_of_the_saved_world_are_those_of_its_page() {
    let machine = Machine::new();
    let file = machine.path("world.json");
    let built = machine.preface(&["build", "--save-snapshot", file.to_str().unwrap()]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let world: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let page = page("docs/reference/snapshot.md");
    for key in world.as_object().unwrap().keys() {
        assert!(
            page.contains(&format!("| `{key}` |")),
            "docs/reference/snapshot.md does not describe `{key}`"
        );
    }
    let again = machine.preface(&["build", "--snapshot", file.to_str().unwrap()]);
    assert_eq!(again.stdout, built.stdout);
}

#[test]
fn the_commands_of_the_conversations_page_work() {
    let machine = Machine::new();
    let page = page("docs/conversations.md");
    let commands = blocks(&page, "console");
    let lines: Vec<&str> = commands.iter().flat_map(|block| block.lines()).collect();
    assert!(lines.len() > 10, "the page shows commands: {lines:?}");
    for line in lines {
        let (line, file) = match line.split_once(" > ") {
            Some((line, file)) => (line, Some(file)),
            None => (line, None),
        };
        let mut words: Vec<&str> = Vec::new();
        for (at, part) in line.split('\'').enumerate() {
            match at % 2 {
                0 => words.extend(part.split_whitespace()),
                _ => words.push(part),
            }
        }
        assert_eq!(words[..2], ["$", "preface"], "{line}");
        let ran = machine.preface(&words[2..]);
        assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
        if let Some(file) = file {
            fs::write(machine.path("project").join(file), ran.stdout).unwrap();
        }
    }
}

/// Runs the blocks of a page in their order: `sh` as scripts, `console` line by line.
#[test]
fn the_blocks_of_getting_started_work() {
    let machine = Machine::new();
    let page = page("docs/getting-started.md");
    let bin = Path::new(env!("CARGO_BIN_EXE_preface")).parent().unwrap();
    let mut runs = 0;
    for block in page.split("\n```").skip(1).step_by(2) {
        let (info, body) = block.split_once('\n').unwrap();
        let scripts: Vec<&str> = match info {
            "sh" => vec![body],
            "console" => body.lines().map(|line| line.strip_prefix("$ ").expect("a command")).collect(),
            other => panic!("a block of `{other}` is not run"),
        };
        for script in scripts {
            let ran = Command::new("sh")
                .args(["-ec", script])
                .env_clear()
                .env("HOME", machine.path("home"))
                .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
                .current_dir(machine.path("project"))
                .output()
                .unwrap();
            assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stderr));
            runs += 1;
        }
    }
    assert_eq!(runs, 26, "every command of the page is run");
}
