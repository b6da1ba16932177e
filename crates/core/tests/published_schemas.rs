//! `docs/reference/schemas` has each published schema. `PREFACE_PRINT=1` writes them anew.

#![allow(clippy::disallowed_methods, reason = "the schemas are files")]

use preface_core::settings::SCHEMAS;
use std::{env, fs, path::Path};

#[test]
fn each_schema_is_a_file_of_the_docs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/schemas");
    for schema in SCHEMAS {
        let file = folder.join(format!("{}.json", schema.name));
        let text = format!("{:#}\n", schema.document());
        if env::var_os("PREFACE_PRINT").is_some() {
            fs::write(&file, &text).expect("it can be written");
        }
        assert!(
            fs::read_to_string(&file).is_ok_and(|written| written == text),
            "{} is stale; `PREFACE_PRINT=1 cargo test -p preface-core --test published_schemas` writes it",
            file.display()
        );
        assert_eq!(schema.document()["$id"], format!("preface:{}", schema.name));
    }
}
