//! Assembling a prompt with provenance, beside a bare copy of its bytes.

use crate::{
    Bench, BenchError,
    harness::{interleave, prepared},
    table::{Bar, Table},
    template::bytes,
};
use preface_core::{
    origin::{Origin, Piece, Source},
    pipeline::{
        assemble::{JoinRules, assemble},
        draft::{Draft, DraftPart},
    },
    profile::PartOrder,
    scope::Scope,
    section::{SectionId, SectionMeta},
    variable::Stability,
};
use std::sync::Arc;

pub const BENCH: Bench = Bench {
    name: "assemble",
    about: "joining 60 parts of 180 spans into 100 KiB, beside copying those 100 KiB.",
    run,
};

const PARTS: usize = 60;

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    let fitted = || Draft { parts: (0..PARTS).map(part).collect(), absent: Vec::new() };
    let join = Piece {
        text: "\n\n".into(),
        origin: Origin::Literal { profile: "bench".into(), key: "join".into() },
    };
    let joined = |fitted, arrange, seam| assemble(fitted, "bench", JoinRules { arrange, join: &join, seam });
    let prompt = joined(fitted(), PartOrder::Listed, false);
    if let Err(why) = prompt.check_tiling() {
        return Err(BenchError::Failed(format!("the assembled prompt has a gap: {why}")));
    }
    let measured = interleave(
        vec![
            prepared("assemble", fitted, |fitted| joined(fitted, PartOrder::Listed, false)),
            prepared("assemble by stability, seams trimmed", fitted, |fitted| {
                joined(fitted, PartOrder::Stability, true)
            }),
            prepared("copying the result", || (), |()| prompt.text.clone()),
        ],
        rounds.unwrap_or(1001),
    );
    let title = format!("{PARTS} parts, {}", bytes(prompt.text.len()));
    let bars = vec![Bar { of: "assemble", to: "copying the result", at_most: 2.5 }];
    Ok(vec![Table::new(title, measured, bars)])
}

/// Builds a part of 1.7 KiB: a header of the profile, a file, a line of the profile.
fn part(number: usize) -> DraftPart {
    let source = Arc::new(Source { scope: Scope::Project, path: format!("notes/{number}.md") });
    let literal = |key: &str| Origin::Literal { profile: "bench".into(), key: key.into() };
    let body = "Read a file before you change it.\n".repeat(48);
    let mut part = DraftPart {
        stability: [Stability::Static, Stability::Conversation, Stability::Turn][number % 3],
        ..DraftPart::new(SectionMeta::new(SectionId::new(format!("part-{number}"))))
    };
    part.push("# Notes of the project, one file\n\n", literal("section.notes.prefix"));
    part.push(&body, Origin::Source { source, span: 0..body.len(), lossy: false });
    part.push("That was the file.", literal("section.notes.suffix"));
    part
}
