//! The branch read from files equals what `git rev-parse --abbrev-ref HEAD` prints, in every state of a repository.

#![allow(clippy::print_stdout, reason = "the figures are part of the result")]

mod git_support;

use git_support::{git_output, in_clean_room, put, run};
use preface_host::{
    provider::git::{GitError, Repository, branch, shown, work_tree_root},
    system::{
        os::OsSystem,
        testing::{AccessKind, MemorySystem},
    },
};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

fn disk() -> OsSystem {
    OsSystem::new(&[])
}

/// The branch that git prints, or `None` if it fails.
fn oracle(dir: &Path) -> Option<String> {
    let output = git_output(dir, ["rev-parse", "--abbrev-ref", "HEAD"]);
    let name = output.stdout.trim_ascii_end();
    // Bytes that are not UTF-8 are written out; nothing else is.
    let text = || std::str::from_utf8(name).map_or_else(|_| shown(name), str::to_owned);
    output.status.success().then(text)
}

/// A repository with one commit on `main`, and a subdirectory.
fn repository(dir: &Path) {
    fs::create_dir_all(dir.join("sub/deep")).expect("a directory");
    run(dir, "init -q");
    put(dir.join("sub/file"), "x\n");
    run(dir, "add .");
    run(dir, "commit -qm one");
}

const ID: &str = "0123456789012345678901234567890123456789";

/// Makes a state and returns the directories to check.
type Make = fn(&Path) -> Vec<PathBuf>;

/// States in which our answer is git's: the same name, or none where git fails.
const STATES: &[(&str, Make)] = &[
    ("a branch, at the root and below", |dir| {
        repository(dir);
        vec![dir.into(), dir.join("sub"), dir.join("sub/deep")]
    }),
    ("a branch with slashes", |dir| {
        repository(dir);
        run(dir, "checkout -qb feature/a/b");
        vec![dir.into()]
    }),
    ("a branch outside of ASCII, and one with a hidden character", |dir| {
        repository(dir);
        run(dir, "checkout -qb fübar-🚀");
        let other = dir.join("other");
        repository(&other);
        run(&other, "checkout -qb zero\u{200b}width");
        vec![dir.into(), other]
    }),
    ("detached", |dir| {
        repository(dir);
        run(dir, "checkout -q --detach");
        vec![dir.into()]
    }),
    ("detached, and a word after the commit", |dir| {
        repository(dir);
        let id = String::from_utf8(git_output(dir, ["rev-parse", "HEAD"]).stdout).expect("an id");
        put(dir.join(".git/HEAD"), format!("{} word\n", id.trim()));
        vec![dir.into()]
    }),
    ("unborn", |dir| {
        run(dir, "init -q");
        vec![dir.into()]
    }),
    ("orphan", |dir| {
        repository(dir);
        run(dir, "checkout -q --orphan fresh");
        vec![dir.into()]
    }),
    ("packed refs", |dir| {
        repository(dir);
        run(dir, "branch mai");
        run(dir, "branch main2");
        run(dir, "pack-refs --all");
        assert!(!dir.join(".git/refs/heads/main").exists());
        vec![dir.into()]
    }),
    ("packed, and an empty directory of the same name", |dir| {
        repository(dir);
        run(dir, "pack-refs --all");
        fs::create_dir_all(dir.join(".git/refs/heads/main")).expect("a directory");
        vec![dir.into()]
    }),
    ("unborn below a branch that is a file", |dir| {
        repository(dir);
        put(dir.join(".git/HEAD"), "ref: refs/heads/main/below\n");
        vec![dir.into()]
    }),
    ("a tag of the same name", |dir| {
        repository(dir);
        run(dir, "tag main");
        vec![dir.into()]
    }),
    ("a packed tag of the same name", |dir| {
        repository(dir);
        run(dir, "tag main");
        run(dir, "pack-refs --all");
        vec![dir.into()]
    }),
    ("a tag of the same name and of the longer name", |dir| {
        repository(dir);
        run(dir, "tag main");
        run(dir, "tag heads/main");
        vec![dir.into()]
    }),
    ("a remote of the same name", |dir| {
        repository(dir);
        run(dir, "update-ref refs/remotes/main/x HEAD");
        run(dir, "symbolic-ref refs/remotes/main/HEAD refs/remotes/main/x");
        vec![dir.into()]
    }),
    ("a file of git's own with the branch's name", |dir| {
        repository(dir);
        run(dir, "checkout -qb config");
        let other = dir.join("other");
        repository(&other);
        run(&other, "update-ref ORIG_HEAD HEAD");
        put(other.join(".git/refs/heads/ORIG_HEAD"), run(&other, "rev-parse HEAD"));
        put(other.join(".git/HEAD"), "ref: refs/heads/ORIG_HEAD\n");
        vec![dir.into(), other]
    }),
    ("HEAD on a remote's branch and on a tag", |dir| {
        repository(dir);
        run(dir, "update-ref refs/remotes/origin/topic HEAD");
        put(dir.join(".git/HEAD"), "ref: refs/remotes/origin/topic\n");
        let other = dir.join("other");
        repository(&other);
        run(&other, "tag v1");
        put(other.join(".git/HEAD"), "ref: refs/tags/v1\n");
        let remote_head = dir.join("remote-head");
        repository(&remote_head);
        run(&remote_head, "update-ref refs/remotes/origin/HEAD HEAD");
        put(remote_head.join(".git/HEAD"), "ref: refs/remotes/origin/HEAD\n");
        vec![dir.into(), other, remote_head]
    }),
    ("HEAD on a branch that is a symbolic ref", |dir| {
        repository(dir);
        run(dir, "symbolic-ref refs/heads/alias refs/heads/main");
        put(dir.join(".git/HEAD"), "ref: refs/heads/alias\n");
        vec![dir.into()]
    }),
    ("HEAD with blanks and without a line end", |dir| {
        repository(dir);
        put(dir.join(".git/HEAD"), "ref:  \trefs/heads/main");
        let other = dir.join("other");
        repository(&other);
        put(other.join(".git/HEAD"), "ref: refs/heads/main  \n\n");
        vec![dir.into(), other]
    }),
    ("linked work trees: a branch, detached, unborn, inside one another", |dir| {
        let main = dir.join("main");
        repository(&main);
        run(&main, "worktree add -qb linked ../linked");
        run(&main, "worktree add -q --detach sub/inner");
        run(&main, "worktree add -q --orphan -b fresh ../fresh");
        run(&main, "pack-refs --all");
        vec![main.clone(), dir.join("linked/sub"), main.join("sub/inner/sub"), dir.join("fresh")]
    }),
    ("a linked work tree with relative paths", |dir| {
        let main = dir.join("main");
        repository(&main);
        run(&main, "worktree add -qb linked ../linked");
        put(dir.join("linked/.git"), "gitdir: ../main/.git/worktrees/linked\n");
        vec![dir.join("linked")]
    }),
    ("a linked work tree of a bare repository", |dir| {
        let source = dir.join("source");
        repository(&source);
        run(dir, "clone -q --bare source bare.git");
        run(&dir.join("bare.git"), "worktree add -qb linked ../linked");
        vec![dir.join("linked/sub")]
    }),
    ("a linked work tree that was moved", |dir| {
        let main = dir.join("main");
        repository(&main);
        run(&main, "worktree add -qb linked ../linked");
        run(&main, "worktree move ../linked ../moved");
        vec![dir.join("moved")]
    }),
    ("a submodule of a linked work tree, with a sparse checkout", |dir| {
        let (library, main) = (dir.join("library"), dir.join("main"));
        repository(&library);
        repository(&main);
        run(&main, "submodule --quiet add ../library module");
        run(&main, "commit -qm module");
        run(&main, "worktree add -qb linked ../linked");
        run(&dir.join("linked"), "submodule --quiet update --init");
        run(&dir.join("linked/module"), "sparse-checkout set sub");
        vec![dir.join("linked/module"), dir.join("linked")]
    }),
    ("a submodule", |dir| {
        let (library, main) = (dir.join("library"), dir.join("main"));
        repository(&library);
        repository(&main);
        run(&main, "submodule --quiet add ../library module");
        run(&main.join("module"), "checkout -qb inside");
        vec![main.join("module/sub"), main]
    }),
    ("a git directory elsewhere that leads back", |dir| {
        run(dir, "init -q --separate-git-dir=elsewhere tree");
        put(dir.join("tree/file"), "x");
        run(&dir.join("tree"), "add .");
        run(&dir.join("tree"), "commit -qm one");
        run(&dir.join("tree"), "config core.worktree ../tree");
        vec![dir.join("tree")]
    }),
    ("a `.git` that is a link, and a git directory elsewhere", |dir| {
        let (link, separate) = (dir.join("link"), dir.join("separate"));
        repository(&link);
        fs::rename(link.join(".git"), link.join("git")).expect("renamed");
        symlink("git", link.join(".git")).expect("a link");
        repository(&separate);
        run(&separate, "init -q --separate-git-dir=../elsewhere");
        vec![link, separate]
    }),
    ("a repository in a repository", |dir| {
        repository(dir);
        repository(&dir.join("sub/deep"));
        run(&dir.join("sub/deep"), "checkout -qb inner");
        vec![dir.join("sub"), dir.join("sub/deep/sub")]
    }),
    ("an empty `.git` inside a repository is passed by", |dir| {
        repository(dir);
        fs::create_dir(dir.join("sub/.git")).expect("a directory");
        put(dir.join("sub/deep/.git/HEAD"), "nonsense\n");
        vec![dir.join("sub"), dir.join("sub/deep")]
    }),
    ("a link to a directory of another repository", |dir| {
        repository(&dir.join("one"));
        repository(&dir.join("two"));
        run(&dir.join("two"), "checkout -qb second");
        symlink("../two/sub", dir.join("one/link")).expect("a link");
        vec![dir.join("one/link")]
    }),
    ("a SHA-256 repository", |dir| {
        run(dir, "init -q --object-format=sha256");
        put(dir.join("file"), "x");
        run(dir, "add .");
        run(dir, "commit -qm one");
        let detached = dir.join("detached");
        run(dir, "worktree add -q --detach detached");
        vec![dir.into(), detached]
    }),
    ("a merge under way", |dir| {
        repository(dir);
        run(dir, "checkout -qb other");
        put(dir.join("sub/file"), "other\n");
        run(dir, "commit -qam other");
        run(dir, "checkout -q main");
        put(dir.join("sub/file"), "main\n");
        run(dir, "commit -qam main");
        assert!(!git_output(dir, ["merge", "other"]).status.success());
        vec![dir.into()]
    }),
    ("a rebase under way", |dir| {
        repository(dir);
        run(dir, "checkout -qb other");
        put(dir.join("sub/file"), "other\n");
        run(dir, "commit -qam other");
        run(dir, "checkout -q main");
        put(dir.join("sub/file"), "main\n");
        run(dir, "commit -qam main");
        assert!(!git_output(dir, ["rebase", "other"]).status.success());
        vec![dir.into()]
    }),
    ("a bisection under way", |dir| {
        repository(dir);
        for content in ["1", "2", "3"] {
            put(dir.join("sub/file"), content);
            run(dir, "commit -qam more");
        }
        run(dir, "bisect start -q HEAD HEAD~3");
        vec![dir.into()]
    }),
    ("no repository", |dir| vec![dir.into()]),
];

#[test]
fn equals_git() {
    if !in_clean_room("equals_git") {
        return;
    }
    let mut checked = 0;
    for (state, make) in STATES {
        let dir = tempfile::tempdir().expect("a temporary directory");
        for place in make(dir.path()) {
            let ours = branch(&disk(), &place);
            let absent = matches!(ours, Ok(None) | Err(GitError::NoRepository));
            let value = ours.as_ref().ok().cloned().flatten();
            assert!(absent || value.is_some(), "{state}: {ours:?}");
            assert_eq!(value, oracle(&place), "{state}, in {}", place.display());
            checked += 1;
        }
    }
    println!("branch: {checked} places, all equal to git");
}

#[test]
fn broken_and_unknown_repositories_are_errors() {
    if !in_clean_room("broken_and_unknown_repositories_are_errors") {
        return;
    }
    let broken = |problem: &GitError| matches!(problem, GitError::Broken(_));
    let unsupported = |problem: &GitError| matches!(problem, GitError::Unsupported(_));
    type Case = (&'static str, fn(&Path), fn(&GitError) -> bool);
    let cases: &[Case] = &[
        ("nonsense in HEAD", |dir| put(dir.join(".git/HEAD"), "nonsense\n"), broken),
        ("an empty HEAD", |dir| put(dir.join(".git/HEAD"), ""), broken),
        ("an id with more at its end", |dir| put(dir.join(".git/HEAD"), format!("{ID}junk\n")), broken),
        ("an id that is too long", |dir| put(dir.join(".git/HEAD"), format!("{ID}0\n")), broken),
        ("an id that is too short", |dir| put(dir.join(".git/HEAD"), format!("{}\n", &ID[1..])), broken),
        ("a HEAD that leads out", |dir| put(dir.join(".git/HEAD"), "ref: refs/../../x\n"), broken),
        ("a HEAD that names a file", |dir| put(dir.join(".git/HEAD"), "ref: /etc/passwd\n"), broken),
        ("an empty ref", |dir| put(dir.join(".git/refs/heads/main"), ""), broken),
        ("refs in a circle", |dir| put(dir.join(".git/refs/heads/main"), "ref: refs/heads/main\n"), broken),
        ("no objects", |dir| fs::rename(dir.join(".git/objects"), dir.join("o")).expect("renamed"), broken),
        ("a huge HEAD", |dir| put(dir.join(".git/HEAD"), vec![b'x'; 1 << 20]), broken),
        (
            "a `.git` file to nowhere",
            |dir| {
                fs::rename(dir.join(".git"), dir.join("git")).expect("renamed");
                put(dir.join(".git"), "gitdir: nowhere\n");
            },
            broken,
        ),
        (
            "a HEAD that is a link",
            |dir| {
                fs::remove_file(dir.join(".git/HEAD")).expect("HEAD goes");
                symlink("refs/heads/main", dir.join(".git/HEAD")).expect("a link");
            },
            broken,
        ),
        (
            "a `.git` file with nonsense",
            |dir| {
                fs::rename(dir.join(".git"), dir.join("git")).expect("renamed");
                put(dir.join(".git"), "nonsense\n");
            },
            broken,
        ),
        (
            "reftable",
            |dir| {
                fs::remove_dir_all(dir.join(".git")).expect("removed");
                run(dir, "init -q --ref-format=reftable");
                run(dir, "commit -q --allow-empty -m one");
            },
            unsupported,
        ),
    ];
    for (state, make, expected) in cases {
        let dir = tempfile::tempdir().expect("a temporary directory");
        repository(dir.path());
        make(dir.path());
        let ours = branch(&disk(), dir.path());
        assert!(ours.as_ref().is_err_and(expected), "{state}: {ours:?}");
    }
}

#[test]
fn a_bare_layout_is_no_repository() {
    if !in_clean_room("a_bare_layout_is_no_repository") {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    repository(&dir.path().join("source"));
    run(dir.path(), "clone -q --bare source bare.git");
    assert_eq!(branch(&disk(), &dir.path().join("bare.git")), Err(GitError::NoRepository));

    repository(&dir.path().join("outer"));
    run(&dir.path().join("outer"), "checkout -qb outer");
    fs::rename(dir.path().join("bare.git"), dir.path().join("outer/tracked")).expect("renamed");
    let inside = branch(&disk(), &dir.path().join("outer/tracked"));
    assert_eq!(inside, Ok(Some("outer".into())), "the repository around it answers");
}

#[test]
fn work_trees_of_one_repository_share_a_directory() {
    if !in_clean_room("work_trees_of_one_repository_share_a_directory") {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let root = dir.path().canonicalize().expect("a path");
    let main = root.join("main");
    repository(&main);
    run(&main, "worktree add -qb linked ../linked");
    let linked = root.join("linked");
    assert_eq!(work_tree_root(&disk(), &main.join("sub/deep")), Some(main.clone()));
    assert_eq!(work_tree_root(&disk(), &linked.join("sub")), Some(linked.clone()));
    assert_eq!(work_tree_root(&disk(), &main.join(".git/refs")), None, "inside `.git` is no work tree");
    assert_eq!(work_tree_root(&disk(), &root), None);
    let common_dir = |dir: &Path| Repository::holding(&disk(), dir).expect("a repository").common_dir;
    assert_eq!(common_dir(&main), main.join(".git"));
    assert_eq!(common_dir(&linked), main.join(".git"));
    let linked = Repository::holding(&disk(), &linked).expect("a repository");
    assert_eq!(linked.branch(&disk()), Ok(Some("linked".into())));
    assert_eq!(linked.head_path(), main.join(".git/worktrees/linked/HEAD"));
}

/// However large the repository is: no directory is listed, and a few small files are opened.
#[test]
fn a_branch_takes_a_few_small_files() {
    let id = "0123456789012345678901234567890123456789 refs/heads/main\n";
    let system = MemorySystem::new()
        .with_file("/home/me/project/.git/HEAD", "ref: refs/heads/main\n")
        .with_file("/home/me/project/.git/config", "[core]\n\trepositoryformatversion = 0\n")
        .with_file("/home/me/project/.git/refs/heads/main", id)
        .with_dir("/home/me/project/.git/objects")
        .with_dir("/home/me/project/sub/deep");
    system.clear_touches();
    let place = Path::new("/home/me/project/sub/deep");
    assert_eq!(branch(&system, place), Ok(Some("main".into())));
    let touches = system.touches();
    let count = |verb| touches.iter().filter(|touch| touch.verb == verb).count();
    assert_eq!(count(AccessKind::List), 0, "{touches:?}");
    assert!((1..=5).contains(&count(AccessKind::Read)), "{touches:?}");
    assert!(touches.len() <= 80, "{} questions: {touches:?}", touches.len());
}

#[test]
fn a_large_list_of_refs_keeps_the_branch() {
    let id = "0123456789012345678901234567890123456789";
    for (count, has_tag) in [(100_000, true), (400_000, false)] {
        let mut packed = format!("# pack-refs with: peeled fully-peeled sorted \n{id} refs/heads/packed\n");
        (0..count).for_each(|at| packed.push_str(&format!("{id} refs/tags/v{at:07}\n")));
        let system = MemorySystem::new()
            .with_file("/p/.git/packed-refs", packed)
            .with_file("/p/.git/refs/heads/main", id)
            .with_file("/p/.git/refs/heads/v0000001", id)
            .with_dir("/p/.git/objects");
        // Whether a tag has the same name is not looked up in a list that is too large.
        let long = if has_tag { "heads/v0000001" } else { "v0000001" };
        for (head, name) in [("main", "main"), ("packed", "packed"), ("v0000001", long)] {
            system.put_file("/p/.git/HEAD", format!("ref: refs/heads/{head}\n"));
            assert_eq!(branch(&system, Path::new("/p")), Ok(Some(name.into())), "{count}");
        }
    }
}

/// What is git's own lies in the repository: a link of it to somewhere else is not opened.
#[test]
fn no_file_of_git_is_read_through_a_link_that_leads_out() {
    for name in ["HEAD", "packed-refs", "refs/heads/main"] {
        let system = MemorySystem::new()
            .with_dir("/work/.git/objects")
            .with_dir("/work/.git/refs/heads")
            .with_file("/elsewhere/secret", "0123456789012345678901234567890123456789 refs/heads/main\n")
            .with_link(format!("/work/.git/{name}"), "/elsewhere/secret");
        let system = match name {
            "HEAD" => system,
            _ => system.with_file("/work/.git/HEAD", "ref: refs/heads/main\n"),
        };
        assert!(!matches!(branch(&system, Path::new("/work")), Ok(Some(_))), "{name}");
    }
}
