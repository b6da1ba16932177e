//! Decisions about whole projects, and the file itself.

use super::*;

#[test]
fn the_file_is_documented() {
    let system = MemorySystem::new();
    store(&system).grant_whole(Path::new("/b/.stud"), &whole_files(b"")).expect("granted");
    store(&system).decline(Path::new("/a/.stud"), None).expect("declined");
    let shown = "blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
    assert_eq!(
        content(&system),
        format!(
            r#"{{
  "version": 1,
  "roots": {{
    "/a/.stud": {{
      "at": "2026-01-02T03:04:05Z",
      "declined": {{
        "at": "2026-01-02T03:04:05Z"
      }}
    }},
    "/b/.stud": {{
      "at": "2026-01-02T03:04:05Z",
      "whole": true,
      "texts": {{
        "system.md": [
          {{
            "digest": "{shown}",
            "bytes": 0
          }}
        ]
      }}
    }}
  }}
}}"#
        )
    );
}

#[test]
fn nothing_is_trusted_before_anybody_was_asked() {
    let system = MemorySystem::new();
    let records = load_empty(&system);
    assert_eq!(records.root(key()).trust(), Trust::Untrusted);
    let writes = system.touches().into_iter().filter(|touch| {
        matches!(touch.verb, AccessKind::Write | AccessKind::MakeDir | AccessKind::Lock | AccessKind::Remove)
    });
    assert_eq!(writes.count(), 0, "looking makes nothing");
}

fn load_empty(system: &MemorySystem) -> Records {
    let mut diagnostics = Diagnostics::new();
    let records = store(system).load(&mut diagnostics);
    assert_eq!(diagnostics, []);
    records
}

#[test]
fn nothing_is_inherited() {
    let system = MemorySystem::new();
    store(&system).grant_whole(Path::new("/a/b"), &whole_files(b"")).expect("granted");
    let records = load(&system);
    for other in ["/a", "/a/b/c", "/a/bc", "/a/b/", "/", "a/b", ""] {
        assert_eq!(trust(&records, other), Trust::Untrusted, "{other:?}");
    }
}

#[test]
fn a_repeated_grant_changes_nothing_and_one_of_other_contents_replaces_it() {
    let system = MemorySystem::new();
    assert!(store(&system).grant_whole(key(), &whole_files(b"1")).expect("granted").change.recorded);
    let before = content(&system);
    system.set_now(at("2027-01-01T00:00:00Z"));
    assert!(!store(&system).grant_whole(key(), &whole_files(b"1")).expect("granted").change.recorded);
    assert_eq!(content(&system), before);
    assert!(store(&system).grant_whole(key(), &whole_files(b"2")).expect("granted").change.recorded);
    let row = &load(&system).list()[0];
    assert_eq!((row.texts[0].digest, row.at), (Digest::of(b"2"), at("2027-01-01T00:00:00Z")));
}

#[test]
fn a_repeated_decline_changes_nothing() {
    let system = MemorySystem::new();
    store(&system).decline(key(), None).expect("declined");
    let before = content(&system);
    for _ in 0..3 {
        assert!(!store(&system).decline(key(), None).expect("declined").change.recorded);
    }
    assert_eq!(content(&system), before);
}

#[test]
fn a_no_may_be_bound_to_contents() {
    let system = MemorySystem::new();
    let (one, two) = (Digest::of(b"1"), Digest::of(b"2"));
    let declines = |digest| load(&system).root(key()).declines(digest);
    for contents in [one, two, one] {
        for recorded in [true, false] {
            let report = store(&system).decline(key(), Some(contents)).expect("declined");
            assert_eq!(report.change.recorded, recorded);
        }
    }
    assert!(declines(&one) && !declines(&two));
    store(&system).decline(key(), None).expect("revoked");
    assert!(declines(&one), "a no without contents leaves the one that stands");
    store(&system).grant_whole(key(), &whole_files(b"2")).expect("granted");
    assert!(!declines(&one) && !declines(&two));
}

#[test]
fn a_clock_that_goes_back_does_not_let_a_decline_lose() {
    let system = MemorySystem::new().with_now(at("2030-01-01T00:00:00.5Z"));
    store(&system).grant_whole(key(), &whole_files(b"")).expect("granted");
    system.set_now(at("1999-01-01T00:00:00Z"));
    store(&system).decline(key(), None).expect("revoked");
    let record = load(&system).root(key());
    assert_eq!(record.trust(), Trust::Declined);
    assert_eq!(record.refused_at(), Some(at("2030-01-01T00:00:00.501Z")));
}

#[test]
fn even_at_the_end_of_time_the_last_word_stands() {
    let system = MemorySystem::new().with_now(Timestamp::MAX);
    store(&system).grant_whole(key(), &whole_files(b"")).expect("granted");
    store(&system).decline(key(), None).expect("revoked");
    store(&system).grant_whole(key(), &whole_files(b"")).expect("granted");
    store(&system).decline(key(), None).expect("revoked");
    assert_eq!(trust(&load(&system), KEY), Trust::Declined, "{}", content(&system));
}

#[test]
fn every_decision_is_told() {
    let system = MemorySystem::new();
    let trusted = [AuditEvent::ProjectTrusted { canonical_path: KEY.into() }];
    let declined = [AuditEvent::ProjectDeclined { canonical_path: KEY.into() }];
    for _ in 0..2 {
        assert_eq!(store(&system).grant_whole(key(), &whole_files(b"")).expect("granted").audit, trusted);
    }
    for _ in 0..2 {
        assert_eq!(store(&system).decline(key(), None).expect("revoked").audit, declined);
    }
    assert_eq!(trusted_once(key()), AuditEvent::ProjectTrustOnce { canonical_path: KEY.into() });
}

#[test]
fn no_bad_path_is_recorded() {
    let system = MemorySystem::new();
    for bad in ["", "work/.stud", "./x", "/work/.stud/", "/work//.stud", "/work/../x", "/work/./x"] {
        let bad = Path::new(bad);
        let error = store(&system).grant_whole(bad, &whole_files(b"")).expect_err("a bad path");
        assert_eq!(error.code().as_str(), "trust/entry-invalid", "{bad:?}");
        assert!(store(&system).decline(bad, None).is_err(), "{bad:?}");
        assert!(store(&system).grant_pins(bad, &[text("a", "")], None).is_err(), "{bad:?}");
    }
    assert_eq!(system.stat(Path::new(FILE)), None);
    assert_eq!(system.stat(Path::new("/home/user/.config")), None, "nothing was made");
}

#[test]
fn a_path_that_is_not_utf_8_is_refused_and_never_found() {
    {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/work/\xff/.stud"));
        let system = MemorySystem::new();
        let error = store(&system).grant_whole(path, &whole_files(b"")).expect_err("not UTF-8");
        assert_eq!(
            error.to_string(),
            r"`/work/\xff/.stud` cannot be recorded: it is not UTF-8",
            "lossy text would stand for several paths"
        );
        store(&system).grant_whole(Path::new("/work/\u{fffd}/.stud"), &whole_files(b"")).expect("granted");
        assert_eq!(load(&system).root(path).trust(), Trust::Untrusted);
    }
}

#[test]
fn a_file_with_a_record_that_is_not_valid_trusts_nothing_and_is_never_written_over() {
    let file = |version: &str, keys: &str| {
        let record = format!(r#"{{"at": "2026-01-01T00:00:00Z"{keys}}}"#);
        format!(r#"{{"version": {version}, "roots": {{"/work/.stud": {record}, "/work": {record}}}}}"#)
    };
    let digest = Digest::of(b"");
    let bad = [
        r#", "x": 1"#.to_owned(),
        r#", "at": "yesterday""#.to_owned(),
        r#", "whole": {"system.md": "md5:1"}"#.to_owned(),
        format!(r#", "whole": {{"../a": "{digest}"}}"#),
        format!(r#", "texts": {{"../a": [{{"digest": "{digest}", "bytes": 1}}]}}"#),
        r#", "texts": {"a": [{"digest": "md5:1", "bytes": 1}]}"#.to_owned(),
        r#", "commands": [{"subject": "x", "argv": ["x"]}]"#.to_owned(),
        r#", "commands": [{"subject": "x", "socket": "s"}]"#.to_owned(),
        r#", "declined": {"at": "yesterday"}"#.to_owned(),
    ];
    let files = bad.iter().map(|bad| file("1", bad));
    for file in files.chain([file("2", ""), file("\"1\"", "")]) {
        let system = MemorySystem::new().with_file(FILE, &file).with_mode(FILE, 0o600);
        unavailable(&system, &file);
        assert_eq!(content(&system), file);
    }
    let valid = file("1", r#", "commands": [{"subject": "x", "url": "u"}]"#);
    load(&MemorySystem::new().with_file(FILE, valid).with_mode(FILE, 0o600));
}

#[test]
fn a_file_that_is_none_of_ours_trusts_nothing_and_is_never_written_over() {
    for malformed in [
        "",
        " ",
        "{",
        "null",
        "7",
        "\"x\"",
        "{}",
        "{\"version\": 1}",
        "{\"roots\": {}}",
        "{\"version\": 1, \"roots\": []}",
        "{\"version\": 1, \"roots\": null}",
        "\u{feff}{\"version\": 1, \"roots\": {}}",
        "{\"version\": 1, \"roots\": {}} x",
        "{\"version\": 1, \"roots\": {},}",
        "// x\n{\"version\": 1, \"roots\": {}}",
    ] {
        let system = MemorySystem::new().with_file(FILE, malformed).with_mode(FILE, 0o600);
        unavailable(&system, malformed);
        assert_eq!(content(&system), malformed);
    }
    let deep = "[".repeat(100_000);
    let system = MemorySystem::new().with_file(FILE, &deep);
    unavailable(&system, "deep");
    assert_eq!(content(&system), deep);
}

#[test]
fn a_file_that_cannot_be_read_trusts_nothing_and_is_never_written_over() {
    let denied = MemorySystem::new().with_unreadable(FILE);
    unavailable(&denied, "denied");
    let broken = MemorySystem::new()
        .with_file(FILE, "{}")
        .with_read_error(FILE, ReadError::Other("input/output error".into()));
    unavailable(&broken, "broken");
    unavailable(&MemorySystem::new().with_dir(FILE), "a directory");
    unavailable(&MemorySystem::new().with_special(FILE), "a pipe");
    unavailable(&MemorySystem::new().with_link(FILE, "nowhere"), "a dangling link");
    unavailable(&MemorySystem::new().with_link(FILE, "trust.json"), "a loop");
    unavailable(&MemorySystem::new().with_file(FILE, vec![b' '; (16 << 20) + 1]), "too large");
    unavailable(&MemorySystem::new().with_file("/home/user/.config", ""), "a file for a directory");
}

fn unavailable(system: &MemorySystem, what: &str) {
    let mut diagnostics = Diagnostics::new();
    let records = store(system).load(&mut diagnostics);
    let note = diagnostics.iter().find(|note| note.code.as_str() == "trust/store-unavailable");
    let place = note.and_then(|note| note.place.as_ref());
    // A parent that is a file reads as missing on some machines; then only writing fails.
    assert!(place.is_some_and(|place| place.path == FILE) || what == "a file for a directory", "{what}");
    assert_eq!(trust(&records, KEY), Trust::Untrusted, "{what}");
    assert_eq!(records.root(root()).trust(), Trust::Untrusted, "{what}");
    let store = store(system);
    let errors = [
        store.grant_whole(key(), &whole_files(b"")).err(),
        store.decline(key(), None).err(),
        store.grant_pins(root(), &[text("a", "")], None).err(),
        store.decline(root(), Some(Digest::of(b""))).err(),
    ];
    for error in errors {
        let code = error.as_ref().map(|error| error.code().as_str());
        assert_eq!(code, Some("trust/store-unavailable"), "{what}: {error:?}");
    }
    if what != "a file for a directory" {
        assert!(store.revoke_pins(root(), None).is_err(), "{what}");
    }
}

#[test]
fn a_store_inside_of_the_project_has_no_say() {
    let digest = Digest::of(b"");
    let forged = format!(
        r#"{{"version": 1, "roots": {{"/work/.stud": {{"at": "2026-01-01T00:00:00Z", "whole": {{"system.md": "{digest}"}}}}}}}}"#
    );
    let inside = "/work/.stud/trust.json";
    let system = MemorySystem::new()
        .with_file(inside, &forged)
        .with_mode(inside, 0o600)
        .with_link("/linked", "/work/.stud")
        .with_link("/config/trust.json", inside)
        .with_link("/config/work", "/work");
    for file in [inside, "/linked/trust.json", "/config/trust.json"] {
        let store = TrustStore::at(&system, file.into());
        let records = store.load(&mut Vec::new());
        assert!(!records.root(key()).is_whole(), "{file}");
        assert!(records.lies_inside(key()), "{file}");
        assert_eq!(records.root(root()).trust(), Trust::Untrusted, "{file}");
        for error in [
            store.grant_whole(key(), &whole_files(b"")).err(),
            store.grant_pins(root(), &[text("a", "")], None).err(),
            store.grant_pins(Path::new("/config/work"), &[text("a", "")], None).err(),
            store.decline(root(), Some(Digest::of(b""))).err(),
        ] {
            assert_eq!(
                error.as_ref().map(|error| error.code().as_str()),
                Some("trust/scope-violation"),
                "{file}"
            );
        }
        let store = store.for_project(root());
        let mut diagnostics = Diagnostics::new();
        assert_eq!(store.load(&mut diagnostics).list(), []);
        assert_eq!(codes(&diagnostics), ["trust/scope-violation"], "{file}");
        assert!(store.grant_whole(Path::new("/other/.stud"), &whole_files(b"")).is_err(), "{file}");
    }
    assert_eq!(content_of(&system, inside), forged);
    // Neither is one outside read that the project reaches by a link of its own.
    let system = MemorySystem::new()
        .with_file("/elsewhere/trust.json", &forged)
        .with_mode("/elsewhere/trust.json", 0o600)
        .with_link("/work/out", "/elsewhere");
    let store = TrustStore::at(&system, "/work/out/trust.json".into()).for_project(root());
    let mut diagnostics = Diagnostics::new();
    assert_eq!(store.load(&mut diagnostics).list(), []);
    assert_eq!(codes(&diagnostics), ["trust/scope-violation"]);
    assert!(store.grant_whole(Path::new("/other/.stud"), &whole_files(b"")).is_err());
    assert_eq!(content_of(&system, "/elsewhere/trust.json"), forged);
    // A segment of the same name outside of the project is no violation.
    let store = TrustStore::at(&system, "/home/user/.stud/trust.json".into()).for_project(key());
    assert!(store.grant_whole(key(), &whole_files(b"")).expect("granted").change.recorded);
    assert_eq!(trust(&store.load(&mut Vec::new()), KEY), Trust::Trusted);
}

#[test]
fn it_is_for_the_user_alone() {
    let system = MemorySystem::new();
    store(&system).grant_pins(root(), &[text("a", "1")], None).expect("granted");
    let mode = |path: &str| system.stat(Path::new(path)).and_then(|stat| stat.mode);
    let copy = format!("/home/user/.config/x/trust.d/{}", Digest::of(b"1").hex());
    assert_eq!(mode(FILE), Some(0o600));
    assert_eq!(mode("/home/user/.config/x/trust.json.lock"), Some(0o600));
    assert_eq!(mode(&copy), Some(0o600));
    assert_eq!(mode("/home/user/.config/x"), Some(0o700));
    assert_eq!(mode("/home/user/.config/x/trust.d"), Some(0o700));
    let names: Vec<_> = system.list(Path::new("/home/user/.config/x"), 9).expect("a directory");
    let names: Vec<_> = names.iter().map(|entry| entry.name.to_string_lossy()).collect();
    assert_eq!(names, ["trust.d", "trust.json", "trust.json.lock"], "nothing else is made");
}

#[test]
fn a_store_that_others_can_write_or_own_is_refused() {
    const DIR: &str = "/home/user/.config/x";
    let granted = || {
        let system = MemorySystem::new();
        store(&system).grant_pins(root(), &[text("a", "1")], None).expect("granted");
        system
    };
    for (what, system, remedy) in [
        ("all can write", granted().with_mode(FILE, 0o602), format!("chmod go-w {FILE}")),
        ("a group can write", granted().with_mode(FILE, 0o620), format!("chmod go-w {FILE}")),
        (
            "another owner",
            granted().with_mode(FILE, 0o644).with_owner(FILE, 4711),
            format!("chown 1000 {FILE}"),
        ),
        ("root, and another owner", granted().with_owner(FILE, 4711).with_user(0), format!("chown 0 {FILE}")),
        ("a directory of all", granted().with_mode(DIR, 0o777), format!("chmod go-w {DIR}")),
        ("a sticky directory of all", granted().with_mode(DIR, 0o1777), format!("chmod go-w {DIR}")),
        (
            "a directory above of another",
            granted().with_owner("/home/user", 4711),
            "chown 1000 /home/user".to_owned(),
        ),
        ("a directory of a group", granted().with_mode(DIR, 0o770), format!("chmod go-w {DIR}")),
        (
            "a directory of another",
            granted().with_owner(DIR, 4711).with_mode(DIR, 0o755),
            format!("chown 1000 {DIR}"),
        ),
        ("a directory above of all", granted().with_mode("/home", 0o777), "chmod o-w /home".to_owned()),
    ] {
        let before = system.reads(FILE);
        let mut diagnostics = Diagnostics::new();
        let records = store(&system).load(&mut diagnostics);
        assert_eq!(records.root(root()).trust(), Trust::Untrusted, "{what}: nothing is trusted");
        assert_eq!(codes(&diagnostics), ["trust/store-unavailable"], "{what}");
        assert_eq!(diagnostics[0].severity, Severity::Error, "{what}");
        let help = diagnostics[0].help.as_deref().unwrap_or_default();
        assert!(help.starts_with(&format!("`{remedy}`")), "{what}: {help}");
        assert!(system.reads(FILE) > before, "{what}");
        let steps = system.touches().into_iter().filter(|touch| touch.verb == AccessKind::Write).count();
        let error = store(&system).grant_whole(key(), &whole_files(b"")).expect_err(what);
        assert_eq!(error.code().as_str(), "trust/store-unavailable", "{what}");
        let after = system.touches().into_iter().filter(|touch| touch.verb == AccessKind::Write).count();
        assert_eq!(after, steps, "{what}: nothing is written");
    }
    for system in [
        granted().with_mode(FILE, 0o644),
        granted().with_mode(FILE, 0o644).with_owner(FILE, 0),
        granted().with_mode("/home/user", 0o775),
        granted().with_mode("/home", 0o1777),
    ] {
        assert_eq!(load(&system).root(root()).trust(), Trust::Trusted, "{system:?}");
    }
    // In a sticky directory somebody else may have put a link where the user's directory is to be.
    let linked = granted().with_dir("/tmp").with_mode("/tmp", 0o1777).with_link("/tmp/x", DIR);
    let through = TrustStore::at(&linked, "/tmp/x/trust.json".into());
    assert_eq!(through.load(&mut Diagnostics::new()).root(root()).trust(), Trust::Untrusted);
    let system = MemorySystem::new().with_dir(DIR).with_mode(DIR, 0o777);
    assert!(store(&system).grant_whole(key(), &whole_files(b"")).is_err(), "a first record");
    // A link on the way belongs to the user, too, and so does each link that it leads to.
    for (mine, theirs) in [("/top", None), ("/other", Some("/top")), ("/one", Some("/two"))] {
        for owner in [1000, 0, 4711] {
            let linked = granted()
                .with_link("/top", "/home/user/.config")
                .with_link("/two", "/top")
                .with_link("/one", "two");
            let linked = linked.with_link("/other", "/top");
            let linked = linked.with_owner(theirs.unwrap_or(mine), owner);
            let through = TrustStore::at(&linked, Path::new(mine).join("x/trust.json"));
            let trusted = through.load(&mut Diagnostics::new()).root(root()).trust() == Trust::Trusted;
            assert_eq!(trusted, owner != 4711, "{mine}, where {theirs:?} belongs to {owner}");
        }
    }
    // A group that can write a directory above can put a link there.
    let planted = granted().with_mode("/home/user/.config", 0o775).with_dir("/home/user/src/cloned");
    let planted = planted.with_link("/home/user/.config/y", DIR).with_owner("/home/user/.config/y", 4711);
    let planted = TrustStore::at(&planted, "/home/user/.config/y/trust.json".into());
    assert_eq!(planted.load(&mut Diagnostics::new()).root(root()).trust(), Trust::Untrusted);
}

#[test]
fn a_lock_that_others_hold_is_waited_for_and_then_told() {
    let lock = format!("{FILE}.lock");
    let system = MemorySystem::new().with_foreign_lock(&lock);
    let error = store(&system).grant_whole(key(), &whole_files(b"")).expect_err("busy");
    assert_eq!(error, TrustError::unavailable(lock, WriteError::Busy));
    assert_eq!(load_empty(&system).list(), [], "reading needs no lock");
}
