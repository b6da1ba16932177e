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
    served().run("preface mcp list --preset stud --trust once --active -q").exits(0).prints(
        "  name  layer   state   what it is
mcp
  docs  global  active  streamable-http: https://docs.example/mcp
  git   global  active  stdio: git-mcp; env: TOKEN
    stays active, because the one above it cannot be used: project (.stud/mcp.json)
2 active, 2 off, 0 warnings, 1 error; 3 not shown, `preface mcp list --preset stud --trust once` shows why
recorded
  docs  nothing: `preface mcp refresh docs --preset stud --trust once` asks it
  git   nothing: `preface mcp refresh git --preset stud --trust once` asks it
",
    );
    let all = served().run("preface mcp list --preset stud --trust once").exits(0);
    for line in [
        "\n  bad   project  broken\n    broken: shape at /command — ",
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
    Sandbox::empty()
        .run("preface mcp list --preset stud")
        .exits(0)
        .says("")
        .prints("nothing: mcp\n0 active, 0 off, 0 warnings, 0 errors\n");
}

#[test]
fn programs_get_the_rows_that_scopes_has() {
    let sandbox = served();
    let mut list = sandbox.run("preface mcp list --preset stud --trust once --format json").exits(0).json();
    for row in list.as_array_mut().expect("a list") {
        let recorded = row.as_object_mut().expect("a row").remove("recorded");
        assert_eq!(recorded, Some(serde_json::Value::Null), "a listing of servers says what is recorded");
    }
    let rows = list.as_array().expect("a list");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["bad", "docs", "git", "git", "old"]);
    assert_eq!((&rows[2]["active"], &rows[2]["runnable"]), (&true.into(), &true.into()));
    assert_eq!((&rows[3]["active"], &rows[3]["status"]), (&false.into(), &"pending".into()));
    let scopes = sandbox.run("preface scopes --preset stud --trust once --format json").exits(0).json();
    assert_eq!(scopes["mcp"], list);
    let tools = sandbox.run("preface scopes tools --preset stud --trust once --format json").exits(0).json();
    assert_eq!(tools["mcp"], serde_json::json!([]));
    let story = sandbox.run("preface scopes --preset stud --trust once --why mcp/git --format json").exits(0);
    assert_eq!(story.json(), serde_json::json!([rows[2], rows[3]]));
}

#[test]
fn scopes_has_a_group_and_stories_of_servers() {
    let sandbox = served();
    let all = sandbox.run("preface scopes --preset stud --trust once -q").exits(0);
    assert!(all.stdout.contains("\nmcp\n  bad "), "{}", all.stdout);
    let group = sandbox.run("preface scopes mcp --active --preset stud --trust once -q").exits(0);
    assert!(group.stdout.ends_with("\n2 active, 2 off, 0 warnings, 1 error\n"), "{}", group.stdout);
    sandbox.run("preface scopes --preset stud --trust once --why git").exits(0).says("").prints(
        "mcp/git is the global one.
  bundled  -                 nothing here
  global   ~/.stud/mcp.json  active: the project's cannot be used
  project  .stud/mcp.json    pending: it may not run yet
To use the project's: `preface trust grant --allow-commands --preset stud`.
",
    );
    let near = "error: no layer has `mcp/gti`\nhint: did you mean `mcp/git`?\n";
    sandbox.run("preface scopes --preset stud --trust once --why mcp/gti").exits(1).prints("").says(near);
}

#[test]
fn what_is_wrong_with_servers_is_not_told_of_tools() {
    served().run("preface tools --preset stud --trust once").exits(0).says("");
}
