//! Texts that have been looked at: plain ones, and templates.

use super::{RenderError, template_error};
use crate::{
    origin::Piece,
    scope::Scope,
    section::Language,
    template::{Template, TemplateOptions},
};

/// A text that has been looked at.
#[derive(Clone, Debug)]
pub(super) enum PreparedText<'w> {
    /// No tags in it, or none wanted.
    Plain(&'w [Piece]),
    /// A template.
    Parsed(ParsedTemplate<'w>),
}

/// A parsed template, the pieces that its text is made of, and who wrote them.
#[derive(Clone, Debug)]
pub(super) struct ParsedTemplate<'w> {
    pub template: Template,
    pub pieces: &'w [Piece],
    pub by: Option<Scope>,
}

/// Looks at a text: whether there is anything in it to be worked out.
pub(super) fn ready<'w>(
    pieces: &'w [Piece],
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
    let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let template =
        Template::parse(text.as_str(), options).map_err(|error| template_error(&error, pieces, &text))?;
    // A text that a project wrote in part is a project's text.
    let by = pieces.iter().filter_map(|piece| piece.origin.scope()).max();
    Ok(PreparedText::Parsed(ParsedTemplate { template, pieces, by }))
}
