//! The template of the store, for builds whose profile takes one. The store is opened on the first use.

use crate::{
    files,
    store::{StoreFlag, StorePlaceError},
};
use clap::Args;
use preface_engine::{
    Error, Request, TemplateInput, TemplateSource,
    conversation::TemplateChoice,
    core::suggestion::suggest_or,
    store::{self, PageRequest, TemplateVersion, VersionChoice},
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
    pub fn source(&self, request: &Request) -> StoredTemplates {
        let chosen = self.template.as_ref().map(TemplateChoice::to_string);
        let flags = TemplateFlags { template: self.template.clone(), store: self.store.for_request(request) };
        StoredTemplates { flags, chosen, read: OnceLock::new() }
    }
}

impl StoredTemplates {
    fn look(&self) -> Result<Option<TemplateInput>, Error> {
        let choice = match &self.flags.template {
            Some(choice) => choice.clone(),
            None => "".parse().map_err(|_| Error::Usage("not a template".to_owned(), None))?,
        };
        let (version, versions) = match self.flags.store.there(&files::system()) {
            Ok(None) => (None, Vec::new()),
            // The build reports the directory.
            Err(StorePlaceError::Inside(_)) if !choice.is_named() => (None, Vec::new()),
            Err(error) => return Err(error.into()),
            Ok(Some(url)) => tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| store::StoreError::Other(error.to_string()))?
                .block_on(async {
                    let store = store::open(&url).await?;
                    let version = store.template(&choice.name, &choice.which).await;
                    let versions = match version {
                        Ok(None) => {
                            let first = PageRequest::first(PageRequest::MOST);
                            store.versions(&choice.name, &first).await.map(|page| page.items)
                        }
                        _ => Ok(Vec::new()),
                    };
                    store.close().await?;
                    Ok::<_, store::StoreError>((version?, versions?))
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
                    return Err(unknown(&choice, &[]));
                }
                Ok(kept)
            }
            None if choice.is_named() => Err(unknown(&choice, &versions)),
            None => Ok(None),
        }
    }
}

/// Returns the error for a template that is not stored, or has no such version or label.
fn unknown(choice: &TemplateChoice, versions: &[TemplateVersion]) -> Error {
    let name = &choice.name;
    let mut labels: Vec<&str> =
        versions.iter().flat_map(|version| &version.labels).map(|label| &**label).collect();
    labels.sort_unstable();
    let history = format!("`preface template history --template {name}` lists its versions");
    match &choice.which {
        VersionChoice::Label(label) if !versions.is_empty() => {
            let help = suggest_or(label, labels.iter().copied(), || match &labels[..] {
                [] => history,
                labels => format!("its labels: {}", labels.join(", ")),
            });
            return Error::Usage(
                format!("no version of template `{name}` has the label `{label}`"),
                Some(help),
            );
        }
        VersionChoice::Version(number) if !versions.is_empty() => {
            return Error::Usage(format!("template `{name}` has no version {number}"), Some(history));
        }
        _ => {}
    }
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
