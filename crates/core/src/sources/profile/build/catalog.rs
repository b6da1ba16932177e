//! `[catalog]`: what the expressions in imported texts stand for. Which catalog it is, is the option `catalog`.

use super::{ProfileBuilder, TextLoader};
use crate::{
    catalog::Bindings,
    profile::{CatalogChoice, CatalogPin, ProfileError, PromptNames},
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The option that chooses a catalog.
const OPTION: &str = "catalog";

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CatalogToml {
    /// A file of bindings.
    bindings: Option<String>,
    /// More of them; they win.
    bind: Bindings,
    agents: BTreeMap<String, PromptNames>,
}

impl ProfileBuilder<'_> {
    /// The catalog that the options choose; `None` if they choose none.
    pub(super) fn catalog(
        &mut self,
        options: &BTreeMap<String, String>,
        file: &mut TextLoader<'_>,
    ) -> Result<Option<CatalogChoice>, ProfileError> {
        let CatalogToml { bindings: named, bind, agents } = self.take_or("catalog")?;
        let Some(chosen) = options.get(OPTION) else { return Ok(None) };
        let pin: CatalogPin = chosen.parse().map_err(|why: String| {
            self.error(&["options", OPTION], why)
                .help("it is `VERSION@blake3:DIGEST`, as the list of imported catalogs shows it")
        })?;
        let mut bindings = match &named {
            Some(named) => self.bindings(named, file)?,
            None => Bindings::default(),
        };
        bindings.0.extend(bind.0);
        Ok(Some(CatalogChoice { pin, bindings, agents }))
    }

    fn bindings(&self, named: &str, file: &mut TextLoader<'_>) -> Result<Bindings, ProfileError> {
        let path = ["catalog", "bindings"];
        let pieces = self.file(&path, named, file)?;
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        toml::from_str(&text).map_err(|error: toml::de::Error| {
            let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
            self.error(&path, format!("`{named}`, line {line}: {}", error.message().trim()))
        })
    }
}
