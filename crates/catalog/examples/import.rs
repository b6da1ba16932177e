//! Imports the catalog of a directory and prints what came of it: `cargo run -p preface-catalog --example import -- DIR`.
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use preface_catalog::{CatalogSource, SourceFile, compiled_bytes, import};
use preface_core::catalog::{CatalogChunk, CatalogText, UncompiledReason};
use std::{collections::BTreeMap, error::Error, fs, path::PathBuf, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let directory = PathBuf::from(arguments.next().ok_or("which directory?")?);
    let every_diagnostic = arguments.next().is_some();
    let mut files = Vec::new();
    for entry in fs::read_dir(directory.join("system-prompts"))? {
        let entry = entry?;
        files.push(SourceFile {
            name: entry.file_name().to_string_lossy().into_owned(),
            bytes: fs::read(entry.path())?,
        });
    }
    let source = CatalogSource { files, readme: fs::read(directory.join("README.md")).ok(), version: None };
    let start = Instant::now();
    let imported = import(&source)?;
    let took = start.elapsed();

    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unparsed = 0;
    for (_, text) in &imported.texts {
        let before = counts.get("unparsed").copied().unwrap_or(0);
        for chunk in &text.chunks {
            let kind = match chunk {
                CatalogChunk::Text { .. } => "words",
                CatalogChunk::Value { .. } => "value",
                CatalogChunk::Kept { why: UncompiledReason::Unparsed(_), .. } => "unparsed",
                CatalogChunk::Kept { why: UncompiledReason::Unsupported(_), .. } => "unsupported",
                CatalogChunk::Kept { why: UncompiledReason::Undeclared(_), .. } => "undeclared",
            };
            *counts.entry(kind).or_default() += 1;
        }
        unparsed += usize::from(counts.get("unparsed").copied().unwrap_or(0) > before);
        let read: CatalogText = serde_json::from_slice(&compiled_bytes(text))?;
        assert!(read == *text, "what is kept is read again");
    }
    let index = &imported.index;
    println!("version {}, generation {:?}, {}", index.version, index.generation, index.digest);
    println!("{} files, {} prompts, {took:?}", source.files.len(), index.prompts.len());
    println!("{counts:?}; files with an unparsed one: {unparsed}");
    println!("tokens listed: {}", index.prompts.iter().filter_map(|entry| entry.tokens).sum::<u32>());
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for diagnostic in &imported.diagnostics {
        *codes.entry(diagnostic.code.as_str()).or_default() += 1;
        if every_diagnostic {
            println!("{diagnostic:?}");
        }
    }
    println!("notes: {codes:?}");
    Ok(())
}
