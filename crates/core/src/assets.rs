//! The assets of preface: tools, presets, section texts, as `build.rs` finds them in the folder.

include!(concat!(env!("OUT_DIR"), "/assets.rs"));
