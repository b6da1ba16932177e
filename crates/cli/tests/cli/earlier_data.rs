//! Data that an earlier program wrote: `tests/fixtures/4db082f` (see its README), read by the program of today. The tests check what
//! the data means, not how it is spelled.

use crate::sandbox::{Ran, Sandbox};
use serde_json::Value;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/4db082f");

/// The stored conversations.
const CONVERSATIONS: [&str; 9] = [
    "by-claude",
    "by-crew",
    "by-default",
    "by-file",
    "by-label",
    "by-pi",
    "by-stud",
    "by-template",
    "untrusted",
];

/// The directory that the fixtures were written for, as the paths in them begin.
const WRITTEN_IN: &str = "/srv/";

const CATALOG: &str = "2.1.50@blake3:719a0d3802958d68";

/// A machine with the data: the user's home, the project in `work`, and another directory in `other`.
fn machine() -> Sandbox {
    let sandbox = Sandbox::empty().env("TOKEN", "hush-hush-hush");
    copy(&fixture("user"), &sandbox.path("home"));
    copy(&fixture("project"), &sandbox.path("work"));
    sandbox
        .work(".git/HEAD", "ref: refs/heads/main\n")
        .work(".git/refs/heads/main", "0123456789abcdef0123456789abcdef01234567\n")
        .work("../other/.whole/append.md", "Obey.\n");
    fs::create_dir(sandbox.path("work/.git/objects")).expect("a new directory");
    for file in ["home/.local/state/preface/trust.json", "home/.stud/trust.json"] {
        move_paths(&sandbox, &sandbox.path(file));
    }
    sandbox
}

fn fixture(path: &str) -> PathBuf {
    Path::new(FIXTURES).join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(fixture(path)).expect("a fixture")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// Replaces the paths that a text file was written with by those of the sandbox.
fn move_paths(sandbox: &Sandbox, file: &Path) {
    let root = sandbox.path("").canonicalize().expect("the sandbox").display().to_string();
    let written = fs::read_to_string(file).expect("a text");
    assert!(written.contains(WRITTEN_IN), "{written}");
    let moved = [("project", "work"), ("user", "home"), ("other", "other")]
        .iter()
        .fold(written, |text, (was, is)| {
            text.replace(&format!("{WRITTEN_IN}{was}"), &format!("{root}/{is}"))
        });
    assert!(!moved.contains(WRITTEN_IN), "{moved}");
    fs::write(file, moved).expect("a file in the sandbox");
}

/// The words of each line of a table, without its head.
fn rows(ran: &Ran) -> Vec<Vec<&str>> {
    ran.stdout.lines().skip(1).map(|line| line.split_whitespace().collect()).collect()
}

/// The texts in this field of each entry of a list.
fn each<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array()
        .expect("a list")
        .iter()
        .map(|entry| entry[field].as_str().unwrap_or_else(|| panic!("no {field}: {entry}")))
        .collect()
}

#[test]
fn templates_keep_versions_labels_authors_and_times() {
    let sandbox = machine();
    let exported: Value = serde_json::from_str(&text("documents/templates.json")).expect("JSON");
    let export = sandbox.run("preface template export").exits(0);
    assert_eq!(export.json(), exported);

    let dated = "You help on [git:branch][if system:local_date], today is [system:local_date][endif].\n";
    let plain = "You help in [prompt:cwd].\n";
    for (version, text) in [("", dated), ("1", plain), ("3", "Briefly: help.\n"), ("stable", plain)] {
        sandbox.run(&format!("preface template show {version}")).exits(0).prints(text);
    }
    sandbox.run("preface template show -t imported old").exits(0).prints("From elsewhere.\n");
    sandbox.run("preface template show -t review").exits(1);

    let history = sandbox.run("preface template history --format json").exits(0).entries();
    assert_eq!(each(&history, "note"), ["restored from version 2", "", "Knows the branch", "The first"]);
    let list = sandbox.run("preface template list").exits(0);
    let versions: Vec<String> = rows(&list).iter().map(|row| row[..2].join(" ")).collect();
    assert_eq!(versions, ["imported 2", "main 4", "review 2"]);

    sandbox.work("next.md", "Next.\n");
    sandbox.run("preface template set next.md -q").exits(0);
    sandbox.run("preface template show 5").exits(0).prints("Next.\n");
    sandbox.run("preface template show 4").exits(0).prints(dated);
}

#[test]
fn exported_templates_are_imported() {
    let sandbox = Sandbox::empty();
    sandbox.work("templates.json", text("documents/templates.json"));
    sandbox.run("preface template import templates.json").exits(0);
    let exported: Value = serde_json::from_str(&text("documents/templates.json")).expect("JSON");
    assert_eq!(sandbox.run("preface template export").exits(0).json(), exported);
}

#[test]
fn stored_prompts_are_the_same_bytes() {
    let sandbox = machine();
    for id in CONVERSATIONS {
        let prompt = text(&format!("prompts/{id}"));
        sandbox.run(&format!("preface conversation show {id} --text")).exits(0).prints(&prompt);
        sandbox.run(&format!("preface build --conversation {id} -q")).exits(0).prints(&prompt);
    }
    for (id, revision) in [("by-stud", 1), ("by-stud", 2), ("by-template", 1)] {
        let prompt = text(&format!("prompts/{id}.{revision}"));
        sandbox.run(&format!("preface conversation history {id} {revision}")).exits(0).prints(&prompt);
    }
    let list = sandbox.run("preface conversation list").exits(0);
    let mut listed: Vec<&str> = rows(&list).iter().map(|row| row[0]).collect();
    listed.sort_unstable();
    assert_eq!(listed, CONVERSATIONS);
}

#[test]
fn every_byte_of_a_stored_prompt_has_an_origin() {
    let sandbox = machine();
    for id in CONVERSATIONS {
        let document =
            sandbox.run(&format!("preface explain --conversation {id} --format json -q")).exits(0).json();
        let shown = sandbox.run(&format!("preface conversation show {id} --format json")).exits(0).json();
        assert_eq!(shown["document"]["parts"], document["parts"], "{id}");
        let spans = document["parts"]
            .as_array()
            .expect("parts")
            .iter()
            .flat_map(|part| part["spans"].as_array().expect("spans"));
        let end = spans.fold(0, |end, span| {
            assert_eq!(span["range"][0], end, "{id}: {span}");
            span["range"][1].as_u64().expect("an offset")
        });
        assert_eq!(end, document["text"].as_str().expect("a text").len() as u64, "{id}");
        sandbox.run(&format!("preface conversation show {id}")).exits(0);
    }
    for (id, text, from) in [
        ("by-default", "Use tabs", "AGENTS.md"),
        ("by-default", "Be kind", "~/.config/preface/settings.json"),
        ("by-default", "main.", "git:branch"),
        ("by-default", "some-model", "prompt:model"),
        ("by-default", "How you work", "approach"),
        ("by-crew", "Answer in French", "--set"),
        ("by-crew", "Hello, crew", "mcp:quay"),
        ("by-crew", "Gull", "ship:name"),
        ("by-crew", "Status:", "system-prompt-tide-status.md"),
        ("by-crew", "Row together", ".whole/append.md"),
        ("by-file", "watch", "~/.config/preface/agents/mate.md"),
        ("by-pi", "careful", "~/.sf/agent/SYSTEM.md"),
        ("by-stud", "log", ".stud/system.md"),
        ("by-template", "You help", "main@4"),
        ("by-label", "You help", "main@1"),
    ] {
        let ran = sandbox.run(&format!("preface explain --conversation {id} --at '{text}'")).exits(0);
        assert!(ran.stdout.contains(from), "{id}: {text}\n{}", ran.stdout);
    }
}

#[test]
fn what_was_sent_left_out_or_reported_with_a_prompt_is_read() {
    let sandbox = machine();
    let document = |id: &str| {
        sandbox.run(&format!("preface explain --conversation {id} --format json -q")).exits(0).json()
    };
    let messages = |id: &str| each(&document(id)["diagnostics"], "message").join("\n");
    for (id, about) in [
        ("by-default", "budget.tokens"),
        ("by-stud", "context"),
        ("by-crew", "system-reminder"),
        ("by-crew", "`long` lost 25 of 38 tokens"),
        ("by-pi", "name contains invalid characters"),
        ("untrusted", "AGENTS.md"),
    ] {
        assert!(messages(id).contains(about), "{id}: {about}\n{}", messages(id));
    }
    let absent = document("by-pi")["absent"].clone();
    assert_eq!(
        each(&absent, "section"),
        ["identity", "tools", "note", "guidelines", "docs", "append", "now"]
    );
    for (id, line) in [("by-crew", "The first message has this."), ("by-claude", "Use blanks.")] {
        let request =
            sandbox.run(&format!("preface build --conversation {id} --format request -q")).exits(0).json();
        let first = request["messages"][0]["content"].to_string();
        assert!(first.contains(line), "{id}: {first}");
    }
}

#[test]
fn revisions_are_listed_and_compared() {
    let sandbox = machine();
    let history = sandbox.run("preface conversation history by-stud --format json").exits(0).entries();
    assert_eq!(each(&history, "reason"), ["refresh", "compaction", "first-turn"]);
    for (at, replaced_at) in ["2026-03-10T12:00:00.000Z", "2026-03-09T00:00:00.000Z"].into_iter().enumerate()
    {
        assert_eq!(history[at + 1]["replaced_at"], replaced_at);
    }
    assert_eq!(history[0]["replaced_at"], Value::Null);
    let ran = sandbox.run("preface conversation diff by-stud 1 3 --exit-code").exits(1);
    for line in ["-You serve on a ship.", "+You serve on a tall ship.", " Use the ship's log."] {
        assert!(ran.stdout.lines().any(|shown| shown == line), "{line}\n{}", ran.stdout);
    }
}

#[test]
fn the_audit_log_goes_on_after_the_earlier_entries() {
    let sandbox = machine();
    let log = || sandbox.run("preface conversation audit --all --format json").exits(0).entries();
    let before = log();
    let subjects = each(&before, "subject");
    let count = |subject: &str| subjects.iter().filter(|named| **named == subject).count();
    for (subject, times) in [
        // Four versions and two labels.
        ("main", 6),
        ("review", 2),
        // Two versions and a label.
        ("imported", 3),
        // Built, compacted, refreshed.
        ("by-stud", 3),
        ("by-template", 2),
        ("by-default", 1),
        ("reader", 1),
        // A conversation and a token, each created and deleted.
        ("gone", 4),
    ] {
        assert_eq!(count(subject), times, "{subject}");
    }
    sandbox.run("preface conversation delete untrusted").exits(0);
    let after = log();
    assert_eq!(each(&after, "subject"), [&["untrusted"], &*subjects].concat());
    assert_eq!(after.as_array().expect("a list")[1..], *before.as_array().expect("a list"));
}

#[test]
fn a_compaction_builds_for_what_the_conversation_asked_for() {
    let sandbox = machine();
    let later = "--now 2026-04-01T00:00:00Z -C .";
    let compact = |id: &str| {
        let compacted = sandbox
            .run(&format!("preface conversation compact {id} -q --format json {later}"))
            .exits(0)
            .json();
        let prompt = sandbox.run(&format!("preface build --conversation {id} -q")).exits(0).stdout;
        assert_eq!(compacted["prompt"], *prompt, "{id}");
        prompt
    };
    assert_eq!(compact("by-template"), "You help on main, today is 2026-04-01.\n");
    assert_eq!(compact("by-label"), "You help in [ROOT]/work.\n");
    assert_eq!(compact("by-stud"), text("prompts/by-stud"));
    let crew = compact("by-crew");
    for line in ["You help on 2026-04-01.", "Tide: three feet", "The ship is Gull.", "Answer in French."] {
        assert!(crew.lines().any(|shown| shown == line), "{line}\n{crew}");
    }
    // This preset keeps its prompt over a compaction.
    assert_eq!(compact("by-pi"), text("prompts/by-pi"));
    let default = compact("by-default");
    assert!(default.contains("some-model"), "{default}");
    compact("untrusted");
    compact("by-claude");
    let sections = |id: &str| {
        let document =
            sandbox.run(&format!("preface explain --conversation {id} --format json -q")).exits(0).json();
        each(&document["parts"], "section").iter().map(|&section| section.to_owned()).collect::<Vec<_>>()
    };
    let has = |id: &str, section: &str| sections(id).iter().any(|known| known == section);
    // One of the two conversations has tools to list, the other has Glob alone.
    assert!(has("by-default", "tools") && !has("untrusted", "tools"));
    assert!(has("by-claude", "glob-docs") && !has("by-claude", "grep-docs"));
    for id in ["by-claude", "by-default", "untrusted"] {
        let first = text(&format!("prompts/{id}"));
        sandbox.run(&format!("preface conversation history {id} 1")).exits(0).prints(&first);
    }
    let ran = sandbox.run(&format!("preface conversation refresh by-default {later}")).exits(0);
    assert!(ran.stdout.contains("the same, byte for byte"), "{}", ran.stdout);
}

#[test]
fn what_a_conversation_asked_for_is_shown() {
    let sandbox = machine();
    let mut shown = sandbox.run("preface conversation show by-file --format json").exits(0).json();
    let document = shown["document"].take();
    let asked = shown.to_string();
    for value in ["/srv/project/mate.toml", "mate", r#"["read","ls"]"#, "Asia/Tokyo", "3000", "o200k"] {
        assert!(asked.contains(value), "{value}: {asked}");
    }
    assert_eq!(document["tokens"]["counter"], "o200k");
}

#[cfg(feature = "serve")]
#[test]
fn access_tokens_keep_their_roles() {
    let sandbox = machine();
    let tokens = text("tokens");
    let token = |name: &str| {
        let line = tokens.lines().find_map(|line| line.strip_prefix(name)).expect("a token");
        format!("Authorization: Bearer {}", line.trim())
    };
    let store = "--store 'sqlite:[ROOT]/home/.local/state/preface/preface.db'";
    let service = crate::serve::Service::start(&sandbox, &format!("{store} --root . --require-token"));
    let status = |name: &str, line: &str, body: &str| {
        let headers = [&*token(name), "Content-Type: application/json"];
        service.ask_with(line, &headers, body).status
    };
    let turn = r#"{"cwd": "[ROOT]/work"}"#.replace("[ROOT]", &sandbox.path("").display().to_string());
    let put = r#"{"template": "Help."}"#;
    for (name, list, converse, write) in [
        ("reader", 200, 403, 403),
        ("agent", 200, 201, 403),
        ("writer", 200, 201, 200),
        ("gone", 401, 401, 401),
    ] {
        assert_eq!(status(name, "GET /conversations", ""), list, "{name}");
        let converses = status(name, &format!("POST /conversations/of-{name}/turns"), &turn);
        assert_eq!(converses, converse, "{name}");
        assert_eq!(status(name, "PUT /system-prompt", put), write, "{name}");
    }
}

#[test]
fn pinned_files_stay_granted_and_nothing_else_is() {
    let sandbox = machine();
    let build = "preface build --trust require --tools read -q";
    let prompt = sandbox.run(build).exits(0).stdout;
    for text in ["Use tabs. Grüße.", "Use blanks.", "You are on main.", "Answer in French.", "knots"] {
        assert!(prompt.contains(text), "{text}\n{prompt}");
    }

    sandbox.work("AGENTS.md", "Use spaces.\n");
    sandbox.run(build).exits(3).prints("");
    let ran = sandbox.run("preface build -q").exits(0);
    assert!(!ran.stdout.contains("Use spaces") && ran.stdout.contains("Use blanks"), "{}", ran.stdout);
    let ran = sandbox.run("preface trust diff").exits(0);
    assert!(
        ran.stdout.contains("-Use tabs. Grüße.") && ran.stdout.contains("+Use spaces."),
        "{}",
        ran.stdout
    );

    sandbox.work("AGENTS.md", "Use tabs. Grüße.\n").work(".preface/sections/new.md", "New.\n");
    sandbox.run(build).exits(3).prints("");
    sandbox.run("preface trust grant .preface/sections/new.md").exits(0);
    let ran = sandbox.run(build).exits(0);
    for text in ["New.", "Use tabs. Grüße.", "knots"] {
        assert!(ran.stdout.contains(text), "{text}\n{}", ran.stdout);
    }
    let list = sandbox.run("preface trust list").exits(0).stdout;
    let is_listed =
        |state: &str, path: &str| list.lines().any(|line| line.starts_with(state) && line.ends_with(path));
    assert!(is_listed("declined", "/other/.whole") && is_listed("trusted", "/work/.whole"), "{list}");
}

#[test]
fn projects_that_are_trusted_or_declined_as_a_whole_stay_so() {
    let sandbox = machine();
    sandbox.run("preface build --preset stud --trust require -q").exits(0).prints(&text("prompts/by-stud"));
    let crew = sandbox.run("preface build --preset crew --trust require -q").exits(0).stdout;
    assert!(crew.contains("Row together."), "{crew}");
    let other = sandbox.run("preface build --preset crew -q -C ../other").exits(0).stdout;
    assert!(!other.contains("Obey."), "{other}");
    sandbox.run("preface build --preset crew --trust require -q -C ../other").exits(3).prints("");

    sandbox.run("preface trust revoke --preset stud").exits(0);
    sandbox.run("preface build --preset stud -q").exits(0).prints("You serve on a tall ship.\n");
    sandbox.run("preface build --preset crew --trust require -q").exits(0).prints(&crew);
}

#[test]
fn exported_pins_grant_their_files() {
    let sandbox = machine();
    fs::remove_file(sandbox.path("home/.local/state/preface/trust.json")).expect("it was there");
    sandbox.work("pins.json", text("documents/pins.json"));
    sandbox.run("preface build --trust require -q").exits(3).prints("");
    let prompt = sandbox.run("preface build --trust require --trust-pins pins.json -q").exits(0).stdout;
    assert!(prompt.contains("Use tabs. Grüße."), "{prompt}");
}

/// A permission of an extension covers each file of its directory now, and one of before does not: it is asked for again.
#[test]
fn a_permission_that_covers_less_than_today_is_asked_for_again() {
    let sandbox = machine();
    let run = "preface build --prompt Hello -q";
    assert!(!sandbox.run(run).exits(0).stdout.contains("Keep watch."));
    assert!(!sandbox.run("preface build -q").exits(0).stdout.contains("High water at noon."));
    sandbox.run("preface trust grant --allow-commands").exits(0);
    sandbox.run(run).exits(0).prints("Keep watch.");
    assert!(sandbox.run("preface build -q").exits(0).stdout.contains("High water at noon."));
}

/// Returns the names of the tools of servers in a request.
fn server_tools(sandbox: &Sandbox, line: &str) -> Vec<String> {
    let request = sandbox.run(&format!("preface build --format request -q {line}")).exits(0).json();
    each(&request["tools"], "name")
        .into_iter()
        .filter(|name| name.starts_with("mcp__"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_recording_of_a_server_of_the_user_is_used() {
    let sandbox = machine();
    let prompt = sandbox.run("preface build --preset crew -q").exits(0).stdout;
    for line in ["Be kind to the fake.", "Hello, crew.", "Noted."] {
        assert!(prompt.lines().any(|shown| shown == line), "{line}\n{prompt}");
    }
    assert_eq!(server_tools(&sandbox, "--preset crew"), ["mcp__quay__read", "mcp__quay__write"]);
    let ran = sandbox.run("preface mcp inspect quay --recorded").exits(0);
    assert!(ran.stdout.contains("fake 1.0") && ran.stdout.contains("fake://notes"), "{}", ran.stdout);
}

#[test]
fn the_recording_of_a_server_of_the_project_is_used_and_its_permission_holds() {
    let path = std::env::var("PATH").unwrap_or_default();
    let sandbox = machine().env("PATH", &format!("[ROOT]/home/bin:{path}"));
    sandbox
        .home("bin/fake_mcp_server", "#!/bin/sh\nexec sh \"$HOME/fake.sh\" \"$HOME/fake\"\n")
        .home("fake.sh", crate::mcp_query::FAKE)
        .home("fake/mode", "ok\n")
        .home("fake/tools", r#"[{"name": "other"}]"#);
    let program = sandbox.path("home/bin/fake_mcp_server");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("a mode");
    let tools = || {
        let mut names = server_tools(&sandbox, "");
        names.retain(|name| name.starts_with("mcp__harbour__"));
        names
    };
    assert_eq!(tools(), <[String; 0]>::default());

    // The name of the file has a digest of the project's path, which is another one here: the program finds the name.
    sandbox.run("preface mcp refresh harbour -q").exits(0);
    assert_eq!(tools(), ["mcp__harbour__other"]);
    let earlier = "harbour-c98c354cbd16.json";
    let recordings = sandbox.path("home/.local/state/preface/mcp");
    let is_new = |name: &String| name.starts_with("harbour-") && name != earlier;
    let today = fs::read_dir(&recordings)
        .expect("recordings")
        .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
        .find(is_new)
        .expect("the recording of today");
    fs::copy(recordings.join(earlier), recordings.join(today)).expect("a copy");
    assert_eq!(tools(), ["mcp__harbour__read", "mcp__harbour__write"]);

    // A permission is for these words and no others.
    let servers = fs::read_to_string(sandbox.path("work/.preface/mcp.json")).expect("a file");
    sandbox.work(".preface/mcp.json", servers.replace("polite", "rude"));
    sandbox.run("preface mcp refresh harbour -q --trust once").exits(1);
}

#[test]
fn an_imported_catalog_is_whole_and_used() {
    let sandbox = machine();
    sandbox.run("preface catalog verify").exits(0);
    let list = sandbox.run("preface catalog list --format json").exits(0).entries();
    assert_eq!(each(&list, "pin"), [CATALOG]);
    assert_eq!(list[0]["prompts"], 16);
    let tide = "Tide: ${TIDE_NOW}\nStatus:\n${TIDE_STATUS||\"(slack water)\"}";
    sandbox.run("preface catalog show 2.1.50 'Tide status'").exits(0).prints(tide);
    let prompt =
        sandbox.run(&format!("preface build --preset crew --set catalog={CATALOG} -q")).exits(0).stdout;
    assert!(prompt.contains("\n\nTide: three feet\nStatus:\n(slack water)\n\n"), "{prompt}");
}

#[test]
fn documents_are_compared() {
    let sandbox = machine();
    for file in ["receipt-default.json", "receipt-crew.json"] {
        sandbox.work(file, text(&format!("documents/{file}")));
    }
    let ran = sandbox.run("preface diff -R -q --against receipt-default.json").exits(0);
    assert!(ran.stdout.lines().any(|line| line == "-Keep watch."), "{}", ran.stdout);
    let crew = format!(
        "preface diff --preset crew --set catalog={CATALOG} --against receipt-crew.json --format json -q"
    );
    let difference = sandbox.run(&crew).exits(0).json();
    let changed: Vec<&Value> = difference["parts"]
        .as_array()
        .expect("parts")
        .iter()
        .filter(|part| part["change"] != "same")
        .map(|part| &part["section"])
        .collect();
    // Tools of servers have the names that a model calls them by.
    assert_eq!(changed, ["servers"]);
}

#[test]
fn a_snapshot_of_another_version_is_refused_with_help() {
    let sandbox = machine();
    let snapshot = text("documents/snapshot.json");
    let later = snapshot.replacen("\"version\":1", "\"version\":3", 1);
    assert_ne!(later, snapshot);
    sandbox.work("snapshot.json", &snapshot).work("later.json", &later);
    for line in ["build --snapshot", "explain --snapshot", "diff --against"] {
        sandbox.run(&format!("preface {line} snapshot.json")).exits(1).prints("").says(
            "\
error: `snapshot.json` was written by an earlier version of preface (version 1; this program reads
       version 2)
help: build it again with `preface build --save-snapshot FILE`
",
        );
    }
    sandbox.run("preface build --snapshot later.json").exits(1).prints("").says(
        "\
error: `later.json` was written by a later version of preface (version 3; this program reads version
       2)
help: build it again with `preface build --save-snapshot FILE`
",
    );
}
