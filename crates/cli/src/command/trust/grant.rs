//! `preface trust grant`: pins what a build would use.

use super::{
    diff::{ReviewDiff, shown},
    status::{covered, is_problem, texts},
};
use crate::{
    CommandFailure, CommandResult, Exit, OutputFormat, TemplateFlags, TurnFlags,
    call::{ALLOW, command},
    diagnostics, files,
    ui::{Cell, TextTable, Ui, listed, number, style},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Remedy},
    lint::hidden::escape_hidden,
    trust::TrustMode,
};
use preface_engine::{
    BuildOptions, Engine,
    consent::pin_root,
    coverage::{HiddenText, Review, has_hidden_text},
    host::{
        places::normal,
        system::System,
        trust::{Digest, shell_quoted},
    },
};
use serde_json::json;
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Examples:
  preface trust diff && preface trust grant
  preface trust grant AGENTS.md docs/AGENTS.md
  preface trust grant --from ../main
  preface trust grant --allow-commands";

/// Trust files of this project with their present content
///
/// Pins the files that a build here uses, each by its content, and lists them. On a terminal it shows what it would add, as
/// `preface trust diff` does, and asks; elsewhere it records what is there, and prints that. `--reviewed` takes the digest that
/// `trust diff` prints: if anything else is there now, nothing is granted. The grant prints the links, the secrets and the branch that a grant covers, what of yours the project
/// replaces, and what it would run; a file with hidden characters is left out. A project that is trusted as a whole is not
/// granted while it has such a file, or one that cannot be read. What the project's extensions and servers would do to the
/// machine stays off: `--allow-commands` grants that, and prints each program with its arguments, each address and each file.
/// A granted program is compared with its grant before each start; whatever else it loads is not pinned (`make` reads a
/// Makefile). What the project makes an agent such as Claude Code start is trusted by the answer `t` to `preface capture`.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// Grant only these files, or what lies in these directories; relative to `-C`, or to the project's root
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Let the project's extensions and servers start programs, talk to addresses and write files, too
    #[arg(long, conflicts_with = "paths")]
    allow_commands: bool,

    /// Grant only what `preface trust diff` showed with this digest, and ask nothing
    #[arg(long, value_name = "DIGEST", conflicts_with = "paths")]
    reviewed: Option<Digest>,

    /// Grant what is granted in DIR with the same content, such as another work tree of the repository, and ask nothing
    #[arg(long, value_name = "DIR", conflicts_with_all = ["paths", "reviewed"])]
    from: Option<PathBuf>,

    /// Grant files with hidden characters, too
    #[arg(long)]
    allow_hidden: bool,

    #[command(flatten)]
    turn: TurnFlags,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let system = files::system();
    let templates = TemplateFlags::default().source(&args.turn.request());
    let engine = Engine::new(system).with_templates(&templates);
    let request = args.turn.request();
    // What is granted elsewhere was looked at there.
    let is_reviewed = args.reviewed.is_some() || args.from.is_some();
    let hidden =
        if args.allow_hidden || args.from.is_some() { HiddenText::Allow } else { HiddenText::Refuse };
    let named = paths(system, &engine, &request, &args.paths)?;
    let mut review = engine.review(&request, &named)?;
    let others = match &args.from {
        Some(dir) => keep_granted_in(dir, system, &engine, args, &mut review)?,
        None => Vec::new(),
    };
    let reviewed = review.coverage.digest();
    if args.reviewed.is_some_and(|shown| shown != reviewed) {
        return Err(CommandFailure::usage("nothing was granted: the project is not as it was reviewed")
            .help(Remedy::command("look at it as it is", "trust diff")));
    }
    let changes = &review.coverage.changes;
    if !changes.is_empty() && args.format == OutputFormat::Text {
        // Before anything is recorded.
        ui.view(&format!("With this grant:\n{}", covered(changes)))?;
    }
    let mut text = String::new();
    if !is_reviewed {
        let mut granted = review.clone();
        granted.coverage.texts.retain(|text| args.allow_hidden || !has_hidden_text(&text.file.bytes));
        let changes = ReviewDiff::of(&engine, &request, &granted)?;
        text.push_str(&changes.text);
        // Without a question, what is allowed is listed line by line.
        if args.allow_commands && ui.can_ask() {
            text.push_str(&changes.programs);
        }
    }
    let text = Some(text).filter(|text| !text.is_empty());
    if let Some(text) = text.as_ref().filter(|_| ui.can_ask() && args.format == OutputFormat::Text) {
        ui.patch(&shown(text))?;
        let question = "Grant this? [y/N] ";
        if !ui.ask(question).is_some_and(|answer| answer.eq_ignore_ascii_case("y")) {
            ui.eprint("Nothing was granted.\n");
            return Ok(Exit::Failed);
        }
    }
    // What was shown is what is granted.
    let report = engine.grant(&request, &review, &named, hidden)?;
    let mut coverage = review.coverage;
    if let Some(branch) = &mut coverage.branch {
        branch.granted |= report.branches.contains(&branch.name);
    }
    let (bold, dim) = (style::BOLD, style::DIM);
    let root = report.path.display().to_string();
    let root = escape_hidden(&root);
    let mut out = String::new();
    match (report.added.is_empty(), report.unchanged.is_empty()) {
        (true, true) if !report.hidden.is_empty() => {}
        (true, true) => {
            let _ = writeln!(out, "There is nothing to grant in {bold}{root}{bold:#}.");
        }
        (true, false) => {
            let _ =
                writeln!(out, "{} already granted in {bold}{root}{bold:#}.", were(report.unchanged.len()));
        }
        (false, _) => {
            let _ = writeln!(out, "Granted in {bold}{root}{bold:#}:");
        }
    }
    let mut table = TextTable::new().right(&[0]);
    for (name, bytes) in &report.added {
        let size = if *bytes > 0 { format!("  {} bytes", number(*bytes)) } else { String::new() };
        table.row([size.into(), Cell::from(escape_hidden(name).into_owned())]);
    }
    out.push_str(&table.show(None));
    if !report.added.is_empty() && !report.unchanged.is_empty() {
        let _ = writeln!(out, "{dim}{} already granted.{dim:#}", were(report.unchanged.len()));
    }
    let care = style::CARE;
    for (what, names, why) in [
        ("not granted there as it is here", &others, ""),
        ("still left out", &report.untrusted, ""),
        ("not granted", &report.hidden, " has hidden characters"),
    ] {
        for name in names {
            let _ = writeln!(out, "{care}{what}:{care:#} {}{why}", escape_hidden(name));
        }
    }
    // The branch of the report is a line of the coverage.
    out.push_str(&covered(&coverage.lines()));
    let mut permitted = None;
    if args.allow_commands {
        let permissions = engine.grant_commands(&request, &report.unlogged, Some(&coverage.permissions))?;
        out.push_str(&allowed(&permissions, report.hidden.is_empty()));
        permitted = Some(permissions);
    } else {
        let permissions = coverage.permission_lines();
        if !permissions.is_empty() {
            out.push_str(&format!("  could run after {}:\n", command(ALLOW)));
        }
        out.push_str(&covered(&permissions));
    }
    match args.format {
        OutputFormat::Text => {
            ui.view(&out)?;
            if let Some(text) = text.filter(|_| !ui.can_ask() && !report.added.is_empty()) {
                ui.eprint(&shown(&text));
            }
        }
        OutputFormat::Json => {
            let names = |texts: &[(String, usize)]| -> Vec<_> {
                texts.iter().map(|(path, bytes)| json!({ "path": path, "bytes": bytes })).collect()
            };
            ui.json(&json!({
                "path": report.path.display().to_string(),
                "granted": names(&report.added),
                "unchanged": report.unchanged,
                "branch": report.branches.first(),
                "untrusted": report.untrusted,
                "hidden": report.hidden,
                "permissions": permitted.as_ref().map(|permissions| json!({
                    "granted": permissions.added,
                    "unchanged": permissions.unchanged,
                    "refused": permissions.refused,
                })),
                "text": text,
                "digest": reviewed.to_string(),
                "diagnostics": report.diagnostics,
            }))?;
        }
    }
    let is_shown = |diagnostic: &Diagnostic| {
        is_problem(diagnostic)
            || matches!(diagnostic.code, DiagnosticCode::LoggerFailed | DiagnosticCode::ScaffoldCreated)
    };
    let problems: Vec<Diagnostic> = report.diagnostics.into_iter().filter(is_shown).collect();
    diagnostics::all(ui, &problems);
    if report.hidden.is_empty() {
        let refused = permitted.map_or(0, |permissions| permissions.refused.len());
        return if refused == 0 { Ok(Exit::Done) } else { Err(not_allowed(refused)) };
    }
    let names: Vec<String> = report.hidden.iter().map(|name| escape_hidden(name).into_owned()).collect();
    let (them, have) = if names.len() == 1 { ("it", "has") } else { ("them", "have") };
    let (dir, paths) = arguments(args);
    Err(CommandFailure::new(format!(
        "{} {have} hidden characters and {have} not been granted",
        listed(&names)
    ))
    .help(format!(
        "{} shows them; {} grants {them} all the same",
        command(&format!("lint{dir}")),
        command(&format!("trust grant{paths} --allow-hidden"))
    )))
}

/// Leaves in a review what is granted in another directory with the same content; returns the names of the other files.
fn keep_granted_in(
    dir: &Path,
    system: &dyn System,
    engine: &Engine<'_>,
    args: &Args,
    review: &mut Review,
) -> CommandResult<Vec<String>> {
    if review.built.mode == TrustMode::Whole {
        let what = format!(
            "the profile `{}` trusts a project as a whole, and no single files",
            review.built.prompt.preset
        );
        return Err(CommandFailure::usage(what).help("leave out `--from`"));
    }
    let base = args.turn.directory.clone().unwrap_or_default();
    let there =
        Engine::new(system).cwd(&BuildOptions { cwd: Some(base.join(dir)), ..BuildOptions::default() })?;
    let (root, there) = (pin_root(system, &review.built.places.cwd), pin_root(system, &there));
    let granted = engine.store(&review.built)?.load(&mut Vec::new()).root(&there);
    let others = review.keep_granted_by(&root, &granted);
    if review.coverage.texts.is_empty() && review.coverage.permissions.is_empty() {
        let what = format!(
            "nothing that a build here uses is granted in `{}` with the same content",
            there.display()
        );
        return Err(
            CommandFailure::new(what).help(Remedy::command("see what is granted where", "trust list"))
        );
    }
    Ok(others)
}

/// Returns the directory of the one path that was named, as an argument of `lint`, and the paths as arguments of `grant`,
/// each with a blank before it.
fn arguments(args: &Args) -> (String, String) {
    let word = |path: &Path| format!(" {}", shell_quoted(&escape_hidden(&path.display().to_string())));
    let paths = args.paths.iter().map(|path| word(path)).collect();
    let [path] = args.paths.as_slice() else { return (String::new(), paths) };
    // A path is relative to `-C`.
    let whole = args.turn.directory.iter().fold(path.clone(), |path, base| base.join(path));
    let dir = if files::is_file(&whole) { whole.parent().unwrap_or(&whole) } else { &whole };
    let dir = if dir.as_os_str().is_empty() { String::new() } else { word(dir) };
    (dir, paths)
}

/// Returns the failure of a grant of commands some of which cannot be granted: the output has each with the reason.
fn not_allowed(many: usize) -> CommandFailure {
    let what = if many == 1 { "1 command was".to_owned() } else { format!("{many} commands were") };
    CommandFailure::new(format!("{what} not allowed"))
        .help("the lines `not allowed` have the reasons; in JSON `permissions.refused`")
}

/// Lists in full what the project may do from now on: this is what the user consents to.
fn allowed(permissions: &preface_engine::PermissionGrant, is_complete: bool) -> String {
    let (bold, dim, care) = (style::BOLD, style::DIM, style::CARE);
    let mut out = String::new();
    if permissions.added.is_empty() && permissions.unchanged.is_empty() && permissions.refused.is_empty() {
        let what = if is_complete { "it" } else { "what was granted" };
        return format!(
            "{dim}Nothing in {what} starts a program, connects to an address or writes a file.{dim:#}\n"
        );
    }
    if !permissions.added.is_empty() {
        let _ = writeln!(out, "Allowed from now on:");
    }
    for permission in &permissions.added {
        let _ = writeln!(out, "  {bold}{}{bold:#}", escape_hidden(&permission.subject));
        permission.lines().iter().for_each(|line| out.push_str(&format!("    {line}\n")));
    }
    if !permissions.unchanged.is_empty() {
        let _ = writeln!(out, "{dim}{} allowed before already.{dim:#}", permissions.unchanged.len());
    }
    for why in &permissions.refused {
        let _ = writeln!(out, "{care}not allowed:{care:#} {}", escape_hidden(why));
    }
    out
}

fn were(many: usize) -> String {
    format!("{} {}", texts(many), if many == 1 { "was" } else { "were" })
}

/// Makes paths absolute: from the directory that is worked in, and if nothing is there, from the root of the project,
/// to which the paths in the output are relative.
pub(super) fn paths(
    system: &dyn System,
    engine: &Engine<'_>,
    request: &BuildOptions,
    paths: &[PathBuf],
) -> CommandResult<Vec<PathBuf>> {
    let cwd = engine.cwd(request)?;
    let root = pin_root(system, &cwd);
    let place = |path: &PathBuf| {
        let (here, below_root) = (normal(&cwd, path), normal(&root, path));
        let is_missing = system.link_stat(&here).is_none();
        if is_missing && system.link_stat(&below_root).is_some() { below_root } else { here }
    };
    Ok(paths.iter().map(place).collect())
}
