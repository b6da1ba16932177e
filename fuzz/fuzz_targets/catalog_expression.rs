//! No body makes the converter panic, and each tag of its template is of a catalog.
//!
//! The first byte picks the generation; the rest is the body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use preface_catalog::convert;
use preface_core::{
    catalog::Generation,
    template::{Template, TemplateOptions},
};

fuzz_target!(|data: &[u8]| {
    let Some((&choice, body)) = data.split_first() else { return };
    let Ok(body) = std::str::from_utf8(body) else { return };
    let generation = if choice & 1 == 0 { Generation::A } else { Generation::B };
    let converted = convert(body, generation);
    assert_eq!(convert(body, generation), converted, "a second time the same");
    let Some(converted) = converted else { return };
    let options = TemplateOptions { raw: true, max_depth: None, ..TemplateOptions::default() };
    let template = Template::parse(converted.template.as_str(), &options).expect("it is no larger than a template may be");
    for tile in template.tiles().into_iter().filter(|tile| tile.stray.is_none()) {
        assert!(tile.key.is_none_or(|key| key.kind() == "catalog"), "{tile:?}");
    }
});
