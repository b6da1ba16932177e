//! One file: through the gate, split, parsed and checked.

use super::{
    SKILL_LIMIT, directory_name,
    entry::{LoadedSkill, SkillEntry, SkillFile},
    options::SkillOptions,
    walk::WalkRoot,
};
use crate::{
    markdown::{NO_YAML_HELP, read_by_line, read_file, shown},
    provider::context::{ProviderContext, ReadRequest},
    system::ReadScope,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    extension::{Entry, EntryOrigin, Status},
    profile::ByteOrderMark,
    scope::Scope,
    skill::{
        SKILL_FILE, YamlError,
        check::{check, hides_in_vain},
        frontmatter::{self, FrontmatterSplit, split},
    },
    trust::TrustKind,
};
use std::{borrow::Cow, path::Path};

/// Returns the request for a skill's file.
pub(super) fn request<'a>(
    scope: Scope,
    path: &'a Path,
    within: Option<&'a Path>,
    context: &ProviderContext<'_>,
) -> ReadRequest<'a> {
    let within = within.map_or(ReadScope::Anywhere, ReadScope::Root);
    let kind = match &context.places.project {
        Some(root) if !path.starts_with(root) => TrustKind::TreeText,
        _ => TrustKind::LayerText,
    };
    ReadRequest {
        scope,
        within,
        kind,
        code: Some(DiagnosticCode::SkillInvalid),
        ..ReadRequest::global(path, SKILL_LIMIT)
    }
}

/// Returns an entry for a file that was not read.
pub(super) fn unread(start: &WalkRoot, path: &Path, context: &ProviderContext<'_>) -> SkillEntry {
    let origin =
        EntryOrigin { scope: start.scope, path: context.places.source(start.scope, path).path.clone() };
    let declared = path.file_name().is_some_and(|name| name == SKILL_FILE);
    let name = match declared {
        true => directory_name(path),
        false => path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
    };
    let location = path.display().to_string();
    let value = SkillFile { location, ..SkillFile::default() };
    Entry { status: Status::Disabled, ..Entry::new(value, name, origin) }
}

/// Reads a file. Returns `None` if it is no skill and is not declared as one.
pub(super) fn read(
    start: &WalkRoot,
    path: &Path,
    options: &SkillOptions,
    context: &ProviderContext<'_>,
) -> Option<SkillEntry> {
    let mut entry = unread(start, path, context);
    let wanted = request(start.scope, path, start.within.as_deref(), context);
    let file = match read_file(&mut entry, &wanted, context) {
        Ok(file) => file,
        Err(bytes) => {
            entry.value.bytes = bytes;
            // Without a diagnostic it went away between the list and the reading.
            return (!entry.diagnostics.is_empty()).then_some(entry);
        }
    };
    entry.value.bytes = u64::try_from(file.bytes.len()).ok();
    let whole = String::from_utf8_lossy(&file.bytes);
    let is_utf8 = matches!(whole, Cow::Borrowed(_));
    let text: &str = &whole;
    let keeps_mark = options.strict && context.bom == ByteOrderMark::Keep;
    let parts = match text.starts_with('\u{feff}') && keeps_mark {
        true => FrontmatterSplit { body: text.into(), ..split("") },
        false => split(text),
    };
    let declared = !options.skip_loose || path.file_name().is_some_and(|name| name == SKILL_FILE);
    let place = |line: Option<usize>| {
        let mut place = Place::file(Some(start.scope), entry.origin.path.clone());
        place.line = line;
        place
    };
    let block = parts.block.as_deref().unwrap_or_default();
    let line = |error: &YamlError| error.line.map(|line| line + parts.line - 1);
    let is_key = |key: &str| !options.strict && KEYS.contains(&key);
    let fields = match frontmatter::read_lenient(block, is_key) {
        Ok((fields, None)) => fields,
        Ok((fields, Some(error))) => {
            let line = line(&error).unwrap_or(parts.line);
            entry.diagnostics.push(read_by_line(start.scope, &entry.origin.path, line));
            fields
        }
        Err(error) => {
            let what = format!("the frontmatter is no YAML: {}", shown(&error.message));
            let diagnostic = Diagnostic::warning(DiagnosticCode::SkillInvalid, what).at(place(line(&error)));
            return refuse(entry, diagnostic.help(NO_YAML_HELP), declared, context);
        }
    };
    let directory_name = directory_name(path);
    let checked = check(&fields, &directory_name, &options.rules);
    if checked.no_description && !declared {
        let diagnostic =
            Diagnostic::warning(DiagnosticCode::SkillInvalid, "description is required").at(place(None));
        return refuse(entry, diagnostic, declared, context);
    }
    let head = if parts.block.is_none() { no_head(text) } else { None };
    for problem in &checked.problems {
        let diagnostic = Diagnostic::warning(DiagnosticCode::SkillInvalid, shown(problem)).at(place(None));
        entry.diagnostics.push(match head {
            Some(head) => diagnostic.help(head),
            None => diagnostic,
        });
    }
    if let Some(what) = hides_in_vain(&fields) {
        entry
            .diagnostics
            .push(Diagnostic::warning(DiagnosticCode::MarkdownField, shown(&what)).at(place(None)));
    }
    context.diagnostics.borrow_mut().extend(entry.diagnostics.iter().cloned());
    let Some(metadata) = checked.metadata else {
        return Some(entry);
    };
    let block = parts.span;
    // Words that are in the file as they are have an exact place there.
    let exact = match is_utf8 {
        true => text.get(block.clone()).and_then(|block| block.find(&metadata.description)),
        false => None,
    };
    let span = match exact {
        Some(at) => block.start + at..block.start + at + metadata.description.len(),
        None if is_utf8 => block,
        None => 0..file.bytes.len(),
    };
    entry.status = Status::Ok;
    entry.name = metadata.name;
    entry.value.description = Some(metadata.description);
    entry.value.hidden = metadata.hidden;
    entry.value.loaded = Some(LoadedSkill {
        path: path.to_owned(),
        within: start.within.clone(),
        source: context.places.source(start.scope, path),
        span,
        exact: exact.is_some(),
        fields,
    });
    Some(entry)
}

/// The keys of a head whose values may be written without quotes.
const KEYS: [&str; 7] = [
    "allowed-tools",
    "argument-hint",
    "compatibility",
    "description",
    "license",
    "name",
    "disable-model-invocation",
];

/// Returns the reason why a text that seems to have frontmatter has none.
fn no_head(text: &str) -> Option<&'static str> {
    let fence = "---";
    if text.starts_with(fence) {
        return Some("the frontmatter has no second line of `---`");
    }
    let found = text.trim_start_matches('\u{feff}');
    if found.trim_start().starts_with(fence) {
        return Some(match text.len() - found.len() {
            0 => "the frontmatter begins with the first byte of the file: remove what is blank before `---`",
            _ => {
                "the frontmatter begins with the first byte of the file: remove the byte order mark before `---`"
            }
        });
    }
    None
}

/// Returns the entry of a file that is no skill. The diagnostic is a warning only if the file is declared as
/// a skill.
fn refuse(
    mut entry: SkillEntry,
    mut diagnostic: Diagnostic,
    declared: bool,
    context: &ProviderContext<'_>,
) -> Option<SkillEntry> {
    if !declared {
        diagnostic.severity = preface_core::diagnostic::Severity::Info;
        context.note(diagnostic);
        return None;
    }
    context.note(diagnostic.clone());
    entry.diagnostics.push(diagnostic);
    Some(entry)
}
