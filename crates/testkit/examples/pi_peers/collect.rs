//! Takes the sentences that only a package has out of its prompts for an empty directory.

use crate::{
    Setup,
    oracle::{self, Oracle},
};
use preface_testkit::peers::{BuilderInput, PiCondition, PiOptions, PiToolTexts, Rule};
use std::fs;

/// The tools that a package brings itself.
const TOOLS: [&str; 7] = ["read", "bash", "edit", "write", "grep", "find", "ls"];
/// Where a directory is explored with tools of their own, no shell is recommended.
const EXPLORERS: [&str; 3] = ["tool:grep", "tool:find", "tool:ls"];

/// Returns the options that make the preset print what the package does.
pub fn collect(setup: &Setup, variant: &str) -> Result<PiOptions, String> {
    let mut pure = Oracle::start(setup, variant, "pure", crate::NOW)?;
    let mut prompt = |tools: &[&str]| {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let input = BuilderInput { cwd: "/w".into(), selected_tools: Some(tools), ..BuilderInput::default() };
        pure.request(&input.line())?
    };
    let empty = prompt(&[])?;
    let always = guidelines(&empty)?;
    let mut options = PiOptions {
        identity: empty.lines().next().map(str::to_owned),
        docs_lines: docs_lines(&empty)?,
        package_dir: Some(setup.package_dir().display().to_string()),
        ..PiOptions::default()
    };
    if variant == "0.58" {
        // Its tools' texts are those that the seed prints.
        return Ok(options);
    }
    if variant == "0.87" {
        let shells: [(&[&str], &[&str]); 3] =
            [(&["bash", "powershell"], &[]), (&["powershell"], &["bash"]), (&["bash"], &["powershell"])];
        for (with, without) in shells {
            let key = |tool: &&str| format!("tool:{tool}");
            let none = without.iter().map(key).chain(EXPLORERS.map(str::to_owned)).collect();
            let mut lines = guidelines(&prompt(with)?)?;
            lines.retain(|line| !always.contains(line));
            let [text] =
                <[String; 1]>::try_from(lines).map_err(|lines| format!("not one rule: {lines:?}"))?;
            options
                .rules
                .push(Rule { when: PiCondition { all: with.iter().map(key).collect(), none }, text });
        }
    }
    let dir = setup.root.join("empty");
    fs::create_dir_all(&dir).map_err(|error| error.to_string())?;
    for tool in TOOLS.into_iter().chain((variant == "0.87").then_some("powershell")) {
        let own = oracle::session(setup, variant, crate::NOW, &dir, &dir, Some(&[tool.to_owned()]))?;
        let known = guidelines(&prompt(&[tool])?)?;
        let start = format!("- {tool}: ");
        let Some(snippet) = own.lines().find_map(|line| line.strip_prefix(&start)) else {
            // A tool that this machine's package does not have.
            continue;
        };
        let mut lines = guidelines(&own)?;
        lines.retain(|line| !known.contains(line));
        let texts = PiToolTexts { snippet: snippet.to_owned(), guidelines: lines };
        options.tool_texts.insert(tool.to_owned(), texts);
    }
    Ok(options)
}

/// Returns the lines of the documentation block after the third pointer.
fn docs_lines(prompt: &str) -> Result<Vec<String>, String> {
    let rest = prompt.split_once("\n- Examples: ").ok_or("the prompt has no documentation block")?.1;
    Ok(rest.lines().skip(1).take_while(|line| line.starts_with("- ")).map(str::to_owned).collect())
}

/// Returns the guidelines of a prompt without custom base.
fn guidelines(prompt: &str) -> Result<Vec<String>, String> {
    let start = ["\nGuidelines:\n", "\n<rules>\n"].iter().find_map(|start| prompt.split_once(start));
    let (_, rest) = start.ok_or("the prompt has no guidelines")?;
    Ok(rest.lines().map_while(|line| line.strip_prefix("- ")).map(str::to_owned).collect())
}
