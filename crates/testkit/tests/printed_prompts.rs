//! The prompts that `docs/prompts` prints are what is built. `PREFACE_PRINT=1` writes them anew.
use preface_engine::{
    ASSETS, BuildOptions, Engine, ToolChoice, TrustChoice,
    core::{attachment::Attachment, prompt::Prompt},
};
use preface_testkit::MemorySystem;
use std::{env, fmt::Write as _, fs, path::Path};

/// One page.
struct Page {
    file: &'static str,
    title: &'static str,
    /// The use of the prompt, and what differs from the first page of its preset.
    about: &'static str,
    /// The command that prints it.
    command: &'static str,
    machine: fn() -> MemorySystem,
    request: BuildOptions,
    /// Leaves out the parts that the prompt of the first page begins with, too.
    is_rest: bool,
}

/// A project with instructions at two levels and a skill, and a user with instructions and a skill.
fn layered() -> MemorySystem {
    bare()
        .with_file("/home/ada/.config/preface/append.md", "Answer in French.\n")
        .with_file(
            "/home/ada/.config/preface/skills/release/SKILL.md",
            "---\nname: release\ndescription: Tags a release and writes its notes. Use it when the user asks for a release.\n---\n\nRead the log.\n",
        )
        .with_file(
            "/home/ada/engine/AGENTS.md",
            "# Engine\n\nA calculator for long tables. Build with `make`, test with `make check`.\n\n# Tools\n\nUse `rg`, not `grep`.\n",
        )
        .with_file("/home/ada/engine/api/AGENTS.md", "Each change of a route needs a test in `api/tests`.\n")
        .with_file("/home/ada/engine/api/.preface/append.md", "The API is frozen until May.\n")
        .with_file(
            "/home/ada/engine/.agents/skills/migrate/SKILL.md",
            "---\nname: migrate\ndescription: Writes a database migration and its way back.\n---\n\nLook at the last one.\n",
        )
        .with_current_dir("/home/ada/engine/api")
}

/// A work tree without any text for a model.
fn bare() -> MemorySystem {
    MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/ada")
        .with_dir("/home/ada/engine/.git/objects")
        .with_dir("/home/ada/engine/.git/refs")
        .with_file("/home/ada/engine/.git/HEAD", "ref: refs/heads/main\n")
        .with_file("/home/ada/engine/.git/refs/heads/main", format!("{}\n", "7".repeat(40)))
        .with_current_dir("/home/ada/engine")
        .with_var("SHELL", "/bin/bash")
}

/// A small project of somebody who has used such a program for a while.
fn machine() -> MemorySystem {
    MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/ada")
        .with_dir("/home/ada/.claude")
        .with_dir("/home/ada/engine/.git/objects")
        .with_dir("/home/ada/engine/.git/refs")
        .with_file("/home/ada/engine/.git/HEAD", "ref: refs/heads/main\n")
        .with_file("/home/ada/engine/.git/refs/heads/main", format!("{}\n", "7".repeat(40)))
        .with_current_dir("/home/ada/engine")
        .with_file(
            "/home/ada/engine/CLAUDE.md",
            "# Engine\n\nA calculator for long tables. Build with `make`, test with `make check`.\n\n@docs/style.md\n",
        )
        .with_file("/home/ada/engine/docs/style.md", "Names are whole words. Each function has a comment.\n")
        .with_file("/home/ada/engine/CLAUDE.local.md", "My branch is `ada/carry`.\n")
        .with_file(
            "/home/ada/engine/.claude/commands/release.md",
            "---\ndescription: Tags a release and writes its notes\nargument-hint: <version>\n---\n\nRelease $1.\n",
        )
        .with_file("/home/ada/.claude/mcp.json", r#"{"mcpServers": {"tickets": {"command": "tickets-mcp"}}}"#)
        .with_file(
            "/home/ada/.claude/mcp-descriptions/tickets.json",
            r#"{"instructions": "Tickets have numbers such as E-12.", "tools": [{"name": "find", "description": "Finds tickets by words."}, {"name": "close", "description": "Closes a ticket."}]}"#,
        )
        .with_var("SHELL", "/bin/bash")
}

fn request() -> BuildOptions {
    BuildOptions {
        preset: Some("claude-code".into()),
        now: Some("2026-03-07T14:55:05Z".into()),
        ..BuildOptions::in_dir("/home/ada/engine")
    }
}

fn pages() -> Vec<Page> {
    let words = |sets: &[&str]| sets.iter().map(|set| (*set).to_owned()).collect();
    let of_default = |dir: &str| BuildOptions {
        preset: Some("default".into()),
        now: Some("2026-03-07T14:55:05Z".into()),
        trust: TrustChoice::Once,
        ..BuildOptions::in_dir(dir)
    };
    vec![
        Page {
            file: "default.md",
            title: "The preset `default`",
            about: "A directory without any text for a model, and no flag.",
            command: "preface build",
            machine: bare,
            request: of_default("/home/ada/engine"),
            is_rest: false,
        },
        Page {
            file: "default-project.md",
            title: "The preset `default` in a project",
            about: "Four tools, instruction files at two levels, a file that appends to the prompt from the user and from the \
                    project, and a skill of each. It begins as [without files](default.md); `…` is what both have.",
            command: "preface build --trust once --tools read,bash,edit,write",
            machine: layered,
            request: BuildOptions {
                tools: ToolChoice::Named(words(&["read", "bash", "edit", "write"])),
                ..of_default("/home/ada/engine/api")
            },
            is_rest: true,
        },
        Page {
            file: "claude-code.md",
            title: "The preset `claude-code`",
            about: "All tools, past sessions and memory, a project with instruction files and a command, one MCP server.",
            command: "preface build --preset claude-code --set sessions=true --set memory=true",
            machine,
            request: BuildOptions { sets: words(&["sessions=true", "memory=true"]), ..request() },
            is_rest: false,
        },
    ]
}

fn built(page: &Page) -> Prompt {
    let system = (page.machine)();
    Engine::new(&system).build(&page.request).expect("the prompt of a page is built").prompt
}

/// Returns the text behind the parts that both prompts begin with.
fn rest(prompt: &Prompt, first: &Prompt) -> String {
    let pairs = prompt.parts.iter().zip(&first.parts);
    let same = pairs.take_while(|(a, b)| prompt.text[a.range.clone()] == first.text[b.range.clone()]);
    let end = same.last().map_or(0, |(part, _)| part.range.end);
    format!("…\n\n{}", prompt.text[end..].trim_start())
}

fn printed(page: &Page, first: &Prompt) -> String {
    let prompt = &built(page);
    let tokens = prompt.text.len() / 4;
    let text = if page.is_rest { rest(prompt, first) } else { prompt.text.clone() };
    let mut out = format!(
        "# {}\n\n{} {} parts, about {tokens} tokens.\n\n```sh\n{}\n```\n\n~~~~text\n{}\n~~~~\n",
        page.title,
        page.about,
        prompt.parts.len(),
        page.command,
        text.trim_end_matches('\n')
    );
    for attachment in &prompt.attachments {
        let text = Attachment::wrap(attachment.text.trim_end_matches('\n')).text;
        let _ = write!(out, "\nBeside it, {}:\n\n~~~~text\n{text}\n~~~~\n", attachment.place.about());
    }
    out
}

#[test]
fn the_pages_are_what_is_built() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/prompts");
    let pages = pages();
    let first = built(&pages[0]);
    for page in pages {
        let (path, built) = (root.join(page.file), printed(&page, &first));
        if env::var_os("PREFACE_PRINT").is_some() {
            fs::write(&path, &built).expect("the page can be written");
            continue;
        }
        let there = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            there == built,
            "{} is not what is built; `PREFACE_PRINT=1 cargo test -p preface-testkit --test printed_prompts` writes it",
            path.display()
        );
    }
    assert!(
        env::var_os("PREFACE_PRINT").is_none(),
        "the pages are written: review the difference, then run the test without PREFACE_PRINT"
    );
}
