//! `preface template`: the templates of the store.

use crate::sandbox::Sandbox;

const AT: &str = "--now 2026-03-07T14:55:05Z";

/// Two versions of `main`, the first with a label.
fn stored() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.work("t.md", "You are terse.").work("u.md", "You are kind.\n");
    sandbox.run(&format!("preface template set t.md --note 'A start' {AT}")).exits(0);
    sandbox.run(&format!("preface template set u.md {AT}")).exits(0);
    sandbox.run("preface template label stable 1").exits(0);
    sandbox
}

#[test]
fn nothing_is_stored_and_nothing_is_made_by_looking() {
    let sandbox = Sandbox::empty();
    // Seed 002 §5.
    let default = "You are a helpful coding assistant.\n\n[if file:AGENTS.md]\n[file:AGENTS.md]\n[endif]\n\nThe current working directory is [prompt:cwd].";
    sandbox.run("preface template show").exits(0).prints(default).says("");
    sandbox
        .run("preface template list")
        .exits(0)
        .prints("No template is stored. `preface template set FILE` stores one.\n");
    sandbox
        .run("preface template list main")
        .exits(0)
        .prints("No template is stored: the default is used.\n");
    let same = sandbox.run("preface diff template:main --exit-code").exits(0);
    assert!(same.stdout.starts_with("--- main (default)  "), "{}", same.stdout);
    sandbox
        .run("preface template export")
        .exits(0)
        .prints("{\"format\":\"preface-templates/1\",\"templates\":[]}\n");
    sandbox.run("preface template delete").exits(0).says("`main` is the default already.\n");
    sandbox.run("preface template show 3").exits(1).prints("").says(
        "error: template `main` has no version 3\nhelp: see its versions: `preface template list main`\n",
    );
    sandbox.run("preface template set --from stable").exits(1).says(
        "\
error: no version of template `main` has the label `stable`
help: see its versions: `preface template list main`
",
    );
    assert!(!sandbox.path("home/.local").exists(), "looking makes no store");
}

#[test]
fn a_template_is_kept_byte_for_byte_with_its_history() {
    let sandbox = stored();
    sandbox.run("preface template show").exits(0).prints("You are kind.\n");
    sandbox.run("preface template show stable").exits(0).prints("You are terse.");
    sandbox.run("preface template set u.md").exits(0).says("`main` has this text already (version 2).\n");
    sandbox.run("preface template list main").exits(0).prints(
        "\
version  when              by         size  labels and note
      2  2026-03-07 14:55  local  14 bytes
      1  2026-03-07 14:55  local  14 bytes  [stable] A start
",
    );
    sandbox.run("preface diff template:main").exits(0).prints(
        "\
--- main@1  4 tokens, 14 bytes
+++ main@2  4 tokens, 14 bytes

cache: the first 2 tokens (8 bytes) are the same.

@@ -1 +1 @@
-You are terse.
\\ No newline at end of file
+You are kind.
",
    );
    sandbox.run("preface diff template:main@stable template:main@2 --exit-code").exits(1);
    sandbox
        .run("preface template set --from stable")
        .exits(0)
        .says("`main` is now at version 3: the text of version 1 (14 bytes).\n");
    sandbox.run("preface template show").exits(0).prints("You are terse.");
    sandbox.run("preface template delete").exits(0).says("`main` is the default again (version 4).\n");
    let rows = sandbox.run("preface template list main --format json").exits(0).entries();
    assert_eq!((&rows[0]["default"], &rows[1]["note"]), (&true.into(), &"restored from version 1".into()));
    sandbox
        .run("preface template label --delete stable")
        .exits(0)
        .says("Deleted the label `stable` of `main`.\n");
    sandbox.run("preface template label --delete stable").exits(1);
}

#[test]
fn a_writer_who_is_late_is_told_so() {
    let sandbox = stored();
    sandbox.run("preface template set t.md --if-version 1").exits(1).says(
        "\
error: template `main` was changed meanwhile: version 2 is current, by local
help: read it, then write again: `preface template show`
",
    );
    sandbox
        .run("preface template set t.md --if-version 0 -t review")
        .exits(0)
        .says("`review` is now at version 1 (14 bytes).\n");
    sandbox.run("preface template list").exits(0);
}

#[test]
fn a_named_template_that_was_deleted_is_not_there() {
    let sandbox = stored();
    let missing = "error: no such template: `review`\nhelp: write it first, or choose a stored one: `preface template list`\n";
    sandbox.run("preface template delete -t review").exits(1).says(missing);
    sandbox.run("preface template set t.md -t review").exits(0);
    sandbox.run("preface template delete -t review").exits(0).says("`review` is deleted (version 2).\n");
    sandbox.run("preface template show -t review").exits(1).prints("").says(missing);
    sandbox.run("preface template delete -t review").exits(1).says(missing);
    sandbox.run("preface template set --from 1 -t review").exits(0);
    sandbox.run("preface template show -t review").exits(0);
}

#[test]
fn what_lint_finds_stops_nothing_and_a_limit_does() {
    let sandbox = Sandbox::empty();
    sandbox.run_with("preface template set -", "[foo:bar]").exits(0).says(
        "\
warning: `foo` is no registered type: `[foo:bar]` will vanish [template/unregistered-type]
 ——▶ stdin:1:1
  │
1 │ [foo:bar]
  │ ^^^^^^^^^
`main` is now at version 1 (9 bytes).
",
    );
    let deep = "[if a:b]".repeat(1_001) + &"[endif]".repeat(1_001);
    let ran = sandbox.work("deep.md", &deep).run("preface template set deep.md").exits(1).prints("");
    let first = ran.stderr.lines().next().unwrap_or_default();
    assert_eq!(first, "error: blocks are nested more than 1000 deep", "{}", ran.stderr);
    assert!(ran.stderr.contains("deep.md:1:8001"), "the place of the first tag too deep: {}", ran.stderr);
    sandbox.work("bad.md", b"\xff").run("preface template set bad.md").exits(1);
    sandbox.run("preface template show").exits(0).prints("[foo:bar]");
}

#[test]
fn of_many_findings_ten_are_told_once() {
    let sandbox = Sandbox::empty();
    sandbox.work("t.md", "[else]\n".repeat(2_000) + "a\u{202e}b\n");
    let told = sandbox.run("preface template set t.md").exits(0).prints("").stderr;
    // Lint reports 500 of the 2,000 tags, how many more there are, and the hidden character; ten of these are shown.
    assert_eq!(told.matches("——▶ t.md:").count(), 9, "{told}");
    assert!(told.contains("… and 1500 more findings about the tags"), "{told}");
    assert!(told.contains("t.md:2001:2"), "the worst is among them: {told}");
    let end = "and 492 more; `preface lint --preset template --file t.md` lists them
`main` is now at version 1 (14,006 bytes).
";
    assert!(told.ends_with(end), "{told}");
    sandbox.run("preface template set t.md").exits(0).says("`main` has this text already (version 1).\n");
    let listed = sandbox.run("preface lint --preset template --file t.md").stdout;
    assert_eq!(listed.matches("——▶ t.md:").count(), 501);
}

#[test]
fn templates_move_to_another_store() {
    let sandbox = stored();
    let document = sandbox.run("preface template export").exits(0).stdout;
    sandbox.work("all.json", &document);
    sandbox
        .run("preface template import all.json --store sqlite:other.db")
        .exits(0)
        .says("`main`: 2 versions added.\n");
    sandbox
        .run("preface template import all.json --store sqlite:other.db")
        .exits(0)
        .says("`main`: 0 versions added, 2 there already.\n");
    sandbox.run("preface template export --store sqlite:other.db").exits(0).prints(&document);
    sandbox.run("preface template import t.md").exits(1);
}

#[test]
fn the_stored_template_speaks_where_the_profile_takes_one() {
    let sandbox = stored();
    sandbox.run("preface build --preset template").exits(0).prints("You are kind.\n").says("");
    sandbox.run("preface build --preset template --template main@stable").exits(0).prints("You are terse.");
    let ran = sandbox.run("preface explain --preset template").exits(0);
    assert!(ran.stdout.contains("store        template main@2"), "{}", ran.stdout);
    sandbox
        .run("preface build --preset template --template nobody")
        .exits(2)
        .prints("")
        .says("error: unknown template: `nobody`\nhelp: see the stored ones: `preface template list`\n");
    let ran = sandbox.run("preface build --template main").exits(0);
    assert_eq!(
        ran.stderr,
        "warning: the profile `default` takes no template: `main` was not used [template/unused] (`-v` shows details)\n"
    );
    let other = sandbox.env("PREFACE_STORE", "sqlite:[ROOT]/nowhere.db");
    other
        .run("preface build --preset template -q")
        .exits(0)
        .prints("You are a helpful coding assistant.\n\n\n\nThe current working directory is [ROOT]/work.");
    assert!(!other.path("nowhere.db").exists(), "a build makes no store");
}

#[test]
fn a_build_reports_broken_tags_of_the_stored_template() {
    let sandbox = Sandbox::empty();
    sandbox.work("broken.md", "[if system:os]On [system:os].\nYou help.\n");
    sandbox.run("preface template set broken.md").exits(0);
    let broken = "no `[endif]` closes this `if`: it will appear as text";
    let ran = sandbox.run("preface build --preset template").exits(0);
    let line = format!("warning: {broken} (template main@1:1:1) [template/unbalanced]");
    assert!(ran.stderr.starts_with(&line), "{}", ran.stderr);
    let ran = sandbox.run("preface build --preset template --conversation c1 -v").exits(0);
    assert!(ran.stderr.contains(broken), "{}", ran.stderr);
    let ran = sandbox.run("preface lint --preset template").exits(0);
    assert_eq!(ran.stdout.matches(broken).count() + ran.stderr.matches(broken).count(), 1, "reported once");
}

#[test]
fn a_build_reports_broken_tags_of_a_profile() {
    let sandbox = Sandbox::empty();
    let house = "extends = \"default\"\n\n[section.identity]\ntext = \"\"\"\nYou help.\n[if tool:read]Read.\n\"\"\"\n";
    sandbox.work("house.toml", house);
    let broken = "no `[endif]` closes this `if`: it will appear as text";
    let ran = sandbox.run("preface build --profile house.toml -o -").exits(0);
    let line = format!("warning: {broken} (house.toml:6:1) [template/unbalanced]");
    assert!(ran.stderr.contains(&line), "{}", ran.stderr);
    let ran = sandbox.run("preface lint --profile house.toml").exits(0);
    assert_eq!(ran.stdout.matches(broken).count() + ran.stderr.matches(broken).count(), 1, "reported once");
    let ran = sandbox.run("preface build --profile house.toml --set systemPrompt.custom=Short. -v").exits(0);
    assert!(!ran.stderr.contains(broken), "not used: {}", ran.stderr);
}

#[test]
fn a_profile_without_a_template_opens_no_store() {
    // The file is no store: whoever opens it fails.
    let sandbox = Sandbox::new();
    sandbox.home(".local/state/preface/preface.db", "no store at all, and long enough to be looked at");
    sandbox.run("preface build").exits(0).says("");
    sandbox.run("preface build --preset template").exits(1).prints("").says(
        "\
error: not a store of preface: [ROOT]/home/.local/state/preface/preface.db
help: name another file with `--store`; this one was left as it is
",
    );
}

#[test]
fn an_address_keeps_its_password() {
    let ran = Sandbox::empty().run("preface template list --store mysql://me:s3cret@h/db").exits(2);
    assert!(!ran.stderr.contains("s3cret"), "{}", ran.stderr);
}

#[test]
fn the_help_names_the_template() {
    let sandbox = Sandbox::new();
    sandbox.run_with("preface template set - --template review", "One.").exits(0);
    sandbox.run("preface template label prod 9 --template review").exits(1).prints("").says(
        "error: template `review` has no version 9\nhelp: see its versions: `preface template list review`\n",
    );
    sandbox.run_with("preface template set -", "Two.").exits(0);
    sandbox.run("preface template show review").exits(1).prints("").says(
        "\
error: no version of template `main` has the label `review`
help: see its versions: `preface template list main`
",
    );
}

#[test]
fn an_unknown_label_has_a_suggestion() {
    let sandbox = Sandbox::new();
    sandbox.run_with("preface template set -", "One.").exits(0);
    let build = |version: &str| {
        let ran = sandbox.run(&format!("preface build --preset template --template main@{version}")).exits(2);
        ran.prints("").stderr
    };
    let head = "error: no version of template `main` has the label `stabel`\nhelp: ";
    let help = "see its versions: `preface template list main`\n";
    assert_eq!(build("stabel"), format!("{head}{help}"));
    sandbox.run("preface template label stable").exits(0);
    sandbox.run("preface template label prod").exits(0);
    assert_eq!(build("stabel"), format!("{head}did you mean `stable`?\n"));
    assert!(build("other").ends_with("help: its labels: prod, stable\n"));
    assert_eq!(build("9"), format!("error: template `main` has no version 9\nhelp: {help}"));
}
