//! `cargo xtask node`: the program and the library as npm packages, built, installed from their files and tried.
//!
//! `packages/node` has the packages as they are in the repository, `bindings/node` the library: its JavaScript, and the crate
//! that becomes its native part. A copy of each package, with the licences, the library and what is built, is laid below cargo's
//! target directory and packed there; then npm installs the files into empty directories, offline and without scripts. The tests
//! are `packages/node/program.test.js` and those in `bindings/node/test`, where the types are checked, too; they need a few
//! packages of npm, installed by their exact versions. By default what is built is as the other chores use it; `--release` takes
//! it as it is shipped, and the packages can be published.

use crate::{
    Command, child,
    failure::Failure,
    flags::Flags,
    npm,
    packages::{self, Node},
    print, release,
};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process,
};

pub const COMMAND: Command = Command {
    name: "node",
    usage: "[--release] [--soak]",
    about: "Builds the npm packages, installs them from their files and tests program and library.",
    run,
};

const SOURCES: &str = "packages/node";
const PROGRAM_TESTS: &str = "packages/node/program.test.js";
const LIBRARY: &str = "bindings/node/lib";
const LIBRARY_TESTS: &str = "bindings/node/test";

/// The package that people install, and the one of this platform, by their directories.
const MAIN: &str = "preface";
const PLATFORM: &str = "linux-x64";

/// The packages that the tests use besides.
const MODULES: Node<'_> = Node {
    names: "TypeScript, and the SDKs that requests are for",
    package: include_str!("../../bindings/node/test/package.json"),
    lock: include_str!("../../bindings/node/test/package-lock.json"),
    file: "bindings/node/test/package.json",
};

/// The builds of `--soak`.
const SOAK: &str = "10000";
/// The builds of which the fastest is a warm build.
const WARM: &str = "200";

fn run(words: &[String]) -> Result<(), Failure> {
    let mut flags = Flags::new("node [--release] [--soak]", words);
    let (mut is_release, mut is_soak) = (false, false);
    while let Some(word) = flags.next() {
        match word {
            "--release" => is_release = true,
            "--soak" => is_soak = true,
            _ => return Err(flags.unknown(word)),
        }
    }
    let built = build(is_release)?;
    let Built { directory, binary, native, modules, complete, lacking } = &built;
    let cannot = |error: io::Error| Failure::new(format!("the npm packages cannot be laid out: {error}"));
    let tests = complete.join("test");
    copy(&child::root().join(LIBRARY_TESTS), &tests).map_err(cannot)?;

    let mut run = node(&["--test", "--test-reporter=tap"]);
    run.arg(child::root().join(PROGRAM_TESTS));
    run.args(
        ["library.test.js", "library.test.mjs", "bad-input.test.js", "same-bytes.test.js", "docs.test.js"]
            .map(|name| tests.join(name)),
    );
    run.env("BINARY", binary).env("COMPLETE", complete).env("LACKING", lacking);
    run.env("CASES", child::root().join("cases")).env("CHECKOUT", child::root());
    if is_release {
        run.env("RELEASE", "1");
    }
    if !child::watch(run, print::line)? {
        let help = format!("it is in {PROGRAM_TESTS} or {LIBRARY_TESTS}");
        return Err(Failure::new("a test of the npm packages failed").help(help));
    }
    let mut check = node(&[]);
    check.arg(modules.join("node_modules/typescript/bin/tsc")).arg("--project").arg(&tests);
    if !child::quietly(check)? {
        return Err(Failure::new("the types of the library do not fit")
            .help(format!("they are in {LIBRARY}/index.d.ts, the test is {LIBRARY_TESTS}/types.mts")));
    }
    print::figure("tsc --strict: no errors");
    measure(directory, native, &tests, is_soak)
}

/// The directories that are built and installed.
struct Built {
    directory: PathBuf,
    binary: PathBuf,
    native: Native,
    /// Where the packages are that the tests use besides.
    modules: PathBuf,
    /// An installation with all packages.
    complete: PathBuf,
    /// An installation without that of the platform.
    lacking: PathBuf,
}

/// Builds the packages as the other chores compile, and returns the directory of their installation.
///
/// # Errors
/// They cannot be built or installed, or there is none for this platform.
pub fn library() -> Result<PathBuf, Failure> {
    build(false).map(|built| built.complete)
}

fn build(is_release: bool) -> Result<Built, Failure> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(Failure::new("there is no npm package for this platform").help(format!(
            "{SOURCES}/{PLATFORM} is for Linux on x86-64; CONTRIBUTING.md describes another one"
        )));
    }
    npm::ensure()?;
    let binary = if is_release { release::build()? } else { child::debug_binary()? };
    let native = build_native(is_release)?;
    let directory = child::target().join("node");
    packages::empty(&directory)?;
    let cannot = |error: io::Error| Failure::new(format!("the npm packages cannot be laid out: {error}"));
    let main = lay_main(&directory).and_then(|source| pack(&source, &directory)).map_err(cannot)??;
    let platform = lay_platform(&directory, &binary, &native.library);
    let platform = platform.and_then(|source| pack(&source, &directory)).map_err(cannot)??;

    // Below the packages that the tests use besides, where Node and TypeScript look for them.
    let modules = child::target().join("node-modules");
    MODULES.ensure(&modules)?;
    let complete = install(&modules.join("complete"), &[&main, &platform], &[])?;
    let lacking = install(&modules.join("lacking"), &[&main], &["--omit=optional"])?;
    Ok(Built { directory, binary, native, modules, complete, lacking })
}

/// The library that cargo makes of `bindings/node`.
struct Native {
    library: PathBuf,
    /// The example that the library is compared with.
    warm_build: PathBuf,
}

fn build_native(is_release: bool) -> Result<Native, Failure> {
    let (profile, directory) =
        if is_release { (release::PROFILE, release::PROFILE) } else { ("dev", "debug") };
    let words =
        ["build", "--package", "preface-node", "--lib", "--example", "warm_build", "--profile", profile];
    child::run(child::cargo(&words))?;
    let directory = child::target().join(directory);
    let name = format!("{}preface_node{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    Ok(Native { library: directory.join(name), warm_build: directory.join("examples/warm_build") })
}

fn node(words: &[&str]) -> process::Command {
    let mut command = process::Command::new("node");
    command.args(words);
    // Node runs no test in a process that a test of its own started.
    command.env_remove("NODE_TEST_CONTEXT");
    command
}

/// Prints a warm build in Node beside one in Rust; with `--soak` also builds 10,000 times.
fn measure(directory: &Path, native: &Native, tests: &Path, is_soak: bool) -> Result<(), Failure> {
    let (home, project) = (directory.join("measured/home"), directory.join("measured/project"));
    packages::empty(&home)?;
    packages::empty(&project)?;
    packages::write(&project.join("AGENTS.md"), "Run `just test`.\n")?;
    let fastest = |mut command: process::Command| -> Result<f64, Failure> {
        let mut lines = Vec::new();
        command.arg(&home).arg(&project).arg(WARM);
        match child::watch(command, |line| lines.push(line.to_owned()))? {
            true => lines.last().and_then(|line| line.parse().ok()),
            false => None,
        }
        .ok_or_else(|| Failure::new(format!("a warm build cannot be measured: {}", lines.join("\n"))))
    };
    let rust = fastest(process::Command::new(&native.warm_build))?;
    let mut script = node(&[]);
    script.arg(tests.join("warm-build.js"));
    let ours = fastest(script)?;
    print::figure(&format!(
        "a warm build: {ours:.0} µs in Node, {rust:.0} µs in Rust, ratio {:.2}",
        ours / rust
    ));
    if !is_soak {
        return Ok(());
    }
    let mut soak = node(&[]);
    soak.arg(tests.join("soak.js")).arg(&home).arg(&project).arg(SOAK);
    match child::watch(soak, print::figure)? {
        true => Ok(()),
        false => {
            Err(Failure::new("builds differ, or memory grows").help(format!("it is {LIBRARY_TESTS}/soak.js")))
        }
    }
}

/// Lays the package that people install.
fn lay_main(directory: &Path) -> io::Result<PathBuf> {
    let place = lay(directory, MAIN)?;
    copy(&child::root().join(LIBRARY), &place.join("lib"))?;
    Ok(place)
}

/// Lays the package of the platform, with what was built.
fn lay_platform(directory: &Path, binary: &Path, library: &Path) -> io::Result<PathBuf> {
    let place = lay(directory, PLATFORM)?;
    fs::create_dir_all(place.join("bin"))?;
    fs::copy(binary, place.join("bin/preface"))?;
    fs::copy(library, place.join("preface.node"))?;
    Ok(place)
}

/// Copies a package to where it is packed; returns that directory.
fn lay(directory: &Path, name: &str) -> io::Result<PathBuf> {
    let place = directory.join("sources").join(name);
    copy(&child::root().join(SOURCES).join(name), &place)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(child::root().join(licence), place.join(licence))?;
    }
    Ok(place)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Packs a directory, prints the sizes and returns the file.
fn pack(source: &Path, directory: &Path) -> io::Result<Result<PathBuf, Failure>> {
    let output = process::Command::new("npm")
        .args(["pack", "--silent", "--pack-destination"])
        .arg(directory)
        .current_dir(source)
        .output()?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        return Ok(Err(Failure::new(format!("`npm pack` failed in `{}`: {why}", source.display()))));
    }
    let file = directory.join(String::from_utf8_lossy(&output.stdout).trim());
    print::size(&file)?;
    Ok(Ok(file))
}

/// Installs the files of packages into an empty directory, which it returns.
fn install(directory: &Path, files: &[&Path], words: &[&str]) -> Result<PathBuf, Failure> {
    packages::empty(directory)?;
    packages::write(&directory.join("package.json"), "{\"private\": true}\n")?;
    let mut install = process::Command::new("npm");
    install.args(["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"]);
    install.args(words).args(files).current_dir(directory);
    match child::quietly(install)? {
        true => Ok(directory.to_owned()),
        false => Err(Failure::new("the npm packages cannot be installed from their files")),
    }
}

#[cfg(test)]
mod tests {
    const MAIN: &str = include_str!("../../packages/node/preface/package.json");
    const PLATFORM: &str = include_str!("../../packages/node/linux-x64/package.json");

    #[test]
    fn the_packages_of_the_tests_have_exact_versions() {
        crate::packages::tests::assert_locked(super::MODULES.package, super::MODULES.lock);
    }

    #[test]
    fn the_packages_have_the_version_of_the_workspace() {
        let version = env!("CARGO_PKG_VERSION");
        for package in [MAIN, PLATFORM] {
            assert!(package.contains(&format!("\n  \"version\": \"{version}\",\n")), "{package}");
        }
        let dependency = format!("\"@preface/linux-x64\": \"{version}\"\n");
        assert!(MAIN.contains(&dependency), "the platform's package has the same version: {MAIN}");
    }
}
