//! What clap refuses, in our words.

use crate::{
    Cli,
    failure::{Exit, Failure},
    ui::Ui,
};
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// Says why the command line could not be understood, or prints the help that was asked for.
pub fn report(error: &Error, ui: &Ui) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let mut help = error.render().ansi().to_string();
            if !help.ends_with('\n') {
                help.push('\n');
            }
            match ui.view(&help) {
                Ok(()) => Exit::Done,
                Err(failure) => failure.report(ui),
            }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            ui.say(&error.render().ansi().to_string());
            Exit::Usage
        }
        _ => failure(error).report(ui),
    }
}

fn failure(error: &Error) -> Failure {
    let said = |kind| error.get(kind).map(words);
    let arg = said(ContextKind::InvalidArg).unwrap_or_default();
    let value = said(ContextKind::InvalidValue).unwrap_or_default();
    let message = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            format!("unknown command: `{}`", said(ContextKind::InvalidSubcommand).unwrap_or_default())
        }
        ErrorKind::UnknownArgument => format!("unknown argument: `{arg}`"),
        ErrorKind::InvalidValue if value.is_empty() => format!("`{}` needs a value", flag(&arg)),
        ErrorKind::InvalidValue => format!("unknown value for `{}`: `{value}`", flag(&arg)),
        ErrorKind::ValueValidation => match std::error::Error::source(error) {
            Some(why) => format!("`{}`: {}", flag(&arg), why),
            None => format!("bad value for `{}`: `{value}`", flag(&arg)),
        },
        ErrorKind::NoEquals => format!("`{}` needs `=` and a value", flag(&arg)),
        ErrorKind::ArgumentConflict => match said(ContextKind::PriorArg) {
            Some(_) if many_prior(error) => {
                format!(
                    "`{}` stands alone: it cannot be combined with flags such as `-C` or `--trust`",
                    flag(&arg)
                )
            }
            Some(other) if other == arg => format!("`{}` was given twice", flag(&arg)),
            Some(other) => format!("`{}` and `{}` exclude each other", flag(&arg), flag(&other)),
            None => format!("`{}` cannot be used here", flag(&arg)),
        },
        ErrorKind::MissingRequiredArgument if arg.contains('|') => {
            let flags: Vec<&str> = arg.trim_matches(['<', '>']).split('|').map(flag).collect();
            format!("one of these is missing: `{}`", flags.join("`, `"))
        }
        ErrorKind::MissingRequiredArgument => format!("`{arg}` is missing"),
        ErrorKind::MissingSubcommand => "a command is missing".to_owned(),
        ErrorKind::InvalidUtf8 => "an argument is not UTF-8".to_owned(),
        _ => first_line(error),
    };
    let suggestion =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
            .into_iter()
            .find_map(said)
            .map(|near| format!("did you mean `{}`?", near.split(", ").next().unwrap_or(&near)));
    let known = || said(ContextKind::ValidValue).filter(|known| !known.is_empty());
    let hint = suggestion.or_else(|| known().map(|known| format!("it takes {known}")));
    match hint {
        Some(hint) => Failure::usage(message).hint(hint),
        None => Failure::usage(message).hint(format!("`{} --help` tells what it takes", command(error))),
    }
}

fn words(value: &ContextValue) -> String {
    match value {
        ContextValue::String(word) => word.clone(),
        ContextValue::Strings(words) => words.join(", "),
        ContextValue::StyledStr(words) => words.to_string(),
        ContextValue::StyledStrs(words) => {
            words.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// True where a whole group of flags is in the way.
fn many_prior(error: &Error) -> bool {
    matches!(error.get(ContextKind::PriorArg), Some(ContextValue::Strings(prior)) if prior.len() > 2)
}

/// `--trust <HOW>` → `--trust`.
fn flag(arg: &str) -> &str {
    arg.split([' ', '=']).next().unwrap_or(arg)
}

/// The command that clap's usage line names: `preface trust grant`.
fn command(error: &Error) -> String {
    let text = error.render().to_string();
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap_or("preface");
    let words: Vec<&str> =
        usage.split(' ').take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).collect();
    if words.len() > 1 { words.join(" ") } else { named() }
}

/// The command as the arguments name it, where clap does not.
fn named() -> String {
    let mut name = "preface".to_owned();
    let mut command = Cli::command();
    command.build();
    for word in std::env::args_os().skip(1) {
        let Some(below) = word.to_str().and_then(|word| command.find_subcommand(word)).cloned() else {
            break;
        };
        name.push(' ');
        name.push_str(below.get_name());
        command = below;
    }
    name
}

fn first_line(error: &Error) -> String {
    let text = error.render().to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).replace('\'', "`")
}
