//! Context provider `output-style`: the text of the output style that an option names.

use super::{ContextProvider, SectionOptions, silent};
use crate::{
    markdown::{help_for_unknown, shown},
    provider_context::ProviderContext,
    styles::{self, StyleEntry},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    lint::hidden::escape_hidden,
    section::Section,
    snapshot::{Contribution, Item},
};
use std::collections::BTreeMap;

/// The provider of the text of an output style.
#[derive(Debug)]
pub struct OutputStyle;

impl ContextProvider for OutputStyle {
    fn name(&self) -> &'static str {
        "output-style"
    }

    fn about(&self) -> &'static str {
        "the text of an output style, from output-styles/*.md of the layers"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[("style", "the name of a style, or of its file; none and `default` select no style")]
    }

    fn contribute(&self, section: &Section, context: &ProviderContext<'_>) -> Contribution {
        let options = SectionOptions::new(section, context);
        let name = options.text("style").unwrap_or_default().trim();
        if styles::is_default(name) {
            return silent(self, section, "no output style is chosen");
        }
        let entries = styles::load(context);
        let Some(style) = styles::find(name, &entries) else {
            context.note(unknown(name, &entries));
            return silent(self, section, format!("there is no output style `{}`", shown(name)));
        };
        let mut contribution = silent(self, section, "the style's file has no text");
        if style.value.body.is_empty() {
            let what =
                format!("the output style `{}` was not used: its file has no text", shown(&style.name));
            let place = Place::file(Some(style.origin.scope), style.origin.path.clone());
            let help = "write the style below the second `---`";
            context.note(Diagnostic::warning(DiagnosticCode::BlankSource, what).at(place).help(help));
        } else {
            let variable = |name: &str, text: &str| (name.to_owned(), escape_hidden(text).into_owned());
            let variables =
                BTreeMap::from([variable("name", &style.name), variable("path", &style.origin.path)]);
            contribution.items.push(Item {
                variables,
                pieces: style.value.body.clone(),
                language: style.value.language,
                rank: None,
            });
            contribution.silent = None;
        }
        contribution
    }
}

fn unknown(name: &str, entries: &[StyleEntry]) -> Diagnostic {
    let diagnostic = Diagnostic::warning(
        DiagnosticCode::ScopeUnknown,
        format!("there is no output style `{}`", shown(name)),
    );
    diagnostic.help(help_for_unknown(name, entries, "styles"))
}
