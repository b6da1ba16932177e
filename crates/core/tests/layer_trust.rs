//! A project's sections are part of a prompt only where the project is trusted, whoever made the world.

use preface_core::{
    fact::RecordedVariables,
    layer::{Layer, Stack},
    line,
    origin::{Origin, Piece},
    profile,
    scope::Scope,
    trust::Trust,
    turn::Turn,
    variables::NoSource,
    world::{SettingsPrompt, Snapshot, WORLD_VERSION},
};
use std::collections::BTreeMap;

const PROFILE: &str = r###"
home = { global = "~/.x", project = ".x" }
[orders]
main = ["identity"]
[section.identity]
text = "You help."
"###;

fn prompt(trust: Trust) -> String {
    let raw = profile::read("test", "test.toml", PROFILE).unwrap();
    let piece = Piece { text: "OF THE PROJECT".to_owned(), origin: Origin::Caller { flag: "test".into() } };
    let project = Layer {
        scope: Scope::Project,
        path: ".x".to_owned(),
        trust,
        files: BTreeMap::new(),
        sections: BTreeMap::from([("tone".to_owned(), vec![piece])]),
    };
    let mut world = Snapshot {
        version: WORLD_VERSION,
        turn: Turn { cwd: "/work".into(), counter: "estimate:bytes4".into(), ..Turn::default() },
        profile: profile::build(&[raw], &[], &mut |_, path| Err(path.to_owned())).unwrap().into(),
        stack: Stack(vec![project]),
        overrides: Vec::new(),
        system_prompt: SettingsPrompt::default(),
        given: BTreeMap::new(),
        stored: None,
        contributions: Vec::new(),
        reminders: Vec::new(),
        facts: RecordedVariables::default(),
        diagnostics: Vec::new(),
        audit: Vec::new(),
    };
    line::run(&mut world, &mut NoSource).unwrap().text
}

#[test]
fn sections_of_a_project_need_its_trust() {
    for trust in [Trust::Trusted, Trust::Once, Trust::Stale] {
        assert!(prompt(trust).contains("OF THE PROJECT"), "{trust:?}");
    }
    for trust in [Trust::Untrusted, Trust::Declined] {
        assert!(!prompt(trust).contains("OF THE PROJECT"), "{trust:?}");
    }
}
