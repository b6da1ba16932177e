//! Grants of single texts.

use super::*;

#[test]
fn a_grant_is_for_a_path_and_its_contents() {
    let system = MemorySystem::new();
    assert!(store(&system).load(&mut Vec::new()).root(root()).texts().next().is_none());
    let texts = [text("AGENTS.md", "one"), text("a/b.md", "two"), text("/AGENTS.md", "three")];
    let report = store(&system).grant_pins(root(), &texts, None).expect("granted");
    assert_eq!(report.change.texts.len(), 3);
    assert_eq!(report.audit, [AuditEvent::ProjectTrusted { canonical_path: ROOT.into() }]);
    let pins = load(&system).root(root());
    assert!(pins.texts().next().is_some());
    assert_eq!(state(&pins, "AGENTS.md", "one"), GrantState::Granted);
    assert_eq!(state(&pins, "AGENTS.md", "two"), GrantState::Changed, "bound to the path too");
    assert_eq!(state(&pins, "CLAUDE.md", "one"), GrantState::New);
    assert_eq!(state(&pins, "/AGENTS.md", "three"), GrantState::Granted);
    for other in ["/", "/work/a", "/workshop", "/elsewhere"] {
        assert!(
            load(&system).root(Path::new(other)).texts().next().is_none(),
            "{other}: nothing is inherited"
        );
    }
}

#[test]
fn a_digest_stays_granted_until_revoked() {
    let system = MemorySystem::new();
    for version in ["one", "two", "one"] {
        store(&system).grant_pins(root(), &[text("AGENTS.md", version)], None).expect("granted");
    }
    let pins = load(&system).root(root());
    assert_eq!(state(&pins, "AGENTS.md", "one"), GrantState::Granted, "after switching branches");
    assert_eq!(state(&pins, "AGENTS.md", "two"), GrantState::Granted);
    let path = PinPath::parse("AGENTS.md").expect("a good name");
    assert_eq!(pins.versions(&path).last().map(|pinned| pinned.digest), Some(Digest::of(b"two")));
    for version in ["one", "two"] {
        let digest = Digest::of(version.as_bytes());
        assert_eq!(store(&system).copy(&digest).as_deref(), Some(version.as_bytes()));
    }

    let report = store(&system).revoke_pins(root(), Some(std::slice::from_ref(&path))).expect("revoked");
    assert_eq!(report.change.texts, [path]);
    let pins = load(&system).root(root());
    assert!(pins.texts().next().is_none());
    assert_eq!(state(&pins, "AGENTS.md", "one"), GrantState::New);
    assert_eq!(store(&system).copy(&Digest::of(b"one")), None, "copies go with the last record");
}

#[test]
fn repeating_a_grant_changes_nothing_but_heals_the_copy() {
    let system = MemorySystem::new();
    let texts = [text("a", "1"), text("a", "1"), text("b", "1")];
    let first = store(&system).grant_pins(root(), &texts, None).expect("granted");
    assert_eq!((first.change.texts.len(), first.change.unchanged.len()), (2, 0));
    let before = content(&system);
    let copy = format!("/home/user/.config/x/trust.d/{}", Digest::of(b"1").hex());
    for damage in [None, Some("damaged")] {
        system.cut(&copy);
        if let Some(damage) = damage {
            system.put_file(&copy, damage);
        }
        assert_eq!(store(&system).copy(&Digest::of(b"1")), None, "a copy is what its name says");
        system.set_now(at("2028-01-01T00:00:00Z"));
        let again = store(&system).grant_pins(root(), &texts, None).expect("granted");
        assert_eq!((again.change.texts.len(), again.change.unchanged.len()), (0, 2));
        assert_eq!(content(&system), before);
        assert_eq!(store(&system).copy(&Digest::of(b"1")).as_deref(), Some(&b"1"[..]));
    }
    let steps = system.write_steps();
    store(&system).grant_pins(root(), &texts, None).expect("granted");
    assert_eq!(system.write_steps(), steps, "a whole copy is not written again");
}

#[test]
fn work_trees_of_one_repository_do_not_share() {
    let system = MemorySystem::new();
    let (main, other) = (Path::new("/work"), Path::new("/other"));
    store(&system).grant_pins(main, &[text("a", "1")], None).expect("granted");
    store(&system).grant_pins(main, &[], Some("x y")).expect("granted");
    assert!(load(&system).root(other).texts().next().is_none());
    let report = store(&system).grant_pins(other, &[text("a", "1"), text("a", "2")], None);
    assert_eq!(report.expect("granted").change.texts, [text("a", "1").path]);
    assert!(!load(&system).root(other).has_branch("x y"));
    assert_eq!(state(&load(&system).root(main), "a", "2"), GrantState::Changed);
    store(&system).revoke_pins(main, None).expect("revoked");
    assert_eq!(state(&load(&system).root(other), "a", "1"), GrantState::Granted, "it is another root's");
}

#[test]
fn a_branch_is_granted_beside_texts() {
    let system = MemorySystem::new();
    store(&system).grant_pins(root(), &[text("a", "1")], None).expect("granted");
    assert!(!load(&system).root(root()).has_branch("a b"), "a record without branches");
    for expected in [true, false] {
        let report = store(&system).grant_pins(root(), &[], Some("a b")).expect("granted");
        assert_eq!(report.change.recorded, expected);
    }
    let pins = load(&system).root(root());
    assert_eq!(pins.branches().collect::<Vec<_>>(), ["a b"]);
    let exported = RootRecord::from_export(pins.export().as_bytes()).expect("pins");
    assert!(exported.has_branch("a b") && !exported.has_branch("a"));
    assert_eq!(load(&system).list()[0].branches, ["a b"]);
    // It goes with the last text.
    store(&system).revoke_pins(root(), Some(&[text("a", "").path])).expect("revoked");
    assert!(!load(&system).root(root()).has_branch("a b"));
    // Also where the record stays for a permission.
    store(&system).grant_pins(root(), &[text("a", "1")], None).expect("granted");
    store(&system).grant_pins(root(), &[], Some("a b")).expect("granted");
    store(&system).grant_permissions(root(), &[endpoint("mcp/a", "https://a")]).expect("granted");
    store(&system).revoke_pins(root(), Some(&[text("a", "").path])).expect("revoked");
    store(&system).grant_pins(root(), &[text("b", "1")], None).expect("granted");
    assert!(!load(&system).root(root()).has_branch("a b"), "{}", content(&system));
}

#[test]
fn a_no_is_bound_to_what_was_shown() {
    let system = MemorySystem::new();
    store(&system).grant_pins(root(), &[text("a", "1")], None).expect("granted");
    let (shown, other) = (Digest::of(b"shown"), Digest::of(b"other"));
    let audit = store(&system).decline(root(), Some(shown)).expect("declined").audit;
    assert_eq!(audit, [AuditEvent::ProjectDeclined { canonical_path: ROOT.into() }]);
    let pins = load(&system).root(root());
    assert!(pins.declines(&shown) && !pins.declines(&other), "asked again when something changes");
    assert_eq!(state(&pins, "a", "1"), GrantState::Granted, "what was granted before stays");

    let before = content(&system);
    store(&system).decline(root(), Some(shown)).expect("declined");
    assert_eq!(content(&system), before, "history does not grow");

    store(&system).grant_pins(root(), &[text("a", "1")], None).expect("granted");
    assert_eq!(load(&system).root(root()).refused_at(), None, "a grant is the last word");
}

#[test]
fn a_no_without_any_grant_is_known() {
    let system = MemorySystem::new();
    let shown = Digest::of(b"shown");
    store(&system).decline(root(), Some(shown)).expect("declined");
    let records = load(&system);
    let pins = records.root(root());
    assert!(pins.declines(&shown));
    assert_eq!(pins.trust(), Trust::Declined);
    assert_eq!(records.list()[0].trust, Trust::Declined);
    store(&system).grant_pins(root(), &[text("a", "1")], None).expect("granted");
    let records = load(&system);
    assert!(!records.root(root()).declines(&shown), "a grant takes it back");
    assert_eq!(records.list().len(), 1, "{}", content(&system));
}

#[test]
fn the_file_is_documented() {
    let system = MemorySystem::new();
    store(&system).grant_pins(root(), &[text("b", "2"), text("a", "1")], None).expect("granted");
    store(&system).grant_pins(root(), &[], Some("main")).expect("granted");
    store(&system).decline(root(), Some(Digest::of(b""))).expect("declined");
    assert_eq!(
        content(&system),
        format!(
            r#"{{
  "version": 1,
  "roots": {{
    "/work": {{
      "at": "2026-01-02T03:04:05.002Z",
      "texts": {{
        "a": [
          {{
            "digest": "{}",
            "bytes": 1
          }}
        ],
        "b": [
          {{
            "digest": "{}",
            "bytes": 1
          }}
        ]
      }},
      "branches": [
        "main"
      ],
      "declined": {{
        "at": "2026-01-02T03:04:05.002Z",
        "contents": "{}"
      }}
    }}
  }}
}}"#,
            Digest::of(b"1"),
            Digest::of(b"2"),
            Digest::of(b""),
        )
    );
}

#[test]
fn a_listing_shows_what_stands() {
    let system = MemorySystem::new();
    store(&system).grant_pins(root(), &[text("a", "1")], None).expect("granted");
    store(&system).grant_whole(key(), &whole_files(b"")).expect("granted");
    store(&system).decline(key(), None).expect("revoked");
    let rows = serde_json::to_string_pretty(&load(&system).list()).expect("JSON");
    let digest = Digest::of(b"1");
    assert_eq!(
        rows,
        format!(
            r#"[
  {{
    "path": "/work",
    "mode": "pinned",
    "trust": "trusted",
    "at": "2026-01-02T03:04:05Z",
    "texts": [
      {{
        "path": "a",
        "digest": "{digest}",
        "bytes": 1
      }}
    ]
  }},
  {{
    "path": "/work/.stud",
    "mode": "pinned",
    "trust": "declined",
    "at": "2026-01-02T03:04:05.001Z"
  }}
]"#
        )
    );
}

#[test]
fn exported_pins_grant_on_another_machine() {
    let system = MemorySystem::new();
    store(&system).grant_pins(root(), &[text("a", "1"), text("a", "2")], None).expect("granted");
    let exported = load(&system).root(root()).export();
    let mut pins = RootRecord::from_export(exported.as_bytes()).expect("pins");
    assert_eq!(state(&pins, "a", "1"), GrantState::Granted);
    assert_eq!(state(&pins, "a", "2"), GrantState::Granted);
    assert_eq!(state(&pins, "a", "3"), GrantState::Changed);
    pins.join(RootRecord::from_export(br#"{"trust_pins":1,"pins":[]}"#).expect("pins"));
    assert_eq!(pins.texts().count(), 1);
}

#[test]
fn a_text_that_cannot_be_kept_is_not_granted() {
    let system = MemorySystem::new();
    let huge = PinnedText { path: text("a", "").path, bytes: vec![0; (16 << 20) + 1] };
    let error = store(&system).grant_pins(root(), &[huge], None).expect_err("too large");
    assert_eq!(error.code().as_str(), "trust/entry-invalid");
    assert_eq!(system.stat(Path::new(FILE)), None);
}
