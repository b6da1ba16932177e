//! `preface template render`: one template of the caller's.

use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::{TrustFlags, TurnFlags, VerbosityFlags},
    notes,
    ui::Ui,
};
use preface::{
    Engine,
    core::origin::{Origin, Piece},
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface template render template.md
  echo 'On [git:branch].' | preface template render -
  preface template render template.md --variable git:branch=main
  preface template render template.md -C ../api   use another directory
  preface list variables                          list what a template can name";

/// Render one template with the variables of a directory
///
/// `[type:name]` is replaced by the value of a variable; `[if type:name]…[else]…[endif]` tests whether it has one. Everything
/// else is text. Stdout gets exactly the rendered bytes.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The template, or `-` for stdin; relative to the shell's directory, even with `-C`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    turn: TurnFlags,

    #[command(flatten)]
    trust: TrustFlags,

    #[command(flatten)]
    talk: VerbosityFlags,
}

/// Renders and prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let (path, text) = files::read_text(&args.file)?;
    // What the user hands over belongs to no layer, wherever it lies.
    let template = vec![Piece { text, origin: Origin::Caller { flag: path.into() } }];
    let mut request = args.turn.request();
    args.trust.apply(&mut request)?;
    let system = files::system();
    let built = Engine::new(&system).render(&request, template)?;
    ui.prompt(&built.prompt.text)?;
    notes::tell(ui, args.talk.talk(), &built.prompt);
    Ok(Exit::Done)
}
