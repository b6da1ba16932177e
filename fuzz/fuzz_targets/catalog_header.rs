//! No bytes make an import panic, and no file is lost without a note.
//!
//! The bytes are one file of a catalog and its README at once, in both generations.
#![no_main]

use libfuzzer_sys::fuzz_target;
use preface_catalog::{CatalogSource, ImportError, SourceFile, import, read_header};

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        assert!(text.is_char_boundary(read_header(text).body), "the body starts on a character");
    }
    for version in [Some("2.1.37"), Some("2.1.200"), None] {
        let file = SourceFile { name: "a.md".to_owned(), bytes: data.to_vec() };
        let version = version.map(str::to_owned);
        let source = CatalogSource { files: vec![file], readme: Some(data.to_vec()), version };
        match import(&source) {
            Ok(imported) => {
                assert_eq!(import(&source).as_ref(), Ok(&imported), "a second time the same");
            }
            Err(ImportError::NoPrompt { diagnostics, .. }) => {
                assert!(!diagnostics.is_empty(), "omissions are reported")
            }
            Err(ImportError::NoVersion { .. } | ImportError::InvalidVersion(_)) => {}
            Err(ImportError::NoFiles) => unreachable!("there is a file"),
        }
    }
});
