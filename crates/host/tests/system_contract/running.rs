//! `run`: what a program gets, and what its caller gets. The twin's programs only seem to run; each check sets what
//! they would do.

use crate::place::Place;
use preface_host::system::{RunError, RunOutput, RunRequest, RunStatus, testing::FakeRun};
use std::{path::Path, time::Duration};

const SH: &str = "/bin/sh";

fn run(place: &Place, argv: &[&str], fake: FakeRun) -> Result<RunOutput, RunError> {
    place.command(argv, fake);
    place.system.run(&RunRequest::new(argv.iter().copied(), &place.root))
}

pub fn a_program_gets_its_words_as_they_are(place: &Place) {
    let words = "a b|$HOME;`id`|'c\"\\n*|";
    let argv = ["/usr/bin/printf", "%s|", "a b", "$HOME;`id`", "'c\"\\n*"];
    let ran = run(place, &argv, FakeRun::printing(words)).expect("it runs");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), words, "there is no shell");
    assert_eq!((ran.status, ran.stderr, ran.stderr_cut), (RunStatus::Code(0), vec![], 0));
    assert!(ran.program.is_absolute());
}

pub fn a_bad_end_is_no_error(place: &Place) {
    let ran = run(place, &[SH, "-c", "echo why >&2; exit 3"], FakeRun::failing(3, "why\n")).expect("it runs");
    assert_eq!(ran.status, RunStatus::Code(3));
    assert!(!ran.status.success());
    assert_eq!((ran.stdout, ran.stderr), (vec![], b"why\n".to_vec()));

    let fake = FakeRun { status: RunStatus::Signal(9), ..FakeRun::printing("") };
    let ran = run(place, &[SH, "-c", "kill -9 $$"], fake).expect("it runs");
    assert_eq!(ran.status, RunStatus::Signal(9));
}

pub fn a_program_that_writes_too_much_is_refused(place: &Place) {
    let argv = [SH, "-c", "printf 12345"];
    place.command(&argv, FakeRun::printing("12345"));
    let limited =
        |limit| place.system.run(&RunRequest { output_limit: limit, ..RunRequest::new(argv, &place.root) });
    assert_eq!(limited(5).map(|ran| ran.stdout), Ok(b"12345".to_vec()), "at the limit");
    assert_eq!(limited(usize::MAX).map(|ran| ran.stdout), Ok(b"12345".to_vec()));
    assert_eq!(limited(4), Err(RunError::TooMuch { limit: 4 }));
    assert_eq!(limited(0), Err(RunError::TooMuch { limit: 0 }));
}

pub fn a_program_that_takes_too_long_is_late(place: &Place) {
    let argv = [SH, "-c", "sleep 60"];
    place.command(&argv, FakeRun::printing("").taking(Duration::from_secs(60)));
    let after = Duration::from_millis(50);
    let ran = place.system.run(&RunRequest { timeout: after, ..RunRequest::new(argv, &place.root) });
    assert_eq!(ran, Err(RunError::TimedOut { after }));
}

pub fn a_run_needs_a_directory(place: &Place) {
    let argv = ["/bin/echo", "x"];
    place.command(&argv, FakeRun::printing("x\n"));
    place.file("file", "");
    for name in ["none", "file"] {
        let ran = place.system.run(&RunRequest::new(argv, &place.at(name)));
        assert!(matches!(ran, Err(RunError::Other(_))), "{name}: {ran:?}");
    }
    let ran = place.system.run(&RunRequest::new(argv, Path::new("relative")));
    assert!(matches!(ran, Err(RunError::Other(_))), "{ran:?}");
}

pub fn a_missing_program_is_an_error(place: &Place) {
    let answer = |argv: &[&str]| place.system.run(&RunRequest::new(argv.iter().copied(), &place.root));
    for name in ["/no/such/program", "no-such-program-anywhere"] {
        assert_eq!(answer(&[name]), Err(RunError::NotFound { program: name.to_owned() }));
    }
    for argv in [&[][..], &[""], &["/bin/echo", "a\0b"]] {
        assert!(matches!(answer(argv), Err(RunError::Other(_))), "{argv:?}");
    }
}
