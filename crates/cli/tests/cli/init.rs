//! `preface config init`

use crate::sandbox::Sandbox;
use std::fs;

#[test]
fn the_first_settings_are_written_once() {
    let sandbox = Sandbox::empty();
    let ran = sandbox.run("preface config init").exits(0).says("");
    assert!(
        ran.stdout.starts_with("~/.config/preface was created.\n  wrote settings.json\n\n"),
        "{}",
        ran.stdout
    );
    let settings = sandbox.path("home/.config/preface/settings.json");
    fs::write(&settings, "{}").expect("it can be changed");
    let ran = sandbox.run("preface config init").exits(0);
    assert!(ran.stdout.starts_with("~/.config/preface is there already.\n\n"), "{}", ran.stdout);
    assert_eq!(fs::read_to_string(&settings).expect("it is there"), "{}");
    assert!(!sandbox.path("home/.config/preface/system.md").exists());
}

#[test]
fn the_first_settings_are_good_ones() {
    let sandbox = Sandbox::empty();
    sandbox.run("preface config init").exits(0);
    sandbox.run("preface build -v").exits(0).says("");
    // Every line that is switched off is good when it is switched on.
    let settings = sandbox.path("home/.config/preface/settings.json");
    let text = fs::read_to_string(&settings).expect("it is there");
    let keys = ["\"systemPrompt\"", "\"budget\"", "\"trust\""];
    for key in keys {
        let line = text.lines().find(|line| line.trim_start().starts_with(&format!("// {key}"))).expect(key);
        let line = line.trim_start().trim_start_matches("// ").trim_end_matches(',');
        fs::write(&settings, format!("{{ {line} }}")).expect("it can be changed");
        sandbox.run("preface build -v").exits(0).says("");
    }
}

#[test]
fn a_first_system_file_comes_where_asked() {
    let sandbox = Sandbox::empty();
    sandbox.run("preface config init --with-system").exits(0);
    let system = sandbox.path("home/.config/preface/system.md");
    assert!(fs::metadata(&system).expect("it was written").len() > 100);
    fs::write(&system, "Mine.").expect("it can be changed");
    sandbox.run("preface config init --with-system").exits(0);
    assert_eq!(fs::read_to_string(&system).expect("it is there"), "Mine.");
}

#[test]
fn a_profile_that_scaffolds_does_so_once() {
    let sandbox = Sandbox::empty();
    let scaffolded = sandbox.path("home/.stud/system.md");
    sandbox.run("preface config init --preset stud").exits(0);
    assert!(scaffolded.exists());
    fs::remove_file(&scaffolded).expect("it was there");
    sandbox.run("preface config init --preset stud").exits(0);
    assert!(!scaffolded.exists(), "what was deleted does not come back");
}

#[test]
fn without_a_place_nothing_is_written() {
    Sandbox::empty().without("HOME").run("preface config init").exits(1).prints("").says(
        "\
error: there is no place for your own files: neither PREFACE_HOME nor a home directory is set
help: set PREFACE_HOME to a directory
",
    );
}

#[test]
fn the_first_files_are_listed() {
    Sandbox::empty().run("preface config init --preset pi").exits(0).says("").prints(
        "\
~/.sf/agent was created.
  wrote preface.json

What you can put there, among others:
  sections/<id>.md             one section, new or replaced (a template)
  reminders/<name>.md          a reminder (a template)
  extensions/<category>/<id>/  tools, context providers, hooks and more, each with a manifest.json
  mcp.json                     MCP servers
docs/reference/files.md lists every file.
A project has its own in .sf.
",
    );
}

#[test]
fn no_system_file_is_written_for_a_profile_that_reads_none() {
    let sandbox = Sandbox::empty();
    sandbox.run("preface config init --preset pi --with-system").exits(2).prints("").says(
        "\
error: the profile `pi` reads no system.md
help: docs/reference/files.md lists the files of each preset
",
    );
    assert!(!sandbox.path("home/.sf").exists());
}

#[test]
fn the_first_settings_fit_their_profile() {
    for preset in ["pi", "claude-code", "default"] {
        let sandbox = Sandbox::empty();
        sandbox.run(&format!("preface config init --preset {preset}")).exits(0);
        let file = match preset {
            "pi" => ".sf/agent/preface.json",
            "claude-code" => ".claude/preface.json",
            _ => ".config/preface/settings.json",
        };
        let settings = sandbox.path(&format!("home/{file}"));
        let text = fs::read_to_string(&settings).expect("it is there");
        let line = text.lines().find(|line| line.contains("\"sections\"")).expect("sections");
        let line = line.trim_start().trim_start_matches("// ").trim_end_matches(',');
        fs::write(&settings, format!("{{ {line} }}")).expect("it can be changed");
        let ran = sandbox.run(&format!("preface build --preset {preset} -v")).exits(0);
        assert!(
            !ran.stderr.contains("section/unknown") && ran.stdout.contains("\n\nUse tabs."),
            "{}",
            ran.stderr
        );
    }
}
