//! Versions and file names of catalogs. They become parts of paths, so little is allowed in them.

/// The most numbers that a version has.
const NUMBERS: usize = 6;
/// The most digits of each.
const DIGITS: usize = 9;
/// The longest file name, in bytes.
const NAME: usize = 200;
/// The extension of a catalog's files.
const ENDING: &str = ".md";

/// Returns the numbers of a version, to sort by; `None` if it is none. A version is numbers with dots between them and
/// nothing else, so none can lead out of a directory.
///
/// ```
/// use preface_host::catalogs::number;
///
/// assert_eq!(number("2.1.37"), Some(vec![2, 1, 37]));
/// assert_eq!(number("../2.1.37"), None);
/// ```
#[must_use]
pub fn number(version: &str) -> Option<Vec<u32>> {
    let part = |part: &str| {
        let plain = (1..=DIGITS).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| part.parse().ok()).flatten()
    };
    let numbers: Vec<u32> = version.split('.').take(NUMBERS + 1).map(part).collect::<Option<_>>()?;
    (numbers.len() <= NUMBERS).then_some(numbers)
}

/// Returns the reason why a file of a catalog cannot be stored under this name; `None` if it can.
///
/// ```
/// use preface_host::catalogs::stem_fault;
///
/// assert_eq!(stem_fault("system-prompt-doing-tasks.md"), None);
/// assert!(stem_fault("..md").is_some());
/// ```
#[must_use]
pub fn stem_fault(file: &str) -> Option<&'static str> {
    let Some(stem) = file.strip_suffix(ENDING) else { return Some("its name does not end in `.md`") };
    if file.len() > NAME {
        return Some("its name is longer than 200 bytes");
    }
    if !stem.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return Some("its name does not start with a letter or a digit");
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !stem.chars().all(allowed) {
        return Some("its name has other characters than letters, digits, `-`, `_` and `.`");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_numbers_and_dots() {
        for version in ["2", "2.1", "2.1.37", "10.0.0.1"] {
            assert!(number(version).is_some(), "{version}");
        }
        for version in
            ["", ".", "..", "../../x", "2.1.", ".2", "2..1", "2.1-a", "2.1/3", "v2", "-1", "+1", "１", " 2"]
        {
            assert_eq!(number(version), None, "{version}");
        }
        assert_eq!(number("1234567890"), None);
        assert_eq!(number("1.2.3.4.5.6.7"), None);
        assert_eq!(number(&"1.".repeat(100_000)), None);
    }

    #[test]
    fn a_file_is_called_something_plain() {
        for file in ["a.md", "skill-x_2.y.md", "0.md"] {
            assert_eq!(stem_fault(file), None, "{file}");
        }
        let long = format!("{}.md", "a".repeat(198));
        for file in ["", ".md", "..md", "...md", "../a.md", "a/b.md", "a\\b.md", "a:b.md", "a", "ä.md", &long]
        {
            assert!(stem_fault(file).is_some(), "{file}");
        }
    }
}
