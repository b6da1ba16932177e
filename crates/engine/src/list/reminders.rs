//! The reminders of a profile.

use crate::{
    input::{load_profile::LoadedProfile, reminders::help_for_none},
    list::Build,
};
use preface_core::{
    diagnostic::{Diagnostics, Remedy},
    reminder::ReminderCatalog,
};

/// A listing of reminders.
#[derive(Clone, Debug)]
pub struct RemindersReport {
    /// The profile's name.
    pub profile: String,
    /// The reminders, by id.
    pub catalogue: ReminderCatalog,
    /// The help for a profile without reminders: the file that adds one.
    pub help: Option<Remedy>,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
}

impl Build<'_> {
    /// Finds the reminders of the profile: those that ship with it, and the user's own.
    #[must_use]
    pub fn reminders(&self) -> RemindersReport {
        let LoadedProfile { profile, places, diagnostics, .. } = &self.inputs.loaded;
        let mut diagnostics = diagnostics.clone();
        let catalogue = self.engine.catalogue(profile, places, &mut diagnostics);
        let help = help_for_none(places).filter(|_| catalogue.is_empty());
        RemindersReport { profile: profile.name.clone(), catalogue, help, diagnostics }
    }
}
