//! What ships inside preface: tools, presets, section texts. Sorted by path; a test compares the list with the folder.

macro_rules! asset {
    ($path:literal) => {
        ($path, include_bytes!(concat!("../assets/", $path)))
    };
}

/// The embedded files of the bundled layer: path and bytes.
pub const ASSETS: &[(&str, &[u8])] = &[
    asset!("extensions/tools/bash/manifest.json"),
    asset!("extensions/tools/edit/manifest.json"),
    asset!("extensions/tools/find/manifest.json"),
    asset!("extensions/tools/grep/manifest.json"),
    asset!("extensions/tools/ls/manifest.json"),
    asset!("extensions/tools/read/manifest.json"),
    asset!("extensions/tools/write/manifest.json"),
    asset!("presets/default.toml"),
    asset!("presets/pi.toml"),
    asset!("presets/stud.toml"),
    asset!("presets/template.toml"),
    asset!("sections/compaction/instructions.md"),
    asset!("sections/default/answers.md"),
    asset!("sections/default/approach.md"),
    asset!("sections/default/environment.md"),
    asset!("sections/default/identity.md"),
    asset!("sections/stud/system.md"),
    asset!("sections/template/template.md"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[allow(clippy::disallowed_methods)] // the test looks at the folder that the list claims to be
    fn walk(dir: &Path, root: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                let path = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                found.push(path);
            }
        }
    }

    #[test]
    fn the_list_is_the_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let mut found = Vec::new();
        walk(&root, &root, &mut found);
        found.sort();
        let listed: Vec<&str> = ASSETS.iter().map(|(path, _)| *path).collect();
        assert_eq!(listed, found, "each file in assets/ has one line in ASSETS, sorted");
    }
}
