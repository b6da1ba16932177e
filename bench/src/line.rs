//! The pure half of the line: from a snapshot to a prompt.

use crate::{
    Bench, BenchError,
    harness::{closure, interleave},
    table::Table,
    template::bytes,
};
use preface_core::{
    layer::Stack,
    origin::{Origin, Piece, Source},
    pipeline, profile,
    prompt::Prompt,
    scope::Scope,
    section::{Language, ProviderName, SectionId},
    snapshot::{Contribution, Item, SNAPSHOT_VERSION, Snapshot},
    turn::Turn,
    variable::source::NoSource,
};
use std::sync::Arc;

pub const BENCH: Bench = Bench {
    name: "line",
    about: "composing, rendering, fitting and assembling 60 sections, beside copying the prompt.",
    run,
};

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    let mut snapshot = snapshot(60, 1700);
    let prompt = build(&mut snapshot);
    if let Err(why) = prompt.check_tiling() {
        return Err(BenchError::Failed(format!("the prompt has a gap: {why}")));
    }
    let measured = interleave(
        vec![
            closure("snapshot to prompt", || build(&mut snapshot)),
            closure("fingerprint", || prompt.fingerprint()),
            closure("copying the prompt", || prompt.text.clone()),
        ],
        rounds.unwrap_or(301),
    );
    let title = format!("60 sections of one file each, {}", bytes(prompt.text.len()));
    Ok(vec![Table::new(title, measured, Vec::new())])
}

/// Builds the prompt of a complete snapshot.
pub fn build(snapshot: &mut Snapshot) -> Prompt {
    pipeline::run(snapshot, &mut NoSource).expect("the snapshot is complete")
}

/// Makes a snapshot whose profile has this many sections, each filled with one file of about this many bytes.
pub fn snapshot(sections: usize, bytes: usize) -> Snapshot {
    let ids: Vec<String> = (0..sections).map(|number| format!("s{number}")).collect();
    let mut text = String::from("name = \"bench\"\nhome = { global = \"~/.bench\", project = \".bench\" }\n");
    text += &format!("join = \"\\n\\n\"\n\n[orders]\nmain = {ids:?}\n");
    for id in &ids {
        text += &format!("\n[section.{id}]\nfill = \"files\"\nitem = \"## [item:path]\\n\\n[item:text]\"\n");
    }
    let raw = profile::read("bench", "bench.toml", &text).expect("the profile is TOML");
    let profile = profile::build(&[raw], &[], &mut |_, _| Err("no files".into())).expect("a good profile");
    let line = "Read a file before you change it.\n";
    let text = line.repeat(bytes / line.len());
    Snapshot {
        version: SNAPSHOT_VERSION,
        turn: Turn { counter: "estimate:bytes4".into(), ..Turn::default() },
        profile: Arc::new(profile),
        stack: Stack::default(),
        overrides: Vec::new(),
        system_prompt: Default::default(),
        given: Default::default(),
        stored: None,
        contributions: ids.iter().map(|id| contribution(id, &text)).collect(),
        reminders: Vec::new(),
        variables: Default::default(),
        diagnostics: Vec::new(),
        audit: Vec::new(),
    }
}

fn contribution(id: &str, text: &str) -> Contribution {
    let path = format!("notes/{id}.md");
    let source = Arc::new(Source { scope: Scope::Project, path: path.clone() });
    let origin = Origin::Source { source, span: 0..text.len(), lossy: false };
    Contribution {
        provider: ProviderName::new("files"),
        id: None,
        section: SectionId::new(id),
        items: vec![Item {
            variables: [("path".to_owned(), path)].into(),
            pieces: vec![Piece { text: text.to_owned(), origin }],
            rank: None,
            language: Language::Verbatim,
        }],
        priority: None,
        max_tokens: None,
        unread: 0,
        stability: None,
        silent: None,
    }
}
