//! `read`: what is a file, and what is inside.

use crate::place::Place;
use preface_host::system::{FileKind, ReadError, ReadScope};
use std::path::{Path, PathBuf};

const LIMIT: u64 = 1 << 20;

fn read(place: &Place, path: &Path) -> Result<String, ReadError> {
    let anywhere = place.system.read(path, ReadScope::Anywhere, LIMIT);
    let within = place.system.read(path, place.within(), LIMIT);
    assert_eq!(anywhere, within, "inside its root a path reads as it does anywhere");
    within.map(|read| String::from_utf8(read.into_bytes()).expect("the tests write text"))
}

fn within(place: &Place, path: &Path) -> Result<String, ReadError> {
    let read = place.system.read(path, place.within(), LIMIT)?;
    Ok(String::from_utf8(read.into_bytes()).expect("the tests write text"))
}

pub fn a_file_is_read_whole_with_its_stat(place: &Place) {
    let path = place.file("a/b.md", "\u{feff}Use tabs.\r\n\0");
    let read = place.system.read(&path, place.within(), LIMIT).expect("a file");
    assert_eq!(*read.bytes, "\u{feff}Use tabs.\r\n\0".as_bytes(), "bytes arrive as they are");
    assert_eq!(read.stat.kind, FileKind::File);
    assert_eq!(read.stat.len, read.bytes.len() as u64);
    assert_eq!(Some(read.stat), place.system.stat(&path), "the handle and the path have the same stat");

    let empty = place.file("empty", "");
    assert_eq!(read_bytes(place, &empty), Ok(Vec::new()));
    let big = vec![b'x'; 700_000];
    let path = place.file("big", &big);
    assert_eq!(read_bytes(place, &path), Ok(big));
}

fn read_bytes(place: &Place, path: &Path) -> Result<Vec<u8>, ReadError> {
    place.system.read(path, place.within(), LIMIT).map(|read| read.into_bytes())
}

pub fn the_head_of_a_file_is_read_whatever_its_size(place: &Place) {
    let path = place.file("head.txt", "0123456789");
    for within in [ReadScope::Anywhere, place.within()] {
        for (limit, expected) in [(0, ""), (4, "0123"), (10, "0123456789"), (u64::MAX, "0123456789")] {
            let read = place.system.read_head(&path, within, limit).expect("a file");
            assert_eq!((read.bytes.as_slice(), read.stat.len), (expected.as_bytes(), 10), "{limit}");
        }
        assert_eq!(place.system.read_head(&place.at("none"), within, 9), Err(ReadError::Missing));
        assert!(matches!(place.system.read_head(&place.root, within, 9), Err(ReadError::Kind(_))));
    }
    place.link("out", "../..");
    let outside = place.system.read_head(&place.at("out/head.txt"), place.within(), 9);
    assert!(matches!(outside, Err(ReadError::Outside { .. })), "{outside:?}");
}

pub fn a_file_at_the_limit_is_read_and_one_byte_more_is_not(place: &Place) {
    let path = place.file("f", "12345");
    for within in [ReadScope::Anywhere, place.within()] {
        assert_eq!(place.system.read(&path, within, 5).map(|read| read.into_bytes()), Ok(b"12345".to_vec()));
        assert_eq!(place.system.read(&path, within, 4), Err(ReadError::TooLarge { size: 5, limit: 4 }));
        assert_eq!(place.system.read(&path, within, 0), Err(ReadError::TooLarge { size: 5, limit: 0 }));
        assert_eq!(
            place.system.read(&path, within, u64::MAX).map(|read| read.into_bytes()),
            Ok(b"12345".to_vec())
        );
    }
    let empty = place.file("empty", "");
    assert_eq!(place.system.read(&empty, place.within(), 0).map(|read| read.into_bytes()), Ok(Vec::new()));
}

pub fn missing_is_missing(place: &Place) {
    assert_eq!(read(place, &place.at("none")), Err(ReadError::Missing));
    assert_eq!(read(place, &place.at("none/at/all")), Err(ReadError::Missing));
}

pub fn a_file_in_the_middle_of_a_path_is_missing(place: &Place) {
    place.file("f", "");
    place.link("through-file", "f/child");
    assert_eq!(read(place, &place.at("f/child")), Err(ReadError::Missing));
    assert_eq!(read(place, &place.at("through-file")), Err(ReadError::Dangling));
}

pub fn a_directory_is_no_file(place: &Place) {
    let dir = place.dir("d");
    place.link("to-dir", "d");
    assert_eq!(read(place, &dir), Err(ReadError::Kind(FileKind::Dir)));
    assert_eq!(read(place, &place.at("to-dir")), Err(ReadError::Kind(FileKind::Dir)));
    assert_eq!(read(place, &place.root), Err(ReadError::Kind(FileKind::Dir)), "the root itself");
}

pub fn a_special_file_is_never_read(place: &Place) {
    let special = place.special("s");
    place.link("to-special", "s");
    assert_eq!(read(place, &special), Err(ReadError::Kind(FileKind::Special)));
    assert_eq!(read(place, &place.at("to-special")), Err(ReadError::Kind(FileKind::Special)));
}

pub fn a_link_that_points_nowhere_dangles(place: &Place) {
    place.link("nowhere", "none");
    place.link("second", "nowhere");
    place.link("inside-nowhere", place.at("none/of/this"));
    for name in ["nowhere", "second", "inside-nowhere"] {
        assert_eq!(read(place, &place.at(name)), Err(ReadError::Dangling), "{name}");
    }
    assert_eq!(
        read(place, &place.at("nowhere/child")),
        Err(ReadError::Missing),
        "the target was requested, not the link"
    );
}

pub fn a_loop_of_links_is_a_loop(place: &Place) {
    place.link("self", "self");
    place.link("ping", "pong");
    place.link("pong", "ping");
    for name in ["self", "ping", "self/child"] {
        assert_eq!(read(place, &place.at(name)), Err(ReadError::Loop), "{name}");
    }
}

pub fn a_path_too_long_is_a_loop(place: &Place) {
    assert_eq!(read(place, &place.at(&"n".repeat(256))), Err(ReadError::Loop));
    assert_eq!(read(place, &place.at(&"n/".repeat(3000))), Err(ReadError::Loop));
}

pub fn links_inside_are_followed(place: &Place) {
    place.file("real/f", "text");
    place.link("file", "real/f");
    place.link("dir", "real");
    place.link("real/up", "../real/f");
    place.link("chain", "dir/up");
    for name in ["file", "dir/f", "real/up", "dir/up", "chain"] {
        assert_eq!(read(place, &place.at(name)).as_deref(), Ok("text"), "{name}");
    }
}

pub fn a_link_that_is_absolute_and_stays_inside_is_inside(place: &Place) {
    let path = place.file("real/f", "text");
    place.link("file", &path);
    place.link("dir", place.at("real"));
    place.link("out-and-in", Path::new("..").join(place.root.file_name().expect("a name")).join("real/f"));
    for name in ["file", "dir/f", "out-and-in"] {
        assert_eq!(read(place, &place.at(name)).as_deref(), Ok("text"), "{name}");
    }
}

pub fn dots_are_followed_on_disk_and_not_in_the_text(place: &Place) {
    place.file("f", "text");
    place.file("deep/er/f", "deeper");
    place.file("deep/f", "deep");
    place.link("jump", "deep/er");
    assert_eq!(read(place, &place.at("deep/../f")).as_deref(), Ok("text"));
    assert_eq!(read(place, &place.at("./deep/./f")).as_deref(), Ok("deep"));
    assert_eq!(
        read(place, &place.at("jump/../f")).as_deref(),
        Ok("deep"),
        "`..` behind a link is the target's parent"
    );
    assert_eq!(read(place, &place.at("none/../f")), Err(ReadError::Missing));
    let name = place.root.file_name().expect("a name").to_str().expect("UTF-8");
    assert_eq!(read(place, &place.at(&format!("../{name}/f"))).as_deref(), Ok("text"));
}

pub fn a_link_out_is_outside_also_where_nothing_is(place: &Place) {
    let root = place.dir("root");
    let secret = place.file("secret", "secret");
    let inner = Inner { place, root };
    place.link("root/relative", "../secret");
    place.link("root/absolute", &secret);
    place.link("root/dir", "..");
    place.link("root/chain", "relative");
    place.link("root/nothing", "../none");
    place.link("root/nothing-below", "../none/below");
    place.link("root/special", "/dev/zero");
    for name in ["relative", "absolute", "chain", "dir/secret", "../secret"] {
        assert_eq!(inner.read(name), Err(ReadError::Outside { target: secret.clone() }), "{name}");
    }
    for name in ["nothing", "nothing-below", "../none", "dir/none"] {
        let outside = ReadError::Outside { target: place.at("none") };
        assert_eq!(inner.read(name), Err(outside), "what is not there is outside as well: {name}");
    }
    assert_eq!(inner.read("special"), Err(ReadError::Outside { target: "/dev/zero".into() }));
    assert_eq!(inner.read("dir"), Err(ReadError::Outside { target: place.root.clone() }), "before its kind");
}

pub fn siblings_with_a_common_prefix_are_outside(place: &Place) {
    let root = place.dir("p");
    let evil = place.file("p-evil/f", "evil");
    let inner = Inner { place, root };
    assert_eq!(inner.read("../p-evil/f"), Err(ReadError::Outside { target: evil.clone() }));
    let read = place.system.read(&evil, ReadScope::Root(&inner.root), LIMIT);
    assert_eq!(read, Err(ReadError::Outside { target: evil }));
}

pub fn a_root_may_be_reached_through_a_link(place: &Place) {
    let path = place.file("real/f", "text");
    let secret = place.file("secret", "secret");
    place.link("real/out", "../secret");
    let alias = place.link("alias", "real");
    for root in [&alias, &place.at("real")] {
        for file in [&path, &alias.join("f")] {
            let read = place.system.read(file, ReadScope::Root(root), LIMIT);
            assert_eq!(
                read.map(|read| read.into_bytes()),
                Ok(b"text".to_vec()),
                "{} {}",
                root.display(),
                file.display()
            );
        }
        let read = place.system.read(&alias.join("out"), ReadScope::Root(root), LIMIT);
        assert_eq!(read, Err(ReadError::Outside { target: secret.clone() }));
    }
}

pub fn a_missing_root_holds_nothing(place: &Place) {
    let root = place.at("none");
    let file = place.file("f", "text");
    assert_eq!(place.system.read(&root.join("f"), ReadScope::Root(&root), LIMIT), Err(ReadError::Missing));
    assert_eq!(
        place.system.read(&file, ReadScope::Root(&root), LIMIT),
        Err(ReadError::Outside { target: file.clone() })
    );
}

pub fn a_root_that_is_a_file_holds_nothing(place: &Place) {
    let root = place.file("f", "text");
    assert_eq!(place.system.read(&root, ReadScope::Root(&root), LIMIT), Err(ReadError::Missing));
    assert_eq!(place.system.read(&root.join("f"), ReadScope::Root(&root), LIMIT), Err(ReadError::Missing));
    assert_eq!(within(place, &root).as_deref(), Ok("text"));
}

/// A directory of a place as a root of its own.
struct Inner<'a> {
    place: &'a Place,
    root: PathBuf,
}

impl Inner<'_> {
    fn read(&self, name: &str) -> Result<String, ReadError> {
        let read = self.place.system.read(&self.root.join(name), ReadScope::Root(&self.root), LIMIT)?;
        Ok(String::from_utf8(read.into_bytes()).expect("the tests write text"))
    }
}
