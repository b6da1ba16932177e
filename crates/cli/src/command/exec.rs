//! `preface exec`: an agent, started with the prompt of this directory.

pub mod agents;
mod prompt_file;

use crate::{
    CommandFailure, CommandResult, Exit, InteractionMode, Subject, SubjectFlags, diagnostics, files,
    ui::{Ui, count, one_line, short, style},
};
use agents::{PromptMode, fill, modes, passing, takes_file};
use preface_capture::agent::{Agent, additions};
use preface_core::diagnostic::Remedy;
use preface_engine::{
    Engine, OsSystem,
    host::{
        places::{HomeTrust, user_state},
        provider::extension::project_root,
        system::{RunError, System, path_outside, program_outside},
        trust::shell_quoted,
    },
};
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process,
};

const EXAMPLES: &str = "\
Examples:
  preface exec claude                       start Claude Code with the prompt
  preface exec claude -- -p 'Fix the tests'
  preface exec codex --preset mine
  preface exec gemini --replace --dry-run   show what would be started
  preface exec pi --conversation 7f3a       with the stored prompt";

/// Start an agent with the prompt of this directory
///
/// Builds the prompt as `preface build` does, and starts the agent with its own flag or variable for a prompt. The text is appended to the
/// agent's own prompt, so the preset is `additions` unless a flag or your settings name another one: your own texts, and nothing that an agent
/// reads by itself. `--replace` puts the whole prompt in the place of the agent's own. The process becomes the agent
/// (on Unix): signals, the terminal and the exit code are its own. Arguments for the agent follow `--`.
///
/// The prompt is written to a file of your state directory that only you can read, named by the digest of the text; the same prompt
/// is the same file. Nothing is written into the project. Files older than a week are deleted, unless their agent runs. The program is found
/// on PATH, and never inside of the project.
///
/// What belongs in user messages, such as reminders, is not passed: `preface hook answer` does that.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Start this agent
    #[arg(value_name = "AGENT", value_parser = agents::AgentName(agents::about))]
    program: &'static Agent,

    /// Replace the agent's own prompt instead of appending to it
    #[arg(long)]
    replace: bool,

    /// Print the command, the variables and the file; start and write nothing. A prompt that is an argument is shortened
    #[arg(long)]
    dry_run: bool,

    /// Pass these arguments to the agent
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<OsString>,

    #[command(flatten)]
    subject: SubjectFlags,
}

/// The most bytes of one argument or variable on Linux, with its end.
const MOST_ARGUMENT: usize = 128 << 10;
/// The directory of the files, in the state directory.
const DIR: &str = "prompts";

/// A command that is ready to be started.
#[derive(Debug)]
struct AgentCommand {
    args: Vec<OsString>,
    env: Vec<(String, String)>,
    cwd: PathBuf,
    /// The file of the prompt, if it is passed as one.
    file: Option<PathBuf>,
}

/// Builds, and becomes the agent.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let agent = args.program;
    let mode = args.mode()?;
    let asking = if args.dry_run { InteractionMode::MayNot } else { InteractionMode::May };
    let mut flags = args.subject.clone();
    flags.turn.fallback_preset = (mode == PromptMode::Append).then(|| additions().to_owned());
    let subject = match flags.kept(ui, asking)? {
        Some(kept) => kept,
        None => flags.build(Vec::new(), ui, asking)?,
    };
    if let Some(kept) = subject.kept.as_ref().filter(|_| args.dry_run) {
        args.subject.check_trust(kept)?;
    }
    subject.print_diagnostics(ui);
    let system = files::system();
    let command = args.command(system, mode, &subject)?;
    let found = program_outside(system, &project_root(system, &command.cwd), &agent.name);
    if is_nothing(mode, &subject) && !ui.is_quiet() {
        let preset = one_line(&subject.prompt.preset);
        ui.eprint(&format!("Nothing is appended: the preset `{preset}` has no text of yours here.\n"));
    }
    if args.dry_run {
        ui.view(&view(agent, mode, &command, &found, &subject))?;
        return Ok(Exit::Done);
    }
    let program = found.map_err(|error| not_found(agent, &error))?;
    let mut held = None;
    if let Some(file) = &command.file {
        if let Some(dir) = file.parent() {
            prompt_file::check(system, dir)?;
            prompt_file::delete_old(dir);
        }
        prompt_file::write(system, file, &subject.prompt.text)?;
        held = prompt_file::hold(file);
    }
    diagnostics::all(ui, &Engine::new(system).handed_out(&subject.hand_over));
    let started = start(system, &program, &command);
    drop(held);
    started
}

impl Args {
    fn mode(&self) -> CommandResult<PromptMode> {
        let agent = self.program;
        if modes(agent).next().is_none() {
            let message = format!("`{}` cannot be started with a prompt", agent.name);
            return Err(CommandFailure::usage(message).help(lower(&agent.limits)));
        }
        let asked = if self.replace { PromptMode::Replace } else { PromptMode::Append };
        if passing(agent, asked).is_some() {
            return Ok(asked);
        }
        let (cannot, other) = match asked {
            PromptMode::Replace => {
                ("replace", Remedy::command("append to it", format_args!("exec {}", agent.name)))
            }
            PromptMode::Append => {
                ("append to", Remedy::command("replace it", format_args!("exec {} --replace", agent.name)))
            }
        };
        Err(CommandFailure::usage(format!("{} cannot {cannot} its prompt", agent.title)).help(other))
    }

    fn command(&self, system: &OsSystem, mode: PromptMode, subject: &Subject) -> CommandResult<AgentCommand> {
        let agent = self.program;
        let prompt = &subject.prompt;
        let passing =
            passing(agent, mode).filter(|_| !is_nothing(mode, subject)).cloned().unwrap_or_default();
        let turn = &self.subject.turn;
        let cwd = files::absolute(turn.directory.as_deref().unwrap_or(Path::new(".")))?;
        let place = || file(system, &cwd, turn.request().home_trust, subject);
        let file = takes_file(&passing).then(place).transpose()?;
        let path = match &file {
            Some(file) => file.to_str().ok_or_else(|| {
                CommandFailure::new(format!("the state directory is not UTF-8: `{}`", file.display()))
                    .help("set `PREFACE_HOME` to another directory")
            })?,
            None => "",
        };
        let mut args: Vec<OsString> = Vec::new();
        for template in &passing.args {
            args.push(bounded(agent, fill(template, path, &prompt.text))?.into());
        }
        args.extend(self.args.iter().cloned());
        let mut env = Vec::new();
        for (name, template) in &passing.env {
            if system.var(name).is_some_and(|value| !value.is_empty()) {
                return Err(CommandFailure::new(format!("the variable `{name}` is set already"))
                    .help(format!("{} takes the prompt from it; unset it", agent.title)));
            }
            env.push((name.clone(), bounded(agent, fill(template, path, &prompt.text))?));
        }
        Ok(AgentCommand { args, env, cwd, file })
    }
}

/// True if there is no text to append.
fn is_nothing(mode: PromptMode, subject: &Subject) -> bool {
    mode == PromptMode::Append && subject.prompt.text.trim().is_empty()
}

/// Refuses a text that no system passes to a program.
fn bounded(agent: &Agent, value: String) -> CommandResult<String> {
    let why = if value.len() >= MOST_ARGUMENT {
        format!("it has more than {MOST_ARGUMENT} bytes")
    } else if value.contains('\0') {
        "it has a NUL byte".to_owned()
    } else {
        return Ok(value);
    };
    Err(CommandFailure::new(format!("{} takes the prompt as an argument, and {why}", agent.title))
        .help("`--budget N` limits the prompt; with `--replace` it may be a file"))
}

/// Returns the place of the prompt: the same text has the same file.
fn file(system: &OsSystem, cwd: &Path, home_trust: HomeTrust, subject: &Subject) -> CommandResult<PathBuf> {
    let state = user_state(system, cwd, home_trust)?.ok_or_else(|| {
        CommandFailure::new("there is no state directory for the prompt")
            .help("set `HOME` or `PREFACE_HOME` to a directory outside of the project")
    })?;
    let digest = subject.prompt.fingerprint();
    let digest = digest.rsplit(':').next().unwrap_or_default();
    Ok(state.join(DIR).join(format!("{digest}.md")))
}

/// Starts the agent in the place of this process.
///
/// The user names the program, and no file can choose it. It is here and not
/// behind `System`, so that no build can reach it. The agent's `PATH` has no directory of the project: an agent that is a script
/// finds its interpreter there.
fn start(system: &OsSystem, program: &Path, command: &AgentCommand) -> CommandResult {
    let mut child = process::Command::new(program);
    if let Some(path) = env::var_os("PATH") {
        child.env("PATH", path_outside(system, &project_root(system, &command.cwd), &path));
    }
    child.args(&command.args).envs(command.env.iter().cloned()).current_dir(&command.cwd);
    let error = std::os::unix::process::CommandExt::exec(&mut child);
    let shown = one_line(&program.display().to_string());
    Err(CommandFailure::cannot(&format!("start `{shown}`"), &error)
        .help("start the agent by itself to see what is wrong with it"))
}

/// Returns the failure for a program that is not there, or is the project's.
pub fn not_found(agent: &Agent, error: &RunError) -> CommandFailure {
    CommandFailure::new(error.to_string()).help(match error {
        RunError::InsideProject { .. } => {
            format!("install {} outside of the project: {}", agent.title, install(agent))
        }
        _ => format!("install {}: {}", agent.title, install(agent)),
    })
}

fn install(agent: &Agent) -> String {
    let is_command = agent.install.contains("install ");
    if is_command { format!("`{}`", agent.install) } else { agent.install.clone() }
}

/// Returns a sentence as a help: lower case first, no full stop.
fn lower(sentence: &str) -> String {
    let mut chars = sentence.trim_end_matches('.').chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// The rows of a dry run.
fn view(
    agent: &Agent,
    mode: PromptMode,
    command: &AgentCommand,
    found: &Result<PathBuf, RunError>,
    subject: &Subject,
) -> String {
    let text = &subject.prompt.text;
    let word = |word: &str| {
        let shown = one_line(word);
        let is_prompt = command.file.is_none() && word.len() >= text.len() && shown.len() > 60;
        shell_quoted(if is_prompt { short(&shown, 60) } else { shown.as_str().into() }.as_ref())
    };
    let mut line: Vec<String> =
        command.env.iter().map(|(name, value)| format!("{name}={}", word(value))).collect();
    line.push(agent.name.clone());
    line.extend(command.args.iter().map(|arg| word(&arg.to_string_lossy())));
    let prompt = match &command.file {
        _ if is_nothing(mode, subject) => "none".to_owned(),
        Some(file) => format!("{} ({})", one_line(&file.display().to_string()), count(text.len(), "byte")),
        None => format!("an argument ({})", count(text.len(), "byte")),
    };
    let tried = match &agent.measured {
        Some(version) => format!("{} {version}", agent.title),
        None => format!("{}: not tried", agent.title),
    };
    let rows = [
        ("command", line.join(" ")),
        ("program", program_row(agent, found)),
        ("mode", mode.as_str().to_owned()),
        ("prompt", prompt),
        ("tried with", tried),
        ("limits", agent.limits.clone()),
    ];
    row_lines(&rows)
}

/// Returns the path of a program, or how to install it.
pub fn program_row(agent: &Agent, found: &Result<PathBuf, RunError>) -> String {
    match found {
        Ok(path) => one_line(&path.display().to_string()),
        Err(RunError::NotFound { .. }) => format!("not found; install it: {}", install(agent)),
        Err(error) => format!("{error}; install it: {}", install(agent)),
    }
}

/// Returns the lines of a dry run.
pub fn row_lines(rows: &[(&str, String)]) -> String {
    let dim = style::DIM;
    rows.iter().map(|(key, value)| format!("{dim}{key:<10}{dim:#}  {value}\n")).collect()
}
