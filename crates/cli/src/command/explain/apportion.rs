//! Counts that add up: each row of a table is counted by itself and rounded, so their sum is not that of the whole.

/// Scales counts so that they add up to `total`, by the method of largest remainders; the first of equals gains.
pub fn apportion(counts: &[usize], total: usize) -> Vec<usize> {
    let sum: usize = counts.iter().sum();
    if sum == 0 {
        return counts.to_vec();
    }
    let scaled = |count: usize| count as u128 * total as u128;
    let whole = |count: usize| usize::try_from(scaled(count) / sum as u128).unwrap_or(usize::MAX);
    let mut shares: Vec<usize> = counts.iter().map(|count| whole(*count)).collect();
    let left = total - shares.iter().sum::<usize>();
    let mut by_remainder: Vec<usize> = (0..counts.len()).collect();
    by_remainder.sort_by_key(|at| std::cmp::Reverse(scaled(counts[*at]) % sum as u128));
    for at in by_remainder.into_iter().take(left) {
        shares[at] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_remainders_are_rounded_up() {
        assert_eq!(apportion(&[1, 23, 2, 1, 4, 1, 3], 34), [1, 22, 2, 1, 4, 1, 3]);
        assert_eq!(apportion(&[1, 1, 1], 1000), [334, 333, 333]);
        assert_eq!(apportion(&[0, 0], 3), [0, 0]);
        assert_eq!(apportion(&[], 3), [0_usize; 0]);
    }

    #[test]
    fn shares_add_up_and_are_near() {
        let counts = [0, 1, 1, 2, 7, 55, 193, 265, 97];
        for some in 2..=counts.len() {
            let sum: usize = counts[..some].iter().sum();
            for total in 0..700 {
                let shares = apportion(&counts[..some], total);
                assert_eq!(shares.iter().sum::<usize>(), total);
                for (share, count) in shares.iter().zip(&counts) {
                    assert!(
                        (share * sum).abs_diff(count * total) < sum,
                        "{share} of {total} for {count} of {sum}"
                    );
                }
            }
        }
    }
}
