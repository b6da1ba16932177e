//! The few values of a repository's own `config` that decide how its refs are stored.
//!
//! This is git's configuration syntax read as data: sections, `key = value`, quotes, escapes, comments, continued
//! lines. Includes are not followed: git does not follow them either when it decides whether it knows a repository's
//! format.

/// How a repository is stored, as far as its configuration says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Format {
    /// `core.repositoryFormatVersion`.
    pub version: Option<String>,
    /// `extensions.refStorage`.
    pub ref_storage: Option<String>,
    /// `core.warnAmbiguousRefs`.
    pub warn_ambiguous: Option<String>,
    /// Names of `extensions.*` that are not known here.
    pub unknown_extensions: Vec<String>,
}

impl Format {
    /// Reads the values out of a `config` file.
    pub(super) fn parse(config: &str) -> Format {
        let mut format = Format::default();
        for Entry { section, key, value, .. } in entries(config).into_iter().filter(|entry| !entry.is_sub) {
            match (section.as_str(), key.as_str()) {
                ("core", "repositoryformatversion") => format.version = value,
                ("core", "warnambiguousrefs") => {
                    format.warn_ambiguous = Some(value.unwrap_or_else(|| "true".to_owned()));
                }
                ("extensions", "refstorage") => format.ref_storage = value,
                ("extensions", key) if !KNOWN_EXTENSIONS.contains(&key) => {
                    format.unknown_extensions.push(key.to_owned());
                }
                _ => {}
            }
        }
        format
    }
}

/// Extensions of repository format 1 that do not change where refs are.
const KNOWN_EXTENSIONS: [&str; 8] = [
    "compatobjectformat",
    "noop",
    "noop-v1",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "relativeworktrees",
    "worktreeconfig",
];

/// Lists the files that a configuration includes, under whatever condition.
#[cfg(feature = "git-status")]
pub(crate) fn included(config: &str) -> Vec<String> {
    let is_include = |entry: &Entry| {
        entry.key == "path"
            && (entry.section == "include" && !entry.is_sub || entry.section == "includeif" && entry.is_sub)
    };
    entries(config).into_iter().filter(is_include).filter_map(|entry| entry.value).collect()
}

/// A line of a configuration: names in lower case; without `=` the value is `None`.
struct Entry {
    section: String,
    /// The section has a subsection.
    is_sub: bool,
    key: String,
    value: Option<String>,
}

/// Lists what a configuration says.
fn entries(config: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut section: Option<(String, bool)> = None;
    let mut rest = config.strip_prefix('\u{feff}').unwrap_or(config);
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return found;
        }
        if let Some(header) = rest.strip_prefix('[') {
            let Some(end) = header_end(header) else { return found };
            let name = header[..end].trim();
            let only_name = name.split(['"', '.', ' ', '\t']).next().unwrap_or_default();
            section = Some((only_name.to_ascii_lowercase(), only_name.len() != name.len()));
            rest = &header[end + 1..];
        } else if rest.starts_with(['#', ';']) {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else {
            let end =
                rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '-').unwrap_or(rest.len());
            if end == 0 {
                return found;
            }
            let key = rest[..end].to_ascii_lowercase();
            let after = rest[end..].trim_start_matches([' ', '\t']);
            let value = match after.strip_prefix('=') {
                Some(text) => {
                    let (value, left) = value(text);
                    rest = left;
                    Some(value)
                }
                None => {
                    rest = after.find('\n').map_or("", |end| &after[end..]);
                    None
                }
            };
            if let Some((section, is_sub)) = &section {
                found.push(Entry { section: section.clone(), is_sub: *is_sub, key, value });
            }
        }
    }
}

/// Finds the `]` of a section header, outside of quotes.
fn header_end(header: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, char) in header.char_indices() {
        match char {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ']' if !quoted => return Some(at),
            _ => {}
        }
    }
    None
}

/// Reads a value up to the end of its last line; returns it and the rest of the text.
fn value(text: &str) -> (String, &str) {
    let text = text.trim_start_matches([' ', '\t']);
    let mut out = String::new();
    // Where the value ends if only blanks follow.
    let mut solid = 0;
    let (mut quoted, mut comment) = (false, false);
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\n' => {
                out.truncate(solid);
                return (out, &text[at..]);
            }
            _ if comment => {}
            '#' | ';' if !quoted => comment = true,
            '"' => quoted = !quoted,
            '\\' => match chars.next() {
                Some((_, '\n')) => {}
                Some((_, escaped)) => {
                    out.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        'b' => '\u{8}',
                        other => other,
                    });
                    solid = out.len();
                }
                None => {}
            },
            _ => {
                out.push(char);
                if quoted || !char.is_ascii_whitespace() {
                    solid = out.len();
                }
            }
        }
    }
    out.truncate(solid);
    (out, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keys_quotes_comments_and_continued_lines() {
        let config = "[core] ; x\n\trepositoryFormatVersion = 1 # one\n[Extensions]\nrefStorage = \"ref\\\ntable\" \n\
                      [core \"sub\"]\nrepositoryformatversion = 7\n[extensions]\nnovelty\n[core]\nwarnAmbiguousRefs\n";
        assert_eq!(
            Format::parse(config),
            Format {
                version: Some("1".into()),
                ref_storage: Some("reftable".into()),
                warn_ambiguous: Some("true".into()),
                unknown_extensions: vec!["novelty".into()],
            }
        );
    }

    #[test]
    fn a_key_on_the_line_of_its_section() {
        let format = Format::parse("[extensions]refStorage=reftable");
        assert_eq!(format.ref_storage.as_deref(), Some("reftable"));
    }

    #[test]
    #[cfg(feature = "git-status")]
    fn what_is_included() {
        let config = "[include]\npath = a\n[includeIf \"gitdir:~/x/\"]\n path=\"b c\"\n[other]path=d";
        assert_eq!(included(config), ["a", "b c"]);
    }

    #[test]
    fn nonsense_ends_the_reading() {
        assert_eq!(Format::parse("[core\nx"), Format::default());
        assert_eq!(Format::parse("= = ="), Format::default());
        assert_eq!(Format::parse(""), Format::default());
    }
}
