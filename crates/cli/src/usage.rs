//! What clap refuses, in our words.

use crate::{
    Cli,
    failure::{CommandFailure, Exit},
    ui::Ui,
};
use clap::{
    CommandFactory,
    error::{ContextKind, ContextValue, Error, ErrorKind},
};
use preface_engine::core::suggestion::did_you_mean;
use std::{ffi::OsString, num::ParseIntError, path::Path};

/// Returns the arguments of this process as the commands take them: `help COMMAND` is `COMMAND --help`, and the global flags
/// before a command (`-C DIR`, `-q`, `-v`, `--trust-home`) are moved behind it.
pub fn arguments() -> Vec<OsString> {
    normalized(std::env::args_os().collect())
}

/// Parses arguments. A command without `-q` and `-v` has few messages: it accepts them, so that both work everywhere. They are
/// taken out of `words`. Returns whether one of them was `-q`.
pub fn parse<T>(
    words: &mut Vec<OsString>,
    parse: impl Fn(&[OsString]) -> Result<T, Error>,
) -> (Result<T, Error>, bool) {
    let mut quiet = false;
    let mut parsed = parse(words);
    while let Some(flag) = parsed.as_ref().err().and_then(verbosity_flag) {
        // `-qC DIR` has the flag of the directory in the same word.
        let behind = |word: &OsString| Some(word.to_str()?.strip_prefix(flag)?.to_owned());
        let mut flags = words.iter().take_while(|word| *word != "--").map(behind).enumerate();
        let found = flags.find_map(|(at, rest)| {
            Some((at, rest?)).filter(|(_, rest)| rest.is_empty() || rest.starts_with('C'))
        });
        match found {
            None => break,
            Some((at, rest)) if rest.is_empty() => drop(words.remove(at)),
            Some((at, rest)) => words[at] = format!("-{rest}").into(),
        }
        quiet |= matches!(flag, "-q" | "--quiet");
        parsed = parse(words);
    }
    (parsed, quiet)
}

fn normalized(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
        return words;
    }
    let mut first = 1;
    loop {
        match words.get(first).and_then(|word| word.to_str()) {
            Some("-q" | "--quiet" | "-v" | "--verbose" | "--trust-home") => first += 1,
            Some("-C") => first += 2,
            Some(word) if word.starts_with("-C") => first += 1,
            _ => break,
        }
    }
    let is_command = |word: &OsString| !word.as_encoded_bytes().starts_with(b"-");
    if first > 1 && words.get(first).is_some_and(is_command) {
        let flags: Vec<OsString> = words.drain(1..first).collect();
        // The words after `--` are not flags.
        let at = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.splice(at..at, flags);
    }
    words
}

/// Returns `-q` or `-v`, short or long, if the command does not have it.
fn verbosity_flag(error: &Error) -> Option<&'static str> {
    let unknown =
        (error.kind() == ErrorKind::UnknownArgument).then(|| error.get(ContextKind::InvalidArg))??;
    let unknown = words(unknown);
    ["-q", "--quiet", "-v", "--verbose"].into_iter().find(|flag| *flag == unknown)
}

/// Returns whether the arguments have `--format json`, so that an error is written in the same form.
pub fn wants_json(words: &[OsString]) -> bool {
    let flags = words.iter().take_while(|word| *word != "--");
    let mut before = None;
    let mut wanted = false;
    for word in flags {
        wanted |=
            word == "--format=json" || (word == "json" && before.is_some_and(|before| before == "--format"));
        before = Some(word);
    }
    wanted
}

/// Prints the requested help, or the reason why the command line is invalid.
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
            ui.eprint(&error.render().ansi().to_string());
            Exit::Usage
        }
        _ => failure(error).report(ui),
    }
}

fn failure(error: &Error) -> CommandFailure {
    let context = |kind| error.get(kind).map(words);
    let arg = context(ContextKind::InvalidArg).unwrap_or_default();
    let value = context(ContextKind::InvalidValue).unwrap_or_default();
    let message = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            format!("unknown command: `{}`", context(ContextKind::InvalidSubcommand).unwrap_or_default())
        }
        ErrorKind::UnknownArgument if arg == "-" => "unknown argument: `-` (standard input)".to_owned(),
        ErrorKind::UnknownArgument if is_place_flag(&arg) => {
            format!("`{}` works in no directory: it has no `{arg}`", command(error))
        }
        ErrorKind::UnknownArgument => format!("unknown argument: `{arg}`"),
        ErrorKind::InvalidValue if value.is_empty() => format!("`{}` needs a value", flag(&arg)),
        ErrorKind::InvalidValue => format!("unknown value for `{}`: `{value}`", flag(&arg)),
        ErrorKind::ValueValidation => match std::error::Error::source(error) {
            Some(why) if why.is::<ParseIntError>() && value.starts_with('-') => {
                format!("`{}` takes a whole number that is not negative, not `{value}`", flag(&arg))
            }
            Some(why) if why.is::<ParseIntError>() => {
                format!("`{}` takes a whole number, not `{value}`", flag(&arg))
            }
            Some(why) => format!("`{}`: {}", flag(&arg), why),
            None => format!("bad value for `{}`: `{value}`", flag(&arg)),
        },
        ErrorKind::NoEquals => format!("`{}` needs `=` and a value", flag(&arg)),
        ErrorKind::ArgumentConflict => match context(ContextKind::PriorArg) {
            Some(_) if let Some(other) = given_of_group(error) => {
                format!("`{}` and `{other}` cannot be used together", flag(&arg))
            }
            Some(other) if other == arg => format!("`{}` was given twice", flag(&arg)),
            Some(other) => format!("`{}` and `{}` cannot be used together", flag(&arg), flag(&other)),
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
            .find_map(context)
            .and_then(|candidates| {
                let word =
                    [ContextKind::InvalidSubcommand, ContextKind::InvalidValue, ContextKind::InvalidArg];
                let word = word.into_iter().find_map(context).unwrap_or_default();
                Some(format!("did you mean `{}`?", nearest(&word, &candidates)?))
            });
    let pins = || {
        let is_meant = arg == "--trust-pins" && command(error) == "preface trust grant";
        is_meant.then(|| {
            "`preface trust export --trust-pins FILE` prints the pins of FILE with what is granted here"
                .to_owned()
        })
    };
    let known = || context(ContextKind::ValidValue).filter(|known| !known.is_empty());
    let directory = || {
        let is_directory =
            error.kind() == ErrorKind::UnknownArgument && !arg.starts_with('-') && Path::new(&arg).is_dir();
        (is_directory && takes_directory()).then(|| format!("`-C {arg}` names another directory"))
    };
    let template = || {
        let is_word = error.kind() == ErrorKind::UnknownArgument && (arg == "-" || !arg.starts_with('-'));
        (is_word && command(error).starts_with("preface template "))
            .then(|| "`--template NAME` names the template".to_owned())
    };
    let agent = || {
        (error.kind() == ErrorKind::UnknownArgument && command(error) == "preface exec")
            .then(|| format!("arguments of the agent follow `--`: `preface exec AGENT -- {arg}`"))
    };
    let help = suggestion
        .or_else(pins)
        .or_else(directory)
        .or_else(agent)
        .or_else(template)
        .or_else(|| known().map(|known| format!("possible values: {known}")));
    match help {
        Some(help) => CommandFailure::usage(message).help(help),
        None => CommandFailure::usage(message)
            .help(format!("`{} --help` describes the arguments", command(error))),
    }
}

/// Returns the one of clap's candidates that an unknown word was meant to be, by our own measure: a swap of letters is one slip,
/// and dashes are no letters. A word that was not finished is near, too.
fn nearest<'c>(word: &str, candidates: &'c str) -> Option<&'c str> {
    let word = word.trim_start_matches('-');
    let words = || candidates.split(", ").map(|whole| (whole, whole.trim_start_matches('-')));
    let near = did_you_mean(word, words().map(|(_, letters)| letters));
    let near = words().find(|(_, letters)| Some(*letters) == near);
    near.or_else(|| words().find(|(_, letters)| word.len() > 2 && letters.starts_with(word)))
        .map(|(whole, _)| whole)
}

/// Returns whether a flag belongs to every command that works in a directory.
fn is_place_flag(arg: &str) -> bool {
    matches!(arg, "-C" | "--trust-home")
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

/// Returns the flag that was given, if clap lists all flags of a group that is in the way.
fn given_of_group(error: &Error) -> Option<&str> {
    let Some(ContextValue::Strings(prior)) = error.get(ContextKind::PriorArg) else { return None };
    let given: Vec<_> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let is_given = |name: &&str| {
        given.iter().any(|word| match word.strip_prefix(*name) {
            Some(rest) => rest.is_empty() || rest.starts_with('=') || !name.starts_with("--"),
            None => false,
        })
    };
    prior.iter().map(|arg| flag(arg)).find(is_given).filter(|_| prior.len() > 2)
}

/// `--trust <HOW>` → `--trust`, `[CATEGORY]...` → `CATEGORY`.
fn flag(arg: &str) -> &str {
    let word = arg.split([' ', '=']).next().unwrap_or(arg);
    match word.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, _)) => name,
        None => word,
    }
}

/// The command that clap's usage line names: `preface trust grant`.
fn command(error: &Error) -> String {
    let text = error.render().to_string();
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap_or("preface");
    let words: Vec<&str> =
        usage.split(' ').take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).collect();
    if words.len() > 1 { words.join(" ") } else { named() }
}

/// Returns whether the command that the arguments name has `-C`.
fn takes_directory() -> bool {
    let named = named();
    let mut command = Cli::command();
    command.build();
    for word in named.split(' ').skip(1) {
        let Some(below) = command.find_subcommand(word).cloned() else { return false };
        command = below;
    }
    command.get_arguments().any(|arg| arg.get_short() == Some('C'))
}

/// The command as the arguments name it, if clap does not.
fn named() -> String {
    let mut name = "preface".to_owned();
    let mut command = Cli::command();
    command.build();
    for word in arguments().into_iter().skip(1) {
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
