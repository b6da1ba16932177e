//! Several processes on one file, and processes that are killed. The test program starts itself again for each.
#![cfg(all(feature = "sqlite", unix))]

use preface_store::{Filter, InsertOutcome, PageRequest, Store, StoreUrl};
use preface_testkit::contract::{
    Nodes, hold,
    samples::{actor, first, id},
};
use rusqlite::Connection;
use std::{
    collections::BTreeSet,
    env,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
};

const FILE: &str = "PREFACE_TEST_STORE_FILE";
const NAME: &str = "PREFACE_TEST_STORE_NAME";

fn start(test: &str, path: &Path, name: &str) -> Child {
    Command::new(env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(FILE, path)
        .env(NAME, name)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

/// Returns what this process was started for; nothing where the suite started it.
fn task() -> Option<(PathBuf, String)> {
    Some((env::var_os(FILE)?.into(), env::var(NAME).ok()?))
}

async fn open(path: &Path) -> Arc<dyn Store> {
    preface_store::open(&StoreUrl::Sqlite(path.to_owned())).await.expect("it opens")
}

/// Reports to the parent process.
fn report(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nsaid {line}").and_then(|()| out.flush()).expect("somebody listens");
}

fn parse_report(line: std::io::Result<String>) -> Option<String> {
    line.ok()?.strip_prefix("said ").map(str::to_owned)
}

#[test]
fn child_that_writes_until_it_is_killed() {
    let Some((path, name)) = task() else { return };
    hold(async {
        let store = open(&path).await;
        let nodes = Nodes::new(vec![store]);
        for round in 0.. {
            let name = name.clone();
            nodes
                .at_once(8, move |number, store| {
                    let id = format!("{name}-{round}-{number}");
                    async move {
                        let kept = store.create(first(&id, &id.repeat(1000)), &actor()).await;
                        assert_eq!(kept, Ok(InsertOutcome::New));
                        report(&id);
                    }
                })
                .await;
        }
    });
}

#[test]
fn what_was_acknowledged_outlives_a_kill() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("preface.db");
    let mut acknowledged = BTreeSet::new();
    for round in 0..20 {
        let mut child = start("child_that_writes_until_it_is_killed", &path, &format!("c{round}"));
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let wanted = 1 + round * 3;
        let mut count = 0;
        while count < wanted {
            let line = lines.next().expect("the child writes until it is killed");
            if let Some(id) = parse_report(line) {
                acknowledged.insert(id);
                count += 1;
            }
        }
        child.kill().expect("it is killed");
        acknowledged.extend(lines.filter_map(parse_report).filter(|id| id.matches('-').count() == 2));
        child.wait().expect("it ends");
    }
    hold(async {
        let store = open(&path).await;
        for name in &acknowledged {
            let kept = store.conversation(&id(name)).await.unwrap();
            let kept = kept.unwrap_or_else(|| panic!("{name} was acknowledged"));
            assert!(kept.is_whole());
            assert_eq!(*kept.head.text, name.repeat(1000));
        }
        store.close().await.unwrap();
    });
    let connection = Connection::open(&path).unwrap();
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    let alone = "SELECT (SELECT count(*) FROM conversations) - (SELECT count(*) FROM audit)";
    let alone: i64 = connection.query_row(alone, [], |row| row.get(0)).unwrap();
    assert_eq!(alone, 0, "what happened and its entry are written together");
}

#[test]
fn child_that_races() {
    let Some((path, name)) = task() else { return };
    hold(async {
        let store = open(&path).await;
        let nodes = Nodes::new(vec![store]);
        nodes
            .at_once(200, move |number, store| {
                let (conversation, mine) = (format!("c{}", number % 50), format!("{name} {number}"));
                async move {
                    let text = match store.create(first(&conversation, &mine), &actor()).await {
                        Ok(InsertOutcome::New) => mine,
                        Ok(InsertOutcome::Existing(head)) => head.text.to_string(),
                        Err(error) => panic!("{error}"),
                    };
                    report(&format!("{conversation}: {text}"));
                }
            })
            .await;
        nodes.first().close().await.unwrap();
    });
}

#[test]
fn first_prompts_race_from_several_processes_on_a_new_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("preface.db");
    let children: Vec<Child> =
        ["one", "two", "three"].iter().map(|name| start("child_that_races", &path, name)).collect();
    let mut reported = BTreeSet::new();
    let mut count = 0;
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success());
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("test result: ok. 1 passed;"), "no test ran:\n{text}");
        for line in output.stdout.lines().filter_map(parse_report) {
            reported.insert(line);
            count += 1;
        }
    }
    assert_eq!(count, 600, "everybody was answered");
    assert_eq!(reported.len(), 50, "one text for each conversation: {reported:?}");
    hold(async {
        let store = open(&path).await;
        let all = store.conversations(&Filter::default(), &PageRequest::first(500)).await.unwrap();
        assert_eq!(all.items.len(), 50);
        let audit = store.audit(&PageRequest::first(500)).await.unwrap();
        assert_eq!(audit.items.len(), 50);
    });
}
