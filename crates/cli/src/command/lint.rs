//! `preface lint`: what is wrong with what the model would be told.

use crate::{
    advice::{self, complete},
    failure::{CommandFailure, Exit},
    files,
    flags::{DirectoryArgument, TrustFlags, TurnFlags},
    stored_template::TemplateFlags,
    ui::{
        Ui,
        note::DiagnosticView,
        style,
        text::{count, listed},
    },
};
use clap::ValueEnum;
use preface::{
    Engine,
    core::diagnostic::{Diagnostic, DiagnosticCode, Severity},
    lint::{LintFile, LintReport},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fmt::Write, path::PathBuf};

const EXAMPLES: &str = "\
Examples:
  preface lint                          check every text that a build uses
  preface lint ../api                   in another directory
  preface lint --file AGENTS.md         check one file
  preface lint --deny warning           exit with 4 if there is a warning
  preface lint --format sarif > lint.sarif";

/// Find hidden text, secrets, broken tags and other problems
///
/// Without `--file`: every text that a build of the directory uses, untrusted files included, the order of the parts, the
/// budget, and the diagnostics of the build. At most 100 findings of one code and file are listed. Exits with 4 if there is
/// an error.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    dir: DirectoryArgument,

    /// Check only FILE, relative to the shell's directory, or `-` for stdin; repeat for more files
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Exit with 4 at findings of this severity, too
    #[arg(long, value_enum, default_value_t = DenyLevel::Error, hide_default_value = true, value_name = "SEVERITY")]
    deny: DenyLevel,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: LintFormat,

    /// Print only the findings that make it fail
    #[arg(short, long)]
    quiet: bool,

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
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let mut request = args.dir.apply(&args.turn).request();
    args.trust.apply(&mut request)?;
    let system = files::system();
    let templates = args.template.source();
    let engine = Engine::new(&system).with_templates(&templates);
    let linted = if args.files.is_empty() {
        engine.lint(&request)?
    } else {
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
            .collect::<Result<_, CommandFailure>>()?;
        engine.lint_files(&request, &files)?
    };
    match args.format {
        LintFormat::Text => {
            // What the exit code is about is shown in any case.
            let least = if args.quiet { args.deny.severity() } else { Severity::Info };
            let mut out = String::new();
            for note in linted.findings.iter().filter(|note| note.severity >= least) {
                let _ = writeln!(out, "{:#}", DiagnosticView::of(note, ui.columns().unwrap_or(100)));
            }
            ui.view(&out)?;
        }
        LintFormat::Json => ui.json(&json!({ "diagnostics": linted.findings, "texts": linted.texts }))?,
        LintFormat::Sarif => ui.json(&sarif(&linted.findings))?,
    }
    if !args.quiet {
        ui.say(&tally(&linted));
    }
    let denied = linted.findings.iter().any(|note| note.severity >= args.deny.severity());
    Ok(if denied { Exit::Lint } else { Exit::Done })
}

fn tally(linted: &LintReport) -> String {
    let texts = count(linted.texts, "text");
    let said: Vec<String> =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "note")]
            .into_iter()
            .map(|(severity, word)| {
                (severity, linted.findings.iter().filter(|note| note.severity == severity).count(), word)
            })
            .filter(|(_, many, _)| *many > 0)
            .map(|(severity, many, word)| {
                let style = style::severity(severity);
                format!("{style}{}{style:#}", count(many, word))
            })
            .collect();
    match said.as_slice() {
        [] => format!("No problems found in {texts}.\n"),
        said => format!("{} in {texts}.\n", listed(said)),
    }
}

/// The findings as SARIF 2.1.0: one run, one result a finding.
fn sarif(findings: &[Diagnostic]) -> Value {
    let codes: BTreeSet<DiagnosticCode> = findings.iter().map(|note| note.code).collect();
    let rules: Vec<Value> = codes.into_iter().map(|code| rule(code, findings)).collect();
    let results: Vec<Value> = findings.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "preface",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// The topics of diagnostic codes, each with its subject.
const TOPICS: [(&str, &str); 17] = [
    ("agent", "A problem of an agent's file"),
    ("budget", "The prompt does not fit its budget"),
    ("cache", "An order of the prompt that caches cannot use"),
    ("extension", "A problem of an extension"),
    ("file", "A file that was left out or changed in reading"),
    ("forged", "Text that imitates the structure of a prompt"),
    ("git", "A git repository that was not read"),
    ("hidden", "Characters that people do not see and a model reads"),
    ("mcp", "A problem of an MCP server"),
    ("profile", "A problem of a profile"),
    ("prompt", "A setting of the system prompt that has no effect, or a wide one"),
    ("scope", "A layer that changes what another layer brings"),
    ("secret", "Text that looks like a credential"),
    ("section", "A section that was changed, moved or left out"),
    ("settings", "A setting that is not used"),
    ("template", "A tag of a template that does not do what it seems to"),
    ("trust", "Text of a project that is not trusted"),
];

/// Describes a code for people: its topic, and what to do about it.
fn rule(code: DiagnosticCode, findings: &[Diagnostic]) -> Value {
    let topic = TOPICS.iter().find(|(topic, _)| code.topic() == *topic).map(|(_, about)| *about);
    let topic = topic.unwrap_or("A problem that a build reports");
    let help = findings.iter().filter(|note| note.code == code).find_map(advice::help);
    json!({
        "id": code,
        "shortDescription": { "text": topic },
        "help": { "text": complete(help.as_deref().unwrap_or(topic)) },
    })
}

fn result(note: &Diagnostic) -> Value {
    let level = match note.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    };
    let text = match advice::help(note) {
        Some(help) => format!("{}\n{help}", note.message),
        None => note.message.clone(),
    };
    let mut result = json!({ "ruleId": note.code, "level": level, "message": { "text": complete(&text) } });
    if let Some(place) = note.place.as_ref().filter(|place| !place.path.is_empty()) {
        let mut physical = json!({ "artifactLocation": { "uri": uri(&place.path) } });
        let mut region = serde_json::Map::new();
        if let Some(line) = place.line {
            region.insert("startLine".to_owned(), line.into());
            if let Some(column) = place.column {
                region.insert("startColumn".to_owned(), column.into());
            }
        }
        if let Some(span) = &place.span {
            region.insert("byteOffset".to_owned(), span.start.into());
            region.insert("byteLength".to_owned(), span.len().into());
        }
        if !region.is_empty() {
            physical["region"] = region.into();
        }
        result["locations"] = json!([{ "physicalLocation": physical }]);
    } else {
        // What reads the file may refuse a result without a place.
        result["locations"] = json!([{ "physicalLocation": { "artifactLocation": { "uri": "." } } }]);
    }
    result
}

/// Writes a path as a relative reference.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into());
            }
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_reference() {
        assert_eq!(uri("docs/größe 1.md"), "docs/gr%C3%B6%C3%9Fe%201.md");
    }
}
