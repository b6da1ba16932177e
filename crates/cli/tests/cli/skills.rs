//! `preface list skills`

use crate::sandbox::Sandbox;

const COMMIT: &str = "---\nname: commit\ndescription: Writes a commit message.\n---\n\nCommit.\n";
const REVIEW: &str = "---\nname: review\ndescription: Reviews a change.\n---\n\nReview.\n";

fn skilled() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox
        .home(".config/preface/skills/commit/SKILL.md", COMMIT)
        .home(".config/preface/skills/review/SKILL.md", REVIEW)
        .work(".preface/skills/commit/SKILL.md", COMMIT);
    sandbox
}

#[test]
fn a_projects_skill_hides_yours() {
    skilled().run("preface list skills --trust once").exits(0).says("").prints(
        "name    layer    state   path
commit  project  active  .preface/skills/commit/SKILL.md
  Writes a commit message.
  hides global (~/.config/preface/skills/commit/SKILL.md)
commit  global   hidden  ~/.config/preface/skills/commit/SKILL.md
  Writes a commit message.
  hidden by project (.preface/skills/commit/SKILL.md)
review  global   active  ~/.config/preface/skills/review/SKILL.md
  Reviews a change.
",
    );
}

#[test]
fn what_waits_for_trust_is_shown_as_untrusted_and_a_grant_lets_it_through() {
    let sandbox = skilled();
    sandbox.run("preface list skills").exits(0).says("").prints(
        "name    layer    state      path
commit  project  untrusted  .preface/skills/commit/SKILL.md
  not trusted: `preface trust grant`
commit  global   active     ~/.config/preface/skills/commit/SKILL.md
  Writes a commit message.
review  global   active     ~/.config/preface/skills/review/SKILL.md
  Reviews a change.
",
    );
    let rows = sandbox.run("preface list skills --format json").exits(0).json()["entries"].clone();
    let states: Vec<_> = rows.as_array().expect("a list").iter().map(|row| &row["status"]).collect();
    assert_eq!(states, ["untrusted", "ok", "ok"]);
    assert_eq!(rows[1]["active"], true);
    sandbox.run("preface trust grant").exits(0);
    let rows = sandbox.run("preface list skills --format json").exits(0).json()["entries"].clone();
    assert_eq!((&rows[0]["status"], &rows[0]["active"]), (&"ok".into(), &true.into()));
}

#[test]
fn what_is_wrong_stands_below_its_row() {
    let sandbox = Sandbox::empty();
    sandbox
        .home(".agents/skills/a/SKILL.md", "---\nname: a\ndescription: [\n---\n")
        .home(".agents/skills/b/SKILL.md", "---\nname: Other\ndescription: Does b.\nversion: 1\n---\n")
        .home(
            ".agents/skills/c/SKILL.md",
            "---\nname: c\ndescription: Does c.\ndisable-model-invocation: true\n---\n",
        )
        .home(".agents/skills/d/SKILL.md", "---\nname: d\ndescription: Does d.\n---\n")
        .home(".agents/skills/.gitignore", "d/\n");
    sandbox.run("preface list skills --all").exits(0).says("").prints(
        "name   layer   state         path
Other  global  active        ~/.agents/skills/b/SKILL.md
  Does b.
  name \"Other\" does not match parent directory \"b\"
  name contains invalid characters (must be lowercase a-z, 0-9, hyphens only)
  standard: `version` is no field of the standard; `metadata` may hold it
a      global  broken        ~/.agents/skills/a/SKILL.md
  broken: the frontmatter is no YAML: unclosed bracket '['
c      global  by name only  ~/.agents/skills/c/SKILL.md
  Does c.
d      global  ignored       ~/.agents/skills/d
  left out by ~/.agents/skills/.gitignore:1
",
    );
    let ran = sandbox.run("preface list skills").exits(0);
    assert!(ran.stdout.ends_with("not shown: 1 more; `--all` shows them and why\n"), "{}", ran.stdout);
}

#[test]
fn a_preset_without_skills_says_so() {
    let sandbox = Sandbox::empty();
    sandbox.work(".stud/skills/commit/SKILL.md", COMMIT);
    sandbox.run("preface list skills --preset stud").exits(0).prints("this preset lists no skills\n");
}

#[test]
fn what_the_prompt_leaves_out_is_said() {
    let sandbox = Sandbox::empty();
    sandbox.work(".sf/skills/a/SKILL.md", "---\nname: a\ndescription: Does a.\n---\n");
    let told = "the prompt lists none of them: condition `tool:read` is false\n";
    let ran = sandbox.run("preface list skills --preset pi --tools bash").exits(0);
    assert!(ran.stdout.ends_with(told), "{}", ran.stdout);
    let ran = sandbox.run("preface list skills --preset pi").exits(0);
    assert!(!ran.stdout.contains("the prompt lists"), "{}", ran.stdout);
}

#[test]
fn a_head_that_is_none_and_a_skill_that_is_not_hidden_say_why() {
    let sandbox = Sandbox::empty();
    let head = "---\nname: a\ndescription: d\n";
    sandbox
        .work(".sf/skills/bom/SKILL.md", format!("\u{feff}{head}---\n"))
        .work(".sf/skills/blank/SKILL.md", format!("\n{head}---\n"))
        .work(".sf/skills/open/SKILL.md", head)
        .work(
            ".sf/skills/yes/SKILL.md",
            "---\nname: yes\ndescription: d\ndisable-model-invocation: yes\n---\n",
        );
    let ran = sandbox.run("preface build --preset pi -v").exits(0);
    let words = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in [
        "remove the byte order mark before `---`",
        "remove what is blank before `---`",
        "the frontmatter has no second line of `---`",
        "`disable-model-invocation` is the text `yes` and not `true`; the skill is listed",
    ] {
        assert!(words.contains(told), "{told}: {}", ran.stderr);
    }
    assert!(ran.stdout.contains("<name>yes</name>"));
}
