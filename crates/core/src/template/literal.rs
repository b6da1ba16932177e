//! A text as a template that renders to it.

use super::scan::{Scanner, find_endraw};
use crate::declaration::Declarations;
use std::borrow::Cow;

/// Returns a template that renders to `text` where raw blocks are on, whatever is around it: what would be read as a tag is in a
/// raw block.
///
/// ```
/// use preface_core::template::literal;
/// assert_eq!(literal("On [git:branch]."), "On [raw][git:branch][endraw].");
/// assert_eq!(literal("A [link](x) or [x]."), "A [link](x) or [x].");
/// ```
#[must_use]
pub fn literal(text: &str) -> Cow<'_, str> {
    if !text.contains('[') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = 0;
    // No raw block may have an `[endraw]` in it, and one outside of them is text.
    while let Some(end) = find_endraw(text, at) {
        push(&text[at..end.start], &mut out);
        out.push_str(&text[end.clone()]);
        at = end.end;
    }
    push(&text[at..], &mut out);
    Cow::Owned(out)
}

fn push(text: &str, out: &mut String) {
    let inputs = Declarations::default();
    let tags: Vec<_> = Scanner::new(text, true, None, Some(&inputs)).map(|tag| tag.range).collect();
    // A bracket that is still open could become a tag with what follows.
    let closed = text.rfind(']').map_or(0, |at| at + 1);
    let open = text[closed..].find('[').map(|at| closed + at..text.trim_end().len());
    let (Some(first), Some(last)) =
        (tags.first().or(open.as_ref()).cloned(), open.as_ref().or(tags.last()).cloned())
    else {
        return out.push_str(text);
    };
    let wrapped = first.start..last.end;
    for piece in [&text[..wrapped.start], "[raw]", &text[wrapped.clone()], "[endraw]", &text[wrapped.end..]] {
        out.push_str(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{Output, Template, TemplateOptions};
    use crate::variable::VariableKey;
    use proptest::prelude::*;
    use std::{convert::Infallible, ops::Range};

    struct LiteralOutput<'t>(&'t str, String);

    impl Output for LiteralOutput<'_> {
        type Error = Infallible;
        fn exists(&mut self, _: &VariableKey) -> Result<bool, Infallible> {
            Ok(true)
        }
        fn literal(&mut self, range: Range<usize>) {
            self.1 += &self.0[range];
        }
        fn value(&mut self, _: Range<usize>, key: &VariableKey) -> Result<(), Infallible> {
            self.1 += &format!("<{key}>");
            Ok(())
        }
    }

    fn rendered(text: &str) -> String {
        let options = TemplateOptions { raw: true, ..TemplateOptions::default() };
        let template = Template::parse(text, &options).unwrap();
        let mut output = LiteralOutput(template.text(), String::new());
        template.render(&mut output).unwrap();
        output.1
    }

    proptest! {
        #[test]
        fn texts_render_to_themselves_beside_tags_and_each_other(
            texts in prop::collection::vec(
                r"(\[if a:x\]|\[if |\[else\]|\[endif\]|\[raw\]|\[ endraw \]|\[endraw\]|\[a:x\]|\[a:|\[|\]|raw|é|\n| |x){0,12}",
                1..4,
            ),
        ) {
            let template: Vec<_> = texts.iter().map(|text| literal(text).into_owned()).collect();
            let template = format!("[if v:w]{}[endif]", template.join("[v:w]"));
            prop_assert_eq!(rendered(&template), texts.join("<v:w>"));
        }
    }
}
