//! Listings: what a directory brings, without a prompt. The input stages run once, in [`Engine::look`]; each listing reads fields
//! of the [`Build`] that it returns.

pub(crate) mod agents;
pub(crate) mod catalogs;
pub(crate) mod reminders;
pub(crate) mod scopes;
pub(crate) mod servers;
pub(crate) mod settings;
pub(crate) mod skills;
pub(crate) mod variables;

use crate::{
    Engine, Error,
    build_options::BuildOptions,
    input::{Inputs, collect::Breadth},
};
use preface_core::{profile::Profile, snapshot::Snapshot};
use preface_host::{
    places::Places,
    provider::context::{Headless, ProviderContext},
};
use std::cell::RefCell;

/// What a directory brings for a request: profile, settings and entries of all layers, as a prompt would use them. No program was
/// started but git, and nothing was written.
///
/// ```no_run
/// use preface_engine::{Engine, OsSystem, BuildOptions};
/// let system = OsSystem::new(preface_engine::ASSETS);
/// let build = Engine::new(&system).look(&BuildOptions::in_dir("."))?;
/// println!("{} skills, {} agents", build.skills().skills.len(), build.agents().entries.len());
/// # Ok::<(), preface_engine::Error>(())
/// ```
#[derive(Debug)]
pub struct Build<'s> {
    engine: Engine<'s>,
    request: BuildOptions,
    pub(crate) inputs: Inputs,
}

impl<'s> Engine<'s> {
    /// Runs the input stages of a request, for commands that list what there is. The project's entries pass the gate without a
    /// question: untrusted ones are marked.
    ///
    /// # Errors
    /// What [`Engine::build`] refuses before it looks at the project.
    pub fn look(&self, request: &BuildOptions) -> Result<Build<'s>, Error> {
        let engine = self.without_programs();
        let inputs = engine.read_inputs(request, None)?;
        Ok(Build { engine, request: request.clone(), inputs })
    }
}

impl Build<'_> {
    /// Returns the directories of the request.
    #[must_use]
    pub fn places(&self) -> &Places {
        self.inputs.places()
    }

    fn profile(&self) -> &Profile {
        &self.inputs.entries.profile
    }

    /// Returns a view of the machine that reports what the first stages did.
    fn context(&self) -> ProviderContext<'_> {
        let access = &self.inputs.project.access;
        let diagnostics = [&self.inputs.loaded.diagnostics[..], &access.diagnostics[..]].concat();
        ProviderContext { diagnostics: RefCell::new(diagnostics), ..self.inputs.context(&self.engine) }
    }

    /// Collects the texts of the layers, too.
    pub(crate) fn snapshot(&self) -> Result<Snapshot, Error> {
        self.engine.collect(&self.request, &self.inputs, Breadth::Turn, &Headless)
    }
}
