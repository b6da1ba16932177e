//! The manifests that ship are valid with their schemas, which no build compiles.

use preface_engine::{
    ASSETS, JsonSchema,
    core::{
        extension::{Ability, Manifest, ManifestLocation, SchemaChecker, ToolTexts},
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
        let manifest = Manifest::read(bytes, &location, &JsonSchema).expect(path);
        assert_eq!(manifest.diagnostics, [], "{path}");
        if let Ability::Tool(ToolTexts { input_schema: Some(schema), .. }) = &manifest.ability {
            assert_eq!(JsonSchema.compile(schema), Ok(()), "{path}");
            found += 1;
        }
    }
    assert!(found > 20, "the schemas are found: {found}");
}
