//! The trust store on a real disk: who may read it, many writers, and a writer that is killed.

use preface_host::{
    system::{System, os::OsSystem},
    trust::{Digest, GrantState, Permission, PermissionAction, PinPath, PinnedText, TrustStore},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    ffi::OsStr,
    fs,
    hash::BuildHasher,
    io::{BufRead, BufReader, Write as _},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// The machine, with patience: a loaded one flushes slowly.
fn machine() -> OsSystem {
    OsSystem::new(&[]).with_lock_wait(Duration::from_secs(120))
}

fn text(path: &str, bytes: &str) -> PinnedText {
    PinnedText { path: PinPath::parse(path).expect("a good name"), bytes: bytes.into() }
}

/// The files of a project that is granted as a whole.
fn whole_files(bytes: &[u8]) -> [PinnedText; 1] {
    [PinnedText { path: text("system.md", "").path, bytes: bytes.to_vec() }]
}

fn permission(name: &str) -> Permission {
    Permission {
        subject: format!("mcp/{name}"),
        action: PermissionAction::Endpoint { url: format!("https://{name}"), with: BTreeMap::new() },
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

/// The canonical path of a new directory, and what removes it.
fn directory() -> (PathBuf, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a directory");
    (dir.path().canonicalize().expect("it is there"), dir)
}

/// Every text that any record grants is kept as it was.
fn check(system: &OsSystem, file: &Path) -> BTreeSet<(String, Digest)> {
    let mut diagnostics = Vec::new();
    let store = TrustStore::at(system, file.to_owned());
    let rows = store.load(&mut diagnostics).list();
    assert_eq!(diagnostics, [], "the store can always be read");
    let texts: BTreeSet<_> = rows
        .into_iter()
        .flat_map(|row| {
            row.texts.into_iter().map(move |text| (format!("{}/{}", row.path, text.path), text.digest))
        })
        .collect();
    for (name, digest) in &texts {
        assert!(store.copy(digest).is_some(), "`{name}` has its copy");
    }
    texts
}

#[test]
fn it_is_for_the_user_alone() {
    let (dir, _guard) = directory();
    let file = dir.join("state/preface/trust.json");
    let system = machine();
    let store = TrustStore::at(&system, file.clone());
    store.grant_pins(&dir.join("work"), &[text("AGENTS.md", "Use tabs.")], None).expect("granted");
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&file.with_file_name("trust.json.lock")), 0o600);
    assert_eq!(mode(&dir.join("state")), 0o700);
    assert_eq!(mode(&dir.join("state/preface")), 0o700);
    assert_eq!(mode(&dir.join("state/preface/trust.d")), 0o700);
    let copy = dir.join("state/preface/trust.d").join(Digest::of(b"Use tabs.").hex());
    assert_eq!(mode(&copy), 0o600);
    assert_eq!(fs::read_to_string(copy).expect("a copy"), "Use tabs.");

    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("changed");
    let mut diagnostics = Vec::new();
    store.load(&mut diagnostics);
    assert_eq!(
        diagnostics.iter().map(|note| note.code.as_str()).collect::<Vec<_>>(),
        ["trust/store-unavailable"]
    );
    let error = store.decline(&dir.join("work/.stud"), None).expect_err("nothing is written to it");
    let remedy = format!("`chmod go-w {}`, then check which decisions are recorded", file.display());
    assert_eq!(*error.help(), *remedy);
}

#[test]
fn links_into_the_project_are_no_way_around() {
    let (dir, _guard) = directory();
    let (project, global) = (dir.join("work/.stud"), dir.join("global"));
    fs::create_dir_all(&project).expect("a directory");
    fs::create_dir_all(&global).expect("a directory");
    let forged = format!(
        r#"{{"version":1,"roots":{{{project:?}:{{"at":"2026-01-01T00:00:00Z","whole":{{"system.md":"{}"}}}}}}}}"#,
        Digest::of(b"")
    );
    fs::write(project.join("trust.json"), forged).expect("written");
    std::os::unix::fs::symlink(project.join("trust.json"), global.join("trust.json")).expect("a link");
    let system = machine();
    let store = TrustStore::at(&system, global.join("trust.json")).for_project(&project);
    let mut diagnostics = Vec::new();
    assert!(!store.load(&mut diagnostics).root(&project).is_whole());
    assert_eq!(diagnostics[0].code.as_str(), "trust/scope-violation");
    assert!(store.grant_whole(&project, &whole_files(b"")).is_err());
}

#[test]
fn many_writers_lose_nothing() {
    const THREADS: usize = 8;
    const GRANTS: usize = 20;
    let (dir, _guard) = directory();
    let file = dir.join("preface/trust.json");
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (dir, file) = (&dir, &file);
            scope.spawn(move || {
                let system = machine();
                let store = TrustStore::at(&system, file.clone());
                for grant in 0..GRANTS {
                    let name = format!("{thread}-{grant}");
                    if grant % 2 == 0 {
                        store.grant_whole(&dir.join(&name), &whole_files(b"")).expect("granted");
                    } else {
                        // Half of the roots are shared, and one text is in all of them.
                        let root = dir.join((grant % 4).to_string());
                        let texts = [text(&name, &name), text("common", "common")];
                        store.grant_pins(&root, &texts, None).expect("granted");
                        store.grant_permissions(&root, &[permission(&name)]).expect("granted");
                    }
                }
            });
        }
    });
    let system = machine();
    let granted = check(&system, &file);
    let records = TrustStore::at(&system, file).load(&mut Vec::new());
    for (thread, grant) in (0..THREADS).flat_map(|thread| (0..GRANTS).map(move |grant| (thread, grant))) {
        let name = format!("{thread}-{grant}");
        if grant % 2 == 0 {
            assert!(records.root(&dir.join(&name)).is_whole(), "{name}");
        } else {
            let root = dir.join((grant % 4).to_string());
            let permissions = records.root(&root);
            assert_eq!(permissions.permission_state(&permission(&name)), GrantState::Granted, "{name}");
            let pins = records.root(&root);
            let state = pins.state(&text(&name, "").path, &Digest::of(name.as_bytes()));
            assert_eq!(state, GrantState::Granted, "{name}");
        }
    }
    assert_eq!(
        granted.len(),
        THREADS * GRANTS + 2,
        "a text for each grant, and `common` in both roots, once"
    );
}

const CRASH_DIR: &str = "PREFACE_CRASH_DIR";
const CRASH_FROM: &str = "PREFACE_CRASH_FROM";

/// The process that is killed: it grants and revokes without end, and says what it finished.
#[test]
fn crash_child() {
    let (Some(dir), Some(from)) = (env::var_os(CRASH_DIR), env::var(CRASH_FROM).ok()) else { return };
    let dir = PathBuf::from(dir);
    let system = machine();
    let store = TrustStore::at(&system, dir.join("preface/trust.json"));
    let from: usize = from.parse().expect("a number");
    for number in from.. {
        let name = format!("n{number}");
        store.grant_pins(&dir.join("work"), &[text(&name, &name), text("a", &name)], None).expect("granted");
        store.grant_permissions(&dir.join("work"), &[permission(&name)]).expect("granted");
        say("granted", number);
        if number % 3 == 0 {
            store.revoke_pins(&dir.join("work"), Some(&[text(&name, "").path])).expect("revoked");
            say("revoked", number);
        }
    }
}

fn say(what: &str, number: usize) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{what} {number}").and_then(|()| out.flush()).expect("somebody listens");
}

#[test]
fn a_killed_writer_leaves_the_old_or_the_new_record() {
    let rounds = env::var("PREFACE_CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(20);
    let (dir, _guard) = directory();
    let file = dir.join("preface/trust.json");
    let mut next = 0;
    let mut finished = 0;
    for round in 0..rounds {
        let heard = kill_one(&dir, next, round);
        let system = machine();
        check(&system, &file);
        let records = TrustStore::at(&system, file.clone()).load(&mut Vec::new());
        let pins = records.root(&dir.join("work"));
        let permissions = records.root(&dir.join("work"));
        for (index, (what, number)) in heard.iter().enumerate() {
            let name = format!("n{number}");
            let state = pins.state(&text(&name, "").path, &Digest::of(name.as_bytes()));
            let last = index + 1 == heard.len();
            match what.as_str() {
                "revoked" => assert_eq!(state, GrantState::New, "round {round}: {name}"),
                // The revocation may have begun when the process died.
                _ if number % 3 == 0 && last => {}
                _ if number % 3 == 0 => assert_eq!(heard[index + 1].0, "revoked", "round {round}: {name}"),
                _ => assert_eq!(state, GrantState::Granted, "round {round}: {name}"),
            }
            let state = pins.state(&text("a", "").path, &Digest::of(name.as_bytes()));
            assert_eq!(state, GrantState::Granted, "round {round}: {name}");
            assert_eq!(
                permissions.permission_state(&permission(&name)),
                GrantState::Granted,
                "round {round}: {name}"
            );
        }
        finished += heard.len();
        next = heard.last().map_or(next, |(_, number)| number + 1) + 1;
    }
    assert!(finished > 0, "the writers did something");
    let system = machine();
    let store = TrustStore::at(&system, file.clone());
    store.revoke_pins(&dir.join("work"), None).expect("the lock of the dead is free");
    assert_eq!(store.load(&mut Vec::new()).list(), []);
    assert!(system.stat(&file).is_some());
}

/// Starts a writer, kills it in the middle of something, and returns what it said it had finished.
fn kill_one(dir: &Path, from: usize, round: u64) -> Vec<(String, usize)> {
    let mut child = Command::new(env::current_exe().expect("this test"))
        .args(["--exact", "crash_child", "--nocapture", "--test-threads=1"].map(OsStr::new))
        .env(CRASH_DIR, dir)
        .env(CRASH_FROM, from.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let parse = |line: &str| {
        // The test harness writes the start of its line without an end.
        let line = line.rfind("granted").or(line.rfind("revoked")).map(|at| &line[at..])?;
        let (what, number) = line.split_once(' ')?;
        Some((what.to_owned(), number.parse().ok()?))
    };
    let first = lines.by_ref().find_map(|line| parse(&line));
    assert!(first.is_some(), "the child ended before it finished anything");
    let random = std::hash::RandomState::new().hash_one(round);
    thread::sleep(Duration::from_micros(random % 30_000));
    child.kill().expect("killed");
    let heard = first.into_iter().chain(lines.filter_map(|line| parse(&line))).collect();
    child.wait().expect("it is dead");
    heard
}
