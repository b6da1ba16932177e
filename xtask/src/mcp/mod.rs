//! `cargo xtask mcp`: reads what published MCP servers offer, over pipes and over HTTP.
//!
//! They are installed below cargo's target directory, in exact versions; no script of a package runs. The example `query` of package
//! `preface-mcp` reads them all at once, and its output is compared with [`expected`].

mod expected;
mod over_http;

use crate::{
    Command, child,
    failure::Failure,
    flags::Flags,
    packages::{self, Node, Python},
    print,
};
use expected::EXPECTED;
use over_http::OverHttp;
use std::{env, path::Path, process};

pub const COMMAND: Command = Command {
    name: "mcp",
    usage: "",
    about: "Reads what published MCP servers offer, over pipes and over HTTP.",
    run,
};

const PYTHON: Python = Python {
    names: "mcp-server-git",
    requirements: include_str!("requirements.txt"),
    file: "xtask/src/mcp/requirements.txt",
};

const NODE: Node = Node {
    names: "server-everything and server-filesystem",
    package: include_str!("package.json"),
    lock: include_str!("package-lock.json"),
    file: "xtask/src/mcp/package.json",
};

fn run(words: &[String]) -> Result<(), Failure> {
    if let Some(word) = words.first() {
        return Err(Flags::new("mcp", words).unknown(word));
    }
    let directory = child::target().join("mcp");
    let (node, python) = (directory.join("node"), directory.join("python"));
    NODE.ensure(&node)?;
    PYTHON.ensure(&python)?;
    let place = directory.join("place");
    packages::empty(&place)?;
    packages::write(&place.join("notes.md"), "Notes.\n")?;
    let mut init = process::Command::new("git");
    init.args(["init", "--quiet"]).arg(&place);
    child::run(init)?;
    let everything = node.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let over_http = OverHttp::start(&everything)?;
    let list = directory.join("servers.json");
    packages::write(&list, &servers(&node, &python, &place, &over_http.url()))?;
    // With the features that everything else is built with, so that nothing is built twice.
    child::run(child::cargo(&["build", "--quiet", "--workspace", "--example", "query"]))?;
    let mut example = process::Command::new(
        child::target().join(format!("debug/examples/query{}", env::consts::EXE_SUFFIX)),
    );
    example.arg(&list);
    let mut lines = Vec::new();
    let answered = child::watch(example, |line| lines.push(line.to_owned()))?;
    for line in lines.iter().filter(|line| line.contains(" s, calls itself ")) {
        print::figure(line);
    }
    let missing: Vec<&str> = EXPECTED.iter().copied().filter(|wanted| !has_line(&lines, wanted)).collect();
    if answered && missing.is_empty() {
        return Ok(());
    }
    for line in &lines {
        print::line(&format!("    {line}"));
    }
    let (log, missing) = (over_http.log(), missing.join("`, `"));
    print::line(&format!("    the log of the server over HTTP: {}", log.trim()));
    Err(Failure::new(format!("the servers do not offer what they should; missing: `{missing}`"))
        .help("xtask/src/mcp/expected.rs lists what is expected of these versions"))
}

/// Returns whether a line has this text, whatever the time that it took.
fn has_line(lines: &[String], wanted: &str) -> bool {
    let (name, rest) = wanted.split_once(": ").unwrap_or((wanted, ""));
    lines.iter().any(|line| {
        line.strip_prefix(name).is_some_and(|line| line.starts_with(": ") && line.ends_with(rest))
    })
}

/// The list of servers, as the example reads it.
fn servers(node: &Path, python: &Path, place: &Path, url: &str) -> String {
    let modules = node.join("node_modules/@modelcontextprotocol");
    let script = |name: &str| modules.join(name).join("dist/index.js");
    let git = python.join("bin/mcp-server-git");
    let wants = r#"[{"prompt": {"name": "args-prompt", "arguments": {"city": "Paris"}}},
        {"resource": {"uri": "demo://resource/static/document/features.md"}}]"#;
    format!(
        "[\n{},\n{},\n{},\n{}\n]\n",
        format_args!(
            r#"{{"name": "filesystem", "command": "node", "args": [{:?}, {place:?}], "cwd": {place:?}}}"#,
            script("server-filesystem"),
        ),
        format_args!(
            r#"{{"name": "everything", "command": "node", "args": [{:?}, "stdio"], "cwd": {place:?}, "wants": {wants}}}"#,
            script("server-everything"),
        ),
        format_args!(r#"{{"name": "everything-http", "url": "{url}", "wants": {wants}}}"#),
        format_args!(
            r#"{{"name": "git", "command": {git:?}, "args": ["--repository", {place:?}], "cwd": {place:?}}}"#
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::tests::{assert_exact, assert_locked};

    #[test]
    fn each_package_has_one_exact_version() {
        assert_exact(PYTHON.requirements);
        assert_locked(NODE.package, NODE.lock);
    }

    #[test]
    fn the_list_of_servers_is_json() {
        let path = Path::new("/a \"quoted\" place");
        let list: serde_json::Value =
            serde_json::from_str(&servers(path, path, path, "http://[::1]:1/")).unwrap();
        assert_eq!(list.as_array().map(Vec::len), Some(4));
    }

    #[test]
    fn a_line_is_found_without_its_time() {
        let lines = ["git: 1.25 s, calls itself git".to_owned(), "git: tool a".to_owned()];
        assert!(has_line(&lines, "git: calls itself git") && has_line(&lines, "git: tool a"));
        assert!(!has_line(&lines, "git: tool b") && !has_line(&lines, "gi: tool a"));
    }
}
