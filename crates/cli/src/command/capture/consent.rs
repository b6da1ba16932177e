//! The consent to what a project makes an agent run. An agent starts hooks and servers without a question in print mode.

use crate::{
    failure::CommandFailure,
    files,
    flags::TrustFlag,
    ui::{
        Ui, style,
        text::{count, one_line},
    },
};
use preface_capture::{agent::Agent, files::Places, project::ConfigFile};
use preface_engine::{
    core::diagnostic::Diagnostics,
    host::{
        system::System,
        trust::{Digest, Dirs, PinPath, PinState, PinnedText, StoreKind, TrustStore, store_file},
    },
};
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// The files of a project that make an agent run something.
pub struct ProjectFiles<'c> {
    root: PathBuf,
    store: Option<PathBuf>,
    /// Each with true if its content is granted.
    files: Vec<(&'c ConfigFile, PinPath, bool)>,
}

impl<'c> ProjectFiles<'c> {
    /// Compares the files with what was granted.
    pub fn of(system: &dyn System, places: &Places, config: &'c [ConfigFile]) -> Self {
        let root = places.root.clone();
        let store = store_file(StoreKind::State, &Dirs::of(system)).filter(|file| !file.starts_with(&root));
        let pins = store.as_ref().map(|file| {
            TrustStore::at(system, file.clone())
                .for_project(&root)
                .load(&mut Diagnostics::default())
                .pins(&root)
        });
        let state = |file: &'c ConfigFile| {
            let path = PinPath::new(&root, &file.path).ok()?;
            let is_granted = pins
                .as_ref()
                .is_some_and(|pins| pins.state(&path, &Digest::of(&file.bytes)) == PinState::Granted);
            Some((file, path, is_granted))
        };
        let files = config.iter().filter(|file| !file.is_user).filter_map(state).collect();
        ProjectFiles { root, store, files }
    }

    /// Lists what the project makes the agent run.
    pub fn view(&self, agent: &Agent) -> String {
        let (bold, dim) = (style::BOLD, style::DIM);
        if self.files.is_empty() {
            return format!("The project makes {} run nothing.\n", agent.title);
        }
        let mut out = format!("The project makes {} run or connect to:\n", agent.title);
        for (file, path, is_granted) in &self.files {
            let state = if *is_granted { ", trusted" } else { "" };
            let _ = writeln!(out, "  {bold}{}{bold:#}{dim}{state}{dim:#}", one_line(path.as_str()));
            for action in &file.actions {
                let command = if action.command.is_empty() {
                    String::new()
                } else {
                    format!(": {}", one_line(&action.command))
                };
                let _ = writeln!(out, "    {}{command}", one_line(&action.key));
            }
        }
        out
    }

    /// Returns if the agent may start.
    pub fn agree(&self, ui: &Ui, agent: &Agent, trust: Option<TrustFlag>) -> Result<(), CommandFailure> {
        let new: Vec<_> = self.files.iter().filter(|(_, _, is_granted)| !is_granted).collect();
        if new.is_empty() {
            return Ok(());
        }
        ui.eprint(&self.view(agent));
        match trust.unwrap_or(TrustFlag::Ask) {
            TrustFlag::Once => return Ok(()),
            TrustFlag::Ask if ui.can_ask() => loop {
                match ui.ask("[t]rust these files, start it [o]nce, or [a]bort? ").as_deref() {
                    Some("t" | "trust") => return self.grant(),
                    Some("o" | "once") => return Ok(()),
                    Some("a" | "abort") | None => break,
                    Some(_) => ui.eprint("Answer with one of the words, or its first letter.\n"),
                }
            },
            TrustFlag::Ask | TrustFlag::Deny | TrustFlag::Require => {}
        }
        Err(CommandFailure::untrusted(format!(
            "{} is not started: {} of the project would make it run programs or connect",
            agent.title,
            count(new.len(), "file"),
        ))
        .help(format!("review the list; `preface capture {} --trust once` starts it", agent.name)))
    }

    fn grant(&self) -> Result<(), CommandFailure> {
        let store = self.store.clone().ok_or_else(|| {
            CommandFailure::new("there is no directory to keep trust in").help("answer with `once`")
        })?;
        let texts: Vec<PinnedText> = self
            .files
            .iter()
            .map(|(file, path, _)| PinnedText { path: path.clone(), bytes: file.bytes.clone() })
            .collect();
        let system = files::system();
        let store = TrustStore::at(&system, store).for_project(Path::new(&self.root));
        store.grant_pins(&self.root, &texts).map_err(|error| {
            CommandFailure::new(format!("cannot record trust: {error}")).help(error.help().into_owned())
        })?;
        Ok(())
    }
}
