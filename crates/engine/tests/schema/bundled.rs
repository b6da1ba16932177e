//! The manifests that ship are valid with their schemas, which no build compiles.

use preface_engine::{
    ASSETS, JsonSchema,
    core::{
        extension::{Manifest, ManifestLocation},
        scope::Scope,
    },
};

#[test]
fn every_bundled_manifest_is_valid() {
    let mut found = 0;
    for (path, bytes) in ASSETS {
        let parts: Vec<&str> = path.split('/').collect();
        let [.., category, id, "manifest.json"] = parts[..] else { continue };
        let category = category.parse().expect("a category");
        let location = ManifestLocation { scope: Scope::Bundled, category, id, path };
        let read = Manifest::read(bytes, &location, &JsonSchema);
        assert!(read.is_ok_and(|manifest| manifest.diagnostics.is_empty()), "{path}");
        found += 1;
    }
    assert!(found > 20, "the manifests are found: {found}");
}
