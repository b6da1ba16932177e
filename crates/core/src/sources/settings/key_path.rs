//! The path of a setting: `budget.tokens`, `tools."my.tool".disable` or `/tools/my.tool/disable`.

use super::{
    merge::SetBy,
    node::{SettingsNode, SettingsSource, SettingsTree, read_number},
    parse::{LayerSettings, fault, keep_valid_alone, parse_value, secrets_of_value, shown},
    schema::ValueShape,
};
use crate::{input_error::InputError, suggestion::did_you_mean};
use std::{fmt, str::FromStr, sync::Arc};

/// The keys from the root of the settings down to one value.
///
/// ```
/// use preface_core::settings::KeyPath;
/// let dotted: KeyPath = "tools.\"my.tool\".disable".parse()?;
/// let pointer: KeyPath = "/tools/my.tool/disable".parse()?;
/// assert_eq!(dotted, pointer);
/// assert_eq!(pointer.to_string(), "tools.\"my.tool\".disable");
/// # Ok::<(), preface_core::input_error::InputError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyPath(pub(super) Vec<String>);

impl KeyPath {
    /// Returns the keys, the outermost first.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.0
    }
}

impl<S: Into<String>> FromIterator<S> for KeyPath {
    fn from_iter<I: IntoIterator<Item = S>>(keys: I) -> Self {
        KeyPath(keys.into_iter().map(Into::into).collect())
    }
}

impl FromStr for KeyPath {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let keys = match text.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(unescape).collect(),
            None => parse_dotted(text),
        };
        keys.map(KeyPath).map_err(|why| InputError::new(format!("`{}` is not a path: {why}", shown(text))))
    }
}

fn unescape(key: &str) -> Result<String, &'static str> {
    let mut parts = key.split('~');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (sign, rest) = match part.as_bytes().first() {
            Some(b'0') => ('~', &part[1..]),
            Some(b'1') => ('/', &part[1..]),
            _ => return Err("`~` must be followed by `0` or `1`"),
        };
        plain.push(sign);
        plain.push_str(rest);
    }
    Ok(plain)
}

/// The fault of a quote.
const QUOTE: &str = "a quote does not enclose a whole key";

fn parse_dotted(text: &str) -> Result<Vec<String>, &'static str> {
    let mut keys = Vec::new();
    let mut rest = text;
    loop {
        let key;
        if let Some(quoted) = rest.strip_prefix('"') {
            (key, rest) = quoted.split_once('"').ok_or(QUOTE)?;
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            (key, rest) = rest.split_at(end);
            if key.contains('"') {
                return Err(QUOTE);
            }
            if key.is_empty() {
                return Err("a key is empty");
            }
        }
        keys.push(key.to_owned());
        if rest.is_empty() {
            return Ok(keys);
        }
        rest = rest.strip_prefix('.').ok_or(QUOTE)?;
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

// `--set path=value`: one value that the caller sets for this call, typed by the schema.

/// A checked `--set` argument.
///
/// ```
/// use preface_core::settings::SetValue;
/// let set = SetValue::parse("budget.tokens=9000")?;
/// assert_eq!(set.value().to_value(), 9000);
/// let error = SetValue::parse("budget.tokns=9000").unwrap_err();
/// assert_eq!(error.to_string(), "unknown setting `budget.tokns`");
/// assert_eq!(error.help.as_deref(), Some("did you mean `budget.tokens`?"));
/// # Ok::<(), preface_core::input_error::InputError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SetValue {
    path: KeyPath,
    value: SettingsNode,
}

/// Returns true if the first key of a `--set` path is a settings root, such as `budget`.
///
/// ```
/// use preface_core::settings::is_settings_root;
/// assert!(is_settings_root("systemPrompt.custom"));
/// assert!(!is_settings_root("variant"));
/// ```
#[must_use]
pub fn is_settings_root(path: &str) -> bool {
    path.parse::<KeyPath>()
        .is_ok_and(|path| path.keys().first().is_some_and(|key| ValueShape::root().under(key).is_some()))
}

impl SetValue {
    /// Reads `path=value` for a setting. The text after the first `=` is used as it is for a string, parsed
    /// as a number or a flag for one of these, and as JSON for arrays and objects. For a setting of any type
    /// it is JSON if it parses as JSON, else a string.
    ///
    /// # Errors
    /// An argument without `=`, a path that is none or of no setting, a value of a wrong type.
    pub fn parse(argument: &str) -> Result<Self, InputError> {
        let (path, start) = split(argument)?;
        let shape = shape_or_suggestion(&path)?;
        Self::read(path, argument, start, shape)
    }

    /// Reads a value for a setting from a separate text, as [`SetValue::parse`] does from the text after the
    /// `=`.
    ///
    /// ```
    /// use preface_core::settings::SetValue;
    /// let set = SetValue::typed("tools.\"a=b\".disable", "true")?;
    /// assert_eq!(set.value().to_value(), true);
    /// # Ok::<(), preface_core::input_error::InputError>(())
    /// ```
    ///
    /// # Errors
    /// A path that is none or of no setting, a value of a wrong type.
    pub fn typed(key: &str, text: &str) -> Result<Self, InputError> {
        let (path, shape) = setting_at(key)?;
        Self::read(path, text, 0, shape)
    }

    fn read(path: KeyPath, argument: &str, start: usize, shape: ValueShape) -> Result<Self, InputError> {
        let source = Arc::new(SettingsSource {
            by: SetBy::Caller,
            path: "--set".to_owned(),
            text: argument.to_owned(),
            secrets: secrets_of_value(&path, shape, &argument[start..], start),
        });
        let text = &argument[start..];
        let bad = |why: String| InputError::new(format!("`{}` {why}", shown(&path.to_string())));
        let plain =
            |tree| SettingsNode { source: source.clone(), key_span: 0..0, span: start..argument.len(), tree };
        let node = if shape.is_any() {
            let json = parse_value(text, start, &source);
            json.unwrap_or_else(|_| plain(SettingsTree::Text(text.to_owned())))
        } else if shape.is_text() || shape.short().is_some() && !text.trim_start().starts_with('{') {
            plain(SettingsTree::Text(text.to_owned()))
        } else if shape.is_flag() || shape.takes("integer") {
            let number = || read_number(text.trim()).map(SettingsTree::Number);
            let tree = text.trim().parse().map(SettingsTree::Flag).ok().or_else(number);
            plain(tree.ok_or_else(|| bad(format!("must be {}, not `{}`", shape.expected(), shown(text))))?)
        } else {
            parse_value(text, start, &source)
                .map_err(|why| bad(format!("must be {} in JSON: {why}", shape.expected())))?
        };
        if let Some(why) = fault(&node, shape) {
            return Err(bad(why));
        }
        let value =
            keep_valid_alone(node, shape, &path).map_err(|why| bad(format!("is not valid: {why}")))?;
        Ok(SetValue { path, value })
    }

    /// Returns the path of the setting.
    #[must_use]
    pub fn path(&self) -> &KeyPath {
        &self.path
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> &SettingsNode {
        &self.value
    }

    /// Returns the value as settings of the caller, to merge on top of the layers.
    #[must_use]
    pub fn into_layer(self) -> LayerSettings {
        let SetValue { path, value } = self;
        let source = value.source.clone();
        let mut root = value;
        for key in path.0.into_iter().rev() {
            root = root.under(&key);
        }
        LayerSettings { source, root, foreign: super::SettingsTable::default() }
    }
}

/// Parses the path of a setting, and returns it with the setting's shape.
///
/// ```
/// use preface_core::settings::setting_at;
/// assert_eq!(setting_at("/budget/tokens").unwrap().0.to_string(), "budget.tokens");
/// let error = setting_at("budgte.tokens").unwrap_err();
/// assert_eq!(error.help.as_deref(), Some("did you mean `budget.tokens`?"));
/// ```
///
/// # Errors
/// A text that is no path, or the path of no setting.
pub fn setting_at(key: &str) -> Result<(KeyPath, ValueShape), InputError> {
    let path: KeyPath = key.parse()?;
    let shape = shape_or_suggestion(&path)?;
    Ok((path, shape))
}

fn split(argument: &str) -> Result<(KeyPath, usize), InputError> {
    let at = argument.find('=').ok_or_else(|| {
        InputError::new(format!("`{}` has no value", shown(argument))).help("write `path=value`")
    })?;
    Ok((argument[..at].parse()?, at + 1))
}

fn shape_or_suggestion(path: &KeyPath) -> Result<ValueShape, InputError> {
    let mut shape = ValueShape::root();
    for (at, key) in path.keys().iter().enumerate() {
        let Some(below) = shape.under(key) else {
            let names: Vec<&'static str> = shape.names().collect();
            let help = did_you_mean(key, names).map(|near| {
                let mut nearest = path.clone();
                nearest.0[at] = near.to_owned();
                format!("did you mean `{nearest}`?")
            });
            let error = InputError::new(format!("unknown setting `{}`", shown(&path.to_string())));
            return Err(match help {
                Some(help) => error.help(help),
                None => error,
            });
        };
        shape = below;
    }
    Ok(shape)
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
            ("", "a key is empty"),
            (".", "a key is empty"),
            ("a..b", "a key is empty"),
            ("a.", "a key is empty"),
            ("\"a", QUOTE),
            ("\"a\"b", QUOTE),
            ("a\"b\"", QUOTE),
            ("/a~2", "`~` must be followed by `0` or `1`"),
            ("/a~", "`~` must be followed by `0` or `1`"),
        ];
        for (text, why) in cases {
            let error = text.parse::<KeyPath>().unwrap_err();
            assert_eq!(error.message, format!("`{text}` is not a path: {why}"));
        }
    }
}
