//! A project's sections are part of a prompt only where the project is trusted, whoever made the snapshot.

use preface_core::{
    layer::{Layer, Stack},
    origin::{Origin, Piece},
    pipeline, profile,
    scope::Scope,
    snapshot::{SNAPSHOT_VERSION, SettingsPrompt, Snapshot},
    trust::Trust,
    turn::Turn,
    variable::{RecordedVariables, source::NoSource},
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
    let mut snapshot = Snapshot {
        version: SNAPSHOT_VERSION,
        turn: Turn { cwd: "/work".into(), counter: "estimate:bytes4".into(), ..Turn::default() },
        profile: profile::build(&[raw], &[], &mut |_, path| Err(path.to_owned())).unwrap().into(),
        stack: Stack(vec![project]),
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
    pipeline::run(&mut snapshot, &mut NoSource).unwrap().text
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
