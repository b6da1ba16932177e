//! Lists the files that may be included, in order: managed ones, the user's, then the tree's.

use super::{options::DirectoryOrder, options::InstructionOptions};
use crate::{
    places::{normal, resolve_links},
    provider::{context::ProviderContext, git},
    system::FileKind,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    scope::Scope,
};
use std::path::{Path, PathBuf};

/// A place where an instruction file may be.
#[derive(Clone, Debug)]
pub struct InstructionCandidate {
    pub path: PathBuf,
    pub kind: InstructionKind,
    pub scope: Scope,
    /// The directory that it is a file of.
    pub dir: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum InstructionKind {
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

impl InstructionKind {
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the kind of a file of the tree: `NAME.local.md` is local.
    fn of_tree(path: &Path) -> Self {
        if is_local(path) { InstructionKind::Local } else { InstructionKind::Project }
    }
}

/// Returns whether a file of the tree is the user's for this project: `NAME.local.md`.
pub fn is_local(path: &Path) -> bool {
    path.file_stem().and_then(|stem| stem.to_str()).is_some_and(|stem| stem.ends_with(".local"))
}

impl InstructionCandidate {
    /// Returns the rank by which files are dropped when the section is cut, the lowest first: the farthest
    /// parent first, and the user's file for this project last of the tree.
    pub fn rank(&self, cwd: &Path) -> u32 {
        const NEAREST: u32 = u32::MAX / 4;
        let distance = cwd.ancestors().position(|above| above == self.dir).unwrap_or_default();
        let near = NEAREST.saturating_sub(u32::try_from(distance).unwrap_or(NEAREST));
        match self.kind {
            InstructionKind::Managed => u32::MAX,
            InstructionKind::Local => near * 2 + 1,
            InstructionKind::Project => near * 2,
            InstructionKind::User | InstructionKind::Rule => NEAREST * 2,
        }
    }
}

/// The managed files.
pub fn managed(options: &InstructionOptions, context: &ProviderContext<'_>) -> Vec<InstructionCandidate> {
    let at = |path: &String| {
        candidate(&context.places.cwd, Path::new(path), InstructionKind::Managed, Scope::Global)
    };
    options.managed.iter().map(at).collect()
}

/// The user's files.
pub fn user(options: &InstructionOptions, context: &ProviderContext<'_>) -> Vec<InstructionCandidate> {
    let Some(global) = &context.places.global else { return Vec::new() };
    let at = |name: &String| candidate(global, Path::new(name), InstructionKind::User, Scope::Global);
    options.user.iter().map(at).collect()
}

/// The user's files that are there and that this configuration does not read.
pub fn unread(options: &InstructionOptions, context: &ProviderContext<'_>) -> Vec<InstructionCandidate> {
    let Some(global) = &context.places.global else { return Vec::new() };
    let read: Vec<PathBuf> = managed(options, context)
        .into_iter()
        .chain(user(options, context))
        .chain(tree(options, context))
        .map(|candidate| resolve_links(context.system, &candidate.path))
        .collect();
    let at = |name: &String| candidate(global, Path::new(name), InstructionKind::User, Scope::Global);
    let is_unread = |candidate: &InstructionCandidate| {
        context.system.stat(&candidate.path).is_some_and(|stat| stat.kind == FileKind::File)
            && !read.contains(&resolve_links(context.system, &candidate.path))
    };
    options.unread.iter().map(at).filter(is_unread).collect()
}

/// The most directories that are searched, from the cwd up. The limit exists because the real path of each is
/// resolved.
const MOST_LEVELS: usize = 128;

/// The directories from the cwd up to the topmost one.
pub fn directories(options: &InstructionOptions, context: &ProviderContext<'_>) -> Vec<PathBuf> {
    let cwd = &context.places.cwd;
    let top = match options.stop {
        "cwd" => Some(cwd.clone()),
        "home" => context.places.home.clone(),
        "work-tree" => git::work_tree_root(context.system, cwd).or_else(|| Some(cwd.clone())),
        _ => None,
    };
    // The cwd may lead here through links, the top is compared where they lead.
    let top = top.map(|top| context.system.canonical(&top).unwrap_or(top));
    let is_top = |dir: &Path| match &top {
        None => false,
        Some(top) => top == dir || context.system.canonical(dir).is_ok_and(|real| real == *top),
    };
    let mut dirs: Vec<PathBuf> = Vec::new();
    for dir in cwd.ancestors() {
        if dirs.len() == MOST_LEVELS {
            let what =
                format!("only the {MOST_LEVELS} nearest directories were looked into for instruction files");
            let diagnostic = Diagnostic::warning(DiagnosticCode::InstructionsLimit, what)
                .help("work in a directory that lies less deep");
            if !context.diagnostics.borrow().contains(&diagnostic) {
                context.note(diagnostic);
            }
            break;
        }
        dirs.push(dir.to_owned());
        if is_top(dir) {
            break;
        }
    }
    dirs
}

/// The file of the main work tree that a linked one inside of it hides by a file of the same name.
pub fn hidden_by_work_tree(names: &[String], context: &ProviderContext<'_>) -> Option<PathBuf> {
    let cwd = context.system.canonical(&context.places.cwd).ok()?;
    let git = |dir: &Path| context.system.link_stat(&dir.join(".git"));
    // A `.git` ends the work tree, even one that git would pass by. That of a linked one is a file.
    let (root, _) = cwd
        .ancestors()
        .find_map(|dir| Some((dir, git(dir)?)))
        .filter(|(_, stat)| stat.kind == FileKind::File)?;
    let repository =
        git::Repository::holding(context.system, &cwd).ok().filter(|found| found.root == root)?;
    // git writes `../..` into a work tree's `commondir`.
    let common_dir = context.system.canonical(&repository.common_dir).ok()?;
    let main = common_dir.parent()?;
    let is_nested = repository.git_dir != repository.common_dir
        && common_dir.ends_with(".git")
        && root != main
        && root.starts_with(main);
    if !is_nested {
        return None;
    }
    let is_file = |name: &&String| {
        context.system.stat(&root.join(name)).is_some_and(|stat| stat.kind == FileKind::File)
    };
    Some(main.join(names.iter().find(is_file)?))
}

/// The files of the tree.
pub fn tree(options: &InstructionOptions, context: &ProviderContext<'_>) -> Vec<InstructionCandidate> {
    let dirs = directories(options, context);
    let mut found = files_of(&dirs, options, |at| options.names_at(at));
    if !options.fallback.is_empty() && !any_name(&dirs, options, context) {
        found.extend(files_of(&dirs, options, |_| &options.fallback));
    }
    found
}

/// Returns the files of these names, in order. `names` returns the names for a directory by its distance from
/// the cwd.
fn files_of<'o>(
    dirs: &[PathBuf],
    options: &InstructionOptions,
    names: impl Fn(usize) -> &'o Vec<String>,
) -> Vec<InstructionCandidate> {
    let mut by_dir: Vec<Vec<InstructionCandidate>> = Vec::with_capacity(dirs.len());
    for (at, dir) in dirs.iter().enumerate() {
        let in_dir = names(at).iter().map(|name| {
            let candidate = candidate(dir, Path::new(name), InstructionKind::Project, Scope::Project);
            InstructionCandidate { kind: InstructionKind::of_tree(&candidate.path), ..candidate }
        });
        by_dir.push(in_dir.collect());
    }
    if options.order == DirectoryOrder::RootFirst {
        by_dir.reverse();
    }
    by_dir.into_iter().flatten().collect()
}

impl InstructionOptions {
    /// The names that are read in a directory, by its distance from the cwd.
    fn names_at(&self, at: usize) -> &Vec<String> {
        match (at, self.order) {
            (0, _) | (_, DirectoryOrder::RootFirst) => &self.names,
            _ => &self.above,
        }
    }
}

/// True if a file that is read by its name is anywhere on the way and not empty, whatever becomes of it. The user's own
/// do not count.
fn any_name(dirs: &[PathBuf], options: &InstructionOptions, context: &ProviderContext<'_>) -> bool {
    let own: Vec<PathBuf> = managed(options, context)
        .into_iter()
        .chain(user(options, context))
        .map(|candidate| resolve_links(context.system, &candidate.path))
        .collect();
    dirs.iter().enumerate().any(|(at, dir)| {
        options.names_at(at).iter().any(|name| {
            let path = normal(dir, Path::new(name));
            context.system.stat(&path).is_some_and(|stat| stat.kind == FileKind::File && stat.len > 0)
                && !own.contains(&resolve_links(context.system, &path))
        })
    })
}

fn candidate(dir: &Path, name: &Path, kind: InstructionKind, scope: Scope) -> InstructionCandidate {
    InstructionCandidate { path: normal(dir, name), kind, scope, dir: dir.to_owned() }
}
