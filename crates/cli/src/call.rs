//! The flags of this call. A command that a message names is completed with them, so that it works as printed.

use clap::{ArgAction, ArgMatches, Command, parser::ValueSource};
use preface_core::{
    diagnostic::{Diagnostic, Place, Remedy, Severity},
    scope::Scope,
};
use preface_engine::{
    ASSETS, BuildOptions, OsSystem,
    host::{system::System as _, trust::shell_quoted},
};
use std::{
    path::{Component, Path, PathBuf},
    sync::{LazyLock, OnceLock},
};

/// The groups of flags that decide which prompt a command is about.
const GROUPS: [&str; 7] =
    ["PersistFlags", "PlaceFlags", "StoreFlag", "SubjectFlags", "TemplateFlags", "TrustFlags", "TurnFlags"];

/// The flags that decide which files are used. Every command that takes them needs them.
const OF_PLACE: [&str; 11] = [
    "directory",
    "follow",
    "preset",
    "profile",
    "root",
    "set",
    "store",
    "template",
    "trust",
    "trust_home",
    "trust_pins",
];

/// The flags that a section may depend on, and with it what a grant is about.
const OF_GRANT: [&str; 4] = ["agent", "model", "tools", "variable"];

/// The flags that change no more than a date.
const OF_TIME: [&str; 2] = ["now", "time_zone"];

/// The commands that show one prompt: every other flag of the call may change what they show.
const OF_PROMPT: [&str; 4] = ["build", "diff", "explain", "lint"];

/// The command that lets programs of a project run.
pub const ALLOW: &str = "trust grant --allow-commands";

/// A flag of this call, with its values as a shell reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CommandFlag {
    id: String,
    flag: String,
    /// Empty if the flag takes none.
    values: Vec<String>,
}

/// What makes all commands, and the arguments of this call; none if they are not valid.
static ARGUMENTS: OnceLock<(fn() -> Command, ArgMatches)> = OnceLock::new();

/// All commands, and the flags of this call. Worked out for the first message that names a command.
static CALL: LazyLock<(Command, Vec<CommandFlag>)> = LazyLock::new(|| {
    let Some((commands, arguments)) = ARGUMENTS.get() else { return (Command::new("preface"), Vec::new()) };
    let mut commands = commands();
    commands.build();
    let given = given(&commands, arguments);
    (commands, given)
});

/// Remembers the arguments of this call.
pub fn set_arguments(commands: fn() -> Command, arguments: &ArgMatches) {
    let _ = ARGUMENTS.set((commands, arguments.clone()));
}

/// The flags of the stored conversation that this call is about.
static CONVERSATION: OnceLock<Vec<CommandFlag>> = OnceLock::new();

/// Takes what a stored conversation was built for in place of the same flags of this call: its prompt is built for that.
pub fn set_conversation(options: &BuildOptions) {
    let here = OsSystem::new(ASSETS).current_dir();
    let shown = |path: &PathBuf| path.display().to_string();
    let cwd = options.cwd.as_ref().filter(|cwd| here.as_ref() != Some(*cwd)).map(shown);
    let profile = options.profile.as_ref().map(shown);
    let one = |id: &str, flag: &str, values: &[String]| CommandFlag {
        id: id.to_owned(),
        flag: flag.to_owned(),
        values: values.iter().map(|value| shell_quoted(value)).collect(),
    };
    let given = vec![
        one("directory", "-C", cwd.as_slice()),
        one("preset", "--preset", options.preset.as_slice()),
        one("profile", "--profile", profile.as_slice()),
        one("agent", "--agent", options.agent.as_slice()),
        one("tools", "--tools", options.tools.names().map(|names| names.join(",")).as_slice()),
        one("set", "--set", &options.sets),
    ];
    // A second conversation in one call is none of ours.
    let _ = CONVERSATION.set(given);
}

/// Puts the flags of a conversation in the place of those of the call.
fn replaced(call: &[CommandFlag], conversation: &[CommandFlag]) -> Vec<CommandFlag> {
    let stays = |flag: &&CommandFlag| !conversation.iter().any(|other| other.id == flag.id);
    let own = conversation.iter().filter(|flag| !flag.values.is_empty());
    own.chain(call.iter().filter(stays)).cloned().collect()
}

/// Returns a command of preface in backticks, with those flags of this call that it takes.
pub fn command(line: &str) -> String {
    let (commands, given) = &*CALL;
    match CONVERSATION.get() {
        Some(conversation) => completed(line, commands, &replaced(given, conversation)),
        None => completed(line, commands, given),
    }
}

/// Returns a remedy for people: its words, then the command, and the flag for one call. A caller who gives its own pins changes them.
pub fn help(remedy: &Remedy) -> String {
    let mut out = remedy.words.clone();
    if let Some(line) = &remedy.command {
        out.push_str(&format!(": {}", command(line)));
    }
    let has_pins = CALL.1.iter().any(|flag| flag.id == "trust_pins");
    match (&remedy.command, &remedy.flag) {
        (Some(line), _) if has_pins && line == "trust grant" => {
            let export = command("trust export");
            out.push_str(&format!(", then replace the file of pins by the output of {export}"));
        }
        (Some(_), Some(flag)) => out.push_str(&format!(", or `{flag}` for this call")),
        (None, Some(flag)) => out.push_str(&format!(": `{flag}`")),
        (_, None) => {}
    }
    out
}

/// Returns the help of a diagnostic. What a text hides or imitates has the help of its code.
pub fn help_of(diagnostic: &Diagnostic) -> Option<String> {
    let is_warned = diagnostic.severity > Severity::Info
        && matches!(diagnostic.code.topic(), "forged" | "hidden" | "secret");
    let of_code = || diagnostic.code.help().filter(|_| is_warned);
    diagnostic.help.clone().or_else(of_code).map(|remedy| help(&remedy))
}

/// The directory that a call of `build` or `lint` names, as its argument or with `-C`. `explain` has paths in its table, too, as the prompt
/// has them.
static DIRECTORY: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let (_, below) = ARGUMENTS.get()?.1.subcommand().filter(|(name, _)| matches!(*name, "build" | "lint"))?;
    let named = |id: &str| below.try_get_one::<PathBuf>(id).ok()?.cloned();
    named("dir").or_else(|| named("directory"))
});

/// Returns the path of a file of the project relative to the shell's directory, if the call names another directory.
pub fn path_from_shell(place: &Place) -> Option<String> {
    let dir = DIRECTORY.as_ref().filter(|_| place.scope == Some(Scope::Project))?;
    joined(dir, &place.path)
}

/// Joins a directory and a relative path; `None` for another path.
fn joined(dir: &Path, path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with("~/") || Path::new(path).has_root() {
        return None;
    }
    let mut whole = PathBuf::new();
    for part in dir.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(whole.components().next_back(), Some(Component::Normal(_))) => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    Some(whole.display().to_string())
}

/// Returns whether this call denies the project.
pub fn is_denied() -> bool {
    CALL.1.iter().any(|flag| flag.id == "trust" && flag.values == ["deny"])
}

fn given(commands: &Command, matches: &ArgMatches) -> Vec<CommandFlag> {
    let (mut command, mut matches) = (commands, matches);
    while let Some((name, below)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else { return Vec::new() };
        (command, matches) = (found, below);
    }
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let in_groups = |id: &str| {
        let mut groups = command.get_groups().filter(|group| GROUPS.contains(&group.get_id().as_str()));
        groups.any(|group| group.get_args().any(|arg| arg.as_str() == id))
    };
    // The argument DIR is the flag `-C` of other commands.
    let argument = command.get_arguments().find(|arg| arg.get_id() == "dir" && is_given("dir"));
    let argument = argument.and_then(|_| matches.get_raw("dir")).map(|raw| CommandFlag {
        id: "directory".to_owned(),
        flag: "-C".to_owned(),
        values: raw.map(|value| shell_quoted(&value.to_string_lossy())).collect(),
    });
    let given = command.get_arguments().filter(|arg| is_given(arg.get_id().as_str()));
    let given = given.filter(|arg| in_groups(arg.get_id().as_str())).filter_map(|arg| {
        let id = arg.get_id().to_string();
        let long = || Some(format!("--{}", arg.get_long()?));
        let flag = arg.get_short().map(|short| format!("-{short}")).or_else(long)?;
        let has_values = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        let raw = matches.get_raw(&id).filter(|_| has_values);
        let values = raw.into_iter().flatten().map(|value| shell_quoted(&value.to_string_lossy()));
        let values: Vec<String> = values.collect();
        // These change no prompt, and `require` would refuse what is advised.
        let only_checks =
            id == "trust" && matches!(values.as_slice(), [how] if how == "require" || how == "ask");
        (!only_checks).then_some(CommandFlag { id, flag, values })
    });
    let is_elsewhere = |flag: &CommandFlag| flag.id != "directory" || flag.values != ["."];
    argument.into_iter().chain(given).filter(is_elsewhere).collect()
}

/// Returns a command in backticks, with those of the flags that it needs and lacks.
fn completed(line: &str, commands: &Command, given: &[CommandFlag]) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (mut command, mut first) = (commands, None);
    for word in &words {
        let Some(below) = command.find_subcommand(word) else { break };
        command = below;
        first = first.or(Some(*word));
    }
    let first = first.unwrap_or_default();
    let is_needed = |id: &str| {
        let is_of_prompt = OF_PROMPT.contains(&first) && !OF_TIME.contains(&id);
        OF_PLACE.contains(&id) || is_of_prompt || (first == "trust" && OF_GRANT.contains(&id))
    };
    let takes = |id: &str| command.get_arguments().any(|arg| arg.get_id() == id);
    let has = |flag: &str| words.contains(&flag);
    // A command that names its directory as an argument has one already.
    let takes_dir = takes("dir");
    let has_argument = takes_dir && words.get(1).is_some_and(|word| !word.starts_with('-'));
    // Files are relative to the shell's directory.
    let names_dir = has_argument || (takes_dir && has("--file"));
    let mut out = format!("`preface {line}");
    for CommandFlag { id, flag, values } in given {
        if !is_needed(id) || !takes(id) || has(flag) || (names_dir && id == "directory") {
            continue;
        }
        if values.is_empty() {
            out.push_str(&format!(" {flag}"));
        }
        values.iter().for_each(|value| out.push_str(&format!(" {flag} {value}")));
    }
    out + "`"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use clap::CommandFactory;

    fn commands() -> Command {
        let mut commands = Cli::command();
        commands.build();
        commands
    }

    fn after(call: &[&str], line: &str) -> String {
        let commands = commands();
        let matches = Cli::command().try_get_matches_from(call).expect("the call is one");
        completed(line, &commands, &given(&commands, &matches))
    }

    #[test]
    fn a_command_gets_the_flags_that_it_takes() {
        let call = ["preface", "build", "--preset", "stud", "-C", "my dir", "--set", "trust=pinned", "-q"];
        let call = [&call[..], &["--now", "2026-03-07T14:55:05Z", "--tools", "a,b", "--trust-home"]].concat();
        let place = "-C 'my dir' --preset stud --set trust=pinned --trust-home";
        let of_grant = "-C 'my dir' --preset stud --tools a,b --set trust=pinned --trust-home";
        for (line, expected) in [
            ("trust grant", format!("`preface trust grant {of_grant}`")),
            (
                "mcp refresh a b",
                "`preface mcp refresh a b -C 'my dir' --preset stud --trust-home`".to_owned(),
            ),
            ("list skills", format!("`preface list skills {place}`")),
            ("explain --absent", format!("`preface explain --absent {of_grant}`")),
            (
                "trust grant --preset pi",
                "`preface trust grant --preset pi -C 'my dir' --tools a,b --set trust=pinned --trust-home`"
                    .to_owned(),
            ),
            ("token list", "`preface token list`".to_owned()),
        ] {
            assert_eq!(after(&call, line), expected);
        }
    }

    #[test]
    fn the_shells_directory_is_left_out() {
        for call in [["preface", "lint", "."].as_slice(), &["preface", "build", "-C", "."]] {
            assert_eq!(after(call, "trust grant"), "`preface trust grant`");
        }
    }

    #[test]
    fn a_second_directory_is_left_out() {
        let call = ["preface", "lint", "--set", "budget.onOver=error", "--set", "trust.mode=pinned", "api"];
        let sets = "--set budget.onOver=error --set trust.mode=pinned";
        for (line, expected) in [
            ("trust grant", format!("`preface trust grant -C api {sets}`")),
            ("lint --file a", format!("`preface lint --file a {sets}`")),
            ("lint web", format!("`preface lint web {sets}`")),
        ] {
            assert_eq!(after(&call, line), expected);
        }
    }

    #[test]
    fn a_path_of_another_directory_is_shown_from_the_shell() {
        for (dir, path, expected) in [
            ("packages/api", "AGENTS.md", Some("packages/api/AGENTS.md")),
            ("./packages/api/", "../../AGENTS.md", Some("AGENTS.md")),
            ("..", "AGENTS.md", Some("../AGENTS.md")),
            ("..", "../AGENTS.md", Some("../../AGENTS.md")),
            ("api", "~/AGENTS.md", None),
            ("api", "/AGENTS.md", None),
        ] {
            assert_eq!(joined(Path::new(dir), path).as_deref(), expected, "{dir} {path}");
        }
    }

    #[test]
    fn what_only_checks_trust_is_not_repeated() {
        for (how, expected) in
            [("once", " --trust once"), ("deny", " --trust deny"), ("require", ""), ("ask", "")]
        {
            let call = ["preface", "build", "--trust", how];
            let expected = format!("`preface explain --absent{expected}`");
            assert_eq!(after(&call, "explain --absent"), expected);
        }
    }

    #[test]
    fn an_agent_is_part_of_a_grant_and_not_of_the_list_of_agents() {
        let call = ["preface", "build", "--agent", "it's"];
        assert_eq!(after(&call, "trust grant"), r"`preface trust grant --agent 'it'\''s'`");
        assert_eq!(after(&call, "list agents --all"), "`preface list agents --all`");
    }

    #[test]
    fn the_flags_of_a_place_exist() {
        let commands = commands();
        let build = commands.find_subcommand("build").expect("`build` is a command");
        for id in OF_PLACE {
            assert!(build.get_arguments().any(|arg| arg.get_id() == id), "`build` has {id}");
        }
        for name in OF_PROMPT {
            assert!(commands.find_subcommand(name).is_some(), "`{name}` is a command");
        }
        for id in GROUPS {
            let mut all = commands.get_subcommands();
            let has = |command: &Command| command.get_groups().any(|group| group.get_id() == id);
            assert!(
                all.any(has) || commands.get_subcommands().any(|one| one.get_subcommands().any(has)),
                "{id} is a group"
            );
        }
    }
}
