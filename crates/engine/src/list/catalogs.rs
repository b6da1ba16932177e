//! The use of a catalog: what a prompt takes from it, and what of the profile's own words stays.

use crate::{
    Error,
    input::catalog::{CatalogReader, CatalogUse},
    list::Build,
};
use preface_core::{diagnostic::Diagnostics, profile::Profile};

impl Build<'_> {
    /// Returns what a prompt would take from the catalog, and what of the profile's own words would stay, whatever the
    /// conditions of sections are.
    ///
    /// # Errors
    /// A catalog that cannot be read.
    pub fn catalog_uses(&self) -> Result<Vec<CatalogUse>, Error> {
        let (profile, places) = (&self.inputs.loaded.profile, &self.inputs.loaded.places);
        let Some(choice) = &profile.catalog else { return Ok(Vec::new()) };
        let system = self.engine.system();
        let mut reader = CatalogReader::open(system, places, choice, &profile.name, &mut Diagnostics::new())?;
        reader.lay(&mut Profile::clone(profile), &self.inputs.entries.turn.tools);
        for (agent, prompts) in &choice.agents {
            reader.pieces(&prompts.0, format!("agent `{agent}`"), None);
        }
        Ok(reader.uses)
    }
}
