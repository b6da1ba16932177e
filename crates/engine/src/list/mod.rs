//! Listings: what a directory brings, without its prompt. The input stages run once, in [`Engine::look`]; each listing reads fields
//! of the [`Build`] that it returns, and a template of the caller's is rendered with them.

pub(crate) mod agents;
pub(crate) mod catalogs;
pub(crate) mod reminders;
pub(crate) mod scopes;
pub(crate) mod servers;
pub(crate) mod settings;
pub(crate) mod skills;
pub(crate) mod variables;

use crate::{
    BuildResult, Engine, Error,
    build::keep_only,
    build_options::BuildOptions,
    input::{Inputs, collect::Breadth, variables::declare},
};
use preface_core::{diagnostic::Diagnostics, origin::Piece, profile::Profile, snapshot::Snapshot};
use preface_host::{
    places::Places,
    provider::context::{Headless, ProviderContext},
};
use std::{cell::RefCell, sync::Arc};

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

    /// Renders one template of the caller's with the variables of the directory. The profile gives the language's switches; the
    /// result holds the rendered text and nothing else.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn render(self, template: Vec<Piece>) -> Result<BuildResult, Error> {
        let Build { engine, request, inputs } = self;
        let (mut profile, mut turn) = (inputs.entries.profile.clone(), inputs.entries.turn.clone());
        let mut found = Diagnostics::new();
        declare(&request, &inputs.loaded.merged, None, (&mut profile, &mut turn), &mut found)?;
        profile.variables.check_required(&turn.variables)?;
        keep_only(template, Arc::make_mut(&mut profile));
        let mut snapshot = Snapshot { turn, ..inputs.snapshot(profile) };
        snapshot.diagnostics.extend(found);
        let prompt = engine.compose(&inputs, &mut snapshot, &Headless)?;
        let tools = snapshot.turn.tools.clone();
        Ok(BuildResult::new(prompt, snapshot, tools, inputs))
    }
}
