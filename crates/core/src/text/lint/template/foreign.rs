//! Diagnostics about variables as other languages write them: `{{cwd}}`, `${cwd}`.

use super::{
    PendingFinding, PendingFindings, VariableTypes,
    near::{covered_ranges, separated},
    shown,
};
use crate::{
    diagnostic::{DiagnosticCode, Severity},
    template::{Template, trim},
    variable::VariableKey,
};
use std::ops::Range;

/// Longer text in braces is no variable.
const LONGEST: usize = 100;

/// Reports braces around a known key.
pub(super) fn diagnostics(template: &Template, catalogue: &VariableTypes, diagnostics: &mut PendingFindings) {
    let text = template.text();
    let mut tags = covered_ranges(template).peekable();
    for brace in memchr::memchr_iter(b'{', text.as_bytes()) {
        let Some((range, inner)) = braced_text(text, brace) else { continue };
        while tags.next_if(|tag| tag.end <= range.start).is_some() {}
        if tags.peek().is_some_and(|tag| tag.start <= range.start) {
            continue;
        }
        if let Some(key) = known(inner, catalogue) {
            let message = format!("`{}` is text: tags have square brackets", shown(&text[range.clone()]));
            let diagnostic =
                PendingFinding::new(Severity::Info, DiagnosticCode::TemplateNearMiss, &range, message);
            diagnostics
                .push(diagnostic.help(format!("did you mean `[{key}]`?")).edit(range, format!("[{key}]")));
        }
    }
}

/// Returns the whole of `{{…}}` or `${…}` whose last opening brace this is, and what is in it.
fn braced_text(text: &str, brace: usize) -> Option<(Range<usize>, &str)> {
    let before = text[..brace].bytes().next_back()?;
    let ending = match before {
        b'{' => "}}",
        b'$' => "}",
        _ => return None,
    };
    let rest = &text.as_bytes()[brace + 1..text.len().min(brace + 1 + LONGEST)];
    let close = brace + 1 + memchr::memchr3(b'}', b'{', b'\n', rest)?;
    let inner = &text[brace + 1..close];
    text[close..].starts_with(ending).then(|| (brace - 1..close + ending.len(), trim(inner)))
}

/// Returns the key that is meant: written as ours, with another sign for the colon, or without its type.
fn known(inner: &str, catalogue: &VariableTypes) -> Option<VariableKey> {
    let key = inner.parse().ok().filter(|key| catalogue.stability(key).is_some());
    key.or_else(|| separated(inner, catalogue)).or_else(|| catalogue.only_key(inner))
}
