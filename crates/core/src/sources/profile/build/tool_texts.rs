//! A profile's texts for tools by name.

use super::{ProfileBuilder, TextLoader};
use crate::{
    origin::Piece,
    profile::{BuiltinTexts, Parameter, ProfileError, PromptNames, TextAfter},
    section::Language,
    turn::one_line,
};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of `snippet`, `guidelines`, `schema` or `file`")]
struct ToolTextsToml {
    snippet: Option<String>,
    #[serde(default)]
    guidelines: Vec<String>,
    /// The description for the tool's definition.
    file: Option<String>,
    /// The prompts of a catalog that may take its place.
    #[serde(default)]
    catalog: PromptNames,
    /// A text behind the description.
    after: Option<TextAfterToml>,
    #[serde(default)]
    parameters: BTreeMap<String, Parameter>,
    /// The JSON Schema of the arguments, in place of that of the bundled tool.
    schema: Option<Arc<serde_json::Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextAfterToml {
    file: String,
    #[serde(default)]
    catalog: PromptNames,
}

impl ProfileBuilder<'_> {
    pub(super) fn tool_texts(
        &mut self,
        file: &mut TextLoader<'_>,
    ) -> Result<BTreeMap<String, BuiltinTexts>, ProfileError> {
        let written: BTreeMap<String, ToolTextsToml> = self.take_or("tool_texts")?;
        written
            .into_iter()
            .map(
                |(
                    name,
                    ToolTextsToml { snippet, guidelines, file: named, catalog, after, parameters, schema },
                )| {
                    let description =
                        named.map(|named| self.description(&[&name, "file"], &named, file)).transpose()?;
                    let after = after.map(|after| {
                        let text = self.description(&[&name, "after", "file"], &after.file, file)?;
                        Ok(TextAfter { text, catalog: after.catalog.0, language: Language::Template })
                    });
                    let (catalog, after) = (catalog.0, after.transpose()?);
                    // As where a tool is registered: a list of tools has one line for each.
                    let snippet = snippet.map(|snippet| one_line(&snippet).into_owned());
                    Ok((
                        name,
                        BuiltinTexts {
                            snippet,
                            description,
                            catalog,
                            language: Language::Template,
                            after,
                            parameters,
                            schema,
                            guidelines,
                        },
                    ))
                },
            )
            .collect()
    }

    /// A description from a file. The line end of its last line is not part of it.
    fn description(
        &self,
        key: &[&str],
        named: &str,
        file: &mut TextLoader<'_>,
    ) -> Result<Vec<Piece>, ProfileError> {
        let mut pieces = self.file(&[&["tool_texts"], key].concat(), named, file)?;
        if let Some(last) = pieces.last_mut() {
            let kept = last.text.trim_end_matches(['\n', '\r']).len();
            last.text.truncate(kept);
            last.origin = last.origin.part(&(0..kept));
        }
        Ok(pieces)
    }
}
