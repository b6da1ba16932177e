//! Finds renames as git does: equal content first, then equal names, then by likeness.
//!
//! The measure of likeness is git's own, because near the limit of one half another measure decides otherwise: a file
//! is cut into lines (of at most 64 bytes), and what two files share is counted by the hashes of their lines.

use super::open::WorkTree;
use crate::system::GitError;
use gix::{
    bstr::{BStr, BString, ByteSlice as _},
    hash::ObjectId,
    index::entry::Mode,
};
use std::{
    cmp::Reverse,
    collections::HashMap,
    rc::Rc,
    sync::atomic::{AtomicBool, Ordering},
};

/// The score of equal files.
const FULL: u64 = 60_000;
/// The least score of a rename: one half.
const LEAST: u64 = FULL / 2;
/// The least score of a rename that keeps the file's name: three quarters.
const LEAST_SAME_NAME: u64 = FULL / 4 * 3;
/// The most sources that are kept for each destination.
const CANDIDATES: usize = 4;
/// The most hashes of lines that are kept, over all files. Beyond that a file is read again for each
/// comparison.
const LINES: usize = 4 * 1024 * 1024;
/// The most equal sources that are compared.
const EQUAL_SOURCES: usize = 100;

/// The detection of renames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RenameDetection {
    /// No detection.
    Nothing,
    /// Sources among deleted files.
    Renames,
    /// Sources also among files that stayed and changed.
    Copies,
}

impl RenameDetection {
    /// Reads `status.renames`, then `diff.renames`.
    pub(super) fn configured(work_tree: &WorkTree) -> RenameDetection {
        let value = work_tree.string("status.renames").or_else(|| work_tree.string("diff.renames"));
        let Some(value) = value else { return RenameDetection::Renames };
        let value = value.to_ascii_lowercase();
        match value.as_slice() {
            b"copies" | b"copy" => RenameDetection::Copies,
            b"false" | b"no" | b"off" | b"0" | b"" => RenameDetection::Nothing,
            _ => RenameDetection::Renames,
        }
    }
}

/// Returns how many sources and destinations are compared at most, squared; `None` is no limit.
pub(super) fn limit(work_tree: &WorkTree) -> Option<u64> {
    let config = work_tree.repo.config_snapshot();
    let limit =
        config.integer("status.renameLimit").or_else(|| config.integer("diff.renameLimit")).unwrap_or(1000);
    u64::try_from(limit).ok().filter(|limit| *limit > 0).map(|limit| limit.saturating_mul(limit))
}

/// A file on one side of a difference.
#[derive(Clone, Debug)]
pub(super) struct DiffFile {
    pub path: BString,
    pub mode: Mode,
    pub id: ObjectId,
    /// True if the file is still there: it can only be copied.
    pub stays: bool,
}

/// A destination that has a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RenamePair {
    pub from: BString,
    pub to: BString,
    /// `R` or `C`.
    pub letter: u8,
}

/// The content of a file.
pub(super) enum FileContent {
    Bytes(Vec<u8>),
    /// A size that is beyond what is read.
    Large(u64),
}

/// Pairs files that went with files that came. Both lists are in the order of the index.
///
/// # Errors
/// Two files that would have to be compared are too large for it.
pub(super) fn pairs(
    gone: &[DiffFile],
    new: &[DiffFile],
    detect: RenameDetection,
    limit: Option<u64>,
    interrupt: &AtomicBool,
    content: &mut dyn FnMut(RenameSide, &DiffFile) -> Option<FileContent>,
) -> Result<Vec<RenamePair>, GitError> {
    if detect == RenameDetection::Nothing || gone.is_empty() || new.is_empty() {
        return Ok(Vec::new());
    }
    let mut search = Search {
        gone,
        new,
        copies: detect == RenameDetection::Copies,
        used: gone.iter().map(|file| usize::from(file.stays)).collect(),
        source_of: vec![None; new.len()],
        gone_lines: gone.iter().map(|_| None).collect(),
        new_lines: new.iter().map(|_| None).collect(),
        room: LINES,
        too_large: None,
        interrupt,
        content,
    };
    search.by_content();
    if !search.copies {
        search.by_name();
    }
    search.by_likeness(limit);
    match search.too_large {
        Some(at) => {
            let path = crate::provider::git::shown(&gone[at].path);
            Err(GitError::Unsupported(format!("`{path}` is too large to look for its new place")))
        }
        None => Ok(search.into_pairs()),
    }
}

/// The list that a file is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RenameSide {
    /// Files that were deleted, or stayed.
    Gone,
    /// Files that were added.
    New,
}

/// The hashes of a file's lines with the number of bytes of each, by hash, and the file's size.
struct LineHashes {
    counts: Vec<(u32, u64)>,
    size: u64,
    /// Only the size is known.
    is_large: bool,
}

struct Search<'a> {
    gone: &'a [DiffFile],
    new: &'a [DiffFile],
    copies: bool,
    /// The number of uses of each source.
    used: Vec<usize>,
    source_of: Vec<Option<usize>>,
    /// Outside: not read yet; inside: not readable.
    gone_lines: Vec<Option<Option<Rc<LineHashes>>>>,
    new_lines: Vec<Option<Option<Rc<LineHashes>>>>,
    /// The number of hashes of lines that may still be kept.
    room: usize,
    /// The first source that would have to be compared and is too large, or has such a destination.
    too_large: Option<usize>,
    interrupt: &'a AtomicBool,
    content: &'a mut dyn FnMut(RenameSide, &DiffFile) -> Option<FileContent>,
}

impl Search<'_> {
    /// Pairs files of equal content; among several sources an unused one goes first, then one of the same name.
    fn by_content(&mut self) {
        let mut by_id: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for (source, file) in self.gone.iter().enumerate() {
            by_id.entry(file.id).or_default().push(source);
        }
        for (destination, file) in self.new.iter().enumerate() {
            let mut best = None;
            for (tried, &source) in by_id.get(&file.id).into_iter().flatten().enumerate() {
                let from = &self.gone[source];
                if (!is_regular(from.mode) || !is_regular(file.mode)) && from.mode != file.mode {
                    continue;
                }
                let unused = self.used[source] == 0;
                if !unused && !self.copies {
                    continue;
                }
                let score = u8::from(unused) + u8::from(same_name(from, file));
                if best.is_none_or(|(best, _)| score > best) {
                    best = Some((score, source));
                    if score == 2 {
                        break;
                    }
                }
                if tried >= EQUAL_SOURCES {
                    break;
                }
            }
            if let Some((_, source)) = best {
                self.record(source, destination);
            }
        }
    }

    /// Pairs files whose name is the only one of its kind on either side, if they are alike enough.
    fn by_name(&mut self) {
        let sources = unique_names(self.gone, |source| self.used[source] == 0);
        let destinations = unique_names(self.new, |destination| self.source_of[destination].is_none());
        for source in 0..self.gone.len() {
            if self.interrupt.load(Ordering::Relaxed) {
                return;
            }
            let name = name(self.gone[source].path.as_bstr());
            let (Some(Some(only)), Some(Some(destination))) = (sources.get(name), destinations.get(name))
            else {
                continue;
            };
            if *only == source
                && self.source_of[*destination].is_none()
                && self.likeness(source, *destination) >= LEAST_SAME_NAME
            {
                self.record(source, *destination);
            }
        }
    }

    /// Pairs what is left, the most alike first.
    fn by_likeness(&mut self, limit: Option<u64>) {
        let sources: Vec<usize> =
            (0..self.gone.len()).filter(|source| self.copies || self.used[*source] == 0).collect();
        let destinations: Vec<usize> =
            (0..self.new.len()).filter(|destination| self.source_of[*destination].is_none()).collect();
        if limit.is_some_and(|limit| (sources.len() as u64).saturating_mul(destinations.len() as u64) > limit)
        {
            return;
        }
        let mut all = Vec::new();
        for &destination in &destinations {
            let mut kept: [Option<RenameCandidate>; CANDIDATES] = [None; CANDIDATES];
            for &source in &sources {
                if self.interrupt.load(Ordering::Relaxed) {
                    return;
                }
                let score = self.likeness(source, destination);
                let same_name = same_name(&self.gone[source], &self.new[destination]);
                let candidate = RenameCandidate { score, same_name, source, destination };
                let mut worst = 0;
                for at in 1..CANDIDATES {
                    if goes_before(&kept[worst], &kept[at]) {
                        worst = at;
                    }
                }
                if goes_before(&Some(candidate), &kept[worst]) {
                    kept[worst] = Some(candidate);
                }
            }
            all.extend(kept.into_iter().flatten());
        }
        all.sort_by_key(|candidate| Reverse((candidate.score, candidate.same_name)));
        for reuse in [false, true] {
            for candidate in all.iter().take_while(|candidate| candidate.score >= LEAST) {
                if self.source_of[candidate.destination].is_none()
                    && (reuse || self.used[candidate.source] == 0)
                {
                    self.record(candidate.source, candidate.destination);
                }
            }
            if !self.copies {
                break;
            }
        }
    }

    fn record(&mut self, source: usize, destination: usize) {
        self.used[source] += 1;
        self.source_of[destination] = Some(source);
    }

    /// Estimates how much of the larger file two files share, up to [`FULL`].
    fn likeness(&mut self, source: usize, destination: usize) -> u64 {
        let (from, to) = (&self.gone[source], &self.new[destination]);
        if !is_regular(from.mode) || !is_regular(to.mode) {
            return 0;
        }
        let content = &mut *self.content;
        let left = lines(&mut self.gone_lines[source], &mut self.room, || content(RenameSide::Gone, from));
        let right = lines(&mut self.new_lines[destination], &mut self.room, || content(RenameSide::New, to));
        let (Some(left), Some(right)) = (left, right) else { return 0 };
        let (large, small) = (left.size.max(right.size), left.size.min(right.size));
        if large * (FULL - LEAST) < (large - small) * FULL || right.size == 0 {
            return 0;
        }
        if left.is_large || right.is_large {
            self.too_large.get_or_insert(source);
            return 0;
        }
        left.shared_with(&right) * FULL / large
    }

    fn into_pairs(mut self) -> Vec<RenamePair> {
        let mut pairs = Vec::new();
        for (destination, source) in self.source_of.iter().enumerate() {
            let Some(source) = *source else { continue };
            self.used[source] -= 1;
            pairs.push(RenamePair {
                from: self.gone[source].path.clone(),
                to: self.new[destination].path.clone(),
                letter: if self.used[source] > 0 { b'C' } else { b'R' },
            });
        }
        pairs
    }
}

/// Returns the lines of a file, from where they are kept or from its content.
fn lines(
    kept: &mut Option<Option<Rc<LineHashes>>>,
    room: &mut usize,
    content: impl FnOnce() -> Option<FileContent>,
) -> Option<Rc<LineHashes>> {
    if let Some(lines) = kept {
        return lines.clone();
    }
    let lines = content().map(|content| {
        Rc::new(match content {
            FileContent::Bytes(bytes) => LineHashes::of(&bytes),
            FileContent::Large(size) => LineHashes { counts: Vec::new(), size, is_large: true },
        })
    });
    let count = lines.as_ref().map_or(0, |lines| lines.counts.len());
    if let Some(left) = room.checked_sub(count) {
        *room = left;
        *kept = Some(lines.clone());
    }
    lines
}

#[derive(Clone, Copy)]
struct RenameCandidate {
    score: u64,
    same_name: bool,
    source: usize,
    destination: usize,
}

/// Returns whether `left` is the better candidate; `None` is the worst.
fn goes_before(left: &Option<RenameCandidate>, right: &Option<RenameCandidate>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => (left.score, left.same_name) > (right.score, right.same_name),
        (Some(_), None) => true,
        (None, _) => false,
    }
}

fn is_regular(mode: Mode) -> bool {
    mode == Mode::FILE || mode == Mode::FILE_EXECUTABLE
}

fn name(path: &BStr) -> &BStr {
    path.rsplit_once_str("/").map_or(path.as_bytes(), |(_, name)| name).as_bstr()
}

fn same_name(left: &DiffFile, right: &DiffFile) -> bool {
    name(left.path.as_bstr()) == name(right.path.as_bstr())
}

/// Returns the file of each name; `None` where several have it.
fn unique_names(files: &[DiffFile], take: impl Fn(usize) -> bool) -> HashMap<&BStr, Option<usize>> {
    let mut names = HashMap::new();
    for (at, file) in files.iter().enumerate().filter(|(at, _)| take(*at)) {
        names.entry(name(file.path.as_bstr())).and_modify(|only| *only = None).or_insert(Some(at));
    }
    names
}

impl LineHashes {
    /// Hashes a file's lines with git's function.
    fn of(content: &[u8]) -> LineHashes {
        let is_text = !content[..content.len().min(8000)].contains(&0);
        let mut counts: HashMap<u32, u64> = HashMap::new();
        let (mut low, mut high, mut length) = (0u32, 0u32, 0u64);
        let mut bytes = content.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            if is_text && byte == b'\r' && bytes.peek() == Some(&b'\n') {
                continue;
            }
            let before = low;
            low = ((low << 7) ^ (high >> 25)).wrapping_add(u32::from(byte));
            high = (high << 7) ^ (before >> 25);
            length += 1;
            if length < 64 && byte != b'\n' {
                continue;
            }
            *counts.entry(line_hash(low, high)).or_default() += length;
            (low, high, length) = (0, 0, 0);
        }
        if length > 0 {
            *counts.entry(line_hash(low, high)).or_default() += length;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable();
        LineHashes { counts, size: content.len() as u64, is_large: false }
    }

    /// Counts the bytes of lines that both have.
    fn shared_with(&self, other: &LineHashes) -> u64 {
        let mut right = other.counts.iter().peekable();
        let mut shared = 0;
        for (hash, count) in &self.counts {
            while right.next_if(|(other, _)| other < hash).is_some() {}
            if let Some((_, other)) = right.next_if(|(other, _)| other == hash) {
                shared += count.min(other);
            }
        }
        shared
    }
}

fn line_hash(low: u32, high: u32) -> u32 {
    low.wrapping_add(high.wrapping_mul(0x61)) % 107_927
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, content: &str) -> DiffFile {
        let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, content.as_bytes());
        DiffFile { path: path.into(), mode: Mode::FILE, id: id.expect("a hash"), stays: false }
    }

    fn found(gone: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
        try_pairs(gone, new)
            .expect("small files")
            .into_iter()
            .map(|pair| format!("{} {} -> {}", pair.letter as char, pair.from, pair.to))
            .collect()
    }

    fn try_pairs(gone: &[(&str, &str)], new: &[(&str, &str)]) -> Result<Vec<RenamePair>, GitError> {
        let list =
            |files: &[(&str, &str)]| files.iter().map(|(path, text)| file(path, text)).collect::<Vec<_>>();
        let text = |files: &[(&str, &str)], wanted: &DiffFile| {
            let found = files.iter().find(|(path, _)| wanted.path == *path);
            found.map(|(_, text)| match text.strip_prefix("large:") {
                Some(size) => FileContent::Large(size.parse().expect("a size")),
                None => FileContent::Bytes(text.as_bytes().to_vec()),
            })
        };
        let mut content =
            |side, file: &DiffFile| text(if side == RenameSide::Gone { gone } else { new }, file);
        let never = AtomicBool::new(false);
        pairs(&list(gone), &list(new), RenameDetection::Renames, Some(1), &never, &mut content)
    }

    #[test]
    fn large_files_are_compared_by_size_only() {
        assert!(found(&[("old", "large:100000000")], &[("new", "x\n")]).is_empty());
        let both = try_pairs(&[("old", "large:100000000")], &[("new", "large:100000001")]);
        assert!(matches!(both, Err(GitError::Unsupported(_))), "{both:?}");
    }

    #[test]
    fn lines_are_kept_within_bounds() {
        let (mut kept, mut room) = (None, 2);
        let mut reads = 0;
        for _ in 0..2 {
            let lines = lines(&mut kept, &mut room, || {
                reads += 1;
                Some(FileContent::Bytes(b"one\ntwo\nsix\n".to_vec()))
            });
            assert_eq!(lines.expect("lines").counts.len(), 3);
        }
        assert_eq!((reads, room), (2, 2), "nothing is kept that has no room");
    }

    #[test]
    fn equal_content_prefers_an_equal_name() {
        let gone = [("a/x", "same\n"), ("b/y", "same\n")];
        assert_eq!(found(&gone, &[("c/y", "same\n"), ("d/z", "same\n")]), ["R b/y -> c/y", "R a/x -> d/z"]);
    }

    #[test]
    fn half_of_the_content_makes_a_rename() {
        let old = "one\ntwo\nsix\nten\n";
        assert_eq!(found(&[("old", old)], &[("new", "one\ntwo\nsox\ntan\n")]), ["R old -> new"]);
        assert!(found(&[("old", old)], &[("new", "one\ntwa\nsox\ntan\n")]).is_empty());
    }

    #[test]
    fn line_ends_do_not_count_in_a_text() {
        assert_eq!(LineHashes::of(b"a\r\nb\r\n").counts, LineHashes::of(b"a\nb\n").counts);
        assert_ne!(LineHashes::of(b"a\r\nb\r\n\0").counts, LineHashes::of(b"a\nb\n\0").counts);
    }
}
