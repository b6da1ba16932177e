//! The README of a catalog: the version in its intro, and what each prompt counts.

use crate::version;
use std::collections::BTreeMap;

/// The version and the token counts of a README.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readme {
    /// The version of the catalog, without a `v`; `None` if the intro names none.
    pub version: Option<String>,
    /// The tokens of each prompt that is listed, by the name of its file.
    pub tokens: BTreeMap<String, u32>,
}

/// The text before the version in the introductory sentence of the list.
const INTRO: &str = "as of **[Claude Code v";
/// The text before a version anywhere else.
const ANYWHERE: &str = "Claude Code v";
/// The start of a row's link target.
const FOLDER: &str = "](./system-prompts/";

/// Reads a README. It never fails: missing values are absent.
///
/// ```
/// let readme = preface_catalog::read_readme(
///     "Counts as of **[Claude Code v2.1.37](somewhere)**.\n\n- [A name (of sorts)](./system-prompts/a.md) (**1,205** tks) - It.\n",
/// );
/// assert_eq!(readme.version.as_deref(), Some("2.1.37"));
/// assert_eq!(readme.tokens["a.md"], 1205);
/// ```
#[must_use]
pub fn read(text: &str) -> Readme {
    let mut tokens = BTreeMap::new();
    for (file, count) in text.lines().filter_map(parse_row) {
        tokens.entry(file.to_owned()).or_insert(count);
    }
    let version = version_after(text, INTRO).or_else(|| version_after(text, ANYWHERE));
    Readme { version: version.map(str::to_owned), tokens }
}

/// Returns the first version that is after `lead`.
fn version_after<'t>(text: &'t str, lead: &str) -> Option<&'t str> {
    text.match_indices(lead).find_map(|(at, _)| {
        let rest = &text[at + lead.len()..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let version = rest[..end].trim_end_matches('.');
        version::generation_of(version).is_some().then_some(version)
    })
}

/// Takes a row apart: `- [Name](./system-prompts/FILE.md) (**N** tks) - description.`
fn parse_row(line: &str) -> Option<(&str, u32)> {
    let line = line.trim_start().strip_prefix("- [")?;
    let (_, rest) = line.split_once(FOLDER)?;
    let (file, rest) = rest.split_once(')')?;
    let (count, rest) = rest.trim_start().strip_prefix("(**")?.split_once("**")?;
    rest.trim_start().strip_prefix("tks")?;
    let digits: String = count.chars().filter(|c| *c != ',').collect();
    Some((file, digits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intro_counts_more_than_a_version_in_passing() {
        let text = "New in Claude Code v2.1.99!\n\nTexts as of **[Claude Code v2.1.37](x) (some day).**\n";
        assert_eq!(read(text).version.as_deref(), Some("2.1.37"));
        assert_eq!(read("Of Claude Code v2.1.99.\n").version.as_deref(), Some("2.1.99"));
        assert_eq!(read("Of Claude Code very soon, v2.1.99\n").version, None);
    }

    #[test]
    fn a_row_counts_under_the_name_of_its_file_and_anything_else_is_no_row() {
        let text = "- [A: b (c)](./system-prompts/a-b.md) (**12** tks) - With (**3** tks) in it.\n\
                    - [Again](./system-prompts/a-b.md) (**99** tks)\n\
                    - [Zero](./system-prompts/zero.md) (**0** tks) - Nothing.\n\
                    - [Elsewhere](./docs/x.md) (**5** tks) - No.\n\
                    - [No count](./system-prompts/n.md) - No.\n\
                    - [Too much](./system-prompts/m.md) (**99999999999** tks) - No.\n\
                    [No list](./system-prompts/l.md) (**1** tks)\n";
        let expected = [("a-b.md".to_owned(), 12), ("zero.md".to_owned(), 0)];
        assert_eq!(read(text).tokens, BTreeMap::from(expected));
    }
}
