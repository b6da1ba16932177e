//! Context provider `layer-files`: files of fixed names from the global and the project directory, global first.

use super::{ContextProvider, SectionOptions, silent};
use crate::{
    gate::Belongs,
    look::{CONTEXT_FILE_LIMIT, Look, Wanted},
};
use preface_core::{
    compose::is_blank,
    scope::Scope,
    section::Section,
    world::{Contribution, Item},
};
use std::collections::BTreeMap;

/// Reads `names` from each layer.
#[derive(Debug)]
pub struct LayerFiles;

impl ContextProvider for LayerFiles {
    fn name(&self) -> &'static str {
        "layer-files"
    }

    fn about(&self) -> &'static str {
        "files of fixed names from the global and the project directory, global first"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[("names", "the file names, such as `append.md`")]
    }

    fn contribute(&self, section: &Section, look: &Look<'_>) -> Contribution {
        let names = SectionOptions::new(self, section, look).texts("names", &[]);
        let mut said = silent(self, section, format!("there is no {}", names.join(" or ")));
        for scope in [Scope::Global, Scope::Project] {
            let root = match scope {
                Scope::Project if look.gate.layer_speaks() => look.places.project.as_ref(),
                Scope::Global => look.places.global.as_ref(),
                _ => None,
            };
            let Some(root) = root else { continue };
            for name in &names {
                let path = root.join(name);
                let wanted = match scope {
                    Scope::Project => {
                        Wanted::project(&path, look.layer_within(), CONTEXT_FILE_LIMIT, Belongs::ToLayer)
                    }
                    _ => Wanted::global(&path, CONTEXT_FILE_LIMIT),
                };
                let Some(pieces) = look.pieces(&wanted) else { continue };
                if !is_blank(&pieces) {
                    let facts =
                        BTreeMap::from([("path".to_owned(), look.places.source(scope, &path).path.clone())]);
                    said.items.push(Item { facts, pieces, language: section.language });
                }
            }
        }
        if !said.items.is_empty() {
            said.silent = None;
        }
        said
    }
}
