//! Which files may speak, in the order in which they do: managed ones, the user's, then the tree's.

use super::{options::Options, options::Order};
use crate::{
    look::Look,
    places::{normal, resolved},
    system::FileKind,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    scope::Scope,
};
use std::path::{Path, PathBuf};

/// A place where an instruction file may be.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub path: PathBuf,
    pub kind: Kind,
    pub scope: Scope,
    /// The directory that it is a file of.
    pub dir: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file of the machine's administrator.
    Managed,
    /// A file of the user for all projects.
    User,
    /// A file of the project.
    Project,
    /// A file of the user for this project.
    Local,
    /// A file in a directory of rules.
    Rule,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Managed => "managed",
            Kind::User => "user",
            Kind::Project => "project",
            Kind::Local => "local",
            Kind::Rule => "rule",
        }
    }

    /// Returns the kind of a file of the tree: `NAME.local.md` is local.
    fn of_tree(path: &Path) -> Self {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if stem.is_some_and(|stem| stem.ends_with(".local")) { Kind::Local } else { Kind::Project }
    }
}

impl Candidate {
    /// Returns the rank by which files are dropped when the section is cut, the lowest first: the farthest
    /// parent first, and the user's file for this project last of the tree.
    pub fn rank(&self, cwd: &Path) -> u32 {
        const NEAREST: u32 = u32::MAX / 4;
        let distance = cwd.ancestors().position(|above| above == self.dir).unwrap_or_default();
        let near = NEAREST.saturating_sub(u32::try_from(distance).unwrap_or(NEAREST));
        match self.kind {
            Kind::Managed => u32::MAX,
            Kind::Local => near * 2 + 1,
            Kind::Project => near * 2,
            Kind::User | Kind::Rule => NEAREST * 2,
        }
    }
}

/// The managed files.
pub fn managed(options: &Options, look: &Look<'_>) -> Vec<Candidate> {
    let at = |path: &String| candidate(&look.places.cwd, Path::new(path), Kind::Managed, Scope::Global);
    options.managed.iter().map(at).collect()
}

/// The user's files.
pub fn user(options: &Options, look: &Look<'_>) -> Vec<Candidate> {
    let Some(global) = &look.places.global else { return Vec::new() };
    let at = |name: &String| candidate(global, Path::new(name), Kind::User, Scope::Global);
    options.user.iter().map(at).collect()
}

/// The user's files that are there and that this configuration does not read.
pub fn unread(options: &Options, look: &Look<'_>) -> Vec<Candidate> {
    let Some(global) = &look.places.global else { return Vec::new() };
    let read: Vec<PathBuf> = managed(options, look)
        .into_iter()
        .chain(user(options, look))
        .chain(tree(options, look))
        .map(|candidate| resolved(look.system, &candidate.path))
        .collect();
    let at = |name: &String| candidate(global, Path::new(name), Kind::User, Scope::Global);
    let is_unread = |candidate: &Candidate| {
        look.system.stat(&candidate.path).is_some_and(|stat| stat.kind == FileKind::File)
            && !read.contains(&resolved(look.system, &candidate.path))
    };
    options.unread.iter().map(at).filter(is_unread).collect()
}

/// The most directories that are searched, from the cwd up. The limit exists because the real path of each is
/// resolved.
const MOST_LEVELS: usize = 128;

/// The files of the tree.
pub fn tree(options: &Options, look: &Look<'_>) -> Vec<Candidate> {
    let dirs: Vec<&Path> = look.places.cwd.ancestors().take(MOST_LEVELS).collect();
    if look.places.cwd.ancestors().nth(MOST_LEVELS).is_some() {
        let what =
            format!("only the {MOST_LEVELS} nearest directories were looked into for instruction files");
        let note = Diagnostic::warning(DiagnosticCode::InstructionsLimit, what)
            .help("work in a directory that lies less deep");
        if !look.notes.borrow().contains(&note) {
            look.note(note);
        }
    }
    let mut found = named(&dirs, options, |at| options.names_at(at));
    if !options.fallback.is_empty() && !any_name(&dirs, options, look) {
        found.extend(named(&dirs, options, |_| &options.fallback));
    }
    found
}

/// Returns the files of these names, in order. `names` returns the names for a directory by its distance from
/// the cwd.
fn named<'o>(dirs: &[&Path], options: &Options, names: impl Fn(usize) -> &'o Vec<String>) -> Vec<Candidate> {
    let mut by_dir: Vec<Vec<Candidate>> = Vec::with_capacity(dirs.len());
    for (at, dir) in dirs.iter().enumerate() {
        let in_dir = names(at).iter().map(|name| {
            let candidate = candidate(dir, Path::new(name), Kind::Project, Scope::Project);
            Candidate { kind: Kind::of_tree(&candidate.path), ..candidate }
        });
        by_dir.push(in_dir.collect());
    }
    if options.order == Order::RootFirst {
        by_dir.reverse();
    }
    by_dir.into_iter().flatten().collect()
}

impl Options {
    /// The names that are read in a directory, by its distance from the cwd.
    fn names_at(&self, at: usize) -> &Vec<String> {
        match (at, self.order) {
            (0, _) | (_, Order::RootFirst) => &self.names,
            _ => &self.above,
        }
    }
}

/// True where a file that is read by its name is anywhere on the way and not empty, whatever becomes of it. The user's own
/// do not count.
fn any_name(dirs: &[&Path], options: &Options, look: &Look<'_>) -> bool {
    let own: Vec<PathBuf> = managed(options, look)
        .into_iter()
        .chain(user(options, look))
        .map(|candidate| resolved(look.system, &candidate.path))
        .collect();
    dirs.iter().enumerate().any(|(at, dir)| {
        options.names_at(at).iter().any(|name| {
            let path = normal(dir, Path::new(name));
            look.system.stat(&path).is_some_and(|stat| stat.kind == FileKind::File && stat.len > 0)
                && !own.contains(&resolved(look.system, &path))
        })
    })
}

fn candidate(dir: &Path, name: &Path, kind: Kind, scope: Scope) -> Candidate {
    Candidate { path: normal(dir, name), kind, scope, dir: dir.to_owned() }
}
