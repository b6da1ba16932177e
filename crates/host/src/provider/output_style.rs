//! Context provider `output-style`: the text of the output style that an option names.

use super::{ContextProvider, ProvidedTexts, SectionOptions};
use crate::{
    markdown::{help_for_unknown, shown},
    provider::context::ProviderContext,
    styles::{self, StyleEntry},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    lint::hidden::escape_hidden,
    section::Section,
    snapshot::Item,
};
use std::collections::BTreeMap;

/// The provider of the text of an output style.
pub const OUTPUT_STYLE: ContextProvider = ContextProvider::new(
    "output-style",
    "the text of an output style, from output-styles/*.md of the layers",
    &[("style", "the name of a style, or of its file; none and `default` select no style")],
    provide,
);

fn provide(section: &Section, context: &ProviderContext<'_>) -> ProvidedTexts {
    let options = SectionOptions::new(section, context);
    let name = options.text("style").unwrap_or_default().trim();
    if styles::is_default(name) {
        return ProvidedTexts::none("no output style is chosen");
    }
    let entries = styles::load(context);
    let Some(style) = styles::find(name, &entries) else {
        context.note(unknown(name, &entries));
        return ProvidedTexts::none(format!("there is no output style `{}`", shown(name)));
    };
    if style.value.body.is_empty() {
        let what = format!("the output style `{}` was not used: its file has no text", shown(&style.name));
        let help = "write the style below the second `---`";
        context.note(Diagnostic::warning(DiagnosticCode::BlankSource, what).at(style.place()).help(help));
        return ProvidedTexts::none("the style's file has no text");
    }
    let variable = |name: &str, text: &str| (name.to_owned(), escape_hidden(text).into_owned());
    let variables = BTreeMap::from([variable("name", &style.name), variable("path", &style.origin.path)]);
    let (pieces, language) = (style.value.body.clone(), style.value.language);
    ProvidedTexts::of(vec![Item { variables, pieces, language, rank: None }], "")
}

fn unknown(name: &str, entries: &[StyleEntry]) -> Diagnostic {
    let diagnostic = Diagnostic::warning(
        DiagnosticCode::ScopeUnknown,
        format!("there is no output style `{}`", shown(name)),
    );
    diagnostic.help(help_for_unknown(name, entries, "styles"))
}
