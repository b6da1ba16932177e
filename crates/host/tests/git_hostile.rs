//! Repositories that want to run something: neither the branch nor the status lets them.
//!
//! Each trap leaves a canary file behind when it runs. Most traps are shown to work first: the real git walks into
//! them.

#![cfg(all(unix, feature = "git-status"))]
#![allow(clippy::print_stdout, reason = "the figures are part of the result")]

mod git_support;

use git_support::{expect_one_test, git, git_output, in_clean_room, put, run, status};
use preface_host::{
    provider::git::branch,
    system::{GitError, os::OsSystem},
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

/// Our result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// The status that git prints without configuration.
    Status,
    /// Only a filter could decide.
    NeedsFilter,
    /// It is not supported.
    Unsupported,
}
use Answer::{NeedsFilter, Status, Unsupported};

type Case = (&'static str, Git, Answer, fn(&mut Trap));

const CASES: &[Case] = &[
    ("core.fsmonitor", WalksIn, Status, |trap| trap.config("core.fsmonitor", &trap.script)),
    ("core.fsmonitor in a tracked file that is included", WalksIn, Status, |trap| {
        put(trap.dir.join("settings"), format!("[core]\n\tfsmonitor = {}\n", trap.script));
        run(&trap.dir, "add settings");
        trap.config("include.path", "../settings");
    }),
    ("a filter in a tracked file that is included for this directory", WalksIn, NeedsFilter, |trap| {
        put(trap.dir.join("settings"), format!("[filter \"x\"]\n\tclean = {}\n", trap.script));
        run(&trap.dir, "add settings");
        trap.config(&format!("includeIf.gitdir:{}/.path", trap.dir.display()), "../settings");
        trap.filtered("x");
    }),
    ("core.fsmonitor in `config.worktree`", WalksIn, Status, |trap| {
        run(&trap.dir, "config extensions.worktreeConfig true");
        git(&trap.dir, ["config", "--worktree", "core.fsmonitor", &trap.script]);
    }),
    ("a hook after a change of the index", WalksIn, Status, |trap| {
        trap.hook(&trap.dir.join(".git/hooks/post-index-change"));
        age(&trap.dir.join("file"));
    }),
    ("core.hooksPath", WalksIn, Status, |trap| {
        trap.hook(&trap.dir.join("hooks/post-index-change"));
        trap.config("core.hooksPath", "hooks");
        age(&trap.dir.join("file"));
    }),
    ("filter.x.clean", WalksIn, NeedsFilter, |trap| {
        trap.config("filter.x.clean", &trap.script);
        trap.filtered("x");
    }),
    ("filter.x.clean, required", WalksIn, NeedsFilter, |trap| {
        trap.config("filter.x.clean", &trap.script);
        trap.config("filter.x.required", "true");
        trap.filtered("x");
    }),
    ("filter.x.process", WalksIn, NeedsFilter, |trap| {
        trap.config("filter.x.process", &trap.script);
        trap.filtered("x");
    }),
    ("filter.x.smudge alone is not run by a status", StaysOut, Status, |trap| {
        trap.config("filter.x.smudge", &trap.script);
        trap.filtered("x");
    }),
    ("a clean filter by `.git/info/attributes`", WalksIn, NeedsFilter, |trap| {
        trap.config("filter.x.clean", &trap.script);
        put(trap.dir.join(".git/info/attributes"), "file filter=x\n");
        age(&trap.dir.join("file"));
    }),
    ("a clean filter by `core.attributesFile`", WalksIn, NeedsFilter, |trap| {
        trap.config("filter.x.clean", &trap.script);
        put(trap.dir.join("my attributes"), "file filter=x\n");
        trap.config("core.attributesFile", &trap.dir.join("my attributes").display().to_string());
        age(&trap.dir.join("file"));
    }),
    ("a clean filter by a macro", WalksIn, NeedsFilter, |trap| {
        trap.config("filter.x.clean", &trap.script);
        put(trap.dir.join(".gitattributes"), "[attr]harmless filter=x\n*e harmless\n");
        age(&trap.dir.join("file"));
    }),
    ("a clean filter on a file intended to be added", WalksIn, NeedsFilter, |trap| {
        trap.config("filter.x.clean", &trap.script);
        put(trap.dir.join(".gitattributes"), "new filter=x\n");
        fs::rename(trap.dir.join("file"), trap.dir.join("new")).expect("renamed");
        run(&trap.dir, "-c filter.x.clean=cat add -N new");
    }),
    ("a clean filter on a file whose size differs", StaysOut, Status, |trap| {
        trap.config("filter.x.clean", &trap.script);
        trap.filtered("x");
        put(trap.dir.join("file"), "another size\n");
    }),
    ("a clean filter on a file that nobody touched", StaysOut, Status, |trap| {
        put(trap.dir.join(".gitattributes"), "file filter=x\n");
        age(&trap.dir.join("file"));
        run(&trap.dir, "-c filter.x.clean=cat status");
        trap.config("filter.x.clean", &trap.script);
    }),
    ("core.fsmonitor in a submodule", WalksIn, Status, |trap| {
        let module = trap.submodule();
        git(&module, ["config", "core.fsmonitor", &trap.script]);
    }),
    ("a clean filter in a submodule", WalksIn, NeedsFilter, |trap| {
        let module = trap.submodule();
        git(&module, ["config", "filter.x.clean", &trap.script]);
        put(module.join(".gitattributes"), "file filter=x\n");
        age(&module.join("file"));
    }),
    ("a process filter in a submodule of a submodule", WalksIn, NeedsFilter, |trap| {
        let module = trap.submodule();
        run(&module, "submodule --quiet add ../library inner");
        run(&module, "commit -qam inner");
        let inner = module.join("inner");
        git(&inner, ["config", "filter.x.process", &trap.script]);
        put(inner.join(".gitattributes"), "file filter=x\n");
        age(&inner.join("file"));
    }),
    ("a hook in a submodule", WalksIn, Status, |trap| {
        let module = trap.submodule();
        trap.hook(&trap.dir.join(".git/modules/module/hooks/post-index-change"));
        age(&module.join("file"));
    }),
    ("a submodule that is a whole repository in place", WalksIn, NeedsFilter, |trap| {
        let nested = trap.dir.join("nested");
        plain(&nested);
        run(&trap.dir, "-c advice.addEmbeddedRepo=false add nested");
        git(&nested, ["config", "filter.x.clean", &trap.script]);
        put(nested.join(".gitattributes"), "file filter=x\n");
        age(&nested.join("file"));
    }),
    ("an untracked repository", StaysOut, Status, |trap| {
        let nested = trap.dir.join("nested");
        plain(&nested);
        git(&nested, ["config", "core.fsmonitor", &trap.script]);
        git(&nested, ["config", "filter.x.clean", &trap.script]);
        put(nested.join(".gitattributes"), "file filter=x\n");
        age(&nested.join("file"));
    }),
    ("log.showSignature and gpg.program on a signed commit", StaysOut, Status, |trap| {
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
    ("a directory with the layout of a bare repository", WalksIn, Status, |trap| {
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
    ("core.worktree to another directory", WalksIn, Unsupported, |trap| {
        // The repository lies in a directory of somebody who has private files one level up.
        let inner = trap.dir.join("inner");
        plain(&inner);
        git(&inner, ["config", "core.worktree", "../.."]);
        git(&inner, ["config", "core.fsmonitor", &trap.script]);
        trap.dir = inner;
    }),
    ("programs for other commands", StaysOut, Status, |trap| {
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
    for (name, git, answer, set) in CASES {
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
        match answer {
            Status => {
                trap.disarm();
                let output = git_output(&trap.dir, ["--no-optional-locks", "status", "--short"]);
                let theirs = String::from_utf8_lossy(&output.stdout);
                let theirs = theirs.strip_suffix('\n').unwrap_or(&theirs).to_owned();
                assert_eq!(ours, Ok(theirs), "{name}: the status");
            }
            NeedsFilter => assert!(matches!(&ours, Err(GitError::Filter(_))), "{name}: {ours:?}"),
            Unsupported => assert!(matches!(&ours, Err(GitError::Unsupported(_))), "{name}: {ours:?}"),
        }
    }
    println!("hostile: {} traps, none walked into", CASES.len());
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
    assert_eq!(status(&trap.dir), Err(GitError::Filter("file".into())));
    assert!(!trap.sprung());
    put(trap.dir.join("file"), "another size\n");
    assert_eq!(status(&trap.dir).as_deref(), Ok(" M file\n?? .gitattributes"));
    assert!(!trap.sprung());
    // What the user wants to see counts.
    put(home.join(".gitconfig"), "[status]\n\tshowUntrackedFiles = no\n");
    assert_eq!(status(&trap.dir).as_deref(), Ok(" M file"));
}

#[test]
fn no_process_is_started_at_all() {
    const PLACE: &str = "PREFACE_GIT_TRAPPED_PLACE";
    if let Some(place) = std::env::var_os(PLACE) {
        // Here each program is a trap, and the process is below the root of the work tree.
        let place = PathBuf::from(place);
        assert_eq!(status(&place).as_deref(), Ok("M  file\nM  sub/file\n?? new"));
        assert_eq!(status(&place.join("sub")).as_deref(), Ok("M  ../file\nM  file\n?? ../new"));
        assert_eq!(branch(&OsSystem::new(&[]), &place), Ok(Some("main".into())));
        return;
    }
    if !in_clean_room("no_process_is_started_at_all") {
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
    let path = trap.root.join("path");
    for program in ["git", "sh", "bash", "env", "cat", "git-lfs"] {
        trap.hook(&path.join(program));
    }
    trap.forget();
    let mut command = Command::new(std::env::current_exe().expect("the test binary"));
    command
        .args(["--exact", "no_process_is_started_at_all", "--nocapture"])
        .env(PLACE, &trap.dir)
        .env("PATH", &path)
        .env("GIT_DIR", trap.root.join("nowhere"))
        .env("GIT_INDEX_FILE", trap.root.join("nowhere"))
        .env("GIT_WORK_TREE", &trap.root)
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
        .env("GIT_CONFIG_VALUE_0", &trap.script)
        .current_dir(trap.dir.join("sub"));
    expect_one_test(&mut command, "no_process_is_started_at_all");
    assert!(!trap.sprung(), "a program was started");
}

#[test]
fn an_unsupported_repository_is_an_error() {
    if !in_clean_room("an_unsupported_repository_is_an_error") {
        return;
    }
    let unsupported = |dir: &Path| matches!(status(dir), Err(GitError::Unsupported(_)));
    let dir = tempfile::tempdir().expect("a temporary directory");
    let dir = dir.path().canonicalize().expect("a path");
    assert_eq!(status(&dir), Err(GitError::NoRepository));
    assert_eq!(status(&dir.join("missing")), Err(GitError::NoRepository));

    let bare = dir.join("bare.git");
    run(&dir, "init -q --bare bare.git");
    assert_eq!(status(&bare), Err(GitError::NoRepository), "a bare repository");

    for (name, words) in [
        ("sha256", "init -q --object-format=sha256 sha256"),
        ("reftable", "init -q --ref-format=reftable reftable"),
    ] {
        run(&dir, words);
        put(dir.join(name).join("file"), "x\n");
        run(&dir.join(name), "add .");
        run(&dir.join(name), "commit -qm one");
        assert!(unsupported(&dir.join(name)), "{name}: {:?}", status(&dir.join(name)));
    }

    let sparse = dir.join("sparse");
    plain(&sparse);
    put(sparse.join("a/file"), "x\n");
    put(sparse.join("b/file"), "x\n");
    run(&sparse, "add .");
    run(&sparse, "commit -qm two");
    run(&sparse, "sparse-checkout set --sparse-index a");
    assert!(unsupported(&sparse), "a sparse index: {:?}", status(&sparse));
    run(&sparse, "sparse-checkout set --no-sparse-index a");
    assert_eq!(status(&sparse).as_deref(), Ok(""), "a sparse checkout with a full index");

    let broken = dir.join("broken");
    plain(&broken);
    assert_eq!(status(&broken.join(".git")), Err(GitError::NoRepository), "in `.git`");
    put(broken.join(".git/index"), "nonsense");
    assert!(matches!(status(&broken), Err(GitError::Broken(_))), "a broken index");
    fs::remove_file(broken.join(".git/index")).expect("removed");
    put(broken.join(".git/refs/heads/main"), "nonsense");
    assert!(matches!(status(&broken), Err(GitError::Broken(_))), "a broken ref");
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
        for key in ["core.fsmonitor", "include.path"] {
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
