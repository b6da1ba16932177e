//! The few values of a repository's own `config` that decide how its refs are stored.
//!
//! This is git's configuration syntax read as data: sections, `key = value`, quotes, escapes, comments, continued
//! lines. Includes are not followed: git does not follow them either when it decides whether it knows a repository's
//! format.

/// The values of a repository's configuration that decide how it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RepositoryFormat {
    /// `core.repositoryFormatVersion`.
    pub version: Option<String>,
    /// `extensions.refStorage`.
    pub ref_storage: Option<String>,
    /// `core.warnAmbiguousRefs`.
    pub warn_ambiguous: Option<String>,
    /// `core.worktree`.
    pub work_tree: Option<String>,
    /// Names of `extensions.*` that are not known here.
    pub unknown_extensions: Vec<String>,
}

impl RepositoryFormat {
    /// Reads the values out of a `config` file, or gives the line that git cannot read.
    pub(super) fn parse(config: &str) -> Result<RepositoryFormat, usize> {
        let mut format = RepositoryFormat::default();
        for ConfigEntry { section, key, value, .. } in
            entries(config)?.into_iter().filter(|entry| !entry.is_sub)
        {
            match (section.as_str(), key.as_str()) {
                ("core", "repositoryformatversion") => format.version = value,
                ("core", "warnambiguousrefs") => {
                    format.warn_ambiguous = Some(value.unwrap_or_else(|| "true".to_owned()));
                }
                ("core", "worktree") => format.work_tree = value,
                ("extensions", "refstorage") => format.ref_storage = value,
                ("extensions", key) if !KNOWN_EXTENSIONS.contains(&key) => {
                    format.unknown_extensions.push(key.to_owned());
                }
                _ => {}
            }
        }
        Ok(format)
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

/// A line of a configuration: names in lower case; without `=` the value is `None`.
struct ConfigEntry {
    section: String,
    /// The section has a subsection.
    is_sub: bool,
    key: String,
    value: Option<String>,
}

/// Checks whether git can read a configuration; if not, returns the line at which it fails.
///
/// # Errors
/// The number of the first bad line.
#[cfg(feature = "git-status")]
pub(crate) fn check(config: &str) -> Result<(), usize> {
    entries(config).map(|_| ())
}

/// Returns the entries of a configuration, or the line at which git fails.
fn entries(config: &str) -> Result<Vec<ConfigEntry>, usize> {
    let config = config.strip_prefix('\u{feff}').unwrap_or(config);
    let mut reader = ConfigReader { rest: config };
    reader.entries().ok_or_else(|| {
        let read = &config[..config.len() - reader.rest.len()];
        read.matches('\n').count() + 1
    })
}

/// Reads a configuration from front to back; `None` is a syntax error.
struct ConfigReader<'a> {
    rest: &'a str,
}

impl ConfigReader<'_> {
    /// Takes the next character; the end reads as a line end, and so do both characters of a line end of Windows.
    fn next(&mut self) -> char {
        let mut chars = self.rest.chars();
        let char = chars.next().unwrap_or('\n');
        self.rest = chars.as_str();
        match self.rest.strip_prefix('\n') {
            Some(rest) if char == '\r' => {
                self.rest = rest;
                '\n'
            }
            _ => char,
        }
    }

    /// Skips characters.
    fn skip(&mut self, skip: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(skip);
    }

    fn entries(&mut self) -> Option<Vec<ConfigEntry>> {
        let mut found = Vec::new();
        let (mut section, mut is_sub) = (String::new(), false);
        loop {
            self.skip(|char| char.is_ascii_whitespace());
            match self.rest.chars().next() {
                None => return Some(found),
                Some('#' | ';') => self.skip(|char| char != '\n'),
                Some('[') => {
                    self.next();
                    (section, is_sub) = self.header()?;
                }
                Some(first) if first.is_ascii_alphabetic() => {
                    let (section, key) = (section.clone(), self.name());
                    let value = self.read_assignment()?;
                    found.push(ConfigEntry { section, is_sub, key, value });
                }
                Some(_) => return None,
            }
        }
    }

    /// Takes a name, in lower case.
    fn name(&mut self) -> String {
        let end = self.rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '-');
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        name.to_ascii_lowercase()
    }

    /// Takes a section's header behind its bracket: the name, and whether a subsection follows.
    fn header(&mut self) -> Option<(String, bool)> {
        let name = self.name();
        match self.next() {
            ']' => return Some((name, false)),
            '.' => {
                self.skip(|char| char.is_ascii_alphanumeric() || char == '-' || char == '.');
                return (self.next() == ']').then_some((name, true));
            }
            ' ' | '\t' => self.skip(|char| char == ' ' || char == '\t'),
            _ => return None,
        }
        if self.next() != '"' {
            return None;
        }
        loop {
            match self.next() {
                '\n' => return None,
                '"' => return (self.next() == ']').then_some((name, true)),
                '\\' if self.next() == '\n' => return None,
                _ => {}
            }
        }
    }

    /// Takes what is assigned to a key; without `=` nothing is.
    fn read_assignment(&mut self) -> Option<Option<String>> {
        self.skip(|char| char == ' ' || char == '\t');
        match self.next() {
            '\n' => Some(None),
            '=' => self.value().map(Some),
            _ => None,
        }
    }

    /// Takes a value up to the end of its last line.
    fn value(&mut self) -> Option<String> {
        let mut out = String::new();
        // Where the value ends if only blanks follow.
        let mut solid = 0;
        let (mut quoted, mut comment) = (false, false);
        loop {
            match self.next() {
                '\n' if quoted => return None,
                '\n' => {
                    out.truncate(solid);
                    return Some(out);
                }
                _ if comment => {}
                '#' | ';' if !quoted => comment = true,
                '"' => quoted = !quoted,
                '\\' => {
                    match self.next() {
                        '\n' => continue,
                        'n' => out.push('\n'),
                        't' => out.push('\t'),
                        'b' => out.push('\u{8}'),
                        char @ ('\\' | '"') => out.push(char),
                        _ => return None,
                    }
                    solid = out.len();
                }
                blank if blank.is_ascii_whitespace() && !quoted => {
                    if !out.is_empty() {
                        out.push(blank);
                    }
                }
                char => {
                    out.push(char);
                    solid = out.len();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keys_quotes_comments_and_continued_lines() {
        let config = "[core] ; x\n\trepositoryFormatVersion = 1 # one\n[Extensions]\nrefStorage = \"ref\\\ntable\" \n\
                      [core \"sub\"]\nrepositoryformatversion = 7\n[extensions]\nnovelty\n[core]\nwarnAmbiguousRefs\nworktree = ../../../m\n";
        assert_eq!(
            RepositoryFormat::parse(config),
            Ok(RepositoryFormat {
                version: Some("1".into()),
                ref_storage: Some("reftable".into()),
                warn_ambiguous: Some("true".into()),
                work_tree: Some("../../../m".into()),
                unknown_extensions: vec!["novelty".into()],
            })
        );
    }

    #[test]
    fn a_key_on_the_line_of_its_section() {
        let format = RepositoryFormat::parse("[extensions]refStorage=reftable");
        assert_eq!(format.expect("a format").ref_storage.as_deref(), Some("reftable"));
    }

    #[test]
    fn nonsense_is_found_in_its_line() {
        let cases = [
            ("[core\nx", 2),
            ("\n= = =", 2),
            ("[core]\n\nkey value", 3),
            ("[core]\nkey = \"open\nx = y", 3),
            ("[core]\nkey = \\x", 2),
            ("[a \"b\" ]", 1),
            ("[core]\n\u{fc} = 1", 2),
        ];
        for (config, line) in cases {
            assert_eq!(RepositoryFormat::parse(config), Err(line), "{config:?}");
        }
        for config in ["", "\u{feff}[core]\r\nbare\r\n", "[a.b-c]\nd = e", "[a \"]\\\"#\"]\n", "key = value"]
        {
            assert_eq!(RepositoryFormat::parse(config), Ok(RepositoryFormat::default()), "{config:?}");
        }
    }
}
