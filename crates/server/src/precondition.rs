//! The preconditions `If-Match` and `If-None-Match` (RFC 9110 §13).

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// The tags of a header. Weak ones are marked, for a write must not go by them.
fn tags(headers: &HeaderMap, name: HeaderName) -> Option<Vec<&str>> {
    let mut values = headers.get_all(name).iter().peekable();
    values.peek()?;
    Some(
        values
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .collect(),
    )
}

/// True if a write may go on: there is no `If-Match`, it is `*`, or it has this tag.
pub(crate) fn if_match(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    tags(headers, header::IF_MATCH)
        .is_none_or(|tags| tags.iter().any(|one| *one == "*" || one.as_bytes() == tag.as_bytes()))
}

/// True if `If-Match` names tags, not only `*`.
pub(crate) fn insists(headers: &HeaderMap) -> bool {
    tags(headers, header::IF_MATCH).is_some_and(|tags| !tags.contains(&"*"))
}

/// True if the reader has this state already.
pub(crate) fn if_none_match(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let bare = |one: &str| one.strip_prefix("W/").unwrap_or(one).as_bytes() == tag.as_bytes();
    tags(headers, header::IF_NONE_MATCH).is_some_and(|tags| tags.iter().any(|one| *one == "*" || bare(one)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn a_write_goes_by_strong_tags_only() {
        let tag = HeaderValue::from_static("\"r1-a\"");
        for (values, goes, insisting) in [
            (&[][..], true, false),
            (&["*"], true, false),
            (&["\"r1-a\""], true, true),
            (&["\"x\", \"r1-a\""], true, true),
            (&["\"x\"", "\"r1-a\""], true, true),
            (&["W/\"r1-a\""], false, true),
            (&["\"r1-b\""], false, true),
            (&[""], false, true),
        ] {
            let headers = headers(header::IF_MATCH, values);
            assert_eq!(if_match(&headers, &tag), goes, "{values:?}");
            assert_eq!(insists(&headers), insisting, "{values:?}");
        }
    }

    #[test]
    fn a_read_goes_by_weak_tags_too() {
        let tag = HeaderValue::from_static("\"r1-a\"");
        for (values, has) in
            [(&[][..], false), (&["*"], true), (&["W/\"r1-a\""], true), (&["\"r1-b\""], false)]
        {
            assert_eq!(if_none_match(&headers(header::IF_NONE_MATCH, values), &tag), has, "{values:?}");
        }
    }
}
