//! The status equals what `git status --short` prints, in repositories made at random.
//!
//! The generator is seeded: round `n` always makes the same repository. `PREFACE_GIT_ROUNDS` sets how many rounds are
//! run; `PREFACE_GIT_ROUND` picks one and keeps its repository.

#![cfg(all(unix, feature = "git-status"))]
#![allow(clippy::print_stdout, reason = "the figures are part of the result")]

mod git_support;

use git_support::{git, git_output, in_clean_room, put, run, status};
use std::{
    ffi::{OsStr, OsString},
    fmt::Write as _,
    fs,
    os::unix::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::{PermissionsExt as _, symlink},
    },
    path::{Path, PathBuf},
};

#[test]
fn equals_git_in_random_repositories() {
    if !in_clean_room("equals_git_in_random_repositories") {
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let rounds: Vec<u64> = match number("PREFACE_GIT_ROUND") {
        Some(round) => vec![round],
        None => (0..number("PREFACE_GIT_ROUNDS").unwrap_or(60)).collect(),
    };
    let (mut equal, mut places, mut with_value, mut different) = (0, 0, 0, String::new());
    for round in &rounds {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let mut world = World::new(*round, &dir.path().canonicalize().expect("a path"));
        world.happen();
        let mut same = true;
        for place in world.places() {
            places += 1;
            let theirs = oracle(&place);
            let ours = status(&place);
            with_value += usize::from(theirs.as_deref().is_ok_and(|text| !text.is_empty()));
            if theirs.as_deref().ok() != ours.as_deref().ok() {
                same = false;
                _ = writeln!(
                    different,
                    "round {round}, in {}:\n{}git:\n{}\nours:\n{}\n",
                    place.display(),
                    world.story,
                    theirs.unwrap_or_else(|error| error),
                    ours.unwrap_or_else(|error| format!("{error:?}")),
                );
            }
        }
        equal += usize::from(same);
        if number("PREFACE_GIT_ROUND").is_some() {
            println!("kept: {}", dir.keep().display());
        }
    }
    println!(
        "status: {equal} of {} repositories equal to git ({places} places, {with_value} not clean)",
        rounds.len()
    );
    assert_eq!(equal, rounds.len(), "\n{different}");
}

/// What git prints, without the last line end; or why it does not.
fn oracle(dir: &Path) -> Result<String, String> {
    let output = git_output(dir, ["--no-optional-locks", "status", "--short"]);
    let text =
        |bytes: &[u8]| String::from_utf8_lossy(bytes.strip_suffix(b"\n").unwrap_or(bytes)).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// A repository to which things happen.
struct World {
    random: Random,
    dir: PathBuf,
    story: String,
    made: usize,
    linked: Option<PathBuf>,
}

/// What can happen.
type Event = (&'static str, fn(&mut World));

const EVENTS: &[Event] = &[
    ("edit", |w| w.edit_some(false)),
    ("edit and add", |w| w.edit_some(true)),
    ("touch", |w| w.on_file(|_, file| touch(file))),
    ("edit, same size", |w| {
        w.on_file(|_, file| {
            let mut bytes = read(file);
            if let Some(first) = bytes.first_mut() {
                *first = first.wrapping_add(1);
            }
            rewrite(file, &bytes);
        });
    }),
    ("edit, add, edit", |w| {
        w.on_file(|w, file| {
            w.edit(file);
            w.git(["add", "--"], [file]);
            w.edit(file);
        });
    }),
    ("untracked file", |w| {
        let path = w.new_path();
        w.write(&path);
    }),
    ("untracked directory", |w| {
        let dir = w.new_path();
        for _ in 0..=w.random.below(3) {
            let path = dir.join(w.random.name());
            w.write(&path);
        }
    }),
    ("empty directory", |w| {
        let dir = w.new_path();
        _ = fs::create_dir_all(dir.join("empty"));
    }),
    ("add a new file", |w| {
        let path = w.new_path();
        w.write(&path);
        w.git(["add", "--"], [&path]);
    }),
    ("add an empty file", |w| {
        let path = w.new_path();
        put_new(&path, b"");
        w.git(["add", "--"], [&path]);
    }),
    ("delete", |w| w.on_file(|_, file| _ = fs::remove_file(file))),
    ("delete a directory", |w| w.on_file(|w, file| _ = fs::remove_dir_all(w.parent_below_root(file)))),
    ("git rm", |w| w.on_file(|w, file| w.git(["rm", "-qf", "--"], [file]))),
    ("git rm --cached", |w| w.on_file(|w, file| w.git(["rm", "-q", "--cached", "--"], [file]))),
    ("git mv", |w| {
        w.on_file(|w, file| {
            let to = w.new_path();
            _ = fs::create_dir_all(to.parent().expect("a parent"));
            w.git(["mv", "--"], [file, &to]);
        });
    }),
    ("rename with edits, added", |w| w.rename(true, true)),
    ("rename a few with edits, added", |w| {
        for _ in 0..3 {
            w.rename(true, true);
        }
    }),
    ("rename, not added", |w| w.rename(false, false)),
    ("rename, intended to add", |w| {
        w.on_file(|w, file| {
            let to = w.new_path();
            put_new(&to, &read(file));
            _ = fs::remove_file(file);
            for _ in 0..w.random.below(3) {
                w.edit(&to);
            }
            w.git(["add", "-N", "--"], [&to]);
        });
    }),
    ("copy with edits, added", |w| {
        w.on_file(|w, file| {
            let to = w.new_path();
            put_new(&to, &read(file));
            w.edit(&to);
            w.edit(file);
            w.git(["add", "--"], [&to, file]);
        });
    }),
    ("executable bit", |w| {
        w.on_file(|w, file| {
            let mode = if w.random.one_in(2) { 0o755 } else { 0o644 };
            if fs::symlink_metadata(file).is_ok_and(|stat| stat.is_file()) {
                _ = fs::set_permissions(file, fs::Permissions::from_mode(mode));
            }
            if w.random.one_in(2) {
                w.git(["add", "--"], [file]);
            }
        });
    }),
    ("file to link", |w| {
        w.on_file(|w, file| {
            _ = fs::remove_file(file);
            _ = symlink(["target", "elsewhere/x", "nowhere"][w.random.below(3)], file);
            if w.random.one_in(2) {
                w.git(["add", "--"], [file]);
            }
        });
    }),
    ("file to directory", |w| {
        w.on_file(|w, file| {
            _ = fs::remove_file(file);
            for _ in 0..=w.random.below(2) {
                let path = file.join(w.random.name());
                w.write(&path);
            }
            if w.random.one_in(3) {
                w.git(["add", "-A", "--"], [file]);
            }
        });
    }),
    ("directory to file", |w| {
        w.on_file(|w, file| {
            let dir = w.parent_below_root(file);
            _ = fs::remove_dir_all(&dir);
            w.write(&dir);
            if w.random.one_in(3) {
                w.git(["add", "-A", "--"], [&dir]);
            }
        });
    }),
    ("directory to link", |w| {
        w.on_file(|w, file| {
            let dir = w.parent_below_root(file);
            if dir.is_dir() && fs::rename(&dir, w.dir.join("moved dir")).is_ok() {
                _ = symlink(w.dir.join("moved dir"), &dir);
            }
        });
    }),
    ("file to pipe", |w| {
        w.on_file(|_, file| {
            // Where git reads settings it waits for a pipe, for ever.
            if [".gitignore", ".gitattributes", ".gitmodules", "my excludes", "settings"]
                .iter()
                .any(|name| file.ends_with(name))
            {
                return;
            }
            _ = fs::remove_file(file);
            _ = std::process::Command::new("mkfifo").arg(file).status();
        });
    }),
    ("intent to add", |w| {
        let path = w.new_path();
        w.write(&path);
        w.git(["add", "-N", "--"], [&path]);
        if w.random.one_in(4) {
            _ = fs::remove_file(&path);
        }
    }),
    ("out of the index and intended again", |w| {
        w.on_file(|w, file| {
            w.git(["rm", "-q", "--cached", "--"], [file]);
            w.git(["add", "-N", "--"], [file]);
        });
    }),
    ("conflict in the index", |w| w.conflict()),
    ("conflict in the index", |w| w.conflict()),
    ("merge with conflicts", |w| w.merge()),
    ("submodule", |w| w.submodule()),
    ("change in a submodule", |w| w.change_submodule()),
    ("change in a submodule", |w| w.change_submodule()),
    ("nested repository", |w| {
        let dir = w.new_path();
        w.nested(&dir);
    }),
    ("nested repository in the place of a file", |w| {
        w.on_file(|w, file| {
            _ = fs::remove_file(file);
            let file = file.to_owned();
            w.nested(&file);
        });
    }),
    ("nested repository, added", |w| {
        let dir = w.new_path();
        w.nested(&dir);
        w.git(["-c", "advice.addEmbeddedRepo=false", "add", "--"], [&dir]);
    }),
    ("ignore", |w| {
        let patterns = [
            "*.log\n",
            "build/\n",
            "*\n!*.rs\n",
            "/a\n",
            "**/deep\n",
            "*.txt\n!keep.txt\n",
            "b*/\n",
            "/*/\n",
        ];
        let pattern = patterns[w.random.below(patterns.len())];
        let place =
            if w.random.one_in(4) { w.new_path().join(".gitignore") } else { w.dir.join(".gitignore") };
        put_new(&place, pattern.as_bytes());
        for name in ["x.log", "build/out", "lib.rs", "keep.txt", "a/deep/y"] {
            if w.random.one_in(2) {
                put_new(&w.dir.join(name), b"x\n");
            }
        }
    }),
    ("info/exclude", |w| put_new(&w.dir.join(".git/info/exclude"), b"*.md\nsecret\n")),
    ("core.excludesFile", |w| {
        put_new(&w.dir.join("my excludes"), b"*.rs\n");
        w.config("core.excludesFile", &["my excludes", "nowhere"]);
    }),
    ("attributes", |w| {
        let lines =
            ["* text=auto\n", "*.txt text eol=crlf\n", "* -text\n", "*.rs ident\n", "* filter=unknown\n"];
        let line = lines[w.random.below(lines.len())];
        put_new(&w.dir.join(".gitattributes"), line.as_bytes());
    }),
    ("core.autocrlf", |w| w.config("core.autocrlf", &["true", "input", "false"])),
    ("core.safecrlf", |w| w.config("core.safecrlf", &["true", "warn"])),
    ("line ends", |w| {
        w.on_file(|_, file| {
            let text = read(file);
            let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
            rewrite(file, &lines.join(&b"\r\n"[..]));
        });
    }),
    ("status.showUntrackedFiles", |w| {
        w.config("status.showUntrackedFiles", &["no", "normal", "all", "false", "true"]);
    }),
    ("status.renames", |w| w.config("status.renames", &["false", "true", "copies"])),
    ("diff.renames", |w| w.config("diff.renames", &["false", "true", "copies"])),
    ("status.renameLimit", |w| w.config("status.renameLimit", &["1", "0", "2"])),
    ("status.relativePaths", |w| w.config("status.relativePaths", &["false", "true"])),
    ("core.quotePath", |w| w.config("core.quotePath", &["false", "true"])),
    ("core.fileMode", |w| w.config("core.fileMode", &["false"])),
    ("diff.ignoreSubmodules", |w| w.config("diff.ignoreSubmodules", &["all", "dirty", "untracked", "none"])),
    ("submodule.ignore", |w| w.config("submodule.module.ignore", &["all", "dirty", "untracked", "none"])),
    ("settings by include", |w| {
        put_new(
            &w.dir.join("settings"),
            b"[status]\n\tshowUntrackedFiles = all\n[core]\n\tquotePath = false\n",
        );
        w.config("include.path", &["../settings", "../nowhere"]);
    }),
    ("commit all", |w| w.commit()),
    ("commit what is added", |w| w.git(["commit", "-qm", "part"], NONE)),
    ("detached", |w| w.git(["checkout", "-q", "--detach"], NONE)),
    ("orphan", |w| w.git(["checkout", "-q", "--orphan", "fresh"], NONE)),
    ("reset", |w| w.git(["reset", "-q"], NONE)),
    ("stash", |w| w.git(["stash", "-q"], NONE)),
    ("assume unchanged", |w| {
        w.on_file(|w, file| w.git(["update-index", "--assume-unchanged", "--"], [file]));
    }),
    ("skip work tree", |w| w.on_file(|w, file| w.git(["update-index", "--skip-worktree", "--"], [file]))),
    ("index version 4", |w| w.git(["update-index", "--index-version", "4"], NONE)),
    ("split index", |w| w.git(["update-index", "--split-index"], NONE)),
    ("untracked cache", |w| w.git(["update-index", "--force-untracked-cache"], NONE)),
    ("fsmonitor bits", |w| w.git(["update-index", "--fsmonitor-valid", "--"], NONE)),
    ("refresh", |w| w.git(["status", "-s"], NONE)),
    ("pack", |w| w.git(["gc", "-q"], NONE)),
    ("linked work tree", |w| {
        let place = w.dir.with_file_name("linked");
        w.git(["worktree", "add", "-q", "--detach", "--"], [&place]);
        if place.is_dir() {
            put_new(&place.join("only here"), b"x\n");
            w.linked = Some(place);
        }
    }),
];

const NONE: [&Path; 0] = [];

impl World {
    fn new(seed: u64, dir: &Path) -> World {
        let dir = dir.join("main");
        fs::create_dir(&dir).expect("a directory");
        run(&dir, "init -q");
        let mut world = World { random: Random::new(seed), dir, story: String::new(), made: 0, linked: None };
        for _ in 0..6 + world.random.below(10) {
            let path = world.new_path();
            world.write(&path);
        }
        // Some repositories begin with nothing committed.
        if !world.random.one_in(12) {
            world.commit();
        }
        world
    }

    fn happen(&mut self) {
        for _ in 0..3 + self.random.below(12) {
            let (name, event) = EVENTS[self.random.below(EVENTS.len())];
            _ = writeln!(self.story, "  {name}");
            event(self);
        }
    }

    /// The directories to check: the root, and some directories.
    fn places(&mut self) -> Vec<PathBuf> {
        let mut dirs = Vec::new();
        directories(&self.dir, &mut dirs);
        dirs.sort();
        let mut places = vec![self.dir.clone()];
        for _ in 0..2 {
            if !dirs.is_empty() {
                let at = self.random.below(dirs.len());
                places.push(dirs.swap_remove(at));
            }
        }
        places.extend(self.linked.clone());
        places
    }

    /// Runs git whatever comes of it.
    fn git<'a>(
        &mut self,
        words: impl IntoIterator<Item = &'a str>,
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) {
        let args: Vec<OsString> = words
            .into_iter()
            .map(OsString::from)
            .chain(paths.into_iter().map(|path| path.as_ref().as_os_str().to_owned()))
            .collect();
        git_output(&self.dir, &args);
    }

    fn config(&mut self, key: &str, values: &[&str]) {
        let value = values[self.random.below(values.len())];
        _ = writeln!(self.story, "    {key} = {value}");
        git(&self.dir, ["config", key, value]);
    }

    fn commit(&mut self) {
        self.git(["add", "-A"], NONE);
        self.git(["commit", "-qm", "all"], NONE);
    }

    fn tracked(&self) -> Vec<PathBuf> {
        let output = git_output(&self.dir, ["ls-files", "-z"]);
        let mut files: Vec<PathBuf> = output
            .stdout
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty() && *name != b"module")
            .map(|name| self.dir.join(OsStr::from_bytes(name)))
            .collect();
        files.dedup();
        files
    }

    fn on_file(&mut self, event: impl FnOnce(&mut World, &Path)) {
        let files = self.tracked();
        if !files.is_empty() {
            let file = &files[self.random.below(files.len())];
            _ = writeln!(self.story, "    {file:?}");
            event(self, file);
        }
    }

    /// The directory of a file, or the file at the root.
    fn parent_below_root(&self, file: &Path) -> PathBuf {
        match file.parent() {
            Some(parent) if parent != self.dir && parent.starts_with(&self.dir) => parent.to_owned(),
            _ => file.to_owned(),
        }
    }

    fn new_path(&mut self) -> PathBuf {
        const DIRS: [&str; 9] = ["", "", "a", "a/b", "a/b/c", "src", "src/deep", "with blank", "build"];
        let dir = DIRS[self.random.below(DIRS.len())];
        let mut name = self.random.name();
        self.made += 1;
        if self.random.one_in(2) {
            name.push(self.made.to_string());
        }
        let path = self.dir.join(dir).join(name);
        _ = writeln!(self.story, "    {path:?}");
        path
    }

    fn write(&mut self, path: &Path) {
        let lines = self.random.below(12);
        let text: String = (0..lines).map(|_| self.random.line()).collect();
        put_new(path, text.as_bytes());
    }

    fn edit_some(&mut self, add: bool) {
        self.on_file(|w, file| {
            w.edit(file);
            if add {
                w.git(["add", "--"], [file]);
            }
        });
    }

    /// Replaces, inserts or removes a line.
    fn edit(&mut self, file: &Path) {
        if !fs::symlink_metadata(file).is_ok_and(|stat| stat.is_file()) {
            return;
        }
        let text = read(file);
        let mut lines: Vec<Vec<u8>> =
            text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let line = self.random.line().into_bytes();
        let at = self.random.below(lines.len() + 1);
        match self.random.below(3) {
            0 if at < lines.len() => _ = lines.remove(at),
            1 if at < lines.len() => lines[at] = line,
            _ => lines.insert(at, line),
        }
        rewrite(file, &lines.concat());
    }

    fn rename(&mut self, edits: bool, add: bool) {
        self.on_file(|w, file| {
            let to = w.new_path();
            let keeps_name = w.random.one_in(3);
            let to = if keeps_name { to.with_file_name(file.file_name().expect("a name")) } else { to };
            if !fs::symlink_metadata(file).is_ok_and(|stat| stat.is_file()) || to.exists() {
                return;
            }
            put_new(&to, &read(file));
            _ = fs::remove_file(file);
            if edits {
                for _ in 0..w.random.below(6) {
                    w.edit(&to);
                }
            }
            if add {
                w.git(["add", "-A", "--"], [file]);
                w.git(["add", "-A", "--"], [&to]);
            }
        });
    }

    /// Puts stages of a conflict into the index.
    fn conflict(&mut self) {
        let path = if self.random.one_in(4) { Some(self.new_path()) } else { None };
        let stages = 1 + self.random.below(7);
        let blobs: Vec<String> = (0..3)
            .map(|_| {
                let file = self.dir.with_file_name("blob");
                self.write(&file);
                git(&self.dir, [OsStr::new("hash-object"), OsStr::new("-w"), file.as_os_str()])
                    .trim()
                    .to_owned()
            })
            .collect();
        let event = |w: &mut World, file: &Path| {
            let Ok(name) = file.strip_prefix(&w.dir) else { return };
            let name = name.as_os_str().as_bytes();
            let mut input = format!("0 {}\t", "0".repeat(40)).into_bytes();
            input.extend_from_slice(name);
            input.push(0);
            for (stage, blob) in blobs.iter().enumerate().filter(|(stage, _)| stages & (1 << stage) != 0) {
                input.extend_from_slice(format!("100644 {blob} {}\t", stage + 1).as_bytes());
                input.extend_from_slice(name);
                input.push(0);
            }
            let list = w.dir.with_file_name("stages");
            rewrite(&list, &input);
            _ = std::process::Command::new("git")
                .args(["update-index", "-z", "--index-info"])
                .current_dir(&w.dir)
                .stdin(fs::File::open(&list).expect("the list"))
                .status();
            if w.random.one_in(4) {
                _ = fs::remove_file(file);
            }
        };
        match path {
            Some(path) => event(self, &path),
            None => self.on_file(event),
        }
    }

    /// Makes two branches that change the same files, and merges them.
    fn merge(&mut self) {
        self.commit();
        self.git(["branch", "-f", "side"], NONE);
        for _ in 0..3 {
            match self.random.below(4) {
                0 => self.on_file(|w, file| w.git(["rm", "-qf", "--"], [file])),
                1 => self.rename(true, true),
                _ => self.edit_some(true),
            }
        }
        self.commit();
        self.git(["checkout", "-qf", "side"], NONE);
        for _ in 0..4 {
            match self.random.below(4) {
                0 => self.on_file(|w, file| w.git(["rm", "-qf", "--"], [file])),
                1 => self.rename(true, true),
                _ => self.edit_some(true),
            }
        }
        self.commit();
        self.git(["merge", "-q", "-m", "merge", "main"], NONE);
    }

    fn submodule(&mut self) {
        let library = self.dir.with_file_name("library");
        if !library.exists() {
            fs::create_dir(&library).expect("a directory");
            run(&library, "init -q");
            put(library.join("file"), "x\n");
            put(library.join("dir/file"), "x\n");
            run(&library, "add .");
            run(&library, "commit -qm one");
            put(library.join("file"), "y\n");
            run(&library, "commit -qam two");
        }
        self.git(["submodule", "--quiet", "add", "../library", "module"], NONE);
        if self.random.one_in(2) {
            self.git(["commit", "-qam", "with a submodule"], NONE);
        }
    }

    fn change_submodule(&mut self) {
        let module = self.dir.join("module");
        if !module.join(".git").exists() {
            self.submodule();
        }
        if !module.join(".git").exists() {
            return;
        }
        let change = self.random.below(12);
        _ = writeln!(self.story, "    change {change}");
        match change {
            0 => put_new(&module.join("new"), b"x\n"),
            1 => put_new(&module.join("file"), b"changed\n"),
            2 => {
                put_new(&module.join("file"), b"staged\n");
                run(&module, "add .");
            }
            3 => _ = git_output(&module, ["checkout", "-q", "HEAD~1"]),
            4 => _ = git_output(&module, ["commit", "-q", "--allow-empty", "-m", "more"]),
            5 => _ = fs::remove_dir_all(&module),
            6 => _ = git_output(&self.dir, ["submodule", "--quiet", "deinit", "-f", "module"]),
            7 => {
                // A submodule in the submodule, that changes.
                git_output(&module, ["submodule", "--quiet", "add", "../library", "inner"]);
                if self.random.one_in(2) {
                    git_output(&module, ["commit", "-qam", "inner"]);
                }
                if module.join("inner/.git").exists() {
                    put_new(&module.join("inner").join(["new", "file"][self.random.below(2)]), b"inner\n");
                }
            }
            8 => _ = git_output(&module, ["config", "status.showUntrackedFiles", "no"]),
            9 => _ = fs::remove_file(module.join("file")),
            10 => {
                _ = fs::remove_dir_all(&module);
                put_new(&module, b"a file\n");
            }
            _ => _ = git_output(&self.dir, ["add", "module"]),
        }
    }

    /// Makes a repository, sometimes without a commit.
    fn nested(&mut self, dir: &Path) {
        if fs::create_dir_all(dir).is_err() {
            return;
        }
        run(dir, "init -q");
        if !self.random.one_in(3) {
            put_new(&dir.join("file"), b"x\n");
            git_output(dir, ["add", "."]);
            git_output(dir, ["commit", "-qm", "one"]);
        }
        if self.random.one_in(2) {
            put_new(&dir.join("untracked"), b"x\n");
        }
    }
}

/// Lists directories below, without `.git` and what is in it.
fn directories(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && entry.file_name() != ".git" {
            directories(&entry.path(), found);
            found.push(entry.path());
        }
    }
}

/// Writes a file if its directories can be made.
fn put_new(path: &Path, content: &[u8]) {
    if path.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok()) {
        rewrite(path, content);
    }
}

/// Reads a file, but nothing of a pipe.
fn read(path: &Path) -> Vec<u8> {
    match fs::metadata(path) {
        Ok(stat) if stat.is_file() => fs::read(path).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Writes a file, but not through links and into pipes.
fn rewrite(path: &Path, content: &[u8]) {
    if fs::symlink_metadata(path).is_ok_and(|stat| !stat.is_file()) {
        return;
    }
    _ = fs::write(path, content);
}

fn touch(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|stat| stat.is_file()) {
        let file = fs::File::options().append(true).open(path).expect("a file");
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
        file.set_modified(time).expect("a time");
    }
}

/// Numbers that are the same in each run (SplitMix64).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn name(&mut self) -> OsString {
        const NAMES: [&[u8]; 22] = [
            b"main.rs",
            b"lib.rs",
            b"README.md",
            b"notes.txt",
            b"a",
            b"b",
            b"x.log",
            b"Makefile",
            b"mod.rs",
            b"two words",
            b"quote\"d",
            b"back\\slash",
            b"new\nline",
            b"tab\tbed",
            b"-dash",
            "\u{fc}ml\u{e4}ut".as_bytes(),
            "\u{1f680}".as_bytes(),
            b"\xff\xfe",
            b" lead",
            b"trail ",
            b"a->b",
            b".hidden",
        ];
        OsString::from_vec(NAMES[self.below(NAMES.len())].to_vec())
    }

    fn line(&mut self) -> String {
        const WORDS: [&str; 12] =
            ["let", "there", "be", "light", "and", "files", "of", "many", "kinds", "0123456789", "", "end"];
        let count = 1 + self.below(6);
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect();
        format!("{}\n", words.join(" "))
    }
}
