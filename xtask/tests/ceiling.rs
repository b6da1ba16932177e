//! The code of the product has at most as many lines as `xtask/ceiling.txt` allows. Tests, tools and benches are not counted.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

/// Returns the number of lines of a source file without its test modules.
fn lines(text: &str) -> usize {
    let mut count = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let (true, Some(next)) = (line.starts_with("#[cfg(test)]"), lines.peek()) {
            let module =
                next.split_once("mod ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"));
            match module {
                // The module has a file of its own.
                Some((_, name)) if name.ends_with(';') => {
                    lines.next();
                    continue;
                }
                // It is the rest of this file.
                Some((_, name)) if name.ends_with('{') => break,
                _ => {}
            }
        }
        count += 1;
    }
    count
}

/// True for the sources of crates and bindings without tests and the test kit.
fn is_counted(path: &str) -> bool {
    let is_test =
        |part: &str| matches!(part, "tests" | "testing" | "examples" | "fake" | "tests.rs" | "testing.rs");
    let parts: Vec<&str> = path.split('/').collect();
    path.ends_with(".rs")
        && matches!(parts[..], ["crates" | "bindings", name, "src", ..] if name != "testkit")
        && !parts.iter().any(|part| is_test(part))
}

#[test]
fn the_code_stays_below_its_ceiling() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root");
    let listing =
        Command::new("git").args(["ls-files", "-z"]).current_dir(root).output().expect("git can be started");
    let listing = String::from_utf8(listing.stdout).expect("paths are UTF-8");
    let mut crates = BTreeMap::<&str, usize>::new();
    for path in listing.split('\0').filter(|path| is_counted(path)) {
        // A file that was deleted and not committed yet is listed.
        let Ok(text) = fs::read_to_string(root.join(path)) else { continue };
        *crates.entry(path.split('/').nth(1).expect("crates/NAME")).or_default() += lines(&text);
    }
    let ceiling = include_str!("../ceiling.txt").trim().parse::<usize>().expect("ceiling.txt is a number");
    let total = crates.values().sum::<usize>();
    assert!(total > 0, "git lists the sources");
    assert!(
        total <= ceiling,
        "{total} lines, the ceiling is {ceiling}: delete {} ({crates:?})",
        total - ceiling
    );
}

#[test]
fn test_modules_are_not_counted() {
    assert_eq!(lines("a\n#[cfg(test)]\nmod tests;\nb\n"), 2);
    assert_eq!(lines("a\n#[cfg(test)]\nfn b() {}\n#[cfg(test)]\nmod tests {\n    c\n}\n"), 3);
    assert!(is_counted("crates/core/src/pipeline/render.rs") && is_counted("bindings/node/src/lib.rs"));
    assert!(
        !is_counted("crates/host/src/system/testing/disk.rs") && !is_counted("crates/testkit/src/lib.rs")
    );
    assert!(!is_counted("xtask/src/main.rs") && !is_counted("crates/core/tests/lint.rs"));
}
