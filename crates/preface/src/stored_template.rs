//! The template of the user's own store, for builds whose profile takes one. The store is opened on the first use.

use crate::Store;
use preface_engine::{
    Error, TemplateInput, TemplateSource, conversation::TemplateChoice, default_store, store::StoreUrl,
    templates,
};
use preface_host::{places::HomeTrust, system::System, trust::TrustStore};
use std::{path::PathBuf, sync::Arc};

/// The template that was chosen, or `main`.
#[derive(Debug)]
pub(crate) struct StoredTemplate {
    pub system: Arc<dyn System>,
    pub cwd: PathBuf,
    /// As the caller wrote it; empty for `main`, if there is one.
    pub name: String,
}

impl StoredTemplate {
    /// Returns the store that `PREFACE_STORE` names, else the one in the user's state directory, if it exists.
    fn url(&self) -> Result<Option<StoreUrl>, Error> {
        let named = self.system.var("PREFACE_STORE").map(|named| named.to_string_lossy().into_owned());
        if let Some(named) = named.filter(|named| !named.is_empty()) {
            return Ok(Some(named.parse()?));
        }
        let url = match default_store(&*self.system, &self.cwd, HomeTrust::default()) {
            // The build reports the directory.
            Err(_) if self.name.is_empty() => None,
            found => found.map_err(|inside| Error::Trust(inside.to_string(), Some(inside.help().into())))?,
        };
        let Some(StoreUrl::Sqlite(file)) = &url else { return Ok(url) };
        TrustStore::check_file(&*self.system, file)?;
        Ok(url.clone().filter(|_| self.system.stat(file).is_some()))
    }
}

impl TemplateSource for StoredTemplate {
    fn chosen(&self) -> Option<&str> {
        Some(self.name.as_str()).filter(|name| !name.is_empty())
    }

    fn template(&self) -> Result<Option<TemplateInput>, Error> {
        let choice: TemplateChoice =
            self.name.parse().map_err(|error| Error::Usage(format!("{error}"), None))?;
        if self.name.is_empty() && !cfg!(feature = "store-sqlite") {
            return Ok(None);
        }
        match self.url()? {
            Some(url) => Store::open_url(&url)?.template(&choice),
            None if choice.is_named() => Err(templates::unknown(&choice, &[])),
            None => Ok(None),
        }
    }
}
