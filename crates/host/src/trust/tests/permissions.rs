//! What a project may do.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn command(system: &MemorySystem, argv: &[&str], cwd: &str) -> Result<Permission, TrustError> {
    let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
    let env = BTreeMap::from([("B".to_owned(), "${TOKEN}".to_owned()), ("A".to_owned(), String::new())]);
    let words =
        CommandWords { subject: "hooks/check", argv: &argv, cwd: Path::new(cwd), env: &env, directory: None };
    CheckedCommand::check(system, root(), &words).map(|command| command.permission)
}

fn told(report: &TrustReport) -> Vec<&str> {
    report.change.permissions.iter().map(|permission| permission.subject.as_str()).collect()
}

/// The files of a command, without their digests.
fn files(permission: &Permission) -> Vec<&str> {
    let PermissionAction::Command { files, .. } = &permission.action else {
        panic!("a command: {permission:?}")
    };
    files.iter().map(|file| file.path.as_str()).collect()
}

fn project() -> MemorySystem {
    MemorySystem::new()
        .with_file("/work/check.js", "1")
        .with_file("/work/hooks/run.sh", "2")
        .with_file("/work/node", "3")
        .with_file("/other/x", "4")
        .with_link("/work/alias.js", "check.js")
        .with_link("/work/out", "/other")
        .with_link("/work/nowhere", "none")
        .with_link("/other/in", "/work/check.js")
}

#[test]
fn every_word_that_is_a_file_of_the_project_is_pinned() {
    let system = project();
    for (argv, cwd, expected) in [
        (&["node", "check.js"][..], "", &["check.js"][..]),
        (&["node", "check.js", "./check.js", "/work/check.js", "--x"], "/work", &["check.js"]),
        (&["node", "../check.js", "run.sh"], "hooks", &["check.js", "hooks/run.sh"]),
        (&["/work/hooks/run.sh", "-"], "", &["hooks/run.sh"]),
        (&["./node"], "", &["node"]),
        (&["node"], "", &[]),
        (&["node", "node"], "", &["node"]),
        (&["sh", "alias.js", "/other/in"], "", &["check.js"]),
        (&["sh", "/other/x", "../other/x", "..", ".", "", "hooks", "none", "nowhere"], "", &[]),
        (&["sh", "-c", &"long ".repeat(2000)], "", &[]),
    ] {
        let permission = command(&system, argv, cwd).expect("it can be pinned");
        assert_eq!(files(&permission), expected, "{argv:?}");
    }
    let permission = command(&system, &["node", "../check.js"], "/work/hooks").expect("it can be pinned");
    let digest = Digest::of(b"1");
    assert_eq!(
        permission.action,
        PermissionAction::Command {
            argv: vec!["node".into(), "../check.js".into()],
            cwd: "hooks".into(),
            env: BTreeMap::from([("A".into(), String::new()), ("B".into(), "${TOKEN}".into())]),
            files: vec![PinnedFile { path: "check.js".into(), digest }],
            directory: None,
        }
    );
}

#[test]
fn what_cannot_be_pinned_is_told() {
    let system = project()
        .with_file("/work/huge", vec![0; (16 << 20) + 1])
        .with_unreadable("/work/secret")
        .with_special("/work/pipe");
    for word in ["huge", "secret", "pipe", "out/x", "out/none", "hooks/../out/x"] {
        let error = command(&system, &["sh", word], "").expect_err(word);
        assert_eq!(error.code().as_str(), "trust/entry-invalid");
        assert!(error.to_string().contains("cannot be pinned"), "{error}");
    }
    for cwd in ["/", "/other", "..", "out", "none", "check.js/x"] {
        assert!(command(&system, &["sh"], cwd).is_err(), "{cwd}");
    }
}

#[test]
fn a_permit_is_bound_to_all_that_it_says() {
    let system = project();
    let granted = command(&system, &["node", "check.js"], "").expect("a permit");
    let records = load_any(&system);
    assert_eq!(records.root(root()).permission_state(&granted), GrantState::New);
    let report = store(&system).grant_permissions(root(), std::slice::from_ref(&granted)).expect("granted");
    assert_eq!(report.change.permissions, std::slice::from_ref(&granted));
    let approved = AuditEvent::Approval {
        canonical_path: ROOT.into(),
        decision: "granted".into(),
        subjects: vec!["hooks/check".into()],
    };
    assert_eq!(report.audit, [approved]);

    let permissions = load(&system).root(root());
    assert_eq!(permissions.permission_state(&granted), GrantState::Granted);
    let with = |change: fn(&mut Permission)| {
        let mut other = granted.clone();
        change(&mut other);
        permissions.permission_state(&other)
    };
    assert_eq!(with(|permission| permission.subject = "hooks/other".into()), GrantState::New);
    assert_eq!(with(|permission| permission.action = endpoint("", "x").action), GrantState::Changed);
    let changes: [fn(&mut Permission); 9] = [
        |permission| parts(permission).0.push("--force".into()),
        |permission| parts(permission).0[0] = "/usr/bin/node".into(),
        |permission| *parts(permission).1 = "hooks".into(),
        |permission| drop(parts(permission).2.insert("B".into(), "${OTHER}".into())),
        |permission| drop(parts(permission).2.insert("C".into(), String::new())),
        |permission| drop(parts(permission).2.pop_last()),
        |permission| parts(permission).3[0].digest = Digest::of(b"other"),
        |permission| parts(permission).3[0].path = "other.js".into(),
        |permission| parts(permission).3.clear(),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        assert_eq!(with(change), GrantState::Changed, "change {index}");
    }

    system.put_file("/work/check.js", "edited");
    let edited = command(&system, &["node", "check.js"], "").expect("a permit");
    assert_eq!(permissions.permission_state(&edited), GrantState::Changed);
    assert_eq!(permissions.latest_permission("hooks/check"), Some(&granted));
    store(&system).grant_permissions(root(), std::slice::from_ref(&edited)).expect("granted");
    let permissions = load(&system).root(root());
    assert_eq!(permissions.permission_state(&edited), GrantState::Granted);
    assert_eq!(permissions.permission_state(&granted), GrantState::Granted, "after switching branches");
    assert_eq!(permissions.latest_permission("hooks/check"), Some(&edited));
}

type Parts<'a> =
    (&'a mut Vec<String>, &'a mut String, &'a mut BTreeMap<String, String>, &'a mut Vec<PinnedFile>);

fn parts(permission: &mut Permission) -> Parts<'_> {
    let PermissionAction::Command { argv, cwd, env, files, .. } = &mut permission.action else {
        panic!("a command")
    };
    (argv, cwd, env, files)
}

#[test]
fn a_permit_of_one_project_says_nothing_in_another() {
    let system = MemorySystem::new();
    let permission = endpoint("mcp/a", "https://a");
    store(&system).grant_permissions(root(), std::slice::from_ref(&permission)).expect("granted");
    let records = load(&system);
    for root in ["/work/a", "/", "/workshop", "/other", "/tree"] {
        let permissions = records.root(Path::new(root));
        assert!(permissions.latest_permission("mcp/a").is_none(), "{root}");
        assert_eq!(permissions.permission_state(&permission), GrantState::New);
    }
    assert_eq!(records.root(root()).permission_state(&permission), GrantState::Granted);
    let report = store(&system)
        .grant_permissions(Path::new("/tree"), std::slice::from_ref(&permission))
        .expect("granted");
    assert_eq!(
        report.change.permissions,
        std::slice::from_ref(&permission),
        "it was not granted there before"
    );

    store(&system).grant_permissions(Path::new("/tree"), &[endpoint("mcp/b", "https://b")]).expect("granted");
    let report = store(&system).revoke_permissions(root()).expect("revoked");
    assert_eq!(told(&report), ["mcp/a"]);
    let report = store(&system).revoke_permissions(Path::new("/tree")).expect("revoked");
    assert_eq!(told(&report), ["mcp/a", "mcp/b"]);
    assert_eq!(load(&system).list(), [], "a record that says nothing goes");
}

#[test]
fn a_permit_is_no_grant_of_a_text_and_a_text_no_permit() {
    let system = MemorySystem::new();
    store(&system).grant_permissions(root(), &[endpoint("mcp/a", "https://a")]).expect("granted");
    let records = load(&system);
    assert_eq!(records.root(root()).trust(), Trust::Untrusted);
    assert!(!records.root(root()).is_whole());
    store(&system).grant_pins(root(), &[text("a", "1")], None).expect("granted");
    store(&system).revoke_permissions(root()).expect("revoked");
    assert_eq!(state(&load(&system).root(root()), "a", "1"), GrantState::Granted);
    store(&system).grant_permissions(root(), &[endpoint("mcp/a", "https://a")]).expect("granted");
    let path = text("a", "").path;
    store(&system).revoke_pins(root(), Some(&[path])).expect("revoked");
    assert!(load(&system).root(root()).latest_permission("mcp/a").is_some(), "one text is one text");
    let report = store(&system).revoke_pins(root(), None).expect("revoked");
    assert_eq!(told(&report), ["mcp/a"], "everything is everything");
    assert!(load(&system).root(root()).latest_permission("mcp/a").is_none());
}

#[test]
fn repeating_changes_nothing() {
    let system = MemorySystem::new();
    let both = [endpoint("mcp/a", "https://a"), endpoint("mcp/b", "https://b")];
    store(&system).grant_permissions(root(), &both).expect("granted");
    let before = content(&system);
    system.set_now(at("2028-01-01T00:00:00Z"));
    let report = store(&system).grant_permissions(root(), &both).expect("granted");
    assert!(!report.change.recorded && report.audit.is_empty());
    assert_eq!(report.change.unchanged_permissions, both);
    assert_eq!(content(&system), before);

    let report = store(&system).revoke_permissions(root()).expect("revoked");
    assert_eq!(told(&report), ["mcp/a", "mcp/b"]);
    let report = store(&system).revoke_permissions(root()).expect("revoked");
    assert_eq!((told(&report), report.audit.len()), (vec![], 0));
    assert!(
        store(&MemorySystem::new()).revoke_permissions(root()).is_ok(),
        "without a store there is nothing to revoke"
    );
}

#[test]
fn the_file_is_documented() {
    let system = project();
    let logger =
        Permission { subject: "loggers/l".into(), action: PermissionAction::Writes { path: "l.log".into() } };
    let permissions = [
        endpoint("mcp/m", "https://m"),
        logger,
        command(&system, &["node", "check.js"], "").expect("a permit"),
    ];
    store(&system).grant_permissions(root(), &permissions).expect("granted");
    assert_eq!(
        content(&system),
        format!(
            r#"{{
  "version": 1,
  "roots": {{
    "/work": {{
      "at": "2026-01-02T03:04:05Z",
      "commands": [
        {{
          "subject": "hooks/check",
          "argv": [
            "node",
            "check.js"
          ],
          "cwd": ".",
          "env": {{
            "A": "",
            "B": "${{TOKEN}}"
          }},
          "files": [
            {{
              "path": "check.js",
              "digest": "{}"
            }}
          ]
        }},
        {{
          "subject": "loggers/l",
          "writes": "l.log"
        }},
        {{
          "subject": "mcp/m",
          "url": "https://m"
        }}
      ]
    }}
  }}
}}"#,
            Digest::of(b"1")
        )
    );
}

#[test]
fn a_listing_shows_what_stands() {
    let system = MemorySystem::new();
    let permission = endpoint("mcp/a", "https://a");
    store(&system).grant_permissions(root(), std::slice::from_ref(&permission)).expect("granted");
    store(&system).grant_whole(key(), &whole_files(b"")).expect("granted");
    store(&system).grant_permissions(key(), std::slice::from_ref(&permission)).expect("granted");
    let rows = load(&system).list();
    let told: Vec<_> =
        rows.iter().map(|row| (row.path.as_str(), row.trust, row.permissions.as_slice())).collect();
    let permissions = std::slice::from_ref(&permission);
    assert_eq!(told, [(ROOT, Trust::Trusted, permissions), (KEY, Trust::Trusted, permissions)]);
    assert_eq!(
        serde_json::to_value(&rows[0]).expect("JSON")["permissions"],
        serde_json::json!([{"subject": "mcp/a", "url": "https://a"}])
    );
    store(&system).decline(key(), None).expect("revoked");
    let rows = load(&system).list();
    assert_eq!((rows[1].trust, rows[1].permissions.len()), (Trust::Declined, 0));
}

#[test]
fn a_store_inside_of_the_project_permits_nothing() {
    let inside = "/work/.stud/trust.json";
    let file = r#"{"version": 1, "roots": {"/work": {"at": "2026-01-01T00:00:00Z",
        "commands": [{"subject": "mcp/a", "url": "https://a"}]}}}"#;
    let system = MemorySystem::new().with_file(inside, file).with_mode(inside, 0o600);
    let store = TrustStore::at(&system, inside.into());
    assert!(store.load(&mut Vec::new()).root(root()).latest_permission("mcp/a").is_none());
    let error = store.grant_permissions(root(), &[endpoint("mcp/a", "https://a")]).expect_err("inside");
    assert_eq!(error.code().as_str(), "trust/scope-violation");
}

#[test]
fn nothing_is_hidden_from_people() {
    let permission =
        command(&project(), &["sh", "-c", "it's\n\u{202e}x", "", "~", "check.js"], "hooks/..").expect("fine");
    let digest = Digest::of(b"1");
    let shown = |permission: &Permission| -> Vec<String> {
        permission.lines().iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        shown(&permission),
        [
            r"runs sh -c 'it'\''s\u{a}\u{202e}x' '' '~' check.js",
            "in .",
            "with A=''",
            "with B='${TOKEN}'",
            &format!("file check.js {digest}"),
            "whatever else sh reads, loads or starts is not pinned",
        ]
    );
    assert_eq!(shown(&endpoint("mcp/a", "https://a/?b")), ["connects to 'https://a/?b'"]);
    let long = "x".repeat(5000);
    let writes =
        Permission { subject: "loggers/x".into(), action: PermissionAction::Writes { path: long.clone() } };
    assert_eq!(shown(&writes)[0], format!("writes {long}"), "all of it");
}

fn load_any(system: &MemorySystem) -> Records {
    store(system).load(&mut Vec::new())
}

#[derive(Clone, Debug)]
enum PermissionStep {
    Clock(i64),
    Whole(usize, bool),
    Permit(usize, usize, u8),
    Forbid(usize),
    Pin(usize),
    Unpin(usize),
}

const SUBJECTS: [&str; 2] = ["mcp/a", "hooks/b"];
const ROOTS: [&str; 3] = ["/a", "/a/b", "/c"];

fn step() -> impl Strategy<Value = PermissionStep> {
    prop_oneof![
        (-100_000_000_i64..100_000_000).prop_map(PermissionStep::Clock),
        (0..3_usize, any::<bool>()).prop_map(|(root, yes)| PermissionStep::Whole(root, yes)),
        (0..3_usize, 0..2_usize, 0..3_u8)
            .prop_map(|(root, name, url)| PermissionStep::Permit(root, name, url)),
        (0..3_usize).prop_map(PermissionStep::Forbid),
        (0..3_usize).prop_map(PermissionStep::Pin),
        (0..3_usize).prop_map(PermissionStep::Unpin),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_last_operation_wins(steps in proptest::collection::vec(step(), 1..40)) {
        let system = MemorySystem::new();
        let start = system.now();
        let mut granted: BTreeSet<(usize, usize, u8)> = BTreeSet::new();
        let mut whole: BTreeSet<usize> = BTreeSet::new();
        for step in steps {
            let store = store(&system);
            match step {
                PermissionStep::Clock(skew) => system.set_now(start + SignedDuration::from_millis(skew)),
                PermissionStep::Whole(root, true) => {
                    store.grant_whole(Path::new(ROOTS[root]), &whole_files(b"")).expect("granted");
                    whole.insert(root);
                }
                PermissionStep::Whole(root, false) => {
                    store.decline(Path::new(ROOTS[root]), None).expect("revoked");
                    // What a project may do goes with the grant of the whole.
                    if whole.remove(&root) {
                        granted.retain(|(other, ..)| *other != root);
                    }
                }
                PermissionStep::Permit(root, name, url) => {
                    let permission = endpoint(SUBJECTS[name], &url.to_string());
                    store.grant_permissions(Path::new(ROOTS[root]), &[permission]).expect("granted");
                    granted.insert((root, name, url));
                }
                PermissionStep::Forbid(root) => {
                    store.revoke_permissions(Path::new(ROOTS[root])).expect("revoked");
                    granted.retain(|(other, ..)| *other != root);
                }
                PermissionStep::Pin(root) => {
                    store.grant_pins(Path::new(ROOTS[root]), &[text("a", "1")], None).expect("granted");
                }
                PermissionStep::Unpin(root) => {
                    store.revoke_pins(Path::new(ROOTS[root]), None).expect("revoked");
                    whole.remove(&root);
                    granted.retain(|(other, ..)| *other != root);
                }
            }
            let records = load_any(&system);
            for (root, path) in ROOTS.iter().enumerate() {
                let permissions = records.root(Path::new(path));
                for (name, url) in (0..2).flat_map(|name| (0..3_u8).map(move |url| (name, url))) {
                    let stands = permissions.permission_state(&endpoint(SUBJECTS[name], &url.to_string())) == GrantState::Granted;
                    prop_assert_eq!(stands, granted.contains(&(root, name, url)));
                }
            }
        }
    }
}

#[test]
fn words_are_shown_as_they_are_granted() {
    let token = |last: &str| format!("ghp_{}{last}", "a1B2".repeat(8));
    let permission = |token: &str| Permission {
        subject: "mcp/git".to_owned(),
        action: PermissionAction::Command {
            argv: ["npx", "--token", token].map(str::to_owned).to_vec(),
            cwd: ".".to_owned(),
            env: [("TOKEN", token), ("MODE", "fast")].map(|(name, value)| (name.into(), value.into())).into(),
            files: Vec::new(),
            directory: None,
        },
    };
    let (first, second) = (permission(&token("x")), permission(&token("y")));
    let words = token("x");
    let shown: Vec<String> = first.lines().iter().map(ToString::to_string).collect();
    assert_eq!(
        shown[..4],
        [
            format!("runs npx --token {words}"),
            "in .".to_owned(),
            "with MODE=fast".to_owned(),
            format!("with TOKEN={words}"),
        ]
    );
    let json = serde_json::to_value(&first).expect("JSON");
    assert_eq!(json["argv"], serde_json::json!(["npx", "--token", words]));
    assert_eq!(json["env"], serde_json::json!({"MODE": "fast", "TOKEN": words}));
    assert_ne!(first, second);
    assert_ne!(first.lines()[0], second.lines()[0], "another token is another line");

    let system = project();
    store(&system).grant_permissions(root(), std::slice::from_ref(&first)).expect("granted");
    let permissions = store(&system).load(&mut Vec::new()).root(root());
    assert_eq!(permissions.permission_state(&first), GrantState::Granted);
    assert_eq!(permissions.permission_state(&second), GrantState::Changed);
}
