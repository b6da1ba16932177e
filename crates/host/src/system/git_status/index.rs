//! Checks an index before the library decodes it.
//!
//! The library decodes two extensions of an index by recursion, the tree cache and the cache of untracked files, as deep as
//! the file names; a small file can end the process that way. Version 4 stores a path as a difference to the one before
//! it, so that a small file can take any memory.

use super::checks::{ENTRY_SIZE, PATHS_LIMIT, check_interrupt};
use crate::system::GitError;
use gix::bstr::ByteSlice as _;
use std::sync::atomic::AtomicBool;

/// The deepest nesting of directories in a cache of an index. The library takes about a kilobyte of stack for
/// each.
const NESTING_LIMIT: usize = 512;
/// The header of an index: signature, version, number of entries.
const HEADER: usize = 12;
/// An entry up to its flags; an id in it has 20 bytes.
const FIXED: usize = 62;
/// The length of an id, in bytes.
const ID: usize = 20;

/// Refuses an index that would take too much memory or stack. What is broken is left for the library to report.
pub(super) fn check(bytes: &[u8], interrupt: &AtomicBool) -> Result<(), GitError> {
    let Some(mut rest) = after_entries(bytes, interrupt)? else { return Ok(()) };
    // Behind the extensions is the checksum.
    while let Some((header, body)) = rest.split_at_checked(8).filter(|_| rest.len() > ID) {
        check_interrupt(interrupt)?;
        let (signature, size) = header.split_at(4);
        let size = size.iter().fold(0usize, |size, byte| (size << 8) | usize::from(*byte));
        let Some((body, behind)) = body.split_at_checked(size) else { return Ok(()) };
        let is_deep = match signature {
            b"TREE" => is_deep(IndexReader(body), tree),
            b"UNTR" => untracked_directories(body).is_some_and(|body| is_deep(body, untracked)),
            _ => false,
        };
        if is_deep {
            let what = format!("an index with more than {NESTING_LIMIT} directories in one another");
            return Err(GitError::Unsupported(what));
        }
        rest = behind;
    }
    Ok(())
}

/// Returns the bytes after the entries; `None` if the entries are broken.
fn after_entries<'b>(bytes: &'b [u8], interrupt: &AtomicBool) -> Result<Option<&'b [u8]>, GitError> {
    let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    let (Some(version), Some(entries)) = (number(4), number(8)) else { return Ok(None) };
    let (mut at, mut length, mut total) = (HEADER, 0usize, 0usize);
    for entry in 0..entries {
        if entry % 1024 == 0 {
            check_interrupt(interrupt)?;
        }
        let Some(flags) = bytes.get(at + FIXED - 2..at + FIXED) else { return Ok(None) };
        let path = at + if flags[0] & 0x40 == 0 { FIXED } else { FIXED + 2 };
        let mut reader = IndexReader(bytes.get(path..).unwrap_or_default());
        if version == 4 {
            let Some(removed) = reader.number() else { return Ok(None) };
            let Some(added) = reader.until(0) else { return Ok(None) };
            length = length.saturating_sub(removed) + added.len();
            total += length + ENTRY_SIZE;
            if total > PATHS_LIMIT {
                return Err(GitError::Unsupported("an index with too many or too long paths".into()));
            }
            at = bytes.len() - reader.0.len();
        } else {
            let Some(name) = reader.until(0) else { return Ok(None) };
            // One to eight zero bytes fill an entry up to a multiple of eight.
            at += (path - at + name.len() + 8) & !7;
        }
    }
    Ok(bytes.get(at..))
}

/// Reads the bytes of an index from front to back.
struct IndexReader<'b>(&'b [u8]);

impl<'b> IndexReader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn until(&mut self, end: u8) -> Option<&'b [u8]> {
        let taken = self.take(self.0.find_byte(end)?)?;
        self.take(1).map(|_| taken)
    }

    /// Reads a number of seven bits a byte, as git writes offsets.
    fn number(&mut self) -> Option<usize> {
        let mut number = 0usize;
        loop {
            let byte = self.take(1)?[0];
            number = (number.min(1 << 40) << 7) + usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Some(number);
            }
            // Git's encoding has no two ways to write a number.
            number += 1;
        }
    }
}

/// Returns whether directories nest deeper than [`NESTING_LIMIT`]. Each comes before those in it, as the
/// library reads them; `read` reads one and returns how many are in it. The library stops, too, at broken
/// data.
fn is_deep<'b>(mut reader: IndexReader<'b>, read: impl Fn(&mut IndexReader<'b>) -> Option<usize>) -> bool {
    // The number of entries left in each directory that is not done.
    let mut left = vec![1usize];
    while let Some(count) = left.last_mut() {
        if *count == 0 {
            left.pop();
            continue;
        }
        *count -= 1;
        if left.len() > NESTING_LIMIT {
            return true;
        }
        let Some(inside) = read(&mut reader) else { return false };
        left.push(inside);
    }
    false
}

/// Reads a directory of the tree cache: its name, the number of its entries and of its directories in text, and an id
/// unless the number of entries is negative.
fn tree(reader: &mut IndexReader<'_>) -> Option<usize> {
    reader.until(0)?;
    let entries = reader.until(b' ')?;
    let inside = reader.until(b'\n')?.to_str().ok()?.parse().ok()?;
    if !entries.starts_with(b"-") {
        reader.take(ID)?;
    }
    Some(inside)
}

/// Returns where the directories of the cache of untracked files begin.
fn untracked_directories(body: &[u8]) -> Option<IndexReader<'_>> {
    let mut reader = IndexReader(body);
    let identifier = reader.number()?;
    reader.take(identifier)?;
    // Stat of two files, flags, the ids of the two.
    reader.take(36 + 36 + 4 + ID + ID)?;
    reader.until(0)?;
    reader.number()?;
    Some(reader)
}

/// Reads a directory of that cache: how many untracked names and how many directories are in it, its name, those names.
fn untracked(reader: &mut IndexReader<'_>) -> Option<usize> {
    let names = reader.number()?;
    let inside = reader.number()?;
    reader.until(0)?;
    for _ in 0..names {
        reader.until(0)?;
    }
    Some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index without entries and with one extension.
    fn index(signature: &[u8; 4], body: &[u8]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0\0".to_vec();
        bytes.extend_from_slice(signature);
        bytes.extend_from_slice(&u32::try_from(body.len()).expect("short").to_be_bytes());
        bytes.extend_from_slice(body);
        bytes.extend_from_slice(&[0; ID]);
        bytes
    }

    fn is_refused(bytes: &[u8]) -> bool {
        matches!(check(bytes, &AtomicBool::new(false)), Err(GitError::Unsupported(_)))
    }

    #[test]
    fn directories_in_one_another_are_counted() {
        let tree = |depth: usize| b"d\0-1 1\n".repeat(depth);
        let untracked = |depth: usize| {
            let mut body = vec![0; 1 + 36 + 36 + 4 + ID + ID + 1];
            // So many directories in all, as far as one byte can count.
            body.push(1);
            body.extend_from_slice(&b"\x01\x01d\0name\0".repeat(depth));
            body
        };
        // The last of them announces one more.
        for (depth, refused) in
            [(0, false), (NESTING_LIMIT - 1, false), (NESTING_LIMIT, true), (1_000_000, true)]
        {
            assert_eq!(is_refused(&index(b"TREE", &tree(depth))), refused, "a tree cache of {depth}");
            assert_eq!(is_refused(&index(b"UNTR", &untracked(depth))), refused, "untracked files of {depth}");
        }
        assert!(!is_refused(&index(b"REUC", &tree(1_000_000))), "another extension");
    }

    #[test]
    fn directories_beside_one_another_are_not() {
        let mut body = b"\0-1 5000\n".to_vec();
        body.extend_from_slice(&b"d\0-1 0\n".repeat(5_000));
        assert!(!is_refused(&index(b"TREE", &body)));
    }

    #[test]
    fn extensions_are_found_behind_entries() {
        let entry = |path: &str| {
            let mut entry = vec![0; FIXED - 2];
            entry.extend_from_slice(&u16::try_from(path.len()).expect("short").to_be_bytes());
            entry.extend_from_slice(path.as_bytes());
            entry.resize((entry.len() + 8) & !7, 0);
            entry
        };
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x03".to_vec();
        for path in ["a", "a-path-of-10", "some/directory/file.rs"] {
            bytes.extend_from_slice(&entry(path));
        }
        bytes.extend_from_slice(&index(b"TREE", &b"d\0-1 1\n".repeat(1_000_000))[HEADER..]);
        assert!(is_refused(&bytes));
    }
}
