//! The audit log: `audit.jsonl`, one JSON object per line.
//!
//! A record is scrubbed before it is written, and prompt text never gets here. Writers take a lock, so that lines stay
//! whole and exactly one of them puts a full file aside.

use crate::{
    places::beside,
    system::{FileKind, ReadScope, Stat, System, WriteError, make_dirs_within},
};
use jiff::Timestamp;
use preface_core::audit::{AuditEvent, scrub::scrub};
use preface_core::diagnostic::DiagnosticCode;
use serde_json::{Map, Value, json};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// A file of this size is put aside before the next line.
const FULL: u64 = 2 << 20;
/// The most rotated files that are kept.
const KEPT: usize = 10;
const FILE_MODE: u32 = 0o600;
const DIR_MODE: u32 = 0o700;
const LIST_LIMIT: usize = 100_000;

/// The audit log of this user.
///
/// ```
/// use preface_core::audit::AuditEvent;
/// use preface_host::{audit_file::AuditFile, system::{System, ReadScope, testing::MemorySystem}};
/// use std::path::Path;
///
/// let system = MemorySystem::new();
/// let path = Path::new("/home/user/.stud/audit.jsonl");
/// let event = AuditEvent::ProjectTrusted { canonical_path: "/work/.stud".into() };
/// AuditFile::at(&system, path).append(&[event], "turn-1", &[])?;
/// assert_eq!(
///     system.read(path, ReadScope::Anywhere, 1024).unwrap().into_bytes(),
///     b"{\"type\":\"ProjectTrusted\",\"at\":\"2026-01-02T03:04:05.000Z\",\"correlationId\":\"turn-1\",\
///       \"payload\":{\"canonicalPath\":\"/work/.stud\"}}\n"
/// );
/// # Ok::<(), preface_host::audit_file::AuditError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AuditFile<'a> {
    system: &'a dyn System,
    file: PathBuf,
    within: ReadScope<'a>,
}

/// The reason why nothing was written to the audit log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// The events have no id of a turn.
    #[error("an audit record needs the id of its turn")]
    WithoutCorrelation,
    /// The file cannot be locked, put aside or written.
    #[error("the audit log is not available: `{}`: {why}", path.to_string_lossy().escape_debug())]
    Unavailable {
        /// The file in question.
        path: PathBuf,
        /// The error.
        #[source]
        why: WriteError,
    },
}

impl AuditError {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> DiagnosticCode {
        match self {
            AuditError::WithoutCorrelation => DiagnosticCode::AuditWithoutCorrelation,
            AuditError::Unavailable { .. } => DiagnosticCode::AuditUnavailable,
        }
    }
}

impl<'a> AuditFile<'a> {
    /// Names the log. Nothing is looked at yet.
    #[must_use]
    pub fn at(system: &'a dyn System, file: &Path) -> Self {
        AuditFile { system, file: file.to_owned(), within: ReadScope::Anywhere }
    }

    /// Lets the log be below `root` only, reached without any link: for a log that a project names.
    #[must_use]
    pub fn below(self, root: &'a Path) -> Self {
        AuditFile { within: ReadScope::Root(root), ..self }
    }

    /// Checks that the log can be reached and is no directory or link, before a project may name it.
    ///
    /// # Errors
    /// See [`AuditError`].
    pub fn check(&self) -> Result<(), AuditError> {
        self.make_directory()?;
        match self.system.link_stat(&self.file) {
            Some(stat) if stat.kind != FileKind::File => {
                Err(unavailable(&self.file, WriteError::Other("it is no regular file".into())))
            }
            _ => Ok(()),
        }
    }

    fn make_directory(&self) -> Result<(), AuditError> {
        let Some(dir) = self.file.parent() else { return Err(unavailable(&self.file, WriteError::NoParent)) };
        make_dirs_within(self.system, dir, self.within, DIR_MODE).map_err(|why| unavailable(dir, why))
    }

    /// Adds a line for each event. `known` are secrets that must not appear in it.
    ///
    /// # Errors
    /// See [`AuditError`]. Then no line was added.
    pub fn append(&self, events: &[AuditEvent], correlation: &str, known: &[&str]) -> Result<(), AuditError> {
        if events.is_empty() {
            return Ok(());
        }
        if correlation.is_empty() {
            return Err(AuditError::WithoutCorrelation);
        }
        // A link of the user's own leads to the log, its lock and what was put aside.
        if let (ReadScope::Anywhere, Ok(real)) = (self.within, self.system.canonical(&self.file))
            && real != self.file
            && self.system.link_stat(&self.file).is_some_and(|stat| stat.kind == FileKind::Link)
        {
            return AuditFile { file: real, ..self.clone() }.append(events, correlation, known);
        }
        self.make_directory()?;
        let lock = beside(&self.file, ".lock");
        let _lock = self.system.lock(&lock).map_err(|why| unavailable(&lock, why))?;
        let now = self.system.now();
        let is_full = |stat: Stat| stat.kind == FileKind::File && stat.len >= FULL;
        if self.system.link_stat(&self.file).is_some_and(is_full) {
            self.put_aside(now)?;
        }
        let at = iso(now);
        let lines: String = events.iter().map(|event| line(event, &at, correlation, known)).collect();
        self.system
            .append(&self.file, lines.as_bytes(), FILE_MODE)
            .map_err(|why| unavailable(&self.file, why))
    }

    /// Gives the full file a name with the time, and removes the oldest ones.
    fn put_aside(&self, now: Timestamp) -> Result<(), AuditError> {
        let mut aside = self.put_aside_before();
        // Later than the last one, whatever the clock shows: names are in the order of their lines.
        let next =
            aside.last().and_then(|(last, _)| Timestamp::from_millisecond(last.as_millisecond() + 1).ok());
        let at = next.map_or(now, |next| next.max(now));
        let path = beside(&self.file, &format!(".{}", iso(at).replace([':', '.'], "-")));
        self.system.rename(&self.file, &path).map_err(|why| unavailable(&path, why))?;
        aside.push((at, path));
        for (_, path) in aside.iter().rev().skip(KEPT) {
            // One too many does no harm.
            let _ = self.system.remove(path);
        }
        Ok(())
    }

    /// Lists the files that were put aside, the oldest first.
    fn put_aside_before(&self) -> Vec<(Timestamp, PathBuf)> {
        let (Some(dir), Some(own)) = (self.file.parent(), self.file.file_name()) else { return Vec::new() };
        let own = format!("{}.", own.to_string_lossy());
        let entries = self.system.list(dir, LIST_LIMIT).unwrap_or_default();
        let instant = |name: &OsStr| instant_of(name.to_str()?.strip_prefix(&own)?);
        let mut ours: Vec<_> = entries
            .into_iter()
            .filter_map(|entry| Some((instant(&entry.name)?, dir.join(entry.name))))
            .collect();
        ours.sort();
        ours
    }
}

fn unavailable(path: &Path, why: WriteError) -> AuditError {
    AuditError::Unavailable { path: path.to_owned(), why }
}

fn line(event: &AuditEvent, at: &str, correlation: &str, known: &[&str]) -> String {
    let mut event = match serde_json::to_value(event) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    };
    let mut take = |key: &str| event.shift_remove(key).unwrap_or_default();
    let record =
        json!({"type": take("type"), "at": at, "correlationId": correlation, "payload": take("payload")});
    format!("{}\n", scrub(&record, known))
}

/// Returns an instant as JavaScript prints it, to the millisecond.
fn iso(at: Timestamp) -> String {
    format!("{:.3}", Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at))
}

/// Reads an instant from the name of a file that was put aside.
fn instant_of(text: &str) -> Option<Timestamp> {
    const FORM: &str = "0000-00-00T00-00-00-000Z";
    let fits = |(byte, form): (u8, u8)| if form == b'0' { byte.is_ascii_digit() } else { byte == form };
    if text.len() != FORM.len() || !text.bytes().zip(FORM.bytes()).all(fits) {
        return None;
    }
    let (date, time) = text.split_once('T')?;
    format!("{date}T{}", time.replacen('-', ":", 2).replacen('-', ".", 1)).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{ReadScope, os::OsSystem, testing::MemorySystem};
    use std::{thread, time::Duration};

    const FILE: &str = "/home/user/.stud/audit.jsonl";

    fn event(path: &str) -> AuditEvent {
        AuditEvent::ProjectTrusted { canonical_path: path.into() }
    }

    fn text(system: &dyn System, path: &Path) -> String {
        let read = system.read(path, ReadScope::Anywhere, u64::MAX).expect("a file");
        String::from_utf8(read.into_bytes()).expect("UTF-8")
    }

    fn names(system: &dyn System) -> Vec<String> {
        let entries = system.list(Path::new("/home/user/.stud"), 99).expect("a directory");
        entries.into_iter().map(|entry| entry.name.into_string().expect("UTF-8")).collect()
    }

    #[test]
    fn every_event_is_a_line_without_secrets() {
        let system = MemorySystem::new();
        let log = AuditFile::at(&system, Path::new(FILE));
        let token = format!("ghp_{}", "a".repeat(36));
        log.append(&[event(&token), event("a\nb hunter2")], "turn-1", &["hunter2"]).expect("written");
        log.append(&[event("c")], "turn-2", &[]).expect("written");
        log.append(&[], "", &[]).expect("nothing to write");
        let head = r#"{"type":"ProjectTrusted","at":"2026-01-02T03:04:05.000Z","correlationId":"#;
        let expected = [
            format!(r#"{head}"turn-1","payload":{{"canonicalPath":"[REDACTED]"}}}}"#),
            format!(r#"{head}"turn-1","payload":{{"canonicalPath":"a\nb [REDACTED]"}}}}"#),
            format!(r#"{head}"turn-2","payload":{{"canonicalPath":"c"}}}}"#),
        ];
        assert_eq!(text(&system, Path::new(FILE)), expected.map(|line| line + "\n").concat());
        let mode = |path: &str| system.stat(Path::new(path)).and_then(|stat| stat.mode);
        assert_eq!((mode(FILE), mode("/home/user/.stud")), (Some(0o600), Some(0o700)));
    }

    #[test]
    fn without_a_turn_nothing_is_written() {
        let system = MemorySystem::new();
        let error =
            AuditFile::at(&system, Path::new(FILE)).append(&[event("a")], "", &[]).expect_err("no turn");
        assert_eq!(error.code().as_str(), "audit/no-correlation");
        assert_eq!(system.stat(Path::new(FILE)), None);
    }

    #[test]
    fn a_full_file_is_put_aside_and_ten_are_kept() {
        let system =
            MemorySystem::new().with_file(FILE, vec![b'x'; FULL as usize - 1]).with_mode(FILE, 0o644);
        for other in [
            "audit.jsonl.2026-99-99T00-00-00-000Z",
            "audit.jsonl.2020-01-01",
            "audit.json.2020-01-01T00-00-00-000Z",
        ] {
            system.put_file(format!("/home/user/.stud/{other}"), "mine");
        }
        let log = AuditFile::at(&system, Path::new(FILE));
        log.append(&[event("a")], "t", &[]).expect("written");
        assert_eq!(names(&system).len(), 5, "one byte is left");
        system.set_now("2026-01-02T03:04:05.000Z".parse().expect("an instant"));
        assert_eq!(system.stat(Path::new(FILE)).and_then(|stat| stat.mode), Some(0o600), "corrected");
        for round in 0..12 {
            system.put_file(FILE, vec![b'x'; FULL as usize]);
            log.append(&[event("b")], "t", &[]).expect("written");
            assert_eq!(text(&system, Path::new(FILE)).lines().count(), 1, "round {round}");
        }
        let expected: Vec<_> =
            (2..12).map(|ms| format!("audit.jsonl.2026-01-02T03-04-05-{ms:03}Z")).collect();
        let found = names(&system);
        let attachment: Vec<_> = found.iter().filter(|name| name.contains("2026-01")).cloned().collect();
        assert_eq!(attachment, expected, "the clock stood still");
        assert_eq!(found.len(), 10 + 5, "what is not ours stays: {found:?}");
    }

    #[test]
    fn a_link_of_the_users_own_leads_to_the_log() {
        let system = MemorySystem::new().with_file("/logs/f", "").with_link(FILE, "/logs/f");
        AuditFile::at(&system, Path::new(FILE)).append(&[event("a")], "t", &[]).expect("written");
        assert_eq!(text(&system, Path::new("/logs/f")).lines().count(), 1);
        assert_eq!(names(&system), ["audit.jsonl"], "the lock lies beside the log");
    }

    #[test]
    fn a_log_below_a_root_is_reached_without_a_link() {
        let root = Path::new("/work");
        let append = |system: &MemorySystem, file: &str| {
            AuditFile::at(system, Path::new(file)).below(root).append(&[event("a")], "t", &[])
        };
        let plain = MemorySystem::new().with_dir("/work");
        append(&plain, "/work/.preface/logs/profile").expect("written");
        assert!(plain.stat(Path::new("/work/.preface/logs/profile")).is_some());
        for (link, target, file) in [
            ("/work/.preface/logs", "/home/user", "/work/.preface/logs/profile"),
            ("/work/.preface", "/home/user", "/work/.preface/profile"),
            ("/work/.preface/d", "../../home", "/work/.preface/d/user/profile"),
            ("/work/.preface/logs/profile", "/home/user/profile", "/work/.preface/logs/profile"),
            ("/work/.preface/logs/profile.lock", "/home/user/new", "/work/.preface/logs/profile"),
        ] {
            let system = MemorySystem::new()
                .with_file("/home/user/profile", "mine")
                .with_mode("/home/user/profile", 0o644)
                .with_link(link, target);
            assert!(append(&system, file).is_err(), "{link}");
            assert_eq!(text(&system, Path::new("/home/user/profile")), "mine", "{link}");
            let stat = system.stat(Path::new("/home/user/profile")).expect("it is there");
            assert_eq!(stat.mode, Some(0o644), "{link}");
            assert_eq!(system.list(Path::new("/home/user"), 9).expect("a directory").len(), 1, "{link}");
        }
    }

    #[test]
    fn many_writers_write_whole_lines() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().canonicalize().expect("it is there").join("audit.jsonl");
        let long = "y".repeat(40_000);
        thread::scope(|scope| {
            for writer in 0..8 {
                let (file, long) = (&file, &long);
                scope.spawn(move || {
                    let system = OsSystem::new(&[]).with_lock_wait(Duration::from_secs(60));
                    let log = AuditFile::at(&system, file);
                    for number in 0..20 {
                        let events = [event(&format!("{writer}-{number}")), event(long)];
                        log.append(&events, "t", &[]).expect("written");
                    }
                });
            }
        });
        let system = OsSystem::new(&[]);
        let (mut short, mut files) = (0, 0);
        for entry in system.list(file.parent().expect("a parent"), 99).expect("a directory") {
            if entry.name.to_string_lossy().ends_with(".lock") {
                continue;
            }
            files += 1;
            for line in text(&system, &file.with_file_name(entry.name)).lines() {
                let record: Value = serde_json::from_str(line).expect("a whole line");
                let path = record["payload"]["canonicalPath"].as_str().expect("a text");
                short += usize::from(path != long);
            }
        }
        assert_eq!((short, files), (160, 4), "6.4 MB in files of 2 MiB, and none is lost");
    }
}
