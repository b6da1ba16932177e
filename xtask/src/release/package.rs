//! What users get: an archive with the program, its completions and manual pages, a Debian package of the same files, a list of what is
//! linked, the licenses of that, and checksums. Two runs give the same bytes.

use crate::{child, failure::Failure};
use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

const SHELLS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/preface"),
    ("fish", "share/fish/vendor_completions.d/preface.fish"),
    ("zsh", "share/zsh/site-functions/_preface"),
];

/// The texts of the repository that each package has.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// A crate that is linked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LinkedCrate {
    name: String,
    version: String,
    license: String,
}

/// Packs a program into `dir`, and returns the files.
///
/// # Errors
/// A tool that is missing or fails: `tar`, `gzip`, `sha256sum`, and `dpkg-deb` where there is one.
pub fn pack(program: &Path, dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("preface-{version}-{}-{}", env::consts::ARCH, env::consts::OS);
    _ = fs::remove_dir_all(dir);
    let root = dir.join(&name);
    let crates = linked()?;
    stage(program, &root, &crates)?;
    let archive = dir.join(format!("{name}.tar.gz"));
    run(Command::new("sh").current_dir(dir).args(["-c", TAR, "tar", &name, &archive.display().to_string()]))?;
    let sbom = dir.join(format!("{name}.cdx.json"));
    write(&sbom, &bill_of_materials(&crates, version))?;
    let mut files = vec![archive, sbom];
    if child::runs(Command::new("dpkg-deb").arg("--version")) {
        files.push(debian(&root, dir, version)?);
    }
    fs::remove_dir_all(&root).map_err(|error| Failure::new(error.to_string()))?;
    let names: Vec<_> = files.iter().filter_map(|file| file.file_name()).collect();
    let sums = Command::new("sha256sum").current_dir(dir).args(names).output();
    let sums = sums.map_err(|error| Failure::start("sha256sum", &error))?;
    files.push(dir.join("SHA256SUMS"));
    fs::write(dir.join("SHA256SUMS"), sums.stdout).map_err(|error| Failure::new(error.to_string()))?;
    Ok(files)
}

/// Every name in one order, with one owner and one time.
const TAR: &str = "tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=ustar -cf - \"$1\" | gzip -n > \"$2\"";

/// Lays out the files as they lie below `/usr`, and beside them what a person reads first.
fn stage(program: &Path, root: &Path, crates: &BTreeSet<LinkedCrate>) -> Result<(), Failure> {
    let target = root.join("bin/preface");
    copy(program, &target, 0o755)?;
    for (shell, file) in SHELLS {
        write(&root.join(file), &printed(&target, &["completions", shell])?)?;
    }
    let pages = root.join("share/man/man1");
    directory(&pages)?;
    printed(&target, &["man", "--out", &pages.display().to_string()])?;
    for text in TEXTS {
        copy(&child::root().join(text), &root.join(text), 0o644)?;
    }
    copy(
        &child::root().join("packages/linux/preface.service"),
        &root.join("lib/systemd/system/preface.service"),
        0o644,
    )?;
    copy(&child::root().join("packages/linux/Containerfile"), &root.join("Containerfile"), 0o644)?;
    write(&root.join("THIRD-PARTY-LICENSES"), &licenses(crates))
}

/// Makes a Debian package: the same files below `/usr`.
fn debian(root: &Path, dir: &Path, version: &str) -> Result<PathBuf, Failure> {
    let tree = dir.join("debian");
    for part in ["bin", "share", "lib"] {
        let to = tree.join("usr").join(part);
        directory(&tree.join("usr"))?;
        run(Command::new("cp").args(["-r", "--preserve=mode"]).arg(root.join(part)).arg(to))?;
    }
    for text in TEXTS.iter().chain(&["THIRD-PARTY-LICENSES"]) {
        copy(&root.join(text), &tree.join("usr/share/doc/preface").join(text), 0o644)?;
    }
    let architecture = if env::consts::ARCH == "x86_64" { "amd64" } else { "arm64" };
    let control = format!(
        "Package: preface\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: the authors of preface\n\
         Section: utils\nPriority: optional\nRecommends: git\nDescription: system prompts for agents, with the source of every byte\n"
    );
    write(&tree.join("DEBIAN/control"), &control)?;
    let file = dir.join(format!("preface_{version}_{architecture}.deb"));
    let mut build = Command::new("dpkg-deb");
    build
        .args(["--root-owner-group", "-Zgzip", "--build"])
        .arg(&tree)
        .arg(&file)
        .env("SOURCE_DATE_EPOCH", "0");
    run(&mut build)?;
    fs::remove_dir_all(&tree).map_err(|error| Failure::new(error.to_string()))?;
    Ok(file)
}

/// Returns the crates that the program is made of, without those of the repository.
fn linked() -> Result<BTreeSet<LinkedCrate>, Failure> {
    let words =
        ["tree", "-p", "preface-cli", "-e", "normal", "--prefix", "none", "--format", "{p}|{l}", "--locked"];
    let output = child::cargo(&words).output().map_err(|error| Failure::start("cargo", &error))?;
    Ok(read_tree(&String::from_utf8_lossy(&output.stdout)))
}

/// Reads the lines of `cargo tree`: `name v1.2.3|MIT`. A crate of the repository has its directory behind the version.
fn read_tree(tree: &str) -> BTreeSet<LinkedCrate> {
    let read = |line: &str| {
        let (package, license) = line.trim_end_matches(" (*)").split_once('|')?;
        let mut words = package.split(' ');
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        if words.any(|word| word.starts_with("(/")) {
            return None;
        }
        let license = license.trim_end_matches(" (*)");
        Some(LinkedCrate { name: name.to_owned(), version: version.to_owned(), license: license.to_owned() })
    };
    tree.lines().filter_map(read).collect()
}

/// Formats the list of crates as CycloneDX.
fn bill_of_materials(crates: &BTreeSet<LinkedCrate>, version: &str) -> String {
    let component = |one: &LinkedCrate| {
        let LinkedCrate { name, version, license } = one;
        format!(
            "    {{\"type\": \"library\", \"name\": \"{name}\", \"version\": \"{version}\", \"purl\": \"pkg:cargo/{name}@{version}\", \
             \"licenses\": [{{\"expression\": \"{license}\"}}]}}"
        )
    };
    let components: Vec<String> = crates.iter().map(component).collect();
    format!(
        "{{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n  \"metadata\": {{\"component\": \
         {{\"type\": \"application\", \"name\": \"preface\", \"version\": \"{version}\"}}}},\n  \"components\": [\n{}\n  ]\n}}\n",
        components.join(",\n")
    )
}

/// Joins the license files of the crates as they lie where cargo unpacked them.
fn licenses(crates: &BTreeSet<LinkedCrate>) -> String {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let sources = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok()).into_iter().flatten();
    let sources: Vec<PathBuf> = sources.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let mut text = String::from("The licenses of the crates that preface is linked with.\n");
    for LinkedCrate { name, version, license } in crates {
        _ = write!(text, "\n==== {name} {version}: {license}\n");
        let directories = sources.iter().map(|source| source.join(format!("{name}-{version}")));
        let entries = directories.filter_map(|directory| fs::read_dir(directory).ok()).flatten();
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| {
            let name = file.file_name().map(|name| name.to_string_lossy().to_ascii_uppercase());
            name.is_some_and(|name| {
                ["LICENSE", "LICENCE", "COPYING", "NOTICE"].iter().any(|start| name.starts_with(start))
            })
        });
        files.sort();
        for file in files {
            text.push_str(&fs::read_to_string(file).unwrap_or_default());
        }
    }
    text
}

fn printed(program: &Path, words: &[&str]) -> Result<String, Failure> {
    let name = program.display().to_string();
    let output = Command::new(program).args(words).output().map_err(|error| Failure::start(&name, &error))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Failure::new(format!("`preface {}` failed", words.join(" "))))
    }
}

fn run(command: &mut Command) -> Result<(), Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| Failure::start(&name, &error))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("`{name}` failed: {status}"))) }
}

fn directory(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))
}

fn copy(from: &Path, to: &Path, mode: u32) -> Result<(), Failure> {
    to.parent().map_or(Ok(()), directory)?;
    fs::copy(from, to)
        .and_then(|_bytes| fs::set_permissions(to, fs::Permissions::from_mode(mode)))
        .map_err(|error| Failure::new(format!("`{}`: {error}", from.display())))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    file.parent().map_or(Ok(()), directory)?;
    fs::write(file, text).map_err(|error| Failure::new(format!("`{}`: {error}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_of_cargo_is_read_without_our_own_crates() {
        let tree = "preface-cli v0.1.0 (/src/preface/crates/cli)|MIT OR Apache-2.0\nserde v1.0.1|MIT OR Apache-2.0\n\
                    serde v1.0.1|MIT OR Apache-2.0 (*)\nderive v2.0.0 (proc-macro)|MIT\n";
        let crates = read_tree(tree);
        let names: Vec<&str> = crates.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["derive", "serde"]);
        assert!(crates.iter().all(|one| !one.license.contains('*')));
        let bill: serde_json::Value =
            serde_json::from_str(&bill_of_materials(&crates, "0.1.0")).expect("it is JSON");
        assert_eq!(bill["components"][1]["purl"], "pkg:cargo/serde@1.0.1");
    }

    #[test]
    fn a_program_is_packed_to_the_same_bytes_twice() {
        let dir = env::temp_dir().join(format!("preface-pack-{}", std::process::id()));
        let program = dir.join("preface");
        write(
            &program,
            "#!/bin/sh\n[ \"$1\" = man ] && echo page > \"$3/preface.1\"\necho \"$@\" | cut -d/ -f1\n",
        )
        .unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let sums = |name: &str| {
            let files = pack(&program, &dir.join(name)).unwrap();
            assert!(files.iter().all(|file| file.exists()), "{files:?}");
            fs::read_to_string(dir.join(name).join("SHA256SUMS")).unwrap()
        };
        let (first, second) = (sums("one"), sums("two"));
        fs::remove_dir_all(&dir).unwrap();
        assert_eq!(first, second);
        assert!(first.contains(".tar.gz") && first.contains(".cdx.json"), "{first}");
    }
}
