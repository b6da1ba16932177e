//! Random trees of files with random imports, against a model that replaces strings.

use super::*;
use preface_core::lint::hidden::escape_hidden;
use proptest::prelude::*;
use serde_json::json;

const FILES: [&str; 7] = ["CLAUDE.md", "a.md", "b.md", "d/a.md", "d/e/c.md", "CLAUDE.local.md", "../out.md"];

/// The words of a text. Each word is followed by a blank or a line end.
const WORDS: [&str; 20] = [
    "@a.md",
    "@./b.md",
    "@../a.md",
    "@d/a.md",
    "@d/e/c.md",
    "@../../CLAUDE.md",
    "@CLAUDE.md",
    "@/w/p/b.md",
    "@../out.md",
    "@/w/out.md",
    "@~/own.md",
    "@gone.md",
    "@link.md",
    "@d",
    "me@a.md",
    "(@a.md)",
    "word",
    "größe",
    "@a.md,",
    "@scope/pkg",
];

fn text() -> impl Strategy<Value = String> {
    let word = (0..WORDS.len(), prop_oneof![Just(" "), Just("\n"), Just("\n\n")], 0..12_u8);
    proptest::collection::vec(word, 0..9).prop_map(|words| {
        let mut out = String::new();
        for (word, gap, dress) in words {
            match dress {
                0 => out.push_str(&format!("`{}`", WORDS[word])),
                1 => out.push_str(&format!("\n```\n{}\n```\n", WORDS[word])),
                _ => out.push_str(WORDS[word]),
            }
            out.push_str(gap);
        }
        out
    })
}

fn tree() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(text(), FILES.len())
}

fn place(name: &str) -> PathBuf {
    crate::places::normal(Path::new("/w/p"), Path::new(name))
}

/// The files by where they really lie.
type TestDisk = BTreeMap<PathBuf, String>;

/// The content of the section so far: the files that are included by themselves, and those that they import.
#[derive(Default)]
struct SectionFiles {
    included: Vec<PathBuf>,
    imported: Vec<PathBuf>,
}

/// Replaces each `@path` by hand: word by word, the fences by their lines. An imported text loses its last line end.
fn model(disk: &TestDisk, path: &Path, chain: &[PathBuf], hops: usize, seen: &mut SectionFiles) -> String {
    let text = &disk[&real(path)];
    let text = text.strip_suffix('\n').filter(|_| chain.len() > 1).unwrap_or(text);
    let mut out = String::new();
    let mut in_fence = false;
    for line in text.split_inclusive('\n') {
        if line == "```\n" {
            in_fence = !in_fence;
        }
        for word in line.split_inclusive([' ', '\n']) {
            let bare = word.trim_end_matches([' ', '\n']);
            let written = bare.trim_end_matches(',');
            let target = written.strip_prefix('@').filter(|_| !in_fence).and_then(|name| {
                let target = crate::places::normal(path.parent()?, Path::new(name));
                let may = target.starts_with("/w/p") && disk.contains_key(&real(&target));
                let known = [chain, &seen.included, &seen.imported].concat();
                let is_new = !known.contains(&real(&target));
                (may && is_new && chain.len() <= hops).then_some(target)
            });
            match target {
                Some(target) => {
                    let longer = [chain, &[real(&target)]].concat();
                    seen.imported.push(real(&target));
                    out.push_str(&model(disk, &target, &longer, hops, seen));
                    out.push_str(&word[written.len()..]);
                }
                None => out.push_str(word),
            }
        }
    }
    out
}

fn real(path: &Path) -> PathBuf {
    if path == Path::new("/w/p/link.md") { PathBuf::from("/w/p/d/a.md") } else { path.to_owned() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn imports_are_strings_that_are_replaced(texts in tree(), hops in 0_usize..4) {
        let disk: TestDisk = FILES.iter().map(|name| place(name)).zip(texts).collect();
        let system = disk.iter().fold(machine(), |system, (path, text)| system.with_file(path, text));
        let system = system.with_link("/w/p/link.md", "d/a.md").with_file("/home/u/own.md", "own");
        let built = build(&system, json!({"hops": hops}));
        let mut expected: Vec<(&str, String)> = Vec::new();
        let mut seen = SectionFiles::default();
        for name in ["CLAUDE.md", "CLAUDE.local.md"] {
            let path = place(name);
            if seen.imported.contains(&path) {
                continue;
            }
            let text = model(&disk, &path, std::slice::from_ref(&path), hops, &mut seen);
            if !text.trim().is_empty() {
                expected.push((name, text));
                seen.included.push(path);
            }
        }
        let found: Vec<(&str, String)> =
            built.items().into_iter().map(|(path, _, text)| (path, text)).collect();
        prop_assert_eq!(found, expected);
        assert_origins(&built, &system);
    }

    #[test]
    fn no_text_is_too_strange(texts in proptest::collection::vec(".{0,60}|[@`~>\\-.#* \\n/a]{0,60}", 3)) {
        let system = machine()
            .with_file("/w/p/CLAUDE.md", &texts[0])
            .with_file("/w/p/a", &texts[1])
            .with_file("/w/p/.tool/rules/a.md", format!("---\npaths: {}\n---\n{}", texts[2], texts[1]));
        let built = build(&system, json!({"rules": "rules", "touched": ["a"]}));
        assert_origins(&built, &system);
        for diagnostic in &built.diagnostics {
            prop_assert_eq!(escape_hidden(&diagnostic.message).into_owned(), diagnostic.message.clone());
        }
    }
}
