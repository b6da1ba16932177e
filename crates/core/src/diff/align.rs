//! Which lines of two texts belong together, in bounded work.
//!
//! Myers' algorithm takes minutes where millions of lines repeat in another order, and a deadline would make the answer
//! depend on the machine. So it works on what it can finish: what is at both ends of both texts goes first; what
//! is still too large is split at lines that each side has once; and a rest that is too large even so is replaced as
//! one block.

use super::increasing::longest_increasing;
use similar::{
    Algorithm, DiffOp,
    algorithms::{Capture, DiffHook, NoFinishHook, Replace, diff},
    capture_diff_slices,
};
use std::{convert::Infallible, ops::Range};

/// Pairs of lines that Myers may look at for one diff, in all: well below a second.
const WORK: usize = 50_000_000;

/// The number of times a piece that is too large is split again.
const SPLITS: usize = 3;

/// Returns the steps from `old` to `new`.
pub(super) fn align(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    align_within(old, new, WORK)
}

fn align_within(old: &[&str], new: &[&str], work: usize) -> Vec<DiffOp> {
    let (_, gap, _) = trim(old, new, &Gap { old: 0..old.len(), new: 0..new.len() });
    if gap.work() <= work {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let mut aligner = Aligner { old, new, steps: Replace::new(Capture::new()), work };
    let Ok(()) = aligner.fill(&Gap { old: 0..old.len(), new: 0..new.len() }, SPLITS);
    let Ok(()) = aligner.steps.finish();
    aligner.steps.into_inner().into_ops()
}

/// A run of lines on each side.
struct Gap {
    old: Range<usize>,
    new: Range<usize>,
}

impl Gap {
    fn work(&self) -> usize {
        self.old.len().saturating_mul(self.new.len())
    }
}

struct Aligner<'t> {
    old: &'t [&'t str],
    new: &'t [&'t str],
    steps: Replace<Capture>,
    work: usize,
}

impl Aligner<'_> {
    fn fill(&mut self, gap: &Gap, splits: usize) -> Result<(), Infallible> {
        let (head, gap, tail) = trim(self.old, self.new, gap);
        self.equal(gap.old.start - head, gap.new.start - head, head)?;
        let anchors = match gap.work() {
            work if work <= self.work => {
                self.work -= work;
                let mut steps = NoFinishHook::new(&mut self.steps);
                diff(Algorithm::Myers, &mut steps, self.old, gap.old.clone(), self.new, gap.new.clone())?;
                return self.equal(gap.old.end, gap.new.end, tail);
            }
            _ if splits == 0 => Vec::new(),
            _ => anchors(self.old, self.new, &gap),
        };
        if anchors.is_empty() {
            self.steps.delete(gap.old.start, gap.old.len(), gap.new.start)?;
            self.steps.insert(gap.old.end, gap.new.start, gap.new.len())?;
        } else {
            let (mut old, mut new) = (gap.old.start, gap.new.start);
            for (old_line, new_line) in anchors {
                self.fill(&Gap { old: old..old_line, new: new..new_line }, splits - 1)?;
                self.equal(old_line, new_line, 1)?;
                (old, new) = (old_line + 1, new_line + 1);
            }
            self.fill(&Gap { old: old..gap.old.end, new: new..gap.new.end }, splits - 1)?;
        }
        self.equal(gap.old.end, gap.new.end, tail)
    }

    fn equal(&mut self, old: usize, new: usize, lines: usize) -> Result<(), Infallible> {
        if lines == 0 { Ok(()) } else { self.steps.equal(old, new, lines) }
    }
}

/// Removes the lines that both sides start and end with, and returns their numbers.
fn trim(old: &[&str], new: &[&str], gap: &Gap) -> (usize, Gap, usize) {
    let (old, new) = (&old[gap.old.clone()], &new[gap.new.clone()]);
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let rest = |range: &Range<usize>| range.start + head..range.end - tail;
    (head, Gap { old: rest(&gap.old), new: rest(&gap.new) }, tail)
}

/// Returns lines that each side has exactly once, as pairs that are in order on both sides.
fn anchors(old: &[&str], new: &[&str], gap: &Gap) -> Vec<(usize, usize)> {
    let (left, right) = (unique(old, &gap.old), unique(new, &gap.new));
    let mut right = right.iter().peekable();
    let mut pairs = Vec::new();
    for at in left {
        while right.next_if(|to| new[**to] < old[at]).is_some() {}
        if let Some(to) = right.next_if(|to| new[**to] == old[at]) {
            pairs.push((at, *to));
        }
    }
    pairs.sort_unstable();
    let places: Vec<usize> = pairs.iter().map(|(_, to)| *to).collect();
    longest_increasing(&places).into_iter().map(|at| pairs[at]).collect()
}

/// Returns the places of lines that occur once in `range`, sorted by their text.
fn unique(lines: &[&str], range: &Range<usize>) -> Vec<usize> {
    let mut places: Vec<usize> = range.clone().collect();
    places.sort_unstable_by_key(|at| lines[*at]);
    let runs = places.chunk_by(|a, b| lines[*a] == lines[*b]);
    runs.filter_map(|run| if let [at] = run { Some(*at) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Replays steps and returns both texts.
    fn replay(old: &[&str], new: &[&str], steps: &[DiffOp]) -> (String, String) {
        let (mut left, mut right) = (String::new(), String::new());
        for step in steps {
            let lines = old[step.old_range()].concat();
            if let DiffOp::Equal { .. } = step {
                assert_eq!(old[step.old_range()], new[step.new_range()], "equal lines are equal");
            }
            left += &lines;
            right += &new[step.new_range()].concat();
        }
        (left, right)
    }

    #[test]
    fn what_is_too_large_is_split_at_lines_that_occur_once() {
        let old = ["x", "x", "once", "y", "two", "y", "end"];
        let new = ["z", "once", "z", "z", "two", "z"];
        let steps = align_within(&old, &new, 0);
        let equal: Vec<_> = steps.iter().filter(|step| matches!(step, DiffOp::Equal { .. })).collect();
        assert_eq!(
            equal.iter().map(|step| old[step.old_range()].concat()).collect::<Vec<_>>(),
            ["once", "two"]
        );
    }

    #[test]
    fn noise_in_another_order_is_replayed() {
        let mut seed = 1_u64;
        let mut noise = |lines: usize, kinds: u64| -> Vec<&str> {
            let words = ["a\n", "b\n", "c\n", "d\n", "e\n", "f\n", "g\n", "h\n", "i\n", "j\n"];
            let next = |seed: &mut u64| {
                *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *seed >> 33
            };
            (0..lines).map(|_| words[(next(&mut seed) % kinds) as usize]).collect()
        };
        for kinds in [2, 10] {
            let (old, new) = (noise(50_000, kinds), noise(50_000, kinds));
            let steps = align(&old, &new);
            assert_eq!(replay(&old, &new, &steps), (old.concat(), new.concat()));
        }
    }

    proptest! {
        #[test]
        fn steps_lead_from_old_to_new(
            old in prop::collection::vec("[a-f]", 0..14), new in prop::collection::vec("[a-f]", 0..14),
            work in 0usize..30
        ) {
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            let steps = align_within(&old, &new, work);
            prop_assert_eq!(replay(&old, &new, &steps), (old.concat(), new.concat()));
            let (mut left, mut right) = (0, 0);
            for step in steps {
                prop_assert_eq!((step.old_range().start, step.new_range().start), (left, right));
                (left, right) = (step.old_range().end, step.new_range().end);
            }
        }
    }
}
