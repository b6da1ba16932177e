//! Turns the tags of a template into a list of operations that a loop can run.

use super::blocks::{Tag, TagRole};
use std::ops::Range;

/// One step of rendering. Jumps only lead forward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// Emit these bytes of the template.
    Literal(Range<usize>),
    /// Emit the value of a key in place of a tag.
    Value { tag: Range<usize>, key: usize },
    /// Go on if the key exists (or, negated, if it does not), otherwise go to `otherwise`.
    Test { key: usize, negated: bool, otherwise: usize },
    /// Go to this operation.
    Jump(usize),
}

/// Builds the operations. `taken` gives for each tag the bytes that it takes out of the text.
pub(super) fn build(length: usize, tags: &[Tag], taken: impl Fn(usize) -> Range<usize>) -> Vec<Op> {
    let mut ops = Vec::with_capacity(tags.len() * 2 + 1);
    let mut open: Vec<usize> = Vec::new();
    let mut from = 0;
    for (number, tag) in tags.iter().enumerate().filter(|(_, tag)| tag.stray.is_none()) {
        let taken = taken(number);
        if from < taken.start {
            ops.push(Op::Literal(from..taken.start));
        }
        from = taken.end;
        match tag.role {
            TagRole::Variable { key } => ops.push(Op::Value { tag: tag.range.clone(), key }),
            TagRole::If { key, negated, .. } => {
                open.push(ops.len());
                ops.push(Op::Test { key, negated, otherwise: 0 });
            }
            TagRole::Else => {
                let jump = ops.len();
                ops.push(Op::Jump(0));
                set_jump_target(&mut ops, open.pop());
                open.push(jump);
            }
            TagRole::Endif => set_jump_target(&mut ops, open.pop()),
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
    match from.and_then(|from| ops.get_mut(from)) {
        Some(Op::Test { otherwise, .. }) => *otherwise = here,
        Some(Op::Jump(to)) => *to = here,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::pair;
    use super::*;

    fn ops(text: &str) -> Vec<Op> {
        let tags = pair(text, true, None, |key| key.start);
        build(text.len(), &tags, |number| tags[number].range.clone())
    }

    #[test]
    fn blocks_become_forward_jumps() {
        assert_eq!(
            ops("[if a:x]b[else]c[endif]d"),
            [
                Op::Test { key: 4, negated: false, otherwise: 3 },
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
        let tags = pair(text, true, None, |_| 0);
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
