//! The commands, one file or folder each. A new one is a file here, a line in [`Command`] and a line in [`Command::run`].

mod build;
mod capture;
mod catalog;
pub mod completions;
mod config;
mod conversation;
mod diff;
mod doctor;
mod exec;
mod explain;
mod hook;
mod lint;
mod list;
mod man;
mod mcp;
mod profile;
#[cfg(feature = "serve")]
mod serve;
mod template;
#[cfg(feature = "serve")]
mod token;
mod trust;

pub use hook::answer::without_answer;
pub use list::Preset;

use crate::{CommandResult, Ui};
use clap::Subcommand;

/// The commands by name.
#[derive(Debug, Subcommand)]
pub enum Command {
    Capture(Box<capture::Args>),
    Build(build::Args),
    Explain(explain::Args),
    Diff(diff::Args),
    Lint(lint::Args),
    Trust(trust::Args),
    List(Box<list::Args>),
    #[command(subcommand)]
    Config(config::Args),
    #[command(subcommand)]
    Profile(profile::Args),
    #[command(subcommand)]
    Template(template::Args),
    #[command(subcommand)]
    Conversation(conversation::Args),
    #[command(subcommand)]
    Hook(Box<hook::Args>),
    Exec(Box<exec::Args>),
    #[command(subcommand)]
    Mcp(mcp::Args),
    #[command(subcommand)]
    Catalog(catalog::Args),
    #[cfg(feature = "serve")]
    Serve(serve::Args),
    #[cfg(feature = "serve")]
    #[command(subcommand)]
    Token(token::Args),
    Doctor(Box<doctor::Args>),
    #[command(hide = true)]
    Completions(completions::Args),
    #[command(hide = true)]
    Man(man::Args),
}

impl Command {
    /// Runs the command.
    pub fn run(&self, ui: &Ui) -> CommandResult {
        match self {
            Command::Capture(args) => capture::run(ui, args),
            Command::Build(args) => build::run(ui, args),
            Command::Explain(args) => explain::run(ui, args),
            Command::Diff(args) => diff::run(ui, args),
            Command::Lint(args) => lint::run(ui, args),
            Command::Trust(args) => trust::run(ui, args),
            Command::List(args) => list::run(ui, args),
            Command::Config(args) => config::run(ui, args),
            Command::Profile(args) => profile::run(ui, args),
            Command::Template(args) => template::run(ui, args),
            Command::Conversation(args) => conversation::run(ui, args),
            Command::Hook(args) => hook::run(ui, args),
            Command::Exec(args) => exec::run(ui, args),
            Command::Mcp(args) => mcp::run(ui, args),
            Command::Catalog(args) => catalog::run(ui, args),
            #[cfg(feature = "serve")]
            Command::Serve(args) => serve::run(ui, args),
            #[cfg(feature = "serve")]
            Command::Token(args) => token::run(ui, args),
            Command::Doctor(args) => doctor::run(ui, args),
            Command::Completions(args) => completions::run(ui, args),
            Command::Man(args) => man::run(ui, args),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    fn command() -> clap::Command {
        let mut command = crate::Cli::command();
        command.build();
        command
    }

    fn walk(command: &clap::Command, visit: &mut dyn FnMut(&clap::Command)) {
        visit(command);
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            walk(below, visit);
        }
    }

    #[test]
    fn the_command_line_is_sound() {
        crate::Cli::command().debug_assert();
    }

    #[test]
    fn subcommands_are_listed_by_name() {
        walk(&command(), &mut |command| {
            let names: Vec<&str> = command
                .get_subcommands()
                .map(clap::Command::get_name)
                .filter(|name| *name != "help" && command.get_name() != "preface")
                .collect();
            assert!(names.is_sorted(), "the commands of `{}` are sorted: {names:?}", command.get_name());
        });
    }

    #[test]
    fn a_command_has_a_file_or_a_function_of_its_name() {
        let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/command");
        for command in command().get_subcommands() {
            let name = command.get_name();
            let below: Vec<&str> = command
                .get_subcommands()
                .map(clap::Command::get_name)
                .filter(|name| *name != "help")
                .collect();
            if below.is_empty() {
                let (file, folder) = (here.join(format!("{name}.rs")), here.join(name).join("mod.rs"));
                assert!(file.is_file() || folder.is_file(), "`{name}` has a file or a folder");
                continue;
            }
            let folder = here.join(name);
            let files = std::fs::read_dir(&folder).expect("a command with subcommands has a folder");
            let sources: String = files
                .map(|file| file.expect("the folder can be read").path())
                .filter(|path| path.is_file())
                .map(|path| std::fs::read_to_string(path).expect("a source"))
                .collect();
            for below in below {
                let has_file = folder.join(format!("{below}.rs")).is_file();
                let function = format!("pub fn {}(", below.replace('-', "_"));
                assert!(
                    has_file || sources.contains(&function),
                    "`{name} {below}` has a file, or a function in a file of `{name}`"
                );
            }
        }
    }

    #[test]
    fn a_command_explains_itself_with_an_example() {
        walk(&command(), &mut |command| {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "`{name}` says in a sentence what it does");
            let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:\n  preface"), "the long help of `{name}` has an example");
            for line in help.lines() {
                assert!(line.chars().count() <= 79, "an example of `{name}` fits a narrow screen: {line}");
            }
        });
    }

    #[test]
    fn an_argument_explains_itself() {
        walk(&command(), &mut |command| {
            for arg in
                command.get_arguments().filter(|arg| !["help", "version"].contains(&arg.get_id().as_str()))
            {
                let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
                let which = format!("`{}` of `{}`", arg.get_id(), command.get_name());
                assert!(!about.is_empty(), "{which} says what it does");
                assert!(!about.ends_with('.'), "{which} says it without a full stop: {about}");
            }
        });
    }
}
