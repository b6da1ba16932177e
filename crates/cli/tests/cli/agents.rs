//! `preface list agents`

use crate::sandbox::Sandbox;

const REVIEW: &str =
    "---\nname: review\ndescription: Reviews a change.\ntools: Read, Grep\n---\n\nYou review.\n";
const WRITE: &str = "---\nname: write\ndescription: Writes.\ndisallowedTools: Bash\n---\n\nYou write.\n";

fn manned() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox
        .home(".config/preface/agents/review.md", REVIEW)
        .home(".config/preface/agents/write.md", WRITE)
        .home(".config/preface/agents/broken.md", "---\nname: broken\n---\n")
        .work(".preface/agents/review.md", REVIEW);
    sandbox
}

#[test]
fn what_answers_to_a_name_is_listed_and_the_rest_is_counted() {
    manned().run("preface list agents --trust once").exits(0).prints(
        "name    layer    state   tools         path
review  project  active  Read, Grep    .preface/agents/review.md
  Reviews a change.
  hides global (~/.config/preface/agents/review.md)
write   global   active  all but Bash  ~/.config/preface/agents/write.md
  Writes.
not shown: 2 more; `--all` shows them and why
",
    );
}

#[test]
fn all_of_them_say_why() {
    let unused = "warning: the profile `default` has no agents: it builds the prompt of none [agents/unused]\n\
                  help: `--preset` names a profile with `[agents]`, such as `claude-code`\n";
    manned().run("preface list agents --all --trust once").exits(0).says(unused).prints(
        "name    layer    state   tools         path
broken  global   broken  -             ~/.config/preface/agents/broken.md
  broken: ~/.config/preface/agents/broken.md was left out: it has no description
review  project  active  Read, Grep    .preface/agents/review.md
  Reviews a change.
  hides global (~/.config/preface/agents/review.md)
review  global   hidden  Read, Grep    ~/.config/preface/agents/review.md
  Reviews a change.
  hidden by project (.preface/agents/review.md)
write   global   active  all but Bash  ~/.config/preface/agents/write.md
  Writes.
",
    );
}

#[test]
fn what_waits_for_trust_is_shown_as_held() {
    let sandbox = manned();
    let rows = sandbox.run("preface list agents --format json").exits(0).json()["entries"].clone();
    let states: Vec<_> = rows
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| (row["name"].as_str(), row["status"].as_str(), row["active"].as_bool()))
        .collect();
    assert_eq!(
        states,
        [
            (Some("broken"), Some("disabled"), Some(false)),
            (Some("review"), Some("untrusted"), Some(false)),
            (Some("review"), Some("ok"), Some(true)),
            (Some("write"), Some("ok"), Some(true)),
        ]
    );
    assert_eq!(rows[2]["tools"], serde_json::json!(["Read", "Grep"]));
    assert_eq!(rows[3]["disallowedTools"], serde_json::json!(["Bash"]));
}

#[test]
fn without_agents_there_is_nothing() {
    Sandbox::empty().run("preface list agents").exits(0).says("").prints("none: agents\n");
}
