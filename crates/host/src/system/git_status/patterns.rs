//! A limit on the work that ignore patterns and attributes can cause in the library.
//!
//! The library tries each pattern on each path, and a pattern of a few bytes can take seconds for one path: nothing could
//! interrupt it. So the patterns are weighed before it gets them, against the paths that it will try.

use crate::{
    provider::git::{shown_path, unreadable},
    system::{FileKind, GitError, ReadError, ReadScope, System as _, os::OsSystem},
};
use gix::bstr::{BStr, BString, ByteSlice as _};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

/// The largest file of ignore patterns or attributes, in bytes.
pub(super) const PATTERNS_LIMIT: u64 = 1024 * 1024;
/// The most bytes of all files of ignore patterns and attributes together.
const TOTAL_LIMIT: u64 = 16 * 1024 * 1024;
/// The most steps of the patterns for all paths; a step is about a nanosecond.
const STEPS_LIMIT: u64 = 2_000_000_000;

/// The file in which a directory has its patterns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternKind {
    Ignore,
    Attributes,
}

impl PatternKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            PatternKind::Ignore => ".gitignore",
            PatternKind::Attributes => ".gitattributes",
        }
    }
}

/// The weight of all patterns of a repository.
#[derive(Debug, Default)]
pub(super) struct Weights {
    /// By directory, those that have any.
    ignore: BTreeMap<BString, Weight>,
    attributes: BTreeMap<BString, Weight>,
    bytes: u64,
    steps: AtomicU64,
}

/// The steps of a list of patterns for one path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Weight {
    /// For any path.
    fixed: u64,
    /// For each byte of the path, in halves.
    by_byte: u64,
}

impl Weights {
    /// Reads a file of patterns that are tried on paths below `dir`. A link is not followed.
    pub(super) fn file(&mut self, kind: PatternKind, dir: &BStr, path: &Path) -> Result<(), GitError> {
        let system = OsSystem::new(&[]);
        if system.link_stat(path).is_none_or(|stat| matches!(stat.kind, FileKind::Link | FileKind::Dir)) {
            return Ok(());
        }
        let within = path.parent().map_or(ReadScope::Anywhere, ReadScope::Root);
        match system.read(path, within, PATTERNS_LIMIT) {
            Ok(file) => self.text(kind, dir, &file.bytes),
            Err(ReadError::Missing) => Ok(()),
            Err(error @ ReadError::TooLarge { .. }) => {
                Err(GitError::Unsupported(format!("`{}`: {error}", shown_path(path))))
            }
            Err(error) => Err(unreadable(path, error)),
        }
    }

    /// Adds patterns that are tried on paths below `dir`.
    pub(super) fn text(&mut self, kind: PatternKind, dir: &BStr, text: &[u8]) -> Result<(), GitError> {
        self.bytes += text.len() as u64;
        if self.bytes > TOTAL_LIMIT {
            let what = format!("more than {TOTAL_LIMIT} bytes of ignore patterns and attributes");
            return Err(GitError::Unsupported(what));
        }
        let weight = Weight::of(kind, text);
        if weight != Weight::default() {
            self.of(kind).entry(dir.to_owned()).or_default().add(weight);
        }
        Ok(())
    }

    fn of(&mut self, kind: PatternKind) -> &mut BTreeMap<BString, Weight> {
        match kind {
            PatternKind::Ignore => &mut self.ignore,
            PatternKind::Attributes => &mut self.attributes,
        }
    }

    /// Counts the steps of trying the patterns on a path some times.
    ///
    /// # Errors
    /// All together are too many.
    pub(super) fn take(&self, kind: PatternKind, path: &BStr, times: u64) -> Result<(), GitError> {
        let by_dir = match kind {
            PatternKind::Ignore => &self.ignore,
            PatternKind::Attributes => &self.attributes,
        };
        if by_dir.is_empty() {
            return Ok(());
        }
        let mut weight = Weight::default();
        for dir in path.find_iter(b"/").map(|end| path[..end].as_bstr()).chain(["".into()]) {
            by_dir.get(dir).into_iter().for_each(|found| weight.add(*found));
        }
        let steps = weight.by_byte.saturating_mul(path.len() as u64) / 2;
        let steps = steps.saturating_add(weight.fixed).saturating_mul(times).min(STEPS_LIMIT + 1);
        // No sum of two overflows, and what is over the limit stays there.
        let before = self.steps.fetch_add(steps, Ordering::Relaxed);
        if before.saturating_add(steps) > STEPS_LIMIT {
            self.steps.store(STEPS_LIMIT + 1, Ordering::Relaxed);
            let (name, millions) = (kind.name(), STEPS_LIMIT / 1_000_000);
            let what =
                format!("patterns (`{name}` and its like) that take more than {millions} million steps");
            return Err(GitError::Unsupported(what));
        }
        Ok(())
    }
}

impl Weight {
    fn of(kind: PatternKind, text: &[u8]) -> Weight {
        let mut weight = Weight::default();
        for line in text.lines() {
            let pattern = match kind {
                PatternKind::Ignore => line,
                PatternKind::Attributes => line.fields().next().unwrap_or_default(),
            };
            if !pattern.is_empty() && !pattern.starts_with(b"#") {
                weight.add(Weight::of_pattern(pattern));
            }
        }
        weight
    }

    /// The numbers are measured: a literal takes 10 ns, `*.o` 40, others up to 1.5 (with brackets 2.5) for each byte of the
    /// pattern and of the path, and each `**` can try all that follows twice.
    fn of_pattern(pattern: &[u8]) -> Weight {
        let is_wild = |pattern: &[u8]| pattern.iter().any(|byte| b"*?[\\".contains(byte));
        if !is_wild(pattern) || pattern.strip_prefix(b"*").is_some_and(|rest| !is_wild(rest)) {
            return Weight { fixed: 40, by_byte: 0 };
        }
        let halves = if pattern.contains(&b'[') { 5 } else { 3 };
        let twice = pattern.find_iter(b"**").count().min(63);
        let by_byte = (pattern.len() as u64 * halves).saturating_mul(1 << twice);
        Weight { fixed: 40, by_byte }
    }

    fn add(&mut self, other: Weight) {
        self.fixed = self.fixed.saturating_add(other.fixed);
        self.by_byte = self.by_byte.saturating_add(other.by_byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(kind: PatternKind, dir: &str, text: &str) -> Weights {
        let mut weights = Weights::default();
        weights.text(kind, dir.into(), text.as_bytes()).expect("few bytes");
        weights
    }

    /// Tries a path until that is too much, at most so many times.
    fn times(weights: &Weights, path: &str, most: usize) -> usize {
        (0..most).take_while(|_| weights.take(PatternKind::Ignore, path.into(), 1).is_ok()).count()
    }

    #[test]
    fn a_usual_repository_is_far_from_the_limit() {
        let kernel = "*.o\n*.a\n*.ko\n.*\n!.gitignore\n/vmlinux*\n/tags\n*.[0-9]\n**/build/\n".repeat(10);
        let weights = weights(PatternKind::Ignore, "", &kernel);
        assert_eq!(times(&weights, "drivers/net/ethernet/intel/ice/ice_main.o", 50_000), 50_000);
    }

    #[test]
    fn many_patterns_and_many_paths_are_too_many_steps() {
        let many = |pattern: &str| weights(PatternKind::Ignore, "", &pattern.repeat(10_000));
        assert!(times(&many("*a*b*c*d*e\n"), "some/directory/aabbccaabbcc.txt", 100_000) < 1_000);
        assert!(times(&many("*.o\n"), "some/directory/aabbccaabbcc.txt", 100_000) < 10_000);
    }

    #[test]
    fn one_pattern_can_be_too_much_for_one_path() {
        let weights = weights(PatternKind::Ignore, "", &format!("{}x", "**/".repeat(60)));
        assert_eq!(times(&weights, "a/b/c", 1), 0);
        assert_eq!(times(&weights, "a", 1), 0, "and nothing is left");
    }

    #[test]
    fn patterns_are_tried_below_their_directory_only() {
        let weights = weights(PatternKind::Ignore, "a/b", &"**/".repeat(60));
        assert!(weights.take(PatternKind::Ignore, "a/bc/d".into(), 1).is_ok());
        assert!(weights.take(PatternKind::Attributes, "a/b/c".into(), 1).is_ok());
        assert!(weights.take(PatternKind::Ignore, "a/b/c".into(), 1).is_err());
    }

    #[test]
    fn all_files_together_have_a_limit() {
        let mut weights = Weights::default();
        let text = vec![b'#'; 1 << 20];
        let taken =
            (0..20).take_while(|_| weights.text(PatternKind::Attributes, "".into(), &text).is_ok()).count();
        assert_eq!(taken, 16);
    }
}
