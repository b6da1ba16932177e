//! Repositories that want to run something: neither the branch nor the status lets them. Of all programs only git starts.
//!
//! Each trap leaves a canary file behind when it runs. Most traps are shown to work first: the real git walks into
//! them.

#![allow(clippy::print_stdout, reason = "the figures are part of the result")]

mod git_support;

use git_support::{expect_one_test, git, git_output, in_clean_room, put, run, status};
use preface_host::{
    provider::git::{GitError, Repository, branch},
    system::{HardLinks, RunError, os::OsSystem},
};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

/// A repository with a trap, and a script that it wants to have run.
struct Trap {
    _holder: tempfile::TempDir,
    root: PathBuf,
    /// The directory to check.
    dir: PathBuf,
    script: String,
}

/// Whether the real git runs the trap on `git status`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Git {
    WalksIn,
    StaysOut,
}
use Git::{StaysOut, WalksIn};

type Case = (&'static str, Git, fn(&mut Trap));

const CASES: &[Case] = &[
    ("core.fsmonitor", WalksIn, |trap| trap.config("core.fsmonitor", &trap.script)),
    ("core.fsmonitor in a tracked file that is included", WalksIn, |trap| {
        put(trap.dir.join("settings"), format!("[core]\n\tfsmonitor = {}\n", trap.script));
        run(&trap.dir, "add settings");
        trap.config("include.path", "../settings");
    }),
    ("a filter in a tracked file that is included for this directory", WalksIn, |trap| {
        put(trap.dir.join("settings"), format!("[filter \"x\"]\n\tclean = {}\n", trap.script));
        run(&trap.dir, "add settings");
        trap.config(&format!("includeIf.gitdir:{}/.path", trap.dir.display()), "../settings");
        trap.filtered("x");
    }),
    ("core.fsmonitor in `config.worktree`", WalksIn, |trap| {
        run(&trap.dir, "config extensions.worktreeConfig true");
        git(&trap.dir, ["config", "--worktree", "core.fsmonitor", &trap.script]);
    }),
    ("a hook after a change of the index", WalksIn, |trap| {
        trap.hook(&trap.dir.join(".git/hooks/post-index-change"));
        age(&trap.dir.join("file"));
    }),
    ("core.hooksPath", WalksIn, |trap| {
        trap.hook(&trap.dir.join("hooks/post-index-change"));
        trap.config("core.hooksPath", "hooks");
        age(&trap.dir.join("file"));
    }),
    ("filter.x.clean", WalksIn, |trap| {
        trap.config("filter.x.clean", &trap.script);
        trap.filtered("x");
    }),
    ("filter.x.clean, required", WalksIn, |trap| {
        trap.config("filter.x.clean", &trap.script);
        trap.config("filter.x.required", "true");
        trap.filtered("x");
    }),
    ("filter.x.process", WalksIn, |trap| {
        trap.config("filter.x.process", &trap.script);
        trap.filtered("x");
    }),
    ("filter.x.smudge alone is not run by a status", StaysOut, |trap| {
        trap.config("filter.x.smudge", &trap.script);
        trap.filtered("x");
    }),
    ("a clean filter by `.git/info/attributes`", WalksIn, |trap| {
        trap.config("filter.x.clean", &trap.script);
        put(trap.dir.join(".git/info/attributes"), "file filter=x\n");
        age(&trap.dir.join("file"));
    }),
    ("a clean filter by `core.attributesFile`", WalksIn, |trap| {
        trap.config("filter.x.clean", &trap.script);
        put(trap.dir.join("my attributes"), "file filter=x\n");
        trap.config("core.attributesFile", &trap.dir.join("my attributes").display().to_string());
        age(&trap.dir.join("file"));
    }),
    ("a clean filter by a macro", WalksIn, |trap| {
        trap.config("filter.x.clean", &trap.script);
        put(trap.dir.join(".gitattributes"), "[attr]harmless filter=x\n*e harmless\n");
        age(&trap.dir.join("file"));
    }),
    ("a clean filter on a file intended to be added", WalksIn, |trap| {
        trap.config("filter.x.clean", &trap.script);
        put(trap.dir.join(".gitattributes"), "new filter=x\n");
        fs::rename(trap.dir.join("file"), trap.dir.join("new")).expect("renamed");
        run(&trap.dir, "-c filter.x.clean=cat add -N new");
    }),
    ("a clean filter on a file whose size differs", StaysOut, |trap| {
        trap.config("filter.x.clean", &trap.script);
        trap.filtered("x");
        put(trap.dir.join("file"), "another size\n");
    }),
    ("a clean filter on a file that nobody touched", StaysOut, |trap| {
        put(trap.dir.join(".gitattributes"), "file filter=x\n");
        age(&trap.dir.join("file"));
        run(&trap.dir, "-c filter.x.clean=cat status");
        trap.config("filter.x.clean", &trap.script);
    }),
    ("core.fsmonitor in a submodule", WalksIn, |trap| {
        let module = trap.submodule();
        git(&module, ["config", "core.fsmonitor", &trap.script]);
    }),
    ("a clean filter in a submodule", WalksIn, |trap| {
        let module = trap.submodule();
        git(&module, ["config", "filter.x.clean", &trap.script]);
        put(module.join(".gitattributes"), "file filter=x\n");
        age(&module.join("file"));
    }),
    ("a process filter in a submodule of a submodule", WalksIn, |trap| {
        let module = trap.submodule();
        run(&module, "submodule --quiet add ../library inner");
        run(&module, "commit -qam inner");
        let inner = module.join("inner");
        git(&inner, ["config", "filter.x.process", &trap.script]);
        put(inner.join(".gitattributes"), "file filter=x\n");
        age(&inner.join("file"));
    }),
    ("a hook in a submodule", WalksIn, |trap| {
        let module = trap.submodule();
        trap.hook(&trap.dir.join(".git/modules/module/hooks/post-index-change"));
        age(&module.join("file"));
    }),
    ("a submodule that is a whole repository in place", WalksIn, |trap| {
        let nested = trap.dir.join("nested");
        plain(&nested);
        run(&trap.dir, "-c advice.addEmbeddedRepo=false add nested");
        git(&nested, ["config", "filter.x.clean", &trap.script]);
        put(nested.join(".gitattributes"), "file filter=x\n");
        age(&nested.join("file"));
    }),
    ("an untracked repository", StaysOut, |trap| {
        let nested = trap.dir.join("nested");
        plain(&nested);
        git(&nested, ["config", "core.fsmonitor", &trap.script]);
        git(&nested, ["config", "filter.x.clean", &trap.script]);
        put(nested.join(".gitattributes"), "file filter=x\n");
        age(&nested.join("file"));
    }),
    ("log.showSignature and gpg.program on a signed commit", StaysOut, |trap| {
        trap.config("log.showSignature", "true");
        trap.config("gpg.program", &trap.script);
        let commit = run(&trap.dir, "cat-file commit HEAD").replace(
            "\n\n",
            "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n",
        );
        put(trap.root.join("commit"), commit);
        let path = trap.root.join("commit").display().to_string();
        let id = git(&trap.dir, ["hash-object", "-t", "commit", "-w", &path]);
        git(&trap.dir, ["update-ref", "refs/heads/main", id.trim()]);
    }),
    ("a directory with the layout of a bare repository", WalksIn, |trap| {
        let bare = trap.dir.join("data");
        for (path, bytes) in contents(&trap.dir.join(".git")) {
            put(bare.join(path.strip_prefix(trap.dir.join(".git")).expect("below")), bytes);
        }
        fs::create_dir_all(bare.join("refs")).expect("a directory");
        let config = format!(
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = {}\n",
            trap.script
        );
        put(bare.join("config"), config);
        trap.dir = bare;
    }),
    ("core.worktree to another directory", WalksIn, |trap| {
        // The repository lies in a directory of somebody who has private files one level up.
        let inner = trap.dir.join("inner");
        plain(&inner);
        git(&inner, ["config", "core.worktree", "../.."]);
        git(&inner, ["config", "core.fsmonitor", &trap.script]);
        trap.dir = inner;
    }),
    ("a filter named `a=b`", WalksIn, |trap| {
        trap.config("filter.a=b.clean", &trap.script);
        trap.filtered("a=b");
    }),
    ("a filter with dots and blanks in its name", WalksIn, |trap| {
        trap.config("filter.A .b. c.clean", &trap.script);
        put(trap.dir.join(".gitattributes"), "[attr]x \"filter=A .b. c\"\n\"file\" x\n");
        trap.config("filter.X.Y.clean", &trap.script);
        put(trap.dir.join(".git/info/attributes"), "file filter=X.Y\n");
        age(&trap.dir.join("file"));
    }),
    ("filter.lfs.process, required", WalksIn, |trap| {
        trap.config("filter.lfs.process", &trap.script);
        trap.config("filter.lfs.clean", &trap.script);
        trap.config("filter.lfs.required", "true");
        trap.filtered("lfs");
    }),
    ("a filter behind a chain of includes", WalksIn, |trap| {
        put(trap.dir.join(".git/one"), "[include]\n\tpath = two\n");
        put(trap.dir.join(".git/two"), "[includeIf \"onbranch:main\"]\n\tpath = three\n");
        put(trap.dir.join(".git/three"), format!("[filter \"x\"]\n\tclean = {}\n", trap.script));
        trap.config("include.path", "one");
        trap.filtered("x");
    }),
    ("a filter in `config.worktree`", WalksIn, |trap| {
        run(&trap.dir, "config extensions.worktreeConfig true");
        git(&trap.dir, ["config", "--worktree", "filter.x.clean", &trap.script]);
        trap.filtered("x");
    }),
    ("a promisor remote for missing objects", WalksIn, |trap| {
        put(trap.dir.join("file"), "one\ntwo\nthree\nfour\nfive!\n");
        git(&trap.dir, ["mv", "file", "renamed"]);
        run(&trap.dir, "add -A");
        let blob = run(&trap.dir, "rev-parse HEAD:file");
        fs::remove_file(trap.dir.join(".git/objects").join(&blob[..2]).join(blob[2..].trim()))
            .expect("removed");
        trap.config("core.repositoryFormatVersion", "1");
        trap.config("extensions.partialClone", "origin");
        trap.config("remote.origin.promisor", "true");
        trap.config("remote.origin.url", &format!("ext::{}", trap.script));
        trap.config("protocol.ext.allow", "always");
    }),
    ("objects of another repository", StaysOut, |trap| {
        plain(&trap.root.join("library"));
        put(trap.dir.join(".git/objects/info/alternates"), "../../../library/.git/objects\n");
        trap.config("core.alternateRefsCommand", &trap.script);
    }),
    ("a `.git` file that names another repository", WalksIn, |trap| {
        let other = trap.root.join("other");
        plain(&other);
        git(&other, ["config", "core.fsmonitor", &trap.script]);
        fs::remove_dir_all(trap.dir.join(".git")).expect("removed");
        put(trap.dir.join(".git"), "gitdir: ../other/.git\n");
    }),
    ("settings of the output", WalksIn, |trap| {
        for (key, value) in [
            ("status.branch", "true"),
            ("status.showStash", "true"),
            ("status.submoduleSummary", "true"),
            ("color.status", "always"),
            ("color.ui", "always"),
            ("column.ui", "always"),
            ("core.fsmonitor", &trap.script),
        ] {
            trap.config(key, value);
        }
        put(trap.dir.join("file"), "another size\n");
    }),
    ("programs for other commands", StaysOut, |trap| {
        put(trap.dir.join(".gitattributes"), "* diff=x merge=x\n");
        for key in [
            "core.pager",
            "core.editor",
            "core.sshCommand",
            "core.askPass",
            "core.gitProxy",
            "core.alternateRefsCommand",
            "credential.helper",
            "diff.external",
            "diff.x.command",
            "diff.x.textconv",
            "merge.x.driver",
            "gpg.program",
            "gpg.ssh.program",
            "interactive.diffFilter",
            "pager.status",
            "sequence.editor",
            "trailer.x.command",
            "uploadpack.packObjectsHook",
            "remote.origin.uploadpack",
            "submodule.module.update",
        ] {
            trap.config(key, &trap.script);
        }
        let alias = format!("!{}", trap.script);
        for key in ["alias.status", "alias.rev-parse", "alias.branch"] {
            trap.config(key, &alias);
        }
        fs::rename(trap.dir.join("file"), trap.dir.join("renamed")).expect("renamed");
        put(trap.dir.join("renamed"), "one\ntwo\nthree\nfour\nfive!\n");
        run(&trap.dir, "add -A");
    }),
];

#[test]
fn no_trap_is_walked_into() {
    if !in_clean_room("no_trap_is_walked_into") {
        return;
    }
    for (name, git, set) in CASES {
        // Once for git, to see that the trap works, and once for us: git's own status would disarm some of them.
        let mut trap = Trap::new();
        set(&mut trap);
        trap.forget();
        git_output(&trap.dir, ["status", "--short"]);
        assert_eq!(trap.sprung(), *git == WalksIn, "{name}: git itself");

        let mut trap = Trap::new();
        set(&mut trap);
        trap.forget();
        let before = contents(&trap.dir);
        let ours = status(&trap.dir);
        let name_of_branch = branch(&OsSystem::new(&[]), &trap.dir);
        assert!(!trap.sprung(), "{name}: the trap was walked into");
        assert!(contents(&trap.dir) == before, "{name}: a file was written");
        assert_eq!(name_of_branch, Ok(Some("main".into())), "{name}: the branch");
        trap.disarm();
        let plain = ["color.status=never", "color.ui=never", "status.branch=false", "status.showStash=false"];
        let words = [
            "--no-lazy-fetch",
            "--no-optional-locks",
            "--work-tree=.",
            "status",
            "--short",
            "--ignore-submodules=dirty",
        ];
        let output = match name.contains("the layout") {
            true => git_output(&trap.dir, words.iter().copied().filter(|word| !word.starts_with("--work"))),
            false => git_output(&trap.dir, plain.iter().flat_map(|setting| ["-c", setting]).chain(words)),
        };
        let theirs = String::from_utf8_lossy(&output.stdout);
        let theirs = theirs.strip_suffix('\n').unwrap_or(&theirs).to_owned();
        assert_eq!(ours.ok(), output.status.success().then_some(theirs), "{name}: the status");
    }
    println!("hostile: {} traps, none walked into", CASES.len());
}

/// Where strace is installed it shows each program; the traps of the other test show those of the repository.
#[test]
fn only_git_is_started() {
    const PLACES: &str = "PREFACE_GIT_TRAPPED_PLACES";
    if let Some(places) = std::env::var_os(PLACES) {
        std::env::split_paths(&places).for_each(|place| _ = status(&place));
        return;
    }
    if !in_clean_room("only_git_is_started") || Command::new("strace").arg("-V").output().is_err() {
        return;
    }
    let traps = CASES.iter().map(|(_, _, set)| {
        let mut trap = Trap::new();
        set(&mut trap);
        trap.forget();
        trap
    });
    let traps: Vec<Trap> = traps.collect();
    let log = traps[0].root.join("log");
    let mut command = Command::new("strace");
    command
        .args(["-f", "-qq", "-e", "trace=execve", "-e", "signal=none", "-o"])
        .arg(&log)
        .arg(std::env::current_exe().expect("the test binary"))
        .args(["--exact", "only_git_is_started", "--nocapture"])
        .env(PLACES, std::env::join_paths(traps.iter().map(|trap| &trap.dir)).expect("paths"));
    expect_one_test(&mut command, "only_git_is_started");
    let log = fs::read_to_string(log).expect("what strace wrote");
    let started: Vec<&str> = log.lines().filter(|line| line.contains("execve(")).skip(1).collect();
    let others: Vec<&&str> = started.iter().filter(|line| !line.contains("/git\", [\"git\"")).collect();
    assert!(started.len() >= 2 * traps.len(), "{} of {} traps", started.len(), traps.len());
    assert!(others.is_empty(), "{others:#?}");
    println!("strace: {} starts of git in {} traps, none of another program", started.len(), traps.len());
}

#[test]
fn the_users_own_filters_are_not_run_either() {
    if !in_clean_room("the_users_own_filters_are_not_run_either") {
        return;
    }
    let trap = Trap::new();
    let home = PathBuf::from(std::env::var_os("HOME").expect("a home"));
    put(
        home.join(".gitconfig"),
        format!("[core]\n\tfsmonitor = {0}\n[filter \"x\"]\n\tclean = {0}\n\tprocess = {0}\n", trap.script),
    );
    trap.filtered("x");
    assert_eq!(status(&trap.dir).as_deref(), Ok("?? .gitattributes"));
    assert!(!trap.sprung());
    put(trap.dir.join("file"), "another size\n");
    assert_eq!(status(&trap.dir).as_deref(), Ok(" M file\n?? .gitattributes"));
    assert!(!trap.sprung());
    // What the user wants to see counts.
    put(home.join(".gitconfig"), "[status]\n\tshowUntrackedFiles = no\n");
    assert_eq!(status(&trap.dir).as_deref(), Ok(" M file"));
}

/// The variables of the caller's git, a program of the project, and what is no program.
#[test]
fn the_environment_chooses_nothing() {
    const PLACE: &str = "PREFACE_GIT_TRAPPED_PLACE";
    if let Some(place) = std::env::var_os(PLACE) {
        let place = PathBuf::from(place);
        let answers = [status(&place), status(&place.join("sub"))];
        match std::env::var("PREFACE_GIT_EXPECTED").as_deref() {
            Ok("status") => {
                assert_eq!(answers[0].as_deref(), Ok("M  file\nM  sub/file\n?? bin/\n?? new"));
                assert_eq!(answers[1].as_deref(), Ok("M  ../file\nM  file\n?? ../bin/\n?? ../new"));
            }
            Ok("inside") => assert!(
                matches!(&answers[0], Err(GitError::Program(RunError::InsideProject { .. }))),
                "{answers:?}"
            ),
            _ => assert!(
                matches!(&answers[0], Err(GitError::Program(RunError::NotFound { .. }))),
                "{answers:?}"
            ),
        }
        assert_eq!(branch(&OsSystem::new(&[]), &place), Ok(Some("main".into())));
        return;
    }
    if !in_clean_room("the_environment_chooses_nothing") {
        return;
    }
    let trap = Trap::new();
    put(trap.dir.join("sub/file"), "x\n");
    run(&trap.dir, "add .");
    run(&trap.dir, "commit -qm two");
    put(trap.dir.join("file"), "changed\n");
    put(trap.dir.join("sub/file"), "changed\n");
    run(&trap.dir, "add .");
    put(trap.dir.join("new"), "x\n");
    trap.hook(&trap.dir.join("bin/git"));
    fs::create_dir_all(trap.root.join("path/git")).expect("a directory");
    trap.forget();
    let inside = trap.dir.join("bin");
    let path = std::env::var_os("PATH").expect("a path");
    let usual = std::env::join_paths(std::iter::once(inside.clone()).chain(std::env::split_paths(&path)));
    for (expected, path) in [
        ("status", usual.expect("a path")),
        ("inside", inside.into_os_string()),
        ("a directory", trap.root.join("path").into_os_string()),
        ("nothing", trap.root.join("none").into_os_string()),
    ] {
        let mut command = Command::new(std::env::current_exe().expect("the test binary"));
        command
            .args(["--exact", "the_environment_chooses_nothing", "--nocapture"])
            .env(PLACE, &trap.dir)
            .env("PREFACE_GIT_EXPECTED", expected)
            .env("PATH", path)
            .env("GIT_DIR", trap.root.join("nowhere"))
            .env("GIT_INDEX_FILE", trap.root.join("nowhere"))
            .env("GIT_WORK_TREE", &trap.root)
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
            .env("GIT_CONFIG_VALUE_0", &trap.script)
            .current_dir(trap.dir.join("sub"));
        expect_one_test(&mut command, "the_environment_chooses_nothing");
        assert!(!trap.sprung(), "{expected}: a program was started");
    }
}

/// A hard link makes any file a file of the repository. No message has the text of one.
#[test]
fn no_message_quotes_a_file() {
    if !in_clean_room("no_message_quotes_a_file") {
        return;
    }
    const TEXTS: [&str; 6] = [
        "s3cret\n",
        "s3cret s3cret\n[s3cret\n",
        "[core]\n\tabbrev = s3cret\n\tautocrlf = s3cret\n\tfilemode = s3cret\n",
        "ref: s3cret\n",
        "gitdir: s3cret\n",
        "0123456789012345678901234567890123456789 s3cret\n^s3cret\n",
    ];
    let mut refused = 0;
    for name in
        ["HEAD", "config", "commondir", "index", "packed-refs", "refs/heads/main", "objects/info/alternates"]
    {
        for text in TEXTS {
            let trap = Trap::new();
            _ = fs::remove_file(trap.dir.join(".git").join(name));
            put(trap.dir.join(".git").join(name), text);
            let (status, branch) = (status(&trap.dir), branch(&OsSystem::new(&[]), &trap.dir));
            for problem in [status.err(), branch.err()].into_iter().flatten() {
                refused += 1;
                assert!(!problem.to_string().contains("s3cret"), "{name}, {text:?}: {problem}");
            }
        }
    }
    assert!(refused > 25, "{refused} messages");
}

#[test]
fn gits_own_files_may_have_one_name_where_hard_links_are_refused() {
    if !in_clean_room("gits_own_files_may_have_one_name_where_hard_links_are_refused") {
        return;
    }
    let trap = Trap::new();
    run(&trap.dir, "pack-refs --all");
    let system = OsSystem::new(&[]);
    let found = Repository::holding(&system, &trap.dir).expect("a repository");
    assert_eq!(found.check_links(&system, HardLinks::Refuse), Ok(()));
    for name in ["HEAD", "index", "config", "packed-refs"] {
        let other = trap.root.join("other");
        fs::hard_link(trap.dir.join(".git").join(name), &other).expect("another name");
        let refused = found.check_links(&system, HardLinks::Refuse);
        assert!(matches!(refused, Err(GitError::HardLink { links: 2, .. })), "{name}: {refused:?}");
        assert_eq!(found.check_links(&system, HardLinks::Read), Ok(()), "{name}");
        fs::remove_file(other).expect("removed");
    }
}

impl Trap {
    fn new() -> Trap {
        let holder = tempfile::tempdir().expect("a temporary directory");
        let root = holder.path().canonicalize().expect("a path");
        let script = root.join("evil.sh");
        put(&script, format!("#!/bin/sh\n: > {}\nexit 1\n", root.join("canary").display()));
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a script");
        let dir = root.join("tree");
        plain(&dir);
        Trap { _holder: holder, root, dir, script: script.display().to_string() }
    }

    fn config(&self, key: &str, value: &str) {
        git(&self.dir, ["config", key, value]);
    }

    /// Makes an executable that leaves the canary.
    fn hook(&self, path: &Path) {
        put(path, fs::read(&self.script).expect("the script"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a hook");
    }

    /// Gives `file` a filter, and stat data that do not show whether it changed.
    fn filtered(&self, filter: &str) {
        put(self.dir.join(".gitattributes"), format!("file filter={filter}\n"));
        age(&self.dir.join("file"));
    }

    /// Adds a clean submodule.
    fn submodule(&self) -> PathBuf {
        plain(&self.root.join("library"));
        run(&self.dir, "submodule --quiet add ../library module");
        run(&self.dir, "commit -qam module");
        self.dir.join("module")
    }

    fn canary(&self) -> PathBuf {
        self.root.join("canary")
    }

    fn sprung(&self) -> bool {
        self.canary().exists()
    }

    /// Forgets what setting the trap has done.
    fn forget(&self) {
        _ = fs::remove_file(self.canary());
    }

    /// Makes the script harmless, so that git can be run.
    fn disarm(&self) {
        put(&self.script, "#!/bin/sh\ncat\n");
        for key in ["core.fsmonitor", "include.path", "filter.lfs.required", "filter.x.required"] {
            for dir in [&self.dir, &self.dir.join("module")].into_iter().filter(|dir| dir.is_dir()) {
                git_output(dir, ["config", "--unset-all", key]);
                git_output(dir, ["config", "--worktree", "--unset-all", key]);
            }
        }
        if self.dir.ends_with("data") {
            // The look-alike of a bare repository is only a directory to us.
            fs::rename(self.dir.join("HEAD"), self.dir.join("HEAD ")).expect("renamed");
        }
    }
}

/// A repository with one old file, committed and clean.
fn plain(dir: &Path) {
    fs::create_dir_all(dir).expect("a directory");
    run(dir, "init -q");
    put(dir.join("file"), "one\ntwo\nthree\nfour\nfive\n");
    run(dir, "add file");
    run(dir, "commit -qm one");
}

/// Changes the time of a file, so that its stat data do not tell whether it changed.
fn age(path: &Path) {
    let file = fs::File::options().append(true).open(path).expect("a file");
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_500_000_000)).expect("a time");
}

/// All files below a directory, with `.git`.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![dir.to_owned()];
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(dir).expect("a directory").flatten() {
            match entry.file_type().expect("a kind").is_dir() {
                true => left.push(entry.path()),
                false => _ = found.insert(entry.path(), fs::read(entry.path()).unwrap_or_default()),
            }
        }
    }
    found
}
