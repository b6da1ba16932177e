//! What the preset `claude-code` promises, a test for each line, named after it. The order is `claude_code_order.rs`, subagents are
//! `claude_code_agents.rs`, instruction files `cases/claude-code/claude-md.md`.
use preface_engine::{
    ASSETS, BuildOptions, BuildResult, Conversation, Engine, Error, ToolChoice, core::prompt::fingerprint,
    coverage::HiddenText,
};
use preface_testkit::MemorySystem;

fn machine() -> MemorySystem {
    MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir("/home/user/.claude")
        .with_dir("/work/app")
        .with_current_dir("/work/app")
}

fn preset_request(sets: &[&str]) -> BuildOptions {
    BuildOptions {
        preset: Some("claude-code".into()),
        sets: sets.iter().map(|set| (*set).to_owned()).collect(),
        now: Some("2026-03-07T14:55:05Z".into()),
        ..BuildOptions::in_dir("/work/app")
    }
}

fn build(system: &MemorySystem, sets: &[&str]) -> BuildResult {
    Engine::new(system).build(&preset_request(sets)).expect("it builds")
}

fn text(system: &MemorySystem, sets: &[&str]) -> String {
    build(system, sets).prompt.text
}

fn ids(built: &BuildResult) -> Vec<&str> {
    built.prompt.parts.iter().map(|part| part.section.as_str()).collect()
}

/// The part of a section, without the gap before it.
fn part<'b>(built: &'b BuildResult, id: &str) -> &'b str {
    let part = built.prompt.parts.iter().find(|part| part.section.as_str() == id).expect("the part is there");
    built.prompt.text_of(part).trim_start_matches('\n')
}

#[test]
fn conditional_inclusion_tool_docs_only_included_when_tool_is_enabled() {
    let docs =
        [("Glob", "glob-docs"), ("Grep", "grep-docs"), ("Edit", "search-replace"), ("TodoWrite", "todo")];
    let system = machine();
    for subset in 0..1_u32 << docs.len() {
        let active: Vec<String> =
            (0..docs.len()).filter(|at| subset & (1 << at) != 0).map(|at| docs[at].0.to_owned()).collect();
        let request = BuildOptions { tools: ToolChoice::Named(active.clone()), ..preset_request(&[]) };
        let built = Engine::new(&system).build(&request).expect("it builds");
        for (tool, id) in docs {
            let is_active = active.iter().any(|name| name == tool);
            assert_eq!(ids(&built).contains(&id), is_active, "`{id}` with {active:?}");
            let absent = built.prompt.absent.iter().find(|absent| absent.section.as_str() == id);
            let why = absent.map(|absent| absent.why.as_str());
            assert_eq!(why.is_some_and(|why| why.contains(&format!("tool:{tool}"))), !is_active, "{why:?}");
        }
    }
}

/// Every text of the preset, with every variable that it can name there and not there.
#[test]
fn interpolation_all_template_variables_resolve_correctly() {
    let all = [
        "sessions=true",
        "memory=true",
        "version=9.9",
        "buildTime=today",
        "packageUrl=https://p.example",
        "readmeUrl=https://r.example",
        "issuesExplainer=write to us",
        "feedbackChannel=#help",
        "outputStyle=Learning",
    ];
    let system = machine().with_file("/work/app/CLAUDE.md", "Tabs.\n");
    for sets in [&all[..], &[]] {
        let built = build(&system, sets);
        let codes: Vec<&str> =
            built.prompt.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        assert!(!codes.iter().any(|code| code.starts_with("template/")), "{codes:?}");
        let described = built.tools.iter().filter_map(|tool| tool.description.as_deref());
        for text in described.chain([built.prompt.text.as_str()]) {
            for open in
                ["[if ", "[else]", "[endif]", "[prompt:", "[system:", "[tool:", "[option:", "[section:", "${"]
            {
                assert!(!text.contains(open), "{open} in {text}");
            }
        }
        for set in sets.iter().filter(|set| set.contains("://") || set.contains('.')) {
            let value = set.split_once('=').map_or("", |(_, value)| value);
            assert!(built.prompt.text.contains(value), "{value}");
        }
    }
}

/// Seed 003 §6: the cwd's three names, then each parent's from the nearest to the root.
#[test]
fn claude_md_hierarchy_files_loaded_in_correct_priority() {
    let system = machine()
        .with_file("/CLAUDE.md", "Root.")
        .with_file("/work/CLAUDE.md", "Parent.")
        .with_file("/work/.claude/CLAUDE.md", "Not a file of a parent's.")
        .with_file("/work/app/CLAUDE.local.md", "Local.\n")
        .with_file("/work/app/.claude/CLAUDE.md", "  Inner.")
        .with_file("/work/app/CLAUDE.md", "Own.\n\n");
    let joined = "Own.\n\n\n\n---\n\n  Inner.\n\n---\n\nLocal.\n\n\n---\n\nParent.\n\n---\n\nRoot.";
    assert!(text(&system, &[]).ends_with(&format!("\n\n{joined}")), "{}", text(&system, &[]));
    let joined = "Root.\n\n---\n\nParent.\n\n---\n\nNot a file of a parent's.\n\n---\n\nOwn.\n\n\n\n---\n\n  Inner.\n\n---\n\nLocal.\n";
    assert!(text(&system, &["claudeMd.order=root-first"]).ends_with(&format!("\n\n{joined}")));
}

/// Equal passes; one more fails with the seed's words. Four bytes are a token, begun ones are none.
#[test]
fn token_budget_assembled_prompt_stays_within_context_budget() {
    let system = machine();
    let whole = text(&system, &[]);
    let tokens = whole.len() / 4;
    let within =
        |max: usize| Engine::new(&system).build(&BuildOptions { budget: Some(max), ..preset_request(&[]) });
    assert_eq!(within(tokens).expect("equal passes").prompt.text, whole);
    match within(tokens - 1) {
        Err(Error::Over(over)) => {
            let words = format!("system prompt {tokens} tokens exceeds budget {}", tokens - 1);
            assert_eq!(over.to_string(), words);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn custom_override_completely_replaces_the_assembled_prompt() {
    let custom = "  Only this.\n\n[prompt:cwd] \n";
    let system = machine().with_file("/work/app/CLAUDE.md", "Tabs.\n");
    assert_eq!(text(&system, &[&format!("systemPrompt={custom}")]), custom);
    assert_eq!(text(&system, &[&format!("systemPrompt.custom={custom}")]), custom);
    assert_eq!(
        text(&system, &["systemPrompt.custom="]),
        text(&system, &[]),
        "an empty one counts as not set"
    );
    // `append` is ignored beside it, and reported; where the two are combined, it follows.
    let both = [format!("systemPrompt.custom={custom}"), "systemPrompt.append=More.".to_owned()];
    let both: Vec<&str> = both.iter().map(String::as_str).collect();
    let built = build(&system, &both);
    assert_eq!(built.prompt.text, custom);
    assert!(built.prompt.diagnostics.iter().any(|diagnostic| diagnostic.code.as_str() == "prompt/ignored"));
    let combined = [both, vec!["systemPrompt.combine=true"]].concat();
    assert_eq!(text(&system, &combined), format!("{custom}\n\nMore."));
    let settings = format!(r#"{{"systemPrompt": {}}}"#, serde_json::json!(custom));
    assert_eq!(text(&machine().with_file("/home/user/.claude/preface.json", settings), &[]), custom);
}

/// Without a grant a project's settings change nothing, with one they are those of the nearest layer.
#[test]
fn a_project_replaces_none_of_the_users_own_text_without_a_grant() {
    let settings = |value: &str| format!(r#"{{"systemPrompt": {value}}}"#);
    let system = |user: &str, project: &str| {
        machine()
            .with_file("/home/user/.claude/preface.json", settings(user))
            .with_file("/work/app/.claude/preface.json", settings(project))
    };
    let build = |system: &MemorySystem| {
        let built = build(system, &[]);
        let codes = built
            .prompt
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.code.as_str() == "trust/untrusted")
            .count();
        (built.prompt.text, codes)
    };
    for project in
        [r#"{"custom": ""}"#, r#"{"custom": null}"#, r#"{"custom": "theirs"}"#, r#""theirs""#, "null"]
    {
        assert_eq!(build(&system(r#"{"custom": "MINE"}"#, project)), ("MINE".to_owned(), 1), "{project}");
    }
    for project in [r#"{"append": ""}"#, r#"{"append": null}"#, r#"{"append": "theirs"}"#, "null"] {
        let (text, untrusted) = build(&system(r#"{"append": "never push"}"#, project));
        assert!(text.ends_with("\n\nnever push"), "{project}: {text}");
        assert_eq!(untrusted, 1, "{project}");
    }
    let granted = system(r#"{"append": "never push"}"#, r#"{"append": "theirs"}"#);
    preface_testkit::grant(&Engine::new(&granted), &preset_request(&[]), &[], HiddenText::Refuse)
        .expect("a grant");
    let (text, untrusted) = build(&granted);
    assert!(text.ends_with("\n\ntheirs") && untrusted == 0, "{text}");
}

/// One value of the user's settings names the preset and appends to it, wherever the preset's own settings are.
#[test]
fn a_setting_that_names_the_preset_appends_to_it() {
    let settings = r#"{"systemPrompt": {"type": "preset", "preset": "claude_code", "append": "APP"}}"#;
    let system = machine().with_file("/home/user/.config/preface/settings.json", settings);
    let request = BuildOptions::in_dir("/work/app");
    let built = Engine::new(&system).build(&request).expect("it builds");
    assert!(built.prompt.text.ends_with("\n\nAPP"), "{}", built.prompt.text);
    let other = BuildOptions { preset: Some("pi".into()), ..BuildOptions::in_dir("/work/app") };
    assert!(!Engine::new(&system).build(&other).expect("it builds").prompt.text.contains("APP"));
    let nearer =
        system.with_file("/home/user/.claude/preface.json", r#"{"systemPrompt": {"append": "NEAR"}}"#);
    assert!(Engine::new(&nearer).build(&request).expect("it builds").prompt.text.ends_with("\n\nNEAR"));
}

/// A profile that extends the preset adds a section by its table alone; `after` is for another place.
#[test]
fn a_section_of_a_profile_that_extends_the_preset_is_included() {
    let profile = "extends = \"claude-code\"\n[section.review]\ntext = \"REVIEW\"\n[section.early]\ntext = \"EARLY\"\nafter = \"main\"\n";
    let system = machine().with_file("/home/user/.config/preface/profiles/mine.toml", profile);
    let request = BuildOptions {
        preset: Some("mine".into()),
        ..preset_request(&["outputStyle=Concise", "systemPrompt.append=LAST"])
    };
    let built = Engine::new(&system).build(&request).expect("it builds");
    let ids = ids(&built);
    assert!(ids.ends_with(&["output-style", "review", "append"]), "{ids:?}");
    assert_eq!(ids[..2], ["main", "early"]);
    let agent =
        BuildOptions { agent: Some("explore".into()), preset: Some("mine".into()), ..preset_request(&[]) };
    assert!(!Engine::new(&system).build(&agent).expect("it builds").prompt.text.contains("REVIEW"));
}

#[test]
fn preset_and_append_appends_correctly() {
    let append = "\n  Last words. [prompt:cwd]\n\n";
    // One line of the main part names the source, so that it is known which text wins.
    let (before, named) =
        ("of these, the\n  later wins\n", "- the user's text at the very end of this prompt\n");
    let plain = text(&machine(), &[]).replacen(before, &format!("{before}{named}"), 1);
    assert!(plain.contains(named));
    let set = format!("systemPrompt.append={append}");
    assert_eq!(text(&machine(), &["systemPrompt.preset=claude_code", &set]), format!("{plain}\n\n{append}"));
    let settings = serde_json::json!({
        "systemPrompt": { "type": "preset", "preset": "claude_code", "append": append },
    });
    let system = machine().with_file("/home/user/.claude/preface.json", settings.to_string());
    let built = build(&system, &[]);
    assert_eq!(built.prompt.text, format!("{plain}\n\n{append}"));
    assert_eq!(ids(&built).last(), Some(&"append"));
    let error =
        Engine::new(&machine()).build(&preset_request(&["systemPrompt.preset=claude_cod"])).unwrap_err();
    assert_eq!(error.to_string(), "unknown preset: `claude_cod`");
}

#[test]
fn mcp_docs_connected_server_tools_appear_in_the_documentation() {
    let servers = r#"{"mcpServers": {"git": {"command": "git-mcp"}, "wiki": {"command": "wiki-mcp"}}}"#;
    let recorded = r#"{"instructions": "Ask first.", "tools": [{"name": "push", "description": "Pushes."}, {"name": "log"}]}"#;
    let system = machine()
        .with_file("/home/user/.claude/mcp.json", servers)
        .with_file("/home/user/.claude/mcp-descriptions/git.json", recorded);
    let built = build(&system, &[]);
    let section = part(&built, "mcp-servers");
    for text in ["## git", "## wiki", "- mcp__git__log\n- mcp__git__push: Pushes.", "Ask first."] {
        assert!(section.contains(text), "`{text}` in {section}");
    }
    for tool in built.tools.iter().filter(|tool| tool.is_of_server()) {
        assert!(section.contains(&format!("- {}", tool.name)), "{}", tool.name);
    }
    // The list follows the tools when the prompt of a conversation is built again.
    let setup = Conversation::setup(std::sync::Arc::new(system.clone()), preset_request(&[]));
    let mut conversation = setup.start().expect("a conversation");
    conversation.set_active_tools(&["Read".to_owned()]).expect("other tools");
    assert!(conversation.refresh().expect("another prompt"));
    assert!(!conversation.prompt().text.contains("- mcp__git__push"), "{}", conversation.prompt().text);
    conversation.set_active_tools(&["Read".to_owned(), "mcp__git__log".to_owned()]).expect("other tools");
    assert!(conversation.refresh().expect("another prompt"));
    assert!(conversation.prompt().text.contains("- mcp__git__log\n"), "{}", conversation.prompt().text);
    assert!(!conversation.prompt().text.contains("mcp__git__push"));
    // A list that is too long is cut at the ceiling of its part.
    let tools: Vec<_> = (0..200)
        .map(|at| serde_json::json!({"name": format!("t{at:03}"), "description": "x".repeat(1_500)}))
        .collect();
    let many = serde_json::json!({ "tools": tools }).to_string();
    let long = build(&system.with_file("/home/user/.claude/mcp-descriptions/git.json", many), &[]);
    assert!(part(&long, "mcp-servers").len() / 4 <= 4_000);
    assert!(long.prompt.diagnostics.iter().any(|diagnostic| diagnostic.code.as_str() == "budget/cut"));
    assert!(!ids(&build(&machine(), &[])).contains(&"mcp-servers"));
}

#[test]
fn output_style_changes_the_main_part_and_adds_a_part_of_its_own() {
    let style = "---\ndescription: Short.\n---\n\nAnswer in one line.\n";
    let system = machine().with_file("/home/user/.claude/output-styles/terse.md", style);
    let (plain, styled) = (build(&system, &[]), build(&system, &["outputStyle=TERSE"]));
    assert!(part(&plain, "main").contains("software engineering tasks"));
    assert!(!part(&styled, "main").contains("software engineering tasks"));
    assert!(part(&styled, "output-style").starts_with("# Output style: terse\n"));
    assert!(part(&styled, "output-style").ends_with("\n\nAnswer in one line."));
    // A name that nobody answers to changes nothing.
    let unknown = build(&system, &["outputStyle=ters"]);
    assert_eq!(unknown.prompt.text, plain.prompt.text);
    assert!(unknown.prompt.diagnostics.iter().any(|diagnostic| diagnostic.code.as_str() == "scope/unknown"));
    // So does a style without a text: the main part refers to none.
    let empty = system.with_file("/home/user/.claude/output-styles/bare.md", "---\nname: bare\n---\n\n");
    let bare = build(&empty, &["outputStyle=bare"]);
    assert_eq!(bare.prompt.text, plain.prompt.text);
    assert!(bare.prompt.diagnostics.iter().any(|diagnostic| diagnostic.code.as_str() == "source/blank"));
    // A style can take the place of the advice for programming, if its file has `keep-coding-instructions: false`.
    let only = style.replace("description", "keep-coding-instructions: false\ndescription");
    let system = machine().with_file("/home/user/.claude/output-styles/terse.md", only);
    let kept = build(&system, &["outputStyle=terse"]);
    let gone: Vec<&str> = ids(&styled).into_iter().filter(|id| !ids(&kept).contains(id)).collect();
    assert_eq!(gone, ["respect-conventions", "verify-with-tools", "do-not-litter"]);
}

/// Our own texts have a version, which the prompt records. Whoever changes one of them gives them a new one, here too.
#[test]
fn version_pinning_the_prompts_texts_have_a_version() {
    const VERSION: &str = "1.5.0";
    const DIGEST: &str = "blake3:f70c525308bb3e49bfc7d7b7ba72183f045cd184901326952bea4c6cc62c8163";
    let mut texts = String::new();
    for (path, bytes) in ASSETS {
        // Bindings are no text: they replace names in other people's texts.
        if path.ends_with("/bindings.toml") {
            continue;
        }
        if path.starts_with("sections/claude-code/") || path.starts_with("bundles/claude-code/") {
            texts.push_str(path);
            texts.push('\0');
            texts.push_str(std::str::from_utf8(bytes).expect("texts are UTF-8"));
            texts.push('\0');
        }
    }
    let digest = fingerprint(&texts);
    assert_eq!(digest, DIGEST, "the texts of version {VERSION} changed: raise `texts_version` in the preset");
    assert_eq!(build(&machine(), &[]).prompt.texts_version.as_deref(), Some(VERSION));
}

/// Seed 003 §3.2: what the tools are for is in their definitions, and not in the prompt.
#[test]
fn tool_descriptions_stand_in_the_definitions_alone() {
    let built = build(&machine(), &[]);
    let names: Vec<&str> = built.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "Bash",
            "Read",
            "Write",
            "Edit",
            "Glob",
            "Grep",
            "Task",
            "WebSearch",
            "WebFetch",
            "TodoWrite",
            "NotebookEdit",
            "AskUserQuestion",
            "ListMcpResources",
            "ReadMcpResource",
            "Config"
        ]
    );
    for tool in &built.tools {
        let description = tool.description.as_deref().expect("each is described");
        assert!(description.len() > 200 && tool.input_schema.is_some(), "{}", tool.name);
        for line in description.lines().filter(|line| line.len() > 60) {
            assert!(!built.prompt.text.contains(line), "{}: {line}", tool.name);
        }
    }
}

/// What a project appends does not have the authority of the user's text: no line names it as one.
#[test]
fn a_project_that_appends_gets_no_rank() {
    let settings = r#"{"systemPrompt": {"append": "APP"}}"#;
    for (dir, is_named) in [("/home/user/.claude", true), ("/work/app/.claude", false)] {
        let system = machine().with_file(format!("{dir}/preface.json"), settings);
        preface_testkit::grant(&Engine::new(&system), &preset_request(&[]), &[], HiddenText::Refuse)
            .expect("a grant");
        let built = text(&system, &[]);
        assert!(built.ends_with("\n\nAPP"), "{dir}");
        assert_eq!(built.contains("the user's text at the very end"), is_named, "{dir}");
    }
}

/// Options in the user's settings, in each of their spellings; what the caller sets comes last.
#[test]
fn options_are_settings_too() {
    let with = |options: &str| {
        let theirs =
            r#"{"permissions": {}, "env": {"A": "b"}, "budget": {"tokens": 1}, "outputStyle": "Concise"}"#;
        machine()
            .with_file("/home/user/.claude/settings.json", theirs)
            .with_file("/home/user/.claude/preface.json", format!(r#"{{"options": {options}}}"#))
            .with_file("/work/CLAUDE.md", "Up.")
            .with_file("/work/app/CLAUDE.md", "Own.")
    };
    let root_first = text(&with("{}"), &["claudeMd.order=root-first"]);
    for options in [r#"{"claudeMd.order": "root-first"}"#, r#"{"claudeMd": {"order": "root-first"}}"#] {
        assert_eq!(text(&with(options), &[]), root_first, "{options}");
        assert_eq!(text(&with(options), &["claudeMd.order=seed"]), text(&with("{}"), &[]), "{options}");
    }
    let catalog = build(&with(r#"{"order": "catalog", "claudeMdExcludes": ["**/CLAUDE.md"]}"#), &[]);
    assert_eq!(ids(&catalog)[2], "conversational-style");
    // A setting of preface in the file of another program is reported, what belongs to that program is not.
    let built = build(&with(r#"{"sesions": true}"#), &[]);
    let diagnostic = |code: &str| {
        built.prompt.diagnostics.iter().find(|diagnostic| diagnostic.code.as_str() == code).cloned()
    };
    assert_eq!(
        diagnostic("settings/unknown-option").and_then(|diagnostic| diagnostic.help).as_deref(),
        Some("did you mean `sessions`?")
    );
    assert_eq!(
        diagnostic("settings/shared").map(|diagnostic| diagnostic.message).as_deref(),
        Some("settings of preface are ignored in ~/.claude/settings.json: `budget`")
    );
    assert!(diagnostic("settings/literal-env-value").is_none());
    assert!(ids(&built).contains(&"output-style"), "what both programs know is used");
}

/// `PREFACE_HOME` is one directory for all presets, in which no other program has a file.
#[test]
fn in_a_directory_of_preface_both_files_are_its_own() {
    let system = machine()
        .with_var("PREFACE_HOME", "/home/user/mine")
        .with_file(
            "/home/user/mine/settings.json",
            r#"{"sessions": 1, "options": {"sessions": true, "memory": true}}"#,
        )
        .with_file("/home/user/mine/preface.json", r#"{"options": {"sessions": false}}"#);
    let built = build(&system, &[]);
    assert!(ids(&built).contains(&"agent-memory") && !ids(&built).contains(&"past-sessions"));
    let codes: Vec<&str> =
        built.prompt.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
    assert_eq!(codes, ["settings/unknown-key"]);
}

/// An exact counter measures the prompt; tools are described beside it whoever counts.
#[test]
fn an_exact_counter_can_be_chosen() {
    let request = BuildOptions { counter: Some("o200k".into()), ..preset_request(&[]) };
    let built = Engine::new(&machine()).build(&request).expect("it builds");
    assert_eq!(built.prompt.text, text(&machine(), &[]));
    assert!(built.tools.iter().all(|tool| tool.description.is_some()));
}

/// Files of the tree, in the order in which they give way: the farthest parent first, the user's for this project last.
#[test]
fn claude_md_hierarchy_under_a_budget_the_farthest_parent_gives_way_first() {
    let files = [
        ("/CLAUDE.md", "root"),
        ("/work/CLAUDE.md", "parent"),
        ("/work/app/.claude/CLAUDE.md", "dot"),
        ("/work/app/CLAUDE.md", "project"),
        ("/work/app/CLAUDE.local.md", "local"),
    ];
    let lines = |word: &str| (0..60).map(|at| format!("{word} rule {at}\n")).collect::<String>();
    let system = files.iter().fold(machine(), |system, (path, word)| system.with_file(path, lines(word)));
    for order in ["seed", "root-first"] {
        let order = format!("claudeMd.order={order}");
        let mut seen = [false; 5];
        for budget in (640..3_400).step_by(40) {
            let request =
                BuildOptions { budget: Some(budget), ..preset_request(&[&order, "budget.onOver=cut"]) };
            let built = Engine::new(&system).build(&request).expect("it is cut");
            let text = &built.prompt.text;
            assert!(text.len() / 4 <= budget);
            let has = |word: &str| text.contains(&format!("{word} rule 0\n"));
            let is_whole = |word: &str| text.contains(lines(word).trim_end());
            for (at, (_, word)) in files.iter().enumerate() {
                seen[at] |= has(word);
                let above = &files[at + 1..];
                assert!(
                    !has(word) || above.iter().all(|(_, word)| is_whole(word)),
                    "{order} {budget} {word}"
                );
            }
            let is_there = ids(&built).contains(&"claude-md");
            assert_eq!(
                is_there,
                files.iter().any(|(_, word)| has(word)),
                "no frame without a text: {budget}"
            );
        }
        assert_eq!(seen, [true; 5]);
    }
}

/// A file that is imported and would be read is one text.
#[test]
fn claude_md_hierarchy_a_file_is_included_once() {
    let system = machine()
        .with_file("/work/app/CLAUDE.md", "@CLAUDE.local.md\n")
        .with_file("/work/app/CLAUDE.local.md", "NOTES\n");
    for order in ["seed", "root-first"] {
        let text = text(&system, &[&format!("claudeMd.order={order}")]);
        assert_eq!(text.matches("NOTES").count(), 1, "{order}");
    }
}

#[test]
fn claude_md_hierarchy_an_empty_file_does_not_stand_in_the_way_of_others() {
    let system =
        machine().with_file("/work/app/CLAUDE.local.md", "").with_file("/work/app/AGENTS.md", "AGENTS\n");
    assert!(text(&system, &["claudeMd.agentsFallback=true"]).contains("AGENTS\n"));
}

/// A server is named where the model has a tool for it: one of its own, or one for resources.
#[test]
fn mcp_docs_servers_that_no_active_tool_reaches_are_left_out() {
    let servers = r#"{"mcpServers": {"never": {"command": "a"}, "docs": {"command": "b"}}}"#;
    let docs = r#"{"tools": [{"name": "find"}], "resources": [{"uri": "x://a", "name": "a"}]}"#;
    let system = machine()
        .with_file("/home/user/.claude/mcp.json", servers)
        .with_file("/home/user/.claude/mcp-descriptions/docs.json", docs);
    let named = |tools: Option<&[&str]>| -> Vec<bool> {
        let tools = match tools {
            Some(tools) => ToolChoice::Named(tools.iter().map(|tool| (*tool).to_owned()).collect()),
            None => ToolChoice::Profile,
        };
        let built =
            Engine::new(&system).build(&BuildOptions { tools, ..preset_request(&[]) }).expect("it builds");
        ["## docs", "## never"].iter().map(|name| built.prompt.text.contains(name)).collect()
    };
    assert_eq!(named(None), [true, true]);
    assert_eq!(named(Some(&["Read"])), [false, false]);
    assert_eq!(named(Some(&["Read", "mcp__docs"])), [true, false]);
    assert_eq!(named(Some(&["ReadMcpResource"])), [true, true]);
}

#[test]
fn a_command_without_a_text_is_its_name_alone() {
    let system = machine().with_file("/work/app/.claude/commands/empty.md", "");
    assert!(text(&system, &[]).contains("\n- /empty\n"));
}

/// The name of a tool in another case is that of the profile's tool.
#[test]
fn tools_are_found_by_their_names_in_any_case() {
    let request = BuildOptions {
        tools: ToolChoice::Named(vec!["read".into(), "FILEEDIT".into()]),
        ..preset_request(&[])
    };
    let built = Engine::new(&machine()).build(&request).expect("it builds");
    let names: Vec<&str> = built.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["Read", "Edit"]);
}

#[test]
fn a_limit_of_the_tree_is_reported_once() {
    let deep = format!("/{}", "d/".repeat(130));
    let system = machine().with_dir(&deep).with_file("/home/user/.claude/CLAUDE.md", "Mine.\n");
    let request = BuildOptions { cwd: Some(deep.into()), ..preset_request(&[]) };
    let built = Engine::new(&system).build(&request).expect("it builds");
    let limits =
        built.prompt.diagnostics.iter().filter(|diagnostic| diagnostic.code.as_str() == "instructions/limit");
    assert_eq!(limits.count(), 1);
}
