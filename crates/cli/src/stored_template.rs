//! The template of the store, for builds whose profile takes one. The store is opened when it is asked for, and not before.

use crate::{files, store::StoreFlag};
use clap::Args;
use preface::{Error, TemplateInput, TemplateSource, conversation::TemplateChoice, store};
use std::sync::OnceLock;

/// The flags that choose the template.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Store")]
pub struct TemplateFlags {
    /// Use this template of the store where the profile takes one: `NAME`, `NAME@LABEL` or `NAME@3`
    ///
    /// Without it the template `main`, where one is kept.
    #[arg(long, value_name = "NAME[@VERSION]", add = crate::complete::templates())]
    pub template: Option<TemplateChoice>,

    #[command(flatten)]
    pub store: StoreFlag,
}

/// The templates of a store, chosen by the flags.
#[derive(Debug)]
pub struct StoredTemplates {
    flags: TemplateFlags,
    chosen: Option<String>,
    read: OnceLock<Option<TemplateInput>>,
}

impl TemplateFlags {
    /// Returns who gives the template.
    pub fn source(&self) -> StoredTemplates {
        let chosen = self.template.as_ref().map(TemplateChoice::to_string);
        StoredTemplates { flags: self.clone(), chosen, read: OnceLock::new() }
    }
}

impl StoredTemplates {
    fn look(&self) -> Result<Option<TemplateInput>, Error> {
        let choice = match &self.flags.template {
            Some(choice) => choice.clone(),
            None => "".parse().map_err(|_| Error::Usage("not a template".to_owned(), None))?,
        };
        let version = match self.flags.store.there(&files::system())? {
            None => None,
            Some(url) => tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| store::StoreError::Other(error.to_string()))?
                .block_on(async {
                    let store = store::open(&url).await?;
                    let version = store.template(&choice.name, &choice.which).await;
                    store.close().await?;
                    version
                })?,
        };
        match version {
            Some(version) => {
                let kept = version.text.map(|text| TemplateInput {
                    name: version.name.as_str().into(),
                    version: Some(version.version),
                    text,
                });
                if kept.is_none() && choice.is_named() {
                    return Err(unknown(&choice));
                }
                Ok(kept)
            }
            None if choice.is_named() => Err(unknown(&choice)),
            None => Ok(None),
        }
    }
}

fn unknown(choice: &TemplateChoice) -> Error {
    Error::Usage(
        format!("unknown template: `{choice}`"),
        Some("`preface template list` lists the stored ones".to_owned()),
    )
}

impl TemplateSource for StoredTemplates {
    fn chosen(&self) -> Option<&str> {
        self.chosen.as_deref()
    }

    fn template(&self) -> Result<Option<TemplateInput>, Error> {
        if let Some(read) = self.read.get() {
            return Ok(read.clone());
        }
        let read = self.look()?;
        Ok(self.read.get_or_init(|| read).clone())
    }
}
