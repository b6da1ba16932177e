//! Texts that have been looked at: plain ones, and templates, of which those of a profile are parsed once.

use super::{RenderError, Rules, refused};
use crate::{
    catalog::CatalogBody,
    origin::{Origin, Piece},
    scope::Scope,
    section::Language,
    template::{Options, Template},
};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

/// A text that has been looked at.
#[derive(Clone, Debug)]
pub(super) enum Ready<'w> {
    /// No tags in it, or none wanted.
    Plain(Cow<'w, [Piece]>),
    /// A template.
    Parsed(Parsed<'w>),
    /// A text of an imported catalog.
    Imported(Cow<'w, CatalogBody>),
}

/// A parsed template, the pieces that its text is made of, and who wrote them.
#[derive(Clone, Debug)]
pub(super) struct Parsed<'w> {
    pub template: Arc<Template>,
    pub pieces: Cow<'w, [Piece]>,
    pub by: Option<Scope>,
}

/// A single piece as a text of its own.
pub(super) fn one(piece: Cow<'_, Piece>) -> Cow<'_, [Piece]> {
    match piece {
        Cow::Borrowed(piece) => Cow::Borrowed(std::slice::from_ref(piece)),
        Cow::Owned(piece) => Cow::Owned(vec![piece]),
    }
}

/// Looks at a text: whether there is anything in it to be worked out.
pub(super) fn ready<'w>(
    pieces: Cow<'w, [Piece]>,
    language: Language,
    rules: &Rules<'_>,
) -> Result<Ready<'w>, RenderError> {
    let tagged = language == Language::Template && pieces.iter().any(|piece| piece.text.contains('['));
    let over = rules
        .template
        .max_bytes
        .is_some_and(|max| pieces.iter().map(|piece| piece.text.len()).sum::<usize>() > max);
    if language == Language::Verbatim || !(tagged || over) {
        return Ok(Ready::Plain(pieces));
    }
    let template = match pieces.as_ref() {
        [Piece { text, origin: Origin::Literal { .. } }] => {
            rules.templates.parse(text, &rules.template).map_err(|error| refused(&error, &pieces, text))?
        }
        many => {
            let text: String = many.iter().map(|piece| piece.text.as_str()).collect();
            let parsed = Template::parse(text.as_str(), &rules.template);
            Arc::new(parsed.map_err(|error| refused(&error, many, &text))?)
        }
    };
    // A text that a project wrote in part is a project's text.
    let by = pieces.iter().filter_map(|piece| piece.origin.scope()).max();
    Ok(Ready::Parsed(Parsed { template, pieces, by }))
}

/// The parsed templates of a profile. They belong to whoever keeps the profile, and copies share them; what is in here
/// changes no result.
#[derive(Clone, Default)]
pub struct Templates(Arc<Mutex<BTreeMap<String, Kept>>>);

/// A template and the switches that it was parsed with.
type Kept = (Options, Arc<Template>);

/// How many templates are kept. A profile has a few dozen.
const KEPT: usize = 1000;

impl Templates {
    fn parse(&self, text: &str, options: &Options) -> Result<Arc<Template>, crate::template::TemplateError> {
        let Ok(mut kept) = self.0.lock() else { return Template::parse(text, options).map(Arc::new) };
        if let Some((with, template)) = kept.get(text)
            && with == options
        {
            return Ok(template.clone());
        }
        let template = Arc::new(Template::parse(text, options)?);
        if kept.len() < KEPT {
            kept.insert(text.to_owned(), (options.clone(), template.clone()));
        }
        Ok(template)
    }
}

impl PartialEq for Templates {
    /// Always: what was parsed is no part of what a profile says.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Templates {}

impl fmt::Debug for Templates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Templates")
    }
}
