//! Turns the tags of a template into a list of operations that a loop can run.

use super::blocks::{Tag, TagRole, TagTest};
use std::ops::Range;

/// One step of rendering. Jumps lead forward, but for that from the end of an entry to the next one of its list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// Emit these bytes of the template.
    Literal(Range<usize>),
    /// Emit the value of a key in place of a tag.
    Value { tag: Range<usize>, key: usize },
    /// Go on if the test holds, otherwise go to `otherwise`.
    Test { test: TagTest, otherwise: usize },
    /// Go to this operation.
    Jump(usize),
    /// Go on with the first entry of a list; if it has none, go to `end`.
    Each { tag: Range<usize>, list: usize, end: usize },
    /// Go on behind this `Each` with the next entry, if there is one.
    Next(usize),
}

/// An open block.
struct OpenBlock {
    /// The test or list that jumps when it fails.
    fails: Option<usize>,
    /// The jumps from the ends of branches to the end of the block.
    ends: Vec<usize>,
}

/// Builds the operations. `taken` gives for each tag the bytes that it takes out of the text.
pub(super) fn build(length: usize, tags: &[Tag], taken: impl Fn(usize) -> Range<usize>) -> Vec<Op> {
    let mut ops = Vec::with_capacity(tags.len() * 2 + 1);
    let mut open: Vec<OpenBlock> = Vec::new();
    let mut from = 0;
    for (number, tag) in tags.iter().enumerate().filter(|(_, tag)| tag.stray.is_none()) {
        let taken = taken(number);
        if from < taken.start {
            ops.push(Op::Literal(from..taken.start));
        }
        from = taken.end;
        match &tag.role {
            TagRole::Variable { key } => ops.push(Op::Value { tag: tag.range.clone(), key: *key }),
            TagRole::If { test, .. } => {
                open.push(OpenBlock { fails: Some(ops.len()), ends: Vec::new() });
                ops.push(Op::Test { test: test.clone(), otherwise: 0 });
            }
            TagRole::Elif { .. } | TagRole::Else => {
                let jump = ops.len();
                ops.push(Op::Jump(0));
                let Some(block) = open.last_mut() else { continue };
                block.ends.push(jump);
                set_jump_target(&mut ops, block.fails.take());
                if let TagRole::Elif { test } = &tag.role {
                    block.fails = Some(ops.len());
                    ops.push(Op::Test { test: test.clone(), otherwise: 0 });
                }
            }
            TagRole::Each { list } => {
                open.push(OpenBlock { fails: Some(ops.len()), ends: Vec::new() });
                ops.push(Op::Each { tag: tag.range.clone(), list: *list, end: 0 });
            }
            TagRole::Endif | TagRole::Endeach => {
                let Some(OpenBlock { fails, ends }) = open.pop() else { continue };
                if let (TagRole::Endeach, Some(each)) = (&tag.role, fails) {
                    ops.push(Op::Next(each));
                }
                for from in fails.into_iter().chain(ends) {
                    set_jump_target(&mut ops, Some(from));
                }
            }
            TagRole::Raw | TagRole::Endraw => {}
        }
    }
    if from < length {
        ops.push(Op::Literal(from..length));
    }
    ops
}

/// Sets the target of the jump at `from` to the next operation.
fn set_jump_target(ops: &mut [Op], from: Option<usize>) {
    let here = ops.len();
    let jump = from.and_then(|from| ops.get_mut(from));
    if let Some(Op::Test { otherwise: to, .. } | Op::Each { end: to, .. } | Op::Jump(to)) = jump {
        *to = here;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TemplateOptions, blocks::pair};
    use super::*;

    fn tags(text: &str) -> Vec<Tag> {
        let options = TemplateOptions { raw: true, ..TemplateOptions::default() };
        pair(text, &options, |key| key.start, |_| None)
    }

    fn ops(text: &str) -> Vec<Op> {
        let tags = tags(text);
        build(text.len(), &tags, |number| tags[number].range.clone())
    }

    #[test]
    fn blocks_become_forward_jumps() {
        assert_eq!(
            ops("[if a:x]b[else]c[endif]d"),
            [
                Op::Test { test: TagTest { key: 4, negated: false, words: None }, otherwise: 3 },
                Op::Literal(8..9),
                Op::Jump(4),
                Op::Literal(15..16),
                Op::Literal(23..24),
            ]
        );
    }

    #[test]
    fn stray_tags_are_part_of_the_text_around_them() {
        assert_eq!(ops("a[endif]b[if x:y]"), [Op::Literal(0..17)]);
    }

    #[test]
    fn literals_and_working_tags_tile_the_text() {
        let text = "x[if a:b][a:c][raw][endif][endraw][else]y[else]z[endif][endif]";
        let tags = tags(text);
        let mut ranges: Vec<Range<usize>> =
            tags.iter().filter(|tag| tag.stray.is_none()).map(|tag| tag.range.clone()).collect();
        ranges.extend(ops(text).into_iter().filter_map(|op| match op {
            Op::Literal(range) => Some(range),
            _ => None,
        }));
        ranges.sort_by_key(|range| range.start);
        let mut at = 0;
        for range in ranges {
            assert_eq!(range.start, at, "no gap and no overlap");
            at = range.end;
        }
        assert_eq!(at, text.len());
    }
}
