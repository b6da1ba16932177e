//! `preface completions`: what a shell needs to complete the command line.

use crate::{
    Cli,
    failure::{CommandFailure, Exit},
    files,
    ui::Ui,
};
use clap::{Command, CommandFactory, builder::PossibleValuesParser};
use clap_complete::Shell;
use preface::{
    COUNTERS,
    host::{profile, system::System},
};

const EXAMPLES: &str = "\
Examples:
  preface completions bash > ~/.local/share/bash-completion/completions/preface
  preface completions zsh > ~/.zfunc/_preface
  preface completions fish > ~/.config/fish/completions/preface.fish";

/// Print the completions for a shell
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let mut script = Vec::new();
    let mut command = Cli::command();
    // Arguments of subcommands are worked out only now.
    command.build();
    let mut command = with_values(command);
    clap_complete::generate(args.shell, &mut command, "preface", &mut script);
    ui.data(&script)?;
    Ok(Exit::Done)
}

/// Names the values of flags that a shell cannot know. They are suggestions: the script refuses no other value.
fn with_values(command: Command) -> Command {
    let system = files::system();
    let flags: Vec<_> = command
        .get_arguments()
        .filter_map(|arg| {
            let names = match arg.get_long()? {
                "tokenizer" => COUNTERS.names().into_iter().map(str::to_owned).collect(),
                "preset" => profile::names(&system, None),
                "agent" => bundled_agents(&system),
                _ => return None,
            };
            Some((arg.get_id().clone(), names))
        })
        .collect();
    let command = flags.into_iter().fold(command, |command, (id, names)| {
        // clap keeps them as long as the process runs, which is until the script is printed.
        let names: Vec<&'static str> = names.into_iter().map(|name| &*name.leak()).collect();
        command.mut_arg(id, |arg| arg.value_parser(PossibleValuesParser::new(names)))
    });
    command.mut_subcommands(with_values)
}

/// Lists the agents that ship with presets.
fn bundled_agents(system: &dyn System) -> Vec<String> {
    let files = system.bundled_list("bundles/");
    let names = files.iter().filter_map(|path| {
        let (_, name) = path.split_once("/agents/")?;
        name.strip_suffix(".md").map(str::to_owned)
    });
    names.collect()
}
