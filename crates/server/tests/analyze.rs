//! `/system-prompt/analyze`: tags, findings, preview and values in one reply.

mod common;

use common::{Service, machine, service, service_on};
use serde_json::{Value, json};

async fn analyze(service: &Service, body: Value) -> Value {
    let answer = service.post("/system-prompt/analyze", &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

#[tokio::test]
async fn one_reply_has_everything() {
    let service = service().await;
    let template = "é𝒳[if file:AGENTS.md][file:AGENTS.md][else]none[endif][prompt:model]";
    let reply =
        analyze(&service, json!({"template": template, "options": {"directory": "/work/p", "model": "m-1"}}))
            .await;
    let tokens = reply["tokens"].as_array().unwrap();
    let kinds: Vec<_> = tokens.iter().map(|token| token["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "if", "variable", "else", "text", "endif", "variable"]);
    assert_eq!((&tokens[1]["range"], &tokens[1]["utf16"]), (&json!([6, 25]), &json!([3, 22])));
    assert_eq!((&tokens[1]["partners"], &tokens[5]["partners"]), (&json!([3, 5]), &json!([1, 3])));
    assert_eq!(
        (&tokens[2]["key"], &tokens[2]["depth"], &tokens[2]["branch"]),
        (&json!("file:AGENTS.md"), &json!(1), &json!("first"))
    );

    let preview = &reply["preview"];
    assert_eq!(preview["text"], "é𝒳Use tabs.\nm-1");
    assert_eq!(
        (&preview["bytes"], &preview["tokens"], &preview["counter"]),
        (&json!(19), &json!(5), &json!("estimate:bytes4"))
    );
    let spans = preview["spans"].as_array().unwrap();
    assert_eq!(
        spans[0],
        json!({"range": [0, 6], "utf16": [0, 3], "origin": {"kind": "template", "span": [0, 6]}})
    );
    assert_eq!(
        spans[1]["origin"],
        json!({"kind": "variable", "key": "file:AGENTS.md", "source": "AGENTS.md"})
    );
    assert_eq!(
        preview["conditions"],
        json!([{"token": 1, "key": "file:AGENTS.md", "negated": false, "taken": true}])
    );

    let file = &reply["variables"][0];
    assert_eq!(
        (&file["exists"], &file["value"], &file["tokens"]),
        (&json!(true), &json!("Use tabs.\n"), &json!([1, 2]))
    );
    assert_eq!(reply["variables"][1]["stability"], "conversation");
}

#[tokio::test]
async fn a_text_over_the_clients_own_budget_is_refused() {
    let service = service().await;
    let body = json!({"template": "A text.", "options": {"budget": 0}});
    let reply = service.post("/system-prompt/analyze", &body).await;
    assert_eq!((reply.status.as_u16(), reply.json()["code"].as_str()), (400, Some("usage")));
}

#[tokio::test]
async fn the_preview_is_what_a_conversation_would_get() {
    let service = service().await;
    let template = service.get("/system-prompt").await.json()["template"].clone();
    let reply = analyze(&service, json!({"template": template, "options": {"directory": "/work/p"}})).await;
    let expected =
        "You are a helpful coding assistant.\n\n\nUse tabs.\n\n\n\nThe current working directory is /work/p.";
    assert_eq!(reply["preview"]["text"], expected);
    let spans = reply["preview"]["spans"].as_array().unwrap();
    let mut at = 0;
    for span in spans {
        assert_eq!(span["range"][0], at, "spans follow each other without a gap");
        at = span["range"][1].as_u64().unwrap();
        if span["origin"]["kind"] == "template" {
            let of =
                |range: &Value| (range[0].as_u64().unwrap() as usize, range[1].as_u64().unwrap() as usize);
            let ((a, b), (c, d)) = (of(&span["range"]), of(&span["origin"]["span"]));
            assert_eq!(expected[a..b], template.as_str().unwrap()[c..d]);
        }
    }
    assert_eq!(at as usize, expected.len());
}

#[tokio::test]
async fn a_branch_that_is_not_taken_is_not_looked_at() {
    let machine = machine();
    let service = service_on(machine.clone()).await;
    let template = "[if file:none][if file:AGENTS.md]a[endif][else]b[endif]";
    let reply = analyze(&service, json!({"template": template, "options": {"directory": "/work/p"}})).await;
    assert_eq!(reply["preview"]["text"], "b");
    let taken: Vec<_> =
        reply["preview"]["conditions"].as_array().unwrap().iter().map(|one| one["taken"].clone()).collect();
    assert_eq!(taken, [json!(false), Value::Null]);
    assert_eq!(reply["variables"][1]["exists"], Value::Null);
    assert_eq!(machine.reads("/work/p/AGENTS.md"), 0);
}

#[tokio::test]
async fn findings_have_places_for_people_and_for_editors() {
    let service = service().await;
    let reply = analyze(&service, json!({"template": "a\n𝒳 [git:brnach] [else] \u{202e}"})).await;
    let diagnostics = reply["diagnostics"].as_array().unwrap();
    let codes: Vec<_> = diagnostics.iter().map(|note| note["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["template/unknown-name", "template/unbalanced", "hidden/character"]);
    let first = &diagnostics[0];
    assert_eq!((&first["line"], &first["column"], &first["utf16_column"]), (&json!(2), &json!(3), &json!(4)));
    assert_eq!((&first["range"], &first["utf16"]), (&json!([7, 19]), &json!([5, 17])));
    assert_eq!(first["edit"]["replacement"], "branch");
    assert_eq!(first["edit"]["utf16"], json!([10, 16]));
    assert_eq!(reply["tokens"][3]["kind"], "literal");
    assert_eq!(
        (&reply["tokens"][3]["tag"], &reply["tokens"][3]["why"]),
        (&json!("else"), &json!("no-open-if"))
    );
}

#[tokio::test]
async fn a_missing_file_is_reported_where_a_directory_is_given() {
    let service = service().await;
    let codes = async |body: Value| -> Vec<String> {
        let reply = analyze(&service, body).await;
        let diagnostics = reply["diagnostics"].as_array().unwrap().clone();
        diagnostics.iter().map(|note| note["code"].as_str().unwrap().to_owned()).collect()
    };
    let template = "[file:none.md]";
    assert_eq!(
        codes(json!({"template": template, "options": {"directory": "/work/p"}})).await,
        ["template/file"]
    );
    assert_eq!(codes(json!({"template": template})).await, [""; 0]);
}

#[tokio::test]
async fn nothing_outside_of_the_roots_is_read() {
    let service = service_on(machine().with_file("/work/q/a.md", "A")).await;
    let read = async |key: &str| {
        let reply =
            analyze(&service, json!({"template": format!("[{key}]"), "options": {"directory": "/work/p"}}))
                .await;
        assert!(!reply.to_string().contains("s3cret"), "{key}");
        reply["preview"]["text"].as_str().unwrap().to_owned()
    };
    for key in [
        "file:/etc/secret",
        "file:out",
        "file:../../etc/secret",
        "file:/work/away/secret",
        "file:/work/p/out",
    ] {
        assert_eq!(read(key).await, "", "{key}");
    }
    assert_eq!(read("file:/work/q/a.md").await, "A", "an absolute path below a root");
    let outside = json!({"template": "[prompt:cwd]", "options": {"directory": "/etc"}});
    service.post("/system-prompt/analyze", &outside).await.problem(403, "outside-roots");
}

#[tokio::test]
async fn a_file_with_several_names_is_read_for_nobody() {
    let linked = || {
        machine()
            .with_home("/h")
            .with_hard_link("/work/p/linked.md", "/etc/secret")
            .with_file("/work/p/.git/config", "")
            .with_dir("/work/p/.git/objects")
            .with_file("/work/p/.git/refs/heads/s3cret", "0".repeat(40))
            .with_file("/etc/HEAD", "ref: refs/heads/s3cret\n")
            .with_hard_link("/work/p/.git/HEAD", "/etc/HEAD")
    };
    for preset in ["template", "default", "stud", "pi", "claude-code"] {
        let read = async |service: &Service| {
            let template = "[file:linked.md][file:/work/p/linked.md][git:branch]";
            let body = json!({"template": template, "options": {"directory": "/work/p", "preset": preset}});
            analyze(service, body).await
        };
        let reply = read(&service_on(linked()).await).await;
        assert!(!reply.to_string().contains("s3cret"), "{preset}: {reply}");
        let diagnostics = reply["diagnostics"].as_array().unwrap();
        let refused = diagnostics.iter().filter(|note| note["code"] == "file/link").count();
        assert!(refused >= 2, "{preset}: {reply}");
        if matches!(preset, "pi" | "claude-code") {
            continue;
        }
        let own = [".stud", ".config/preface"].iter().fold(linked(), |machine, dir| {
            let text = r#"{"trust": {"hardLinks": true}}"#;
            machine.with_file(format!("/h/{dir}/settings.json"), text)
        });
        let reply = read(&service_on(own).await).await;
        assert!(reply["preview"]["text"].as_str().unwrap().contains("s3cret"), "{preset}: {reply}");
    }
}

#[tokio::test]
async fn without_a_directory_no_file_is_looked_at() {
    let machine = machine();
    let service = service_on(machine.clone()).await;
    let template = "[file:p/AGENTS.md][file:/work/p/AGENTS.md][git:branch][prompt:cwd]|[prompt:model]";
    let reply = analyze(&service, json!({"template": template, "options": {"model": "m-1"}})).await;
    assert_eq!(reply["preview"]["text"], "|m-1");
    assert_eq!(
        (&reply["variables"][0]["exists"], &reply["variables"][0]["source"]),
        (&json!(false), &json!("no directory was given"))
    );
    assert_eq!(machine.reads("/work/p/AGENTS.md"), 0);
}

#[tokio::test]
async fn a_template_over_a_limit_has_a_finding_and_no_preview() {
    let service = service().await;
    let deep = "[if a:b]".repeat(1_001) + &"[endif]".repeat(1_001);
    for (template, code) in [(deep, "template/depth"), ("x".repeat((1 << 20) + 1), "template/too-large")] {
        let reply = analyze(&service, json!({"template": template})).await;
        assert_eq!(reply["preview"], Value::Null);
        let errors: Vec<_> = reply["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|note| note["severity"] == "error")
            .map(|note| note["code"].clone())
            .collect();
        assert_eq!(errors, [code]);
        assert!(!reply["tokens"].as_array().unwrap().is_empty());
    }
}

#[tokio::test]
async fn switches_of_the_language_can_be_tried() {
    let service = service().await;
    let template = "[raw][a:b][endraw]";
    let off = analyze(&service, json!({"template": template})).await;
    assert_eq!(off["preview"]["text"], "[raw][endraw]");
    let on = analyze(&service, json!({"template": template, "language": {"raw": true}})).await;
    assert_eq!(on["preview"]["text"], "[a:b]");
    let trimmed =
        json!({"template": "a\n[if system:os]\nb\n[endif]\n", "language": {"trim_tag_lines": true}});
    assert_eq!(analyze(&service, trimmed).await["preview"]["text"], "a\nb\n");
    let unknown = json!({"template": "", "options": {"preset": "no-such-profile"}});
    service.post("/system-prompt/analyze", &unknown).await.problem(422, "preset");
}

#[tokio::test]
async fn an_empty_template_is_an_empty_preview() {
    let service = service().await;
    let reply = analyze(&service, json!({"template": ""})).await;
    assert_eq!((&reply["preview"]["text"], &reply["tokens"]), (&json!(""), &json!([])));
}

#[tokio::test]
async fn long_lists_count_what_was_left_out() {
    let service = service().await;
    let reply = analyze(&service, json!({"template": "[endif]".repeat(1_500)})).await;
    assert_eq!(
        (reply["diagnostics"].as_array().unwrap().len(), &reply["left"]["diagnostics"]),
        (1_000, &json!(500))
    );
    let last = &reply["diagnostics"][999];
    assert_eq!((&last["range"], &last["utf16_column"]), (&json!([6_993, 7_000]), &json!(6_994)));
    // The worst stay: here the hidden text behind all others.
    let worst = analyze(&service, json!({"template": "é[endif]".repeat(1_500) + "a\u{202e}b"})).await;
    let last = &worst["diagnostics"][999];
    assert_eq!(
        (&last["code"], &last["range"], &last["line"], &last["column"], &last["utf16_column"]),
        (&json!("hidden/character"), &json!([13_501, 13_504]), &json!(1), &json!(12_002), &json!(12_002))
    );
    assert_eq!(worst["left"]["diagnostics"], 501);
}

#[tokio::test]
async fn remedies_are_those_of_the_service() {
    let service = service().await;
    let help = async |key: &str| {
        let reply =
            analyze(&service, json!({"template": format!("[{key}]"), "options": {"directory": "/work/p"}}))
                .await;
        reply["diagnostics"][0]["help"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(help("file:/etc/secret").await, "name a file in a root: no others are read here");
    assert_eq!(help("file:../../etc/secret").await, "name a file below the working directory");
    assert_eq!(help("file:../q/a.md").await, "name a file below the working directory, or its absolute path");
    assert_eq!(help("file:out").await, "copy it into the project; links out of it are not followed here");
}

#[tokio::test]
async fn a_directory_that_is_missing_in_a_root_is_called_missing() {
    let service = service().await;
    let body = json!({"template": "", "options": {"directory": "/work/none"}});
    service.post("/system-prompt/analyze", &body).await.problem(422, "no-directory");
    service.get("/system-prompt/variables?cwd=/work/none").await.problem(422, "no-directory");
    service.get("/scopes?cwd=/work/none").await.problem(422, "no-directory");
}

#[tokio::test]
async fn raw_blocks_that_do_nothing_are_reported() {
    let service = service().await;
    let reply = analyze(&service, json!({"template": "[raw]x[endraw]"})).await;
    assert_eq!(reply["raw"], false);
    let codes: Vec<&Value> =
        reply["diagnostics"].as_array().unwrap().iter().map(|note| &note["code"]).collect();
    assert_eq!(codes, ["template/near-miss", "template/near-miss"]);
    let on = json!({"template": "[raw]x[endraw]", "language": {"raw": true}});
    let reply = analyze(&service, on).await;
    assert_eq!((&reply["raw"], &reply["diagnostics"]), (&json!(true), &json!([])));
}

#[tokio::test]
async fn values_of_the_request_replace_what_would_be_found() {
    let service = service().await;
    let template = "[if tool:bash]bash [else]no bash [endif][if tool:read]read [endif][if file:AGENTS.md]file [else]none [endif]\
                    [git:branch] [system:date] [system:local_date] [system:timezone] [prompt:cwd]";
    let found = analyze(&service, json!({"template": "[if tool:bash]bash[else]no[endif]"})).await;
    assert_eq!(found["preview"]["text"], "no");
    let body = json!({"template": template, "options": {"tools": ["bash"], "variables": {"git:branch": "release", "file:AGENTS.md": null, "prompt:cwd": "/elsewhere"}, "now": "2031-02-03T23:30:00Z", "time_zone": "Europe/Berlin"}});
    let reply = analyze(&service, body.clone()).await;
    let expected = "bash none release 2031-02-03 2031-02-04 Europe/Berlin /elsewhere";
    assert_eq!(reply["preview"]["text"], expected);
    let mut somewhere = body;
    somewhere["options"]["directory"] = "/work/p".into();
    let reply = analyze(&service, somewhere).await;
    assert_eq!(reply["preview"]["text"], expected, "the file of the directory does not count");

    for (field, value, code) in [
        ("variables", json!({"branch": "x"}), "body"),
        ("now", json!("soon"), "usage"),
        ("time_zone", json!("Moon/Base"), "usage"),
        ("agent", json!("reviewer"), "usage"),
        ("tools", json!(vec!["t"; 1001]), "field"),
    ] {
        let body = json!({"template": "", "options": {field: value}});
        let answer = service.post("/system-prompt/analyze", &body).await;
        assert_eq!(answer.status, 400, "{field}: {}", answer.text);
        assert_eq!(answer.json()["code"], code, "{field}");
    }
}
