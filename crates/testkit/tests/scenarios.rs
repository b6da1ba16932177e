//! Scenarios: what each request of a conversation holds after the hooks. The scenarios lie beside this file.
//!
//! Each is checked twice. The views below are written by hand from the rules. The records (`<scenario>.<variant>.txt`) hold
//! the request bytes and the explanation of each prompt; `PREFACE_RECORD=1 cargo test -p preface-testkit --test scenarios`
//! writes them again, and the difference is for a person to read.

use preface_engine::{
    ASSETS, BuildOptions, ToolChoice,
    core::{
        explain::{Labels, spans_view},
        format::{self, RequestContent},
        message::ModelMessage,
        prompt::Prompt,
    },
    host::system::testing::MemorySystem,
};
use preface_testkit::scenario::{Scenario, ScenarioRecord};
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The seed's own, and one whose prompt is named sections and whose tools change within a run.
const VARIANTS: [&str; 2] = ["sf", "0.87"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios")
}

fn machine() -> MemorySystem {
    MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir("/work")
        .with_file("/work/more/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies up.\n---\nSweep.\n")
}

fn request(variant: &str) -> BuildOptions {
    BuildOptions {
        preset: Some("pi".to_owned()),
        tools: ToolChoice::Named(vec!["read".to_owned(), "bash".to_owned()]),
        now: Some("2026-03-07T14:55:05Z".to_owned()),
        zone: Some("America/Chicago".to_owned()),
        sets: vec![format!("variant={variant}"), "docs=false".to_owned()],
        ..BuildOptions::in_dir("/work")
    }
}

fn play(name: &str, variant: &str) -> ScenarioRecord {
    let file = folder().join(format!("{name}.json"));
    let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let scenario =
        Scenario::read(name, &bytes).unwrap_or_else(|error| panic!("{name}: {error} {:?}", error.place));
    let record = scenario.play(Arc::new(machine()), request(variant)).expect("it plays");
    for prompt in record.calls.iter().map(|call| &call.prompt).chain([&record.base, &record.base_after]) {
        prompt.check_tiling().unwrap_or_else(|why| panic!("{name}, {variant}: {why}"));
    }
    record
}

/// All scenarios, by name.
fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// Each request in short: its prompt beside the base before the first step, or after the last one; tools; messages.
fn view(record: &ScenarioRecord) -> String {
    let mut out = String::new();
    for call in &record.calls {
        let tools: Vec<&str> = call.tools.iter().map(|tool| tool.name.as_str()).collect();
        let beside = |name: &str, base: &Prompt| {
            call.prompt.text.strip_prefix(base.text.as_str()).map(|more| match more {
                "" => format!("={name}"),
                more => format!("={name}+{more:?}"),
            })
        };
        let prompt = match call.prompt.text.len() {
            0..60 => format!("{:?}", call.prompt.text),
            _ => beside("base", &record.base)
                .or_else(|| beside("after", &record.base_after))
                .unwrap_or_else(|| "another".to_owned()),
        };
        let _ = writeln!(out, "{prompt} [{}]", tools.join(" "));
        for message in &call.messages {
            let _ = writeln!(out, "  {}", describe(message));
        }
    }
    out
}

fn describe(message: &ModelMessage) -> String {
    let calls = message.fields()["content"].as_array().into_iter().flatten();
    let calls: Vec<&str> = calls.filter_map(|block| block.get("name")?.as_str()).collect();
    match calls.as_slice() {
        [] => format!("{}: {}", message.role().as_str(), message.text().replace('\n', "\\n")),
        calls => format!("{}: {}()", message.role().as_str(), calls.join(" ")),
    }
}

/// Scenario, the variants that the view is for, the view.
const VIEWS: &[(&str, &[&str], &str)] = &[
    (
        // §6.4: what one left is there for the next; nothing of it is kept; the prompt is not touched.
        "context",
        &VARIANTS,
        "=base [read bash]\n  user: one\n  user: for this request\n  user: in place\n\
         =base [read bash]\n  user: one\n  assistant: first\n  user: two\n  user: for this request\n  user: in place\n",
    ),
    (
        // §6.5, §6.6: both builds list the skill, and the failing hook is skipped.
        "discover",
        &VARIANTS,
        "=base [read bash]\n  user: one\n\
         =base [read bash]\n  user: one\n  assistant: done\n  user: two\n",
    ),
    (
        // §6.5: transformations chain, and a failing one is skipped.
        "input",
        &VARIANTS,
        "=base [read bash]\n  user: one, please!\n\
         =base [read bash]\n  user: one, please!\n  assistant: done\n  user: , please!\n",
    ),
    ("input_handled", &VARIANTS, ""),
    (
        // §7.1, §7.2: history, the person's words, next-turn messages, messages of hooks.
        "messages",
        &VARIANTS,
        "=base [read bash]\n  user: now\n  user: Ran `make check`\\n```\\n1 failed\\n```\\n\\nCommand exited with code 2\n  \
         user: Ran `sleep 9`\\n(no output)\\n\\n(command cancelled)\n  \
         user: Ran `find /`\\n```\\na\\nb\\n```\\n\\n[Output truncated. Full output: /tmp/all]\n  \
         user: one\n  user: for the next turn\n  user: It is late.\n  user: Two\\nblocks\n\
         =base [read bash]\n  user: now\n  user: Ran `make check`\\n```\\n1 failed\\n```\\n\\nCommand exited with code 2\n  \
         user: Ran `sleep 9`\\n(no output)\\n\\n(command cancelled)\n  \
         user: Ran `find /`\\n```\\na\\nb\\n```\\n\\n[Output truncated. Full output: /tmp/all]\n  \
         user: one\n  user: for the next turn\n  user: It is late.\n  user: Two\\nblocks\n  assistant: first\n  \
         user: two\n  user: It is late.\n  user: Two\\nblocks\n",
    ),
    (
        // D3: no change, for later handlers and for the request.
        "one_answers_empty",
        &VARIANTS,
        "=base+\"\\nUse tabs.\" [read bash]\n  user: one\n\
         =base [read bash]\n  user: one\n  assistant: done\n  user: two\n",
    ),
    (
        // D3: the explicit form.
        "one_empties",
        &VARIANTS,
        "\"\" [read bash]\n  user: one\n\
         =base+\"\\nUse tabs.\" [read bash]\n  user: one\n  assistant: done\n  user: two\n",
    ),
    ("one_replaces", &VARIANTS, "\"You write verse. Use tabs.\" [read bash]\n  user: one\n"),
    (
        // §6.2, §6.4: reported, skipped, and the chain goes on.
        "one_throws",
        &VARIANTS,
        "=base+\"\\nBe brief.\\nUse tabs.\" [read bash]\n  user: one\n  user: seen by all\n  user: put into the list\n",
    ),
    (
        "registered_tools",
        &VARIANTS,
        "=base [read bash lines snip blank]\n  user: one\n\
         another [snip bash lines]\n  user: one\n  assistant: done\n  user: two\n\
         =after []\n  user: one\n  assistant: done\n  user: two\n  assistant: done\n  user: three\n",
    ),
    (
        // §6.2: the change lasts for this run; messages are stored.
        "resets",
        &VARIANTS,
        "=base+\"\\nBe brief.\" [read bash]\n  user: one\n  user: Said once.\n\
         =base [read bash]\n  user: one\n  user: Said once.\n  assistant: done\n  user: two\n",
    ),
    (
        // D4, §6.3: the text of this very run is rebuilt, and what hooks added is behind it.
        "switches_tools",
        &VARIANTS,
        "=after+\"\\nOnly read.\\nUse tabs.\" [read]\n  user: one\n\
         =after+\"\\nOnly read.\\nUse tabs.\" [read]\n  user: one\n  assistant: done\n  user: two\n",
    ),
    ("switches_tools_below_a_replacement", &VARIANTS, "\"You write verse.\" [read]\n  user: one\n"),
    (
        "tool_call_blocked",
        &VARIANTS,
        "=base [read bash send]\n  user: one\n\
         =base [read bash send]\n  user: one\n  assistant: send()\n  toolResult: not to x\n",
    ),
    (
        // §6.5: the tool fails with the words of the hook.
        "tool_call_fails_closed",
        &VARIANTS,
        "=base [read bash send]\n  user: one\n\
         =base [read bash send]\n  user: one\n  assistant: send()\n  toolResult: the guard crashed\n",
    ),
    (
        "tool_calls",
        &VARIANTS,
        "=base [read bash send look]\n  user: one\n\
         =base [read bash send look]\n  user: one\n  assistant: look()\n  toolResult: nothing there\n\
         =base [read bash send look]\n  user: one\n  assistant: look()\n  toolResult: nothing there\n  \
         assistant: send()\n  toolResult: ok\n\
         =base [read bash send look]\n  user: one\n  assistant: look()\n  toolResult: nothing there\n  \
         assistant: send()\n  toolResult: ok\n  assistant: nobody()\n  toolResult: Tool nobody not found\n",
    ),
    (
        // §6.3: at the end of a turn it applies at the next run.
        "tools_at_turn_end",
        &["sf"],
        "=base+\"\\nPlan first.\" [read bash plan]\n  user: one\n\
         =base+\"\\nPlan first.\" [read bash plan]\n  user: one\n  assistant: plan()\n  toolResult: planned\n\
         =after [read bash]\n  user: one\n  assistant: plan()\n  toolResult: planned\n  assistant: done\n  user: two\n\
         =after [read bash]\n  user: one\n  assistant: plan()\n  toolResult: planned\n  assistant: done\n  user: two\n  \
         assistant: plan()\n  toolResult: Tool plan not found\n",
    ),
    (
        // In `0.87` from the next request on; the prompt that a hook set is kept to the end of the run (D13).
        "tools_at_turn_end",
        &["0.87"],
        "=base+\"\\nPlan first.\" [read bash plan]\n  user: one\n\
         =base+\"\\nPlan first.\" [read bash]\n  user: one\n  assistant: plan()\n  toolResult: planned\n\
         =after [read bash]\n  user: one\n  assistant: plan()\n  toolResult: planned\n  assistant: done\n  user: two\n\
         =after [read bash]\n  user: one\n  assistant: plan()\n  toolResult: planned\n  assistant: done\n  user: two\n  \
         assistant: plan()\n  toolResult: Tool plan not found\n",
    ),
    (
        "two_chained",
        &VARIANTS,
        "=base+\"\\nBe brief.\\nUse tabs.\\nNo jokes.\" [read bash]\n  user: one\n\
         =base+\"\\nBe brief.\\nUse tabs.\\nNo jokes.\" [read bash]\n  user: one\n  assistant: done\n  user: two\n",
    ),
    (
        // D9: hooks run whoever starts the run.
        "woken",
        &VARIANTS,
        "=base+\"\\nYou were woken.\" [read bash]\n  user: wake up\n\
         =base+\"\\nYou were woken.\" [read bash]\n  user: wake up\n  assistant: awake\n  user: one\n\
         =base+\"\\nYou were woken.\" [read bash]\n  user: wake up\n  assistant: awake\n  user: one\n  assistant: done\n  \
         user: again\n",
    ),
];

#[test]
fn each_request_holds_what_the_rules_require() {
    for (name, variants, expected) in VIEWS {
        for variant in *variants {
            assert_eq!(view(&play(name, variant)), *expected, "{name}, {variant}");
        }
    }
}

#[test]
fn no_scenario_is_forgotten() {
    for name in names() {
        for variant in VARIANTS {
            let there = VIEWS.iter().any(|(view, variants, _)| *view == name && variants.contains(&variant));
            assert!(there, "{name} has a view for {variant}");
        }
    }
}

/// The codes of diagnostics and the failures, by scenario; all others have none.
#[test]
fn failures_are_reported() {
    for name in names() {
        let record = play(&name, "sf");
        let expected: &[&str] = match name.as_str() {
            "discover" | "input" => &["hook/error"],
            "one_throws" => &["hook/error", "hook/error", "hook/error"],
            "one_answers_empty" => &["hook/empty-prompt"],
            "one_empties" | "one_replaces" => &["hook/removed"],
            "registered_tools" | "switches_tools" => &["tool/unknown"],
            "switches_tools_below_a_replacement" => &["hook/removed", "hook/stale-override"],
            "messages" => &["messages/excluded"],
            _ => &[],
        };
        let codes: Vec<&str> = record.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        assert_eq!(codes, expected, "{name}: {:#?}", record.diagnostics);
        let failed: Vec<String> =
            record.errors.iter().map(|one| format!("{} {} {}", one.ext, one.event, one.error)).collect();
        let expected: &[&str] = match name.as_str() {
            "discover" => &["broken resources_discover no disk", "broken resources_discover no disk"],
            "input" => &["broken input no words", "broken input no words"],
            "one_throws" => &[
                "broken resources_discover no disk",
                "broken before_agent_start no connection",
                "broken context no list",
            ],
            _ => &[],
        };
        assert_eq!(failed, expected, "{name}");
    }
}

/// §3.4, §3.5: the texts of tools that extensions bring.
#[test]
fn the_texts_of_registered_tools_follow_the_variant() {
    let record = play("registered_tools", "sf");
    let section = |prompt: &Prompt, id: &str| -> String {
        let parts = prompt.parts.iter().filter(|part| part.section.as_str() == id);
        parts.map(|part| prompt.text_of(part)).collect()
    };
    assert_eq!(
        section(&record.calls[0].prompt, "tools"),
        "\n\nAvailable tools:\n- read: Read better\n- bash: Execute bash commands (ls, grep, find, etc.)\n\
         - lines: more than one line\n- snip: one two three\n- blank: blank"
    );
    assert_eq!(
        section(&record.calls[1].prompt, "guidelines"),
        "\n\nGuidelines:\n- Use bash for file operations like ls, rg, find\n- shared\n- Be concise in your responses\n\
         - use lines\n- Show file paths clearly when working with files"
    );
    assert_eq!(section(&record.calls[2].prompt, "tools"), "\n\nAvailable tools:\n(none)");
    let tagged = play("registered_tools", "0.87");
    assert_eq!(
        section(&tagged.calls[1].prompt, "tools"),
        "\n\n<tools>\n- snip: one two three\n- bash: Execute bash commands (ls, grep, find, etc.)\n\n\
         In addition to the tools above, you may have access to other custom tools depending on the project.\n</tools>"
    );
}

/// BuildOptions bytes and explanations, as recorded.
#[test]
fn requests_and_explanations_are_as_recorded() {
    let write = std::env::var_os("PREFACE_RECORD").is_some();
    for name in names() {
        for variant in VARIANTS {
            let file = folder().join(format!("{name}.{variant}.txt"));
            let now = recorded(&play(&name, variant));
            if write {
                fs::write(&file, now).expect("a record");
                continue;
            }
            let before =
                fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            assert_eq!(now, before, "{name}, {variant}");
            // A hook handles the only input of this one, so there is no request.
            assert_eq!(now.is_empty(), name == "input_handled", "{name}, {variant}: an empty record");
        }
    }
    assert!(
        !write,
        "the records are written: review the difference, then run the test without PREFACE_RECORD"
    );
}

#[test]
fn each_record_has_a_scenario() {
    let known: Vec<String> =
        names().iter().flat_map(|name| VARIANTS.map(|variant| format!("{name}.{variant}.txt"))).collect();
    for entry in fs::read_dir(folder()).expect("the folder") {
        let file = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        assert!(
            file.ends_with(".json") || file == "README.md" || known.contains(&file),
            "`{file}` belongs to no scenario"
        );
    }
}

/// The bytes of each request, what made its prompt, and the origin of each run of its bytes; what is as it was a request
/// ago is not repeated.
fn recorded(record: &ScenarioRecord) -> String {
    let mut out = String::new();
    let mut before: Option<(String, String)> = None;
    for (at, call) in record.calls.iter().enumerate() {
        let content = RequestContent {
            messages: &call.messages,
            tools: &call.tools,
            ..RequestContent::from(&call.prompt)
        };
        let request = format::find("request").unwrap().format(content);
        let body: serde_json::Value = serde_json::from_str(&request.body).expect("a request is JSON");
        assert_eq!(
            body["system"].as_str().unwrap_or_default(),
            call.prompt.text,
            "the prompt is sent as it is"
        );
        let surface = format!("{}\n{}", call.prompt.text, body["tools"]);
        let explained = explained(&call.prompt);
        let same = before.as_ref().is_some_and(|(seen, _)| *seen == surface);
        let _ = writeln!(out, "# request {}: {} bytes", at + 1, request.body.len());
        if same {
            let messages = serde_json::to_string_pretty(&body["messages"]).expect("JSON");
            let _ = writeln!(out, "system and tools as before; messages:\n{messages}");
        } else {
            out.push_str(&request.body);
        }
        if before.as_ref().is_none_or(|(_, seen)| *seen != explained) {
            let _ = write!(out, "# explained\n{explained}");
        }
        before = Some((surface, explained));
    }
    for diagnostic in &record.diagnostics {
        let _ = writeln!(out, "# {} {}: {}", diagnostic.code, diagnostic.severity, diagnostic.message);
    }
    out
}

fn explained(prompt: &Prompt) -> String {
    let mut out = String::new();
    for trigger in &prompt.triggers {
        let sections: Vec<&str> = trigger.sections.iter().map(|id| id.as_str()).collect();
        let by = trigger.by.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
        let _ = writeln!(out, "{}{by}: {}", trigger.kind, sections.join(" "));
    }
    for row in spans_view(prompt, &mut Labels::default()) {
        let _ = writeln!(
            out,
            "{:>5}-{:<5} {:<12} {}  {}",
            row.range.start,
            row.range.end,
            row.section.as_str(),
            row.label,
            row.excerpt
        );
    }
    for one in &prompt.absent {
        let _ = writeln!(out, "absent {}: {}", one.section, one.why);
    }
    out
}
