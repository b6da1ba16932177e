//! `preface config edit`: a settings file in the person's own editor, checked before it counts.

use super::SettingsTarget;
use crate::{
    command::config::init,
    diagnostics,
    failure::{CommandFailure, Exit, words},
    files,
    flags::PlaceFlags,
    ui::{Ui, text::one_line},
};
use preface_engine::{
    Engine, Request,
    core::{
        diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity},
        scope::Scope,
        settings,
    },
    host::{
        provider_context::SETTINGS_LIMIT,
        settings_file::{SettingsFile, SettingsWriteOutcome},
        system::{ReadScope, System, WriteError, WriteMode},
    },
};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process,
};

const EXAMPLES: &str = "\
Examples:
  preface config edit
  EDITOR='code --wait' preface config edit --scope project";

/// Open a settings file in your editor
///
/// The editor is VISUAL, else EDITOR. It gets a private copy; when it ends, the copy is checked and takes the place of the
/// file. What has errors is not taken: you can go on editing, and your text is kept.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Choose the file
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "SCOPE")]
    scope: SettingsTarget,

    #[command(flatten)]
    place: PlaceFlags,
}

/// The text of a project's file that is not there yet.
const EMPTY: &str = "{\n}\n";
/// The copy is readable by the user only, even if the file is not.
const COPY_MODE: u32 = 0o600;
/// The most copies that may be left over from earlier edits.
const COPIES: usize = 100;

/// Opens the editor, checks, and writes.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let editor = editor(&system).ok_or_else(|| {
        CommandFailure::new("there is no editor: neither VISUAL nor EDITOR is set")
            .help("`EDITOR=nano preface config edit`, or `preface config set KEY VALUE`")
    })?;
    // What is wrong with the choice of a profile is mended here.
    let request = Request { default_on_error: true, ..args.place.request() };
    let engine = Engine::new(&system);
    let file = engine.settings_file(&request, args.scope.scope())?;
    let was = file.read()?.map(|read| read.into_bytes());
    diagnostics::all(ui, &engine.first_files(&request)?);
    file.make_dir()?;
    let (profile, places, shared) = init::find(&system, &request)?;
    let first = init::settings(&profile, places.global == shared);
    let start = match (&was, file.scope()) {
        (Some(bytes), _) => bytes.as_slice(),
        (None, Scope::Project) => EMPTY.as_bytes(),
        (None, _) => first.as_bytes(),
    };
    let copy = Copy::make(&system, &file, start)?;
    loop {
        copy.open(&editor, start)?;
        let bytes = copy.read()?;
        if bytes == start {
            copy.discard();
            ui.eprint(&format!("nothing was changed in {}\n", file.shown()));
            return Ok(Exit::Done);
        }
        let found = check(&file, &bytes);
        diagnostics::all(ui, &found);
        if found.iter().any(is_bad) {
            if again(ui) {
                continue;
            }
            if ui.can_ask() {
                copy.discard();
                return Err(CommandFailure::new(format!("{} was left as it is", file.shown())));
            }
            return Err(CommandFailure::new(format!(
                "{} was left as it is: the new text has errors",
                file.shown()
            ))
            .help(format!("your text is kept in `{}`", copy.shown())));
        }
        return match file.replace(was.as_deref(), &bytes) {
            Ok(written) => {
                copy.discard();
                let word =
                    if written == SettingsWriteOutcome::Changed { "changed" } else { "left as it is:" };
                ui.eprint(&format!("{word} {}\n", file.shown()));
                Ok(Exit::Done)
            }
            Err(error) => {
                Err(CommandFailure::from(error).help(format!("your text is kept in `{}`", copy.shown())))
            }
        };
    }
}

fn editor(system: &dyn System) -> Option<OsString> {
    ["VISUAL", "EDITOR"].into_iter().find_map(|name| system.var(name).filter(|value| !value.is_empty()))
}

/// Asks whether the editor is opened again.
fn again(ui: &Ui) -> bool {
    ui.can_ask()
        && loop {
            match ui.ask("[e]dit again, or [d]iscard what you wrote? ").as_deref() {
                Some("e" | "edit") => break true,
                Some("d" | "discard") | None => break false,
                Some(_) => ui.eprint("Answer with one of the words, or its first letter.\n"),
            }
        }
}

/// Returns the diagnostics of a text.
fn check(file: &SettingsFile<'_>, bytes: &[u8]) -> Diagnostics {
    let (layer, mut found) = file.parse(bytes);
    let _ = settings::merge(layer.into_iter().collect(), &mut found);
    found
}

fn is_bad(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error || diagnostic.code == DiagnosticCode::ConfigSchemaViolation
}

/// The private copy that is edited, beside the file.
struct Copy<'a> {
    system: &'a dyn System,
    path: PathBuf,
}

impl<'a> Copy<'a> {
    fn make(system: &'a dyn System, file: &SettingsFile<'_>, bytes: &[u8]) -> Result<Self, CommandFailure> {
        let mut outcome = WriteError::Exists;
        for number in 1..=COPIES {
            let path = file.path().with_file_name(format!("settings.edit-{number}.json"));
            match system.write(&path, bytes, WriteMode::New, COPY_MODE) {
                Ok(()) => return Ok(Copy { system, path }),
                Err(error) => outcome = error,
            }
            if outcome != WriteError::Exists {
                break;
            }
        }
        Err(CommandFailure::new(format!("cannot write beside `{}`: {outcome}", file.shown()))
            .help("the copy to be edited lies there"))
    }

    fn shown(&self) -> String {
        one_line(&self.path.display().to_string())
    }

    /// Starts the editor and waits.
    ///
    /// This is the one place where preface starts a program: the user at the terminal names it, in their own
    /// environment, and no file can choose it. It is here and not behind `System`, so that no build
    /// can reach it.
    fn open(&self, editor: &OsString, start: &[u8]) -> Result<(), CommandFailure> {
        let name = one_line(&editor.to_string_lossy());
        let why = match command(editor, &self.path).status() {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => status.to_string(),
            Err(error) => words(&error),
        };
        let failure = CommandFailure::new(format!("the editor `{name}` failed: {why}"));
        if self.read().is_ok_and(|bytes| bytes != start) {
            return Err(failure.help(format!("your text is kept in `{}`", self.shown())));
        }
        self.discard();
        Err(failure.help("VISUAL and EDITOR name the editor; nothing was changed"))
    }

    fn read(&self) -> Result<Vec<u8>, CommandFailure> {
        match self.system.read(&self.path, ReadScope::Anywhere, SETTINGS_LIMIT) {
            Ok(read) => Ok(read.into_bytes()),
            Err(error) => Err(CommandFailure::new(format!("cannot read `{}`: {error}", self.shown()))
                .help("nothing was changed")),
        }
    }

    fn discard(&self) {
        // It is private; one that stays behind is only untidy.
        let _ = self.system.remove(&self.path);
    }
}

/// The variable may hold arguments, as for git: the shell splits it, and the path is no part of its text.
fn command(editor: &OsString, path: &Path) -> process::Command {
    let mut line = editor.clone();
    line.push(" \"$@\"");
    let mut command = process::Command::new("sh");
    command.arg("-c").arg(line).arg(editor).arg(path);
    command
}
