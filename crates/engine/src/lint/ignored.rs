//! The findings that the settings accept, `lint.ignore`.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    settings::AddedList,
    suggestion::suggest_or,
};
use std::collections::BTreeMap;

/// The findings that the settings accept, `lint.ignore`.
pub(super) struct IgnoredFindings(Vec<(DiagnosticCode, GlobSet)>);

impl IgnoredFindings {
    pub fn of(ignore: &BTreeMap<String, AddedList>, faults: &mut Diagnostics) -> Self {
        let mut all = Vec::new();
        for (code, patterns) in ignore {
            let fault = |why: String| {
                Diagnostic::warning(
                    DiagnosticCode::ConfigSchemaViolation,
                    format!("`lint.ignore.{code}`: {why}"),
                )
            };
            let Some(known) = DiagnosticCode::ALL.iter().find(|known| known.as_str() == code) else {
                let codes = DiagnosticCode::ALL.iter().map(|known| known.as_str());
                faults
                    .push(fault("there is no such code".to_owned()).help(suggest_or(code, codes, || {
                        "each finding has its code in brackets".to_owned()
                    })));
                continue;
            };
            let mut globs = GlobSetBuilder::new();
            for pattern in &patterns.0 {
                match GlobBuilder::new(pattern).literal_separator(true).build() {
                    Ok(glob) => _ = globs.add(glob),
                    Err(error) => faults.push(fault(error.to_string())),
                }
            }
            match globs.build() {
                Ok(globs) => all.push((*known, globs)),
                Err(error) => faults.push(fault(error.to_string())),
            }
        }
        IgnoredFindings(all)
    }

    pub fn has(&self, diagnostic: &Diagnostic) -> bool {
        let path = diagnostic.place.as_ref().map_or("", |place| place.path.as_str());
        self.0.iter().any(|(code, globs)| *code == diagnostic.code && globs.is_match(path))
    }
}
