//! `preface mcp serve`: what it offers and answers, over stdin and stdout.

use crate::{mcp_server::Server, sandbox::Sandbox};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The instant of the first date in a text, so that a build of another moment says the same day.
fn instant(text: &str) -> String {
    let is_date = |part: &[u8]| {
        let shape = |(at, byte): (usize, &u8)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        };
        part.starts_with(b"20") && part.iter().enumerate().all(shape)
    };
    let at = text.as_bytes().windows(10).position(is_date);
    format!("{}T12:00:00Z", at.map_or("2026-03-07", |at| &text[at..at + 10]))
}

/// A text without the line that preset `pi` says the minute in, which is another one a minute later.
fn without_the_minute(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with("Current date and time: ")).collect()
}

#[test]
fn it_says_who_it_is_and_what_it_offers() {
    let sandbox = Sandbox::new();
    let mut server = Server::start(&sandbox, "");
    let hello = &server.hello["result"];
    assert_eq!(hello["protocolVersion"], json!("2025-11-25"));
    assert_eq!(hello["serverInfo"], json!({ "name": "preface", "version": env!("CARGO_PKG_VERSION") }));
    assert_eq!(hello["capabilities"], json!({ "prompts": {}, "tools": {} }));
    let instructions = hello["instructions"].as_str().expect("instructions");
    assert_eq!(instructions.matches(". ").count() + 1, 3, "three sentences: {instructions}");

    let listed = server.asks("prompts/list", json!({}));
    let prompts = listed["result"]["prompts"].as_array().expect("prompts");
    let names: Vec<&str> = prompts.iter().filter_map(|prompt| prompt["name"].as_str()).collect();
    assert_eq!(names, ["additions", "claude-code", "default", "pi", "stud", "template"], "one a preset");
    for prompt in prompts {
        let about = prompt["description"].as_str().expect("a description");
        assert!(about.contains("the role user") && about.contains("system prompt"), "{about}");
        let arguments = prompt["arguments"].as_array().expect("arguments");
        let names: Vec<&str> = arguments.iter().filter_map(|one| one["name"].as_str()).collect();
        assert_eq!(names, ["directory", "model", "agent", "tools"]);
        assert!(arguments.iter().all(|one| one["required"] == json!(false)));
    }

    let listed = server.asks("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["build", "explain", "lint"]);
    for tool in tools {
        let says = &tool["annotations"];
        assert_eq!((&says["readOnlyHint"], &says["destructiveHint"]), (&json!(true), &json!(false)));
        assert_eq!(tool["inputSchema"]["additionalProperties"], json!(false));
        assert_eq!(tool["outputSchema"]["type"], json!("object"));
        assert!(!tool.to_string().contains(r#""format":"uint"#), "clients do not know Rust's: {tool}");
    }
    assert_eq!(server.end(), (Some(0), String::new()), "it ends with its stdin, and kept quiet");
}

/// The last column of the table in `docs/reference/options.md` is what the tools take, and the page has each reason.
#[test]
fn the_options_are_those_of_the_page() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/options.md");
    let page = fs::read_to_string(page).expect("docs/reference/options.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once('`'));
    let (taken, refused): (Vec<_>, Vec<_>) = rows.partition(|(_, cells)| cells.ends_with(" yes"));
    let names = |rows: &[(&str, &str)]| rows.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>();
    let sandbox = Sandbox::new();
    let mut server = Server::start(&sandbox, "");
    let listed = server.asks("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().expect("tools") {
        let known = tool["inputSchema"]["properties"].as_object().expect("properties");
        assert_eq!(known.keys().cloned().collect::<Vec<_>>(), names(&taken), "{}", tool["name"]);
    }
    assert!(refused.len() > 5);
    for name in names(&refused) {
        let said = server.refused("build", json!({ name.as_str(): "x" }));
        let why = said.strip_prefix(&format!("`{name}` cannot be set here: ")).expect(&said);
        assert!(page.contains(&format!("- `{name}` over MCP: {why}")), "{name}: {why}");
    }
}

#[test]
fn a_prompt_is_what_build_prints_byte_for_byte() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\r\n\u{feff}Größe\n").work("CLAUDE.md", "Be brief.\n");
    sandbox.home(".stud/system.md", "You are mine.\n").home(".config/preface/append.md", "Be kind.\n");
    sandbox.run("preface trust grant --allow-hidden").exits(0);
    let mut server = Server::start(&sandbox, "");
    for (preset, arguments, flags) in [
        ("claude-code", json!({ "model": "large-1" }), "--model large-1"),
        ("claude-code", json!({ "agent": "Explore" }), "--agent Explore"),
        ("default", json!({}), ""),
        ("default", json!({ "directory": "", "tools": "" }), ""),
        ("default", json!({ "tools": "read,bash" }), "--tools read,bash"),
        ("pi", json!({ "tools": "none" }), "--tools none"),
        ("stud", json!({}), ""),
        ("template", json!({}), ""),
    ] {
        let text = server.prompt(preset, arguments.clone());
        let now = instant(&text);
        let built = sandbox.run(&format!("preface build --preset {preset} {flags} --now {now}")).exits(0);
        let shown = text.replace(&sandbox.path("").display().to_string(), "[ROOT]/");
        assert_eq!(without_the_minute(&shown), without_the_minute(&built.stdout), "{preset}");
        assert!(!text.is_empty());
        let mut asked = arguments;
        asked["preset"] = json!(preset);
        if let Some(names) = asked.get("tools").and_then(Value::as_str) {
            asked["tools"] = match names {
                "" => Value::Null,
                "none" => json!([]),
                names => names.split(',').collect(),
            };
        }
        let said = server.tool("build", asked)["text"].as_str().expect("a text").to_owned();
        assert_eq!(without_the_minute(&said), without_the_minute(&text), "the tool says the same: {preset}");
    }
}

/// Returns all files and directories below a directory.
fn tree(dir: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        found.insert(path.clone(), fs::read(&path).unwrap_or_default());
        if path.is_dir() {
            tree(&path, found);
        }
    }
}

/// A preset with first files of its own, and a logger that a build would write to.
#[test]
fn no_call_writes() {
    let sandbox = Sandbox::empty();
    let logger = r#"{"id": "audit", "category": "loggers", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", "path": "x.log"}"#;
    sandbox.home(".config/preface/extensions/loggers/audit/manifest.json", logger);
    let files = || {
        let mut found = BTreeMap::new();
        ["home", "work"].iter().for_each(|dir| tree(&sandbox.path(dir), &mut found));
        found
    };
    let before = files();
    let mut server = Server::start(&sandbox, "");
    for preset in ["default", "stud", "pi", "claude-code"] {
        server.asks("prompts/get", json!({ "name": preset }));
        for tool in ["build", "explain", "lint"] {
            server.tool(tool, json!({ "preset": preset }));
        }
    }
    drop(server);
    assert_eq!(files(), before);
}

#[test]
fn the_tools_answer_programs_and_models() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n").home(".config/preface/append.md", "On [git:brnach].\n");
    sandbox.run("preface trust grant").exits(0);
    let mut server = Server::start(&sandbox, "");
    let built = server.tool("build", json!({}));
    assert_eq!(built["preset"], json!("small"), "the user's settings decide");
    let text = built["text"].as_str().expect("a text");
    let json = sandbox.run(&format!("preface build --format json --now {}", instant(text))).json();
    assert_eq!((&built["fingerprint"], &built["text"]), (&json["fingerprint"], &json["text"]));
    for key in ["tokens", "absent"] {
        assert_eq!(built[key], json[key]);
    }
    let explained = server.tool("explain", json!({ "directory": sandbox.path("work") }));
    let row = |part: &Value| {
        let labels: Vec<&str> = part["origins"]
            .as_array()
            .expect("origins")
            .iter()
            .filter_map(|origin| origin["path"].as_str())
            .collect();
        (part["section"].to_string(), part["stability"].to_string(), labels.join(", "))
    };
    let rows: Vec<_> = explained["parts"].as_array().expect("parts").iter().map(row).collect();
    let named: Vec<(&str, &str)> =
        rows.iter().map(|(section, stability, _)| (section.as_str(), stability.as_str())).collect();
    assert_eq!(
        named,
        [
            ("\"identity\"", "\"static\""),
            ("\"rules\"", "\"static\""),
            ("\"context\"", "\"static\""),
            ("\"today\"", "\"turn\""),
        ]
    );
    assert!(rows[2].2.contains("AGENTS.md"), "{rows:?}");
    assert_eq!(explained["absent"], json!([]));
    assert!(explained["parts"][0]["tokens"].as_u64().is_some_and(|tokens| tokens > 0));
    let absent = &server.tool("explain", json!({ "preset": "default" }))["absent"];
    let skills = absent.as_array().expect("a list").iter().find(|one| one["section"] == "skills");
    assert_eq!(skills.expect("a section")["reason"], json!("no_text"));

    let linted = server.tool("lint", json!({}));
    let finding = &linted["diagnostics"][0];
    let place = &finding["location"];
    assert_eq!(place["path"], json!("~/.config/preface/append.md"), "{linted}");
    assert_eq!((&place["line"], &place["column"], &place["excerpt"]), (&json!(1), &json!(4), &Value::Null));
    assert!(finding["code"].is_string() && finding["help"].is_string(), "{finding}");
    let whole = server.asks("tools/call", json!({ "name": "lint" }));
    let text: Value =
        serde_json::from_str(whole["result"]["content"][0]["text"].as_str().expect("a text")).unwrap();
    assert_eq!(text, whole["result"]["structuredContent"], "clients that read text alone miss nothing");
}

#[test]
fn wrong_arguments_are_refused_with_a_remedy() {
    let sandbox = Sandbox::new();
    let mut server = Server::start(&sandbox, "");
    for (tool, arguments, says) in [
        ("build", json!({ "dir": "." }), "dir: unknown field `dir`, expected one of `directory`, "),
        (
            "build",
            json!({ "directory": 5 }),
            "directory: invalid type: integer `5`, expected a string\nhelp: ",
        ),
        ("build", json!({ "budget": -1 }), "budget: not a whole number that fits here\nhelp: "),
        (
            "explain",
            json!({ "tools": "read" }),
            "tools: invalid type: string \"read\", expected a sequence\nhelp: ",
        ),
        (
            "explain",
            json!({ "tools": [1] }),
            "tools[0]: not a tool: invalid type: integer `1`, expected struct Tool\nhelp: ",
        ),
        ("lint", json!({ "preset": "defalt" }), "unknown preset: `defalt`\nhelp: did you mean `default`?"),
        ("build", json!({ "preset": "../x" }), "not the name of a preset: `../x`\nhelp: "),
        ("build", json!({ "agent": "nobody" }), "the profile `small` has no agents\nhelp: "),
    ] {
        let said = server.refused(tool, arguments);
        assert!(said.starts_with(says), "{said}");
    }
    let unknown = server.asks("tools/call", json!({ "name": "biuld" }));
    assert_eq!(unknown["error"]["code"], json!(-32602));
    assert_eq!(unknown["error"]["message"], json!("unknown tool: `biuld`\nhelp: did you mean `build`?"));
    for (params, says) in [
        (json!({ "name": "defalt" }), "unknown prompt: `defalt`\nhelp: did you mean `default`?"),
        (
            json!({ "name": "default", "arguments": { "x": "1" } }),
            "x: unknown field `x`, expected one of `directory`, ",
        ),
        (
            json!({ "name": "default", "arguments": { "tools": "none,read" } }),
            "`none` cannot be combined with names\nhelp: write `tools` as `read,bash`, or `none`",
        ),
    ] {
        let answer = server.asks("prompts/get", params);
        assert_eq!(answer["error"]["code"], json!(-32602));
        let said = answer["error"]["message"].as_str().expect("a text");
        assert!(said.starts_with(says), "{said}");
    }
}

#[test]
fn what_stops_a_build_is_said_with_its_place() {
    let sandbox = Sandbox::new();
    sandbox.home(
        ".config/preface/settings.json",
        r#"{"preset": "small", "budget": {"tokens": 1, "onOver": "error"}}"#,
    );
    let mut server = Server::start(&sandbox, "");
    let said = server.refused("build", json!({}));
    assert!(said.starts_with("system prompt ") && said.contains("`identity` needs"), "{said}");
    let broken = "name = \"broken\"\nextends = \"small\"\nnonsense = 1\n";
    sandbox.home(".config/preface/profiles/broken.toml", broken);
    let said = server.refused("build", json!({ "preset": "broken" }));
    assert!(said.contains("broken.toml:3:1"), "{said}");
}

#[test]
fn garbage_and_floods_leave_it_standing() {
    let sandbox = Sandbox::new();
    let mut server = Server::start(&sandbox, "");
    server.says("what is this");
    server.says(&"x".repeat(17 << 20));
    server.says("[]");
    assert_eq!(server.hears()["error"]["code"], json!(-32600));
    server.tool("build", json!({}));
    assert_eq!(server.end(), (Some(0), String::new()));
}

#[test]
fn whoever_never_begins_is_let_go() {
    for input in ["", "hello?\n"] {
        let ran = Sandbox::new().run_with("preface mcp serve", input).exits(0).says("");
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn a_client_of_the_newest_version_needs_no_handshake() {
    let sandbox = Sandbox::new();
    let mut server = Server::bare(&sandbox, "");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = server.asks("server/discover", json!({ "_meta": meta }));
    let versions = found["result"]["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let got = server.asks("prompts/get", json!({ "_meta": meta, "name": "default" }));
    assert!(got["result"]["messages"][0]["content"]["text"].is_string(), "{got}");
}
