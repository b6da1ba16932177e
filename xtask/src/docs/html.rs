//! The tags of a page, as far as its links need them.

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub struct Tag<'t> {
    /// The name, as written.
    pub name: &'t str,
    attributes: Vec<(&'t str, &'t str)>,
}

impl Tag<'_> {
    /// Returns the value of an attribute, its entities replaced.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let (_, value) = self.attributes.iter().find(|(known, _)| *known == name)?;
        Some(decode_entities(value))
    }
}

/// Returns the start tags of a text. Comments, scripts and styles have none.
pub fn tags(text: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = after(comment, "-->");
            continue;
        }
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let (tag, behind) = tag(rest);
        rest = match tag.name {
            "script" => after(behind, "</script"),
            "style" => after(behind, "</style"),
            _ => behind,
        };
        tags.push(tag);
    }
    tags
}

/// Reads a start tag whose name is first; returns what follows it, too.
fn tag(text: &str) -> (Tag<'_>, &str) {
    let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/').unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if let Some(behind) = rest.strip_prefix('>') {
            return (Tag { name, attributes }, behind);
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || "=>/".contains(c)).unwrap_or(rest.len());
        if end == 0 {
            // No name of an attribute: a stray `=`, or the end of the text.
            rest = rest.get(1..).unwrap_or_default();
            if rest.is_empty() {
                return (Tag { name, attributes }, rest);
            }
            continue;
        }
        let (key, behind) = rest.split_at(end);
        let (value, behind) = match behind.strip_prefix('=') {
            Some(behind) => value(behind),
            None => ("", behind),
        };
        attributes.push((key, value));
        rest = behind;
    }
}

/// Reads the value of an attribute, quoted or not; returns what follows it, too.
fn value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(text) = text.strip_prefix(quote) {
            return text.split_once(quote).unwrap_or((text, ""));
        }
    }
    text.split_at(text.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(text.len()))
}

fn after<'t>(text: &'t str, mark: &str) -> &'t str {
    text.split_once(mark).map_or("", |(_, behind)| behind)
}

/// Replaces the entities that mdBook writes into attributes.
fn decode_entities(text: &str) -> String {
    let mut out = text.to_owned();
    for (entity, character) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&")]
    {
        out = out.replace(entity, character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_names_and_attributes() {
        let found =
            tags("<p>1 < 2</p><a class=x href='b.html?a=1&amp;b=2#c' hidden>b</a><img src=\"a>b.png\"/>");
        let names: Vec<&str> = found.iter().map(|tag| tag.name).collect();
        assert_eq!(names, ["p", "a", "img"]);
        assert_eq!(found[1].attribute("href").as_deref(), Some("b.html?a=1&b=2#c"));
        assert_eq!(found[1].attribute("class").as_deref(), Some("x"));
        assert_eq!(found[1].attribute("hidden").as_deref(), Some(""));
        assert_eq!(found[1].attribute("id"), None);
        assert_eq!(found[2].attribute("src").as_deref(), Some("a>b.png"));
    }

    #[test]
    fn comments_scripts_and_styles_have_no_tags() {
        let found = tags("<!-- <a href=x> --><script>'<b id=y>'</script><style>a<i></style><u>");
        let names: Vec<&str> = found.iter().map(|tag| tag.name).collect();
        assert_eq!(names, ["script", "style", "u"]);
    }

    #[test]
    fn a_text_that_ends_early_is_read_to_its_end() {
        for text in ["<", "<a", "<a href", "<a href=", "<a href='x", "<a =", "<!--", "<script>"] {
            assert!(tags(text).len() < 2, "{text}");
        }
    }
}
