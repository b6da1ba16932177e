//! The types that `openapi-typescript` makes from the description, under `openapi-fetch`: the story is type-checked, then
//! run.

use super::service::Service;
use crate::{child, failure::Failure, packages, print};
use std::{fs, path::Path, process::Command};

const STORY: &str = "xtask/src/api/clients/typescript/story.ts";
const SETTINGS: &str = include_str!("clients/typescript/tsconfig.json");

/// Makes the types, checks the story against them and plays it. `directory` has the packages.
///
/// # Errors
/// The types cannot be made, the story does not fit them, or it goes another way than it should.
pub fn run(service: &Service, directory: &Path) -> Result<(), Failure> {
    let story = fs::read_to_string(child::root().join(STORY));
    let story = story.map_err(|error| Failure::new(format!("`{STORY}` cannot be read: {error}")))?;
    packages::write(&directory.join("story.ts"), &story)?;
    packages::write(&directory.join("tsconfig.json"), SETTINGS)?;
    let made = |what: &str, script: &str, words: &[&str]| {
        let mut command = Command::new("node");
        command.arg(Path::new("node_modules").join(script)).args(words).current_dir(directory);
        match child::quietly(command)? {
            true => Ok(()),
            false => Err(Failure::new(what)),
        }
    };
    made(
        "openapi-typescript cannot make types of `/openapi.json`",
        "openapi-typescript/bin/cli.js",
        &[&format!("{}/openapi.json", service.url), "--output", "preface.d.ts"],
    )?;
    made("the TypeScript client's story does not fit the types", "typescript/bin/tsc", &["--project", "."])?;
    let mut play = Command::new("node");
    play.arg("built/story.js").arg(&service.url).arg(service.root()).current_dir(directory);
    if !child::watch(play, print::figure)? {
        let help = format!("it is {STORY}");
        return Err(Failure::new("the TypeScript client's story goes another way").help(help));
    }
    Ok(())
}
