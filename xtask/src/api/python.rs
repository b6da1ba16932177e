//! The client that `openapi-python-client` makes from the description, and its story.

use super::{install, service::Service};
use crate::{child, failure::Failure, packages, print};
use std::{path::Path, process::Command};

const STORY: &str = "xtask/src/api/clients/python/story.py";
const SETTINGS: &str = "xtask/src/api/clients/python/generator.yml";

/// Makes the client and plays the story.
///
/// # Errors
/// The client cannot be made, or the story goes another way than it should.
pub fn run(service: &Service, python: &Path) -> Result<(), Failure> {
    let directory = install::directory().join("python-client");
    packages::empty(&directory)?;
    let document = directory.join("openapi.json");
    service.describe(python, &document)?;
    let mut make = Command::new(python.with_file_name("openapi-python-client"));
    make.args(["generate", "--meta", "none", "--fail-on-warning", "--path"]).arg(&document);
    make.arg("--config").arg(child::root().join(SETTINGS));
    make.arg("--output-path").arg(directory.join("preface_client")).current_dir(&directory);
    // The generator calls the formatter that lies beside it.
    let bin = python.parent().unwrap_or(Path::new("."));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([bin.to_owned()].into_iter().chain(std::env::split_paths(&path)));
    make.env("PATH", path.unwrap_or_default());
    if !child::quietly(make)? {
        return Err(Failure::new("openapi-python-client cannot make a client of `/openapi.json`"));
    }
    let mut story = Command::new(python);
    story.arg(child::root().join(STORY)).arg(&service.url).arg(service.root());
    story.env("PYTHONPATH", &directory).env("PYTHONDONTWRITEBYTECODE", "1");
    if !child::watch(story, print::figure)? {
        return Err(Failure::new("the Python client's story goes another way").help(format!("it is {STORY}")));
    }
    Ok(())
}
