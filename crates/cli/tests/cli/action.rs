//! `action.yml` and `.pre-commit-hooks.yaml`: what they run, with the program that was built.

use crate::sandbox::Sandbox;
use preface_engine::core::skill::frontmatter;
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn yaml(file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(file)).expect("a file of the repository")
}

/// Runs a script in the working directory with `preface` on PATH.
fn bash(sandbox: &Sandbox, script: &str, env: &[(String, String)]) -> Output {
    let program =
        Path::new(env!("CARGO_BIN_EXE_preface")).parent().expect("a directory").display().to_string();
    Command::new("bash")
        .args(["-c", script])
        .current_dir(sandbox.path("work"))
        .env_clear()
        .env("HOME", sandbox.path("home"))
        .env("PATH", format!("{program}:/usr/local/bin:/usr/bin:/bin"))
        .envs(env.iter().cloned())
        .output()
        .expect("bash runs")
}

/// Runs the steps of the action with some inputs, the others as they are by default.
fn action(sandbox: &Sandbox, given: &[(&str, &str)]) -> Output {
    let action = frontmatter::read(&yaml("action.yml")).expect("the action is YAML");
    let inputs = action["inputs"].as_object().expect("inputs");
    assert!(given.iter().all(|(name, _)| inputs.contains_key(*name)), "{given:?}");
    let [step] = action["runs"]["steps"].as_array().expect("steps").as_slice() else { panic!("one step") };
    let env: Vec<(String, String)> = step["env"]
        .as_object()
        .expect("variables")
        .iter()
        .map(|(name, value)| {
            let value = value.as_str().expect("a text");
            let input = value.strip_prefix("${{ inputs.").and_then(|rest| rest.strip_suffix(" }}"));
            let input = input.expect("each variable is an input, so that no script is made of one");
            let given = given.iter().find(|(name, _)| *name == input).map(|(_, value)| *value);
            let default = || inputs[input]["default"].as_str().expect("a default");
            (name.clone(), given.unwrap_or_else(default).to_owned())
        })
        .collect();
    let script = step["run"].as_str().expect("a script");
    assert!(!script.contains("${{"), "{script}");
    bash(sandbox, script, &env)
}

fn shown(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), output.stderr.as_slice()].concat()).into_owned()
}

#[test]
fn the_action_checks_the_repository_with_a_policy_and_a_lock_file() {
    let sandbox = Sandbox::empty();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let output = action(&sandbox, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    sandbox.run("preface build --trust once --lock prompt.lock").exits(0);
    let locked = [("lock", "prompt.lock"), ("directory", ".")];
    let output = action(&sandbox, &locked);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));

    sandbox.work("AGENTS.md", "Use\u{200b} tabs.\n");
    let output = action(&sandbox, &[]);
    assert_eq!(output.status.code(), Some(4), "{}", shown(&output));
    assert!(shown(&output).contains("AGENTS.md:1:4"), "{}", shown(&output));
    let output = action(&sandbox, &[("deny", "error")]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    sandbox.work("policy.json", r#"{"lint": {"ignore": {"hidden/character": ["AGENTS.md"]}}}"#);
    let policy = ("policy", "policy.json");
    let output = action(&sandbox, &[policy]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let output = action(&sandbox, &[policy, locked[0]]);
    assert_eq!(output.status.code(), Some(6), "{}", shown(&output));
}

#[test]
fn the_pre_commit_hook_checks_the_repository() {
    let hooks = frontmatter::read(&format!("hooks:\n{}", yaml(".pre-commit-hooks.yaml"))).expect("YAML");
    let Value::Array(hooks) = &hooks["hooks"] else { panic!("a list") };
    let sandbox = Sandbox::empty();
    for (text, code) in [("Use tabs.\n", 0), ("Use\u{200b} tabs.\n", 4)] {
        sandbox.work("sub/CLAUDE.md", text);
        for hook in hooks {
            assert_eq!(hook["pass_filenames"], false, "files of a commit are no arguments");
            let output = bash(&sandbox, hook["entry"].as_str().expect("a command"), &[]);
            assert_eq!(output.status.code(), Some(code), "{}", shown(&output));
        }
    }
}
