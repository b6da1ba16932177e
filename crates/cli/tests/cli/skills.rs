//! `preface skills`

use crate::sandbox::Sandbox;

fn skilled() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .home(".config/preface/skills/commit/SKILL.md", "Commit.")
        .home(".config/preface/skills/review/SKILL.md", "Review.")
        .work(".preface/skills/commit/SKILL.md", "Commit here.");
    sandbox
}

#[test]
fn a_projects_skill_hides_yours() {
    skilled().run("preface skills --trust once").exits(0).says("").prints(
        "name    layer    state       size
commit  global   hidden   7 bytes
  hidden by project (.preface/skills/commit/SKILL.md)
commit  project  active  12 bytes
  hides global (~/.config/preface/skills/commit/SKILL.md)
review  global   active   7 bytes
listed, not used: this version puts no skill into a prompt
",
    );
}

#[test]
fn what_waits_for_trust_is_shown_as_held() {
    let sandbox = skilled();
    sandbox.run("preface skills").exits(0).says("").prints(
        "name    layer    state       size
commit  global   active   7 bytes
commit  project  held    12 bytes
  waits for trust: `--trust once` lets it through for a call
review  global   active   7 bytes
listed, not used: this version puts no skill into a prompt
",
    );
    let rows = sandbox.run("preface skills --format json").exits(0).json();
    let states: Vec<_> = rows.as_array().expect("a list").iter().map(|row| &row["status"]).collect();
    assert_eq!(states, ["ok", "held", "ok"]);
    assert_eq!(rows[0]["active"], true);
}

#[test]
fn a_project_that_is_held_as_a_whole_is_not_looked_at() {
    let sandbox = Sandbox::empty();
    sandbox.work(".stud/skills/commit/SKILL.md", "Commit here.");
    let ran = sandbox.run("preface skills --preset stud").exits(0);
    ran.prints("nothing: skills\nlisted, not used: this version puts no skill into a prompt\n");
}

#[test]
fn a_directory_without_a_skill_is_told() {
    let sandbox = Sandbox::new();
    sandbox.home(".config/preface/skills/drafts/notes.md", "Later.");
    let ran = sandbox.run("preface skills").exits(0);
    let note = "warning: ~/.config/preface/skills/drafts/SKILL.md is not there; its directory is no skill";
    assert!(ran.stderr.starts_with(note), "{}", ran.stderr);
}
