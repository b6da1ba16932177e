//! Turns: 201 for the first, 200 for the others, the same bytes.

use crate::bench::{bench, diagnostics, memory, with_roots};
use axum::http::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn the_first_turn_builds_and_later_ones_read() {
    let bench = bench().await;
    bench.service.store("[prompt:conversation_id], [prompt:model], [file:AGENTS.md]").await;
    let body = json!({"options": {"directory": "/work/p", "model": "m-1"}});
    let first = bench.post("c/turns", &body).await;
    assert_eq!(first.status, 201);
    let reply = first.json();
    for (key, value) in [
        ("conversation_id", json!("c")),
        ("system_prompt", json!("c, m-1, Use tabs.\n")),
        ("constructed", json!(true)),
        ("revision", json!(1)),
        ("cwd", json!("/work/p")),
        ("model", json!("m-1")),
        ("preset", json!("template")),
        ("template", json!({"chosen": "main", "name": "main", "version": 1})),
        ("reason", json!("first-turn")),
    ] {
        assert_eq!(reply[key], value, "{key}");
    }
    assert!(reply["fingerprint"].as_str().unwrap().starts_with("blake3:"));

    bench.service.store("Another.").await;
    bench.system.put_file("/work/p/AGENTS.md", "Other.");
    let later = bench.post("c/turns", &body).await;
    assert_eq!((later.status.as_u16(), later.etag()), (200, first.etag()));
    let mut same = reply.clone();
    (same["constructed"], same["diagnostics"]) = (json!(false), json!([]));
    assert_eq!(later.json(), same);
    let read = bench.get("/c/system-prompt").await;
    assert_eq!((read.status.as_u16(), read.json()), (200, same));
}

#[tokio::test]
async fn an_empty_prompt_is_null() {
    let bench = bench().await;
    bench.service.store("").await;
    assert_eq!(bench.begin("c").await.json()["system_prompt"], Value::Null);
    assert_eq!(bench.post("c/turns", &json!({})).await.json()["system_prompt"], Value::Null);
    assert_eq!(bench.get("/c/system-prompt").await.json()["system_prompt"], Value::Null);
}

#[tokio::test]
async fn the_settings_of_commands_choose_no_preset_for_the_service() {
    let bench = bench().await;
    bench.system.put_file("/home/user/.config/preface/settings.json", r#"{"preset": "pi"}"#);
    assert_eq!(bench.begin("c").await.json()["preset"], "template");
    bench.system.put_file("/home/user/.config/preface/settings.json", r#"{"profile": "mine.toml"}"#);
    assert_eq!(bench.begin("d").await.json()["preset"], "template");
}

#[tokio::test]
async fn a_turn_needs_no_body_where_there_is_one_root() {
    let bench = bench().await;
    let nothing = bench.post_nothing("a/turns", &[]).await;
    assert_eq!((nothing.status.as_u16(), nothing.json()["cwd"].clone()), (201, json!("/work")));
    let empty = bench.post("b/turns", &json!({})).await;
    assert_eq!((empty.status.as_u16(), empty.json()["cwd"].clone()), (201, json!("/work")));
    let length = bench.post_nothing("c/turns", &[("content-length", "0")]).await;
    assert_eq!(length.status, 201);
    assert_eq!(bench.post_nothing("a/turns", &[]).await.status, 200);
}

#[tokio::test]
async fn with_two_roots_the_first_turn_needs_a_directory() {
    let bench = with_roots(memory().await, &["/work", "/more"]);
    bench.post("c/turns", &json!({})).await.problem(400, "no-cwd");
    assert_eq!(bench.post("c/turns", &json!({"options": {"directory": "/more"}})).await.status, 201);
    assert_eq!(bench.post("c/turns", &json!({})).await.status, 200, "a later turn need not");
}

#[tokio::test]
async fn a_cwd_outside_of_the_roots_is_refused() {
    let bench = bench().await;
    for cwd in ["/elsewhere", "/work/away", "/work/../elsewhere", "/", "/workshop"] {
        bench.post("c/turns", &json!({"options": {"directory": cwd}})).await.problem(403, "outside-roots");
    }
    for cwd in ["p", ""] {
        bench.post("c/turns", &json!({"options": {"directory": cwd}})).await.problem(400, "cwd");
    }
    bench
        .post("c/turns", &json!({"options": {"directory": "/work/gone"}}))
        .await
        .problem(422, "no-directory");
    bench.get("/c/system-prompt").await.problem(404, "unknown-conversation");
}

#[tokio::test]
async fn the_same_request_again_is_no_news_however_it_is_written() {
    let bench = bench().await;
    let body = json!({"options": {"directory": "/work/q/../q/", "model": "m-1", "template": ""}});
    assert_eq!(bench.post("c/turns", &body).await.status, 201);
    let again = bench.post("c/turns", &body).await;
    assert_eq!((again.status.as_u16(), &again.json()["diagnostics"]), (200, &json!([])));
}

#[tokio::test]
async fn a_second_cwd_changes_nothing_and_is_reported() {
    let bench = bench().await;
    let first = bench.begin("c").await;
    let body = json!({"options": {"directory": "/work/q", "model": "m-2", "preset": "default", "template": "review"}});
    let other = bench.post("c/turns", &body).await;
    assert_eq!((other.status.as_u16(), other.etag()), (200, first.etag()));
    let reply = other.json();
    assert_eq!(reply["system_prompt"], first.json()["system_prompt"]);
    assert_eq!((&reply["cwd"], &reply["model"]), (&json!("/work/p"), &Value::Null));
    let expected =
        ["conversation/options", "conversation/options", "conversation/options", "conversation/options"];
    assert_eq!(diagnostics(&reply), expected);
    // Also one that no first turn could have.
    let outside = bench.post("c/turns", &json!({"options": {"directory": "/elsewhere"}})).await;
    assert_eq!((outside.status.as_u16(), diagnostics(&outside.json())), (200, vec!["conversation/options"]));
}

#[tokio::test]
async fn the_body_may_name_another_preset_and_tools() {
    let bench = bench().await;
    let body = json!({"options": {"directory": "/work/p", "preset": "default", "tools": ["read"]}});
    let reply = bench.post("c/turns", &body).await.json();
    assert_eq!((&reply["preset"], &reply["template"]), (&json!("default"), &Value::Null));
    let text = reply["system_prompt"].as_str().unwrap();
    assert!(text.contains("Use tabs."), "naming the root was the grant: {text}");
    let unknown =
        bench.post("d/turns", &json!({"options": {"directory": "/work/p", "preset": "nobody"}})).await;
    assert!(unknown.problem(422, "preset")["detail"].as_str().unwrap().contains("nobody"));
}

#[tokio::test]
async fn the_body_may_choose_a_template() {
    let bench = bench().await;
    bench.service.put("/templates/review", &json!({"template": "First."})).await;
    bench.service.put("/templates/review", &json!({"template": "Second."})).await;
    for (id, choice, text) in [("a", "review", "Second."), ("b", "review@1", "First.")] {
        let reply =
            bench.post(&format!("{id}/turns"), &json!({"options": {"template": choice}})).await.json();
        assert_eq!((&reply["system_prompt"], &reply["template"]["chosen"]), (&json!(text), &json!(choice)));
    }
    bench.post("c/turns", &json!({"options": {"template": "none"}})).await.problem(422, "unknown-template");
    bench
        .post("c/turns", &json!({"options": {"template": "review@9"}}))
        .await
        .problem(422, "unknown-template");
    bench.post("c/turns", &json!({"options": {"template": "a/b"}})).await.problem(400, "template-choice");
}

#[tokio::test]
async fn a_template_that_cannot_be_rendered_is_reported_with_its_place() {
    let bench = bench().await;
    // The service refuses such a text; another program may have stored it.
    let deep = format!("one\n{}{}", "[if a:a]".repeat(1_001), "[endif]".repeat(1_001));
    let new = preface_engine::store::NewVersion::of(preface_engine::store::TemplateName::main(), deep);
    let actor = preface_engine::store::Actor::new("other");
    bench.service.store.put_template(new, preface_engine::store::ExpectedVersion::Any, &actor).await.unwrap();
    let problem = bench.post("c/turns", &json!({})).await.problem(422, "template");
    assert_eq!(problem["diagnostics"][0]["code"], "template/depth");
    assert_eq!(problem["diagnostics"][0]["location"]["line"], 2, "{problem}");
    bench.get("/c/system-prompt").await.problem(404, "unknown-conversation");
}

#[tokio::test]
async fn a_prompt_that_the_reader_has_is_not_sent_again() {
    let bench = bench().await;
    bench.get("/c/system-prompt").await.problem(404, "unknown-conversation");
    let tag = bench.begin("c").await.etag();
    let path = "/conversations/c/system-prompt";
    for (header, status) in [
        (tag.as_str(), 304),
        (&format!("W/{tag}"), 304),
        (&format!("\"x\", {tag}"), 304),
        ("*", 304),
        ("\"x\"", 200),
    ] {
        let answer = bench.service.get_with(path, &[("if-none-match", header)]).await;
        assert_eq!((answer.status.as_u16(), answer.etag()), (status, tag.clone()), "{header}");
        assert_eq!(answer.text.is_empty(), status == 304);
    }
    bench.post_nothing("c/compactions", &[]).await;
    let answer = bench.service.get_with(path, &[("if-none-match", &tag)]).await;
    assert_eq!(answer.status, 200, "there is a new prompt");
}

#[tokio::test]
async fn an_id_is_data() {
    let bench = bench().await;
    bench.service.store("[prompt:conversation_id]").await;
    let long = "x".repeat(255);
    for (written, id) in [
        ("a%2Fb", "a/b"),
        ("..%2F..%2Fetc", "../../etc"),
        ("%C3%A4%20%25", "ä %"),
        ("a.b~c", "a.b~c"),
        (long.as_str(), long.as_str()),
    ] {
        let reply = bench.begin(written).await.json();
        assert_eq!((&reply["conversation_id"], &reply["system_prompt"]), (&json!(id), &json!(id)));
        assert_eq!(bench.get(&format!("/{written}/system-prompt")).await.json()["conversation_id"], id);
    }
    for bad in ["a%0Ab", "a%00b", "a%7Fb", "%FF", &"x".repeat(256)] {
        bench.post(&format!("{bad}/turns"), &json!({})).await.problem(400, "path");
        bench.get(&format!("/{bad}/system-prompt")).await.problem(400, "path");
    }
}

#[tokio::test]
async fn a_turn_is_a_post() {
    let bench = bench().await;
    bench.get("/c/turns").await.problem(405, "method");
    let put = bench.service.send(Method::PUT, "/conversations/c/turns", &[], axum::body::Body::empty()).await;
    put.problem(405, "method");
}

#[tokio::test]
async fn a_file_outside_of_the_roots_is_not_read() {
    let bench = bench().await;
    bench.service.store("<[file:/etc/secret][file:out][file:../../etc/secret]>").await;
    assert_eq!(bench.begin("c").await.json()["system_prompt"], "<>");
}

#[tokio::test]
async fn a_prompt_with_text_that_was_revoked_since_is_a_conflict() {
    let bench = bench().await;
    let body = json!({"options": {"directory": "/work/p", "preset": "default"}});
    let first = bench.post("c/turns", &body).await;
    assert_eq!(first.status, 201, "{}", first.text);
    assert!(first.json()["system_prompt"].as_str().is_some_and(|text| text.contains("Use tabs.")));
    assert_eq!(bench.post("c/turns", &body).await.status, 200);
    let request = preface_engine::BuildOptions {
        preset: Some("default".into()),
        ..preface_engine::BuildOptions::in_dir("/work/p")
    };
    // Prompts are stamped with the real clock.
    bench.system.set_now("2999-01-01T00:00:00Z".parse().unwrap());
    preface_engine::Engine::new(&bench.system).revoke(&request, &[]).expect("revoked");
    for answer in [bench.post("c/turns", &body).await, bench.get("/c/system-prompt").await] {
        assert_eq!(answer.status, 409, "{}", answer.text);
        let problem = answer.json();
        assert_eq!(problem["code"], "trust-changed");
        assert_eq!(problem["detail"], "the stored prompt of `c` has text that is not trusted: AGENTS.md");
        assert!(!answer.text.contains("Use tabs."), "{}", answer.text);
    }
    let refreshed = bench.post("c/refresh", &json!({})).await;
    assert_eq!(refreshed.status, 200);
    for answer in [refreshed, bench.post("d/turns", &body).await] {
        let prompt = answer.json()["system_prompt"].as_str().map(str::to_owned);
        assert!(prompt.is_some_and(|text| !text.contains("Use tabs.")), "{}", answer.text);
    }
    let analyzed =
        json!({"template": "[file:AGENTS.md]", "options": {"directory": "/work/p", "preset": "default"}});
    let analyzed = bench.service.post("/system-prompt/analyze", &analyzed).await;
    assert!(!analyzed.text.contains("Use tabs."), "{}", analyzed.text);
}

#[tokio::test]
async fn a_text_beside_the_prompt_is_in_every_reply() {
    let bench = bench().await;
    let profile = "extends = \"default\"\n[section.beside]\ntext = \"Read this first.\"\nafter = \"identity\"\nplace = \"first-user\"\n";
    bench.system.put_file("/home/user/.config/preface/profiles/beside.toml", profile);
    let body = json!({"options": {"directory": "/work/p", "preset": "beside"}});
    let first = bench.post("c/turns", &body).await;
    assert_eq!(first.status, 201, "{}", first.json());
    let sent = json!([{
        "section": "beside",
        "place": "first-user",
        "text": "<system-reminder>\nRead this first.\n</system-reminder>",
    }]);
    for reply in [
        first,
        bench.post("c/turns", &body).await,
        bench.get("/c/system-prompt").await,
        bench.post("c/refresh", &json!({})).await,
        bench.post("c/compactions", &json!({})).await,
    ] {
        assert_eq!(reply.json()["attachments"], sent, "{}", reply.json());
    }
}

#[tokio::test]
async fn what_is_above_the_roots_changes_no_prompt() {
    let bench = bench().await;
    bench.system.put_file("/.git/HEAD", "ref: refs/heads/main\n");
    bench.system.put_file("/.git/refs/heads/main", "1".repeat(40) + "\n");
    bench.system.put_file("/.git/objects/x", "");
    let presets = ["default", "claude-code", "pi", "stud", "template"];
    let turn = async |when: &str, preset: &str| {
        let body = json!({"options": {"directory": "/work/p", "preset": preset}});
        let reply = bench.post(&format!("{when}-{preset}/turns"), &body).await;
        assert_eq!(reply.status, 201, "{preset}: {}", reply.text);
        let reply = reply.json();
        (reply["system_prompt"].clone(), reply["diagnostics"].clone())
    };
    let mut before = Vec::new();
    for preset in presets {
        before.push(turn("before", preset).await);
    }
    for dir in [".agents", ".claude", ".pi", ".preface", ".stud"] {
        for file in ["settings.json", "system.md", "AGENTS.md", "CLAUDE.md", "mcp.json", "SYSTEM.md"] {
            bench.system.put_file(format!("/{dir}/{file}"), "{}");
        }
        for file in ["skills/x/SKILL.md", "rules/x.md", "agents/x.md", "commands/x.md", "output-styles/x.md"]
        {
            bench.system.put_file(format!("/{dir}/{file}"), "---\nname: x\ndescription: X.\n---\nX.\n");
        }
    }
    for file in ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "AGENTS.override.md", ".mcp.json", ".gitignore"]
    {
        bench.system.put_file(format!("/{file}"), "X.");
    }
    for (preset, before) in presets.into_iter().zip(before) {
        assert_eq!(turn("after", preset).await, before, "{preset}");
    }
}

#[tokio::test]
async fn a_first_turn_that_was_begun_is_stored_although_its_client_went_away() {
    let bench = bench().await;
    let body = json!({"options": {"directory": "/work/p"}});
    tokio::select! {
        biased;
        _ = bench.post("c/turns", &body) => panic!("the turn was over at its first poll"),
        () = std::future::ready(()) => {}
    }
    while bench.get("/c/system-prompt").await.status != 200 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_turn_gives_the_variables_of_its_template() {
    let bench = bench().await;
    let declared =
        json!({"app:plan": {"values": ["free", "pro"], "required": true}, "app:tips": {"type": "list"}});
    let body = json!({"template": "[app:plan]: [app:tips]", "variables": declared});
    bench.service.put("/templates/bot", &body).await;
    let turn = |variables: Value| json!({"options": {"directory": "/work/p", "template": "bot", "variables": variables}});
    for (variables, detail, help) in [
        (json!({}), "the variable `app:plan` is required", "give `app:plan` one of `free`, `pro`"),
        (json!({"app:plan": "gold"}), "`app:plan` cannot be `gold`", "it is one of `free`, `pro`"),
        (
            json!({"app:plan": "pro", "app:tip": "x"}),
            "unknown variable: `app:tip`",
            "did you mean `app:tips`?",
        ),
    ] {
        let problem = bench.post("c/turns", &turn(variables)).await.json();
        assert_eq!((&problem["detail"], &problem["help"]), (&json!(detail), &json!(help)), "{problem}");
    }
    let reply = bench.post("c/turns", &turn(json!({"app:plan": "pro", "app:tips": ["a"]}))).await.json();
    assert_eq!(reply["system_prompt"], r#"pro: ["a"]"#, "the language of preset `template` has no lists");
    bench.service.put("/templates/bot", &json!({"template": "Now [app:plan]."})).await;
    let compaction = bench.post("c/compactions", &json!({})).await;
    assert_eq!(compaction.status, 200, "{}", compaction.json());
    let compacted = bench.get("/c/system-prompt").await.json();
    assert_eq!(compacted["system_prompt"], "Now pro.", "a compaction has the stored variables");
}
