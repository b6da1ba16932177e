//! Replaces `${NAME}` in the configuration of a server by the user's environment.

/// A value that is ready to use.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ExpandedValue {
    /// The text.
    pub text: String,
    /// The values that were inserted from the environment. They may be secrets.
    pub inserted: Vec<String>,
}

/// Puts the values of variables in the place of each `${NAME}`; of `${NAME:-text}` that text where the variable is unset or
/// empty. Anything else stays as written, and what was inserted is not looked at again.
///
/// # Errors
/// The name of the first variable that is unset.
pub(super) fn expand(written: &str, var: &dyn Fn(&str) -> Option<String>) -> Result<ExpandedValue, String> {
    let mut expanded = ExpandedValue { text: String::with_capacity(written.len()), inserted: Vec::new() };
    let mut rest = written;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        expanded.text.push_str(before);
        let Some((name, default, after)) = reference(from) else {
            expanded.text.push_str("${");
            rest = &from[2..];
            continue;
        };
        match (var(name), default) {
            (Some(value), None) => expanded.insert(value),
            (Some(value), Some(_)) if !value.is_empty() => expanded.insert(value),
            (_, Some(default)) => expanded.text.push_str(default),
            (None, None) => return Err(name.to_owned()),
        }
        rest = after;
    }
    expanded.text.push_str(rest);
    Ok(expanded)
}

impl ExpandedValue {
    fn insert(&mut self, value: String) {
        self.text.push_str(&value);
        self.inserted.push(value);
    }
}

/// Parses a reference at the start of a text: returns its name, its default, and the rest of the text.
fn reference(text: &str) -> Option<(&str, Option<&str>, &str)> {
    let (inside, after) = text.strip_prefix("${")?.split_once('}')?;
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let sound = !name.is_empty() && name.bytes().all(word) && !name.starts_with(|c: char| c.is_ascii_digit());
    sound.then_some((name, default, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_inserted_once() {
        let var = |name: &str| match name {
            "A" => Some("one".to_owned()),
            "E" => Some(String::new()),
            "R" => Some("${A}".to_owned()),
            _ => None,
        };
        for (written, text) in [
            ("plain", "plain"),
            ("${A}", "one"),
            ("Bearer ${A}, ${A}", "Bearer one, one"),
            ("${R}", "${A}"),
            ("${E}", ""),
            ("${E:-two}", "two"),
            ("${NONE:-two}", "two"),
            ("${A:-two}", "one"),
            ("${A", "${A"),
            ("${1}${}$A", "${1}${}$A"),
            ("${${A}", "${one"),
        ] {
            assert_eq!(expand(written, &var).map(|expanded| expanded.text), Ok(text.to_owned()), "{written}");
        }
        assert_eq!(expand("${A} ${NONE}", &var).map(|expanded| expanded.text), Err("NONE".to_owned()));
    }
}
