//! The files that `file:` variables can name, a directory at a time.
//!
//! Each entry of a listing is opened in the way in which the variable would be: what it may not read is not listed, and
//! outside of its bounds nothing is reported, not even whether something is there.

use super::file::open;
use crate::{
    places::normal,
    provider::context::{Extent, FILE_VARIABLE_LIMIT, ProviderContext},
    system::{DirEntry, FileKind, ReadError},
};
use preface_core::suggestion::did_you_mean;
use std::path::Path;

/// The most names of a directory that are read. One with more is not listed.
pub const MOST_NAMES: usize = 20_000;
/// The most entries of a listing.
pub const MOST_ENTRIES: usize = 1_000;
/// The most entries that are opened for a listing.
const MOST_OPENED: usize = 4_000;
/// The most similar names that are opened for a suggestion.
const MOST_TRIED: usize = 4;
/// The bytes of a file that are searched for a NUL.
const HEAD: u64 = 4 << 10;

/// Directories that tools fill. They are listed last.
const GENERATED: [&str; 7] = [".git", ".jj", ".venv", "__pycache__", "dist", "node_modules", "target"];

/// The entries of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileListing {
    /// The entries by name, those that tools fill last. Links have the kind of their target.
    pub entries: Vec<ListingEntry>,
    /// True if there are more entries.
    pub truncated: bool,
}

/// An entry of a directory that a `file:` variable can name, or whose entries it can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingEntry {
    /// The name.
    pub name: String,
    /// True for a directory.
    pub is_directory: bool,
}

/// Lists the entries of a directory whose names contain the characters of `search` in their order, in any letter case. The
/// directory is named as in `file:`; the empty path is the working directory.
///
/// # Errors
/// Those of reading a `file:` variable of that path; [`ReadError::Kind`] for a file.
pub fn list_files(dir: &str, search: &str, context: &ProviderContext<'_>) -> Result<FileListing, ReadError> {
    let names = match names(dir, context) {
        Ok(names) => names,
        Err(ReadError::TooLarge { .. }) => {
            return Ok(FileListing { entries: Vec::new(), truncated: true });
        }
        Err(error) => return Err(error),
    };
    let search: Vec<char> = search.chars().flat_map(char::to_lowercase).collect();
    let mut names: Vec<(String, FileKind)> =
        names.into_iter().filter(|(name, _)| contains(name, &search)).collect();
    names.sort_by_cached_key(|(name, _)| GENERATED.contains(&name.as_str()));
    let mut listing = FileListing { truncated: names.len() > MOST_OPENED, ..FileListing::default() };
    for (name, kind) in names.into_iter().take(MOST_OPENED) {
        let Some(is_directory) = is_directory(&join(dir, &name), kind, context) else { continue };
        if listing.entries.len() == MOST_ENTRIES {
            listing.truncated = true;
            break;
        }
        listing.entries.push(ListingEntry { name, is_directory });
    }
    Ok(listing)
}

/// Returns the path of the file that a missing one was most likely meant to be: the first part of the path that does not exist
/// has a similar name in its directory.
#[must_use]
pub fn similar_file(path: &str, context: &ProviderContext<'_>) -> Option<String> {
    let is_missing = |path: &str| matches!(open(path, context, 0, Extent::Head), Err(ReadError::Missing));
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let end = ends.filter(|end| *end > 0).find(|end| is_missing(&path[..*end]))?;
    let (missing, rest) = path.split_at(end);
    let (dir, name) = missing
        .rsplit_once('/')
        .map_or(("", missing), |(dir, name)| (if dir.is_empty() { "/" } else { dir }, name));
    let mut names = names(dir, context).ok()?;
    for _ in 0..MOST_TRIED {
        let near = did_you_mean(name, names.iter().map(|(name, _)| name.as_str()))?.to_owned();
        let meant = join(dir, &near) + rest;
        if open(&meant, context, 0, Extent::Head).is_ok() {
            return Some(meant);
        }
        names.retain(|(name, _)| *name != near);
    }
    None
}

/// Returns the names in a directory that a tag can contain, by their bytes.
fn names(dir: &str, context: &ProviderContext<'_>) -> Result<Vec<(String, FileKind)>, ReadError> {
    let dir = if dir.is_empty() { "." } else { dir };
    match open(dir, context, 0, Extent::Head) {
        Err(ReadError::Kind(FileKind::Dir)) => {}
        Err(error) => return Err(error),
        Ok(_) => return Err(ReadError::Kind(FileKind::File)),
    }
    // Another directory may be here by now; its entries are opened like those of the first.
    let entries = context.system.list(&normal(&context.places.cwd, Path::new(dir)), MOST_NAMES)?;
    let named = |DirEntry { name, kind }: DirEntry| Some((name.into_string().ok()?, kind));
    Ok(entries.into_iter().filter_map(named).filter(|(name, _)| can_be_written(name)).collect())
}

/// Returns true for a name that may be at the end of a tag.
fn can_be_written(name: &str) -> bool {
    name.trim_end() == name && !name.contains(|c: char| matches!(c, '[' | ']') || c.is_control())
}

/// Returns true for a directory, false for a text file; `None` for what a `file:` variable cannot read.
fn is_directory(path: &str, kind: FileKind, context: &ProviderContext<'_>) -> Option<bool> {
    if kind == FileKind::Special {
        return None;
    }
    match open(path, context, HEAD, Extent::Head) {
        Ok(read) => (read.stat.len <= FILE_VARIABLE_LIMIT && !read.bytes.contains(&0)).then_some(false),
        Err(ReadError::Kind(FileKind::Dir)) => Some(true),
        Err(_) => None,
    }
}

fn join(dir: &str, name: &str) -> String {
    match dir {
        "" => name.to_owned(),
        _ if dir.ends_with('/') => format!("{dir}{name}"),
        _ => format!("{dir}/{name}"),
    }
}

/// Returns true for a name that has these characters, in lower case, in their order.
fn contains(name: &str, search: &[char]) -> bool {
    let mut wanted = search.iter().peekable();
    for letter in name.chars().flat_map(char::to_lowercase) {
        wanted.next_if(|wanted| **wanted == letter);
    }
    wanted.peek().is_none()
}
