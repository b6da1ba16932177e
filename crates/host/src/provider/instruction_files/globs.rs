//! Globs on absolute paths: of files that are left out, and of files that a rule is about.
//!
//! Braces are multiplied out here, within limits; what is left of a pattern is the crate's. All patterns are made
//! absolute first, so that one comparison is enough for every way of writing a path.

use crate::{places::normal, provider_context::ProviderContext};
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::{Path, PathBuf};

/// The longest pattern: no path is longer.
const LONGEST: usize = 512;
/// The deepest nesting of braces.
const DEEPEST: usize = 32;

/// A pattern that cannot be used, with the reason. It matches nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    pub pattern: String,
    pub why: String,
}

/// The patterns and bytes that are left, because each costs time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternBudget {
    pub patterns: usize,
    pub bytes: usize,
}

impl PatternBudget {
    /// The room of one list.
    const LIST: PatternBudget = PatternBudget { patterns: 1_000, bytes: 4 << 20 };
    /// The room of all lists of a build.
    pub const BUILD: PatternBudget = PatternBudget { patterns: 10_000, bytes: 512 << 10 };

    fn take(&mut self, many: &[String]) {
        self.patterns -= many.len();
        self.bytes -= many.iter().map(String::len).sum::<usize>();
    }
}

/// A list of patterns, multiplied out, absolute, and sound.
#[derive(Debug, Default)]
pub struct Globs {
    patterns: Vec<Glob>,
}

impl Globs {
    /// Reads a list within the room of all lists. Invalid patterns are returned with the reason, and match
    /// nothing.
    pub fn read(
        list: &[String],
        all: &mut PatternBudget,
        look: &ProviderContext<'_>,
    ) -> (Self, Vec<BadPattern>) {
        let (mut globs, mut bad) = (Globs::default(), Vec::new());
        let mut room = PatternBudget::LIST;
        for pattern in list {
            if let Err(why) = globs.add(pattern, &mut room, all, look) {
                bad.push(BadPattern { pattern: pattern.clone(), why });
            }
        }
        (globs, bad)
    }

    fn add(
        &mut self,
        pattern: &str,
        list: &mut PatternBudget,
        all: &mut PatternBudget,
        look: &ProviderContext<'_>,
    ) -> Result<(), String> {
        let room =
            PatternBudget { patterns: list.patterns.min(all.patterns), bytes: list.bytes.min(all.bytes) };
        let many = expand(pattern, room)?;
        list.take(&many);
        all.take(&many);
        let sound: Result<Vec<_>, String> = many.iter().map(|one| glob(&absolute(one, look)?)).collect();
        self.patterns.extend(sound?);
        Ok(())
    }

    /// True if nothing sound is left.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Compiles the list. One that is too large is an error.
    pub fn compile(self) -> Result<GlobSet, String> {
        let mut set = GlobSetBuilder::new();
        for glob in self.patterns {
            set.add(glob);
        }
        set.build().map_err(|error| error.to_string())
    }
}

fn glob(pattern: &str) -> Result<Glob, String> {
    if pattern.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|error| error.kind().to_string())
}

/// Makes a pattern absolute: it starts at `/`, at `~/`, anywhere (`**`), or at the cwd.
fn absolute(pattern: &str, look: &ProviderContext<'_>) -> Result<String, String> {
    let below = |dir: &Path, rest: &str| {
        let dir = literal(dir);
        // A directory is all that is in it.
        let all = if rest.is_empty() || rest.ends_with('/') { "**" } else { "" };
        format!("{}/{rest}{all}", dir.trim_end_matches('/'))
    };
    if let Some(rest) = pattern.strip_prefix("~/") {
        let home = look.places.home.as_ref().ok_or("there is no home directory")?;
        return Ok(below(home, rest));
    }
    if let Some(rest) = pattern.strip_prefix('/') {
        return Ok(below(Path::new("/"), rest));
    }
    if pattern == "**" || pattern.starts_with("**/") {
        return Ok(below(Path::new("/"), pattern));
    }
    let (mut dir, mut rest) = (look.places.cwd.clone(), pattern);
    loop {
        if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else if let Some(after) = rest.strip_prefix("../") {
            rest = after;
            dir.pop();
        } else {
            return Ok(below(&dir, rest));
        }
    }
}

/// A path as a pattern that matches nothing else.
fn literal(path: &Path) -> String {
    let mut out = String::new();
    for c in path.to_string_lossy().chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!' | ',') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Returns the names by which a file may be meant: as it was named, and where it really lies. A path in the directory
/// that the cwd really is counts as one in the cwd.
pub fn names(path: &Path, look: &ProviderContext<'_>) -> Vec<PathBuf> {
    let named = normal(&look.places.cwd, path);
    let real = crate::places::resolve_links(look.system, &named);
    let mut names = vec![named];
    if let Ok(cwd) = look.system.canonical(&look.places.cwd)
        && let Ok(rest) = real.strip_prefix(&cwd)
    {
        names.push(look.places.cwd.join(rest));
    }
    names.push(real);
    names.dedup();
    names
}

/// A piece of a pattern.
enum GlobPart<'p> {
    Text(&'p str),
    Either(Vec<Vec<GlobPart<'p>>>),
}

/// The number of patterns that an expansion makes, and their total bytes.
#[derive(Clone, Copy)]
struct GlobSize {
    patterns: u128,
    bytes: u128,
}

/// Multiplies out the braces of a pattern, within a room.
fn expand(pattern: &str, room: PatternBudget) -> Result<Vec<String>, String> {
    let mut rest = pattern;
    let parts = sequence(&mut rest, 0)?;
    let size = size_of(&parts);
    if size.patterns > room.patterns as u128 || size.bytes > room.bytes as u128 {
        let PatternBudget { patterns, bytes } = PatternBudget::LIST;
        return Err(format!("braces make at most {patterns} patterns and {bytes} bytes of one list"));
    }
    Ok(patterns(&parts))
}

/// Reads up to the end, or in braces up to the comma or brace that ends this alternative.
fn sequence<'p>(rest: &mut &'p str, depth: usize) -> Result<Vec<GlobPart<'p>>, String> {
    let mut parts = Vec::new();
    loop {
        let (text, after) = rest.split_at(plain_length(rest, depth > 0)?);
        if !text.is_empty() {
            parts.push(GlobPart::Text(text));
        }
        *rest = after;
        match after.chars().next() {
            Some('{') if depth == DEEPEST => return Err("its braces are nested too deep".to_owned()),
            Some('{') => {
                *rest = &after[1..];
                parts.push(either(rest, depth + 1)?);
            }
            Some('}') if depth == 0 => return Err("a `}` has no `{`".to_owned()),
            None if depth > 0 => return Err("a `{` has no `}`".to_owned()),
            _ => return Ok(parts),
        }
    }
}

fn either<'p>(rest: &mut &'p str, depth: usize) -> Result<GlobPart<'p>, String> {
    let mut ways = Vec::new();
    loop {
        ways.push(sequence(rest, depth)?);
        let ended = rest.starts_with('}');
        *rest = &rest[1..];
        if ended {
            return Ok(GlobPart::Either(ways));
        }
    }
}

/// Returns the length of the text before the next active brace or comma. Text in a class or behind a
/// backslash is literal.
fn plain_length(text: &str, in_braces: bool) -> Result<usize, String> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'}' => break,
            b',' if in_braces => break,
            b'\\' => at += 2,
            b'[' => at += class_length(&bytes[at..]).ok_or("a `[` has no `]`")?,
            _ => at += 1,
        }
    }
    Ok(at.min(bytes.len()))
}

/// The length of `[…]`, where something closes it.
fn class_length(bytes: &[u8]) -> Option<usize> {
    let head = 1 + usize::from(matches!(bytes.get(1), Some(b'!' | b'^')));
    // A bracket at its head means itself.
    let body = bytes.iter().skip(head + 1).position(|byte| *byte == b']')?;
    Some(head + 1 + body + 1)
}

fn size_of(parts: &[GlobPart<'_>]) -> GlobSize {
    let one = GlobSize { patterns: 1, bytes: 0 };
    parts.iter().fold(one, |before, part| {
        let size = match part {
            GlobPart::Text(text) => GlobSize { patterns: 1, bytes: text.len() as u128 },
            GlobPart::Either(ways) => ways.iter().fold(GlobSize { patterns: 0, bytes: 0 }, |sum, way| {
                let size = size_of(way);
                GlobSize {
                    patterns: sum.patterns.saturating_add(size.patterns),
                    bytes: sum.bytes.saturating_add(size.bytes),
                }
            }),
        };
        let bytes = (before.bytes.saturating_mul(size.patterns))
            .saturating_add(size.bytes.saturating_mul(before.patterns));
        GlobSize { patterns: before.patterns.saturating_mul(size.patterns), bytes }
    })
}

/// Writes what was measured.
fn patterns(parts: &[GlobPart<'_>]) -> Vec<String> {
    parts.iter().fold(vec![String::new()], |before, part| match part {
        GlobPart::Text(text) => before.into_iter().map(|head| head + text).collect(),
        GlobPart::Either(ways) => {
            let tails: Vec<String> = ways.iter().flat_map(|way| patterns(way)).collect();
            before.iter().flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(pattern: &str) -> Result<Vec<String>, String> {
        expand(pattern, PatternBudget::LIST)
    }

    #[test]
    fn braces_are_multiplied_out_in_order() {
        assert_eq!(many("src/*.{ts,tsx}").unwrap(), ["src/*.ts", "src/*.tsx"]);
        assert_eq!(many("{a,b}{c,{d,e}f}").unwrap(), ["ac", "adf", "aef", "bc", "bdf", "bef"]);
        assert_eq!(many("{,a},b").unwrap(), [",b", "a,b"]);
        assert_eq!(many("{}").unwrap(), [""]);
        assert_eq!(many("\\{a,b\\}[{,}]").unwrap(), ["\\{a,b\\}[{,}]"], "escaped, or in a class");
        assert_eq!(many("größe{é,ü}").unwrap(), ["größeé", "größeü"]);
        for (pattern, why) in [
            ("{a", "a `{` has no `}`"),
            ("a}", "a `}` has no `{`"),
            ("{a\\", "a `{` has no `}`"),
            ("[a", "a `[` has no `]`"),
        ] {
            assert_eq!(many(pattern).unwrap_err(), why, "{pattern}");
        }
    }

    #[test]
    fn braces_make_a_thousand_patterns_and_no_more() {
        assert_eq!(many("{a,b,c,d,e,f,g,h,i,j}".repeat(3).as_str()).unwrap().len(), 1_000);
        let more = "{a,b,c,d,e,f,g,h,i,j}".repeat(3) + "{a,b}";
        assert!(many(&more).is_err());
        assert!(many(&"{a,b}".repeat(1_000_000)).is_err());
        assert!(many(&format!("{}{{a,b}}", "x".repeat(3 << 20))).is_err(), "too many bytes");
        assert!(many(&"{".repeat(1_000_000)).is_err());
        assert!(many(&format!("{}{}", "{a,".repeat(33), "}".repeat(33))).is_err());
        assert!(many(&"[".repeat(1_000_000)).is_err());
    }
}
