//! The last decision counts, whatever was before.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
enum TrustStep {
    Clock(i64),
    Grant(usize, u8),
    Decline(usize),
    Pin(usize, usize, u8),
    Unpin(usize, Option<usize>),
}

const PATHS: [&str; 3] = ["/a/.p", "/a/.p/b", "/c"];
const NAMES: [&str; 2] = ["x.md", "/d/x.md"];

fn step() -> impl Strategy<Value = TrustStep> {
    prop_oneof![
        (-100_000_000_i64..100_000_000).prop_map(TrustStep::Clock),
        (0..3_usize, 0..2_u8).prop_map(|(path, digest)| TrustStep::Grant(path, digest)),
        (0..3_usize).prop_map(TrustStep::Decline),
        (0..3_usize, 0..2_usize, 0..3_u8)
            .prop_map(|(root, name, version)| TrustStep::Pin(root, name, version)),
        (0..3_usize, proptest::option::of(0..2_usize)).prop_map(|(root, name)| TrustStep::Unpin(root, name)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_last_operation_wins(steps in proptest::collection::vec(step(), 1..40)) {
        let system = MemorySystem::new();
        let start = system.now();
        let mut whole = BTreeMap::new();
        let mut pins: BTreeSet<(usize, usize, u8)> = BTreeSet::new();
        for step in steps {
            let store = store(&system);
            match step {
                TrustStep::Clock(skew) => {
                    system.set_now(start + SignedDuration::from_millis(skew));
                }
                TrustStep::Grant(path, digest) => {
                    store.grant_whole(Path::new(PATHS[path]), &whole_files(&[digest])).expect("granted");
                    whole.insert(path, digest);
                    pins.retain(|(pinned_in, ..)| *pinned_in != path);
                }
                TrustStep::Decline(path) => {
                    store.decline(Path::new(PATHS[path]), None).expect("declined");
                    // Its texts go with the grant of the whole.
                    if whole.remove(&path).is_some() {
                        pins.retain(|(pinned_in, ..)| *pinned_in != path);
                    }
                }
                TrustStep::Pin(root, name, version) => {
                    let text = PinnedText { path: PinPath::parse(NAMES[name]).expect("a name"), bytes: vec![version] };
                    store.grant_pins(Path::new(PATHS[root]), &[text], None).expect("granted");
                    pins.insert((root, name, version));
                }
                TrustStep::Unpin(root, name) => {
                    let path = name.map(|name| PinPath::parse(NAMES[name]).expect("a name"));
                    store.revoke_pins(Path::new(PATHS[root]), path.as_ref().map(std::slice::from_ref)).expect("revoked");
                    if name.is_none() {
                        whole.remove(&root);
                    }
                    pins.retain(|(pinned_in, pinned, _)| *pinned_in != root || name.is_some_and(|name| name != *pinned));
                }
            }
            let records = load_any(&system);
            for (index, path) in PATHS.iter().enumerate() {
                let granted = records.root(Path::new(path));
                prop_assert_eq!(granted.is_whole(), whole.contains_key(&index));
                let [PinnedText { path, bytes }] = whole_files(&[whole.get(&index).copied().unwrap_or_default()]);
                let stands = granted.state(&path, &Digest::of(&bytes)) == GrantState::Granted;
                prop_assert_eq!(stands, whole.contains_key(&index));
                for (name, version) in (0..2).flat_map(|name| (0..3).map(move |version| (name, version))) {
                    let path = PinPath::parse(NAMES[name]).expect("a name");
                    let stands = granted.state(&path, &Digest::of(&[version])) == GrantState::Granted;
                    prop_assert_eq!(stands, pins.contains(&(index, name, version)));
                }
            }
            for (_, _, version) in &pins {
                prop_assert_eq!(store.copy(&Digest::of(&[*version])), Some(vec![*version]));
            }
        }
    }
}

fn load_any(system: &MemorySystem) -> Records {
    store(system).load(&mut Vec::new())
}
