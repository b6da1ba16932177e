//! The way to a setting: `budget.tokens`, `tools."my.tool".disable` or `/tools/my.tool/disable`.

use std::{fmt, str::FromStr};

/// The keys from the root of the settings down to one value.
///
/// ```
/// use preface_core::settings::KeyPath;
/// let dotted: KeyPath = "tools.\"my.tool\".disable".parse()?;
/// let pointer: KeyPath = "/tools/my.tool/disable".parse()?;
/// assert_eq!(dotted, pointer);
/// assert_eq!(pointer.to_string(), "tools.\"my.tool\".disable");
/// assert_eq!(dotted.pointer(), "/tools/my.tool/disable");
/// # Ok::<(), preface_core::settings::KeyPathError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyPath(pub(super) Vec<String>);

/// Why a text is no way to a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyPathError {
    /// There is nothing between two dots, or at an end.
    EmptyKey,
    /// A quote is opened and never closed, or stands in the middle of a key.
    Quote,
    /// A `~` of a JSON Pointer is followed by something other than `0` or `1`.
    Escape,
}

impl fmt::Display for KeyPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyPathError::EmptyKey => "a key is empty",
            KeyPathError::Quote => "a quote does not enclose a whole key",
            KeyPathError::Escape => "`~` must be followed by `0` or `1`",
        })
    }
}

impl std::error::Error for KeyPathError {}

impl KeyPath {
    /// Returns the keys, the outermost first.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.0
    }

    /// Returns the path as a JSON Pointer.
    #[must_use]
    pub fn pointer(&self) -> String {
        self.0.iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
    }
}

impl<S: Into<String>> FromIterator<S> for KeyPath {
    fn from_iter<I: IntoIterator<Item = S>>(keys: I) -> Self {
        KeyPath(keys.into_iter().map(Into::into).collect())
    }
}

impl FromStr for KeyPath {
    type Err = KeyPathError;

    fn from_str(text: &str) -> Result<Self, KeyPathError> {
        match text.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(unescaped).collect::<Result<_, _>>().map(KeyPath),
            None => dotted(text).map(KeyPath),
        }
    }
}

fn unescaped(key: &str) -> Result<String, KeyPathError> {
    let mut parts = key.split('~');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (sign, rest) = match part.as_bytes().first() {
            Some(b'0') => ('~', &part[1..]),
            Some(b'1') => ('/', &part[1..]),
            _ => return Err(KeyPathError::Escape),
        };
        plain.push(sign);
        plain.push_str(rest);
    }
    Ok(plain)
}

fn dotted(text: &str) -> Result<Vec<String>, KeyPathError> {
    let mut keys = Vec::new();
    let mut rest = text;
    loop {
        let key;
        if let Some(quoted) = rest.strip_prefix('"') {
            (key, rest) = quoted.split_once('"').ok_or(KeyPathError::Quote)?;
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            (key, rest) = rest.split_at(end);
            if key.contains('"') {
                return Err(KeyPathError::Quote);
            }
            if key.is_empty() {
                return Err(KeyPathError::EmptyKey);
            }
        }
        keys.push(key.to_owned());
        if rest.is_empty() {
            return Ok(keys);
        }
        rest = rest.strip_prefix('.').ok_or(KeyPathError::Quote)?;
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, key) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            if key.is_empty() || key.contains('.') {
                write!(f, "\"{key}\"")?;
            } else {
                f.write_str(key)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_writing_lead_to_the_same_keys() {
        let cases: [(&str, &[&str]); 8] = [
            ("budget", &["budget"]),
            ("budget.tokens", &["budget", "tokens"]),
            ("tools.\"a.b\".disable", &["tools", "a.b", "disable"]),
            ("tools.\"\"", &["tools", ""]),
            ("/budget/tokens", &["budget", "tokens"]),
            ("/tools/a.b", &["tools", "a.b"]),
            ("/tools/a~1b~0c", &["tools", "a/b~c"]),
            ("/", &[""]),
        ];
        for (text, keys) in cases {
            assert_eq!(text.parse::<KeyPath>().unwrap().keys(), keys, "{text}");
        }
    }

    #[test]
    fn what_leads_nowhere_is_refused() {
        let cases = [
            ("", KeyPathError::EmptyKey),
            (".", KeyPathError::EmptyKey),
            ("a..b", KeyPathError::EmptyKey),
            ("a.", KeyPathError::EmptyKey),
            ("\"a", KeyPathError::Quote),
            ("\"a\"b", KeyPathError::Quote),
            ("a\"b\"", KeyPathError::Quote),
            ("/a~2", KeyPathError::Escape),
            ("/a~", KeyPathError::Escape),
        ];
        for (text, error) in cases {
            assert_eq!(text.parse::<KeyPath>(), Err(error), "{text}");
        }
    }
}
