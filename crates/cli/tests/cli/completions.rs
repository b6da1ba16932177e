//! `preface completions`

use crate::sandbox::Sandbox;

#[test]
fn each_shell_gets_a_script_that_calls_the_program() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = sandbox.run(&format!("preface completions {shell}")).exits(0).says("");
        assert!(ran.stdout.contains("COMPLETE") && ran.stdout.contains("preface"), "{shell}: {}", ran.stdout);
    }
}

/// The values that the script of a shell gets for the last word of a line.
fn suggested(sandbox: &Sandbox, shell: &str, line: &[&str]) -> String {
    let mut command = sandbox.command("preface");
    let index = (line.len() - 1).to_string();
    command.env("COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", index).env("_CLAP_IFS", "\n");
    let output = command.arg("--").args(line).output().expect("the binary runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn values_that_the_program_knows_are_suggested() {
    let sandbox = Sandbox::new();
    sandbox.home(".config/preface/profiles/mine.toml", "name = \"mine\"\nextends = \"default\"\n");
    let manifest = |id: &str| {
        format!(
            r#"{{"id": "{id}", "category": "tools", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", "description": "A tool."}}"#
        )
    };
    sandbox.home(".config/preface/extensions/tools/read/manifest.json", manifest("read"));
    sandbox.home(".config/preface/extensions/tools/write/manifest.json", manifest("write"));
    let support = "extends = \"default\"\n\n[variables.\"app:plan\"]\nvalues = [\"free\", \"pro\"]\n";
    sandbox.home(".config/preface/profiles/support.toml", support).work("support.toml", support);
    sandbox.work("t.md", "You are terse.");
    sandbox.run("preface template set t.md -t review").exits(0);
    sandbox.run("preface template set t.md").exits(0);
    sandbox.run("preface template label stable").exits(0);
    sandbox.run("preface build --conversation c1 --model large-1").exits(0);
    for (line, value) in [
        (&["build", "--preset", ""][..], "claude-code"),
        (&["build", "--preset", "m"], "mine"),
        (&["build", "--agent", ""], "explore"),
        (&["build", "--model", ""], "large-1"),
        (&["build", "--tools", ""], "none"),
        (&["build", "--tools", "read,wr"], "read,write"),
        (&["build", "--set", "budget.t"], "budget.tokens"),
        (&["build", "--set", "budget.onOver=e"], "budget.onOver=error"),
        (&["build", "--tokenizer", ""], "o200k"),
        (&["build", "--variable", "git:"], "git:branch"),
        (&["build", "--preset", "support", "--variable", "app:"], "app:plan"),
        (&["build", "--profile=support.toml", "--variable", "app:plan="], "app:plan=pro"),
        (&["build", "--preset=claude-code", "--agent", ""], "explore"),
        (&["build", "--template", ""], "review"),
        (&["template", "show", "-t", ""], "review"),
        (&["template", "label", "--delete", ""], "stable"),
        (&["conversation", "show", ""], "c1"),
        (&["list", "ski"], "skills"),
        (&["-q", "-C", "sub", "bui"], "build"),
        (&["--trust-home", "template", "show", "-t", ""], "review"),
    ] {
        for shell in ["bash", "zsh", "fish"] {
            let line = [&["preface"], line].concat();
            let found = suggested(&sandbox, shell, &line);
            assert!(
                found.lines().any(|one| one.replace("\\:", ":").starts_with(value)),
                "{shell}: {line:?}: {found}"
            );
        }
    }
}

#[test]
fn values_are_those_of_the_directory_that_the_line_names() {
    let sandbox = Sandbox::new();
    sandbox.work(
        "skills/.claude/agents/deckhand.md",
        "---\nname: deckhand\ndescription: Scrubs.\n---\nScrub.\n",
    );
    for (line, is_there) in [
        (&["build", "--agent", "deck"][..], false),
        (&["-C", "skills", "build", "--agent", "deck"], true),
        (&["build", "-Cskills", "--agent", "deck"], true),
        (&["build", "-C", "nowhere", "--agent", "deck"], false),
    ] {
        let line = [&["preface"], line].concat();
        let found = suggested(&sandbox, "bash", &line);
        assert_eq!(found.contains("deckhand"), is_there, "{line:?}: {found}");
    }
}

#[test]
fn names_that_a_shell_would_expand_are_not_suggested() {
    let sandbox = Sandbox::new();
    let agent = |name: &str| format!("---\nname: {name}\ndescription: Scrubs.\n---\nScrub.\n");
    sandbox.work(".claude/agents/a.md", agent("deckhand"));
    sandbox.work(".claude/agents/b.md", agent("deck$(touch${IFS}x)"));
    sandbox.work("deck.md", "").work("deck$(touch x).md", "").work("-deck.md", "");
    for (line, found) in [
        (&["build", "--agent", "deck"][..], "deckhand"),
        (&["build", "--profile", "de"], "deck.md"),
        (&["build", "--profile", ""], "deck.md"),
    ] {
        for shell in ["bash", "zsh", "fish"] {
            let line = [&["preface"], line].concat();
            let all = suggested(&sandbox, shell, &line);
            assert!(all.contains(found), "{shell}: {line:?}: {all}");
            assert!(!all.contains("touch") && !all.contains("-deck"), "{shell}: {line:?}: {all}");
        }
    }
}
