//! The template of the store, for builds whose profile takes one. The store is opened on the first use.

use crate::{
    files,
    store::{StoreFlag, StorePlaceError},
};
use clap::Args;
use preface_engine::{
    BuildOptions, Error, TemplateInput, TemplateSource, conversation::TemplateChoice, store, templates,
};
use std::sync::OnceLock;

/// The flags that choose the template.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Store")]
pub struct TemplateFlags {
    /// Use this template of the store if the profile takes one: `NAME`, `NAME@LABEL` or `NAME@3`
    ///
    /// Without it the template `main`, if there is one.
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
    /// Returns who gives the template of a request.
    pub fn source(&self, request: &BuildOptions) -> StoredTemplates {
        let chosen = self.template.as_ref().map(TemplateChoice::to_string);
        let flags = TemplateFlags { template: self.template.clone(), store: self.store.for_request(request) };
        StoredTemplates { flags, chosen, read: OnceLock::new() }
    }
}

impl StoredTemplates {
    fn stored(&self) -> Result<Option<TemplateInput>, Error> {
        let choice = self.flags.template.clone().map_or_else(|| "".parse(), Ok);
        let choice = choice.map_err(|_| Error::Usage("not a template".to_owned(), None))?;
        match self.flags.store.there(files::system()) {
            Ok(None) if choice.is_named() => Err(templates::unknown(&choice, &[])),
            Ok(None) => Ok(None),
            // The build reports the directory.
            Err(StorePlaceError::Inside(_)) if !choice.is_named() => Ok(None),
            Err(error) => Err(error.into()),
            Ok(Some(url)) => tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| store::StoreError::Other(error.to_string()))?
                .block_on(async {
                    let store = store::open(&url).await?;
                    let template = templates::chosen(&*store, &choice).await;
                    store.close().await?;
                    template
                }),
        }
    }
}

impl TemplateSource for StoredTemplates {
    fn chosen(&self) -> Option<&str> {
        self.chosen.as_deref()
    }

    fn template(&self) -> Result<Option<TemplateInput>, Error> {
        if let Some(read) = self.read.get() {
            return Ok(read.clone());
        }
        let read = self.stored()?;
        Ok(self.read.get_or_init(|| read).clone())
    }
}
