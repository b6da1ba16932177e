//! Writes the recorded expectations of the tests: what the packages answer, with a token for each sentence that only they
//! have.

use crate::{
    Setup, inputs,
    oracle::{self, Oracle},
};
use preface_testkit::peers::{BuilderInput, PiOptions, edge_workspaces};
use serde_json::json;
use std::{fs, path::Path};

/// The instant of the recorded trees.
const TREES: &str = "2026-03-07T14:55:05Z";
/// Sets of tools that each bring a rule of their own to light.
const SHELLS: [&[&str]; 4] = [&["bash"], &["powershell"], &["powershell", "bash", "read"], &["bash", "ls"]];

/// Writes the recordings of a variant into a directory.
pub fn record(
    setup: &Setup,
    variant: &str,
    options: &PiOptions,
    shipped: &str,
    into: &Path,
) -> Result<usize, String> {
    let mut tokens = Tokens { pairs: options.sentences(shipped), seen: Vec::new() };
    // A sentence that holds another goes first.
    tokens.pairs.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    tokens.seen = vec![false; tokens.pairs.len()];
    let package_dir = setup.package_dir().display().to_string();

    let mut files = Vec::new();
    let mut rows = inputs::read_vectors(setup, variant)?;
    let mut pure = Oracle::start(setup, variant, "pure", crate::NOW)?;
    for tools in SHELLS {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let input = BuilderInput { cwd: "/w".into(), selected_tools: Some(tools), ..BuilderInput::default() };
        let prompt = pure.request(&input.line())??;
        rows.push((input, prompt.replace(&package_dir, "@PKG@")));
    }
    let mut lines = String::new();
    for (input, prompt) in rows {
        let row = json!({ "in": input, "prompt": tokens.replace(&prompt) });
        lines += &preface_testkit::peers::ascii(&row.to_string());
        lines.push('\n');
    }
    files.push(("pure.jsonl".to_owned(), lines));

    let root = setup.root.join("record");
    for tree in edge_workspaces() {
        tree.write(&root).map_err(|error| format!("{} could not be written: {error}", tree.name))?;
        let (cwd, home) = (tree.cwd_in(&root), tree.home_in(&root));
        let prompt = oracle::session(setup, variant, TREES, &cwd, &home, None)?;
        let prompt = prompt.replace(&package_dir, "@PKG@").replace(&*root.to_string_lossy(), "@ROOT@");
        files.push((format!("{}.txt", tree.name), tokens.replace(&prompt)));
    }
    let own = PiOptions { package_dir: Some("@PKG@".to_owned()), ..options.with_tokens(shipped) };
    let own = serde_json::to_string_pretty(&own).map_err(|error| error.to_string())?;
    files.push(("options.json".to_owned(), own + "\n"));

    tokens.check(&files)?;
    _ = fs::remove_dir_all(&root);
    let into = into.join(variant);
    fs::create_dir_all(&into).map_err(|error| error.to_string())?;
    for (name, text) in &files {
        fs::write(into.join(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(files.len())
}

/// The sentences and their tokens, the longest first.
struct Tokens {
    pairs: Vec<(String, String)>,
    seen: Vec<bool>,
}

impl Tokens {
    fn replace(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for ((sentence, token), seen) in self.pairs.iter().zip(&mut self.seen) {
            *seen |= text.contains(sentence.as_str());
            text = text.replace(sentence.as_str(), token);
        }
        text
    }

    /// Refuses recordings in which a sentence never came up, or still is.
    fn check(&self, files: &[(String, String)]) -> Result<(), String> {
        for ((sentence, token), seen) in self.pairs.iter().zip(&self.seen) {
            // The table of options names every token; a text must, too.
            if !seen && !never_listed(token) {
                return Err(format!("no recording holds the sentence of {token}: {sentence:?}"));
            }
            if let Some((name, _)) = files.iter().find(|(_, text)| text.contains(sentence.as_str())) {
                return Err(format!("{name} still holds the sentence of {token}: {sentence:?}"));
            }
        }
        Ok(())
    }
}

/// Tools that are no default ones are in no recorded tree.
fn never_listed(token: &str) -> bool {
    let defaults = ["@READ-", "@BASH-", "@EDIT-", "@WRITE-"];
    (token.contains("-SNIPPET@") || token.contains("-GUIDELINE-"))
        && !defaults.iter().any(|start| token.starts_with(start))
}
