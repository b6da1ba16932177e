//! What a permission of a command is about, and the comparison right before its start.

use super::*;

const EXTENSION: &str = "/work/.preface/extensions/hooks/audit";

fn checked(system: &MemorySystem, argv: &[&str]) -> Result<CheckedCommand, TrustError> {
    let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
    let directory = Some(Path::new(EXTENSION));
    let words =
        CommandWords { subject: "hooks/audit", argv: &argv, cwd: root(), env: &BTreeMap::new(), directory };
    CheckedCommand::check(system, root(), &words)
}

fn extension() -> MemorySystem {
    MemorySystem::new()
        .with_file(format!("{EXTENSION}/manifest.json"), "{}")
        .with_file(format!("{EXTENSION}/run.sh"), "run")
        .with_mode(format!("{EXTENSION}/run.sh"), 0o755)
        .with_file(format!("{EXTENSION}/lib/a.py"), "a")
        .with_link(format!("{EXTENSION}/alias.py"), "lib/a.py")
        .with_file("/work/tools/facts.py", "facts")
}

fn run_sh() -> String {
    format!("{EXTENSION}/run.sh")
}

#[test]
fn a_command_starts_in_place() {
    let system = extension();
    let command = checked(&system, &[&run_sh(), "--x", "tools/facts.py"]).expect("it can be pinned");
    assert_eq!(command.argv(&system), Ok(vec![run_sh(), "--x".to_owned(), "tools/facts.py".to_owned()]));
    let PermissionAction::Command { files, directory, .. } = &command.permission.action else {
        panic!("a command")
    };
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, [".preface/extensions/hooks/audit/run.sh", "tools/facts.py"]);
    assert_eq!(directory.as_ref().map(|file| file.path.as_str()), Some(".preface/extensions/hooks/audit"));
}

#[test]
fn a_program_that_is_not_executable_is_refused() {
    let system = extension().with_mode(run_sh(), 0o644);
    let executable = |argv: &[&str]| checked(&system, argv).expect("it is read").check_executable(&system);
    let error = executable(&[&run_sh()]).expect_err("it cannot be started").to_string();
    assert!(error.contains("run.sh` cannot be recorded: it is not executable; run `chmod +x`"), "{error}");
    assert_eq!(executable(&["sh", &run_sh()]), Ok(()), "a shell reads it");
    assert!(executable(&["tools/facts.py"]).is_err(), "it starts in place");
}

#[test]
fn every_file_of_an_extension_is_part_of_its_permit() {
    let permission =
        |system: &MemorySystem| checked(system, &[&run_sh()]).expect("it can be pinned").permission;
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
        // A program that was not there when the command was checked, also where a link leads to it.
        (&["./later.sh"], "/work/later.sh".into()),
        (&["/opt/in/later.sh"], "/work/later.sh".into()),
        (&["./later.sh", "tools/facts.py"], "/work/later.sh".into()),
    ] {
        let system = extension().with_link("/opt/in", "/work");
        let command = checked(&system, argv).expect("a permission");
        system.put_file(&path, "evil");
        let error = command.argv(&system).expect_err("it changed");
        assert!(error.to_string().contains("it changed after"), "{argv:?}: {error}");
    }
}

#[test]
fn what_cannot_be_pinned_is_refused() {
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
fn what_is_not_pinned_is_named() {
    let system = extension();
    for (argv, line) in [
        (&["make", "x"][..], "what make reads, loads or starts is not pinned"),
        (&["/usr/bin/npm", "run", "x"], "what npm reads, loads or starts is not pinned"),
        (&["awk", "-ftools/facts.py"], "what awk reads, loads or starts is not pinned"),
        (&["find", "tools", "-exec", "sh", "{}", ";"], "what find reads, loads or starts is not pinned"),
        (&["python3", "tools/facts.py"], "whatever else python3 reads, loads or starts is not pinned"),
        (&[run_sh().as_str()], "whatever else run.sh reads, loads or starts is not pinned"),
    ] {
        let permission = checked(&system, argv).expect("a permission").permission;
        assert_eq!(permission.not_pinned().as_deref(), Some(line), "{argv:?}");
        let shown = permission.lines().last().map(ToString::to_string);
        assert_eq!(shown.as_deref(), Some(line), "{argv:?}");
    }
    assert_eq!(endpoint("mcp/a", "https://a").not_pinned(), None);
}

#[test]
fn a_changed_program_shows_its_files() {
    let system = extension();
    let run = run_sh();
    let argv = [run.as_str(), "tools/facts.py"];
    let granted = checked(&system, &argv).expect("it can be pinned").permission;
    let changes = |granted: Option<&Permission>| {
        let command = checked(&system, &argv).expect("it can be pinned");
        let changes = command.changes(&system, granted).expect("it can be read");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        changes.into_iter().map(|(path, bytes)| (path, text(bytes))).collect::<Vec<_>>()
    };
    assert_eq!(changes(None).len(), 5, "all files of a new command");
    assert_eq!(changes(Some(&granted)), []);
    system.put_file("/work/tools/facts.py", "other facts");
    let facts = ("tools/facts.py".to_owned(), "other facts".to_owned());
    assert_eq!(changes(Some(&granted)), [facts]);
    system.put_file(format!("{EXTENSION}/lib/a.py"), "b");
    assert_eq!(changes(Some(&granted)).len(), 5, "all files of the directory");
}
