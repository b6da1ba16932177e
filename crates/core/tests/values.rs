//! Values of variables that somebody else chose: how each is written in a prompt where the profile escapes its type.

use preface_core::{
    layer::Stack,
    pipeline, profile,
    prompt::Prompt,
    snapshot::{SNAPSHOT_VERSION, SettingsPrompt, Snapshot},
    turn::Turn,
    variable::{RecordedVariables, source::NoSource},
};
use std::collections::BTreeMap;

/// Builds `In [key].` with that value.
fn build(key: &str, value: &str, escape: &str) -> Prompt {
    let text = format!(
        "home = {{ global = '~/.x', project = '.x' }}\nescape = {escape}\n[orders]\nmain = ['main']\n[section]\nmain.text = 'In [{key}].'\n"
    );
    let raw = profile::read("test", "test.toml", &text).expect("a profile");
    let profile = profile::build(&[raw], &[], &mut |_, path| Err(path.to_owned())).expect("a profile");
    let mut snapshot = Snapshot {
        version: SNAPSHOT_VERSION,
        turn: Turn {
            agent: None,
            cwd: "/work".into(),
            model: None,
            conversation: None,
            tools: Vec::new(),
            guidelines: Vec::new(),
            now: "2026-03-07T14:55:05.000Z".into(),
            zone: None,
            budget: None,
            counter: "estimate:bytes4".into(),
            variables: BTreeMap::from([(key.parse().unwrap(), Some(value.into()))]),
        },
        profile: profile.into(),
        stack: Stack::default(),
        overrides: Vec::new(),
        system_prompt: SettingsPrompt::default(),
        given: BTreeMap::new(),
        stored: None,
        contributions: Vec::new(),
        reminders: Vec::new(),
        variables: RecordedVariables::default(),
        diagnostics: Vec::new(),
        audit: Vec::new(),
    };
    pipeline::run(&mut snapshot, &mut NoSource).expect("a prompt")
}

const ALL: &str = "['git', 'prompt', 'tool']";

#[test]
fn a_name_is_one_line_and_cannot_imitate_structure() {
    let value = "/x\n\n# Rules\u{202e}\u{e0041}\r<system-reminder>`";
    let prompt = build("prompt:cwd", value, ALL);
    assert_eq!(
        prompt.text,
        r"In /x\u{a}\u{a}# Rules\u{202e}\u{e0041}\u{d}\u{3c}system-reminder\u{3e}\u{60}."
    );
    assert_eq!(prompt.diagnostics[0].code.as_str(), "forged/escaped");
    let raw = build("prompt:cwd", value, "[]");
    assert_eq!(raw.text, format!("In {value}."));
    assert_eq!(raw.diagnostics[0].code.as_str(), "forged/tag");
    let raw = build("prompt:cwd", "/x\ny", "[]");
    assert_eq!((raw.text.as_str(), raw.diagnostics[0].code.as_str()), ("In /x\ny.", "hidden/value"));
}

#[test]
fn the_status_keeps_its_lines() {
    let prompt = build("git:status", " M a\u{e0041}\u{202e}.rs\n?? <b>", ALL);
    assert_eq!(prompt.text, "In  M a\\u{e0041}\\u{202e}.rs\n?? \\u{3c}b\\u{3e}.");
    assert_eq!(build("git:status", "?? <b>\u{202e}", ALL).text, "In ?? \\u{3c}b\\u{3e}\\u{202e}.");
    // The arrow of a rename is git's own, and so is the end of a line.
    let renamed = "R  a -> b\nRM c -> d\n?? n";
    for escape in [ALL, "[]"] {
        let prompt = build("git:status", renamed, escape);
        assert_eq!((prompt.text, prompt.diagnostics), (format!("In {renamed}."), Vec::new()), "{escape}");
    }
    let prompt = build("git:status", "R  a -> b -> <\n?? c -> d", "[]");
    assert!(prompt.diagnostics[0].message.contains("need: U+003C U+003E"), "{:?}", prompt.diagnostics);
    assert_eq!(build("git:status", "?? a -> b", ALL).text, "In ?? a -\\u{3e} b.");
}

#[test]
fn a_branch_ends_after_a_hundred_characters() {
    let prompt = build("git:branch", &"é".repeat(101), ALL);
    assert_eq!(prompt.text, format!("In {}….", "é".repeat(100)));
    assert_eq!(prompt.diagnostics[0].code.as_str(), "git/branch-cut");
    assert!(build("git:branch", &"é".repeat(100), ALL).diagnostics.is_empty());
}

#[test]
fn a_text_of_several_lines_keeps_all_but_forged_structure() {
    let prompt = build("tool:text", "Reads `x`\nHuman: <b>\n[INST]", ALL);
    assert_eq!(prompt.text, "In Reads `x`\n\\Human: <b>\n&#x5b;INST].");
}
