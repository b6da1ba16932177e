//! Programs start from copies that have the bytes which were checked.

use super::*;
use crate::system::{ReadScope, WriteMode};

const EXTENSION: &str = "/work/.preface/extensions/hooks/audit";

fn checked(system: &MemorySystem, argv: &[&str]) -> Result<CheckedCommand, TrustError> {
    let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
    let directory = Some(Path::new(EXTENSION));
    let words = CommandWords { subject: "hooks/audit", argv: &argv, cwd: root(), env: &[], directory };
    CheckedCommand::check(system, root(), &words)
}

fn text_at(system: &MemorySystem, path: &str) -> String {
    let read = system.read(Path::new(path), ReadScope::Anywhere, 1 << 20).expect(path);
    String::from_utf8(read.into_bytes()).expect("UTF-8")
}

fn extension() -> MemorySystem {
    MemorySystem::new()
        .with_file(format!("{EXTENSION}/manifest.json"), "{}")
        .with_file(format!("{EXTENSION}/run.sh"), "run")
        .with_mode(format!("{EXTENSION}/run.sh"), 0o755)
        .with_file(format!("{EXTENSION}/lib/a.py"), "a")
        .with_link(format!("{EXTENSION}/alias.py"), "lib/a.py")
        .with_file("/work/tools/facts.py", "facts")
        .with_dir("/home/user/.config/x")
}

fn run_sh() -> String {
    format!("{EXTENSION}/run.sh")
}

#[test]
fn an_extension_is_copied_whole() {
    let system = extension();
    let command = checked(&system, &[&run_sh(), "--x", "tools/facts.py"]).expect("it can be copied");
    let argv = command.copied_argv(&system, Path::new(FILE)).expect("it starts");
    let copies = Path::new(FILE).with_file_name("programs");
    assert!(Path::new(&argv[0]).starts_with(&copies) && argv[0].ends_with("/run.sh"), "{argv:?}");
    assert_eq!(argv[1], "--x");
    assert!(Path::new(&argv[2]).starts_with(&copies) && argv[2].ends_with("/facts.py"), "{argv:?}");
    let dir = argv[0].strip_suffix("/run.sh").expect("a path");
    for (path, text, mode) in [
        ("run.sh", "run", 0o500),
        ("lib/a.py", "a", 0o400),
        ("alias.py", "a", 0o400),
        ("manifest.json", "{}", 0o400),
    ] {
        let path = format!("{dir}/{path}");
        assert_eq!(text_at(&system, &path), text);
        let stat = system.link_stat(Path::new(&path)).expect("it is there");
        assert_eq!((stat.kind, stat.mode), (crate::system::FileKind::File, Some(mode)), "{path}");
    }
    let mode = |path: &Path| system.stat(path).and_then(|stat| stat.mode);
    assert_eq!((mode(&copies), mode(Path::new(dir))), (Some(0o700), Some(0o700)));
    // The same bytes are copied once.
    let steps = system.write_steps();
    assert_eq!(command.copied_argv(&system, Path::new(FILE)).as_ref(), Ok(&argv));
    assert_eq!(system.write_steps(), steps);
}

#[test]
fn a_program_that_is_not_executable_is_refused() {
    let system = extension().with_mode(run_sh(), 0o644);
    let executable = |argv: &[&str]| checked(&system, argv).expect("it is read").check_executable(&system);
    let error = executable(&[&run_sh()]).expect_err("it cannot be started").to_string();
    assert!(error.contains("run.sh` cannot be recorded: it is not executable; run `chmod +x`"), "{error}");
    assert_eq!(executable(&["sh", &run_sh()]), Ok(()), "a shell reads it");
}

#[test]
fn every_file_of_an_extension_is_part_of_its_permit() {
    let permission =
        |system: &MemorySystem| checked(system, &[&run_sh()]).expect("it can be copied").permission;
    let before = permission(&extension());
    let changed = |change: &dyn Fn(MemorySystem) -> MemorySystem| permission(&change(extension())) != before;
    assert!(changed(&|system| system.with_file(format!("{EXTENSION}/lib/a.py"), "b")));
    assert!(changed(&|system| system.with_file(format!("{EXTENSION}/lib/new.py"), "")));
    assert!(changed(&|system| system.with_mode(format!("{EXTENSION}/lib/a.py"), 0o755)));
    assert!(changed(&|system| {
        system.cut(format!("{EXTENSION}/alias.py"));
        system
    }));
    assert!(!changed(&|system| system.with_file("/work/tools/facts.py", "other")), "it names no such file");
    // A command that names no file of its directory does not have it.
    let plain = |system: &MemorySystem| checked(system, &["make", "x"]).expect("a permit").permission;
    assert_eq!(plain(&extension()), plain(&extension().with_file(format!("{EXTENSION}/lib/a.py"), "b")));
}

#[test]
fn what_changes_after_its_check_is_not_started() {
    for (argv, path) in [
        (&[run_sh().as_str()][..], format!("{EXTENSION}/lib/a.py")),
        (&["sh", "tools/facts.py"], "/work/tools/facts.py".into()),
    ] {
        let system = extension();
        let command = checked(&system, argv).expect("it can be copied");
        system.put_file(&path, "evil");
        let error = command.copied_argv(&system, Path::new(FILE)).expect_err("it changed");
        assert!(error.to_string().contains("it changed after"), "{error}");
        // Once there is a copy, the file of the project has no part in a start.
        let system = extension();
        let command = checked(&system, argv).expect("it can be copied");
        let first = command.copied_argv(&system, Path::new(FILE)).expect("it starts");
        system.put_file(&path, "evil");
        assert_eq!(command.copied_argv(&system, Path::new(FILE)), Ok(first));
    }
    // A program that was not there when the command was checked, also where a link leads to it, and where another word was
    // checked.
    for argv in [&["./later.sh"][..], &["/opt/in/later.sh"], &["./later.sh", "tools/facts.py"]] {
        let system = extension().with_link("/opt/in", "/work");
        let command = checked(&system, argv).expect("a permit");
        system.put_file("/work/later.sh", "evil");
        let error = command.copied_argv(&system, Path::new(FILE)).expect_err("nobody checked it");
        assert!(error.to_string().contains("no such file when"), "{argv:?}: {error}");
    }
}

#[test]
fn a_damaged_copy_is_made_again() {
    let system = extension();
    let command = checked(&system, &[&run_sh()]).expect("it can be copied");
    let argv = command.copied_argv(&system, Path::new(FILE)).expect("it starts");
    let dir = argv[0].strip_suffix("/run.sh").expect("a path").to_owned();
    system.put_file(&argv[0], "evil");
    system.cut(format!("{dir}/lib/a.py"));
    assert_eq!(command.copied_argv(&system, Path::new(FILE)), Ok(argv.clone()));
    assert_eq!(
        (text_at(&system, &argv[0]), text_at(&system, &format!("{dir}/lib/a.py"))),
        ("run".into(), "a".into())
    );
    // So is one with a file that may be run since.
    let library = format!("{dir}/lib/a.py");
    let mode = || system.stat(Path::new(&library)).and_then(|stat| stat.mode);
    let _ = system.clone().with_mode(&library, 0o500);
    assert_eq!(command.copied_argv(&system, Path::new(FILE)), Ok(argv.clone()));
    assert_eq!(mode(), Some(0o400));
    // A list that does not belong to the digest is none.
    system.write(Path::new(&format!("{dir}.json")), b"[]", WriteMode::Replace, 0o600).expect("written");
    system.put_file(&argv[0], "evil");
    assert_eq!(command.copied_argv(&system, Path::new(FILE)), Ok(argv.clone()));
    assert_eq!(text_at(&system, &argv[0]), "run");
}

#[test]
fn a_copy_with_other_bytes_is_made_again() {
    let system = extension();
    let command = checked(&system, &[&run_sh()]).expect("it can be copied");
    let argv = command.copied_argv(&system, Path::new(FILE)).expect("it starts");
    system.write(Path::new(&argv[0]), b"evil", WriteMode::Replace, 0o500).expect("written");
    assert_eq!(command.copied_argv(&system, Path::new(FILE)), Ok(argv.clone()));
    assert_eq!(text_at(&system, &argv[0]), "run");
}

#[test]
fn a_directory_of_copies_that_belongs_to_another_user_is_refused() {
    let copies = "/home/user/.config/x/programs";
    let system = extension().with_dir(copies).with_mode(copies, 0o700).with_owner(copies, 4242);
    let command = checked(&system, &[&run_sh()]).expect("it can be copied");
    let error = command.copied_argv(&system, Path::new(FILE)).expect_err("another owner");
    assert!(error.to_string().contains("belongs to you alone"), "{error}");
}

#[test]
fn copies_that_are_more_than_a_few_and_more_than_a_day_old_are_removed() {
    let system = extension();
    let copy = |number: usize| {
        system.put_file("/work/tools/facts.py", number.to_string());
        let command = checked(&system, &["sh", "tools/facts.py"]).expect("it can be copied");
        command.copied_argv(&system, Path::new(FILE)).expect("it starts").swap_remove(1)
    };
    let is_there = |path: &String| system.stat(Path::new(path)).is_some();
    // What changes on this disk changes at the start of 1970.
    system.set_now(at("1970-01-01T23:00:00Z"));
    let copies: Vec<_> = (0..66).map(copy).collect();
    assert!(copies.iter().all(is_there), "none is a day old");
    system.set_now(at("1970-01-02T01:00:00Z"));
    let last = copy(66);
    assert_eq!(copies.iter().position(is_there), Some(3), "64 of 67 stay");
    assert!(copies[3..].iter().chain([&last]).all(is_there));
    let dir = Path::new(&copies[0]).parent().expect("a directory");
    assert_eq!(system.link_stat(dir), None);
    assert_eq!(system.link_stat(&dir.with_extension("json")), None);
}

#[test]
fn a_copy_belongs_to_the_user_alone() {
    let system = extension().with_dir("/home/user/.config/x/programs");
    let command = checked(&system, &[&run_sh()]).expect("it can be copied");
    let error = command.copied_argv(&system, Path::new(FILE)).expect_err("mode 755");
    assert!(error.to_string().contains("mode 700"), "{error}");
    let error = command.copied_argv(&system, Path::new("/work/state/trust.json"));
    assert!(error.is_err(), "not in the project");
    let system = extension().with_dir("/work/state");
    let error =
        command.copied_argv(&system, Path::new("/work/state/trust.json")).expect_err("not in the project");
    assert_eq!(error.code().as_str(), "trust/scope-violation");
}

#[test]
fn what_cannot_be_copied_is_refused() {
    let deep = format!("{EXTENSION}/{}x", "d/".repeat(18));
    let cases: [(&str, &dyn Fn(MemorySystem) -> MemorySystem); 7] = [
        ("leads out", &|system| system.with_link(format!("{EXTENSION}/out"), "/work/tools/facts.py")),
        ("leads out", &|system| system.with_link(format!("{EXTENSION}/up"), "..")),
        ("a directory, not a file", &|system| system.with_link(format!("{EXTENSION}/dir"), "lib")),
        ("points nowhere", &|system| system.with_link(format!("{EXTENSION}/nowhere"), "none")),
        ("device", &|system| system.with_special(format!("{EXTENSION}/pipe"))),
        ("nested", &|system| system.with_file(&deep, "")),
        ("MiB", &|system| {
            (0..3).fold(system, |system, at| system.with_file(format!("{EXTENSION}/{at}"), vec![0; 12 << 20]))
        }),
    ];
    for (words, change) in cases {
        let error = checked(&change(extension()), &[&run_sh()]).expect_err(words);
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    let many = (0..=command::FILES)
        .fold(extension(), |system, at| system.with_file(format!("{EXTENSION}/many/{at}"), ""));
    let error = checked(&many, &[&run_sh()]).expect_err("too many");
    assert!(error.to_string().contains("more than 2000 files"), "{error}");
}

#[test]
fn what_may_run_together_with_a_command_is_named() {
    let system = extension();
    for (argv, words) in [
        (&["make", "x"][..], "runs make, which reads Makefile"),
        (&["/usr/bin/make"], "runs make, which reads Makefile"),
        (&["npm", "run", "x"], "runs npm, which reads package.json"),
        (&["npx", "x"], "runs npx, which reads package.json"),
        (&["yarn"], "node_modules: not pinned"),
        (&["pnpm", "x"], "node_modules: not pinned"),
        (&["cargo", "run"], "build scripts"),
        (&["just"], "justfile"),
        (&["docker", "compose", "up"], "Dockerfile"),
        (&["timeout", "5", "make"], "runs make"),
        (&["env", "A=1", "python3", "-m", "x"], "runs python3, which loads code that no word"),
        (&["python3", "-m", "x"], "loads code that no word"),
        (&["python3.12", "tools/facts.py"], "modules that it finds in the working directory"),
        (&["python3", "tools/facts.py"], "modules and files beside it are not available"),
        (&["node", "."], "loads code that no word"),
        (&["ruby", "-r", "./x"], "loads code that no word"),
        (&["sh", "-c", "x"], "text of commands"),
        (&["bash", "-lc", "x"], "text of commands"),
        (&["bash", "tools/facts.py"], "what its script sources"),
        (&[run_sh().as_str()], "what it loads from elsewhere in the project is not pinned"),
    ] {
        let permission = checked(&system, argv).expect("a permit").permission;
        let lines = permission.not_pinned();
        assert!(lines.iter().any(|line| line.contains(words)), "{argv:?}: {lines:?}");
        let shown: Vec<String> = permission.lines().iter().map(ToString::to_string).collect();
        assert!(lines.iter().all(|line| shown.contains(line)), "{argv:?}");
        let json = serde_json::to_value(&permission).expect("JSON");
        assert_eq!(json["not_pinned"].as_array().map(Vec::len), Some(lines.len()), "{argv:?}");
        store(&system).grant_permissions(root(), None, &[permission]).expect("granted");
    }
    assert!(!content(&system).contains("not_pinned"), "a record does not hold it");
    assert_eq!(
        checked(&system, &["/usr/bin/git-mcp", "x"]).expect("a permit").permission.not_pinned(),
        ["runs git-mcp: what it reads or starts in the working directory is not pinned"]
    );
    for name in ["EDITOR", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "MAKEFLAGS", "PAGER", "RUSTC_WRAPPER"] {
        let (argv, env) = (["true".to_owned()], [(name.to_owned(), "x".to_owned())]);
        let words = CommandWords { subject: "mcp/a", argv: &argv, cwd: root(), env: &env, directory: None };
        let lines = CheckedCommand::check(&system, root(), &words).expect("a permit").permission.not_pinned();
        assert!(
            lines.contains(&format!("gets {name}, which may name code to load: not pinned")),
            "{lines:?}"
        );
    }
}

fn tools() -> MemorySystem {
    MemorySystem::new()
        .with_file("/work/AGENTS.md", "text")
        .with_file("/work/tools/x.sh", "x")
        .with_file("/work/tools/x.awk", "x")
        .with_file("/work/tools/x.sed", "x")
        .with_file("/work/env", "x")
        .with_file("/work/a b.sh", "x")
        .with_link("/work/out", "/other")
        .with_file("/other/x", "x")
        .with_special("/work/pipe")
        .with_dir("/home/user/.config/x")
}

#[test]
fn a_file_that_a_part_of_a_word_names_is_compared() {
    for (argv, path) in [
        (&["env", "-S", "sh tools/x.sh"][..], "tools/x.sh"),
        (&["env", "--split-string=sh tools/x.sh"], "tools/x.sh"),
        (&["awk", "BEGIN{system(\"sh tools/x.sh\")}"], "tools/x.sh"),
        (&["sh", "-c", "awk \"BEGIN{system(\\\"sh tools/x.sh\\\")}\""], "tools/x.sh"),
        (&["tar", "--use-compress-program=tools/x.sh", "-cf", "o.tar", "AGENTS.md"], "tools/x.sh"),
        (&["git", "-c", "alias.x=!/work/tools/x.sh", "x"], "tools/x.sh"),
        (&["x", "file:///work/tools/x.sh"], "tools/x.sh"),
        (&["x", "--script=a b.sh"], "a b.sh"),
        (&["sh", "-c", "sh <>tools/x.sh"], "tools/x.sh"),
        (&["perl", "-e", "do {(a=>'tools/x.sh')}"], "tools/x.sh"),
        (&["sh", "-c", "date > tools/x.sh; sh tools/x.sh"], "tools/x.sh"),
        (&["awk", "-ftools/x.awk"], "tools/x.awk"),
        (&["sed", "-nftools/x.sed"], "tools/x.sed"),
        (&["sed", "-ftools/x.sed"], "tools/x.sed"),
    ] {
        let system = tools();
        let command = checked(&system, argv).expect("a permit");
        let lines: Vec<String> = command.permission.lines().iter().map(ToString::to_string).collect();
        let reads = format!("reads {} from the project: it is compared before each start", quoted(path));
        let file = format!("file {} {}", quoted(path), Digest::of(b"x"));
        assert!(lines.contains(&file), "{argv:?}: {lines:?}");
        assert!(lines.iter().any(|line| line.starts_with(&reads)), "{argv:?}: {lines:?}");
        let copy = format!("starts with a copy of {}", quoted(path));
        assert!(!lines.iter().any(|line| line.starts_with(&copy)), "{argv:?}: {lines:?}");

        store(&system)
            .grant_permissions(root(), None, std::slice::from_ref(&command.permission))
            .expect("granted");
        let state = || {
            let now = checked(&system, argv).expect("a permit").permission;
            load(&system).permissions(root()).state(&now)
        };
        assert_eq!(state(), PermissionState::Granted, "{argv:?}");
        let start = command.copied_argv(&system, Path::new(FILE)).expect("it starts");
        assert_eq!(
            start.iter().filter(|word| !argv.contains(&word.as_str())).count(),
            usize::from(argv.contains(&"AGENTS.md"))
        );
        system.put_file(format!("/work/{path}"), "other");
        assert_eq!(state(), PermissionState::Changed, "{argv:?}");
        let error = command.copied_argv(&system, Path::new(FILE)).expect_err("it changed");
        assert!(error.to_string().contains("it changed after"), "{argv:?}: {error}");
        let now = checked(&system, argv).expect("a permit");
        let changes =
            now.changes(&system, Path::new(FILE), Some(&command.permission)).expect("it can be read");
        let change = ProgramChange { path: path.into(), before: None, after: Some(b"other".to_vec()) };
        assert_eq!(changes, [change], "{argv:?}");
    }
    // A file that a text names before it is there.
    let system = tools();
    let argv = ["env", "-S", "sh tools/new.sh"];
    let granted = checked(&system, &argv).expect("a permit").permission;
    system.put_file("/work/tools/new.sh", "x");
    assert_ne!(checked(&system, &argv).expect("a permit").permission, granted);
}

#[test]
fn a_directory_that_a_word_names_is_not_pinned_and_named() {
    let system = tools();
    for (argv, path) in [
        (&["/usr/bin/env", "-C", "tools", "./x.sh"][..], "tools"),
        (&["env", "--chdir=tools", "./x.sh"], "tools"),
        (&["env", "-Ctools", "./x.sh"], "tools"),
        (&["find", "tools", "-name", "*.sh", "-exec", "sh", "{}", ";"], "tools"),
        (&["run-parts", "--regex=.", "tools"], "tools"),
        (&["sh", "-c", "for x in tools/*.sh; do sh $x; done"], "tools"),
        (&["env", "-C", "..", "work/tools/x.sh"], "."),
        (&["node", "."], "."),
        (&["x", "--in=pipe"], "pipe"),
        (&["x", "--in=out/x"], "out/x"),
    ] {
        let permission = checked(&system, argv).expect("a permit").permission;
        let lines = permission.not_pinned();
        assert!(lines.contains(&format!("names {path}: what it holds is not pinned")), "{argv:?}: {lines:?}");
        let program = "what it reads or starts in the working directory is not pinned";
        let is_general = lines[0].ends_with(program);
        assert!(is_general || argv[0] == "sh" || argv[0] == "node", "{argv:?}: {lines:?}");
    }
    // A program may make a directory at its first run, and a shell writes a file.
    for (argv, path) in [
        (&["x", "--cache=cache"][..], "cache"),
        (&["sh", "-c", "date >>cache/x 2>&1"], "cache/x"),
        (&["sh", "-c", "date > 'cache/x'"], "cache/x"),
    ] {
        let system = tools();
        let granted = checked(&system, argv).expect("a permit").permission;
        store(&system).grant_permissions(root(), None, &[granted]).expect("granted");
        system.put_file("/work/cache/x", "x");
        let now = checked(&system, argv).expect("a permit").permission;
        assert_eq!(load(&system).permissions(root()).state(&now), PermissionState::Granted, "{argv:?}");
        assert!(now.not_pinned().contains(&format!("names {path}: what it holds is not pinned")), "{argv:?}");
    }
}

#[test]
fn only_a_program_that_is_pinned_has_no_line_of_its_own() {
    let system = tools().with_file(format!("{EXTENSION}/run.sh"), "run");
    let has_line = |argv: &[&str]| {
        let lines = checked(&system, argv).expect("a permit").permission.not_pinned();
        lines.iter().any(|line| line.ends_with("starts in the working directory is not pinned"))
    };
    assert!(!has_line(&["tools/x.sh"]) && !has_line(&["./tools/../tools/x.sh"]) && !has_line(&[&run_sh()]));
    // What is pinned has the name of the program.
    assert!(has_line(&["/usr/bin/env", "-S", "x", "./env"]) && has_line(&["env", "./env"]));
}

#[test]
fn a_changed_program_is_compared_with_its_copy() {
    let system = extension();
    let run = run_sh();
    let argv = [run.as_str(), "tools/facts.py"];
    let granted = checked(&system, &argv).expect("it can be copied");
    granted.copied_argv(&system, Path::new(FILE)).expect("the copies are made");
    let changes = |granted: Option<&Permission>| {
        let command = checked(&system, &argv).expect("it can be copied");
        let changes = command.changes(&system, Path::new(FILE), granted).expect("it can be read");
        let side = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
        changes.into_iter().map(|one| (one.path, side(one.before), side(one.after))).collect::<Vec<_>>()
    };
    assert_eq!(changes(None).len(), 5, "all files of a new command");
    assert_eq!(changes(Some(&granted.permission)), []);
    system.put_file(format!("{EXTENSION}/lib/a.py"), "b");
    system.put_file(format!("{EXTENSION}/lib/new.py"), "n");
    system.put_file("/work/tools/facts.py", "other facts");
    let text = |text: &str| Some(text.to_owned());
    let inside = ".preface/extensions/hooks/audit";
    assert_eq!(
        changes(Some(&granted.permission)),
        [
            (format!("{inside}/alias.py"), text("a"), text("b")),
            (format!("{inside}/lib/a.py"), text("a"), text("b")),
            (format!("{inside}/lib/new.py"), None, text("n")),
            ("tools/facts.py".to_owned(), text("facts"), text("other facts")),
        ]
    );
}
