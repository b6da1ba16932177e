//! Failures at every step of a write, on the twin: the file is the old or the new one, whole.

use preface_host::system::{
    ReadScope, System, WriteError, WriteMode,
    testing::{AccessKind, MemorySystem, WriteFault},
};
use std::path::Path;

const FILE: &str = "/d/f";

fn text(machine: &MemorySystem) -> Option<Vec<u8>> {
    machine.read(Path::new(FILE), ReadScope::Anywhere, 99).ok().map(|read| read.into_bytes())
}

fn names(machine: &MemorySystem) -> usize {
    machine.list(Path::new("/d"), 99).expect("a directory").len()
}

#[test]
fn every_step_may_fail() {
    for how in [WriteMode::Replace, WriteMode::New] {
        let mut failures = 0;
        for step in 0.. {
            let machine = MemorySystem::new().with_dir("/d");
            let old = (how == WriteMode::Replace).then(|| b"old".to_vec());
            if let Some(old) = &old {
                machine.put_file(FILE, old);
            }
            let full = WriteError::Other("no space left on device".into());
            machine.fail_step(step, WriteFault::Fail(full.clone()));
            match machine.write(Path::new(FILE), b"new", how, 0o600) {
                Ok(()) => break,
                Err(error) => assert_eq!(error, full),
            }
            failures += 1;
            let now = text(&machine);
            assert!(now == old || now == Some(b"new".to_vec()), "old or new after step {step}");
            assert_eq!(names(&machine), usize::from(now.is_some()), "no temporary file after step {step}");
            machine.write(Path::new(FILE), b"new", WriteMode::Replace, 0o600).expect("a fault happens once");
        }
        assert_eq!(failures, 5, "create, fill, flush, place, flush the directory");
    }
}

#[test]
fn every_step_may_be_the_last() {
    for step in 0..5 {
        let machine = MemorySystem::new().with_file(FILE, "old");
        machine.fail_step(step, WriteFault::Crash);
        let path = Path::new(FILE);
        assert!(machine.write(path, b"new", WriteMode::Replace, 0o600).is_err());
        assert!(machine.write(path, b"newer", WriteMode::Replace, 0o600).is_err(), "the process is dead");
        machine.restart();
        let expected: &[u8] = if step < 4 { b"old" } else { b"new" };
        assert_eq!(text(&machine).as_deref(), Some(expected), "step {step}");
        let left_over = (1..4).contains(&step);
        assert_eq!(names(&machine), 1 + usize::from(left_over), "step {step}");
        machine.write(path, b"newer", WriteMode::Replace, 0o600).expect("the next process can write");
    }
}

#[test]
fn touches_are_counted_where_they_lead() {
    let machine = MemorySystem::new().with_file("/p/real/f", "").with_link("/p/alias", "real");
    let _ = machine.read(Path::new("/p/alias/f"), ReadScope::Anywhere, 9);
    let _ = machine.read(Path::new("/p/real/f"), ReadScope::Root(Path::new("/p")), 9);
    let _ = machine.read(Path::new("/p/none"), ReadScope::Anywhere, 9);
    let _ = machine.stat(Path::new("/p/real"));
    assert_eq!(machine.reads("/p/real/f"), 2);
    assert_eq!(machine.reads("/p/alias/f"), 2);
    assert_eq!(machine.reads("/p/none"), 1);
    assert_eq!(machine.reads("/p/real"), 0, "a stat is no read");
    let verbs: Vec<_> = machine.touches().iter().map(|touch| touch.verb).collect();
    assert_eq!(verbs, [AccessKind::Read, AccessKind::Read, AccessKind::Read, AccessKind::Stat]);
    machine.clear_touches();
    assert_eq!(machine.touches(), []);
}
