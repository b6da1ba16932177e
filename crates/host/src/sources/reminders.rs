//! The reminders of a profile: those of its bundle, and the user's own, which replace or add. A project has none: a
//! reminder is in the user's message, in the engine's name.

use crate::{
    places::Places,
    system::{FileKind, ReadError, ReadScope, System},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Severity},
    origin::Source,
    reminder::{Reminder, ReminderCatalog},
    scope::Scope,
    section::SectionId,
};
use std::{path::Path, sync::Arc};

/// The most entries of the user's directory.
const REMINDERS: usize = 1_000;
/// The most that is read of one reminder.
const REMINDER_LIMIT: u64 = 64 << 10;

/// Reads the reminders of a bundle (a directory below `bundles/` of the bundled layer), where the profile has one, and those
/// in `reminders` of the global directory.
#[must_use]
pub fn catalogue(
    system: &dyn System,
    bundle: Option<&str>,
    places: &Places,
    diagnostics: &mut Diagnostics,
) -> ReminderCatalog {
    let mut catalogue = ReminderCatalog::default();
    if let Some(bundle) = bundle {
        of_bundle(system, &format!("bundles/{bundle}/reminders/"), &mut catalogue, diagnostics);
    }
    if let Some(global) = &places.global {
        of_user(system, &global.join("reminders"), places, &mut catalogue, diagnostics);
    }
    catalogue
}

fn of_bundle(
    system: &dyn System,
    prefix: &str,
    catalogue: &mut ReminderCatalog,
    diagnostics: &mut Diagnostics,
) {
    for path in system.bundled_list(prefix) {
        let Some(id) = path.strip_prefix(prefix).and_then(|name| name.strip_suffix(".md")) else { continue };
        let Some(bytes) = system.bundled(&path) else { continue };
        let source = Arc::new(Source { scope: Scope::Bundled, path: format!("bundled/{path}") });
        match read(id, &source, &bytes, None) {
            Ok(reminder) => catalogue.put(reminder),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
}

fn of_user(
    system: &dyn System,
    dir: &Path,
    places: &Places,
    catalogue: &mut ReminderCatalog,
    diagnostics: &mut Diagnostics,
) {
    let left_out = |path: &Path, why: &dyn std::fmt::Display| {
        let shown = places.source(Scope::Global, path).path.clone();
        Diagnostic::left_out(Severity::Warning, DiagnosticCode::ReminderInvalid, &shown, why)
            .at(Place::file(Some(Scope::Global), shown))
    };
    let entries = match system.list(dir, REMINDERS) {
        Ok(entries) => entries,
        Err(ReadError::Missing) => return,
        Err(error) => return diagnostics.push(left_out(dir, &error)),
    };
    for entry in entries {
        let path = dir.join(&entry.name);
        let Some(id) = entry.name.to_str().and_then(|name| name.strip_suffix(".md")) else { continue };
        if entry.kind == FileKind::Dir {
            continue;
        }
        if !SectionId::is_valid(id) {
            diagnostics
                .push(left_out(&path, &"its name is no id").help("use letters, digits, `-`, `_` and `.`"));
            continue;
        }
        let file = match system.read(&path, ReadScope::Anywhere, REMINDER_LIMIT) {
            Ok(file) => file,
            Err(ReadError::Missing) => continue,
            Err(error) => {
                diagnostics.push(left_out(&path, &error));
                continue;
            }
        };
        // One of the user's takes the place of one that there is, or is one more.
        match read(id, &places.source(Scope::Global, &path), &file.bytes, catalogue.get(id)) {
            Ok(reminder) => catalogue.put(reminder),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
}

fn read(
    id: &str,
    source: &Arc<Source>,
    bytes: &[u8],
    other: Option<&Reminder>,
) -> Result<Reminder, Box<Diagnostic>> {
    let text = std::str::from_utf8(bytes).map_err(|_| {
        let why = "it is not UTF-8";
        Diagnostic::left_out(Severity::Warning, DiagnosticCode::ReminderInvalid, &source.path, why)
            .at(Place::file(Some(source.scope), source.path.clone()))
            .help("save the file as UTF-8")
    })?;
    Reminder::read(id, source, text, other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::testing::MemorySystem;
    use preface_core::{profile::ProfileDirs, reminder::Event};
    use serde_json::json;

    const BUNDLE: &str = "bundles/own/reminders/";

    fn machine() -> MemorySystem {
        let text =
            "---\ndescription: A file is empty.\nfields:\n  - path text\n---\n[event:path] is empty.\n";
        MemorySystem::new()
            .with_home("/home/user")
            .with_dir("/work")
            .with_bundled(format!("{BUNDLE}file-empty.md"), text.as_bytes())
            .with_bundled(format!("{BUNDLE}hurry.md"), b"---\ndescription: Time is short.\n---\nHurry.\n")
            .with_bundled("bundles/other/reminders/rest.md", b"---\ndescription: Night.\n---\nRest.\n")
    }

    fn find(system: &MemorySystem) -> (ReminderCatalog, Vec<String>) {
        let home = ProfileDirs {
            foreign_keys: Vec::new(),
            global: vec!["~/.x".to_owned()],
            project: Some(".x".to_owned()),
            flat_extensions: false,
            variable: None,
        };
        let mut diagnostics = Diagnostics::new();
        let places = Places::find(
            system,
            Path::new("/work"),
            &home,
            crate::places::HomeTrust::default(),
            &mut diagnostics,
        );
        let found = catalogue(system, Some("own"), &places, &mut diagnostics);
        (found, diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect())
    }

    fn listed(catalogue: &ReminderCatalog) -> Vec<String> {
        let row = |one: &Reminder| {
            let text = one.body.first().map_or("", |piece| &piece.text);
            format!("{} ({}): {text}", one.id, one.source.scope)
        };
        catalogue.iter().map(row).collect()
    }

    #[test]
    fn a_bundle_has_its_own_and_nobody_elses() {
        let (found, diagnostics) = find(&machine());
        assert_eq!(
            listed(&found),
            ["file-empty (bundled): [event:path] is empty.", "hurry (bundled): Hurry."]
        );
        assert_eq!(diagnostics, [""; 0]);
    }

    #[test]
    fn the_user_replaces_adds_and_switches_off_and_a_project_does_not() {
        let system = machine()
            .with_file("/home/user/.x/reminders/file-empty.md", "Look: [event:path]!\n")
            .with_file("/home/user/.x/reminders/hurry.md", "")
            .with_file("/home/user/.x/reminders/tea.md", "---\ndescription: It is five.\n---\nTea.")
            .with_file("/home/user/.x/reminders/notes.txt", "no reminder")
            .with_file("/work/.x/reminders/hurry.md", "Obey.");
        let (found, diagnostics) = find(&system);
        assert_eq!(
            listed(&found),
            ["file-empty (global): Look: [event:path]!", "hurry (global): ", "tea (global): Tea."]
        );
        assert!(found.get("hurry").unwrap().is_off());
        assert_eq!(found.get("hurry").unwrap().description, "Time is short.");
        assert_eq!(diagnostics, [""; 0]);
        let event = Event::read(&json!({"type": "file-empty", "path": "a"})).unwrap();
        assert!(found.check(&event).is_ok(), "the fields are those of the replaced one");
    }

    #[test]
    fn an_invalid_file_is_left_out_and_reported() {
        let cases: &[(&str, &[u8], &str)] = &[
            ("tea", b"Tea.", "`tea` has no `description`"),
            (
                "tea",
                b"---\ndescription: [1]\n---\nTea.",
                "the frontmatter is not valid: description: invalid type: sequence, expected a string",
            ),
            (
                "tea",
                b"---\ndescription: T.\nfield: a\n---\nTea.",
                "the frontmatter is not valid: field: unknown field `field`, expected `description` or `fields`",
            ),
            ("tea", b"---\ndescription: T.\nfields: [a text, a text]\n---\nTea.", "duplicate field: `a`"),
            (
                "tea",
                b"---\ndescription: T.\n---\n[event:cup]",
                "`tea` names `event:cup`, which its event does not have",
            ),
            (
                "tea",
                b"---\ndescription: T.\n---\n</System-Reminder>",
                "the text holds the tag `</system-reminder>`, which is preface's to write",
            ),
            ("tea", b"\xff", "~/.x/reminders/tea.md was left out: it is not UTF-8"),
            (
                "file-empty",
                b"---\nfields: [name text]\n---\n[event:name]",
                "`file-empty` has other fields than its event",
            ),
            ("file-empty", b"[event:paht]", "`file-empty` names `event:paht`, which its event does not have"),
        ];
        for (id, bytes, expected) in cases {
            let system = machine().with_file(format!("/home/user/.x/reminders/{id}.md"), bytes);
            let (found, diagnostics) = find(&system);
            assert_eq!(diagnostics, [*expected]);
            assert_eq!(found.iter().count(), 2, "{expected}: the bundled ones stay");
        }
    }
}
