//! Texts that have been looked at: plain ones, and templates, of which the profile's and those that ship with preface are
//! parsed once in a process.

use super::{RenderError, template_error, watch::is_engines};
use crate::{
    origin::Piece,
    scope::Scope,
    section::Language,
    template::{Template, TemplateError, TemplateOptions},
};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

/// A text that has been looked at.
#[derive(Clone, Debug)]
pub(super) enum PreparedText<'w> {
    /// No tags in it, or none wanted.
    Plain(Cow<'w, [Piece]>),
    /// A template.
    Parsed(ParsedTemplate<'w>),
}

/// A parsed template, the pieces that its text is made of, and who wrote them.
#[derive(Clone, Debug)]
pub(super) struct ParsedTemplate<'w> {
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
    options: &TemplateOptions,
) -> Result<PreparedText<'w>, RenderError> {
    let of_catalog = TemplateOptions { raw: true, trim_tag_lines: false, ..options.clone() };
    let options = if language == Language::Catalog { &of_catalog } else { options };
    let tagged = language != Language::Verbatim && pieces.iter().any(|piece| piece.text.contains('['));
    let over =
        options.max_bytes.is_some_and(|max| pieces.iter().map(|piece| piece.text.len()).sum::<usize>() > max);
    if language == Language::Verbatim || !(tagged || over) {
        return Ok(PreparedText::Plain(pieces));
    }
    let template = match pieces.as_ref() {
        [Piece { text, origin }] if is_engines(origin) && text.len() <= KEPT_BYTES => {
            parse_once(text, options).map_err(|error| template_error(&error, &pieces, text))?
        }
        many => {
            let text: String = many.iter().map(|piece| piece.text.as_str()).collect();
            let parsed = Template::parse(text.as_str(), options);
            Arc::new(parsed.map_err(|error| template_error(&error, many, &text))?)
        }
    };
    // A text that a project wrote in part is a project's text.
    let by = pieces.iter().filter_map(|piece| piece.origin.scope()).max();
    Ok(PreparedText::Parsed(ParsedTemplate { template, pieces, by }))
}

/// A template and the switches that it was parsed with.
type CachedTemplate = (TemplateOptions, Arc<Template>);

/// The parsed templates of this process, by text. They change no result.
static TEMPLATES: Mutex<BTreeMap<String, CachedTemplate>> = Mutex::new(BTreeMap::new());

/// The most templates in the cache. A profile has a few dozen.
const KEPT: usize = 1000;

/// The most bytes of a template in the cache.
const KEPT_BYTES: usize = 1 << 14;

fn parse_once(text: &str, options: &TemplateOptions) -> Result<Arc<Template>, TemplateError> {
    let lock = || TEMPLATES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((with, template)) = lock().get(text)
        && with == options
    {
        return Ok(template.clone());
    }
    let template = Arc::new(Template::parse(text, options)?);
    let mut kept = lock();
    if kept.len() >= KEPT {
        kept.clear();
    }
    kept.insert(text.to_owned(), (options.clone(), template.clone()));
    Ok(template)
}
