//! The longest increasing run of a sequence: what kept its order when other things moved.

/// Returns the positions of a longest strictly increasing run of `values`, in order.
pub(super) fn longest_increasing(values: &[usize]) -> Vec<usize> {
    // The position of the smallest value that ends a run of each length, and what is before each in its run.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        let length = ends.partition_point(|end| values[*end] < *value);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut run = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        run.push(at);
        next = before[at];
    }
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_moved_is_left_out() {
        assert_eq!(longest_increasing(&[]), [0; 0]);
        assert_eq!(longest_increasing(&[0, 3, 1, 2]), [0, 2, 3]);
        assert_eq!(longest_increasing(&[5, 5, 5]).len(), 1);
    }

    proptest! {
        #[test]
        fn no_run_is_longer(values in prop::collection::vec(0usize..20, 0..12)) {
            let run = longest_increasing(&values);
            prop_assert!(run.is_sorted_by(|a, b| a < b && values[*a] < values[*b]));
            let mut longest = vec![1; values.len()];
            for at in 0..values.len() {
                for earlier in 0..at {
                    if values[earlier] < values[at] {
                        longest[at] = longest[at].max(longest[earlier] + 1);
                    }
                }
            }
            prop_assert_eq!(run.len(), longest.into_iter().max().unwrap_or(0));
        }
    }
}
