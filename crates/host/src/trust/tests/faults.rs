//! A write that goes wrong at any step.

use super::*;

/// Every record that is has its copy.
fn copies_are_there(system: &MemorySystem, what: &str) {
    for row in load(system).list() {
        for text in row.texts {
            assert!(store(system).copy(&text.digest).is_some(), "{what}: `{}` has no copy", text.path);
        }
    }
}

/// Runs `change` with a fault at each of its steps; returns how many there are.
fn at_each_step(fault: &WriteFault, change: impl Fn(&TrustStore<'_>) -> Result<(), TrustError>) -> u64 {
    let before = || {
        let system = MemorySystem::new();
        let texts = [text("a", "1"), text("b", "1"), text("c", "3")];
        store(&system).grant_pins(root(), &texts, None).expect("granted");
        store(&system).grant_whole(key(), &whole_files(b"")).expect("granted");
        for root in [root(), key()] {
            store(&system).grant_permissions(root, &[endpoint("mcp/a", "https://a")]).expect("granted");
        }
        system
    };
    let untouched = before();
    let old = content(&untouched);
    let steps = untouched.write_steps();
    change(&store(&untouched)).expect("no fault, no failure");
    let new = content(&untouched);
    let count = untouched.write_steps() - steps;
    for step in 0..count {
        let system = before();
        system.fail_step(step, fault.clone());
        let outcome = change(&store(&system));
        system.restart();
        let found = content(&system);
        assert!(found == old || found == new, "step {step}: {found}");
        assert!(outcome.is_err() || found == new, "step {step}: success means it is recorded");
        copies_are_there(&system, &format!("step {step}"));
        change(&store(&system)).unwrap_or_else(|error| panic!("step {step}, again: {error}"));
        assert_eq!(content(&system), new, "step {step}, again");
        copies_are_there(&system, &format!("step {step}, again"));
    }
    count
}

#[test]
fn the_record_is_the_old_or_the_new_one() {
    for fault in [WriteFault::Crash, WriteFault::Fail(WriteError::Other("no space left on device".into()))] {
        let texts = [text("a", "2"), text("d", "4")];
        let steps = at_each_step(&fault, |store| store.grant_pins(root(), &texts, None).map(|_| ()));
        assert_eq!(steps, 15, "two copies and the record");
        at_each_step(&fault, |store| store.revoke_pins(root(), None).map(|_| ()));
        at_each_step(&fault, |store| store.revoke_pins(root(), Some(&[text("a", "").path])).map(|_| ()));
        at_each_step(&fault, |store| store.decline(key(), None).map(|_| ()));
        at_each_step(&fault, |store| store.decline(root(), Some(Digest::of(b""))).map(|_| ()));
        at_each_step(&fault, |store| {
            store.grant_permissions(root(), &[endpoint("mcp/b", "https://b")]).map(|_| ())
        });
        at_each_step(&fault, |store| store.revoke_permissions(root()).map(|_| ()));
    }
}

#[test]
fn the_very_first_grant_can_fail_anywhere() {
    let texts = [text("a", "1")];
    let whole = MemorySystem::new();
    store(&whole).grant_pins(root(), &texts, None).expect("granted");
    for step in 0..whole.write_steps() {
        let system = MemorySystem::new();
        system.fail_step(step, WriteFault::Crash);
        assert!(store(&system).grant_pins(root(), &texts, None).is_err(), "step {step}");
        system.restart();
        copies_are_there_or_nothing(&system, step);
        store(&system).grant_pins(root(), &texts, None).expect("granted");
        assert_eq!(content(&system), content(&whole), "step {step}, again");
    }
}

fn copies_are_there_or_nothing(system: &MemorySystem, step: u64) {
    if system.stat(Path::new(FILE)).is_some() {
        copies_are_there(system, &format!("step {step}"));
    }
}

#[test]
fn a_copy_that_cannot_be_removed_is_told() {
    let system = MemorySystem::new();
    store(&system).grant_pins(root(), &[text("a", "1")], None).expect("granted");
    let system = system.with_mode("/home/user/.config/x/trust.d", 0o500);
    let report = store(&system).revoke_pins(root(), None).expect("revoked");
    assert!(matches!(report.audit.last(), Some(AuditEvent::SuppressedError { .. })), "{report:?}");
    assert_eq!(load(&system).root(root()).trust(), Trust::Untrusted);
}
