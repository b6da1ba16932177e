//! `preface conversation`: the prompts that the store keeps.

use crate::sandbox::{BARE, Sandbox};

/// One conversation, built in March, and a text that came after it.
fn kept() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run("preface build --conversation c1 --model one -q").exits(0).prints(BARE);
    sandbox.home(".config/preface/append.md", "Be brief.\n");
    sandbox
}

/// What a build says since then, a month later.
const NEW: &str = "You help.\n\nBe brief.\n\nIt is 2026-04-01.";
const LATER: &str = "--now 2026-04-01T00:00:00Z";

#[test]
fn nothing_is_kept_and_nothing_is_made_by_looking() {
    let sandbox = Sandbox::empty();
    sandbox
        .run("preface conversation list")
        .exits(0)
        .prints("No prompt is stored. `preface build --conversation ID` stores one.\n");
    sandbox
        .run("preface conversation list --format json")
        .exits(0)
        .prints("{\"kind\":\"conversations\",\"entries\":[],\"diagnostics\":[]}\n");
    for line in ["show c1", "history c1", "compact c1", "refresh c1", "delete c1"] {
        sandbox.run(&format!("preface conversation {line}")).exits(1).prints("").says(
            "\
error: unknown conversation: `c1`
help: its first turn makes it; see the stored ones: `preface conversation list`
",
        );
    }
    sandbox
        .run("preface conversation delete --older-than 1d --now 2026-03-07T00:00:00Z")
        .exits(0)
        .says("Deleted 0 conversations not used since 2026-03-06T00:00:00Z.\n");
    assert!(!sandbox.path("home/.local").exists(), "looking makes no store");
}

#[test]
fn what_is_kept_is_listed_and_shown() {
    let sandbox = kept();
    sandbox.run("preface conversation list").exits(0).prints(
        "\
conversation  rev  built             bytes  from   cwd
c1              1  2026-03-07 14:55     28  small  [ROOT]/work
",
    );
    sandbox.run("preface conversation list --prefix d").exits(0).prints("Nothing like that is kept.\n");
    let json = sandbox.run("preface conversation show c1 --format json").exits(0).json();
    let fingerprint = json["document"]["fingerprint"].as_str().expect("a digest");
    sandbox.run("preface conversation show c1").exits(0).says("").prints(
        &"\
conversation  c1
revision      1 (first-turn)
built         2026-03-07T14:55:05Z
cwd           [ROOT]/work
model         one
fingerprint   FINGERPRINT

small: 2 parts, 7 tokens (estimate:bytes4), 28 bytes

tokens  share  stability  section
     3  42.9%  static     identity
     3         profile      small.toml: text
                          ── static up to here: 3 tokens ──
     4  57.1%  turn       today
     1         bundled      bundled: join
     1         profile      small.toml: text
     2         variable     [system:local_date]
     7   100%             total

cache: the first 3 tokens (9 bytes) are the same for every conversation; `today` ends them.
"
        .replace("FINGERPRINT", fingerprint),
    );
    sandbox.run("preface conversation show c1 --text").exits(0).prints(BARE);
    assert_eq!(json["conversation"]["revision"], 1);
    assert_eq!(json["document"]["text"], BARE);
    assert_eq!(json["options"]["model"], "one");
    assert_eq!(json["variables"][0]["variable"], "system:local_date");
}

#[test]
fn a_compaction_builds_afresh_and_keeps_the_prompt_without_the_instructions() {
    let sandbox = kept();
    let ran = sandbox.run(&format!("preface conversation compact c1 {LATER}")).exits(0);
    // Seed 002 §4, step 3: the prompt, an empty line, the instructions.
    let instructions = ran.stdout.strip_prefix(&format!("{NEW}\n\n")).expect("the prompt comes first");
    assert!(!instructions.is_empty());
    assert_eq!(ran.stderr, "`c1` is at revision 2 now; the stored prompt does not have the instructions.\n");
    sandbox.run("preface build --conversation c1 -q").exits(0).prints(NEW);
    sandbox.run("preface conversation history c1").exits(0).prints(
        "\
rev  reason      built             replaced          bytes  from
  2  compaction  2026-04-01 00:00  current              39  small
  1  first-turn  2026-03-07 14:55  2026-04-01 00:00     28  small
",
    );
    sandbox.run("preface conversation history c1 1").exits(0).prints(BARE);
    sandbox.run("preface conversation history c1 2").exits(0).prints(NEW);
    sandbox.run("preface conversation history c1 3").exits(1);
    let json = sandbox.run(&format!("preface conversation compact c1 -q --format json {LATER}")).json();
    assert_eq!((&json["prompt"], &json["revision"]), (&NEW.into(), &3.into()));
    assert_eq!(json["instructions"], instructions);
}

#[test]
fn a_compaction_prints_the_request_for_the_summary() {
    let sandbox = kept();
    let message = |role: &str, text: &str| format!("{{\"role\": \"{role}\", \"content\": \"{text}\"}}\n");
    let mut chat = message("user", "Hi.");
    sandbox.work("chat.jsonl", &chat);
    let build =
        "preface build -q --conversation c1 --format anthropic --model claude-opus-5-5 --messages chat.jsonl";
    sandbox.run(build).exits(0);
    chat += &message("assistant", "Hello.");
    chat += &message("user", "Summarize.");
    sandbox.work("chat.jsonl", &chat);
    let compact = format!("preface conversation compact c1 -q {LATER} --model claude-opus-5-5");
    let body = sandbox
        .run(&format!("{compact} --format anthropic --max-output-tokens 99 --messages chat.jsonl"))
        .exits(0)
        .json();
    let instructions =
        sandbox.run(&format!("{compact} --format json")).exits(0).json()["instructions"].clone();
    let system = body["system"].as_array().expect("blocks").iter().filter_map(|block| block["text"].as_str());
    assert_eq!(system.collect::<String>(), format!("{NEW}\n\n{}", instructions.as_str().expect("a text")));
    assert_eq!((&body["max_tokens"], &body["model"]), (&99.into(), &"claude-opus-5-5".into()));
    assert_eq!(body["messages"][2]["content"][0]["text"], "Summarize.");

    // Later requests have the prompt without the instructions.
    sandbox.work("chat.jsonl", message("user", "Summary: a greeting."));
    let next = sandbox.run(build).exits(0).json();
    let rows = sandbox.run("preface conversation history c1 --requests").exits(0).stdout;
    let differences = rows.lines().skip(1).map(|row| row.split("  ").last().unwrap_or_default());
    let expected = ["", "compaction", "request for the summary", "first request after the compaction"];
    assert!(differences.clone().skip(1).eq(expected.into_iter().skip(1)), "{rows}");
    assert_eq!(differences.count(), expected.len(), "{rows}");
    let system = next["system"].as_array().expect("blocks").iter().filter_map(|block| block["text"].as_str());
    assert_eq!(system.collect::<String>(), NEW);
    sandbox.run("preface conversation compact c1 --messages chat.jsonl").exits(2).prints("").says(
        "error: `--messages` needs the format of a service\nhelp: add `--format anthropic` or another; `--help` lists them\n",
    );
    sandbox.run("preface conversation compact c1 --format request").exits(2);
}

#[test]
fn a_request_is_for_the_model_of_the_stored_prompt() {
    let sandbox = Sandbox::new();
    sandbox.work("chat.jsonl", "{\"role\": \"user\", \"content\": \"Hello.\"}\n");
    let build = "preface build -q --conversation m1 --format anthropic --messages chat.jsonl";
    sandbox.run(&format!("{build} --model claude-opus-5-5")).exits(0);
    let body = sandbox.run(build).exits(0).says("").json();
    assert_eq!(body["model"], "claude-opus-5-5");
    let body = sandbox.run(&format!("{build} --model claude-haiku-5-5")).exits(0).json();
    assert_eq!(body["model"], "claude-haiku-5-5");
}

#[test]
fn a_refresh_shows_what_it_changes() {
    let sandbox = kept();
    let diff = |now: &str| {
        format!(
            "\
--- c1 (revision 1)  7 tokens, 28 bytes
+++ c1 ({now})  10 tokens, 39 bytes

added    +3 tokens  rules
changed   5 tokens  today
1 part the same
cache: the first 3 tokens (11 bytes) are the same; then `rules` differs, because of ~/.config/preface/append.md:1.

@@ -1,3 +1,5 @@ rules
 You help.
 
-It is 2026-03-07.
\\ No newline at end of file
+Be brief.
+
+It is 2026-04-01.
\\ No newline at end of file
"
        )
    };
    let ran = sandbox.run(&format!("preface conversation refresh c1 --dry-run {LATER}")).exits(0);
    assert_eq!(ran.stdout, diff("as it would be now"));
    assert_eq!(ran.stderr, "`c1` stays at revision 1.\n");
    sandbox.run("preface build --conversation c1 -q").exits(0).prints(BARE);
    let ran = sandbox.run(&format!("preface conversation refresh c1 {LATER}")).exits(0);
    assert_eq!(ran.stdout, diff("revision 2"));
    assert_eq!(ran.stderr, "`c1` is at revision 2 now.\n");
    sandbox.run("preface build --conversation c1 -q").exits(0).prints(NEW);
    sandbox
        .run(&format!("preface conversation refresh c1 {LATER}"))
        .exits(0)
        .says("`c1` stays at revision 2: nothing changed.\n");
}

#[test]
fn what_is_forgotten_begins_again() {
    let sandbox = kept();
    sandbox.run(&format!("preface build --conversation c2 -q {LATER}")).exits(0).prints(NEW);
    let purge = "preface conversation delete --older-than 2w --now 2026-04-02T00:00:00Z";
    sandbox
        .run(&format!("{purge} --dry-run"))
        .exits(0)
        .says("1 conversation not used since 2026-03-19T00:00:00Z would be deleted.\n");
    sandbox.run(purge).exits(0).says("Deleted 1 conversation not used since 2026-03-19T00:00:00Z.\n");
    // A dry run deletes nothing, however the conversation was chosen.
    for _ in 0..2 {
        sandbox.run("preface conversation delete c2 --dry-run").exits(0).says("`c2` would be deleted.\n");
    }
    let json = sandbox.run("preface conversation delete c2 --dry-run --format json").exits(0).json();
    assert_eq!(json, serde_json::json!({ "deleted": 1, "ids": ["c2"], "dry_run": true }));
    sandbox.run("preface conversation delete c1 --dry-run").exits(1);
    sandbox.run("preface conversation delete c1 c2").exits(1).says(
        "\
Deleted `c2`.
error: unknown conversation: `c1`
help: its first turn makes it; see the stored ones: `preface conversation list`
",
    );
    sandbox.run(&format!("preface build --conversation c1 -q {LATER}")).exits(0).prints(NEW);
}

#[test]
fn a_stored_template_reaches_old_conversations_at_their_compaction() {
    let sandbox = Sandbox::empty();
    sandbox.work("t.md", "One.");
    sandbox.run("preface template set t.md").exits(0);
    sandbox.run("preface build --preset template --conversation old -q").exits(0).prints("One.");
    sandbox.work("t.md", "Two.");
    sandbox.run("preface template set t.md").exits(0);
    sandbox.run("preface build --preset template --conversation old -q").exits(0).prints("One.");
    sandbox.run("preface build --preset template --conversation new -q").exits(0).prints("Two.");
    sandbox.run("preface conversation compact old -q").exits(0);
    sandbox.run("preface build --conversation old -q").exits(0).prints("Two.");
    let rows = sandbox.run("preface conversation list --template main --format json").exits(0).entries();
    let versions: Vec<_> =
        rows.as_array().unwrap().iter().map(|row| row["template"]["version"].clone()).collect();
    assert_eq!(versions, [2, 2]);
}

#[test]
fn the_audit_of_the_store_is_listed_exported_and_trimmed() {
    let sandbox = Sandbox::new();
    sandbox.run("preface conversation history --audit").exits(0).prints("Nothing happened yet.\n");
    sandbox.run("preface build --conversation c1 -q").exits(0);
    sandbox.run("preface build --conversation c2 -q").exits(0);
    sandbox.run("preface conversation delete c1").exits(0);
    let ran = sandbox.run("preface conversation history --audit").exits(0);
    let rows: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["at", "actor", "action", "subject", "detail"]);
    assert_eq!(rows[1][2..], ["local", "conversation.delete", "c1"]);
    assert_eq!(
        rows[2][2..],
        ["local", "conversation.create", "c2", "revision", "1,", "reason", "first-turn"]
    );
    let ran = sandbox.run("preface conversation history --audit --limit 1").exits(0);
    assert_eq!(
        (ran.stdout.lines().count(), ran.stderr.as_str()),
        (2, "There are more; `--limit N` or `--all` shows them.\n")
    );
    let all = sandbox.run("preface conversation history --audit --all --format json").exits(0).entries();
    assert_eq!((all.as_array().map(Vec::len), &all[2]["subject"]), (Some(3), &"c1".into()));
    assert!(all[2]["detail"]["fingerprint"].as_str().is_some_and(|digest| digest.starts_with("blake3:")));

    let trim = "preface conversation history --audit --trim-older-than 1d --now 2026-03-09T00:00:00Z";
    let before = "from before 2026-03-08T00:00:00Z";
    sandbox
        .run(&format!("{trim} --dry-run"))
        .exits(0)
        .says(&format!("2 entries {before} would be removed.\n"));
    sandbox.run(trim).exits(0).says(&format!("Removed 2 entries {before}.\n"));
    let left = sandbox.run("preface conversation history --audit --all --format json").exits(0).entries();
    let actions: Vec<&str> =
        left.as_array().expect("a list").iter().filter_map(|entry| entry["action"].as_str()).collect();
    assert_eq!(actions, ["audit.trim", "conversation.delete"]);
    sandbox.run("preface conversation history --audit --dry-run").exits(2);
}

#[test]
fn two_revisions_of_a_prompt_are_compared() {
    let sandbox = Sandbox::new();
    sandbox.run("preface build --conversation c1 -q").exits(0);
    sandbox.run("preface diff conversation:c1 --exit-code").exits(0);
    sandbox.home(".config/preface/append.md", "Be kind.\n");
    sandbox.run("preface conversation compact c1 -q --now 2026-03-07T14:55:05Z").exits(0);
    let ran = sandbox.run("preface diff conversation:c1 --exit-code").exits(1);
    assert!(
        ran.stdout.contains("c1 (revision 1)") && ran.stdout.contains("c1 (revision 2)"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("\n+Be kind."), "{}", ran.stdout);
    sandbox.run("preface diff conversation:c1@2 --exit-code").exits(0);
    sandbox
        .run("preface diff conversation:c1@7")
        .exits(1)
        .says("error: unknown revision: 7\nhelp: see the revisions: `preface conversation history ID`\n");
}
