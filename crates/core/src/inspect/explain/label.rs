//! The short name of an origin on a screen.

use crate::{
    lint::hidden::escape_hidden,
    origin::{Origin, Source},
};
use memchr::memchr_iter;
use std::{collections::BTreeMap, fmt, sync::Arc};

/// The names of origins: `AGENTS.md:3`, `pi.toml section.tools.before`, `[git:branch]`, `--append`,
/// `hook audit (before_agent_start)`.
///
/// A span knows bytes, not lines. Where the caller lends a file as it is on disk, its label has a line; where not, only
/// the start of a file is known to be line 1 and other places are `AGENTS.md@120`. Hidden characters are shown escaped.
///
/// ```
/// use preface_core::{explain::Labels, origin::{Origin, Source}, scope::Scope};
/// use std::sync::Arc;
/// let source = Arc::new(Source { scope: Scope::Project, path: "AGENTS.md".into() });
/// let origin = Origin::Source { source, span: 4..7, lossy: false };
/// assert_eq!(Labels::new().label(&origin), "AGENTS.md@4");
/// let mut labels = Labels::with_files(|source: &Source| (source.path == "AGENTS.md").then_some("one\ntwo\n"));
/// assert_eq!(labels.label(&origin), "AGENTS.md:2");
/// ```
#[derive(Default)]
pub struct Labels<'f> {
    /// Returns the byte offsets of a file's line ends.
    files: Option<Box<LineEnds<'f>>>,
    known: BTreeMap<Arc<Source>, Option<Vec<usize>>>,
}

type LineEnds<'f> = dyn Fn(&Source) -> Option<Vec<usize>> + 'f;

impl fmt::Debug for Labels<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Labels").field("known", &self.known).finish_non_exhaustive()
    }
}

impl<'f> Labels<'f> {
    /// Names origins without their files.
    #[must_use]
    pub fn new() -> Self {
        Labels::default()
    }

    /// Names origins with line numbers. `files` is called once per file and returns its text or bytes, or `None` where
    /// they are not available.
    #[must_use]
    pub fn with_files<T: AsRef<[u8]>>(files: impl Fn(&Source) -> Option<T> + 'f) -> Self {
        let ends = move |source: &Source| {
            files(source).map(|bytes| memchr_iter(b'\n', bytes.as_ref()).collect::<Vec<usize>>())
        };
        Labels { files: Some(Box::new(ends)), known: BTreeMap::new() }
    }

    /// Names an origin by the place where it starts.
    pub fn label(&mut self, origin: &Origin) -> String {
        let label = match origin {
            Origin::Source { source, span, .. } => match self.line(source, span.start) {
                Some(line) => format!("{}:{line}", source.path),
                None => format!("{}@{}", source.path, span.start),
            },
            other => other.to_string(),
        };
        escape_hidden(&label).into_owned()
    }

    fn line(&mut self, source: &Arc<Source>, offset: usize) -> Option<usize> {
        if offset == 0 {
            return Some(1);
        }
        let files = self.files.as_ref()?;
        if !self.known.contains_key(source) {
            self.known.insert(source.clone(), files(source));
        }
        let ends = self.known.get(source)?.as_ref()?;
        Some(ends.partition_point(|end| *end < offset) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bad, caller, file, hook, literal, variable};
    use std::cell::Cell;

    #[test]
    fn each_kind_has_its_form() {
        let mut labels = Labels::new();
        for (origin, label) in [
            (file("AGENTS.md", 0..4), "AGENTS.md:1"),
            (bad("AGENTS.md", 7..8), "AGENTS.md@7"),
            (literal("section.a.before"), "test.toml section.a.before"),
            (Origin::bundled("cut.marker"), "bundled cut.marker"),
            (variable("git:branch"), "[git:branch]"),
            (caller("--append"), "--append"),
            (hook("audit"), "hook audit (before_agent_start)"),
            (hook("au\u{202e}dit"), "hook au\\u{202e}dit (before_agent_start)"),
            (file("a\u{202e}dm.exe", 0..4), "a\\u{202e}dm.exe:1"),
        ] {
            assert_eq!(labels.label(&origin), label);
        }
    }

    #[test]
    fn a_line_end_belongs_to_its_line() {
        let mut labels = Labels::with_files(|_: &Source| Some("a\n\nb"));
        let lines = [0, 1, 2, 3, 4, 99].map(|at| labels.label(&file("x", at..at + 1)));
        assert_eq!(lines, ["x:1", "x:1", "x:2", "x:3", "x:3", "x:3"]);
    }

    #[test]
    fn offsets_count_the_bytes_on_disk() {
        let mut labels = Labels::with_files(|_: &Source| Some(b"\xff\xff\n\xff\n".to_vec()));
        assert_eq!(labels.label(&bad("x", 3..4)), "x:2");
    }

    #[test]
    fn a_file_is_read_once_even_if_it_is_missing() {
        let reads = Cell::new(0);
        let mut labels = Labels::with_files(|_: &Source| {
            reads.set(reads.get() + 1);
            None::<String>
        });
        assert_eq!([3, 4].map(|at| labels.label(&file("x", at..9))), ["x@3", "x@4"]);
        assert_eq!(reads.get(), 1);
    }
}
