//! The consent to what a project makes an agent run. An agent starts hooks and servers without a question in print mode.

use crate::{
    CommandFailure, CommandResult, files,
    flags::TrustFlag,
    ui::{Ui, count, one_line, style},
};
use preface_capture::{agent::Agent, files::Places, project::ConfigFile};
use preface_core::diagnostic::{Diagnostics, Remedy};
use preface_engine::host::{
    system::System,
    trust::{
        CheckedCommand, CommandWords, GrantState, Permission, StoreKind, TrustError, TrustStore, store_file,
    },
};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// The files of a project that make an agent run something.
pub struct ProjectFiles<'c> {
    agent: &'c Agent,
    root: PathBuf,
    store: Option<PathBuf>,
    files: Vec<ProjectFile<'c>>,
}

/// A file with the permission that a grant of it records.
struct ProjectFile<'c> {
    name: String,
    file: &'c ConfigFile,
    permission: Result<Permission, TrustError>,
    state: GrantState,
}

/// Describes what a file makes an agent start: it counts by its bytes, and so does each word of its commands that is a file of the
/// project.
fn permission(
    system: &dyn System,
    agent: &Agent,
    places: &Places,
    (name, file): (&str, &ConfigFile),
) -> Result<Permission, TrustError> {
    let mut argv = vec![agent.name.clone(), file.path.to_string_lossy().into_owned()];
    for action in &file.actions {
        let command = action.command.replace(['"', '\''], "");
        let words = command.split(|c: char| c.is_whitespace() || ";|&()<>=".contains(c));
        // `$CLAUDE_PROJECT_DIR/check.sh`: the directory that the agent starts in.
        let below = |word: &str| Some(word.strip_prefix('$')?.split_once('/')?.1.to_owned());
        argv.extend(words.filter(|word| !word.is_empty()).map(|word| below(word).unwrap_or(word.to_owned())));
    }
    let subject = format!("{}/{name}", agent.name);
    let (cwd, env) = (&places.cwd, &BTreeMap::new());
    let words = CommandWords { subject: &subject, argv: &argv, cwd, env, directory: None };
    CheckedCommand::check(system, &places.root, &words).map(|command| command.permission)
}

impl<'c> ProjectFiles<'c> {
    /// Compares the files with what was granted.
    pub fn of(system: &dyn System, agent: &'c Agent, places: &Places, config: &'c [ConfigFile]) -> Self {
        let root = places.root.clone();
        let store = store_file(StoreKind::State, system).filter(|file| !file.starts_with(&root));
        let granted = store.as_ref().map(|file| {
            let store = TrustStore::at(system, file.clone()).for_project(&root);
            store.load(&mut Diagnostics::default()).root(&root)
        });
        let granted = granted.unwrap_or_default();
        let project = config.iter().filter(|file| !file.is_user).map(|file| {
            let name = places.shown(&file.path);
            let permission = permission(system, agent, places, (&name, file));
            let state = permission
                .as_ref()
                .map_or(GrantState::New, |permission| granted.permission_state(permission));
            ProjectFile { name, file, permission, state }
        });
        let files = project.collect();
        ProjectFiles { agent, root, store, files }
    }

    /// Lists what the project makes the agent run.
    pub fn view(&self) -> String {
        let (bold, dim, title) = (style::BOLD, style::DIM, &self.agent.title);
        if self.files.is_empty() {
            return format!("The project makes {title} run nothing.\n");
        }
        let mut out = format!("The project makes {title} run or connect to:\n");
        for ProjectFile { name, file, permission, state } in &self.files {
            let state = match (permission, state) {
                (Err(error), _) => format!(", cannot be trusted: {}", one_line(&error.to_string())),
                (_, GrantState::Granted) => ", trusted".to_owned(),
                (_, GrantState::Changed) => ", changed since it was trusted".to_owned(),
                (_, GrantState::New) => String::new(),
            };
            let _ = writeln!(out, "  {bold}{}{bold:#}{dim}{state}{dim:#}", one_line(name));
            for action in &file.actions {
                let sign = if action.command.is_empty() { "" } else { ": " };
                let _ = writeln!(out, "    {}{sign}{}", one_line(&action.key), one_line(&action.command));
            }
        }
        out
    }

    /// Returns if the agent may start.
    pub fn agree(&self, ui: &Ui, trust: Option<TrustFlag>) -> CommandResult<()> {
        let trust = trust.unwrap_or(TrustFlag::Ask);
        let new = self.files.iter().filter(|file| file.state != GrantState::Granted).count();
        let is_denied = trust == TrustFlag::Deny && !self.files.is_empty();
        if new == 0 && !is_denied {
            return Ok(());
        }
        if !(ui.is_quiet() && trust == TrustFlag::Once) {
            ui.eprint(&self.view());
        }
        let Agent { name, title, .. } = self.agent;
        match trust {
            TrustFlag::Once => return Ok(()),
            TrustFlag::Ask if ui.can_ask() => loop {
                let question = format!("Start {title}? [y]es, [N]o, or [t]rust these files from now on: ");
                match ui.ask(&question).map(|answer| answer.to_lowercase()).as_deref() {
                    Some("y" | "yes") => return Ok(()),
                    Some("t" | "trust") => return self.grant(),
                    Some("" | "n" | "no") | None => break,
                    Some(_) => {}
                }
            },
            TrustFlag::Ask | TrustFlag::Deny | TrustFlag::Require => {}
        }
        let files = count(if is_denied { self.files.len() } else { new }, "file");
        Err(CommandFailure::untrusted(format!(
            "{title} is not started: {files} of the project would make it run programs or connect",
        ))
        .help(Remedy::command("review the list, then start it", format_args!("capture {name} --trust once"))))
    }

    fn grant(&self) -> CommandResult<()> {
        let store = self.store.clone().ok_or_else(|| {
            CommandFailure::new("there is no directory to keep trust in").help("answer with `y`")
        })?;
        let permissions: Result<Vec<Permission>, TrustError> =
            self.files.iter().map(|file| file.permission.clone()).collect();
        let store = TrustStore::at(files::system(), store).for_project(Path::new(&self.root));
        permissions.and_then(|permissions| store.grant_permissions(&self.root, &permissions)).map_err(
            |error| CommandFailure::new(format!("cannot record trust: {error}")).help(error.help()),
        )?;
        Ok(())
    }
}
