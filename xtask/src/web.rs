//! `cargo xtask web`: builds the editor in `web/` into `web/dist`, from where a release embeds it; and tries it in a browser.

use crate::{Command, api::Service, child, debian, failure::Failure, flags::Flags, npm, print};
use std::{
    fs,
    path::{Path, PathBuf},
    process,
};

pub const COMMAND: Command = Command {
    name: "web",
    usage: "[--test [NAME] | --types | --measure | --shots]",
    about: "Builds the editor; with --test also tries it in Chromium against the real service.",
    run,
};

/// Where Debian's Chromium is.
const CHROMIUM: &str = "/usr/bin/chromium";
/// The types of the service that the editor is written against.
const TYPES: &str = "web/src/api/schema.d.ts";
/// For which lock file the packages were installed.
const STAMP: &str = "node_modules/.installed-for";

/// The arguments.
#[derive(Debug, PartialEq, Eq)]
enum Options {
    Build,
    /// The tests whose file has this in its name.
    Test(Option<String>),
    /// The types are written anew.
    Types,
    /// Sizes and times.
    Measure,
    /// The pictures of docs/tasks/use-the-editor.md.
    Shots,
}

fn run(words: &[String]) -> Result<(), Failure> {
    let wanted = parse(words)?;
    install()?;
    if wanted == Options::Types {
        let binary = child::debug_binary()?;
        return types(&binary, &child::root().join(TYPES));
    }
    build()?;
    match wanted {
        Options::Build | Options::Types => Ok(()),
        Options::Test(name) => test(name.as_deref()),
        Options::Shots => in_browser(&child::debug_binary()?, &["run", "shots"]),
        Options::Measure => in_browser(&child::debug_binary()?, &["run", "measure"]),
    }
}

fn parse(words: &[String]) -> Result<Options, Failure> {
    let flags = Flags::new("web [--test [NAME] | --types | --measure | --shots]", words);
    match words {
        [] => Ok(Options::Build),
        [flag] if flag == "--types" => Ok(Options::Types),
        [flag] if flag == "--measure" => Ok(Options::Measure),
        [flag] if flag == "--shots" => Ok(Options::Shots),
        [flag, name @ ..] if flag == "--test" && name.len() < 2 => Ok(Options::Test(name.first().cloned())),
        [word, ..] => Err(flags.unknown(word)),
    }
}

/// Returns the directory of the editor.
pub fn directory() -> PathBuf {
    child::root().join("web")
}

/// Builds the editor for a release. Without Node the plain page stands in, and that is printed.
///
/// # Errors
/// There is Node, and the editor does not build.
pub fn for_release() -> Result<(), Failure> {
    if !npm::is_there() {
        print::line("Node is not there: the plain page stands in for the editor");
        return Ok(());
    }
    install()?;
    build()
}

/// Installs Node and the packages if they are missing, the packages again if the lock file changed.
///
/// # Errors
/// Node or the packages cannot be installed.
pub fn install() -> Result<(), Failure> {
    npm::ensure()?;
    let lock = directory().join("package-lock.json");
    let wanted = fs::read_to_string(&lock)
        .map_err(|error| Failure::new(format!("`{}` cannot be read: {error}", lock.display())))?;
    let stamp = directory().join(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    print::line("    installing what web/package-lock.json names");
    npm::fill(&directory(), "web/package.json")?;
    fs::write(&stamp, wanted)
        .map_err(|error| Failure::new(format!("`{}` cannot be written: {error}", stamp.display())))
}

/// Checks the types of the editor's code, and builds it.
fn build() -> Result<(), Failure> {
    if !child::quietly(script(&["run", "check"]))? {
        return Err(Failure::new("the editor's code does not fit its types"));
    }
    child::run(script(&["run", "--silent", "build"]))
}

/// Tries the editor in a browser. First its types must be those of the service.
fn test(name: Option<&str>) -> Result<(), Failure> {
    let binary = child::debug_binary()?;
    let fresh = child::target().join("schema.d.ts");
    types(&binary, &fresh)?;
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    if read(&fresh) != read(&child::root().join(TYPES)) {
        return Err(Failure::new(format!("`{TYPES}` differs from the service's description"))
            .help("`cargo xtask web --types` writes it anew"));
    }
    ensure_chromium()?;
    let mut words = vec!["run", "--silent", "test"];
    words.extend(name.map(|_| "--"));
    words.extend(name);
    in_browser(&binary, &words)
}

/// Installs Chromium if it is missing.
///
/// # Errors
/// It cannot be installed. The error names the packages.
pub fn ensure_chromium() -> Result<(), Failure> {
    if !Path::new(CHROMIUM).exists()
        && let Err(why) = debian::install("Chromium", &["chromium", "fonts-dejavu-core"])?
    {
        return Err(Failure::new(format!("Chromium is missing {why}"))
            .help("install it as /usr/bin/chromium (Debian: apt-get install chromium fonts-dejavu-core)"));
    }
    Ok(())
}

/// Runs a script of the editor's that opens a browser.
fn in_browser(binary: &Path, words: &[&str]) -> Result<(), Failure> {
    let mut command = script(words);
    command.env("PREFACE_BIN", binary).env_remove("PREFACE_PAGE");
    child::run(command)
}

/// Writes the types that the service's description gives.
fn types(binary: &Path, to: &Path) -> Result<(), Failure> {
    let service = Service::start(binary)?;
    let from = format!("{}/openapi.json", service.url);
    let mut command = process::Command::new("node");
    command.args(["tools/types.mjs", &from]).arg(to).current_dir(directory());
    match child::quietly(command)? {
        true => Ok(()),
        false => Err(Failure::new("no types can be made of `/openapi.json`")),
    }
}

fn script(words: &[&str]) -> process::Command {
    let mut command = process::Command::new("npm");
    command.args(words).current_dir(directory());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_parsed() {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for (line, meant) in [
            ("", Some(Options::Build)),
            ("--test", Some(Options::Test(None))),
            ("--test write", Some(Options::Test(Some("write".to_owned())))),
            ("--types", Some(Options::Types)),
            ("--measure", Some(Options::Measure)),
            ("--shots", Some(Options::Shots)),
            ("--test a b", None),
            ("--types --test", None),
            ("build", None),
        ] {
            assert_eq!(parse(&words(line)).ok(), meant, "{line}");
        }
    }
}
