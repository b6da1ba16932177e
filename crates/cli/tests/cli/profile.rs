//! `preface profile`

use crate::sandbox::Sandbox;

#[test]
fn a_copy_of_each_preset_builds_the_same_prompt() {
    let sandbox = Sandbox::empty();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    for preset in ["additions", "claude-code", "default", "pi", "stud", "template"] {
        let built = sandbox.run(&format!("preface build -q --preset {preset}")).exits(0).stdout;
        sandbox.run(&format!("preface profile copy {preset} my-{preset}")).exits(0).prints("");
        sandbox.run(&format!("preface build -q --preset my-{preset}")).exits(0).prints(&built);
        let copy = sandbox.run(&format!("preface profile show my-{preset}")).exits(0).stdout;
        let name = copy.lines().find(|line| line.starts_with("name"));
        assert_eq!(name, Some(format!("name = \"my-{preset}\"").as_str()), "the copy has its own name");
    }
}

#[test]
fn a_copy_overwrites_nothing_and_stays_in_its_directory() {
    let sandbox = Sandbox::empty();
    sandbox.run("preface profile copy pi mine").exits(0);
    sandbox.run("preface profile copy stud mine").exits(1).prints("").says(
        "error: `~/.config/preface/profiles/mine.toml` exists\n\
         help: choose another name: `preface profile copy NAME NEW`\n",
    );
    for name in ["../mine", ".mine", "a/b", "'a b'"] {
        let ran = sandbox.run(&format!("preface profile copy pi {name}")).exits(2);
        assert!(ran.stderr.starts_with("error: invalid name: "), "{}", ran.stderr);
    }
    sandbox
        .run("preface profile show dfault")
        .exits(2)
        .says("error: unknown profile: `dfault`\nhelp: did you mean `default`?\n");
}

#[test]
fn an_unknown_context_provider_is_reported_by_a_build() {
    let sandbox = Sandbox::empty();
    let text = "extends = \"default\"\n[section.a]\nfill = \"agent-files\"\nafter = \"identity\"\n";
    sandbox.home(".config/preface/profiles/mine.toml", text);
    let ran = sandbox.run("preface build --preset mine").exits(0);
    let said = "warning: section `a`: unknown context provider: `agent-files`";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    let ran = sandbox.run("preface explain --preset mine --absent -q").exits(0);
    assert!(ran.stdout.contains("no context provider `agent-files`"), "{}", ran.stdout);
}

#[test]
fn own_profiles_are_listed_with_the_presets() {
    let sandbox = Sandbox::empty();
    let text = "name = \"mine\"\nabout = \"For reviews.\"\nextends = \"default\"\n";
    sandbox.home(".config/preface/profiles/mine.toml", text);
    let list = sandbox.run("preface list presets --format json").exits(0).json();
    let mine = list["entries"].as_array().and_then(|all| all.iter().find(|one| one["name"] == "mine"));
    assert_eq!(
        mine,
        Some(&serde_json::json!({
            "name": "mine",
            "scope": "global",
            "path": "~/.config/preface/profiles/mine.toml",
            "description": "For reviews."
        }))
    );
    assert_eq!(sandbox.run("preface list presets --format json").exits(0).json(), list);
    sandbox.run("preface profile show mine").exits(0).prints(text);
}

#[test]
fn an_unknown_option_of_a_provider_has_its_place() {
    let sandbox = Sandbox::empty();
    sandbox.work("p.toml", "extends = \"default\"\n\n[section.project-context]\nnmaes = [\"X.md\"]\n");
    let ran = sandbox.run("preface build -v --profile p.toml").exits(1);
    assert!(ran.stderr.contains("`nmaes`") && ran.stderr.contains("`names`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("p.toml:4:1\n"), "{}", ran.stderr);
}
