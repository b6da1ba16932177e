//! The rules of `mcp.json`, one by one: the contents of a file, and the active one of several servers of one id.

use preface_core::{
    diagnostic::{Diagnostic, Severity},
    extension::{PrivilegedAction, Status},
    mcp_servers::{self, McpFile, McpServer, McpServers, ServerEntry, Transport},
    scope::Scope::{self, Bundled, Global, Project},
    settings::SetBy,
};
use serde_json::{Value, json};

const INVALID: &str = "mcp/config-invalid";

fn resolve(files: Vec<McpFile>) -> McpServers {
    mcp_servers::resolve(files, &|_| false)
}

fn file(scope: Scope, text: &str) -> McpFile {
    let (file, diagnostics) = McpFile::read(scope, &format!("{scope}/mcp.json"), text.as_bytes());
    assert_eq!(diagnostics, [], "{text}");
    file.expect("a file that can be read")
}

fn over(layers: &[(Scope, Value)]) -> McpServers {
    resolve(layers.iter().map(|(scope, servers)| file(*scope, &servers.to_string())).collect())
}

/// One server `s` in the user's own layer.
fn alone(server: &Value) -> ServerEntry {
    let mut resolved = over(&[(Global, json!({"mcpServers": {"s": server}}))]);
    assert_eq!(resolved.servers.len(), 1, "{server}");
    resolved.servers.remove(0)
}

/// What became of each row: its layer, and a word.
fn rows(resolved: &McpServers) -> Vec<(Scope, &'static str)> {
    let word = |row: &ServerEntry| match (row.active, row.runnable, row.status, &row.value.server) {
        (true, true, Status::Ok, Some(_)) => "runs",
        (true, false, Status::Ok, Some(_)) => "active",
        (false, false, Status::Ok, Some(_)) => "hidden",
        (false, false, Status::Pending, Some(_)) => "pending",
        (false, false, Status::Disabled, Some(_)) => "off",
        (false, false, Status::Disabled, None) => "broken",
        _ => "impossible",
    };
    resolved.servers.iter().map(|row| (row.origin.scope, word(row))).collect()
}

fn diagnostic_lines(diagnostics: &[Diagnostic]) -> Vec<(Severity, &str, &str)> {
    diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.severity, diagnostic.code.as_str(), diagnostic.message.as_str()))
        .collect()
}

#[test]
fn a_transport_is_named_or_follows_from_the_keys() {
    let cases = [
        (json!({"command": "x"}), Transport::Stdio),
        (json!({"type": "stdio", "command": "x"}), Transport::Stdio),
        (json!({"command": "x", "cwd": null}), Transport::Stdio),
        (json!({"url": "https://a.example/mcp"}), Transport::StreamableHttp),
        (json!({"type": "http", "url": "http://localhost:1"}), Transport::StreamableHttp),
        (json!({"type": "streamable-http", "url": "HTTPS://a.example"}), Transport::StreamableHttp),
        (json!({"type": "sse", "url": "https://a.example"}), Transport::Sse),
    ];
    for (server, transport) in cases {
        let row = alone(&server);
        assert_eq!(row.diagnostics, [], "{server}");
        assert_eq!(row.value.server.map(|server| server.transport()), Some(transport), "{server}");
    }
}

#[test]
fn errors_of_a_server_are_reported_with_their_place() {
    let cases = [
        (json!(1), "a server must be an object, not a number"),
        (json!({}), "it has neither `command` nor `url`"),
        (json!({"type": "stdio"}), "a server of type `stdio` needs `command`"),
        (json!({"type": "stdio", "command": " "}), "`command` must not be blank"),
        (json!({"command": ["x"]}), "`command` must be a string, not an array"),
        (json!({"command": "x\u{0}"}), "`command` must not hold NUL characters"),
        (json!({"command": "x", "args": "-v"}), "`args` must be an array, not a string"),
        (json!({"command": "x", "args": ["a", 1]}), "`args[1]` must be a string, not a number"),
        (json!({"command": "x", "env": []}), "`env` must be an object, not an array"),
        (json!({"command": "x", "env": {"PIN": 739_154}}), "`env.PIN` must be a string, not a number"),
        (json!({"command": "x", "env": {"A=B": ""}}), "`A=B` of `env` is no name of a variable"),
        (json!({"command": "x", "args": null}), "`args` must be an array, not null"),
        (json!({"type": "sse"}), "a server of type `sse` needs `url`"),
        (json!({"type": "http"}), "a server of type `streamable-http` needs `url`"),
        (json!({"url": "ftp://a.example"}), "`url` must begin with `https://` or `http://`"),
        (json!({"url": "${URL}"}), "`url` must begin with `https://` or `http://`"),
        (json!({"url": "https:///mcp"}), "`url` must name a host"),
        (json!({"url": "https://a.example/ b"}), "`url` must not hold blanks, control characters or `\\`"),
        (json!({"url": "https://me:pw@a.example"}), "`url` must not hold a user name or password"),
        (
            json!({"url": "https://a.example", "headers": {"a b": ""}}),
            "`a b` of `headers` is no name of a header",
        ),
        (
            json!({"url": "https://a.example", "headers": {"A": "x\r\nB: y"}}),
            "`A` of `headers` must be one line",
        ),
        (
            json!({"type": "stdioo", "command": "x"}),
            "`type`: unknown variant `stdioo`, expected one of `stdio`, `sse`, `http`, `streamable-http`",
        ),
        (json!({"type": 1, "command": "x"}), "`type` must be a string, not a number"),
        (json!({"command": "x", "url": "https://a.example"}), "it has both `command` and `url`"),
        (json!({"command": "x", "disable": "yes"}), "`disable` must be a boolean, not a string"),
        (json!({"disable": true, "disabled": false}), "`disable` and `disabled` contradict each other"),
    ];
    for (server, message) in cases {
        let row = alone(&server);
        let message = format!("global/s (MCPServer): {message}");
        assert_eq!(
            diagnostic_lines(&row.diagnostics),
            [(Severity::Error, INVALID, message.as_str())],
            "{server}"
        );
        let place = row.diagnostics[0].place.as_ref().expect("a place");
        assert_eq!((place.line, place.path.as_str()), (Some(1), "global/mcp.json"), "{server}");
        assert_eq!((row.status, row.active, row.value.server), (Status::Disabled, false, None), "{server}");
    }
}

#[test]
fn an_id_must_be_a_name() {
    for (id, fault) in [("", "is no name"), ("a/b", "must not contain `/` or `\\`")] {
        let resolved = over(&[(Global, json!({"mcpServers": {id: {"command": "x"}}}))]);
        let message = format!("global/{id} (MCPServer): the id `{id}` {fault}");
        assert_eq!(diagnostic_lines(&resolved.diagnostics), [(Severity::Error, INVALID, message.as_str())]);
        assert_eq!(rows(&resolved), [(Global, "broken")]);
    }
}

#[test]
fn an_unknown_key_is_a_warning_and_the_server_stays() {
    let row = alone(&json!({"command": "x", "arg": ["y"], "timeout": 5}));
    assert!(row.active && row.runnable);
    let messages: Vec<_> = row
        .diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.severity, diagnostic.message.as_str(), diagnostic.help.as_deref()))
        .collect();
    let warning = Severity::Warning;
    assert_eq!(
        messages,
        [
            (warning, "`arg` of the server `s` is unknown and is ignored", Some("did you mean `args`?")),
            (warning, "`timeout` of the server `s` is unknown and is ignored", None),
        ]
    );
    let row = alone(&json!({"type": "stdio", "command": "x", "url": "https://a.example"}));
    assert!(row.active);
    assert_eq!(
        diagnostic_lines(&row.diagnostics),
        [(warning, "mcp/unknown-key", "`url` does nothing for a server of type `stdio`")]
    );
}

#[test]
fn a_file_is_wrapped_or_bare_with_comments_and_a_bom() {
    for text in [
        r#"{"mcpServers": {"s": {"command": "x"}}}"#,
        r#"{"s": {"command": "x"}}"#,
        "\u{feff}{\n// mine\n\"s\": {\"command\": \"x\",},\n}",
        r#"{"$schema": "a", "mcpServers": {"s": {"command": "x"}}}"#,
    ] {
        let resolved = resolve(vec![file(Global, text)]);
        assert_eq!(rows(&resolved), [(Global, "runs")], "{text}");
        assert_eq!(resolved.diagnostics, [], "{text}");
    }
    assert_eq!(resolve(vec![file(Global, "{}")]), McpServers::default());
}

#[test]
fn a_malformed_file_is_left_out_with_its_line() {
    let many: String = (0..257).map(|n| format!("\"s{n}\": {{}},")).collect();
    let cases = [
        ("".to_owned(), "it is empty", 1),
        ("[]".to_owned(), "it must be a JSON object, not an array", 1),
        ("{\n\"mcpServers\": []}".to_owned(), "`mcpServers` must be an object of servers, not an array", 2),
        ("{\n\"s\": {},\n\"t\": 1}".to_owned(), "`t` must be a server, an object, not a number", 3),
        ("{\"mcpServers\": {},\n\"mcpServers\": {}}".to_owned(), "`mcpServers` is set twice in this file", 2),
        (format!("{{{many}}}"), "it has 257 servers, and 256 are the most", 0),
    ];
    for (text, message, line) in cases {
        let (file, diagnostics) = McpFile::read(Project, "p/mcp.json", text.as_bytes());
        assert_eq!(file, None, "{text}");
        let message = format!("{message}; this file is left out");
        assert_eq!(diagnostic_lines(&diagnostics), [(Severity::Error, INVALID, message.as_str())], "{text}");
        let place = diagnostics[0].place.as_ref().expect("a place");
        assert_eq!(place.line.unwrap_or(0), line, "{text}");
    }
    let (file, diagnostics) =
        McpFile::read(Project, "p/mcp.json", b"{\"s\": {\"env\": {\"K\": \"hush\" \"L\": 1}}}");
    assert_eq!((file, diagnostics.len()), (None, 1));
    assert!(!format!("{diagnostics:?}").contains("hush"), "a broken line may hold a secret: {diagnostics:?}");
}

#[test]
fn a_file_with_a_key_twice_is_left_out() {
    for (text, key) in [
        ("{\"s\": {\"command\": \"a\"},\n\"s\": {\"command\": \"b\"}}", "s"),
        ("{\"s\": {\"command\": \"a\",\n\"command\": \"b\"}, \"t\": {\"command\": \"c\"}}", "s.command"),
    ] {
        let (file, diagnostics) = McpFile::read(Global, "mcp.json", text.as_bytes());
        assert_eq!(file, None, "{text}");
        let message = format!("`{key}` is set twice in this file; this file is left out");
        assert_eq!(diagnostic_lines(&diagnostics), [(Severity::Error, INVALID, message.as_str())]);
        assert_eq!(diagnostics[0].help.as_deref(), Some("the earlier one is on line 1"));
        assert_eq!(diagnostics[0].place.as_ref().and_then(|place| place.excerpt.as_deref()), None);
    }
}

/// The layers of one server, the state of each, and the rule.
type Case = (Vec<(Scope, Value)>, Vec<(Scope, &'static str)>, &'static str);

#[test]
fn layers_replace_whole_servers_and_broken_ones_fall_back() {
    let x = || json!({"command": "x"});
    let broken = || json!({"type": "stdio"});
    let on = || json!({"disable": false});
    let off = || json!({"disable": true});
    let shipped_off = || json!({"command": "x", "disable": true});
    let (b, g, p) = (Bundled, Global, Project);
    #[rustfmt::skip]
    let cases: Vec<Case> = vec![
        (vec![(b, x()), (g, x()), (p, x())], vec![(b, "hidden"), (g, "runs"), (p, "pending")], "the highest that may run wins"),
        (vec![(b, x()), (g, x())], vec![(b, "hidden"), (g, "runs")], "the user's own runs"),
        (vec![(g, x()), (p, broken())], vec![(g, "runs"), (p, "broken")], "a broken override leaves the lower one"),
        (vec![(g, broken()), (p, x())], vec![(g, "broken"), (p, "active")], "a broken one below does no harm"),
        (vec![(p, broken())], vec![(p, "broken")], "nothing to fall back to"),
        (vec![(g, x()), (p, off())], vec![(g, "off")], "a project may switch off"),
        (vec![(b, x()), (g, off()), (p, on())], vec![(b, "off")], "a project does not switch on what the user switched off"),
        (vec![(b, x()), (g, off()), (p, x())], vec![(b, "off"), (p, "active")], "who disables below does not bind above"),
        (vec![(g, shipped_off())], vec![(g, "off")], "an entry may be off itself"),
        (vec![(g, x()), (p, shipped_off())], vec![(g, "off"), (p, "off")], "it takes the inherited one with it"),
        (vec![(g, shipped_off()), (p, on())], vec![(g, "off")], "and stays off whatever a project has"),
        (vec![(b, shipped_off()), (g, on())], vec![(b, "runs")], "the user switches on what they have"),
        (vec![(g, x()), (p, json!({"disabled": true}))], vec![(g, "off")], "`disabled` is the same word"),
        (vec![(g, x()), (p, json!({"disable": true, "type": "stdio"}))], vec![(g, "off"), (p, "broken")], "off counts even so"),
        (vec![(b, x()), (g, off()), (p, json!({"disable": false, "type": "stdio"}))], vec![(b, "off"), (p, "broken")], "on does not"),
        (vec![(g, x()), (p, json!({"disable": "no"}))], vec![(g, "runs"), (p, "broken")], "a broken switch is no switch"),
    ];
    for (layers, expected, why) in cases {
        let layers: Vec<_> =
            layers.into_iter().map(|(scope, server)| (scope, json!({"s": server}))).collect();
        let resolved = over(&layers);
        assert_eq!(rows(&resolved), expected, "{why}");
        let mut turned: Vec<_> =
            layers.iter().map(|(scope, servers)| file(*scope, &servers.to_string())).collect();
        turned.reverse();
        assert_eq!(resolve(turned), resolved, "the order of the files has no meaning: {why}");
    }
}

#[test]
fn a_granted_server_of_a_project_replaces_the_users() {
    let x = || json!({"s": {"command": "x"}});
    let files = || vec![file(Global, &x().to_string()), file(Project, &x().to_string())];
    let resolved = resolve(files());
    assert_eq!(rows(&resolved), [(Global, "runs"), (Project, "pending")]);
    assert_eq!(resolved.servers[0].fallback_from.as_ref(), Some(&resolved.servers[1].origin));
    let resolved = mcp_servers::resolve(files(), &|server| server.origin.scope == Project);
    assert_eq!(rows(&resolved), [(Global, "hidden"), (Project, "active")]);
}

#[test]
fn rows_have_the_hidden_servers_and_the_failed_ones_above() {
    let x = json!({"s": {"command": "x"}});
    let resolved = over(&[(Bundled, x.clone()), (Global, x.clone()), (Project, json!({"s": {}}))]);
    let [low, high, broken] = &resolved.servers[..] else { panic!("three rows") };
    assert_eq!(high.shadows, std::slice::from_ref(&low.origin));
    assert_eq!(low.shadowed_by.as_ref(), Some(&high.origin));
    assert_eq!(high.fallback_from.as_ref(), Some(&broken.origin));
    assert_eq!(low.fallback_from, None);
    assert_eq!(resolved.active("s"), Some(high));
    let failed = "project/s (MCPServer): it has neither `command` nor `url`; the global one stays";
    let hides = "global/s (MCPServer) hides the bundled one (bundled/mcp.json)";
    assert_eq!(
        diagnostic_lines(&resolved.diagnostics),
        [(Severity::Info, "scope/shadows", hides), (Severity::Warning, INVALID, failed)]
    );

    let directive = "{\n  \"s\": {\"disable\": true}\n}";
    let resolved = resolve(vec![file(Global, &x.to_string()), file(Project, directive)]);
    let by = resolved.servers[0].disabled_by.as_ref().expect("somebody");
    assert_eq!((by.scope, by.path.as_str(), by.line), (SetBy::Project, "project/mcp.json", Some(2)));
    let off = "global/s (MCPServer) is switched off by project/mcp.json:2 (project)";
    assert_eq!(diagnostic_lines(&resolved.diagnostics), [(Severity::Info, "scope/disabled", off)]);

    let layers = [
        (Global, json!({"s": {"command": "x", "disable": true}})),
        (Project, json!({"s": {"disable": false}})),
    ];
    let resolved = over(&layers);
    let off = "global/s (MCPServer) is switched off by global/mcp.json:1 (global)";
    let stays = "global/s (MCPServer) stays switched off by global/mcp.json:1 (global); project/mcp.json:1 \
                 (project) does not switch it on";
    assert_eq!(
        diagnostic_lines(&resolved.diagnostics),
        [(Severity::Info, "scope/disabled", off), (Severity::Warning, "scope/enabled", stays)]
    );
}

#[test]
fn switching_what_nobody_has_is_a_warning() {
    let layers =
        [(Global, json!({"github": {"command": "x"}})), (Project, json!({"githib": {"disable": true}}))];
    let resolved = over(&layers);
    let message = "the MCP server `githib` is switched off, but no layer has it";
    assert_eq!(diagnostic_lines(&resolved.diagnostics), [(Severity::Warning, "mcp/unknown", message)]);
    assert_eq!(resolved.diagnostics[0].help.as_deref(), Some("did you mean `github`?"));
    assert_eq!(rows(&resolved), [(Global, "runs")]);
}

#[test]
fn two_files_of_one_layer_may_not_share_an_id() {
    let x = json!({"s": {"command": "x"}});
    let resolved = over(&[(Bundled, x.clone()), (Bundled, x)]);
    assert_eq!(rows(&resolved), [(Bundled, "broken"), (Bundled, "runs")]);
}

#[test]
fn servers_are_sorted_by_id_and_layer() {
    let both = json!({"b": {"command": "x"}, "B": {"command": "x"}, "a": {"command": "x"}});
    let resolved = over(&[(Project, both.clone()), (Global, both)]);
    let order: Vec<_> = resolved.servers.iter().map(|row| (row.name.as_str(), row.origin.scope)).collect();
    assert_eq!(
        order,
        [("B", Global), ("B", Project), ("a", Global), ("a", Project), ("b", Global), ("b", Project)]
    );
}

#[test]
fn a_row_has_the_keys_of_an_extension_and_no_secret() {
    let row = alone(&json!({
        "command": "npx", "args": ["-y", "srv"], "cwd": "/w",
        "env": {"TOKEN": "hush", "NAME": "${NAME}"},
    }));
    assert_eq!(
        serde_json::to_value(&row).unwrap(),
        json!({
            "category": "mcp", "name": "s", "origin": {"scope": "global", "path": "global/mcp.json"},
            "active": true, "runnable": true, "shadows": [], "shadowed_by": null, "disabled_by": null,
            "fallback_from": null, "order": null, "slot": null, "config_scope": "global", "status": "ok",
            "about": "stdio: npx; env: NAME, TOKEN",
            "action": {"command": {"argv": ["npx", "-y", "srv"], "env": {"NAME": "${NAME}", "TOKEN": "***"}}},
            "diagnostics": [],
        })
    );
    assert!(!format!("{row:?}").contains("hush"));
    let Some(McpServer::Stdio(launch)) = row.value.server else { panic!("a program") };
    assert_eq!(launch.env["TOKEN"].as_written(), "hush", "whoever starts it gets what is written");
    assert_eq!(launch.cwd.as_deref(), Some("/w"));

    let row = alone(&json!({
        "url": "https://a.example/mcp?key=hush", "headers": {"Authorization": "Bearer hush"},
    }));
    assert_eq!(row.about.as_deref(), Some("streamable-http: https://a.example/mcp; headers: Authorization"));
    assert_eq!(row.action, Some(PrivilegedAction::Endpoint("https://a.example/mcp?key=hush".to_owned())));
}

#[test]
fn what_a_project_asks_for_is_shown_whole() {
    let token = format!("ghp_{}", "a1B2".repeat(8));
    let url = format!("https://a.example/mcp?key={token}");
    let servers = json!({
        "far": {"url": url},
        "near": {"command": "npx", "args": ["--token", token], "env": {"NODE_OPTIONS": token}},
    });
    let rows = resolve(vec![file(Project, &servers.to_string())]).servers;
    assert_eq!(rows[0].about.as_deref(), Some(format!("streamable-http: {url}").as_str()));
    assert_eq!(serde_json::to_value(&rows[0]).expect("JSON")["action"], json!({"endpoint": url}));
    assert_eq!(
        serde_json::to_value(&rows[1]).expect("JSON")["action"]["command"],
        json!({"argv": ["npx", "--token", token], "env": {"NODE_OPTIONS": token}})
    );
}

#[test]
fn no_note_shows_a_line_of_the_file() {
    let text = r#"{"s": {"command": "x", "env": {"A": "hush", "B": 739154}, "argz": 1}, "t": {"command": "hush", "disable": true}}"#;
    let resolved = resolve(vec![file(Global, text)]);
    assert_eq!(resolved.diagnostics.len(), 3, "an unknown key, a number, a switch");
    let all = format!("{:?}", resolved.diagnostics);
    assert!(!all.contains("hush") && !all.contains("739154"), "{all}");
}

#[test]
fn a_hostile_server_costs_few_diagnostics() {
    let env: serde_json::Map<_, _> = (0..1000).map(|n| (format!("E{n}"), json!(n))).collect();
    let mut server = json!({"command": "x", "env": env});
    for n in 0..1000 {
        server[format!("unknown{n}")] = json!(n);
    }
    let row = alone(&server);
    assert_eq!(row.diagnostics.len(), 7);
    assert_eq!(row.diagnostics[5].message, "995 more keys of the server `s` are ignored");
    assert_eq!(row.diagnostics[6].message, "global/s (MCPServer): `env.E0` must be a string, not a number");
}

#[test]
fn an_id_is_one_word_of_a_command_line() {
    let word = |id: &str| over(&[(Global, json!({id: {"command": "x"}}))]).servers[0].word();
    assert_eq!(word("git"), "git");
    assert_eq!(word("ca fé"), "'ca fé'");
    assert_eq!(word("it's"), "'it'\\''s'");
}
