//! Reading the file of a reminder: `---`, `description` and `fields`, `---`, the text.

use super::{EventField, Reminder, types::EVENT};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    lint::forged::{TAGS, scan_tags},
    origin::{Origin, Piece, Source},
    section::SectionId,
    settings::shown,
    skill::frontmatter::{self, FrontmatterSplit, split},
    suggestion::{did_you_mean, did_you_mean_in, quoted},
    template::{Template, TemplateOptions},
};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// The most fields of one event.
const MOST_FIELDS: usize = 64;

/// The frontmatter of a reminder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Frontmatter {
    description: Option<String>,
    fields: Option<Vec<EventField>>,
}

impl Reminder {
    /// Reads a file. The id is the file's name. A file that takes the place of `other` may leave out the description, and the fields
    /// of the event stay those of `other`: they are what programs send.
    ///
    /// # Errors
    /// Invalid frontmatter, no description, a text that contains the engine's own tags or names a field that the event does not have.
    pub fn read(
        id: &str,
        source: &Arc<Source>,
        text: &str,
        other: Option<&Reminder>,
    ) -> Result<Self, Box<Diagnostic>> {
        let refused = |what: String| {
            let place = Place::file(Some(source.scope), source.path.clone());
            Diagnostic::warning(DiagnosticCode::ReminderInvalid, what).at(place)
        };
        let parts = split(text);
        let block = parts.block.as_deref().unwrap_or_default();
        let known = |key: &str| matches!(key, "description" | "fields");
        let (header, _) = frontmatter::read_lenient(block, known).map_err(|error| {
            let mut diagnostic = refused(format!("the frontmatter is no YAML: {}", shown(&error.message)));
            if let Some(place) = &mut diagnostic.place {
                place.line = error.line.map(|line| line + parts.line - 1);
            }
            diagnostic.help("mend the lines between the two `---`")
        })?;
        let header: Frontmatter =
            serde_path_to_error::deserialize(Value::Object(header)).map_err(|error| {
                let help = did_you_mean_in(&error.inner().to_string());
                let diagnostic =
                    refused(format!("the frontmatter is not valid: {}", shown(&error.to_string())));
                match help {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                }
            })?;
        let body = body(&parts, source, text);
        if let Some(found) = body.first().and_then(|piece| scan_tags(&piece.text, TAGS).into_iter().next()) {
            let what = format!("the text holds the tag `{}`, which is preface's to write", found.imitates);
            return Err(refused(what).help("leave it out: the tag is put around the text").into());
        }
        let description = header.description.or_else(|| other.map(|other| other.description.clone()));
        let Some(description) = description else {
            let help = "describe the event in one sentence of the frontmatter";
            return Err(refused(format!("`{id}` has no `description`")).help(help).into());
        };
        let fields = match (header.fields, other) {
            (Some(fields), Some(other)) if fields != other.fields => {
                let help = if other.fields.is_empty() {
                    "leave `fields` out: the event has none".to_owned()
                } else {
                    format!("remove `fields`, or write {}", quoted(&other.fields))
                };
                return Err(refused(format!("`{id}` has other fields than its event")).help(help).into());
            }
            (None, Some(other)) => other.fields.clone(),
            (fields, _) => fields.unwrap_or_default(),
        };
        if let Some(what) = fields_fault(&fields) {
            return Err(refused(what).into());
        }
        let text = body.first().map_or("", |piece| &piece.text);
        let template =
            Template::parse(text, &TemplateOptions::default()).map_err(|error| refused(error.to_string()))?;
        let mut keys = template.named().filter(|key| key.kind() == EVENT);
        if let Some(key) = keys.find(|key| !fields.iter().any(|field| field.name == key.name())) {
            let what = format!("`{id}` names `{}`, which its event does not have", shown(key.as_str()));
            let near = did_you_mean(key.name(), fields.iter().map(|field| field.name.as_str()));
            let diagnostic = refused(what);
            return Err(Box::new(match near {
                Some(near) => diagnostic.help(format!("did you mean `event:{near}`?")),
                None => diagnostic,
            }));
        }
        Ok(Reminder { id: SectionId::new(id), description, fields, body, source: source.clone() })
    }
}

/// Returns the fault of the fields of an event: there are too many, or two have one name.
fn fields_fault(fields: &[EventField]) -> Option<String> {
    if fields.len() > MOST_FIELDS {
        return Some(format!("an event has at most {MOST_FIELDS} fields"));
    }
    let mut names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(format!("duplicate field: `{}`", twice[0]))
}

/// The text as a piece; none if it is empty.
fn body(parts: &FrontmatterSplit<'_>, source: &Arc<Source>, text: &str) -> Vec<Piece> {
    let body = match &parts.block {
        Some(_) => parts.body.as_ref(),
        None => crate::template::trim(&parts.body),
    };
    if body.is_empty() {
        return Vec::new();
    }
    // A text whose line ends were changed has no exact place in its file.
    let exact = text.rfind(body).map(|at| at..at + body.len());
    let lossy = exact.is_none();
    let span = exact.unwrap_or(0..text.len());
    vec![Piece { text: body.to_owned(), origin: Origin::Source { source: source.clone(), span, lossy } }]
}
