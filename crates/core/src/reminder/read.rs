//! Reading the file of a reminder: `---`, `description` and `fields`, `---`, the text.

use super::{EventField, Reminder, types::EVENT};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    lint::forged::{TAGS, scan_tags},
    origin::{Origin, Piece, Source},
    section::SectionId,
    settings::shown,
    skill::{
        YamlFields,
        frontmatter::{self, FrontmatterSplit, split},
    },
    suggestion::{did_you_mean, quoted},
    template::{Template, TemplateOptions},
};
use serde_json::Value;
use std::sync::Arc;

/// The keys of the frontmatter.
const KEYS: [&str; 2] = ["description", "fields"];
/// The most fields of one event.
const MOST_FIELDS: usize = 64;

/// The file of a reminder. Not checked yet: whether it is complete without a file below, and whether its text names fields of
/// the event; [`into_reminder`](RawReminder::into_reminder) and [`into_override`](RawReminder::into_override) do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawReminder {
    id: SectionId,
    source: Arc<Source>,
    description: Option<String>,
    fields: Option<Vec<EventField>>,
    body: Vec<Piece>,
}

impl RawReminder {
    /// Reads a file. Its id is the file's name.
    ///
    /// # Errors
    /// Invalid frontmatter, and a text that contains the engine's own tags.
    pub fn read(id: &str, source: &Arc<Source>, text: &str) -> Result<Self, Box<Diagnostic>> {
        let refused = |line: Option<usize>, what: String| {
            let mut place = Place::file(Some(source.scope), source.path.clone());
            place.line = line;
            Box::new(Diagnostic::warning(DiagnosticCode::ReminderInvalid, what).at(place))
        };
        let parts = split(text);
        let block = parts.block.as_deref().unwrap_or_default();
        let header = frontmatter::read_lenient(block, |key| KEYS.contains(&key)).map_err(|error| {
            let line = error.line.map(|line| line + parts.line - 1);
            refused(line, format!("the frontmatter is no YAML: {}", shown(&error.message)))
                .help("mend the lines between the two `---`")
        });
        let (header, _) = header.map_err(Box::new)?;
        let (description, fields) = known(&header).map_err(|what| refused(None, what))?;
        let body = body(&parts, source, text);
        if let Some(found) = body.first().and_then(|piece| scan_tags(&piece.text, TAGS).into_iter().next()) {
            let what = format!("the text holds the tag `{}`, which is preface's to write", found.imitates);
            return Err(Box::new(refused(None, what).help("leave it out: the tag is put around the text")));
        }
        Ok(RawReminder { id: SectionId::new(id), source: source.clone(), description, fields, body })
    }

    /// Makes a reminder of it that replaces none.
    ///
    /// # Errors
    /// There is no description, or the text names a field that the event does not have.
    pub fn into_reminder(self) -> Result<Reminder, Box<Diagnostic>> {
        let Some(description) = self.description.clone() else {
            let what = format!("`{}` has no `description`", self.id);
            let help = "describe the event in one sentence of the frontmatter";
            return Err(Box::new(self.invalid_diagnostic(what).help(help)));
        };
        let fields = self.fields.clone().unwrap_or_default();
        self.reminder(description, fields)
    }

    /// Makes a reminder of it that takes the place of another. The fields of the event stay those of `other`: they are what
    /// programs send.
    ///
    /// # Errors
    /// The text names a field that the event does not have, or the file lists other fields.
    pub fn into_override(self, other: &Reminder) -> Result<Reminder, Box<Diagnostic>> {
        if self.fields.as_ref().is_some_and(|fields| *fields != other.fields) {
            let what = format!("`{}` has other fields than its event", self.id);
            let help = if other.fields.is_empty() {
                "leave `fields` out: the event has none".to_owned()
            } else {
                format!("remove `fields`, or write {}", quoted(&other.fields))
            };
            return Err(Box::new(self.invalid_diagnostic(what).help(help)));
        }
        let description = self.description.clone().unwrap_or_else(|| other.description.clone());
        self.reminder(description, other.fields.clone())
    }

    fn reminder(self, description: String, fields: Vec<EventField>) -> Result<Reminder, Box<Diagnostic>> {
        let text = self.body.first().map_or("", |piece| &piece.text);
        let template = Template::parse(text, &TemplateOptions::default())
            .map_err(|error| Box::new(self.invalid_diagnostic(error.to_string())))?;
        for token in template.tokens() {
            let Some(key) = token.key.filter(|key| token.stray.is_none() && key.kind() == EVENT) else {
                continue;
            };
            if !fields.iter().any(|field| field.name == key.name()) {
                let what =
                    format!("`{}` names `{}`, which its event does not have", self.id, shown(key.as_str()));
                let near = did_you_mean(key.name(), fields.iter().map(|field| field.name.as_str()));
                let diagnostic = self.invalid_diagnostic(what);
                return Err(Box::new(match near {
                    Some(near) => diagnostic.help(format!("did you mean `event:{near}`?")),
                    None => diagnostic,
                }));
            }
        }
        drop(template);
        Ok(Reminder { id: self.id, description, fields, body: self.body, source: self.source })
    }

    fn invalid_diagnostic(&self, what: String) -> Diagnostic {
        let place = Place::file(Some(self.source.scope), self.source.path.clone());
        Diagnostic::warning(DiagnosticCode::ReminderInvalid, what).at(place)
    }
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

/// The description and the fields in the frontmatter.
type ReminderFrontmatter = (Option<String>, Option<Vec<EventField>>);

fn known(header: &YamlFields) -> Result<ReminderFrontmatter, String> {
    if let Some(key) = header.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let near =
            did_you_mean(key, KEYS).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        return Err(format!("unknown key in the frontmatter: `{}`{near}", shown(key)));
    }
    let description = match header.get("description") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(_) => return Err("`description` must be a text".to_owned()),
    };
    let fields = match header.get("fields") {
        None | Some(Value::Null) => None,
        Some(Value::Array(list)) => Some(fields(list)?),
        Some(_) => return Err("`fields` must be a list, such as `- path text`".to_owned()),
    };
    Ok((description, fields))
}

fn fields(list: &[Value]) -> Result<Vec<EventField>, String> {
    if list.len() > MOST_FIELDS {
        return Err(format!("an event has at most {MOST_FIELDS} fields"));
    }
    let mut fields: Vec<EventField> = Vec::with_capacity(list.len());
    for one in list {
        let Value::String(text) = one else {
            return Err("a field is a text, such as `path text`".to_owned());
        };
        let field: EventField = text.parse()?;
        if fields.iter().any(|known| known.name == field.name) {
            return Err(format!("duplicate field: `{}`", field.name));
        }
        fields.push(field);
    }
    Ok(fields)
}
