//! The distinct origins of a run of spans: one per file, profile key, variable and flag, in order of first appearance.

use crate::origin::Origin;
use std::{collections::BTreeMap, ops::Range};

/// One origin and every run of bytes that it gave. For a file, the origin's span covers all that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OriginCoverage {
    /// The origin.
    pub origin: Origin,
    /// The runs, in the order in which they came.
    pub ranges: Vec<Range<usize>>,
}

/// Gathers spans by origin.
pub(crate) fn group_by_origin<'s>(
    spans: impl Iterator<Item = (Range<usize>, &'s Origin)>,
) -> Vec<OriginCoverage> {
    let mut found: Vec<OriginCoverage> = Vec::new();
    let mut seen: BTreeMap<(u8, &str, &str), usize> = BTreeMap::new();
    for (range, origin) in spans {
        match seen.get(&identity(origin)) {
            Some(at) => {
                let known = &mut found[*at];
                extend_span(&mut known.origin, origin);
                known.ranges.push(range);
            }
            None => {
                seen.insert(identity(origin), found.len());
                found.push(OriginCoverage { origin: origin.clone(), ranges: vec![range] });
            }
        }
    }
    found
}

/// Returns the identity of an origin; for a file, of any place in it.
fn identity(origin: &Origin) -> (u8, &str, &str) {
    match origin {
        Origin::Source { source, .. } => (source.scope as u8, &source.path, ""),
        Origin::Literal { profile, key } => (10, profile, key),
        Origin::Variable { key, source } => (11, key.as_str(), source),
        Origin::Caller { flag } => (12, flag, ""),
        Origin::Hook { hook, event } => (13, hook, event.as_str()),
        Origin::Stored { template, .. } => (14, template, ""),
    }
}

fn extend_span(known: &mut Origin, other: &Origin) {
    let (span, next) = match (known, other) {
        (Origin::Source { span, lossy, .. }, Origin::Source { span: next, lossy: bad, .. }) => {
            *lossy |= bad;
            (span, next)
        }
        (Origin::Stored { span, .. }, Origin::Stored { span: next, .. }) => (span, next),
        _ => return,
    };
    span.start = span.start.min(next.start);
    span.end = span.end.max(next.end);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{file, literal, variable};

    #[test]
    fn a_file_is_named_once_with_all_that_was_taken() {
        let origins = [
            file("b.md", 20..30),
            variable("git:branch"),
            file("a.md", 0..4),
            file("b.md", 4..9),
            literal("x"),
        ];
        let spans = origins.iter().enumerate().map(|(at, origin)| (at..at + 1, origin));
        let found = group_by_origin(spans);
        let names: Vec<_> = found.iter().map(|one| one.origin.to_string()).collect();
        assert_eq!(names, ["b.md", "[git:branch]", "a.md", "test.toml x"]);
        assert_eq!(found[0], OriginCoverage { origin: file("b.md", 4..30), ranges: vec![0..1, 3..4] });
    }
}
