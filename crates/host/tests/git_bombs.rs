//! Repositories that would take all memory or all time: the status reads little of them, ends, and leaves no thread.

#![cfg(all(target_os = "linux", feature = "git-status"))]

mod git_support;

use git_support::{git, in_clean_room, put, run, status};
use preface_host::{
    provider::git::{branch, head},
    system::{GitError, HardLinks, git_status, os::OsSystem},
};
use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant, SystemTime},
};

/// The most memory that the process of a test may ever have, in bytes.
const MEMORY: u64 = 256 << 20;
/// The most bytes that one status may read.
const READ: u64 = 16 << 20;

/// What is put in the place of a file.
const KINDS: [&str; 6] =
    ["/dev/zero", "/dev/urandom", "a pipe", "a directory", "a link out", "1 GB of holes"];

fn replace(path: &Path, kind: &str, outside: &Path) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("its directory");
    _ = fs::remove_file(path);
    match kind {
        "a pipe" => {
            let made = Command::new("mkfifo").arg(path).status().expect("mkfifo starts");
            assert!(made.success());
        }
        "a directory" => fs::create_dir(path).expect("a directory"),
        "a link out" => symlink(outside, path).expect("a link"),
        "1 GB of holes" => fs::File::create(path).expect("a file").set_len(1 << 30).expect("its length"),
        device => symlink(device, path).expect("a link"),
    }
}

/// A number of `/proc/self`, in bytes where it has a unit.
fn figure(file: &str, name: &str) -> u64 {
    let text = fs::read_to_string(file).expect("a file of /proc");
    let value = text.lines().find_map(|line| line.strip_prefix(name)).expect("the figure");
    let number: u64 = value.trim().trim_end_matches(" kB").parse().expect("a number");
    if value.ends_with("kB") { number << 10 } else { number }
}

fn threads() -> u64 {
    figure("/proc/self/status", "Threads:")
}

/// Asks for the status and checks what it took.
fn bounded(dir: &Path, what: &str) -> Result<String, GitError> {
    let (before, read) = (threads(), figure("/proc/self/io", "rchar:"));
    let answer = status(dir);
    let read = figure("/proc/self/io", "rchar:") - read;
    assert!(read < READ, "{what}: {read} bytes were read");
    // A thread that was joined is listed until the kernel has cleared it away.
    let is_gone = (0..100_000).any(|_| {
        thread::yield_now();
        threads() <= before
    });
    assert!(is_gone, "{what}: a thread was left behind");
    let memory = figure("/proc/self/status", "VmHWM:");
    assert!(memory < MEMORY, "{what}: {memory} bytes of memory");
    if let Err(GitError::Broken(message)) = &answer {
        assert!(!message.contains("took more than"), "{what}: {message}");
    }
    answer
}

/// A repository with a pack, a loose commit, a ref of each kind, and files of patterns.
fn repository(dir: &Path) {
    fs::create_dir_all(dir).expect("a directory");
    run(dir, "init -q");
    put(dir.join("file"), "one\n");
    put(dir.join("sub/file"), "one\n");
    put(dir.join(".gitignore"), "*.o\n");
    put(dir.join("sub/.gitignore"), "*.a\n");
    put(dir.join("sub/.gitattributes"), "*.bin -text\n");
    run(dir, "add .");
    run(dir, "commit -qm one");
    run(dir, "repack -adq");
    run(dir, "multi-pack-index write");
    run(dir, "pack-refs --all");
    run(dir, "config core.repositoryFormatVersion 1");
    run(dir, "config extensions.worktreeConfig true");
    put(dir.join("file"), "two\n");
    run(dir, "commit -qam two");
    run(dir, "update-index --split-index");
}

/// The file of the one object, pack or index that a pattern names.
fn only(dir: &Path, end: &str) -> PathBuf {
    let mut found = fs::read_dir(dir).expect("a directory").flatten().map(|entry| entry.path());
    found.find(|path| path.to_string_lossy().ends_with(end)).expect("the file")
}

fn loose(dir: &Path, name: &str) -> PathBuf {
    let id = run(dir, &format!("rev-parse {name}"));
    dir.join(".git/objects").join(&id[..2]).join(id[2..].trim())
}

type Place = fn(&Path) -> PathBuf;

const PLACES: &[(&str, Place)] = &[
    ("HEAD", |dir| dir.join(".git/HEAD")),
    ("config", |dir| dir.join(".git/config")),
    ("config.worktree", |dir| dir.join(".git/config.worktree")),
    ("commondir", |dir| dir.join(".git/commondir")),
    ("index", |dir| dir.join(".git/index")),
    ("sharedindex", |dir| {
        let mut names = fs::read_dir(dir.join(".git")).expect("a directory").flatten();
        names
            .find(|entry| entry.file_name().to_string_lossy().starts_with("sharedindex."))
            .expect("it")
            .path()
    }),
    ("packed-refs", |dir| dir.join(".git/packed-refs")),
    ("shallow", |dir| dir.join(".git/shallow")),
    ("info/exclude", |dir| dir.join(".git/info/exclude")),
    ("info/attributes", |dir| dir.join(".git/info/attributes")),
    ("info/sparse-checkout", |dir| dir.join(".git/info/sparse-checkout")),
    ("info/grafts", |dir| dir.join(".git/info/grafts")),
    ("a ref", |dir| dir.join(".git/refs/heads/main")),
    ("a replacement", |dir| {
        let id = run(dir, "rev-parse HEAD");
        dir.join(".git/refs/replace").join(id.trim())
    }),
    ("alternates", |dir| dir.join(".git/objects/info/alternates")),
    ("a loose commit", |dir| loose(dir, "HEAD")),
    ("a loose tree", |dir| loose(dir, "HEAD^{tree}")),
    ("a pack", |dir| only(&dir.join(".git/objects/pack"), ".pack")),
    ("an index of a pack", |dir| only(&dir.join(".git/objects/pack"), ".idx")),
    ("multi-pack-index", |dir| dir.join(".git/objects/pack/multi-pack-index")),
    (".gitignore", |dir| dir.join(".gitignore")),
    (".gitattributes", |dir| dir.join(".gitattributes")),
    ("sub/.gitignore", |dir| dir.join("sub/.gitignore")),
    ("sub/.gitattributes", |dir| dir.join("sub/.gitattributes")),
    ("new/.gitignore", |dir| dir.join("new/.gitignore")),
    (".gitmodules", |dir| dir.join(".gitmodules")),
    ("a file", |dir| dir.join("sub/file")),
];

#[test]
fn no_file_is_read_without_bounds() {
    if !in_clean_room("no_file_is_read_without_bounds") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let template = root.path().join("template");
    repository(&template);
    assert_eq!(bounded(&template, "nothing is replaced").as_deref(), Ok(""));
    let outside = root.path().join("outside");
    put(&outside, "0000000000000000000000000000000000000000\n");
    for (name, place) in PLACES {
        for kind in KINDS {
            let dir = root.path().join("tree");
            let copied = Command::new("cp").arg("-a").arg(&template).arg(&dir).status().expect("cp starts");
            assert!(copied.success());
            let path = place(&dir);
            replace(&path, kind, &outside);
            let answer = bounded(&dir, &format!("{name}, {kind}"));
            let in_git_dir = path.starts_with(dir.join(".git"));
            let is_link = !["a pipe", "a directory", "1 GB of holes"].contains(&kind);
            if in_git_dir && (is_link || kind == "a pipe") {
                assert!(answer.is_err(), "{name}, {kind}: {answer:?}");
            }
            fs::remove_dir_all(&dir).expect("removed");
        }
    }
}

/// Returns when somebody last went through a link, after a moment in which the clock of the file system goes on.
fn last_followed(link: &Path) -> SystemTime {
    thread::sleep(Duration::from_millis(20));
    fs::symlink_metadata(link).and_then(|stat| stat.accessed()).expect("a link with a time of access")
}

/// Copies the template and puts a link into the copy, whose time of access moves when somebody follows it.
fn with_trap(template: &Path, dir: &Path, place: Place, target: &Path) -> PathBuf {
    let copied = Command::new("cp").arg("-a").arg(template).arg(dir).status().expect("cp starts");
    assert!(copied.success());
    let link = place(dir);
    fs::create_dir_all(link.parent().expect("a parent")).expect("its directory");
    _ = fs::remove_file(&link);
    _ = fs::remove_dir_all(&link);
    symlink(target, &link).expect("a link");
    link
}

#[test]
fn no_link_below_git_is_followed_to_its_target() {
    if !in_clean_room("no_link_below_git_is_followed_to_its_target") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let template = root.path().join("template");
    repository(&template);
    let outside = root.path().join("outside");
    put(outside.join("file"), "0000000000000000000000000000000000000000\n");
    // A file system without times of access cannot show it; the answers below still can.
    let probe = root.path().join("probe");
    symlink(&outside, &probe).expect("a link");
    let before = last_followed(&probe);
    fs::metadata(&probe).expect("its target");
    let shows = last_followed(&probe) != before;
    let more: [(&str, Place); 6] = [
        ("info", |dir| dir.join(".git/info")),
        ("objects/pack", |dir| dir.join(".git/objects/pack")),
        ("objects/ab", |dir| dir.join(".git/objects/ab")),
        ("a directory of refs", |dir| dir.join(".git/refs/remotes")),
        ("a tag", |dir| dir.join(".git/refs/tags/v1")),
        (".git", |dir| dir.join(".git")),
    ];
    for (name, place) in PLACES.iter().chain(&more) {
        if name.starts_with("new/")
            || name.starts_with("sub/")
            || *name == "a file"
            || name.starts_with(".gi")
        {
            continue;
        }
        let mut answers = Vec::new();
        for target in ["file", "", "missing"] {
            let dir = root.path().join("tree");
            let link = with_trap(&template, &dir, *place, &outside.join(target));
            let before = last_followed(&link);
            let answer = (bounded(&dir, name), branch(&OsSystem::new(&[]), &dir));
            assert!(!shows || last_followed(&link) == before, "{name}: the target was looked at: {answer:?}");
            assert!(answer.0.is_err(), "{name}: {answer:?}");
            answers.push(format!("{answer:?}"));
            fs::remove_dir_all(&dir).expect("removed");
        }
        answers.dedup();
        assert_eq!(answers.len(), 1, "{name}: the target decides about the answer: {answers:?}");
    }
}

/// What the files of a repository name is not looked at where a link leads to it.
#[test]
fn no_link_is_followed_to_what_a_repository_names() {
    if !in_clean_room("no_link_is_followed_to_what_a_repository_names") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let template = root.path().join("template");
    repository(&template);
    let outside = root.path().join("outside");
    run(root.path(), "init -q outside");
    put(outside.join("settings"), "[status]\n");
    put(outside.join("patterns"), "*\n");
    let way: Place = |dir| dir.join("way");
    type Name = fn(&Path);
    let config = |dir: &Path, text: &str| {
        let path = dir.join(".git/config");
        let plain = fs::read_to_string(&path).expect("a configuration");
        fs::write(&path, format!("{plain}{text}\n")).expect("written");
    };
    let cases: [(&str, Name, bool); 7] = [
        ("alternates", |dir| put(dir.join(".git/objects/info/alternates"), "../../way/.git/objects\n"), true),
        ("include.path", |dir| put(dir.join(".git/more"), "[include]\n\tpath = ../way/settings\n"), true),
        ("core.worktree", |dir| put(dir.join(".git/more"), "[core]\n\tworktree = ../way\n"), true),
        (
            "core.excludesFile",
            |dir| put(dir.join(".git/more"), "[core]\n\texcludesFile = way/patterns\n"),
            false,
        ),
        ("a file in a nested directory", |dir| put(dir.join("new/.git"), "gitdir: ../way/.git\n"), true),
        ("a file that names nothing", |dir| put(dir.join("new/.git"), "gitdir: ../gone/.git\n"), false),
        (
            "a link in a nested directory",
            |dir| {
                fs::create_dir(dir.join("new")).expect("a directory");
                symlink("../way/.git", dir.join("new/.git")).expect("a link");
            },
            true,
        ),
    ];
    for (name, make, is_refused) in cases {
        let dir = root.path().join("tree");
        let link = with_trap(&template, &dir, way, &outside);
        make(&dir);
        if dir.join(".git/more").exists() {
            config(&dir, "[include]\n\tpath = more");
        }
        let before = last_followed(&link);
        let answer = bounded(&dir, name);
        assert_eq!(last_followed(&link), before, "{name}: {answer:?}");
        assert_eq!(matches!(answer, Err(GitError::Unsupported(_))), is_refused, "{name}: {answer:?}");
        fs::remove_dir_all(&dir).expect("removed");
    }
}

/// A hard link makes any file a file of the repository. No message has the text of one.
#[test]
fn no_message_quotes_a_file() {
    if !in_clean_room("no_message_quotes_a_file") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let template = root.path().join("template");
    repository(&template);
    run(&template, "worktree add -q ../linked");
    const TEXTS: [&str; 6] = [
        "s3cret\n",
        "s3cret s3cret\n[s3cret\n",
        "[core]\n\tabbrev = s3cret\n\tautocrlf = s3cret\n\tfilemode = s3cret\n",
        "ref: s3cret\n",
        "gitdir: s3cret\n",
        "0123456789012345678901234567890123456789 s3cret\n^s3cret\n",
    ];
    let more: [(&str, Place); 3] = [
        ("the .git of a linked work tree", |dir| dir.with_file_name("linked").join(".git")),
        ("its gitdir", |dir| dir.join(".git/worktrees/linked/gitdir")),
        ("its commondir", |dir| dir.join(".git/worktrees/linked/commondir")),
    ];
    let mut refused = 0;
    for (name, place) in PLACES.iter().chain(&more) {
        let path = place(&template);
        let was = fs::read(&path).ok();
        for text in TEXTS {
            put(&path, text);
            for dir in [&template, &root.path().join("linked")] {
                let (status, branch) = (status(dir), branch(&OsSystem::new(&[]), dir));
                let problems = [status.err(), branch.err()].into_iter().flatten();
                for problem in problems {
                    refused += 1;
                    assert!(!problem.to_string().contains("s3cret"), "{name}, {text:?}: {problem}");
                    assert!(!problem.to_string().is_empty(), "{name}");
                }
            }
        }
        match was {
            Some(was) => put(&path, was),
            None => fs::remove_file(&path).expect("removed"),
        }
    }
    assert!(refused > 50, "{refused} messages");
}

#[test]
fn gits_own_files_may_have_one_name_where_hard_links_are_refused() {
    if !in_clean_room("gits_own_files_may_have_one_name_where_hard_links_are_refused") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let dir = root.path().join("tree");
    repository(&dir);
    run(&dir, "worktree add -q ../linked");
    let linked = root.path().join("linked");
    put(dir.join(".git/shallow"), "");
    put(dir.join("more"), "[status]\n");
    git(&dir, ["config", "include.path", "../more"]);
    // Objects of a clone are hard links.
    run(root.path(), "clone -q tree clone");
    let clone = root.path().join("clone");
    assert!(!loose(&clone, "HEAD").exists() || fs::metadata(loose(&clone, "HEAD")).is_ok());
    assert_eq!(git_status::status(&clone, HardLinks::Refuse).as_deref(), Ok(""));
    let plain = |dir: &Path| git_status::status(dir, HardLinks::Refuse);
    assert_eq!((plain(&dir).is_ok(), plain(&linked).as_deref()), (true, Ok("")));
    let files: [(&str, &Path, bool); 12] = [
        (".git/HEAD", &dir, true),
        (".git/config", &dir, true),
        (".git/index", &dir, false),
        (".git/packed-refs", &dir, true),
        (".git/shallow", &dir, false),
        (".git/info/exclude", &dir, false),
        (".git/refs/heads/main", &dir, true),
        ("more", &dir, false),
        ("../linked/.git", &linked, true),
        (".git/worktrees/linked/gitdir", &linked, true),
        (".git/worktrees/linked/commondir", &linked, true),
        (".git/worktrees/linked/HEAD", &linked, true),
    ];
    for (file, tree, has_branch) in files {
        let path = dir.join(file);
        let other = root.path().join("other name");
        fs::hard_link(&path, &other).expect("a hard link");
        let is_refused = |problem: &GitError| matches!(problem, GitError::HardLink { links: 2, .. });
        let answer = plain(tree);
        assert!(answer.as_ref().is_err_and(is_refused), "{file}: {answer:?}");
        if has_branch && file != ".git/packed-refs" {
            let answer = head(&OsSystem::new(&[]), tree, HardLinks::Refuse);
            assert!(answer.as_ref().is_err_and(is_refused), "{file}: {answer:?}");
        }
        assert!(status(tree).is_ok() && branch(&OsSystem::new(&[]), tree).is_ok(), "{file}");
        fs::remove_file(&other).expect("removed");
    }
    assert!(plain(&dir).is_ok());
}

#[test]
fn nor_in_a_submodule() {
    if !in_clean_room("nor_in_a_submodule") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let library = root.path().join("library");
    repository(&library);
    let dir = root.path().join("tree");
    repository(&dir);
    run(&dir, "submodule --quiet add ../library module");
    run(&dir, "commit -qam module");
    assert_eq!(bounded(&dir, "nothing is replaced").as_deref(), Ok(""));
    let exclude = dir.join(".git/modules/module/info/exclude");
    for kind in ["/dev/zero", "a pipe", "a link out"] {
        replace(&exclude, kind, &library.join("file"));
        assert!(bounded(&dir, kind).is_err(), "{kind}");
    }
}

#[test]
fn configuration_includes_only_files_of_the_work_tree() {
    if !in_clean_room("configuration_includes_only_files_of_the_work_tree") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    repository(root.path());
    let elsewhere = tempfile::tempdir().expect("a temporary directory");
    fs::write(elsewhere.path().join("settings"), "[status]\n").expect("written");
    let pipe = root.path().join("pipe");
    replace(&pipe, "a pipe", &elsewhere.path().join("settings"));
    // Git itself would follow an include while it writes one.
    let config = root.path().join(".git/config");
    let plain = fs::read_to_string(&config).expect("a configuration");
    let included = |path: &[u8]| {
        fs::write(&config, [plain.as_bytes(), b"[include]\n\tpath = ", path, b"\n"].concat())
            .expect("written");
        bounded(root.path(), "include.path")
    };
    // Neither a name that the system resolves, nor one that is no UTF-8 and that two readers would take for two paths.
    fs::create_dir_all(root.path().join(".git").join(OsStr::from_bytes(b"\xff"))).expect("a directory");
    let outside = elsewhere.path().join("settings");
    let name = elsewhere.path().file_name().expect("a name").as_bytes();
    for path in [
        b"/dev/zero".as_slice(),
        b"~/.ssh/id_rsa",
        b"~root/settings",
        b"~nobody-at-all/settings",
        b"%(prefix)/settings",
        outside.as_os_str().as_bytes(),
        &[b"../../", name, b"/settings"].concat(),
        &[b"\xff/../../../", name, b"/settings"].concat(),
        b"objects/../config",
    ] {
        let status = included(path);
        assert!(matches!(status, Err(GitError::Unsupported(_))), "{}: {status:?}", path.escape_ascii());
    }
    assert!(matches!(included(b"../pipe"), Err(GitError::Broken(_))));
    fs::write(root.path().join("settings"), "[status]\n\tshowUntrackedFiles = no\n").expect("written");
    assert_eq!(included(b"../settings").as_deref(), Ok(""));
}

#[test]
fn the_files_of_a_configuration_have_a_limit_together() {
    if !in_clean_room("the_files_of_a_configuration_have_a_limit_together") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    repository(root.path());
    let comment = format!("#{}\n", "x".repeat(100 << 10));
    fs::write(root.path().join(".git/more"), comment).expect("written");
    let config = root.path().join(".git/config");
    let plain = fs::read_to_string(&config).expect("a configuration");
    for (times, is_read) in [(2, true), (20, false)] {
        fs::write(&config, format!("{plain}{}", "[include]\n\tpath = more\n".repeat(times)))
            .expect("written");
        let status = bounded(root.path(), "a file that is included often");
        assert_eq!(status.is_ok(), is_read, "{times}: {status:?}");
    }
}

#[test]
fn objects_are_borrowed_from_the_work_tree_alone() {
    if !in_clean_room("objects_are_borrowed_from_the_work_tree_alone") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let dir = root.path().join("tree");
    repository(&dir);
    repository(&root.path().join("other"));
    run(&dir, "init -q inside");
    let alternates = dir.join(".git/objects/info/alternates");
    let other = root.path().join("other/.git/objects");
    let few = "../../inside/.git/objects\n".to_owned();
    for (lines, is_read) in [
        (few.clone(), true),
        (few.repeat(17), false),
        ("nowhere\n".repeat(100_000), false),
        (format!("{}\n", other.display()), false),
        ("../../../other/.git/objects\n".to_owned(), false),
        ("info/../../../../other/.git/objects\n".to_owned(), false),
    ] {
        put(alternates.clone(), &lines);
        let status = bounded(&dir, "alternates");
        let is_outside = matches!(status, Err(GitError::Unsupported(_)));
        assert_eq!((status.is_ok(), is_outside), (is_read, !is_read), "{:.60}: {status:?}", lines);
    }
}

#[test]
fn directories_that_are_nested_deep_in_an_index_do_not_end_the_process() {
    if !in_clean_room("directories_that_are_nested_deep_in_an_index_do_not_end_the_process") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    repository(root.path());
    let index = root.path().join(".git/index");
    let mut bytes = b"DIRC\0\0\0\x02\0\0\0\0TREE".to_vec();
    let tree = b"d\0-1 1\n".repeat(300_000);
    bytes.extend_from_slice(&u32::try_from(tree.len()).expect("short").to_be_bytes());
    bytes.extend_from_slice(&tree);
    bytes.extend_from_slice(&[0; 20]);
    put(index, bytes);
    assert!(matches!(bounded(root.path(), "a deep tree cache"), Err(GitError::Unsupported(_))));
}

/// Stores an object of a kind, whatever it holds.
fn store(dir: &Path, kind: &str, content: &[u8]) -> String {
    put(dir.join("object"), content);
    let id = git(dir, ["hash-object", "--literally", "-t", kind, "-w", "object"]);
    fs::remove_file(dir.join("object")).expect("removed");
    id.trim().to_owned()
}

/// An entry of a tree.
fn entry(mode: &str, name: &str, id: &str) -> Vec<u8> {
    let mut bytes = format!("{mode} {name}\0").into_bytes();
    bytes.extend((0..20).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).expect("hex")));
    bytes
}

/// Makes a tree what `HEAD` has.
fn check_in(dir: &Path, tree: &str) {
    let commit = run(dir, &format!("commit-tree {tree} -m bomb"));
    run(dir, &format!("update-ref HEAD {}", commit.trim()));
}

#[test]
fn a_few_trees_do_not_stand_for_countless_files() {
    if !in_clean_room("a_few_trees_do_not_stand_for_countless_files") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let dir = root.path();
    repository(dir);
    let blob = store(dir, "blob", b"x\n");
    // Two hundred to the fourth files.
    let name = |at: u32| format!("{at}{}", "n".repeat(240));
    let mut tree = (100..300).flat_map(|at| entry("100644", &name(at), &blob)).collect::<Vec<_>>();
    for _ in 0..3 {
        let id = store(dir, "tree", &tree);
        tree = (100..300).flat_map(|at| entry("40000", &name(at), &id)).collect();
    }
    check_in(dir, &store(dir, "tree", &tree));
    assert!(matches!(bounded(dir, "wide"), Err(GitError::Unsupported(_))));

    // Twenty thousand files with paths of 25,000 bytes.
    let files = (10_000..30_000).flat_map(|at| entry("100644", &at.to_string(), &blob)).collect::<Vec<_>>();
    let mut id = store(dir, "tree", &files);
    for _ in 0..100 {
        id = store(dir, "tree", &entry("40000", &"d".repeat(250), &id));
    }
    check_in(dir, &id);
    assert!(matches!(bounded(dir, "deep"), Err(GitError::Unsupported(_))));

    // A name that leads out.
    check_in(dir, &store(dir, "tree", &entry("100644", "..", &blob)));
    assert!(matches!(bounded(dir, "out"), Err(GitError::Broken(_))));
}

#[test]
fn an_object_is_not_unpacked_beyond_its_bound() {
    if !in_clean_room("an_object_is_not_unpacked_beyond_its_bound") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let dir = root.path();
    repository(dir);
    run(dir, "config core.compression 1");
    let holes = dir.join(".git/holes");
    fs::File::create(&holes).expect("a file").set_len(300 << 20).expect("its length");
    let path = holes.display().to_string();
    let commit = git(dir, ["hash-object", "--literally", "-t", "commit", "-w", &path]);
    put(dir.join(".git/refs/heads/main"), &commit);
    assert!(bounded(dir, "a commit").is_err());
}

#[test]
fn patterns_in_the_index_are_bounded() {
    if !in_clean_room("patterns_in_the_index_are_bounded") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let dir = root.path();
    repository(dir);
    put(dir.join("more/.gitignore"), "x\n".repeat(1 << 20));
    run(dir, "add more");
    fs::remove_file(dir.join("more/.gitignore")).expect("removed");
    assert!(matches!(bounded(dir, "in the index"), Err(GitError::Unsupported(_))));
}

#[test]
fn patterns_that_take_too_long_are_refused() {
    if !in_clean_room("patterns_that_take_too_long_are_refused") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let dir = root.path();
    repository(dir);
    let many = (0..20_000).map(|at| format!("*a*b*c*{at}*d\n")).collect::<String>();
    for at in 0..2_000 {
        put(dir.join(format!("new/aabbccaabbcc{at}")), "");
    }
    let refused = |what: &str| {
        let start = Instant::now();
        let answer = bounded(dir, what);
        assert!(matches!(answer, Err(GitError::Unsupported(_))), "{what}: {answer:?}");
        // Built without optimization, on a machine that has other work.
        assert!(start.elapsed() < Duration::from_secs(8), "{what}: {:?}", start.elapsed());
    };
    for name in [".git/info/exclude", ".gitignore", "new/.gitignore"] {
        let was = fs::read(dir.join(name)).ok();
        put(dir.join(name), &many);
        refused(name);
        // One pattern that no flag would interrupt.
        put(dir.join(name), format!("{}x\n", "**/".repeat(40)));
        refused(name);
        match was {
            Some(was) => put(dir.join(name), was),
            None => fs::remove_file(dir.join(name)).expect("removed"),
        }
    }
    assert!(bounded(dir, "few patterns").is_ok());
    put(dir.join(".git/info/attributes"), format!("{}x text\n", "**/".repeat(40)));
    put(dir.join("sub/file"), "two\n");
    refused("attributes");
}

#[test]
fn a_large_list_of_refs_keeps_the_branch() {
    if !in_clean_room("a_large_list_of_refs_keeps_the_branch") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let dir = root.path();
    repository(dir);
    let id = run(dir, "rev-parse HEAD");
    let id = id.trim();
    let start = Instant::now();
    for (count, has_tag) in [(100_000, true), (400_000, false)] {
        let mut packed = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
        packed.push_str(&format!("{id} refs/heads/packed\n"));
        (0..count).for_each(|at| packed.push_str(&format!("{id} refs/tags/v{at:07}\n")));
        put(dir.join(".git/packed-refs"), &packed);
        for (head, name) in [("main", "main"), ("packed", "packed"), ("v0000001", "heads/v0000001")] {
            put(dir.join(".git/HEAD"), format!("ref: refs/heads/{head}\n"));
            if head == "v0000001" {
                put(dir.join(".git/refs/heads/v0000001"), id);
            }
            // Whether a tag has the same name is not looked up in a list that is too large.
            let name = if has_tag { name } else { head };
            assert_eq!(
                branch(&OsSystem::new(&[]), dir).as_ref().map(Option::as_deref),
                Ok(Some(name)),
                "{count}"
            );
        }
        _ = fs::remove_file(dir.join(".git/refs/heads/v0000001"));
        put(dir.join(".git/HEAD"), "ref: refs/heads/main\n");
        assert_eq!(status(dir).as_deref(), Ok(""));
    }
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// An index of version 4 has a path as a difference to the one before it: a few bytes for a path of a megabyte.
#[test]
fn an_index_of_long_paths_is_refused() {
    if !in_clean_room("an_index_of_long_paths_is_refused") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let dir = root.path();
    repository(dir);
    let entries = 1_000u32;
    let mut index = [b"DIRC".as_slice(), &4u32.to_be_bytes(), &entries.to_be_bytes()].concat();
    for at in 0..entries {
        index.extend([0; 24]);
        index.extend(0o100_644u32.to_be_bytes());
        index.extend([0; 12]);
        index.extend([1; 20]);
        index.extend(0x0fffu16.to_be_bytes());
        index.push(if at == 0 { 0 } else { 4 });
        if at == 0 {
            index.extend(vec![b'a'; 1 << 20]);
        }
        index.extend(format!("{at:04}\0").bytes());
    }
    index.extend([0; 20]);
    put(dir.join(".git/index"), &index);
    assert!(matches!(bounded(dir, "long paths"), Err(GitError::Unsupported(_))));
}

/// A file that is touched is compared as a stream, and one that is changed differs from it.
#[test]
fn large_files_are_not_taken_into_memory() {
    if !in_clean_room("large_files_are_not_taken_into_memory") {
        return;
    }
    let root = tempfile::tempdir().expect("a temporary directory");
    let dir = root.path();
    repository(dir);
    put(dir.join(".gitattributes"), "* text=auto\nconverted eol=crlf text\n");
    let mut content = vec![b'x'; (8 << 20) + 1];
    content[20] = 0;
    for name in ["touched", "changed", "converted"] {
        put(dir.join(name), &content);
    }
    run(dir, "add .");
    run(dir, "commit -qm large");
    let rewrite = |name: &str, content: &[u8]| {
        put(dir.join(name), content);
        let file = fs::File::options().append(true).open(dir.join(name)).expect("a file");
        file.set_modified(SystemTime::UNIX_EPOCH).expect("a time");
    };
    rewrite("touched", &content);
    assert_eq!(status(dir).as_deref(), Ok(""));
    fs::remove_file(dir.join("touched")).expect("removed");
    content[100] = b'y';
    rewrite("changed", &content);
    assert_eq!(status(dir).as_deref(), Ok(" M changed\n D touched"));
    fs::remove_file(dir.join("changed")).expect("removed");
    rewrite("converted", &content);
    assert!(matches!(status(dir), Err(GitError::Unsupported(_))));
    let memory = figure("/proc/self/status", "VmHWM:");
    assert!(memory < 4 * content.len() as u64 + (64 << 20), "{memory} bytes of memory");
}
