//! Prints a path as git does in its short status.

use gix::bstr::{BStr, ByteSlice as _};

/// The style of printed paths.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    /// The directory they are relative to, below the root, with a slash at its end; empty at the root.
    pub prefix: Vec<u8>,
    /// `core.quotePath`: bytes outside of ASCII are escaped.
    pub quote_all: bool,
}

impl Paths {
    /// Prints a path that is relative to the root of the work tree.
    pub(super) fn print(&self, path: &BStr) -> Vec<u8> {
        let path = relative(path, &self.prefix);
        match quote(&path, self.quote_all) {
            Some(quoted) => quoted,
            // The short format separates with blanks.
            None if path.contains(&b' ') => [&b"\""[..], &path, b"\""].concat(),
            None => path,
        }
    }
}

/// Returns `path` as seen from the directory `prefix`, both relative to the same root.
fn relative(path: &[u8], prefix: &[u8]) -> Vec<u8> {
    let mut same = 0;
    for (at, (left, right)) in path.iter().zip(prefix).enumerate() {
        if left != right {
            break;
        }
        if *left == b'/' {
            same = at + 1;
        }
    }
    let (mut rest, mut above) = (&path[same..], &prefix[same..]);
    // The path is a directory above, without its slash.
    if let Some(below) = above.strip_prefix(rest).and_then(|below| below.strip_prefix(b"/"))
        && !rest.is_empty()
    {
        (rest, above) = (b"", below);
    }
    let mut out = b"../".repeat(above.find_iter(b"/").count());
    out.extend_from_slice(rest);
    if out.is_empty() {
        out.extend_from_slice(b"./");
    }
    out
}

/// Returns `path` in C's quotes if a byte of it needs them.
fn quote(path: &[u8], quote_all: bool) -> Option<Vec<u8>> {
    let needs = |byte: u8| {
        byte < 0x20 || byte == b'"' || byte == b'\\' || byte == 0x7f || (quote_all && byte >= 0x80)
    };
    if !path.iter().any(|byte| needs(*byte)) {
        return None;
    }
    let mut out = vec![b'"'];
    for byte in path {
        let letter = match byte {
            0x07 => b'a',
            0x08 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0b => b'v',
            0x0c => b'f',
            b'\r' => b'r',
            b'"' | b'\\' => *byte,
            byte if needs(*byte) => {
                out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                continue;
            }
            byte => {
                out.push(*byte);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', letter]);
    }
    out.push(b'"');
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_directory() {
        let cases = [
            ("a/b", "", "a/b"),
            ("a/b", "a/", "b"),
            ("a/b", "c/", "../a/b"),
            ("a/b", "c/d/", "../../a/b"),
            ("ab/c", "a/", "../ab/c"),
            ("a/", "a/", "./"),
            ("a/", "a/b/", "../"),
            ("a", "a/", "./"),
            ("a", "a/b/", "../"),
            ("x", "a/b/", "../../x"),
        ];
        for (path, prefix, expected) in cases {
            assert_eq!(
                relative(path.as_bytes(), prefix.as_bytes()).as_bstr(),
                expected,
                "{path} from {prefix}"
            );
        }
    }

    #[test]
    fn quotes_are_as_in_c() {
        let print = |path: &[u8], quote_all| {
            let paths = Paths { prefix: Vec::new(), quote_all };
            String::from_utf8_lossy(&paths.print(path.as_bstr())).into_owned()
        };
        assert_eq!(print(b"plain", true), "plain");
        assert_eq!(print(b"with blank", true), "\"with blank\"");
        assert_eq!(print(b"a\"b\\c\n\t\x01 d\x7f", true), r#""a\"b\\c\n\t\001 d\177""#);
        assert_eq!(print("ü".as_bytes(), true), r#""\303\274""#);
        assert_eq!(print("ü".as_bytes(), false), "ü");
        assert_eq!(print("ü\t".as_bytes(), false), "\"ü\\t\"");
    }
}
