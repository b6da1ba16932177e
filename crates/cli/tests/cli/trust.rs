//! `preface trust`

use crate::sandbox::{BARE, Sandbox};

#[test]
fn a_text_is_held_granted_changed_and_revoked() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    sandbox.run("preface trust status").exits(0).says("").prints(
        "\
[ROOT]/work  each text by its content
  new  10 bytes  AGENTS.md
1 new; 1 held.
`preface trust diff` shows what a grant would add, `preface trust grant` adds it.
grants are kept in ~/.local/state/preface/trust.json
",
    );
    sandbox
        .run("preface trust diff")
        .exits(0)
        .prints("--- /dev/null\n+++ b/AGENTS.md\n@@ -0,0 +1 @@\n+Use tabs.\n");
    sandbox
        .run("preface trust grant")
        .exits(0)
        .says("")
        .prints("Granted in [ROOT]/work:\n  10 bytes  AGENTS.md\n");
    sandbox
        .run("preface trust grant --yes")
        .exits(0)
        .prints("1 text was granted before already in [ROOT]/work.\n");
    sandbox.run("preface trust status").exits(0).prints(
        "\
[ROOT]/work  each text by its content
  granted  10 bytes  AGENTS.md
1 granted; nothing is held.
grants are kept in ~/.local/state/preface/trust.json
",
    );
    sandbox.run("preface trust diff").exits(0).prints("");

    sandbox.work("AGENTS.md", "Use taps.\n");
    sandbox.run("preface build -q").exits(0).prints(BARE);
    sandbox
        .run("preface trust diff")
        .exits(0)
        .prints("--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1 +1 @@\n-Use tabs.\n+Use taps.\n");
    let status = sandbox.run("preface trust status --format json").exits(0).json();
    assert_eq!((&status["texts"][0]["state"], &status["held"]), (&"changed".into(), &true.into()));
    sandbox.run("preface trust grant").exits(0);
    let ran = sandbox.run("preface build").exits(0);
    assert_eq!(ran.stdout, "You help.\n\n## AGENTS.md\n\nUse taps.\n\nIt is 2026-03-07.");

    sandbox.run("preface trust revoke").exits(0).prints("Revoked 1 text in [ROOT]/work:\n  AGENTS.md\n");
    sandbox.run("preface trust revoke").exits(0).prints("Nothing was granted in [ROOT]/work.\n");
    sandbox.run("preface build -q").exits(0).prints(BARE);
}

#[test]
fn single_files_are_granted_by_name() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n").work("CLAUDE.md", "Be brief.\n");
    sandbox
        .run("preface trust grant CLAUDE.md")
        .exits(0)
        .prints("Granted in [ROOT]/work:\n  10 bytes  CLAUDE.md\nheld still: AGENTS.md\n");
    sandbox
        .run("preface build -q")
        .exits(0)
        .prints("You help.\n\n## CLAUDE.md\n\nBe brief.\n\nIt is 2026-03-07.");
    sandbox.run("preface trust grant nowhere.md").exits(2).prints("").says(
        "\
error: nothing that a build uses lies at `nowhere.md`
hint: `preface trust status` lists what a build uses
",
    );
    sandbox
        .run("preface trust revoke CLAUDE.md")
        .exits(0)
        .prints("Revoked 1 text in [ROOT]/work:\n  CLAUDE.md\n");
}

#[test]
fn what_was_decided_is_listed() {
    let sandbox = Sandbox::new();
    sandbox.run("preface trust list").exits(0).prints("You decided about no project yet.\n");
    sandbox.work("AGENTS.md", "Use tabs.\n");
    sandbox.run("preface trust grant").exits(0);
    let ran = sandbox.run("preface trust list").exits(0);
    let words: Vec<&str> = ran.stdout.split_whitespace().collect();
    assert_eq!((words[0], &words[2..]), ("trusted", &["1", "text", "[ROOT]/work"][..]));
    let rows = sandbox.run("preface trust list --format json").exits(0).json();
    assert_eq!(rows[0]["texts"][0]["path"], "AGENTS.md");
}

#[test]
fn a_profile_can_trust_a_project_as_a_whole() {
    let sandbox = Sandbox::empty();
    sandbox.work(".stud/system.md", "Use tabs.\n");
    sandbox.run("preface build --preset stud --trust require").exits(3);
    let ran = sandbox.run("preface trust status --preset stud").exits(0);
    assert!(ran.stdout.starts_with("[ROOT]/work/.stud  untrusted  as a whole\n"), "{}", ran.stdout);
    sandbox.run("preface trust grant --preset stud").exits(0);
    sandbox.run("preface build --preset stud --trust require").exits(0);
    sandbox.run("preface trust diff --preset stud").exits(1).prints("");
    let ran = sandbox.run("preface trust revoke --preset stud").exits(0);
    assert_eq!(ran.stdout, "[ROOT]/work/.stud is no longer trusted.\n");
    sandbox.run("preface build --preset stud --trust require").exits(3);
}

#[cfg(unix)]
#[test]
fn the_store_is_the_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    sandbox.run("preface trust grant").exits(0);
    let mode = |path: &str| {
        let path = sandbox.path("home/.local/state/preface").join(path);
        std::fs::metadata(path).expect("it was written").permissions().mode() & 0o777
    };
    assert_eq!((mode("trust.json"), mode("")), (0o600, 0o700));
}

/// Makes a repository with a commit on a branch, as its files lie on the disk.
fn repository(sandbox: &Sandbox, dir: &str, branch: &str) {
    sandbox.work(&format!("{dir}.git/HEAD"), format!("ref: refs/heads/{branch}\n"));
    sandbox.work(&format!("{dir}.git/refs/heads/{branch}"), "0123456789012345678901234567890123456789\n");
    sandbox.work(&format!("{dir}.git/objects/pack/empty"), "");
}

#[cfg(unix)]
#[test]
fn a_grant_shows_links_the_branch_and_hidden_text() {
    let sandbox = Sandbox::new();
    repository(&sandbox, "", "main");
    sandbox.work("docs/x.md", "Use tabs.\n");
    std::os::unix::fs::symlink("docs/x.md", sandbox.path("work/AGENTS.md")).expect("a link");
    sandbox.run("preface trust grant").exits(0).says("").prints(
        "\
Granted in [ROOT]/work:
  10 bytes  AGENTS.md
  branch main
  AGENTS.md -> docs/x.md
  branch main, granted
",
    );
    sandbox.work("docs/x.md", "Use\u{200b} tabs.\n");
    sandbox.run("preface trust status").exits(0).says("").prints(
        "\
[ROOT]/work  each text by its content
  changed  13 bytes  AGENTS.md
1 changed; 1 held.
`preface trust diff` shows what a grant would add, `preface trust grant` adds it.
  AGENTS.md -> docs/x.md
  AGENTS.md:1: zero-width characters: U+200B
  branch main, granted
grants are kept in ~/.local/state/preface/trust.json
",
    );
    sandbox.run("preface trust grant").exits(1);
    sandbox.run("preface build --trust require").exits(3);
    sandbox.run("preface trust grant --allow-hidden").exits(0);
    sandbox.run("preface build --trust require -q").exits(0);
}

#[cfg(unix)]
#[test]
fn a_directory_that_claims_a_trusted_repository_has_no_grant() {
    let sandbox = Sandbox::new();
    repository(&sandbox, "trusted/", "main");
    sandbox.work("trusted/AGENTS.md", "Use tabs.\n").work("x/AGENTS.md", "Use tabs.\n");
    sandbox.run("preface trust grant -C trusted").exits(0);
    sandbox.run("preface build -C trusted --trust require -q").exits(0);
    sandbox.work("x/.git", "gitdir: ../trusted/.git\n");
    sandbox.run("preface build -C x --trust require").exits(3);
    std::fs::remove_file(sandbox.path("work/x/.git")).expect("removed");
    std::os::unix::fs::symlink("../trusted/.git", sandbox.path("work/x/.git")).expect("a link");
    sandbox.run("preface build -C x --trust require").exits(3);
}

#[cfg(unix)]
#[test]
fn a_store_that_others_can_write_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    sandbox.run("preface trust grant").exits(0);
    let store = sandbox.path("home/.local/state/preface/trust.json");
    std::fs::set_permissions(&store, std::fs::Permissions::from_mode(0o666)).expect("changed");
    sandbox.run("preface build --trust require").exits(3);
    sandbox.run("preface trust grant").exits(1);
}

/// A program of the project starts from a copy: an extension with all of its directory, any other script alone.
#[test]
fn a_granted_program_starts_from_a_copy_and_status_shows_it() {
    let sandbox = Sandbox::empty().env("PATH", &std::env::var("PATH").unwrap_or_default());
    let manifest = |id: &str, command: &str| {
        format!(
            r#"{{"id": "{id}", "category": "contextProviders", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", "command": {command}}}"#
        )
    };
    let dir = ".preface/extensions/contextProviders";
    let script = "pwd\n. \"$(dirname \"$0\")/lib.sh\"\n";
    sandbox
        .work(
            &format!("{dir}/whole/manifest.json"),
            manifest("whole", &format!(r#"["sh", "{dir}/whole/run.sh"]"#)),
        )
        .work(&format!("{dir}/whole/run.sh"), script)
        .work(&format!("{dir}/whole/lib.sh"), "echo WHOLE-RAN\n")
        .work(&format!("{dir}/single/manifest.json"), manifest("single", r#"["sh", "tools/facts.sh"]"#))
        .work("tools/facts.sh", script)
        .work("tools/lib.sh", "echo SINGLE-RAN\n");
    sandbox.run("preface trust grant").exits(0);
    let state = |sandbox: &Sandbox| {
        let status = sandbox.run("preface trust status --format json").exits(0).json();
        let permissions = status["permissions"].as_array().expect("a list").clone();
        permissions
            .into_iter()
            .map(|one| (one["state"].clone(), one["not_pinned"].clone()))
            .collect::<Vec<_>>()
    };
    assert!(state(&sandbox).iter().all(|(state, _)| state == "new"));
    let granted = sandbox.run("preface trust grant --allow-commands").exits(0).stdout;
    let all = format!("all of {dir}/whole blake3:");
    let alone = "starts with a copy of tools/facts.sh: modules and files beside it are not available";
    assert!(granted.contains(&all) && granted.contains(alone), "{granted}");
    assert!(state(&sandbox).iter().all(|(state, lines)| state == "granted" && lines.is_array()));
    let status = sandbox.run("preface trust status").exits(0).stdout;
    assert!(status.contains("contextProviders/whole  granted") && status.contains(alone), "{status}");
    let built = sandbox.run("preface build -v");
    assert!(built.stdout.contains("WHOLE-RAN") && !built.stdout.contains("SINGLE-RAN"), "{}", built.stdout);
    assert!(built.stdout.contains("[ROOT]/work\n"), "it works in the project: {}", built.stdout);
    let beside = "modules and files beside tools/facts.sh are not available";
    assert!(built.stderr.contains(beside), "{}", built.stderr);
    sandbox.work(&format!("{dir}/whole/lib.sh"), "echo OTHER-RAN\n");
    assert!(!sandbox.run("preface build").stdout.contains("-RAN"));
    assert!(state(&sandbox).iter().any(|(state, _)| state == "changed"));
}
