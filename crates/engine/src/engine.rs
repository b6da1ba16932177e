//! The machine that prompts are built on, and what may be done there.

use crate::template_source::TemplateSource;
use preface_host::system::System;

/// The preset that is used if none is given.
pub const DEFAULT_PRESET: &str = "default";

/// Builds prompts on one machine. It holds its collaborators and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Engine<'s> {
    system: &'s dyn System,
    templates: Option<&'s dyn TemplateSource>,
    writes: WriteScope,
    /// True inside of a call that hands out a prompt and may write first files.
    scaffolds: bool,
    starts_programs: bool,
}

/// The files that a build writes besides returning its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteScope {
    /// The first files of a profile that has some, and the lines of loggers.
    #[default]
    All,
    /// The lines of loggers.
    Audit,
    /// Nothing.
    Nothing,
}

impl<'s> Engine<'s> {
    /// Takes the machine to build on.
    #[must_use]
    pub fn new(system: &'s dyn System) -> Self {
        Engine { system, templates: None, writes: WriteScope::All, scaffolds: false, starts_programs: true }
    }

    /// Limits what is written beside results.
    #[must_use]
    pub fn writing(self, writes: WriteScope) -> Self {
        Engine { writes, ..self }
    }

    /// The same inside of a call that hands out a prompt.
    pub(crate) fn handing_out(&self) -> Self {
        Engine { scaffolds: self.writes == WriteScope::All, ..*self }
    }

    /// The same for listings and reviews, which start no program.
    pub(crate) fn without_programs(&self) -> Self {
        Engine { starts_programs: false, ..*self }
    }

    pub(crate) fn starts_programs(&self) -> bool {
        self.starts_programs
    }

    pub(crate) fn writes(&self) -> WriteScope {
        self.writes
    }

    pub(crate) fn scaffolds(&self) -> bool {
        self.scaffolds
    }

    /// Uses a store's template if the profile takes one and the request names none.
    #[must_use]
    pub fn with_templates(self, templates: &'s dyn TemplateSource) -> Self {
        Engine { templates: Some(templates), ..self }
    }

    /// The same on another view of the machine.
    pub(crate) fn on<'t>(&self, system: &'t dyn System) -> Engine<'t>
    where
        's: 't,
    {
        Engine {
            system,
            templates: self.templates,
            writes: self.writes,
            scaffolds: self.scaffolds,
            starts_programs: self.starts_programs,
        }
    }

    pub(crate) fn templates(&self) -> Option<&'s dyn TemplateSource> {
        self.templates
    }

    /// Returns the machine.
    #[must_use]
    pub fn system(&self) -> &'s dyn System {
        self.system
    }
}
