//! ARCHITECTURE.md draws who may use whom, in a block that starts with ```` ```arrows ````. These tests hold the drawing
//! against the manifests, both ways. A block that starts with ```` ```modules ```` has the order of the engine's modules, which is
//! held against its sources. One more test bounds what the library without features depends on.

use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Crates by the name of their directory, each with the crates that it uses.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The most crates that `preface` without features may compile, itself among them.
const MOST_CRATES: usize = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

/// Returns the text of a block of ARCHITECTURE.md.
fn block(name: &str) -> String {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is in the root");
    let block = page.split(&format!("\n```{name}\n")).nth(1).and_then(|rest| rest.split("\n```").next());
    block.unwrap_or_else(|| panic!("ARCHITECTURE.md has a block that starts with ```{name}")).to_owned()
}

/// Reads the block: one line per crate, `host -> core`, its dependencies separated by blanks.
fn drawn() -> Arrows {
    let mut arrows = Arrows::new();
    for line in block("arrows").lines() {
        let (from, to) = line.split_once("->").unwrap_or_else(|| panic!("no arrow in the line `{line}`"));
        let to = to.split_whitespace().map(str::to_owned).collect();
        let twice = arrows.insert(from.trim().to_owned(), to);
        assert!(twice.is_none(), "the block has two lines for `{}`", from.trim());
    }
    arrows
}

/// Runs cargo in the root and returns what it prints.
fn cargo(args: &[&str]) -> Vec<u8> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(args)
        .current_dir(root())
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Asks cargo for the members of the workspace and the normal dependencies among them.
fn built() -> Arrows {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_slice(&metadata).expect("cargo metadata prints JSON");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let package = |package: Value| {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        let from = directory_name(manifest.parent().expect("a manifest lies in a directory"));
        let dependencies = list(&package["dependencies"]);
        let normal = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        let inside = normal.filter_map(|dependency| dependency["path"].as_str());
        (from, inside.map(|path| directory_name(Path::new(path))).collect())
    };
    list(&metadata["packages"]).into_iter().map(package).collect()
}

fn directory_name(path: &Path) -> String {
    path.file_name().expect("a crate has a directory").to_string_lossy().into_owned()
}

#[test]
fn every_crate_has_a_line_and_every_line_a_crate() {
    let (drawn, built) = (drawn(), built());
    for name in built.keys() {
        assert!(drawn.contains_key(name), "the crate `{name}` has no line in the arrows of ARCHITECTURE.md");
    }
    for name in drawn.keys() {
        assert!(built.contains_key(name), "ARCHITECTURE.md draws `{name}`, but there is no such crate");
    }
}

#[test]
fn the_manifests_use_what_is_drawn_and_nothing_else() {
    let (drawn, built) = (drawn(), built());
    for (from, uses) in &built {
        let allowed = drawn.get(from).cloned().unwrap_or_default();
        let undrawn = uses.difference(&allowed).next();
        assert_eq!(undrawn, None, "`{from}` depends on a crate to which ARCHITECTURE.md draws no arrow");
        let unused = allowed.difference(uses).next();
        assert_eq!(
            unused, None,
            "ARCHITECTURE.md draws an arrow from `{from}` that its manifest does not have"
        );
    }
}

#[test]
fn the_core_looks_up_to_nobody() {
    let arrows = built();
    let core = arrows.get("core").expect("there is a core");
    assert!(core.is_empty(), "the core is pure and uses no other crate of ours, but it uses {core:?}");
}

#[test]
fn the_library_without_features_compiles_few_crates() {
    let tree = cargo(&["tree", "--package", "preface", "--edges", "normal,build", "--prefix", "none"]);
    let tree = String::from_utf8(tree).expect("cargo tree prints text");
    let crates: BTreeSet<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    assert!(
        crates.len() <= MOST_CRATES,
        "`preface` without features compiles {} crates, more than {MOST_CRATES}: make a dependency optional",
        crates.len()
    );
}

/// Returns the names behind each `crate::` of a source: modules of the crate and what its root exports.
fn names_of_crate(source: &str) -> BTreeSet<String> {
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let code = source.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let code: String = code.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n");
    let word =
        |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            names.insert(word(rest));
            continue;
        };
        // The first words of a list, not those of the lists in it.
        let (mut depth, mut starts) = (0, true);
        for (at, character) in list.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' => starts = depth == 0,
                _ if character.is_whitespace() => {}
                _ if starts && depth == 0 => {
                    names.insert(word(&list[at..]));
                    starts = false;
                }
                _ => {}
            }
        }
    }
    names
}

/// Adds what the sources of a module use to a set.
fn add_uses(path: &Path, uses: &mut BTreeSet<String>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a directory of sources can be read");
        let paths = entries.map(|entry| entry.expect("it can be listed").path());
        return paths.filter(|path| !path.ends_with("tests.rs")).for_each(|path| add_uses(&path, uses));
    }
    uses.extend(names_of_crate(&fs::read_to_string(path).expect("a source is text")));
}

#[test]
fn the_modules_of_the_engine_use_those_above_them() {
    let sources = root().join("crates/engine/src");
    let order: Vec<String> = block("modules").split_whitespace().map(str::to_owned).collect();
    let library = fs::read_to_string(sources.join("lib.rs")).expect("the engine has a root");
    // What the root exports belongs to the module that it comes from.
    let mut exports = BTreeMap::new();
    for line in library.lines().filter_map(|line| line.strip_prefix("pub use ")) {
        let Some((module, names)) = line.split_once("::") else { continue };
        let names = names.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty());
        exports.extend(names.map(|name| (name.to_owned(), module.to_owned())));
    }
    let modules: BTreeSet<&str> = library
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    assert_eq!(
        order.iter().map(String::as_str).collect::<BTreeSet<_>>(),
        modules,
        "the block has each module"
    );
    for (at, module) in order.iter().enumerate() {
        let mut uses = BTreeSet::new();
        for path in [sources.join(module), sources.join(format!("{module}.rs"))] {
            if path.exists() {
                add_uses(&path, &mut uses);
            }
        }
        for used in uses {
            let used =
                if modules.contains(used.as_str()) { &used } else { exports.get(&used).unwrap_or(&used) };
            let is_above = order[..=at].contains(used) || !modules.contains(used.as_str());
            assert!(is_above, "`{module}` of the engine uses `{used}`, which ARCHITECTURE.md lists below it");
        }
    }
}

#[test]
fn the_names_behind_crate_are_found() {
    let source = "use crate::{A, b::{C, d::E}, f::G as H};\n// crate::x\nfn i() { crate::j::k() }\n";
    assert_eq!(names_of_crate(source).into_iter().collect::<Vec<_>>(), ["A", "b", "f", "j"]);
}
