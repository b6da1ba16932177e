//! `preface capture`: the requests that an agent really sends, with the source of each byte.

mod consent;
pub mod saved;
mod view;

use crate::{
    CommandFailure, CommandResult, Exit,
    command::exec::{agents::AgentName, not_found, program_row, row_lines},
    files,
    flags::TrustFlag,
    ui::{Ui, one_line, style},
};
use consent::ProjectFiles;
use preface_capture::{
    agent::{Agent, CaptureRules},
    document::{Capture, CaptureInputs},
    endpoint::Endpoint,
    files::Places,
    project::config_files,
    run::{
        Ended, Launch, LaunchError, Mode, REQUEST_LIMIT, Recording, TIME_LIMIT, WrittenFiles, unique_digits,
        version,
    },
};
use preface_core::diagnostic::{Remedy, Severity};
use preface_engine::{
    OsSystem,
    consent::pin_root,
    host::{
        system::{System as _, path_outside, program_outside},
        trust::{StoreKind, shell_quoted, store_file},
    },
};
use std::{
    env,
    ffi::OsString,
    io,
    io::IsTerminal as _,
    path::{Path, PathBuf},
};
use tokio::runtime::Builder;

const EXAMPLES: &str = "\
Examples:
  preface capture claude                    what Claude Code is given here
  preface capture codex ../api --print
  preface capture claude --save before.json
  preface capture claude -- --model opus    with arguments for the agent
  preface capture claude --at 'Use tabs'    which file has this text
  preface capture claude --listen           start the agent yourself";

/// See what an agent is really given: the request that it sends, and where each byte comes from
///
/// Starts the agent with its requests sent to this machine, where nothing is forwarded and no model is asked. Prints what the
/// request has: the system prompt, each tool, the messages in front of yours, with the file, hook or MCP server that each run of bytes
/// is from. `--save FILE` keeps it for `preface explain FILE`, `preface lint FILE` and `preface diff A B`.
///
/// On a terminal the agent starts there, its questions are yours to answer, and it ends after the first answer. Elsewhere, or with
/// `--print`, it gets one message without a terminal, 60 seconds and 20 requests. What the project makes an agent run (hooks, MCP
/// servers, helpers) is listed first, and the agent starts only if you agree, if the files are trusted, or with `--trust once`. The
/// answer `t` trusts them: with their content and that of each script that a command names, for this agent and directory.
/// `preface trust list` counts it and `preface trust revoke` takes it back; `preface trust grant` is about what preface itself reads and starts.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Capture this agent
    #[arg(value_name = "AGENT", value_parser = AgentName(about))]
    agent: &'static Agent,

    /// Start the agent in DIR instead of the current directory
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: Option<PathBuf>,

    /// Give the agent one message without a terminal
    #[arg(long, conflicts_with = "listen")]
    print: bool,

    /// Start nothing: print the variables and arguments for an agent that you start, and take its requests until Ctrl-C
    #[arg(long)]
    listen: bool,

    /// Print the command, the variables and what the project would run; start nothing
    #[arg(long, conflicts_with = "listen")]
    dry_run: bool,

    /// Set whether an agent starts whose project makes it run programs: `ask` (the default) asks on a terminal, `once` starts it,
    /// `deny` does not, `require` starts it only if these files are trusted
    #[arg(long, value_enum, value_name = "MODE")]
    trust: Option<TrustFlag>,

    /// Save the requests to FILE, which only you can read; the values of headers are never kept
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Replace secrets and the ids of accounts, devices and sessions in what is saved and printed
    #[arg(long)]
    redact: bool,

    #[command(flatten)]
    shown: ShownFlags,

    /// Pass these arguments to the agent
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<OsString>,
}

/// The flags of what is shown of a capture.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ShownFlags {
    /// Show the request with this number instead of the main one
    #[arg(long, value_name = "N")]
    pub request: Option<usize>,

    /// Show the source of a text or a byte of the request
    #[arg(long, value_name = "TEXT|OFFSET", allow_hyphen_values = true)]
    pub at: Option<String>,

    /// Count prompt tokens with this tokenizer
    #[arg(long, value_name = "NAME")]
    pub tokenizer: Option<String>,
}

/// Returns its title, and the version that was tried.
fn about(agent: &Agent) -> String {
    let measured = agent.capture.as_ref().map(|rules| format!("tried with {}", rules.measured));
    format!("{} ({})", agent.title, measured.as_deref().unwrap_or("not measured"))
}

/// What a capture is about.
struct Subject<'a> {
    args: &'a Args,
    agent: &'a Agent,
    rules: &'a CaptureRules,
    places: Places,
    message: String,
}

/// Captures, and shows the main request.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let agent = args.agent;
    let rules = agent.capture.as_ref().ok_or_else(|| {
        CommandFailure::usage(format!("{} cannot be captured: it was not measured", agent.title))
    })?;
    let system = files::system();
    let cwd = files::absolute(args.dir.as_deref().unwrap_or(Path::new(".")))?;
    let cwd = system.canonical(&cwd).ok().filter(|cwd| cwd.is_dir()).ok_or_else(|| {
        CommandFailure::usage(format!("not a directory: `{}`", one_line(&cwd.display().to_string())))
            .help(Remedy::command("look at a saved capture", "explain FILE"))
    })?;
    let folder = args.save.as_ref().and_then(|file| file.parent());
    if folder.is_some_and(|dir| dir != Path::new("") && !dir.is_dir()) {
        return Err(CommandFailure::usage("the directory of `--save` does not exist"));
    }
    let digits = unique_digits().map_err(|error| CommandFailure::cannot("start", &error))?;
    let message = if args.listen { String::new() } else { format!("Answer with OK. ({digits})") };
    let places = Places { root: pin_root(system, &cwd), home: env::home_dir(), cwd };
    let subject = Subject { args, agent, rules, places, message };
    let places = &subject.places;
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandFailure::cannot("start", &error))?;
    let mut endpoint = runtime
        .block_on(Endpoint::start(0))
        .map_err(|error| CommandFailure::cannot("listen on loopback", &error))?;
    let on_terminal = ui.can_ask() && io::stdout().is_terminal();
    let is_print = args.print || !on_terminal || rules.terminal.is_none();
    let mode = match is_print {
        _ if args.listen => Mode::Listen,
        true => Mode::Print,
        false => Mode::Terminal,
    };
    let launch = Launch::prepare(
        rules,
        places,
        mode,
        &endpoint.url(),
        &subject.message,
        &args.args,
        private(system)?.join(format!("capture-{digits}")),
    )
    .map_err(|error| refused(agent, error))?;
    let before = WrittenFiles::list(rules, places);
    let config = config_files(rules, places);
    let project = ProjectFiles::of(system, agent, places, &config);
    let program = program_outside(system, &places.root, &agent.name);
    if args.dry_run {
        let rows = [
            ("command", command_line(agent, &launch)),
            ("program", program_row(agent, &program)),
            ("tried with", format!("{} {}", agent.title, rules.measured)),
        ];
        ui.view(&(row_lines(&rows) + &project.view()))?;
        return Ok(Exit::Done);
    }
    let program = match program {
        Err(_) if args.listen => PathBuf::new(),
        program => program.map_err(|error| not_found(agent, &error))?,
    };
    if !args.listen {
        project.agree(ui, args.trust)?;
    }
    let path = env::var_os("PATH").map(|path| path_outside(system, &places.root, &path));
    let version = runtime.block_on(version(&program));
    if args.listen {
        ui.eprint(&format!("{}{}", project.view(), by_hand(agent, &launch, places)));
    } else if mode == Mode::Print && !ui.is_quiet() {
        ui.eprint(&format!(
            "{} gets one message in print mode; its requests to a model stay on this machine.\n",
            agent.title
        ));
    }
    let running = launch.run(&program, path.as_deref(), places, mode, &subject.message, &mut endpoint);
    let recording = runtime.block_on(running).map_err(|error| {
        CommandFailure::cannot(&format!("start `{}`", one_line(&program.display().to_string())), &error)
    })?;
    subject.finish(ui, &recording, mode, &before, version)
}

/// Returns the directory that the private files are put into: nobody else may write in it or above it.
fn private(system: &OsSystem) -> CommandResult<PathBuf> {
    let dir = store_file(StoreKind::State, system).and_then(|file| Some(file.parent()?.to_owned()));
    let Some(dir) = dir else { return Ok(env::temp_dir()) };
    system.make_dirs(&dir, 0o700).map_err(|error| {
        CommandFailure::new(format!("cannot create `{}`: {error}", one_line(&dir.display().to_string())))
    })?;
    Ok(dir)
}

impl Subject<'_> {
    /// Finds the sources, saves and shows.
    fn finish(
        &self,
        ui: &Ui,
        recording: &Recording,
        mode: Mode,
        before: &WrittenFiles,
        version: Option<String>,
    ) -> CommandResult {
        let Subject { args, agent, rules, places, message } = self;
        let config = config_files(rules, places);
        let inputs = CaptureInputs { agent, rules, places, config: &config, message, args: &args.args };
        let at = files::system().now().to_string();
        let Some(mut capture) = Capture::of(&inputs, &recording.requests, mode, at) else {
            return match recording.ended {
                Ended::Interrupted => Ok(Exit::Interrupted),
                _ => Err(no_request(agent, recording)),
            };
        };
        capture.version = version;
        capture.written = WrittenFiles::list(rules, places).since(before, places);
        if args.redact {
            capture.redact();
        }
        let limit = match recording.ended {
            Ended::TimeLimit => Some(format!("{} s", TIME_LIMIT.as_secs())),
            Ended::RequestLimit => Some(format!("{REQUEST_LIMIT} requests")),
            Ended::Exited(_) | Ended::Answered | Ended::Interrupted => None,
        };
        if let Some(limit) = limit.filter(|_| !ui.is_quiet()) {
            let care = style::severity(Severity::Warning);
            ui.eprint(&format!("{care}warning{care:#}: {} was ended after {limit}\n", agent.title));
        }
        // Before a reader of the view can close its pipe.
        if let Some(file) = &args.save {
            files::write(file, &serde_json::to_vec(&capture)?)?;
        }
        saved::show(ui, &capture, &args.shown)?;
        let is_interrupted = recording.ended == Ended::Interrupted && !args.listen;
        Ok(if is_interrupted { Exit::Interrupted } else { Exit::Done })
    }
}

/// Returns the failure for an agent that is not started.
fn refused(agent: &Agent, error: LaunchError) -> CommandFailure {
    let title = &agent.title;
    match error {
        LaunchError::File(file, word) => {
            let file = one_line(&file.display().to_string());
            CommandFailure::new(format!(
                "{title} is not started: `{file}` has `{word}`, which can send requests elsewhere"
            ))
            .help(Remedy::command(
                "see the variables for an agent that you start yourself",
                "capture --listen",
            ))
        }
        LaunchError::Argument(arg) => CommandFailure::usage(format!(
            "{title} is not started: `{}` can send requests elsewhere",
            one_line(&arg)
        ))
        .help("leave the argument out"),
    }
}

/// Returns the failure of a run without a request that can be shown.
fn no_request(agent: &Agent, recording: &Recording) -> CommandFailure {
    let how = match recording.ended {
        Ended::Exited(Some(code)) => format!("exited with {code}"),
        Ended::Exited(None) => "was ended by a signal".to_owned(),
        Ended::TimeLimit => format!("was ended after {} s", TIME_LIMIT.as_secs()),
        Ended::RequestLimit => format!("was ended after {REQUEST_LIMIT} requests"),
        Ended::Answered | Ended::Interrupted => "was ended".to_owned(),
    };
    let paths: Vec<String> = recording.requests.iter().map(|request| one_line(&request.path)).collect();
    let sent = match paths.as_slice() {
        [] => "it sent no request".to_owned(),
        paths => format!("no request had the message; requests: {}", paths.join(", ")),
    };
    let failure = CommandFailure::new(format!("{} {how}: {sent}", agent.title));
    let printed: Vec<&str> = recording.printed.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = printed[printed.len().saturating_sub(5)..].iter().map(|line| one_line(line.trim()));
    let last: Vec<String> = last.collect();
    failure.help(match last.as_slice() {
        [] => Remedy::command("see how it is started", format_args!("capture {} --dry-run", agent.name)),
        last => format!("it printed: {}", last.join(" / ")).into(),
    })
}

/// Returns the command of an agent with its variables, one word after the other as a shell reads them.
fn command_line(agent: &Agent, launch: &Launch) -> String {
    let mut line: Vec<String> = Vec::new();
    if !launch.unset.is_empty() {
        line.push("env".to_owned());
        line.extend(launch.unset.iter().map(|name| format!("-u {name}")));
    }
    line.extend(launch.set.iter().map(|(name, value)| format!("{name}={}", shell_quoted(value))));
    line.push(agent.name.clone());
    line.extend(launch.args.iter().map(|arg| shell_quoted(&one_line(&arg.to_string_lossy()))));
    line.join(" ")
}

fn by_hand(agent: &Agent, launch: &Launch, places: &Places) -> String {
    format!(
        "Start {} in {} with:\n\n  {}\n\nCtrl-C here ends the capture and shows the largest request.\n",
        agent.title,
        one_line(&places.cwd.display().to_string()),
        command_line(agent, launch),
    )
}
