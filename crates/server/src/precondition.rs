//! `If-Match` and `If-None-Match`: what a writer believes, and what a reader has already (RFC 9110 §13).

use axum::http::{HeaderMap, HeaderName, header};

/// A list of entity tags, or any.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Tags {
    Any,
    /// Each with whether it is weak.
    Some(Vec<(bool, String)>),
}

/// What a request says about the state that it knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preconditions {
    matches: Option<Tags>,
    none_match: Option<Tags>,
}

impl Preconditions {
    /// Reads them. What is no entity tag matches nothing.
    pub fn of(headers: &HeaderMap) -> Self {
        Preconditions {
            matches: tags(headers, &header::IF_MATCH),
            none_match: tags(headers, &header::IF_NONE_MATCH),
        }
    }

    /// True where the writer says nothing about what it knows.
    pub fn is_empty(&self) -> bool {
        *self == Preconditions::default()
    }

    /// True where a write may be done to what has this tag now; `None` is nothing. Weak tags never match here.
    pub fn allow_write(&self, current: Option<&str>) -> bool {
        let matches = match &self.matches {
            None => true,
            Some(Tags::Any) => current.is_some(),
            Some(Tags::Some(tags)) => tags.iter().any(|(weak, tag)| !weak && Some(tag.as_str()) == current),
        };
        matches && !self.has(current)
    }

    /// True where a reader has what has this tag already.
    pub fn has(&self, current: Option<&str>) -> bool {
        match &self.none_match {
            None => false,
            Some(Tags::Any) => current.is_some(),
            Some(Tags::Some(tags)) => tags.iter().any(|(_, tag)| Some(tag.as_str()) == current),
        }
    }
}

fn tags(headers: &HeaderMap, name: &HeaderName) -> Option<Tags> {
    let mut found = None;
    for value in headers.get_all(name) {
        let all = found.get_or_insert_with(Vec::new);
        let mut rest = value.to_str().unwrap_or_default().trim();
        if rest == "*" {
            return Some(Tags::Any);
        }
        while let Some((tag, behind)) = one(rest) {
            all.push(tag);
            rest = behind.trim_start().strip_prefix(',').unwrap_or("\0").trim_start();
        }
    }
    found.map(Tags::Some)
}

/// Takes one entity tag off the front.
fn one(text: &str) -> Option<((bool, String), &str)> {
    let (weak, rest) = match text.strip_prefix("W/") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (tag, behind) = rest.strip_prefix('"')?.split_once('"')?;
    Some(((weak, tag.to_owned()), behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: HeaderName, values: &[&str]) -> Preconditions {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name.clone(), value.parse().unwrap());
        }
        Preconditions::of(&headers)
    }

    #[test]
    fn a_write_needs_a_strong_tag_of_the_list() {
        let on = |values: &[&str]| said(header::IF_MATCH, values).allow_write(Some("3-a"));
        assert!(on(&[]));
        assert!(on(&["*"]));
        assert!(on(&[r#""3-a""#]));
        assert!(on(&[r#""1-x" , "3-a""#]));
        assert!(on(&[r#""1-x""#, r#""3-a""#]), "several lines are one list");
        assert!(!on(&[r#"W/"3-a""#]), "weak tags never match");
        assert!(!on(&[r#""1-x""#]));
        assert!(!on(&["3-a"]), "a tag has quotes");
        assert!(!on(&[""]));
        assert!(!said(header::IF_MATCH, &["*"]).allow_write(None), "`*` asks for something to be there");
    }

    #[test]
    fn a_writer_may_want_nothing_to_be_there() {
        assert!(said(header::IF_NONE_MATCH, &["*"]).allow_write(None));
        assert!(!said(header::IF_NONE_MATCH, &["*"]).allow_write(Some("1-a")));
    }

    #[test]
    fn a_reader_has_what_it_names_weakly_too() {
        assert!(said(header::IF_NONE_MATCH, &[r#"W/"3-a", "4-b""#]).has(Some("3-a")));
        assert!(!said(header::IF_NONE_MATCH, &[r#""2-a""#]).has(Some("3-a")));
        assert!(!said(header::IF_NONE_MATCH, &[]).has(Some("3-a")));
    }
}
