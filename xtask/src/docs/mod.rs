//! `cargo xtask docs`: builds the pages in `docs/` with mdBook into `target/docs-site`, and follows every link; with `--test` a
//! browser opens each page.

mod html;
mod links;

use crate::{Command, child, failure::Failure, flags::Flags, packages::empty, print, tool::Program, web};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
};

pub const COMMAND: Command = Command {
    name: "docs",
    usage: "[--test]",
    about: "Builds the documentation site and checks its links; with --test also tries it in Chromium.",
    run,
};

/// The builder of the site. `docs/theme/index.hbs` is written for this version.
const MDBOOK: Program = Program { package: "mdbook", version: "0.5.4", features: "search" };

fn run(words: &[String]) -> Result<(), Failure> {
    let flags = Flags::new("docs [--test]", words);
    let test = match words {
        [] => false,
        [flag] if flag == "--test" => true,
        [word, ..] => return Err(flags.unknown(word)),
    };
    let docs = child::root().join("docs");
    let site = child::target().join("docs-site");
    empty(&site)?;
    build(&docs, &site)?;
    let problems = links::check(&docs, &site).map_err(|error| unreadable(&site, &error))?;
    if !problems.is_empty() {
        return Err(Failure::new(format!("the site has broken links\n{}", problems.join("\n"))));
    }
    if test {
        browse(&site)?;
    }
    print::line(&format!("the site is at {}", site.join("index.html").display()));
    Ok(())
}

/// Builds the site. A warning of mdBook's is an error.
fn build(docs: &Path, site: &Path) -> Result<(), Failure> {
    let mut command = process::Command::new(MDBOOK.ensure()?);
    command.arg("build").arg(docs).arg("--dest-dir").arg(site);
    let mut log = Vec::new();
    let ok = child::watch(command, |line| log.push(line.to_owned()))?;
    log.retain(|line| !line.trim_start().starts_with("INFO "));
    if !ok || !log.is_empty() {
        return Err(Failure::new(format!("mdBook cannot build docs/\n{}", log.join("\n"))));
    }
    tidy(docs, site).map_err(|error| unreadable(site, &error))
}

/// Removes the copies of what only the build reads: mdBook copies each file of `docs/` that is not a page.
fn tidy(docs: &Path, site: &Path) -> io::Result<()> {
    fs::remove_file(site.join("book.toml"))?;
    for entry in fs::read_dir(docs.join("theme"))? {
        fs::remove_file(site.join("theme").join(entry?.file_name()))?;
    }
    Ok(())
}

fn unreadable(site: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("`{}` cannot be read: {error}", site.display()))
}

/// Opens each page in a browser; `browser.mjs` describes what is checked.
fn browse(site: &Path) -> Result<(), Failure> {
    web::install()?;
    web::ensure_chromium()?;
    let shots = child::target().join("docs-site-shots");
    empty(&shots)?;
    let mut command = process::Command::new("node");
    command.arg(script()).arg(site).arg(&shots).current_dir(web::directory());
    child::run(command)?;
    print::line(&format!("screenshots are in {}", shots.display()));
    Ok(())
}

fn script() -> PathBuf {
    child::root().join("xtask/src/docs/browser.mjs")
}
