//! Lists the files of `assets/`, with their bytes, as `preface_core::assets::ASSETS`.

#![allow(clippy::disallowed_methods, reason = "what is embedded is read while the library is built")]

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let variable = |name: &str| env::var(name).map(PathBuf::from).map_err(io::Error::other);
    let root = variable("CARGO_MANIFEST_DIR")?.join("assets");
    println!("cargo::rerun-if-changed=assets");
    let mut files = Vec::new();
    walk(&root, &mut files)?;
    let shown = |file: &PathBuf| Some(file.strip_prefix(&root).ok()?.to_str()?.to_owned());
    let mut rows: Vec<String> = files.iter().filter_map(shown).collect();
    rows.sort();
    // The folder is named when the library is compiled: a checkout may be moved together with its target.
    let row = |path: &String| {
        let file = format!("/assets/{path}");
        format!("    ({path:?}, include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {file:?}))),\n")
    };
    let rows: String = rows.iter().map(row).collect();
    let list = format!(
        "/// The embedded files of the bundled layer: path and bytes, sorted by path.\n\
         pub const ASSETS: &[(&str, &[u8])] = &[\n{rows}];\n"
    );
    fs::write(variable("OUT_DIR")?.join("assets.rs"), list)
}

fn walk(dir: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        match path.is_dir() {
            true => walk(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
