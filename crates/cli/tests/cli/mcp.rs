//! `preface mcp`

use crate::sandbox::Sandbox;

/// Servers of two layers: one hidden, one off, one broken, one at an address.
fn served() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox
        .home(
            ".stud/mcp.json",
            r#"{"mcpServers": {
  "docs": {"type": "http", "url": "https://docs.example/mcp?key=sk-123"},
  "git": {"command": "git-mcp", "env": {"TOKEN": "sk-123"}},
  "old": {"command": "old-mcp"}
}}"#,
        )
        .work(
            ".stud/mcp.json",
            r#"{"mcpServers": {
  "bad": {"command": ""},
  "git": {"command": "./git.sh"},
  "old": {"disable": true}
}}"#,
        );
    sandbox
}

#[test]
fn the_servers_of_all_layers_are_listed_and_none_is_started() {
    served().run("preface list servers --preset stud --trust once -q").exits(0).prints(
        "  name  layer   state   what it is
servers
  docs  global  active  streamable-http: https://docs.example/mcp
  git   global  active  stdio: git-mcp; env: TOKEN
    the one above it cannot be used: project (.stud/mcp.json)
2 active, 1 off, 1 broken, 0 warnings, 1 error; 3 not active, `--all` lists them
recorded
  docs  nothing recorded: run `preface mcp refresh docs --preset stud --trust once`
  git   nothing recorded: run `preface mcp refresh git --preset stud --trust once`
",
    );
    let all = served().run("preface list servers --all --preset stud --trust once").exits(0);
    for line in [
        "\n  bad   project  broken\n    broken: `command` ",
        "\n  git   project  pending  stdio: ./git.sh\n    may not run: `preface trust grant --allow-commands --preset stud`\n",
        "\n  old   global   off      stdio: old-mcp\n    switched off by .stud/mcp.json:4\n",
    ] {
        assert!(all.stdout.contains(line), "{line:?} in {}", all.stdout);
    }
    assert!(all.stderr.contains("error: project/bad (MCPServer): "), "{}", all.stderr);
    assert!(!all.stdout.contains("sk-123") && !all.stderr.contains("sk-123"), "no secret shows");
}

#[test]
fn where_there_is_none_it_says_so() {
    Sandbox::empty().run("preface list servers --preset stud").exits(0).says("").prints(
        "none: servers\n0 active, 0 off, 0 warnings, 0 errors\n\
             none found in ~/.stud/mcp.json and .stud/mcp.json\n",
    );
}

#[test]
fn programs_get_the_rows_that_scopes_has() {
    let sandbox = served();
    let mut list = sandbox
        .run("preface list servers --preset stud --trust once --format json")
        .exits(0)
        .json()["entries"]
        .clone();
    for row in list.as_array_mut().expect("a list") {
        let recorded = row.as_object_mut().expect("a row").remove("recorded");
        assert_eq!(recorded, Some(serde_json::Value::Null), "a listing of servers says what is recorded");
    }
    let rows = list.as_array().expect("a list");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["bad", "docs", "git", "git", "old"]);
    assert_eq!((&rows[2]["active"], &rows[2]["runnable"]), (&true.into(), &true.into()));
    assert_eq!((&rows[3]["active"], &rows[3]["status"]), (&false.into(), &"pending".into()));
    let scopes =
        sandbox.run("preface list extensions --preset stud --trust once --format json").exits(0).json();
    assert_eq!(scopes["servers"], list);
    let tools = sandbox.run("preface list tools --preset stud --trust once --format json").exits(0).json();
    assert_eq!(tools["kind"], "tools");
    assert_eq!(tools.get("servers"), None);
    let story = sandbox
        .run("preface list extensions --preset stud --trust once --why servers/git --format json")
        .exits(0);
    assert_eq!(story.json()["entries"], serde_json::json!([rows[2], rows[3]]));
}

#[test]
fn scopes_has_a_group_and_stories_of_servers() {
    let sandbox = served();
    let all = sandbox.run("preface list extensions --preset stud --trust once --all -q").exits(0);
    assert!(all.stdout.contains("\nservers\n  bad "), "{}", all.stdout);
    let group = sandbox.run("preface list servers --preset stud --trust once --all -q").exits(0);
    assert!(
        group.stdout.contains("\n2 active, 1 off, 1 broken, 0 warnings, 1 error\nrecorded\n"),
        "{}",
        group.stdout
    );
    sandbox.run("preface list extensions --preset stud --trust once --why git").exits(0).says("").prints(
        "servers/git is the global one.
  bundled  -                 nothing here
  global   ~/.stud/mcp.json  active: the one above it cannot be used: project (.stud/mcp.json)
  project  .stud/mcp.json    pending: may not run: `preface trust grant --allow-commands --preset stud`
",
    );
    let near = "error: no layer has `servers/gti`\nhelp: did you mean `servers/git`?\n";
    sandbox
        .run("preface list extensions --preset stud --trust once --why servers/gti")
        .exits(1)
        .prints("")
        .says(near);
}

#[test]
fn what_is_wrong_with_servers_is_not_told_of_tools() {
    served().run("preface list tools --preset stud --trust once").exits(0).says("");
}

#[test]
fn claude_code_has_the_servers_of_the_root_of_a_project() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run("preface list servers --preset claude-code").exits(0);
    let none = "none found in ~/.claude/mcp.json, .claude/mcp.json and .mcp.json\n";
    assert!(ran.stdout.ends_with(none), "{}", ran.stdout);
    sandbox.work(
        ".mcp.json",
        r#"{"mcpServers": {"git": {"command": "git-mcp"}, "web": {"url": "https://x/mcp"}}}"#,
    );
    let ran = sandbox.run("preface list servers --preset claude-code").exits(0);
    assert!(ran.stdout.contains(".mcp.json is not trusted and was not read"), "{}", ran.stdout);
    sandbox.run("preface trust grant --preset claude-code").exits(0);
    let ran = sandbox.run("preface list servers --preset claude-code --all --format json").exits(0);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let servers: Vec<String> = report["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|server| {
            format!("{} {} {}", server["name"], server["origin"]["path"], server["state"]).replace('"', "")
        })
        .collect();
    assert_eq!(servers, ["git .mcp.json needs grant", "web .mcp.json needs grant"]);
    // The project's own file comes first.
    sandbox.work(".claude/mcp.json", r#"{"git": {"command": "other"}}"#);
    sandbox.run("preface trust grant --preset claude-code").exits(0);
    let why = sandbox.run("preface list --why servers/git --preset claude-code").exits(0);
    assert!(why.stdout.contains("the id is taken in this layer by .claude/mcp.json"), "{}", why.stdout);
    let other = sandbox.run("preface list servers --preset default").exits(0);
    assert!(!other.stdout.contains(".mcp.json"), "{}", other.stdout);
}
