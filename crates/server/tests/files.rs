//! `/system-prompt/files`: what it lists is what `[file:…]` reads, and nothing else.

mod common;

use common::{Service, machine, service, service_on};
use preface_engine::host::system::testing::MemorySystem;
use serde_json::{Value, json};
use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::Path};

async fn files(service: &Service, query: &str) -> Value {
    let answer = service.get(&format!("/system-prompt/files?cwd=/work/p{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text);
    answer.json()
}

/// Lists the names; those of directories end with `/`.
async fn names(service: &Service, query: &str) -> Vec<String> {
    let reply = files(service, query).await;
    let name = |entry: &Value| {
        let end = if entry["kind"] == "directory" { "/" } else { "" };
        format!("{}{end}", entry["name"].as_str().unwrap())
    };
    reply["entries"].as_array().unwrap().iter().map(name).collect()
}

fn project() -> MemorySystem {
    machine()
        .with_file("/work/p/docs/style.md", "Short.\n")
        .with_file("/work/p/docs/api/errors.md", "Short.\n")
        .with_file("/work/p/target/debug/out.txt", "")
        .with_file("/work/p/.git/config", "")
        .with_file("/work/p/zeta.md", "")
        .with_file("/work/q/a.md", "")
}

#[tokio::test]
async fn a_directory_is_listed_with_what_tools_fill_at_its_end() {
    let service = service_on(project()).await;
    assert_eq!(
        files(&service, "").await,
        json!({
            "entries": [
                {"name": "AGENTS.md", "kind": "file"},
                {"name": "docs", "kind": "directory"},
                {"name": "zeta.md", "kind": "file"},
                {"name": ".git", "kind": "directory"},
                {"name": "target", "kind": "directory"},
            ],
            "truncated": false,
        })
    );
    for query in ["&path=docs", "&path=docs/", "&path=./docs", "&path=target/../docs", "&path=/work/p/docs"] {
        assert_eq!(names(&service, query).await, ["api/", "style.md"], "{query}");
    }
    assert_eq!(names(&service, "&path=/work/q").await, ["a.md"], "an absolute path below a root");
    assert_eq!(names(&service, "&search=AMD").await, ["AGENTS.md", "zeta.md"]);
    assert_eq!(names(&service, "&search=ad").await, ["AGENTS.md", "zeta.md"]);
    assert_eq!(names(&service, "&search=da").await, [""; 0]);
}

#[tokio::test]
async fn files_outside_of_the_roots_are_neither_listed_nor_revealed() {
    let service = service_on(
        project()
            .with_file("/etc/dir/inside", "")
            .with_link("/work/p/dirs", "/etc")
            .with_link("/work/p/docs/up", "../..")
            .with_link("/work/p/docs/near", "api")
            .with_link("/work/p/docs/nowhere", "none"),
    )
    .await;
    for path in [
        "..",
        "../",
        "../q",
        "docs/../../q",
        "/",
        "/etc",
        "/etc/dir",
        "/etc/none",
        "../../etc",
        "dirs",
        "dirs/dir",
        "dirs/none",
        "dirs/secret",
        "/work/away",
        "/work/away/dir",
        "/work/p/dirs",
        "/work/p/../../etc",
        "out",
    ] {
        let answer = service.get(&format!("/system-prompt/files?cwd=/work/p&path={path}")).await;
        let problem = answer.problem(403, "outside-roots");
        let detail = problem["detail"].as_str().unwrap();
        assert_eq!(detail, format!("outside of what `[file:…]` reads: `{path}`"), "{path}");
    }
    // A link out of the project's roots is not even named; one inside has the kind of its target.
    assert_eq!(names(&service, "&search=d").await, ["AGENTS.md", "docs/", "zeta.md"]);
    assert_eq!(names(&service, "&path=docs").await, ["api/", "near/", "style.md"]);
    for cwd in ["/etc", "/work/p/dirs", "/work/../etc"] {
        service.get(&format!("/system-prompt/files?cwd={cwd}")).await.problem(403, "outside-roots");
    }
}

/// Names of one length behind a path that leads out of the roots: a file, directories, links, and nothing at all.
const BEHIND: [&str; 8] = ["xfile", "xdirs", "xlink", "xloop", "xpipe", "xshut", "xback", "xnone"];

#[tokio::test]
async fn what_is_behind_a_link_out_of_the_roots_changes_no_answer() {
    let machine = project()
        .with_file("/etc/xfile", "s3cret")
        .with_file("/etc/xdirs/file", "s3cret")
        .with_link("/etc/xlink", "/var/elsewhere")
        .with_file("/var/elsewhere", "")
        .with_link("/etc/xloop", "xloop")
        .with_special("/etc/xpipe")
        .with_file("/etc/xshut", "")
        .with_unreadable("/etc/xshut")
        .with_link("/etc/xback", "/work/q")
        .with_link("/work/p/etc", "/etc")
        .with_link("/work/p/up", "../..");
    let service = service_on(machine).await;
    let listed = service.get("/system-prompt/files?cwd=/work/p/etc/xdirs/../..").await;
    assert_eq!(listed.json(), files(&service, "").await, "`..` behind a link leads to no other directory");
    let mut answers = std::collections::BTreeMap::<String, Vec<(String, String)>>::new();
    for name in BEHIND {
        for path in [
            "etc/NAME",
            "etc/NAME/deep",
            "etc/NAME/../../work/p/AGENTS.md",
            "etc/NAME/../../work/p",
            "up/etc/NAME",
            "up/etc/NAME/deep",
            "/etc/NAME",
            "/etc/NAME/deep",
            "/etc/NAME/../../work/p",
            "/etc/NAME/../../work/p/AGENTS.md",
            "/work/p/etc/NAME",
            "/work/p/etc/NAME/deep",
            "../../etc/NAME",
            "../../etc/NAME/../../work/p",
            "../../etc/NAME/../../work/p/AGENTS.md",
        ] {
            // A link that leads back into the roots may be followed.
            if name == "xback" && !path.contains("NAME/..") {
                continue;
            }
            let path_of = |name: &str| path.replace("NAME", name);
            let cwd =
                if path.starts_with('/') { path_of(name) } else { format!("/work/p/{}", path_of(name)) };
            let listed =
                service.get(&format!("/system-prompt/files?cwd=/work/p&path={}", path_of(name))).await;
            let body = json!({"template": format!("[if file:{0}]x[endif][file:{0}]", path_of(name)), "options": {"directory": "/work/p"}});
            let analyzed = service.post("/system-prompt/analyze", &body).await;
            let below = service.get(&format!("/system-prompt/files?cwd={cwd}")).await;
            let body = json!({"template": "", "options": {"directory": cwd}});
            let previewed = service.post("/system-prompt/analyze", &body).await;
            let values = service.get(&format!("/system-prompt/variables?cwd={cwd}")).await;
            let scopes = service.get(&format!("/scopes?cwd={cwd}")).await;
            let turn = service
                .post("/conversations/c/turns", &json!({"options": {"directory": cwd, "template": "none"}}))
                .await;
            let all = [listed, analyzed, below, previewed, values, scopes, turn];
            for (route, answer) in
                ["files", "analyze", "below", "preview", "values", "scopes", "turn"].iter().zip(all)
            {
                let mut text = answer.text.replace(name, "NAME");
                if let Some(at) = text.find("\"request_id\"") {
                    text.truncate(at);
                }
                let text = format!("{} {text}", answer.status);
                answers.entry(format!("{route} {path}")).or_default().push((name.to_owned(), text));
            }
        }
    }
    let differ: Vec<String> = answers
        .iter()
        .filter(|(_, answers)| answers.iter().any(|(_, text)| *text != answers[0].1))
        .map(|(what, answers)| format!("{what}: {answers:#?}"))
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[tokio::test]
async fn files_that_the_tag_refuses_are_not_listed() {
    let service = service_on(
        project()
            .with_hard_link("/work/p/bad/linked.md", "/etc/secret")
            .with_special("/work/p/bad/pipe")
            .with_file("/work/p/bad/unreadable.md", "")
            .with_unreadable("/work/p/bad/unreadable.md")
            .with_file("/work/p/bad/picture.png", b"\x89PNG\0")
            .with_file("/work/p/bad/large.txt", vec![b'a'; (1 << 20) + 1])
            .with_file("/work/p/bad/largest.txt", vec![b'a'; 1 << 20])
            .with_file(Path::new("/work/p/bad").join(OsStr::from_bytes(b"\xff.md")), "")
            .with_file("/work/p/bad/a]b.md", "")
            .with_file("/work/p/bad/a\nb.md", "")
            .with_file("/work/p/bad/ends ", ""),
    )
    .await;
    let listed = names(&service, "&path=bad").await;
    assert_eq!(listed, ["largest.txt"]);
    // The listing and the tag agree, entry by entry.
    for name in ["linked.md", "unreadable.md", "picture.png", "large.txt", "largest.txt"] {
        let template = format!("[if file:bad/{name}]read[endif]");
        let body = json!({"template": template, "options": {"directory": "/work/p"}});
        let reply = service.post("/system-prompt/analyze", &body).await.json();
        let is_read = reply["preview"]["text"] == "read";
        assert_eq!(listed.contains(&name.to_owned()), is_read, "{name}");
    }
}

#[tokio::test]
async fn a_large_directory_is_cut_and_searched() {
    let many = |count: usize| {
        (0..count).fold(project(), |machine, at| machine.with_file(format!("/work/p/many/{at:06}.md"), ""))
    };
    let service = service_on(many(3_000)).await;
    let reply = files(&service, "&path=many").await;
    assert_eq!((reply["entries"].as_array().unwrap().len(), &reply["truncated"]), (1_000, &json!(true)));
    assert_eq!(reply["entries"][999]["name"], "000999.md");
    assert_eq!(
        files(&service, "&path=many&search=2998").await,
        json!({"entries": [{"name": "002998.md", "kind": "file"}], "truncated": false})
    );
    let linked = (0..100_000).fold(project(), |machine, at| {
        machine.with_hard_link(format!("/work/p/many/{at:06}.md"), "/work/p/zeta.md")
    });
    let service = service_on(linked).await;
    assert_eq!(files(&service, "&path=many").await, json!({"entries": [], "truncated": true}));
    assert_eq!(names(&service, "&path=docs").await, ["api/", "style.md"], "others are listed");
}

#[tokio::test]
async fn a_path_that_is_no_directory_is_a_problem() {
    let service = service().await;
    for (query, status, code) in [
        ("?cwd=/work/p&path=none", 404, "no-file"),
        ("?cwd=/work/p&path=AGENTS.md", 404, "no-file"),
        ("?cwd=/work/p&path=AGENTS.md/x", 404, "no-file"),
        ("?cwd=/work/none", 422, "no-directory"),
        ("?cwd=work", 400, "cwd"),
        ("?path=docs", 400, "query"),
        ("?cwd=/work/p&path=a%00b", 400, "query"),
        ("?cwd=/work/p&search=%00", 400, "query"),
        ("?cwd=/work/p&dir=docs", 400, "query"),
    ] {
        service.get(&format!("/system-prompt/files{query}")).await.problem(status, code);
    }
    let long = format!("?cwd=/work/p&path={}", "a/".repeat(2_049));
    service.get(&format!("/system-prompt/files{long}")).await.problem(400, "query");
}

#[tokio::test]
async fn a_missing_file_has_a_suggestion_with_a_fix() {
    let service = service_on(project().with_link("/work/p/AGENT2.md", "/etc/secret")).await;
    let note = async |key: &str| {
        let body = json!({"template": format!("é[{key}]"), "options": {"directory": "/work/p"}});
        let reply = service.post("/system-prompt/analyze", &body).await.json();
        reply["diagnostics"][0].clone()
    };
    let found = note("file:AGENT.md").await;
    assert_eq!((&found["code"], &found["severity"]), (&json!("template/file"), &json!("info")));
    assert_eq!(found["message"], "`file:AGENT.md`: no such file");
    assert_eq!(found["help"], "did you mean `file:AGENTS.md`?");
    assert_eq!(found["edit"], json!({"range": [3, 16], "utf16": [2, 15], "replacement": "file:AGENTS.md"}));
    for (key, near) in [
        ("file:agents.md", "file:AGENTS.md"),
        ("file:dcos/style.md", "file:docs/style.md"),
        ("file:docs/api/eror.md", "file:docs/api/errors.md"),
        ("file:/work/p/AGENT.md", "file:/work/p/AGENTS.md"),
        ("file:/work/q/aa.md", "file:/work/q/a.md"),
    ] {
        assert_eq!(note(key).await["edit"]["replacement"], near, "{key}");
    }
    for key in ["file:weather", "file:dcos/none.md", "file:docs/nothing/else.md", "file:AGENT1.md/x"] {
        let found = note(key).await;
        assert_eq!(found["code"], "template/file", "{key}");
        assert!(found["edit"].is_null() && found["help"].is_null(), "{key}: {found}");
    }
}
