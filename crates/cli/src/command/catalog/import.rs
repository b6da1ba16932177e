//! `preface catalog import`: takes in the catalog in a directory.

use crate::{
    CommandResult, Exit, OutputFormat, diagnostics, files,
    ui::{Ui, Verbosity, count, number, style},
};
use preface_core::{
    catalog::Generation,
    diagnostic::{Diagnostic, DiagnosticCode, Severity},
};
use preface_engine::catalogs::{self, CatalogWriteOutcome, ImportReport, ImportStage, ReplaceMode};
use std::{path::PathBuf, time::Instant};

const EXAMPLES: &str = "\
Examples:
  preface catalog import ~/prompts
  preface catalog import ~/prompts --version 2.1.37
  preface catalog import ~/prompts --replace
  preface catalog import ~/prompts --format json | jq -r .pin";

/// Import the catalog in a directory
///
/// Reads README.md and the `.md` files of `system-prompts`, and stores each prompt as a template, in which `[catalog:KEY]` is a value
/// of `${…}`. Links that lead out of DIR are left out, and so is what is no prompt. A crash leaves what was kept before, or what is
/// new.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The directory with the README.md
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Set the version if the README has none or another one
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,

    /// Let it take the place of other texts of the same version
    #[arg(long)]
    replace: bool,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let started = Instant::now();
    let dir = files::absolute(&args.dir)?;
    let replace = if args.replace { ReplaceMode::Yes } else { ReplaceMode::No };
    let report = ui.progress(|progress| {
        let mut at = |stage| progress.at(words(stage));
        catalogs::import(files::system(), &dir, args.version.clone(), replace, &mut at)
    })?;
    ui.show(args.format, &report, || view(&report, started.elapsed().as_secs_f64()))?;
    print_diagnostics(ui, &report.diagnostics);
    Ok(Exit::Done)
}

fn words(stage: ImportStage) -> String {
    match stage {
        ImportStage::Reading => "reading".to_owned(),
        ImportStage::Converting(files) => format!("converting {}", count(files, "file")),
        ImportStage::Writing(prompts) => format!("writing {}", count(prompts, "prompt")),
    }
}

fn view(report: &ImportReport, seconds: f64) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let generation = match report.generation {
        Generation::A => "A: bodies are source, up to 2.1.79",
        Generation::B => "B: bodies are decoded, from 2.1.80 on",
    };
    let done = match report.written {
        CatalogWriteOutcome::New => "imported",
        CatalogWriteOutcome::Replaced => "imported, in place of another one",
        CatalogWriteOutcome::Same => "imported already, with the same texts",
    };
    let counted = if report.counted == report.prompts {
        String::new()
    } else {
        format!(", {} of {} counted", number(report.counted), number(report.prompts))
    };
    let tokens = usize::try_from(report.tokens).unwrap_or(usize::MAX);
    let row = |name: &str, value: String| format!("{dim}{name:<12}{dim:#}{value}\n");
    let mut out = format!("{bold}{}{bold:#}  {done}\n", report.version);
    out.push_str(&row("generation", generation.to_owned()));
    out.push_str(&row("prompts", number(report.prompts)));
    out.push_str(&row("values", number(report.values)));
    out.push_str(&row("tokens", format!("{} by its README{counted}", number(tokens))));
    out.push_str(&row("bytes", number(report.bytes)));
    out.push_str(&row("digest", report.digest.clone()));
    out.push_str(&row("time", format!("{seconds:.1} s")));
    out.push_str("\nTo use it with a profile that has places for it, for one call or for every call:\n");
    out.push_str(&format!("  preface build --preset claude-code --set catalog={}\n", report.pin));
    out.push_str(&format!("  preface config set options.catalog {} --preset claude-code\n", report.pin));
    out
}

/// Prints the diagnostics: in one line, or all of them.
fn print_diagnostics(ui: &Ui, diagnostics: &[Diagnostic]) {
    let of = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    match ui.verbosity() {
        Verbosity::Quiet => {}
        Verbosity::All => diagnostics::all(ui, diagnostics),
        Verbosity::Usual => {
            let left_out =
                diagnostics.iter().filter(|diagnostic| diagnostic.code == DiagnosticCode::CatalogLeftOut);
            diagnostics::few(ui, left_out.cloned().collect(), "catalog import -v");
            let others = diagnostics
                .iter()
                .filter(|diagnostic| diagnostic.code != DiagnosticCode::CatalogLeftOut)
                .count();
            if others > 0 {
                let worst = if of(Severity::Warning) > 0 { Severity::Warning } else { Severity::Info };
                let (word, dim) = (style::severity(worst), style::DIM);
                let summary = count(others, "diagnostic");
                ui.eprint(&format!("{word}{worst}{word:#}: {summary} {dim}(`-v` lists them){dim:#}\n"));
            }
        }
    }
}
