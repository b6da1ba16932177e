//! The refs of a repository, loose or packed, and git's abbreviation of a name among them.

use super::{
    open::{self, Repository},
    shown_path,
};
use crate::system::{FileKind, GitError, System};
use std::{
    ops::Range,
    path::{Path, PathBuf},
};

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
    pub(super) fn abbreviated_head(&self, system: &dyn System) -> Result<Option<Vec<u8>>, GitError> {
        let format = self.format(system)?;
        let Some(mut name) = open::target(&self.head).map(<[u8]>::to_vec) else {
            return Ok(Some(b"HEAD".to_vec()));
        };
        let mut refs = Refs { system, repository: self, packed: None };
        for _ in 0..HOPS {
            if !is_ref_name(&name) {
                return Err(no_ref(&self.head_path()));
            }
            match refs.look(&name)? {
                RefValue::Commit => {
                    let strict = !format.warn_ambiguous.as_deref().is_some_and(is_false);
                    return refs.abbreviate(&name, strict).map(Some);
                }
                RefValue::Nothing if refs.packed.as_ref().is_some_and(|packed| packed.is_unread) => {
                    return refs.abbreviate(&name, false).map(Some);
                }
                RefValue::Ref(next) => name = next,
                RefValue::Nothing => return Ok(None),
                RefValue::Broken => {
                    return Err(no_ref(&refs.path(&name)));
                }
            }
        }
        Err(GitError::Broken(format!("`{}` leads from ref to ref", shown_path(&self.head_path()))))
    }
}

/// The refs of a repository.
struct Refs<'a> {
    system: &'a dyn System,
    repository: &'a Repository,
    /// `packed-refs`, once it was needed.
    packed: Option<PackedRefs>,
}

/// The names in `packed-refs`.
#[derive(Default)]
struct PackedRefs {
    content: Vec<u8>,
    /// The byte range of each name in the content, sorted by name.
    names: Vec<Range<usize>>,
    /// True if the file is larger than [`PACKED`].
    is_unread: bool,
}

impl PackedRefs {
    fn of(content: Vec<u8>) -> PackedRefs {
        let (mut names, mut start) = (Vec::new(), 0);
        for line in content.split(|byte| *byte == b'\n') {
            if open::starts_with_id(line) {
                let name = line.iter().position(|byte| *byte == b' ').map_or(line.len(), |at| at + 1);
                names.push(start + name..start + name + line[name..].trim_ascii_end().len());
            }
            start += line.len() + 1;
        }
        names.sort_unstable_by(|a, b| content[a.clone()].cmp(&content[b.clone()]));
        PackedRefs { content, names, is_unread: false }
    }

    fn has(&self, name: &[u8]) -> bool {
        !name.is_empty() && self.names.binary_search_by(|at| self.content[at.clone()].cmp(name)).is_ok()
    }
}

enum RefValue {
    Commit,
    Ref(Vec<u8>),
    Nothing,
    Broken,
}

impl Refs<'_> {
    /// Shortens a full name by git's rules, as far as it stays unambiguous. Where `strict` is off, only the rules that
    /// git tries first can make a short name ambiguous.
    fn abbreviate(&mut self, name: &[u8], strict: bool) -> Result<Vec<u8>, GitError> {
        for (at, (before, after)) in RULES.iter().enumerate().skip(1).rev() {
            let short = name
                .strip_prefix(before.as_bytes())
                .and_then(|rest| rest.strip_suffix(after.as_bytes()))
                .filter(|short| !short.is_empty());
            let Some(short) = short else { continue };
            let until = if strict { RULES.len() } else { at };
            let mut ambiguous = false;
            for (before, after) in
                RULES[..until].iter().enumerate().filter(|(rule, _)| *rule != at).map(|(_, r)| r)
            {
                if self.exists(&[before.as_bytes(), short, after.as_bytes()].concat())? {
                    ambiguous = true;
                    break;
                }
            }
            if !ambiguous {
                return Ok(short.to_vec());
            }
        }
        Ok(name.to_vec())
    }

    /// Returns whether a name resolves to a commit.
    fn exists(&mut self, name: &[u8]) -> Result<bool, GitError> {
        let mut name = name.to_vec();
        for _ in 0..HOPS {
            if !is_ref_name(&name) {
                return Ok(false);
            }
            match self.look(&name)? {
                RefValue::Commit => return Ok(true),
                RefValue::Ref(next) => name = next,
                RefValue::Nothing | RefValue::Broken => return Ok(false),
            }
        }
        Ok(false)
    }

    /// Looks for a name, loose first, then packed.
    fn look(&mut self, name: &[u8]) -> Result<RefValue, GitError> {
        let path = self.path(name);
        let files = self.repository.files(self.system);
        // Nothing there, or a directory beside a packed ref of the same name. To look is cheaper than to try to read.
        if files.kind(&path)? != Some(FileKind::File) {
            return Ok(if self.is_packed(name)? { RefValue::Commit } else { RefValue::Nothing });
        }
        let content = match files.read(&path, open::SMALL) {
            Ok(content) => content.unwrap_or_default(),
            Err(GitError::Broken(_)) => return Ok(RefValue::Broken),
            Err(problem) => return Err(problem),
        };
        Ok(match open::target(&content) {
            _ if open::starts_with_id(&content) => RefValue::Commit,
            Some(next) => RefValue::Ref(next.to_vec()),
            None => RefValue::Broken,
        })
    }

    /// Returns whether `packed-refs` has a name.
    fn is_packed(&mut self, name: &[u8]) -> Result<bool, GitError> {
        if self.packed.is_none() {
            let files = self.repository.files(self.system);
            let path = self.repository.common_dir.join("packed-refs");
            let is_large = files.stat(&path)?.is_some_and(|stat| stat.len > PACKED);
            self.packed = Some(if is_large {
                PackedRefs { is_unread: true, ..PackedRefs::default() }
            } else {
                PackedRefs::of(files.read(&path, PACKED)?.unwrap_or_default())
            });
        }
        Ok(self.packed.as_ref().is_some_and(|packed| packed.has(name)))
    }

    /// Returns where a name would lie loose: most refs are shared by all work trees, some are of one.
    fn path(&self, name: &[u8]) -> PathBuf {
        let own = !name.starts_with(b"refs/")
            || [&b"refs/bisect/"[..], b"refs/worktree/", b"refs/rewritten/"]
                .iter()
                .any(|dir| name.starts_with(dir));
        let dir = if own { &self.repository.git_dir } else { &self.repository.common_dir };
        dir.join(open::path(name))
    }
}

/// Returns whether git accepts a name as a ref; such a name cannot escape the directory that it is joined to.
pub(crate) fn is_ref_name(name: &[u8]) -> bool {
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

/// Returns the error for a file that is not a ref.
pub(crate) fn no_ref(path: &Path) -> GitError {
    GitError::Broken(format!("`{}` is no ref; expected an object id or `ref: refs/…`", shown_path(path)))
}

/// Returns whether git reads a value as false.
fn is_false(value: &str) -> bool {
    ["false", "no", "off", "0", ""].iter().any(|word| value.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whatever_their_order() {
        let id = "0".repeat(40);
        let packed = PackedRefs::of(
            format!(
                "# pack-refs with: sorted\n{id} refs/tags/b\n^{id}\n{id} refs/heads/a\r\n{id}\nx refs/heads/x\n{id} c"
            )
            .into_bytes(),
        );
        for name in ["refs/tags/b", "refs/heads/a", "c"] {
            assert!(packed.has(name.as_bytes()), "{name}");
        }
        for name in ["", "refs/tags", "refs/heads/x", "b", &id] {
            assert!(!packed.has(name.as_bytes()), "{name}");
        }
    }

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
