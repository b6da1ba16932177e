//! schemathesis: what the description allows must be accepted, what it forbids refused, and each answer be as described.

use super::{install, service::Service};
use crate::{child, failure::Failure, packages, print};
use std::{path::Path, process::Command};

/// The checks, and why some expect more than schemathesis does by itself.
const SETTINGS: &str = include_str!("schemathesis.toml");
/// Stands there for the directory that conversations may work in.
const ROOT: &str = "{{root}}";

/// Where its summary starts.
const SUMMARY: &str = " SUMMARY ";

/// Runs it for at most so many seconds.
///
/// # Errors
/// Something was found. The output of schemathesis is printed.
pub fn run(service: &Service, python: &Path, seconds: usize, seed: usize) -> Result<(), Failure> {
    let directory = install::directory().join("conformance");
    packages::empty(&directory)?;
    let mut command = Command::new(python.with_file_name("schemathesis"));
    let settings = directory.join("schemathesis.toml");
    packages::write(&settings, &SETTINGS.replace(ROOT, &service.root().display().to_string()))?;
    command.arg("--config-file").arg(settings).arg("run");
    command.arg(format!("{}/openapi.json", service.url)).arg("--no-color");
    command.args(["--seed", &seed.to_string(), "--max-time", &seconds.to_string()]);
    command.args(["--report", "json", "--report-json-path"]).arg(directory.join("report.json"));
    command.current_dir(&directory);
    let mut lines: Vec<String> = Vec::new();
    let ok = child::watch(command, |line| lines.push(line.to_owned()))?;
    let summary = lines.iter().position(|line| line.contains(SUMMARY)).unwrap_or(0);
    let shown = if ok { &lines[summary..] } else { &lines[..] };
    for line in shown.iter().filter(|line| !line.trim().is_empty()) {
        print::figure(line);
    }
    if ok {
        return Ok(());
    }
    for line in service.log() {
        print::line(&format!("    service: {line}"));
    }
    Err(Failure::new("the service does not do what its description requires")
        .help("`cargo xtask api conformance` tries again with the same seed; each finding shows a request to repeat it"))
}
