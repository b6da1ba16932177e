//! Pages list what there is: every key, option, part, agent and tokenizer, and the figures of now.

use crate::{
    Machine,
    markdown::{Page, pages, root},
};
use preface_core::{
    origin::{Origin, Piece},
    settings::ValueShape,
    trust::{TrustKind, TrustMode},
};
use std::fs;

/// The first cells of the tables of a section, code span by code span.
fn listed(page: &Page, section: &str) -> Vec<String> {
    let text =
        page.text.split(&format!("\n## {section}\n")).nth(1).and_then(|rest| rest.split("\n## ").next());
    let text = text.unwrap_or_else(|| panic!("{} has no section `{section}`", page.name));
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The lines of a preset between a head and a line that begins with `end`, without comments.
fn lines_of(preset: &str, head: &str, end: char) -> Vec<String> {
    let text = fs::read_to_string(root().join("crates/core/assets/presets").join(preset)).expect("a preset");
    let lines = text.lines().skip_while(|line| *line != head).skip(1);
    let lines = lines.take_while(|line| !line.starts_with(end)).filter(|line| !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

#[test]
fn the_profile_page_names_every_key_of_a_profile_and_a_section() {
    let page = Page::read("docs/reference/profile.md");
    for key in preface_core::profile::KEYS.iter().chain(&preface_core::profile::SECTION_KEYS) {
        let named =
            page.text.split('`').skip(1).step_by(2).any(|code| {
                code.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == *key)
            });
        assert!(named, "docs/reference/profile.md does not name `{key}`");
    }
}

/// A profile that the examples of the page extend.
const BASE: &str = r#"
home = { global = ["config:preface"], project = ".preface" }
[orders]
main = ["identity", "rules", "guidelines", "place", "append"]
[section]
identity = { text = "You help." }
rules = { text = "Be brief." }
guidelines = { list = "guidelines" }
place = { text = "Here." }
append = { text = "Last." }
"#;

#[test]
fn the_trust_page_has_the_table_of_the_code() {
    let page = Page::read("docs/concepts/trust.md");
    let modes = [TrustMode::Pinned, TrustMode::Whole, TrustMode::None];
    let rows = TrustKind::ALL.map(|kind| {
        let needs = modes.map(|mode| kind.requires(mode).as_str());
        format!("| {} | {} |\n", kind.examples(), needs.join(" | "))
    });
    let head = "| what a project brings | `pinned` | `whole` | `none` |\n| --- | --- | --- | --- |\n";
    let table = format!("{head}{}", rows.concat());
    assert!(page.text.contains(&table), "docs/concepts/trust.md lacks the table:\n{table}");
}

#[test]
fn every_example_of_the_profile_page_is_a_profile() {
    let examples = Page::read("docs/reference/profile.md").bodies("toml");
    assert!(examples.len() > 15, "{}", examples.len());
    let file = |path: &str| Piece { text: "Text.".to_owned(), origin: Origin::Caller { flag: path.into() } };
    for example in examples {
        let chain = [("base", BASE), ("example", &example)].map(|(name, text)| {
            preface_core::profile::read(name, &format!("{name}.toml"), text)
                .unwrap_or_else(|error| panic!("{error}\n{example}"))
        });
        preface_core::profile::build(&chain, &[], &mut |_, path| Ok(vec![file(path)]))
            .unwrap_or_else(|error| panic!("{error}\n{example}"));
    }
}

#[test]
fn the_options_of_every_context_provider_are_on_a_page() {
    let pages = ["profile", "instruction-files", "skills"]
        .map(|name| Page::read(&format!("docs/reference/{name}.md")));
    for provider in preface_engine::host::provider::CONTEXT_PROVIDERS {
        for (option, about) in provider.options {
            let is_described = match provider.name {
                "instructions" => pages[1].text.contains(&format!("\n| `{option}` | {about} |\n")),
                _ => pages.iter().any(|page| page.text.contains(&format!("`{option}`"))),
            };
            assert!(is_described, "no page has the option `{option}` of `{}`: {about}", provider.name);
        }
    }
}

#[test]
fn the_tokens_page_names_every_tokenizer_and_its_ratios() {
    let page = Page::read("docs/reference/tokens.md");
    for counter in
        preface_engine::COUNTERS.names().into_iter().filter_map(|name| preface_engine::COUNTERS.get(name))
    {
        let row = page.text.lines().find(|line| line.starts_with(&format!("| `{}`", counter.name())));
        let row =
            row.unwrap_or_else(|| panic!("docs/reference/tokens.md has no row for `{}`", counter.name()));
        let ratios = counter
            .about()
            .split(|c: char| !(c.is_ascii_digit() || c == '.'))
            .filter(|word| word.contains("."));
        for ratio in ratios.filter(|word| word.len() == 4) {
            assert!(
                row.contains(ratio),
                "docs/reference/tokens.md has another ratio for `{}`: {ratio}",
                counter.name()
            );
        }
    }
}

#[test]
fn the_settings_page_lists_every_key() {
    let page = Page::read("docs/reference/settings.md");
    let rows: Vec<&str> = page
        .text
        .lines()
        .skip_while(|line| *line != "## Keys")
        .filter(|line| line.starts_with("| `"))
        .collect();
    let all = ValueShape::root();
    let expected: Vec<String> = all
        .names()
        .filter_map(|name| Some((name, all.under(name)?)))
        .map(|(name, shape)| {
            let about = shape.about().trim_end_matches('.');
            let about = about[..1].to_lowercase() + &about[1..];
            let project = if shape.project_may() { "yes" } else { "no" };
            format!("| `{name}` | {about} | {project} |")
        })
        .collect();
    assert_eq!(
        rows[..expected.len()],
        expected,
        "the table of docs/reference/settings.md is the list of settings"
    );
}

#[test]
fn the_pi_page_lists_every_option() {
    let mut known: Vec<String> = lines_of("pi.toml", "[options]", '[')
        .iter()
        .filter_map(|line| Some(line.split_once(" = ")?.0.to_owned()))
        .collect();
    known.extend(["neutralise_tags", "rules", "tool_texts", "variant"].map(str::to_owned));
    known.sort_unstable();
    let mut options = listed(&Page::read("docs/presets/pi.md"), "Options");
    options.sort_unstable();
    assert_eq!(options, known);
}

#[test]
fn the_claude_code_page_lists_every_option_part_and_agent() {
    let page = Page::read("docs/presets/claude-code.md");
    let mut known: Vec<String> = lines_of("claude-code.toml", "[options]", '[')
        .iter()
        .filter_map(|line| Some(line.split_once(" = ")?.0.trim_matches('"').to_owned()))
        .collect();
    known.sort_unstable();
    let mut options = listed(&page, "Options");
    options.sort_unstable();
    assert_eq!(options, known);
    let order = lines_of("claude-code.toml", "seed = [", ']');
    let parts: Vec<&str> = order
        .iter()
        .map(|line| line.trim().trim_end_matches(',').trim_matches('"'))
        .chain(["append"])
        .collect();
    assert_eq!(listed(&page, "The parts, in this order"), parts);
    let mut agents: Vec<String> = fs::read_dir(root().join("crates/core/assets/bundles/claude-code/agents"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    agents.sort_unstable();
    assert_eq!(listed(&page, "Agents"), agents);
}

/// The prefix that a prompt cache keeps has these tokens in every directory.
#[test]
fn the_figures_of_the_claude_code_page_are_measured() {
    let machine = Machine::new();
    let page = Page::read("docs/presets/claude-code.md");
    for order in ["seed", "catalog", "stable-first"] {
        let set = format!("order={order}");
        let ran = machine.preface(&["explain", "--preset", "claude-code", "--set", &set]);
        let text = String::from_utf8(ran.stdout).unwrap();
        let measured = text.split("static up to here: ").nth(1).and_then(|rest| rest.split(" ──").next());
        let row = page.text.lines().find(|line| line.starts_with(&format!("| `{order}`"))).unwrap();
        assert!(row.ends_with(&format!("| {} |", measured.unwrap())), "{order}: {measured:?} in `{row}`");
    }
}

#[test]
fn the_settings_of_the_claude_code_page_are_understood() {
    let machine = Machine::new();
    let settings = Page::read("docs/presets/claude-code.md").bodies("json").remove(0);
    fs::write(machine.path("global/preface.json"), settings).unwrap();
    let built = machine.preface(&["build", "--preset", "claude-code", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&built.stdout).unwrap();
    assert_eq!(json["diagnostics"], serde_json::json!([]));
    let parts = json["parts"].as_array().unwrap();
    for section in ["past-sessions", "output-style", "append"] {
        assert!(parts.iter().any(|part| part["section"] == section), "`{section}` is included");
    }
}

/// The settings of the guide change nothing that they should not: no diagnostic but information.
#[test]
fn the_settings_of_the_profile_guide_are_understood() {
    let machine = Machine::new();
    let settings = Page::read("docs/tasks/write-a-profile.md").bodies("json").remove(0);
    fs::write(machine.path("global/settings.json"), settings).unwrap();
    let built = machine.preface(&["build", "--trust", "once", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&built.stdout).unwrap();
    let diagnostics = json["diagnostics"].as_array().unwrap();
    let warnings: Vec<_> = diagnostics.iter().filter(|one| one["severity"] != "info").collect();
    assert!(warnings.is_empty(), "{warnings:?}");
    let parts = json["parts"].as_array().unwrap();
    let sections: Vec<_> = parts.iter().map(|part| part["section"].as_str().unwrap()).collect();
    assert_eq!(sections[..3], ["identity", "language", "instructions"]);
    assert!(!sections.contains(&"approach"));
}

/// The page shows the second branch; this is the first.
#[test]
fn the_template_of_the_page_includes_a_file() {
    let machine = Machine::new();
    let template = &Page::read("docs/reference/templates.md").bodies("text")[0];
    fs::write(machine.path("project/t.md"), template).unwrap();
    fs::create_dir(machine.path("project/docs")).unwrap();
    fs::write(machine.path("project/docs/house-rules.md"), "Be kind.").unwrap();
    let args = ["template", "render", "t.md", "--variable", "git:branch=main", "--variable", "prompt:cwd=/p"];
    let ran = machine.preface(&[&args[..], &["--trust", "once"]].concat());
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), "You work in /p, on main.\nBe kind.\n");
}

#[test]
fn the_snapshot_page_describes_every_key() {
    let machine = Machine::new();
    let file = machine.path("snapshot.json");
    let built = machine.preface(&["build", "--save-snapshot", file.to_str().unwrap()]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let snapshot: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let page = Page::read("docs/reference/snapshot.md");
    for key in snapshot.as_object().unwrap().keys() {
        assert!(
            page.text.contains(&format!("| `{key}` |")),
            "docs/reference/snapshot.md does not describe `{key}`"
        );
    }
    let again = machine.preface(&["build", "--snapshot", file.to_str().unwrap()]);
    assert_eq!(again.stdout, built.stdout);
}

/// The variables of the command line's own list are those of the page, by type.
#[test]
fn the_variables_page_names_every_type() {
    let machine = Machine::new();
    let ran = machine.preface(&["list", "variables", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let page = Page::read("docs/reference/variables.md");
    let entries = json["entries"].as_array().unwrap();
    assert!(entries.len() > 10);
    for name in entries.iter().map(|entry| entry["variable"].as_str().unwrap()) {
        let kind = name.split_once(':').unwrap().0;
        assert!(
            page.text.contains(&format!("`{kind}:")),
            "docs/reference/variables.md does not name `{name}`"
        );
    }
}

/// Every preset has a page, which begins with a whole prompt, or with its ends and a link to a page that prints it.
#[test]
fn a_page_of_a_preset_begins_with_its_prompt() {
    let ran = Machine::new().preface(&["list", "presets", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let entries = json["entries"].as_array().or(json.as_array()).unwrap_or_else(|| panic!("a list: {json}"));
    let names: Vec<&str> = entries.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"default"), "{names:?}");
    for name in names {
        let page = Page::read(&format!("docs/presets/{name}.md"));
        let blocks = page.blocks();
        let commands = blocks[0].commands();
        let (command, output) = &commands[0];
        let preset =
            command.strip_prefix("preface build").and_then(|rest| rest.trim().strip_prefix("--preset "));
        assert_eq!(preset.unwrap_or("default"), name, "{}: the first command is `{command}`", page.name);
        let is_whole = !output.contains(&"…") || page.text.contains("](../prompts/");
        assert!(output.len() > 2 && is_whole, "{}: the prompt is whole, or a link leads to it", page.name);
    }
}

/// A reader meets an example before the first heading.
#[test]
fn pages_open_with_an_example() {
    let pages = pages();
    let opens = |page: &&Page| {
        ["docs/tasks/", "docs/concepts/", "docs/presets/"].iter().any(|dir| page.name.starts_with(dir))
    };
    let pages: Vec<&Page> = pages.iter().filter(opens).collect();
    assert!(pages.len() > 15, "the pages are found");
    for page in pages {
        let heading = page.text.find("\n## ").unwrap_or(page.text.len());
        let blocks = page.blocks();
        let example = blocks.iter().any(|block| block.is_command() && block.range.end < heading);
        assert!(example, "{} has no command before its first heading", page.name);
    }
}
