//! What a profile says of tools by name.

use super::{Builder, Texts};
use crate::{
    origin::Piece,
    profile::{BuiltinTexts, ProfileError, Prompts},
};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of `snippet` and `guidelines`, or of a `file`")]
struct Written {
    snippet: Option<String>,
    #[serde(default)]
    guidelines: Vec<String>,
    /// The description for the tool's definition.
    file: Option<String>,
    /// The prompts of a catalog that may take its place.
    #[serde(default)]
    catalog: Prompts,
}

impl Builder<'_> {
    pub(super) fn tool_texts(
        &mut self,
        file: &mut Texts<'_>,
    ) -> Result<BTreeMap<String, BuiltinTexts>, ProfileError> {
        let written: BTreeMap<String, Written> = self.take_or("tool_texts")?;
        written
            .into_iter()
            .map(|(name, Written { snippet, guidelines, file: named, catalog })| {
                let description = named.map(|named| self.description(&name, &named, file)).transpose()?;
                Ok((
                    name,
                    BuiltinTexts { snippet, description, catalog: catalog.0, imported: None, guidelines },
                ))
            })
            .collect()
    }

    /// A description from a file. The line end of its last line is not part of it.
    fn description(&self, tool: &str, named: &str, file: &mut Texts<'_>) -> Result<Vec<Piece>, ProfileError> {
        let mut pieces = self.file(&["tool_texts", tool, "file"], named, file)?;
        if let Some(last) = pieces.last_mut() {
            let kept = last.text.trim_end_matches(['\n', '\r']).len();
            last.text.truncate(kept);
            last.origin = last.origin.part(&(0..kept));
        }
        Ok(pieces)
    }
}
