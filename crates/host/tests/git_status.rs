//! `git:status` is what `git status --short` prints, in every state of a work tree, but for dirty submodules.

mod git_support;

use git_support::{git, git_output, in_clean_room, put, run, status};
use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

/// A state that is made of a repository with three committed files.
type State = (&'static str, fn(&Path));

const STATES: &[State] = &[
    ("nothing changed", |_| {}),
    ("an edit", |dir| put(dir.join("file"), "changed\n")),
    ("an edit that is staged", |dir| {
        put(dir.join("file"), "changed\n");
        run(dir, "add .");
    }),
    ("staged and edited again", |dir| {
        put(dir.join("file"), "changed\n");
        run(dir, "add .");
        put(dir.join("file"), "changed again\n");
    }),
    ("a new file", |dir| put(dir.join("new"), "x\n")),
    ("a new file that is staged", |dir| {
        put(dir.join("new"), "x\n");
        run(dir, "add .");
    }),
    ("a new file that is intended to be added", |dir| {
        put(dir.join("new"), "x\n");
        run(dir, "add -N new");
    }),
    ("a new directory", |dir| put(dir.join("more/deep/new"), "x\n")),
    ("an empty directory", |dir| fs::create_dir(dir.join("empty")).expect("a directory")),
    ("a deleted file", |dir| fs::remove_file(dir.join("file")).expect("removed")),
    ("a file removed by git", |dir| _ = run(dir, "rm -q file")),
    ("a file removed from the index alone", |dir| _ = run(dir, "rm -q --cached file")),
    ("a rename", |dir| _ = run(dir, "mv file renamed")),
    ("a rename with an edit", |dir| {
        run(dir, "mv file renamed");
        put(dir.join("renamed"), "one\ntwo\nthree\nfour!\n");
    }),
    ("an executable bit", |dir| {
        fs::set_permissions(dir.join("file"), fs::Permissions::from_mode(0o755)).expect("a mode");
    }),
    ("a file that became a link", |dir| {
        fs::remove_file(dir.join("file")).expect("removed");
        symlink("sub/file", dir.join("file")).expect("a link");
    }),
    ("names that are quoted", |dir| {
        for name in
            ["two words", "tab\tbed", "quote\"d", "\u{fc}ml\u{e4}ut", "\u{1f680}", "new\nline", "-dash"]
        {
            put(dir.join(name), "x\n");
        }
    }),
    ("names that are not quoted", |dir| {
        put(dir.join("\u{fc}ml\u{e4}ut"), "x\n");
        run(dir, "config core.quotePath false");
    }),
    ("ignored files", |dir| {
        put(dir.join(".gitignore"), "*.log\nbuild/\n");
        put(dir.join("x.log"), "x\n");
        put(dir.join("build/x"), "x\n");
    }),
    ("no untracked files", |dir| {
        put(dir.join("new"), "x\n");
        run(dir, "config status.showUntrackedFiles no");
    }),
    ("all untracked files", |dir| {
        put(dir.join("more/new"), "x\n");
        run(dir, "config status.showUntrackedFiles all");
    }),
    ("paths from the root", |dir| {
        put(dir.join("new"), "x\n");
        run(dir, "config status.relativePaths false");
    }),
    ("no renames", |dir| {
        run(dir, "mv file renamed");
        run(dir, "config status.renames false");
    }),
    ("line ends", |dir| {
        put(dir.join("file"), "one\r\ntwo\r\nthree\r\nfour\r\n");
        run(dir, "config core.autocrlf true");
    }),
    ("a merge with a conflict", |dir| {
        run(dir, "checkout -qb side");
        put(dir.join("file"), "side\n");
        run(dir, "commit -qam side");
        run(dir, "checkout -q main");
        put(dir.join("file"), "main\n");
        run(dir, "commit -qam main");
        git_output(dir, ["merge", "-q", "side"]);
    }),
    ("a sparse index", |dir| _ = run(dir, "sparse-checkout set --sparse-index sub")),
    ("SHA-256", |dir| {
        fs::remove_dir_all(dir.join(".git")).expect("removed");
        run(dir, "init -q --object-format=sha256");
    }),
    ("a reftable", |dir| {
        fs::remove_dir_all(dir.join(".git")).expect("removed");
        run(dir, "init -q --ref-format=reftable");
    }),
    ("no commit", |dir| {
        fs::remove_dir_all(dir.join(".git")).expect("removed");
        run(dir, "init -q");
        run(dir, "add file");
    }),
    ("a repository in the work tree", |dir| {
        make(&dir.join("nested"));
        put(dir.join("nested/new"), "x\n");
    }),
    ("a submodule at another commit", |dir| {
        submodule(dir);
        run(&dir.join("module"), "commit -q --allow-empty -m more");
    }),
    ("a submodule with an edit and a new file", |dir| {
        submodule(dir);
        put(dir.join("module/file"), "changed\n");
        put(dir.join("module/new"), "x\n");
    }),
];

fn make(dir: &Path) {
    fs::create_dir_all(dir).expect("a directory");
    run(dir, "init -q");
    put(dir.join("file"), "one\ntwo\nthree\nfour\n");
    put(dir.join("sub/file"), "x\n");
    put(dir.join("sub/deep/file"), "x\n");
    run(dir, "add .");
    run(dir, "commit -qm one");
}

fn submodule(dir: &Path) {
    make(&dir.with_file_name("library"));
    git(dir, ["submodule", "--quiet", "add", "../library", "module"]);
    run(dir, "commit -qm module");
}

#[test]
fn equals_git() {
    if !in_clean_room("equals_git") {
        return;
    }
    let mut clean = 0;
    for (name, change) in STATES {
        let holder = tempfile::tempdir().expect("a temporary directory");
        let root = holder.path().canonicalize().expect("a path");
        let dir = root.join("tree");
        make(&dir);
        change(&dir);
        run_worktree(&dir);
        for place in [dir.clone(), dir.join("sub/deep"), root.join("linked")] {
            if !place.is_dir() {
                continue;
            }
            let output = git_output(&place, ["--no-optional-locks", "status", "--short"]);
            let theirs = String::from_utf8(output.stdout).expect("git prints UTF-8");
            let lines = theirs.lines().filter(|line| !line.starts_with(" m ") && !line.starts_with(" ? "));
            let theirs = lines.collect::<Vec<_>>().join("\n");
            clean += usize::from(theirs.is_empty());
            assert_eq!(status(&place), Ok(theirs), "{name}, in {}", place.display());
        }
    }
    assert!(clean < 2 * STATES.len(), "{clean} of {} are clean", 3 * STATES.len());
}

/// Adds a linked work tree with a new file, where there is a commit.
fn run_worktree(dir: &Path) {
    let linked = dir.with_file_name("linked");
    if git_output(dir, ["worktree", "add", "-q", "--detach", "../linked"]).status.success() {
        put(linked.join("sub/new"), "x\n");
    }
}

#[test]
fn without_a_work_tree_there_is_no_status() {
    use preface_host::provider::git::GitError;
    if !in_clean_room("without_a_work_tree_there_is_no_status") {
        return;
    }
    let holder = tempfile::tempdir().expect("a temporary directory");
    let dir = holder.path().canonicalize().expect("a path");
    assert_eq!(status(&dir), Err(GitError::NoRepository));
    assert_eq!(status(&dir.join("missing")), Err(GitError::NoRepository));
    run(&dir, "init -q --bare bare.git");
    assert_eq!(status(&dir.join("bare.git")), Err(GitError::NoRepository), "a bare repository");
    let broken = dir.join("broken");
    make(&broken);
    put(broken.join(".git/index"), "nonsense");
    assert!(matches!(status(&broken), Err(GitError::Broken(_))), "a broken index");
}
