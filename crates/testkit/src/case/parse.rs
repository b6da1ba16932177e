//! Reading a case file. `cases/README.md` is its reference.

use preface_engine::core::{declaration::VariableValue, turn::Tool};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A Markdown file with one or more cases.
#[derive(Clone, Debug)]
pub struct CaseFile {
    /// The cases, each with what is before the first `##` in front.
    pub cases: Vec<Case>,
}

/// One scenario: files, turns and what is expected of them, in order.
#[derive(Clone, Debug)]
pub struct Case {
    /// The heading.
    pub name: String,
    /// The steps.
    pub acts: Vec<CaseStep>,
}

/// One step of a case.
#[derive(Clone, Debug)]
pub enum CaseStep {
    /// Puts something on the disk.
    Put(String, CaseEntry),
    /// Runs a turn.
    Turn(Box<CaseTurn>, usize),
    /// Compares something of the last turn; with the line that the block starts at.
    Expect(Expectation, String, usize),
}

/// An entry of the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseEntry {
    /// A file with these bytes.
    File(Vec<u8>),
    /// A link to this target.
    Link(String),
    /// Another name of the file at this path.
    Same(String),
    /// A directory.
    Dir,
    /// A pipe.
    Pipe,
    /// A file that may not be read.
    Unreadable,
    /// A directory that may not be written.
    Unwritable,
    /// A directory that everybody may write.
    Shared,
    /// What is there, with another owner.
    Foreign,
    /// Nothing any more.
    Gone,
}

/// The result of a turn that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The prompt, byte for byte.
    Prompt,
    /// The same, with escapes.
    PromptEscaped,
    /// The attachments: for each its place and id, then the text as it is sent.
    Attachments,
    /// A row for each part and source.
    Explain,
    /// The absent parts.
    Absent,
    /// Every diagnostic.
    Diagnostics,
    /// Every audit event.
    Audit,
    /// The error of the call.
    Error,
    /// A file's bytes after the turn; the block's first line is its path.
    File,
    /// The questions to the user.
    Questions,
    /// The files of the project that were opened.
    Opened,
}

/// The inputs of a turn, as TOML.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CaseTurn {
    /// `build` (default), `grant`, `revoke`, `init`.
    pub action: Option<String>,
    /// Relative to the project.
    pub cwd: Option<String>,
    /// A preset's name.
    pub preset: Option<String>,
    /// A profile file.
    pub profile: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The conversation.
    pub conversation: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The template that a store keeps.
    pub template: Option<String>,
    /// The directories that files must be in.
    pub roots: Option<Vec<String>>,
    /// Files and directories that links of the project may lead to.
    #[serde(default)]
    pub follow: Vec<String>,
    /// The tools, by name.
    pub tools: Option<Vec<String>>,
    /// The tools with their texts, in place of `tools`.
    pub tool: Option<Vec<Tool>>,
    /// The instant.
    pub now: Option<String>,
    /// The zone.
    pub zone: Option<String>,
    /// The budget.
    pub budget: Option<usize>,
    /// `ask`, `once`, `deny`, `require`.
    pub trust: Option<String>,
    /// True: directories of the environment are the user's wherever they lie.
    pub trust_home: Option<bool>,
    /// The user's answer about trust: `trust`, `once`, `decline`, `abort`.
    pub answer: Option<String>,
    /// The user's answer to single questions.
    pub confirm: Option<bool>,
    /// `path=value`.
    pub set: Vec<String>,
    /// Variables.
    pub variable: BTreeMap<String, VariableValue>,
    /// Paths for `grant` and `revoke`.
    pub paths: Vec<String>,
    /// Severities that the `diagnostics` block does not list.
    pub ignore: Vec<String>,
    /// The operating system, by Node's name.
    pub os: Option<String>,
    /// The output of `git status --short` in the project.
    pub git_status: Option<String>,
    /// The events that call for reminders.
    pub event: Vec<serde_json::Value>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// True: there is no home directory.
    pub homeless: bool,
}

/// Reads a case file.
///
/// # Errors
/// Names the line that is not understood.
pub fn parse(text: &str) -> Result<CaseFile, String> {
    let mut title = String::new();
    let mut shared: Vec<CaseStep> = Vec::new();
    let mut cases: Vec<Case> = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    let mut path: Option<String> = None;
    while let Some((at, line)) = lines.next() {
        let number = at + 1;
        if let Some(name) = line.strip_prefix("# ") {
            title = name.trim().to_owned();
        } else if let Some(name) = line.strip_prefix("## ") {
            cases.push(Case { name: name.trim().to_owned(), acts: shared.clone() });
        } else if let Some(info) = line.trim_start().strip_prefix("```") {
            let fence_len = 3 + info.len() - info.trim_start_matches('`').len();
            let info = info.trim_start_matches('`').trim().to_owned();
            let fence = "`".repeat(fence_len);
            let mut body = String::new();
            loop {
                match lines.next() {
                    None => return Err(format!("line {number}: this block never ends")),
                    Some((_, line)) if line.trim() == fence => break,
                    Some((_, line)) => {
                        body.push_str(line);
                        body.push('\n');
                    }
                }
            }
            let acts = cases.last_mut().map_or(&mut shared, |case| &mut case.acts);
            match (path.take(), act(&info)) {
                (Some(path), None) => {
                    let bytes = if info.split(' ').any(|word| word == "escaped") {
                        unescape(body.trim_end_matches('\n'))
                            .map_err(|why| format!("line {number}: {why}"))?
                    } else {
                        body.into_bytes()
                    };
                    acts.push(CaseStep::Put(path, CaseEntry::File(bytes)));
                }
                (None, Some(FenceKind::Turn)) => {
                    let turn = toml::from_str(&body).map_err(|error| format!("line {number}: {error}"))?;
                    acts.push(CaseStep::Turn(Box::new(turn), number));
                }
                (None, Some(FenceKind::Expect(what))) => acts.push(CaseStep::Expect(what, body, number)),
                (Some(path), Some(_)) => {
                    return Err(format!("line {number}: `{path}` needs a block of text"));
                }
                (None, None) => return Err(format!("line {number}: whose block is `{info}`?")),
            }
        } else if let Some((name, rest)) = quoted_path(line) {
            let acts = cases.last_mut().map_or(&mut shared, |case| &mut case.acts);
            let entry = match rest.trim().trim_end_matches('.') {
                ":" => {
                    path = Some(name.to_owned());
                    continue;
                }
                "is a directory" => CaseEntry::Dir,
                "is a pipe" => CaseEntry::Pipe,
                "is gone" => CaseEntry::Gone,
                "is unreadable" => CaseEntry::Unreadable,
                "is an unwritable directory" => CaseEntry::Unwritable,
                "is a shared directory" => CaseEntry::Shared,
                "belongs to another user" => CaseEntry::Foreign,
                rest if rest.starts_with("is the same file as `") && rest.ends_with('`') => {
                    CaseEntry::Same(rest["is the same file as `".len()..rest.len() - 1].to_owned())
                }
                rest => match rest.strip_prefix("links to `").and_then(|rest| rest.strip_suffix('`')) {
                    Some(target) => CaseEntry::Link(target.to_owned()),
                    // A sentence that happens to start with code.
                    None => continue,
                },
            };
            acts.push(CaseStep::Put(name.to_owned(), entry));
        }
    }
    if cases.is_empty() {
        cases.push(Case { name: title, acts: shared });
    }
    for case in &cases {
        if !case.acts.iter().any(|act| matches!(act, CaseStep::Expect(..))) {
            return Err(format!("case `{}` expects nothing", case.name));
        }
    }
    Ok(CaseFile { cases })
}

fn quoted_path(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('`')?;
    rest.split_once('`')
}

enum FenceKind {
    Turn,
    Expect(Expectation),
}

fn act(info: &str) -> Option<FenceKind> {
    Some(match info {
        "toml turn" => FenceKind::Turn,
        "prompt" => FenceKind::Expect(Expectation::Prompt),
        "prompt escaped" => FenceKind::Expect(Expectation::PromptEscaped),
        "attachments" => FenceKind::Expect(Expectation::Attachments),
        "explain" | "scopes" => FenceKind::Expect(Expectation::Explain),
        "absent" => FenceKind::Expect(Expectation::Absent),
        "diagnostics" => FenceKind::Expect(Expectation::Diagnostics),
        "audit" => FenceKind::Expect(Expectation::Audit),
        "error" => FenceKind::Expect(Expectation::Error),
        "file" => FenceKind::Expect(Expectation::File),
        "questions" => FenceKind::Expect(Expectation::Questions),
        "opened" => FenceKind::Expect(Expectation::Opened),
        _ => return None,
    })
}

/// Reads `\n`, `\r`, `\t`, `\\`, `\xHH` and `\u{H…}`; everything else stands for itself.
pub(super) fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        match chars.next() {
            Some('n') => bytes.push(b'\n'),
            Some('r') => bytes.push(b'\r'),
            Some('t') => bytes.push(b'\t'),
            Some('0') => bytes.push(0),
            Some('\\') => bytes.push(b'\\'),
            Some('x') => {
                let hex: String = chars.by_ref().take(2).collect();
                bytes.push(u8::from_str_radix(&hex, 16).map_err(|_| format!("bad escape `\\x{hex}`"))?);
            }
            Some('u') => {
                let rest: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let hex = rest.trim_start_matches('{');
                let c = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
                let c = c.ok_or_else(|| format!("bad escape `\\u{{{hex}}}`"))?;
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            other => return Err(format!("bad escape `\\{}`", other.map_or_else(String::new, String::from))),
        }
    }
    Ok(bytes)
}
