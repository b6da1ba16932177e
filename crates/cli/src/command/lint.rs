//! `preface lint`: problems in the texts that a prompt is built from, or in the files of all agents of a repository.

mod repository;
mod sarif;

use crate::{
    CommandFailure, CommandResult, DirectoryArgument, Exit, TemplateFlags, TrustFlags, TurnFlags,
    command::capture::saved,
    files,
    ui::{DiagnosticView, Ui, count, listed, style},
};
use clap::ValueEnum;
use preface_capture::document::Capture;
use preface_core::{
    diagnostic::{Diagnostic, Diagnostics, Remedy, Severity},
    lint::hidden::escape_hidden,
};
use preface_engine::{
    BuildOptions, Engine,
    host::trust::shell_quoted,
    lint::{LintFile, LintReport},
};
use serde_json::json;
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Examples:
  preface lint                          check every text that a build uses
  preface lint ../api                   in another directory
  preface lint --file AGENTS.md         check one file
  preface lint --repository             check the files of all agents
  preface lint --deny warning           exit with 4 if there is a warning
  preface lint --format json > known.json
  preface lint --baseline known.json    leave out what is known
  preface lint --format sarif > lint.sarif";

/// Find hidden text, secrets, broken tags and other problems
///
/// Without `--file`: every text that a build of the directory uses, untrusted files included, the order of the parts, the
/// budget, and the diagnostics of the build. In the place of DIR it takes a file that `preface capture --save` wrote. At most
/// 100 findings of one code and file are listed. Exits with 4 if there is an error.
///
/// With `--repository`: the files of all agents in the work tree, whichever directory and preset they are for, without the
/// files that git ignores. Nothing is started.
///
/// The setting `lint.ignore` accepts findings by their code: `{"lint": {"ignore": {"secret/key": ["docs/**"]}}}`.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    dir: DirectoryArgument,

    /// Check only FILE, relative to the shell's directory, or `-` for stdin; repeat for more files
    #[arg(
        long = "file",
        value_name = "FILE",
        conflicts_with_all = ["trust", "trust_pins", "template", "budget", "conversation", "agent"]
    )]
    files: Vec<PathBuf>,

    /// Check the files of all agents in the work tree that holds DIR, without a build
    ///
    /// Instructions, rules, skills, agents, commands, MCP servers, hooks and permissions: what is hidden, secret or forged in them, what
    /// would run, what is cut, and what one agent alone or none reads.
    #[arg(
        long,
        conflicts_with_all = [
            "files", "trust", "trust_pins", "template", "budget", "conversation", "agent", "model", "tools", "tokenizer", "variable", "root", "follow",
        ]
    )]
    repository: bool,

    /// Exit with 4 at findings of this severity, too
    #[arg(long, value_enum, default_value_t = DenyLevel::Error, hide_default_value = true, value_name = "SEVERITY")]
    deny: DenyLevel,

    /// Leave out the findings that FILE has, the output of an earlier `preface lint --format json`
    ///
    /// A finding is the same by its code, file and message, wherever in the file it is; one that is there twice counts twice.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: LintFormat,

    #[command(flatten)]
    turn: TurnFlags,

    #[command(flatten)]
    trust: TrustFlags,

    #[command(flatten)]
    template: TemplateFlags,
}

/// The least that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DenyLevel {
    /// Errors alone
    Error,
    /// Warnings and errors
    Warning,
    /// Everything
    Info,
}

impl DenyLevel {
    fn severity(self) -> Severity {
        match self {
            DenyLevel::Error => Severity::Error,
            DenyLevel::Warning => Severity::Warning,
            DenyLevel::Info => Severity::Info,
        }
    }
}

/// The forms of a lint report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LintFormat {
    /// For people
    #[default]
    Text,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let request = args.dir.apply(&args.turn).request();
    let capture = saved::read(args.dir.dir.as_deref().filter(|_| !args.repository)).map_err(|failure| {
        match &args.dir.dir {
            Some(file) if files::is_file(file) => {
                let shown = escape_hidden(&file.display().to_string()).into_owned();
                failure.help(Remedy::command(
                    "check one file",
                    format_args!("lint --file {}", shell_quoted(&shown)),
                ))
            }
            _ => failure,
        }
    })?;
    let linted = lint(args, request.clone(), capture.as_ref()).and_then(|(linted, files)| {
        let (linted, known) = match &args.baseline {
            Some(file) => without_known(linted, file)?,
            None => (linted, 0),
        };
        Ok((linted, known, files))
    });
    let (linted, known, agent_files) = match linted {
        Ok(linted) => linted,
        Err(failure) => {
            if args.format == LintFormat::Sarif {
                ui.json(&sarif::failed(&failure.clone().into_diagnostic(), &base(args, request.cwd)?))?;
            }
            return Err(failure);
        }
    };
    match args.format {
        LintFormat::Text => {
            // What the exit code is about is shown in any case.
            let least = if ui.is_quiet() { args.deny.severity() } else { Severity::Info };
            let mut out =
                if ui.is_quiet() { String::new() } else { repository::table(&agent_files, ui.columns()) };
            for diagnostic in linted.findings.iter().filter(|diagnostic| diagnostic.severity >= least) {
                let _ = writeln!(out, "{:#}", DiagnosticView::of(diagnostic, ui.columns().unwrap_or(100)));
            }
            ui.view(&out)?;
        }
        LintFormat::Json => {
            let mut document = json!({ "diagnostics": linted.findings, "texts": linted.texts });
            if args.repository {
                document["files"] = json!(agent_files);
            }
            ui.json(&document)?;
        }
        LintFormat::Sarif => {
            ui.json(&sarif::log(&linted.findings, &base(args, request.cwd)?))?;
        }
    }
    if !ui.is_quiet() {
        ui.eprint(&tally(&linted));
        if let Some(file) = args.baseline.as_ref().filter(|_| known > 0) {
            let file = escape_hidden(&file.display().to_string()).into_owned();
            ui.eprint(&format!("{} in {file} not listed.\n", count(known, "finding")));
        }
    }
    let denied = linted.findings.iter().any(|diagnostic| diagnostic.severity >= args.deny.severity());
    Ok(if denied { Exit::Lint } else { Exit::Done })
}

fn base(args: &Args, cwd: Option<PathBuf>) -> CommandResult<sarif::PathBase> {
    sarif::PathBase::of(cwd.filter(|_| args.files.is_empty()), !args.files.is_empty())
}

/// Looks for problems, and returns the files of agents beside them with `--repository`.
fn lint(
    args: &Args,
    request: BuildOptions,
    capture: Option<&Capture>,
) -> CommandResult<(LintReport, Vec<repository::AgentFile>)> {
    let mut request = BuildOptions { default_on_error: true, ..args.trust.apply(request)? };
    let templates = args.template.source(&request);
    let engine = Engine::new(files::system()).with_templates(&templates);
    if args.repository {
        return repository::lint(&engine, files::system(), &request);
    }
    if let (Some(capture), Some(file)) = (capture, &args.dir.dir) {
        request.cwd = None;
        return Ok((engine.lint_files(&request, &saved::lint_files(file, capture))?, Vec::new()));
    }
    if args.files.is_empty() {
        return Ok((engine.lint(&request)?, Vec::new()));
    }
    let files: Vec<LintFile> = args
        .files
        .iter()
        .map(|file| {
            Ok(LintFile {
                path: if file.as_os_str() == "-" { "stdin".into() } else { files::absolute(file)? },
                shown: if file.as_os_str() == "-" { "stdin".into() } else { file.display().to_string() },
                bytes: files::read(file)?,
            })
        })
        .collect::<CommandResult<_>>()?;
    Ok((engine.lint_files(&request, &files)?, Vec::new()))
}

/// A report that was saved as JSON.
#[derive(serde::Deserialize)]
struct SavedReport {
    diagnostics: Diagnostics,
}

/// Leaves out the findings that a saved report has, and returns how many these are.
fn without_known(mut linted: LintReport, file: &Path) -> CommandResult<(LintReport, usize)> {
    let report: SavedReport = serde_json::from_slice(&files::read(file)?).map_err(|error| {
        CommandFailure::new(format!("`{}` is no report of lint: {error}", file.display()))
            .help(Remedy::command("print one", "lint --format json"))
    })?;
    let key = |diagnostic: &Diagnostic| {
        let path = diagnostic.place.as_ref().map(|place| place.path.clone());
        (diagnostic.code, path, diagnostic.message.clone())
    };
    let mut known: Vec<_> = report.diagnostics.iter().map(key).collect();
    let before = linted.findings.len();
    linted.findings.retain(|diagnostic| {
        let at = known.iter().position(|one| *one == key(diagnostic));
        at.map(|at| known.swap_remove(at)).is_none()
    });
    let left_out = before - linted.findings.len();
    Ok((linted, left_out))
}

fn tally(linted: &LintReport) -> String {
    let texts = count(linted.texts, "text");
    let of = |severity: Severity| {
        let many = linted.findings.iter().filter(|diagnostic| diagnostic.severity == severity).count();
        let style = style::severity(severity);
        (many > 0).then(|| format!("{style}{}{style:#}", count(many, severity.as_str())))
    };
    let counts = [Severity::Error, Severity::Warning, Severity::Info].into_iter().filter_map(of);
    match counts.collect::<Vec<_>>().as_slice() {
        [] => format!("No problems found in {texts}.\n"),
        counts => format!("{} in {texts}.\n", listed(counts)),
    }
}
