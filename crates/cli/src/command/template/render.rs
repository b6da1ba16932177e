//! `preface template render`: one template of the caller's.

use crate::{CommandResult, Exit, OutputFormat, TrustFlags, TurnFlags, Ui, diagnostics, files};
use preface_core::{
    document::Document,
    origin::{Origin, Piece},
};
use preface_engine::{Engine, counter, lint::LintFile};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface template render template.md
  echo 'On [git:branch].' | preface template render -
  preface template render template.md --preset template   as a stored one
  preface template render template.md --variable git:branch=main
  preface template render template.md -C ../api   use another directory
  preface list variables                          list what a template can name";

/// Render one template with the variables of a directory
///
/// `[type:name]` is replaced by the value of a variable; `[if type:name]…[else]…[endif]` tests whether it has one. Everything
/// else is text. The profile has switches of this language, such as `trim-tag-lines`. Stdout gets exactly the rendered bytes. Tags that do not do what they seem to are reported on stderr.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The template, or `-` for stdin; relative to the shell's directory, even with `-C`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    turn: TurnFlags,

    #[command(flatten)]
    trust: TrustFlags,
}

/// Renders and prints.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let (path, text) = files::read_text(&args.file)?;
    // As a file of this name, whatever the name is: it is a template here.
    let linted = LintFile {
        path: "sections/template.md".into(),
        shown: path.clone(),
        bytes: text.clone().into_bytes(),
    };
    // What the user hands over belongs to no layer, wherever it lies.
    let template = vec![Piece { text, origin: Origin::Caller { flag: path.into() } }];
    let request = args.trust.apply(args.turn.request())?;
    let engine = Engine::new(files::system());
    let built = engine.look(&request)?.render(template)?;
    let mut findings = engine.lint_files(&request, &[linted])?.findings;
    findings.retain(|diagnostic| {
        diagnostic.code.as_str().starts_with("template/") && !built.prompt.diagnostics.contains(diagnostic)
    });
    match args.format {
        OutputFormat::Text => {
            ui.prompt(&built.prompt.text)?;
            diagnostics::print(ui, &built.prompt);
            diagnostics::listing(ui, &findings);
        }
        OutputFormat::Json => {
            let mut prompt = built.prompt;
            prompt.diagnostics.append(&mut findings);
            let counter = counter(&built.snapshot.turn.counter)?;
            ui.json(&Document::of(&prompt, counter.as_ref()))?;
        }
    }
    Ok(Exit::Done)
}
