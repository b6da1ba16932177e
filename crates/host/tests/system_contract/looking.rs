//! `stat`, `link_stat`, `list`, `canonical`.

use crate::place::Place;
use preface_host::system::{FileKind, ReadError, ReadScope, WriteError, WriteMode};
use std::path::Path;

pub fn stat_follows(place: &Place) {
    let file = place.file("f", "12345");
    place.mode(&file, 0o640);
    place.link("l", "f");
    place.link("nowhere", "none");
    let stat = place.system.stat(&place.at("l")).expect("a file behind a link");
    assert_eq!((stat.kind, stat.len, stat.mode), (FileKind::File, 5, Some(0o640)));
    assert_eq!(stat.owner, place.system.user_id());
    assert_eq!(place.system.stat(&place.root).map(|stat| stat.kind), Some(FileKind::Dir));
    assert_eq!(place.system.stat(&place.special("s")).map(|stat| stat.kind), Some(FileKind::Special));
    for name in ["none", "nowhere", "f/child"] {
        assert_eq!(place.system.stat(&place.at(name)), None, "{name}");
    }
}

pub fn link_stat_does_not_follow(place: &Place) {
    place.file("d/f", "");
    place.link("l", "d");
    place.link("nowhere", "none");
    let kind = |name: &str| place.system.link_stat(&place.at(name)).map(|stat| stat.kind);
    assert_eq!(kind("l"), Some(FileKind::Link));
    assert_eq!(kind("nowhere"), Some(FileKind::Link));
    assert_eq!(kind("l/f"), Some(FileKind::File), "links before the last component are followed");
    assert_eq!(kind("none"), None);
    assert_eq!(place.system.link_stat(Path::new("/")).map(|stat| stat.kind), Some(FileKind::Dir));
}

pub fn hard_links_and_links_share_an_id(place: &Place) {
    let file = place.file("f", "text");
    let twin = place.hard_link("twin", &file);
    let link = place.link("link", "f");
    let copy = place.file("copy", "text");
    let id = |path: &Path| place.system.stat(path).and_then(|stat| stat.id);
    assert!(id(&file).is_some(), "Unix has ids");
    assert_eq!(id(&file), id(&twin));
    assert_eq!(id(&file), id(&link));
    assert_ne!(id(&file), id(&copy), "equal content is not the same file");
}

pub fn a_directory_lists_sorted_by_bytes(place: &Place) {
    place.file("b", "");
    place.file("B", "");
    place.file("a.md", "");
    place.file("é", "");
    place.file("a/inner", "");
    place.link("z", "none");
    place.special("s");
    let entries = place.system.list(&place.root, 7).expect("a directory");
    let entries: Vec<_> =
        entries.iter().map(|entry| (entry.name.to_str().expect("UTF-8"), entry.kind)).collect();
    assert_eq!(
        entries,
        [
            ("B", FileKind::File),
            ("a", FileKind::Dir),
            ("a.md", FileKind::File),
            ("b", FileKind::File),
            ("s", FileKind::Special),
            ("z", FileKind::Link),
            ("é", FileKind::File),
        ]
    );
    place.link("alias", ".");
    assert_eq!(place.names(&place.at("alias/a")), ["inner"], "through a link");
}

pub fn a_directory_over_the_limit_is_too_large(place: &Place) {
    for name in ["a", "b", "c"] {
        place.file(name, "");
    }
    assert_eq!(place.system.list(&place.root, 3).map(|entries| entries.len()), Ok(3));
    assert_eq!(place.system.list(&place.root, 2), Err(ReadError::TooLarge { size: 3, limit: 2 }));
    let empty = place.dir("empty");
    assert_eq!(place.system.list(&empty, 0), Ok(Vec::new()));
}

pub fn a_list_of_no_directory_returns_its_kind(place: &Place) {
    place.file("f", "");
    place.special("s");
    place.link("to-file", "f");
    place.link("nowhere", "none");
    place.link("self", "self");
    let list = |name: &str| place.system.list(&place.at(name), 10).expect_err("no directory");
    assert_eq!(list("f"), ReadError::Kind(FileKind::File));
    assert_eq!(list("to-file"), ReadError::Kind(FileKind::File));
    assert_eq!(list("s"), ReadError::Kind(FileKind::Special));
    assert_eq!(list("none"), ReadError::Missing);
    assert_eq!(list("f/child"), ReadError::Missing);
    assert_eq!(list("nowhere"), ReadError::Dangling);
    assert_eq!(list("self"), ReadError::Loop);
}

pub fn canonical_resolves_every_link(place: &Place) {
    let file = place.file("real/f", "");
    place.link("alias", "real");
    place.link("abs", place.at("alias/f"));
    for name in ["real/f", "alias/f", "abs", "alias/../real/./f", "./abs"] {
        assert_eq!(place.system.canonical(&place.at(name)), Ok(file.clone()), "{name}");
    }
    assert_eq!(place.system.canonical(&place.at("alias")), Ok(place.at("real")));
    assert_eq!(place.system.canonical(Path::new("/")), Ok("/".into()));
    assert_eq!(place.system.canonical(Path::new("/..")), Ok("/".into()));
}

pub fn canonical_reports_what_is_wrong(place: &Place) {
    place.file("f", "");
    place.link("nowhere", "none");
    place.link("self", "self");
    let canonical = |name: &str| place.system.canonical(&place.at(name)).expect_err("nothing there");
    assert_eq!(canonical("none"), ReadError::Missing);
    assert_eq!(canonical("f/child"), ReadError::Missing);
    assert_eq!(canonical("nowhere"), ReadError::Dangling);
    assert_eq!(canonical("self"), ReadError::Loop);
    assert_eq!(canonical(&"n".repeat(256)), ReadError::Loop);
}

pub fn a_relative_path_is_nobodys(place: &Place) {
    let path = Path::new("Cargo.toml");
    let system = &place.system;
    assert!(matches!(system.read(path, ReadScope::Anywhere, 1 << 20), Err(ReadError::Other(_))));
    assert!(matches!(
        system.read(&place.at("f"), ReadScope::Root(Path::new("src")), 9),
        Err(ReadError::Other(_))
    ));
    assert!(matches!(system.list(Path::new("src"), 9), Err(ReadError::Other(_))));
    assert!(matches!(system.canonical(path), Err(ReadError::Other(_))));
    assert_eq!(system.stat(path), None);
    assert_eq!(system.link_stat(path), None);
    assert!(matches!(system.write(path, b"", WriteMode::New, 0o644), Err(WriteError::Other(_))));
    assert!(matches!(system.make_dir(Path::new("src"), 0o755), Err(WriteError::Other(_))));
    assert!(matches!(system.make_dirs(Path::new("src/x"), 0o755), Err(WriteError::Other(_))));
    assert!(matches!(system.remove(Path::new("none")), Err(WriteError::Other(_))));
    assert!(matches!(system.lock(path).map(drop), Err(WriteError::Other(_))));
}
