//! Texts of an imported catalog in a profile: what takes whose place, what stays as it is written, and what refuses. The
//! catalogs are those of `crates/catalog/tests/catalogs`.
use preface_engine::host::system::{ReadScope, System};
use preface_engine::{
    ASSETS, BuildOptions, BuildResult, Engine, Error,
    catalogs::{self, ReplaceMode},
    core::{diagnostic::Severity, origin::Origin, pipeline::draft::AbsentReason},
};
use preface_testkit::MemorySystem;
use std::{fs, path::Path};

/// A profile of the user's: own words, and the prompts that may take their place.
const PROFILE: &str = r##"
extends = "default"
order = "harbour"

[options]
catalog = ""
style = ""

[orders]
harbour = ["watch", "safety", "status", "rounds", "pilot", "rope"]

[catalog.bind]
"<<BUILD_TIME>>" = "today"
"<<CCVERSION>>" = "7"
LAMP_TOOL_NAME = "Lamp"
ROPE_TOOL_NAME = "Rope"
"#d575d746" = "look\n- listen"
SAFETY_NOTE = { section = "safety" }
TIDE_NOW = "low"
TIDE_STATUS = { variable = "git:status" }
"WATCH_STYLE_CONFIG!==null" = { has = "option:style" }

[section.watch]
text = "OWN WATCH"
catalog = "System Prompt: Main watch"

[section.safety]
text = "OWN SAFETY"
merge_into = "watch"
catalog = "Agent Prompt: Catch notes"

[section.status]
text = "OWN STATUS"
catalog = "System Prompt: Tide status"

[section.rounds]
text = "OWN ROUNDS"
catalog = ["System Prompt: No such", "System Prompt: Doing rounds"]

[section.pilot]
text = "OWN PILOT"
catalog = "System Prompt: No such"

[section.rope]
catalog = "System Prompt: Rope care"
"##;

fn machine() -> MemorySystem {
    let mut system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir("/home/user")
        .with_dir("/work/app")
        .with_current_dir("/work/app")
        .with_file("/home/user/.config/preface/profiles/harbour.toml", PROFILE);
    for generation in ["a", "b"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalog/tests/catalogs").join(generation);
        let to = format!("/catalogs/{generation}");
        system =
            system.with_file(format!("{to}/README.md"), fs::read_to_string(from.join("README.md")).unwrap());
        for entry in fs::read_dir(from.join("system-prompts")).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let text = fs::read(entry.path()).unwrap();
            system = system.with_file(format!("{to}/system-prompts/{name}"), text);
        }
    }
    for generation in ["/catalogs/a", "/catalogs/b"] {
        catalogs::import(&system, Path::new(generation), None, ReplaceMode::No, &mut |_| ()).unwrap();
    }
    system
}

fn build(system: &MemorySystem, sets: &[&str]) -> Result<BuildResult, Error> {
    let mut request = BuildOptions::in_dir("/work/app");
    request.preset = Some("harbour".to_owned());
    request.sets = sets.iter().map(|set| (*set).to_owned()).collect();
    let status = "${TIDE_NOW} <<CCVERSION>> [if x]".to_owned();
    request.variables.insert("git:status".parse().unwrap(), Some(status.into()));
    Engine::new(system).build(&request)
}

fn text(built: &BuildResult, section: &str) -> String {
    let part = built.prompt.parts.iter().find(|part| part.section.as_str() == section);
    part.map(|part| built.prompt.text_of(part).trim().to_owned()).unwrap_or_default()
}

fn diagnostics(built: &BuildResult, code: &str) -> Vec<String> {
    let diagnostics = built.prompt.diagnostics.iter().filter(|diagnostic| diagnostic.code.as_str() == code);
    diagnostics.map(|diagnostic| diagnostic.message.clone()).collect()
}

/// The profile with other words.
fn with(system: MemorySystem, from: &str, to: &str) -> MemorySystem {
    assert!(PROFILE.contains(from), "{from}");
    system.with_file("/home/user/.config/preface/profiles/harbour.toml", PROFILE.replace(from, to))
}

#[test]
fn nothing_of_a_catalog_is_used_unless_one_is_chosen() {
    let built = build(&machine(), &[]).unwrap();
    for (section, words) in
        [("watch", "OWN WATCH"), ("safety", "OWN SAFETY"), ("rounds", "OWN ROUNDS"), ("rope", "")]
    {
        assert_eq!(text(&built, section), words);
    }
    assert!(
        built.prompt.diagnostics.iter().all(|diagnostic| !diagnostic.code.as_str().starts_with("catalog/"))
    );
}

#[test]
fn imported_texts_take_the_place_of_the_profiles_own() {
    let built = build(&machine(), &["catalog=2.1.50"]).unwrap();
    let watch = "You keep the log of a small harbour. Write short, plain entries.\n\nCount the crates.\n\n\
                 Who needs help should ask at the harbour office.\nEdition 7 of today";
    assert_eq!(text(&built, "watch"), watch);
    assert_eq!(
        text(&built, "rounds"),
        "# Rounds\nGo round twice a night.\nTake Lamp with you, and leave no gate open.\n- look\n- listen"
    );
    // Where the catalog has no such prompt, the profile's own text is used.
    assert_eq!(text(&built, "pilot"), "OWN PILOT");
    assert_eq!(
        diagnostics(&built, "catalog/no-prompt"),
        ["catalog 2.1.50 has no text for section `pilot`, section `rope`"]
    );
    assert_eq!(diagnostics(&built, "catalog/not-pinned").len(), 1);
    assert!(built.prompt.texts_version.as_deref().is_some_and(|texts| texts.starts_with("catalog.2.1.50.")));
}

#[test]
fn a_prompt_that_stands_in_another_one_is_not_included_twice() {
    let built = build(&machine(), &["catalog=2.1.50"]).unwrap();
    let absent = built.prompt.absent.iter().find(|absent| absent.section.as_str() == "safety").unwrap();
    assert_eq!((absent.reason, absent.why.as_str()), (AbsentReason::Merged, "its text is in `watch`"));
    assert_eq!(built.prompt.text.matches("Count the crates.").count(), 1);
    // Somebody's own words in the first place: then it is in its own.
    let own = machine().with_file("/home/user/.config/preface/sections/watch.md", "Mine.\n");
    let built = build(&own, &["catalog=2.1.50"]).unwrap();
    assert_eq!(
        (text(&built, "watch").as_str(), text(&built, "safety").as_str()),
        ("Mine.", "Count the crates.")
    );
}

#[test]
fn a_value_is_never_read_again() {
    let built = build(&machine(), &["catalog=2.1.50"]).unwrap();
    assert_eq!(
        text(&built, "status"),
        "Tide: low\nStatus:\n${TIDE_NOW} \\u{3c}\\u{3c}CCVERSION\\u{3e}\\u{3e} [if x]"
    );
    let part = built.prompt.parts.iter().find(|part| part.section.as_str() == "status").unwrap();
    let origins: Vec<String> = part.spans.iter().map(|span| span.origin.to_string()).collect();
    assert!(origins.contains(&"[git:status]".to_owned()), "{origins:?}");
    assert!(origins.contains(&"harbour.toml catalog.bind.TIDE_NOW".to_owned()), "{origins:?}");
    // Words are byte for byte those of the stored template.
    let system = machine();
    let index = catalogs::index(&system, "2.1.50").unwrap();
    let file = index.template("System Prompt: Tide status");
    let words = built.prompt.text_of(part);
    for span in &part.spans {
        let Origin::Source { span: bytes, lossy: false, .. } = &span.origin else { continue };
        assert_eq!(file[bytes.clone()], words[span.range.clone()]);
    }
}

#[test]
fn the_words_of_the_user_come_before_a_catalog() {
    let system = with(machine(), "text = \"OWN STATUS\"\n", "text = \"OWN STATUS\"\n").with_file(
        "/home/user/.config/preface/profiles/mine.toml",
        "extends = \"harbour\"\n[section.rounds]\ntext = \"MY ROUNDS\"\n",
    );
    let mut request = BuildOptions::in_dir("/work/app");
    request.preset = Some("mine".to_owned());
    request.sets = vec!["catalog=2.1.50".to_owned()];
    let built = Engine::new(&system).build(&request).unwrap();
    assert_eq!(text(&built, "rounds"), "MY ROUNDS");
    assert!(text(&built, "status").starts_with("Tide: low"));
}

#[test]
fn a_value_that_is_not_bound_leaves_the_profiles_own_words_and_a_condition_does_not_hold() {
    let system = with(machine(), "TIDE_NOW = \"low\"\n", "");
    let built = build(&system, &["catalog=2.1.50"]).unwrap();
    assert_eq!(text(&built, "status"), "OWN STATUS");
    let diagnostic = built
        .prompt
        .diagnostics
        .iter()
        .find(|diagnostic| diagnostic.code.as_str() == "catalog/unbound")
        .unwrap();
    assert_eq!(diagnostic.severity, Severity::Info);
    assert_eq!(
        diagnostic.message,
        "section `status` does not have its text of catalog 2.1.50: it has values that are not bound: `TIDE_NOW`"
    );
    let place = diagnostic.place.as_ref().unwrap();
    assert_eq!((place.path.as_str(), place.line), ("catalog 2.1.50/system-prompt-tide-status.md", Some(1)));
    let system = with(machine(), "\"WATCH_STYLE_CONFIG!==null\" = { has = \"option:style\" }", "");
    let built = build(&system, &["catalog=2.1.50", "style=x"]).unwrap();
    assert!(text(&built, "watch").contains("Write short, plain entries."));
    let built = build(&machine(), &["catalog=2.1.50", "style=x"]).unwrap();
    assert!(text(&built, "watch").contains("Write as the chosen style says."));
}

#[test]
fn what_is_no_expression_reaches_no_model() {
    let built = build(&machine(), &["catalog=2.1.130"]).unwrap();
    assert_eq!(text(&built, "rope"), "", "it has no words of its own");
    assert!(!built.prompt.text.contains("${HAS_ROPE"), "{}", built.prompt.text);
    let unbound = diagnostics(&built, "catalog/unbound");
    assert!(
        unbound[0].starts_with("section `rope` does not have its text of catalog 2.1.130: "),
        "{unbound:?}"
    );
}

/// A condition on a variable is that on its text, and a sum is that of its number.
#[test]
fn what_is_worked_out_from_a_variable_is_its_value() {
    let system = with(machine(), "TIDE_NOW = \"low\"", "TIDE_NOW = { variable = \"system:year\", add = -1 }");
    let mut request = BuildOptions::in_dir("/work/app");
    request.preset = Some("harbour".to_owned());
    request.sets = vec!["catalog=2.1.50".to_owned()];
    request.variables.insert("git:status".parse().unwrap(), Some("".into()));
    request.variables.insert("system:year".parse().unwrap(), Some("2026".into()));
    let built = Engine::new(&system).build(&request).unwrap();
    assert_eq!(text(&built, "status"), "Tide: 2025\nStatus:\n(slack water)");
}

#[test]
fn another_catalog_than_the_pinned_one_refuses() {
    let system = machine();
    let digest = catalogs::index(&system, "2.1.50").unwrap().digest;
    let pinned = format!("catalog=2.1.50@{}", &digest[.."blake3:".len() + 16]);
    assert!(diagnostics(&build(&system, &[&pinned]).unwrap(), "catalog/not-pinned").is_empty());
    for (set, what) in [
        ("catalog=2.1.50@blake3:0000000000000000", "is another than"),
        ("catalog=9.9.9", "is not imported"),
        ("catalog=../../etc", "not the version of a catalog"),
        ("catalog=2.1.50@abc", "not a digest"),
    ] {
        let error = build(&system, &[set]).unwrap_err().to_string();
        assert!(error.contains(what), "{set}: {error}");
    }
}

#[test]
fn a_changed_text_stops_the_build() {
    let system = machine();
    let path = catalogs::dir(&system).unwrap().join("2.1.50.json");
    let kept = system.read(&path, ReadScope::Anywhere, 1 << 20).unwrap();
    let kept = String::from_utf8(kept.bytes.to_vec()).unwrap();
    let system = system.with_file(path, kept.replace("Tide", "Tied"));
    let error = build(&system, &["catalog=2.1.50"]).unwrap_err().to_string();
    assert!(error.contains("a file of an imported catalog was changed"), "{error}");
}

/// A small catalog of our own in the places that the preset `claude-code` has for one.
#[test]
fn a_preset_takes_its_agents_and_tool_descriptions_from_a_catalog() {
    let file = |name: &str, variables: &str, body: &str| {
        format!(
            "<!--\nname: '{name}'\ndescription: d\nccVersion: 2.1.0\nvariables:\n{variables}-->\n{body}\n"
        )
    };
    let explore = file("Agent Prompt: Explore", "  - GREP_TOOL_NAME\n", "Look with \\`${GREP_TOOL_NAME}\\`.");
    let bash =
        file("Tool Description: Bash", "  - MAX_TIMEOUT_MS\n", "At most ${MAX_TIMEOUT_MS()/60000} minutes.");
    let system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir("/home/user")
        .with_dir("/work/app")
        .with_file("/small/system-prompts/agent-prompt-explore.md", explore)
        .with_file("/small/system-prompts/tool-description-bash.md", bash);
    let version = Some("2.1.9".to_owned());
    catalogs::import(&system, Path::new("/small"), version, ReplaceMode::No, &mut |_| ()).unwrap();
    let build = |agent: Option<&str>| {
        let mut request = BuildOptions::in_dir("/work/app");
        request.preset = Some("claude-code".to_owned());
        request.sets = vec!["catalog=2.1.9".to_owned()];
        request.agent = agent.map(str::to_owned);
        Engine::new(&system).build(&request).unwrap()
    };
    assert!(build(Some("explore")).prompt.text.starts_with("Look with `Grep`."));
    let main = build(None);
    let bash = main.tools.iter().find(|tool| tool.name == "Bash").unwrap();
    let description = bash.description.as_deref().unwrap();
    assert!(description.starts_with("At most 10 minutes.\n\ngit:\n"), "{description}");
    // The user's own agent of that name is used.
    let mine = "---\nname: explore\ndescription: Mine.\n---\nMY AGENT\n";
    let system = &system.clone().with_file("/home/user/.claude/agents/explore.md", mine);
    let mut request = BuildOptions::in_dir("/work/app");
    request.preset = Some("claude-code".to_owned());
    request.sets = vec!["catalog=2.1.9".to_owned()];
    request.agent = Some("explore".to_owned());
    assert!(Engine::new(system).build(&request).unwrap().prompt.text.starts_with("MY AGENT"));
}

/// A small catalog of our own, with texts where those of programs would make a prompt weaker.
fn claude_code(prompts: &[(&str, &str)], sets: &[&str]) -> BuildResult {
    let mut system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir("/home/user")
        .with_dir("/work/app")
        .with_file("/home/user/.claude/agents/mine.md", "---\nname: mine\ndescription: M\n---\nMINE\n")
        .with_file(
            "/home/user/.claude/output-styles/only.md",
            "---\nname: only\nkeep-coding-instructions: false\n---\nOnly.\n",
        );
    for (at, (name, body)) in prompts.iter().enumerate() {
        let names = ["TASK_TOOL_PREAMBLE", "GET_SESSIONS_PATH_FN", "GET_CWD_FN"];
        let names: String =
            names.iter().filter(|name| body.contains(**name)).map(|name| format!("  - {name}\n")).collect();
        let head =
            format!("<!--\nname: '{name}'\ndescription: d\nccVersion: 2.1.0\nvariables:\n{names}-->\n");
        system = system.with_file(format!("/small/system-prompts/p{at}.md"), format!("{head}{body}\n"));
    }
    catalogs::import(&system, Path::new("/small"), Some("2.1.9".to_owned()), ReplaceMode::No, &mut |_| ())
        .unwrap();
    let mut request = BuildOptions::in_dir("/work/app");
    request.preset = Some("claude-code".to_owned());
    request.sets = ["catalog=2.1.9"].iter().chain(sets).map(|set| (*set).to_owned()).collect();
    Engine::new(&system).build(&request).unwrap()
}

fn tool<'b>(built: &'b BuildResult, name: &str) -> &'b preface_engine::core::turn::Tool {
    built.tools.iter().find(|tool| tool.name == name).unwrap()
}

#[test]
fn a_catalog_leaves_whose_words_are_instructions_and_the_agents() {
    let built = claude_code(
        &[
            ("System Prompt: Main system prompt", "\n\nTHEIR MAIN"),
            ("System Prompt: Censoring assistance with malicious activities", "THEIR POLICY"),
            ("System Prompt: Agent memory instructions", "7. OF ANOTHER PROMPT"),
            ("System Prompt: Accessing past sessions", "Look in ${GET_SESSIONS_PATH_FN(GET_CWD_FN())}/."),
            ("Tool Description: Task", "${TASK_TOOL_PREAMBLE} THEIR TASK"),
            ("Tool Description: Glob", "THEIR GLOB"),
        ],
        &["memory=true", "sessions=true"],
    );
    assert!(built.prompt.text.starts_with("THEIR MAIN\n\n"), "{}", built.prompt.text);
    assert!(text(&built, "data-policy").contains("`system-reminder` blocks"));
    assert!(text(&built, "agent-memory").starts_with("# Memory"), "a prompt for another place takes none");
    assert_eq!(text(&built, "past-sessions"), "Look in /home/user/.claude/projects/.");
    let task = tool(&built, "Task").description.as_deref().unwrap();
    assert!(task.contains("THEIR TASK\n\nAgents:\n\n- explore:"), "{task}");
    assert!(task.ends_with("\n- mine: M"), "{task}");
    assert_eq!(tool(&built, "Glob").description.as_deref(), Some("THEIR GLOB"));
    assert!(!built.prompt.text.contains("THEIR GLOB"), "it is in the definition alone");
}

#[test]
fn a_schema_takes_the_parameter_names_of_a_catalogs_text_or_the_text_is_ours() {
    let built = claude_code(
        &[
            ("Tool Description: TodoWrite", "- activeForm: THEIRS"),
            ("Tool Description: Task", "Use the \\`resume\\` parameter."),
            ("Tool Description: NotebookEdit", "The cell_number is 0-indexed. Use edit_mode=insert."),
            ("Tool Description: Read", "not mapped"),
            ("Tool Description: ReadFile", "Use the \\`page_range\\` parameter."),
        ],
        &[],
    );
    let keys = |name: &str, path: &str| {
        let schema = tool(&built, name).input_schema.as_ref().unwrap();
        let fields = schema.pointer(path).and_then(serde_json::Value::as_object).unwrap();
        fields.keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(keys("TodoWrite", "/properties/todos/items/properties"), "content status activeForm");
    assert_eq!(keys("Task", "/properties"), "description prompt subagent_type run_in_background resume");
    assert_eq!(
        keys("NotebookEdit", "/properties"),
        "notebook_path cell_number new_source cell_type edit_mode"
    );
    assert!(tool(&built, "TodoWrite").description.as_deref().unwrap().contains("THEIRS"));
    assert!(tool(&built, "Read").description.as_deref().unwrap().starts_with("Reads a file"));
    let diagnostics = diagnostics(&built, "catalog/parameter");
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert!(
        diagnostics[0].starts_with("tool `Read` ")
            && diagnostics[0].contains("it names the parameter `page_range`"),
        "{diagnostics:?}"
    );
    // Without a catalog the schemas are those of the manifests.
    let plain = claude_code(&[("Tool Description: Glob", "x")], &[]);
    let schema = tool(&plain, "TodoWrite").input_schema.as_ref().unwrap();
    assert!(schema.pointer("/properties/todos/items/properties/active_form").is_some());
}

#[test]
fn each_order_takes_the_parts_that_only_a_catalog_has() {
    let prompts = [
        ("System Prompt: Tone and style", "\n\nTHEIR TONE\n\n"),
        ("System Prompt: Doing tasks", "THEIR TASKS"),
        ("System Prompt: Tool usage policy", "THEIR USAGE"),
    ];
    for order in ["seed", "catalog", "stable-first"] {
        let built = claude_code(&prompts, &[&format!("order={order}")]);
        for words in ["\n\nTHEIR TONE\n\n", "\n\nTHEIR TASKS\n\n", "\n\nTHEIR USAGE\n\n"] {
            assert!(built.prompt.text.contains(words), "{order}: {words}");
        }
        assert!(!built.prompt.text.contains("\n\n\n"), "{order}: no gap is wider than another");
    }
    let only = claude_code(&prompts, &["outputStyle=only"]);
    assert!(only.prompt.text.contains("THEIR TONE") && !only.prompt.text.contains("THEIR TASKS"));
}
