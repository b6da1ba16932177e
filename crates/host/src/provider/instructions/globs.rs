//! Globs on absolute paths: of files that are left out, and of files that a rule is about.
//!
//! All patterns are made absolute first, so that one comparison is enough for every way of writing a path.

use crate::{places::normal, provider::context::ProviderContext};
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::{Path, PathBuf};

/// The longest pattern: no path is longer.
const LONGEST: usize = 512;
/// The bytes that the patterns of a build have together, because each costs time.
pub const MOST_BYTES: usize = 512 << 10;

/// A pattern that cannot be used, with the reason. It matches nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    pub pattern: String,
    pub why: String,
}

/// A list of patterns that are absolute and sound.
#[derive(Debug, Default)]
pub struct Globs {
    patterns: Vec<Glob>,
}

impl Globs {
    /// Reads a list within the bytes that are left. Invalid patterns are returned with the reason, and match
    /// nothing.
    pub fn read(list: &[String], room: &mut usize, context: &ProviderContext<'_>) -> (Self, Vec<BadPattern>) {
        let (mut globs, mut bad) = (Globs::default(), Vec::new());
        for pattern in list {
            match glob(pattern, room, context) {
                Ok(glob) => globs.patterns.push(glob),
                Err(why) => bad.push(BadPattern { pattern: pattern.clone(), why }),
            }
        }
        (globs, bad)
    }

    /// True if nothing sound is left.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Compiles the list. One that is too large is an error.
    pub fn compile(self) -> Result<GlobSet, String> {
        let mut set = GlobSetBuilder::new();
        for glob in self.patterns {
            set.add(glob);
        }
        set.build().map_err(|error| error.to_string())
    }
}

fn glob(pattern: &str, room: &mut usize, context: &ProviderContext<'_>) -> Result<Glob, String> {
    if pattern.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let left = room.checked_sub(pattern.len());
    *room = left.ok_or_else(|| format!("the patterns of all rules have at most {MOST_BYTES} bytes"))?;
    GlobBuilder::new(&absolute(pattern, context)?)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .map_err(|error| error.kind().to_string())
}

/// Makes a pattern absolute: it starts at `/`, at `~/`, anywhere (`**`), or at the cwd.
fn absolute(pattern: &str, context: &ProviderContext<'_>) -> Result<String, String> {
    let below = |dir: &Path, rest: &str| {
        let dir = literal(dir);
        // A directory is all that is in it.
        let all = if rest.is_empty() || rest.ends_with('/') { "**" } else { "" };
        format!("{}/{rest}{all}", dir.trim_end_matches('/'))
    };
    if let Some(rest) = pattern.strip_prefix("~/") {
        let home = context.places.home.as_ref().ok_or("there is no home directory")?;
        return Ok(below(home, rest));
    }
    if let Some(rest) = pattern.strip_prefix('/') {
        return Ok(below(Path::new("/"), rest));
    }
    if pattern == "**" || pattern.starts_with("**/") {
        return Ok(below(Path::new("/"), pattern));
    }
    let (mut dir, mut rest) = (context.places.cwd.clone(), pattern);
    loop {
        if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else if let Some(after) = rest.strip_prefix("../") {
            rest = after;
            dir.pop();
        } else {
            return Ok(below(&dir, rest));
        }
    }
}

/// A path as a pattern that matches nothing else.
fn literal(path: &Path) -> String {
    let mut out = String::new();
    for c in path.to_string_lossy().chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!' | ',') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Returns the names by which a file may be meant: as it was named, and where it really lies. A path in the directory
/// that the cwd really is counts as one in the cwd.
pub fn names(path: &Path, context: &ProviderContext<'_>) -> Vec<PathBuf> {
    let named = normal(&context.places.cwd, path);
    let real = crate::places::resolve_links(context.system, &named);
    let mut names = vec![named];
    if let Ok(cwd) = context.system.canonical(&context.places.cwd)
        && let Ok(rest) = real.strip_prefix(&cwd)
    {
        names.push(context.places.cwd.join(rest));
    }
    names.push(real);
    names.dedup();
    names
}
