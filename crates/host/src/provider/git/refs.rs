//! The refs of a repository, loose or packed, and git's abbreviation of a name among them.

use super::{GitError, Repository, SMALL, as_path, no_ref, read, shown_path, starts_with_id, target, text};
use crate::system::{FileKind, System};
use std::path::PathBuf;

/// The most that is read of `packed-refs`: some 250,000 names. Where it is larger, the branch is taken from `HEAD` alone.
const PACKED: u64 = 16 * 1024 * 1024;
/// The most symbolic refs in a chain; git's own limit.
const HOPS: usize = 5;

/// The prefix and suffix of a full name that a short name leaves out, in the order of git's rules.
const RULES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

impl Repository {
    /// Returns what `git rev-parse --abbrev-ref HEAD` prints, or `None` if it fails because nothing is committed.
    ///
    /// # Errors
    /// The refs are no files (reftable), or a file that is no ref.
    pub fn branch(&self, system: &dyn System) -> Result<Option<String>, GitError> {
        let Some(mut name) = target(&self.head).map(<[u8]>::to_vec) else {
            return Ok(Some("HEAD".to_owned()));
        };
        if system.stat(&self.common_dir.join("reftable")).is_some() {
            return Err(GitError::Unsupported("refs in a reftable".to_owned()));
        }
        let packed = self.common_dir.join("packed-refs");
        let len = system.stat(&packed).map_or(0, |stat| stat.len);
        let packed = if (1..=PACKED).contains(&len) {
            read(system, &packed, &self.common_dir, PACKED)?
        } else {
            Vec::new()
        };
        let refs = Refs { system, repository: self, packed, is_unread: len > PACKED };
        for _ in 0..HOPS {
            if !is_ref_name(&name) {
                return Err(no_ref(&self.head_path()));
            }
            name = match refs.read(&name) {
                RefValue::Commit => return Ok(Some(text(&refs.abbreviate(&name)))),
                RefValue::Nothing if refs.is_unread => return Ok(Some(text(&refs.abbreviate(&name)))),
                RefValue::Ref(next) => next,
                RefValue::Nothing => return Ok(None),
                RefValue::Broken => return Err(no_ref(&refs.path(&name))),
            };
        }
        Err(GitError::Broken(format!("`{}` leads from ref to ref", shown_path(&self.head_path()))))
    }
}

/// The refs of a repository.
struct Refs<'a> {
    system: &'a dyn System,
    repository: &'a Repository,
    /// The content of `packed-refs`.
    packed: Vec<u8>,
    /// True if that file is larger than [`PACKED`].
    is_unread: bool,
}

enum RefValue {
    Commit,
    Ref(Vec<u8>),
    Nothing,
    Broken,
}

impl Refs<'_> {
    /// Shortens a full name by git's rules, as far as it stays unambiguous.
    fn abbreviate(&self, name: &[u8]) -> Vec<u8> {
        for (at, (before, after)) in RULES.iter().enumerate().skip(1).rev() {
            let short = name
                .strip_prefix(before.as_bytes())
                .and_then(|rest| rest.strip_suffix(after.as_bytes()))
                .filter(|short| !short.is_empty());
            let Some(short) = short else { continue };
            let is_taken = |(_, (before, after)): (usize, &(&str, &str))| {
                self.exists([before.as_bytes(), short, after.as_bytes()].concat())
            };
            if !RULES.iter().enumerate().filter(|(rule, _)| *rule != at).any(is_taken) {
                return short.to_vec();
            }
        }
        name.to_vec()
    }

    /// Returns whether a name resolves to a commit.
    fn exists(&self, mut name: Vec<u8>) -> bool {
        for _ in 0..HOPS {
            if !is_ref_name(&name) {
                return false;
            }
            match self.read(&name) {
                RefValue::Commit => return true,
                RefValue::Ref(next) => name = next,
                RefValue::Nothing | RefValue::Broken => return false,
            }
        }
        false
    }

    /// Looks for a name, loose first, then packed.
    fn read(&self, name: &[u8]) -> RefValue {
        let path = self.path(name);
        // Nothing there, or a directory beside a packed ref of the same name.
        if self.system.stat(&path).is_none_or(|stat| stat.kind != FileKind::File) {
            return if self.is_packed(name) { RefValue::Commit } else { RefValue::Nothing };
        }
        let content = read(self.system, &path, self.dir(name), SMALL).unwrap_or_default();
        match target(&content) {
            _ if starts_with_id(&content) => RefValue::Commit,
            Some(next) => RefValue::Ref(next.to_vec()),
            None => RefValue::Broken,
        }
    }

    fn is_packed(&self, name: &[u8]) -> bool {
        let name_of = |line: &'_ [u8]| line.iter().position(|byte| *byte == b' ').map(|at| at + 1);
        self.packed.split(|byte| *byte == b'\n').any(|line| {
            starts_with_id(line) && name_of(line).is_some_and(|at| line[at..].trim_ascii_end() == name)
        })
    }

    /// Returns where a name would lie loose: most refs are shared by all work trees, some are of one.
    /// Returns the directory that a name is relative to.
    fn dir(&self, name: &[u8]) -> &PathBuf {
        let own = !name.starts_with(b"refs/")
            || [&b"refs/bisect/"[..], b"refs/worktree/", b"refs/rewritten/"]
                .iter()
                .any(|dir| name.starts_with(dir));
        if own { &self.repository.git_dir } else { &self.repository.common_dir }
    }

    fn path(&self, name: &[u8]) -> PathBuf {
        self.dir(name).join(as_path(name))
    }
}

/// Returns whether git accepts a name as a ref; such a name cannot escape the directory that it is joined to.
fn is_ref_name(name: &[u8]) -> bool {
    let bad = |byte: &u8| byte.is_ascii_control() || b" ~^:?*[\\".contains(byte);
    !name.is_empty()
        && name != b"@"
        && !name.iter().any(bad)
        && !name.ends_with(b".")
        && !name.windows(2).any(|pair| pair == b".." || pair == b"@{")
        && name
            .split(|byte| *byte == b'/')
            .all(|part| !part.is_empty() && !part.starts_with(b".") && !part.ends_with(b".lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_name_never_leads_out_of_its_directory() {
        for good in ["refs/heads/main", "refs/heads/a/b", "refs/heads/é", "HEAD"] {
            assert!(is_ref_name(good.as_bytes()), "{good}");
        }
        for bad in
            ["", "@", "refs/heads/../../x", "/etc/passwd", "refs//x", "refs/heads/.x", "a.lock", "a b", "a\n"]
        {
            assert!(!is_ref_name(bad.as_bytes()), "{bad:?}");
        }
    }
}
