//! `preface man`: the manual, made from the same words as the help.

use crate::{
    Cli, CommandFailure, CommandResult, Exit, files,
    ui::{Ui, count},
};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface man | man -l -
  preface man --out ~/.local/share/man/man1";

/// Print the manual page, or write one for each command
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Write a page for each command into DIR
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints or writes.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let mut command = Cli::command();
    command.build();
    let Some(dir) = &args.out else {
        ui.data(&page(command)?)?;
        return Ok(Exit::Done);
    };
    let mut pages = Vec::new();
    collect(&command, &mut pages);
    files::make_dir(dir)?;
    for command in &pages {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        files::write_for_all(&dir.join(format!("{name}.1")), &page((*command).clone())?)?;
    }
    ui.eprint(&format!("{} in {}\n", count(pages.len(), "page"), dir.display()));
    Ok(Exit::Done)
}

/// Lists a command and those below it, but for the help that clap adds.
fn collect<'c>(command: &'c Command, pages: &mut Vec<&'c Command>) {
    pages.push(command);
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        collect(below, pages);
    }
}

fn page(command: Command) -> CommandResult<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(|error| CommandFailure::cannot("make the page", &error))?;
    Ok(page)
}
