//! Intended differences, each with a rule for what the package would have to return if it did as preface does.
//!
//! A rule changes the input, never the comparison: the package runs again, and its output must be preface's byte
//! for byte. `docs/design/peers.md` has the reasons.

use preface_testkit::peers::{BuilderInput, Workspace};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A tool's name is no text, even if every JavaScript object has a member of that name.
pub const INHERITED: &str = "a tool's name that JavaScript objects inherit (D14)";
/// A path never becomes prompt text.
pub const UNREADABLE: &str = "SYSTEM.md or APPEND_SYSTEM.md is a directory (D1)";

/// Members of every JavaScript object.
const MEMBERS: [&str; 3] = ["constructor", "toString", "hasOwnProperty"];

/// Returns the input with a value for inherited names: the name itself, or no text. `None` where
/// there is no such name.
pub fn without_inherited(input: &BuilderInput, variant: &str) -> Option<BuilderInput> {
    let tools = input.tools();
    let names = || MEMBERS.iter().filter(|name| tools.iter().any(|tool| tool == *name));
    names().next()?;
    let mut input = input.clone();
    for name in names() {
        let text = if variant == "0.58" { *name } else { "" };
        let snippets = input.tool_snippets.get_or_insert_default();
        snippets.entry((*name).to_owned()).or_insert(Value::from(text));
        if variant == "0.87" {
            let lines = input.tool_guidelines.get_or_insert_default();
            lines.entry((*name).to_owned()).or_insert(json!([]));
        }
    }
    Some(input)
}

/// Returns the sources of a workspace on disk that exist and are no files.
pub fn unreadable(workspace: &Workspace, root: &Path) -> Vec<PathBuf> {
    let dirs = [workspace.cwd_in(root).join(".pi"), workspace.home_in(root).join(".pi/agent")];
    let names = ["SYSTEM.md", "APPEND_SYSTEM.md"];
    let paths = dirs.iter().flat_map(|dir| names.map(|name| dir.join(name)));
    paths.filter(|path| path.is_dir()).collect()
}
