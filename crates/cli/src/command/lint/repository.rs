//! `preface lint --repository`: the files of all agents in a work tree.

use crate::{
    CommandFailure, CommandResult, files,
    ui::{TextTable, count, one_line},
};
use preface_capture::repository::{RepositoryFile, RepositoryRules};
use preface_core::lint::hidden::escape_hidden;
use preface_engine::{
    BuildOptions, Engine,
    host::{
        system::System,
        work_tree::{self, WorkTreeFile},
    },
    lint::{LintFile, LintReport},
};
use serde::Serialize;
use std::path::Path;

/// A file that agents read.
#[derive(Debug, Serialize)]
pub struct AgentFile {
    /// The path from the root of the work tree, and those of links to it.
    pub names: Vec<String>,
    /// The agents that read it or act on it.
    pub agents: Vec<&'static str>,
}

/// Reads the files of all agents in the work tree that holds the directory of a request, and looks at them.
pub fn lint(
    engine: &Engine<'_>,
    system: &dyn System,
    request: &BuildOptions,
) -> CommandResult<(LintReport, Vec<AgentFile>)> {
    let dir = files::absolute(request.cwd.as_deref().unwrap_or(Path::new(".")))?;
    let rules = RepositoryRules::new();
    let tree = work_tree::read_work_tree(system, &dir, &|path| rules.wants(path)).map_err(|error| {
        let shown = escape_hidden(&dir.display().to_string()).into_owned();
        CommandFailure::usage(format!("`{shown}`: {error}")).help("name a directory of the repository")
    })?;
    let mut found = tree.diagnostics;
    let (mut texts, mut lint_files) = (Vec::new(), Vec::new());
    for WorkTreeFile { names, bytes } in tree.files {
        let shown = names[0].clone();
        texts.push(RepositoryFile { names, text: String::from_utf8_lossy(&bytes).into_owned() });
        lint_files.push(LintFile { path: tree.root.join(&shown), shown, bytes });
    }
    let report = rules.check(&texts);
    found.extend(report.findings);
    let files = texts.into_iter().zip(report.readers);
    let files = files.map(|(file, agents)| AgentFile { names: file.names, agents }).collect();
    Ok((engine.lint_texts(request, &lint_files, found)?, files))
}

/// Returns a table of the files, a row for those that the same agents read.
pub fn table(files: &[AgentFile], columns: Option<usize>) -> String {
    let mut rows: Vec<(&AgentFile, usize)> = Vec::new();
    for file in files.iter().filter(|file| !file.agents.is_empty()) {
        match rows.iter_mut().find(|(first, _)| first.agents == file.agents) {
            Some((_, others)) => *others += 1,
            None => rows.push((file, 0)),
        }
    }
    let mut table = TextTable::headed(["file", "read by"]);
    for (first, others) in &rows {
        let name = one_line(&first.names.join(", "));
        let others = if *others > 0 { format!(" and {}", count(*others, "other")) } else { String::new() };
        table.row([format!("{name}{others}").into(), first.agents.join(", ").into()]);
    }
    if rows.is_empty() { String::new() } else { format!("{}\n", table.show(columns)) }
}
