//! What real programs do to us: they never end, never read, flood, and leave others behind.

use crate::{
    os_only::{again, expect_one_test},
    place::{BUNDLE, Place},
};
use preface_host::system::{RunError, RunOutput, RunRequest, RunStatus, STDERR_LIMIT, System, os::OsSystem};
use std::{
    env,
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// Longer than any run here may hold us.
const SOON: Duration = Duration::from_secs(10);

fn script(place: &Place, script: &str) -> RunRequest {
    RunRequest::new(["/bin/sh", "-c", script], &place.root)
}

/// Runs, and fails the test where that takes as long as the sleepers of these tests.
fn soon(place: &Place, run: &RunRequest) -> Result<RunOutput, RunError> {
    let start = Instant::now();
    let ran = place.system.run(run);
    assert!(start.elapsed() < SOON, "{:?} took {:?}", run.argv, start.elapsed());
    ran
}

fn text(ran: Result<RunOutput, RunError>) -> String {
    String::from_utf8(ran.expect("it runs").stdout).expect("the tests write text")
}

/// Whether a process is there and no zombie.
#[cfg(target_os = "linux")]
fn lives(id: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

#[cfg(target_os = "linux")]
fn dies(id: &str) -> bool {
    let end = Instant::now() + Duration::from_secs(5);
    while lives(id) && Instant::now() < end {
        thread::sleep(Duration::from_millis(5));
    }
    !lives(id)
}

#[test]
fn a_grandchild_that_holds_the_pipes_does_not_hold_us() {
    let place = Place::os();
    let run = script(&place, "sleep 60 & echo $!");
    let id = text(soon(&place, &run));
    #[cfg(target_os = "linux")]
    assert!(dies(&id), "it ended with the program that started it");
    assert!(id.ends_with('\n'));
}

#[test]
fn a_late_program_goes_with_all_that_it_started() {
    let place = Place::os();
    let timeout = Duration::from_secs(1);
    let diagnostic = place.at("ids");
    // One that does not listen, and one that does not either and is further away.
    let run = RunRequest {
        timeout,
        ..script(
            &place,
            "trap '' TERM; (trap '' TERM; sleep 60 & echo $! >> ids; wait) & echo $$ >> ids; sleep 60; wait; sleep 60",
        )
    };
    assert_eq!(soon(&place, &run), Err(RunError::TimedOut { after: timeout }));
    let ids = place.text(&diagnostic);
    assert_eq!(ids.lines().count(), 2, "{ids}");
    #[cfg(target_os = "linux")]
    for id in ids.lines() {
        assert!(dies(id), "process {id} is gone");
    }
}

#[test]
fn a_late_program_may_clean_up() {
    let place = Place::os();
    let run = RunRequest {
        timeout: Duration::from_secs(1),
        ..script(&place, "trap 'echo bye > bye; exit' TERM; sleep 60 & wait")
    };
    assert!(matches!(soon(&place, &run), Err(RunError::TimedOut { .. })));
    assert_eq!(place.text(&place.at("bye")), "bye\n");
}

#[test]
fn a_program_that_left_its_group_does_not_hold_us() {
    if !Path::new("/usr/bin/setsid").exists() {
        return;
    }
    let place = Place::os();
    let run = script(&place, "/usr/bin/setsid sleep 5 & sleep 0.1; echo done");
    let start = Instant::now();
    assert_eq!(text(place.system.run(&run)), "done\n");
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

#[test]
fn a_flood_is_stopped() {
    let place = Place::os();
    let run = RunRequest { output_limit: 100_000, ..script(&place, "exec cat /dev/zero") };
    assert_eq!(soon(&place, &run), Err(RunError::TooMuch { limit: 100_000 }));
    // Of stderr the first is kept, and the rest is counted.
    let run = script(&place, "head -c 300000 /dev/zero | tr '\\0' e >&2; echo out");
    let ran = soon(&place, &run).expect("it runs");
    assert_eq!(ran.stdout, b"out\n");
    assert_eq!(ran.stderr, vec![b'e'; STDERR_LIMIT]);
    assert_eq!(ran.stderr_cut, 300_000 - STDERR_LIMIT);
    let run = RunRequest { timeout: Duration::from_millis(200), ..script(&place, "exec cat /dev/zero >&2") };
    assert!(matches!(soon(&place, &run), Err(RunError::TimedOut { .. })), "a flood there only takes time");
}

#[test]
fn input_is_written_while_output_is_read() {
    let place = Place::os();
    let stdin: Vec<u8> = (0..1_u32 << 20).map(|index| (index % 251) as u8).collect();
    let cat = RunRequest { stdin: stdin.clone(), ..RunRequest::new(["cat"], &place.root) };
    assert_eq!(soon(&place, &cat).map(|ran| ran.stdout), Ok(stdin.clone()));
    // Nobody reads it, or not all of it, or nothing while it is there.
    for (quiet, timeout) in
        [("echo x", 30_000), ("exec <&-; sleep 0.2; echo x", 30_000), ("read l; echo x", 30_000)]
    {
        let run = RunRequest {
            stdin: stdin.clone(),
            timeout: Duration::from_millis(timeout),
            ..script(&place, quiet)
        };
        assert_eq!(text(soon(&place, &run)), "x\n", "{quiet}");
    }
    let run = RunRequest { stdin, timeout: Duration::from_millis(200), ..script(&place, "sleep 60") };
    assert!(matches!(soon(&place, &run), Err(RunError::TimedOut { .. })));
    assert_eq!(text(soon(&place, &script(&place, "cat; echo end"))), "end\n", "no input has an end too");
}

#[test]
fn closed_pipes_are_no_end() {
    let place = Place::os();
    let ran = soon(&place, &script(&place, "exec >&- 2>&-; sleep 0.2; exit 5")).expect("it runs");
    assert_eq!(ran.status, RunStatus::Code(5));
    assert!(ran.took >= Duration::from_millis(200));
}

#[test]
fn a_program_that_cannot_start_is_an_error() {
    let place = Place::os();
    let start = |name: &str| {
        place.system.run(&RunRequest::new([place.at(name).to_str().expect("UTF-8")], &place.root))
    };
    place.file("data", "text");
    let denied = |name: &str| Err(RunError::Denied { program: place.at(name).display().to_string() });
    assert_eq!(start("data"), denied("data"));
    place.dir("dir");
    assert_eq!(start("dir"), denied("dir"));
    let orphan = place.file("orphan", "#!/no/such/interpreter\n");
    place.mode(&orphan, 0o755);
    assert!(matches!(start("orphan"), Err(RunError::Other(_))), "the file is there");
}

#[test]
fn a_link_is_called_by_its_name() {
    let place = Place::os();
    place.link("alias", "/bin/sh");
    let alias = place.at("alias").display().to_string();
    let ran = place.system.run(&RunRequest::new([&alias, "-c", "echo $0"], &place.root)).expect("it runs");
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), alias);
    assert_eq!(ran.program, Path::new("/bin/sh").canonicalize().expect("a shell"));
}

/// The environment belongs to the whole process, so this one runs in another.
#[test]
fn the_environment_is_clean_and_the_project_is_not_on_path() {
    const CHILD: &str = "PREFACE_TEST_RUN_IN";
    if let Some(root) = env::var_os(CHILD) {
        let system = OsSystem::new(BUNDLE);
        let project = Path::new(&root).join("project");
        let run = |argv: &[&str]| RunRequest {
            not_below: Some(project.clone()),
            env: vec![("MINE".into(), "$HOME ü".into())],
            ..RunRequest::new(argv.iter().copied(), &project)
        };
        let ran = system.run(&run(&["env"])).expect("it is on PATH outside of the project");
        assert!(!ran.program.starts_with(&project), "{:?}", ran.program);
        let mut lines: Vec<_> = str::from_utf8(&ran.stdout).expect("UTF-8").lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["HOME=/home/me", "LANG=C", "MINE=$HOME ü", "PATH=/usr/bin:/bin", "TZ=UTC"]);
        let path = project.join("bin/only-here");
        assert_eq!(system.run(&run(&["only-here"])), Err(RunError::InsideProject { path }));
        return;
    }
    let place = Place::os();
    for name in ["project/bin/env", "project/bin/only-here"] {
        let path = place.file(name, "#!/bin/sh\necho wrong\n");
        place.mode(&path, 0o755);
    }
    place.link("alias", "project/bin");
    let bin = |name: &str| place.at(name).display().to_string();
    let mut child = again("running_os::the_environment_is_clean_and_the_project_is_not_on_path");
    child
        .current_dir(place.at("project/bin"))
        .env_clear()
        .env(CHILD, &place.root)
        .env("PATH", format!("{}:.::{}:bin:/usr/bin:/bin", bin("project/bin"), bin("alias")))
        .envs([("HOME", "/home/me"), ("LANG", "C"), ("TZ", "UTC"), ("TOKEN", "secret"), ("LD_PRELOAD", "")]);
    expect_one_test(&mut child);
}

#[test]
fn many_run_at_once_and_leave_nothing() {
    let place = Place::os();
    thread::scope(|scope| {
        for number in 0..50 {
            let place = &place;
            scope.spawn(move || {
                let stdin = format!("{number} ").repeat(20_000);
                let late = number % 5 == 0;
                let run = RunRequest {
                    stdin: stdin.clone().into_bytes(),
                    timeout: if late { Duration::from_millis(100) } else { Duration::from_secs(60) },
                    ..script(place, if late { "sleep 60" } else { "cat; exit 7" })
                };
                match place.system.run(&run) {
                    Err(RunError::TimedOut { .. }) => assert!(late),
                    Ok(ran) => {
                        assert_eq!(ran.status, RunStatus::Code(7));
                        assert!(ran.stdout == stdin.as_bytes(), "{number}: everybody gets their own");
                    }
                    Err(error) => panic!("{number}: {error}"),
                }
            });
        }
    });
}

/// Open files and children are counted for the whole process, so this one has a process to itself.
#[cfg(target_os = "linux")]
#[test]
fn no_file_stays_open_and_no_process_stays() {
    const CHILD: &str = "PREFACE_TEST_RUN_LEAVES_NOTHING";
    if env::var_os(CHILD).is_none() {
        let mut child = again("running_os::no_file_stays_open_and_no_process_stays");
        return expect_one_test(child.env(CHILD, "1"));
    }
    let place = Place::os();
    let count = |dir: &str| std::fs::read_dir(dir).expect("a directory of /proc").count();
    let children = || {
        let children = std::fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
        children.split_whitespace().count()
    };
    let before = (count("/proc/self/fd"), count("/proc/self/task"), children());
    for _ in 0..3 {
        assert!(place.system.run(&script(&place, "sleep 60 & exit 1")).is_ok());
        let run = RunRequest { output_limit: 10, ..script(&place, "exec cat /dev/zero") };
        assert!(place.system.run(&run).is_err());
        let stdin = vec![0; 1 << 20];
        let run =
            RunRequest { timeout: Duration::from_millis(50), stdin, ..script(&place, "sleep 60 & sleep 60") };
        assert!(place.system.run(&run).is_err());
        assert!(place.system.run(&RunRequest::new(["/"], &place.root)).is_err());
    }
    assert_eq!((count("/proc/self/fd"), count("/proc/self/task"), children()), before);
}
