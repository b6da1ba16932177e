//! Findings while they are found: the first by some order stay, the others are only counted. A text of a megabyte may have
//! more findings than it has words, and nobody reads them all.

/// A collector that keeps a limited number of items, of any number that are pushed.
///
/// ```
/// use preface_core::bounded_list::BoundedList;
/// let mut few = BoundedList::new(2);
/// for word in ["pear", "fig", "apple", "kiwi"] {
///     few.push(word.len(), word);
/// }
/// assert_eq!(few.finish(), (vec!["pear", "fig"], 2));
/// ```
#[derive(Debug)]
pub struct BoundedList<K, T> {
    most: usize,
    /// With the rank of each and its number.
    kept: Vec<(K, usize, T)>,
    came: usize,
}

impl<K: Ord, T> BoundedList<K, T> {
    /// Keeps so many.
    #[must_use]
    pub fn new(most: usize) -> Self {
        BoundedList { most, kept: Vec::new(), came: 0 }
    }

    /// Adds one. Those with the least rank stay, and of equals the ones that came first.
    pub fn push(&mut self, rank: K, one: T) {
        self.kept.push((rank, self.came, one));
        self.came += 1;
        // Each cut takes away more than it keeps, so one costs the same however many come.
        if self.kept.len() / 2 > self.most {
            self.truncate();
        }
    }

    /// Returns those that stayed, in the order in which they came, and how many did not.
    #[must_use]
    pub fn finish(mut self) -> (Vec<T>, usize) {
        self.truncate();
        self.kept.sort_unstable_by_key(|(_, number, _)| *number);
        let left = self.came - self.kept.len();
        (self.kept.into_iter().map(|(_, _, one)| one).collect(), left)
    }

    fn truncate(&mut self) {
        if self.kept.len() > self.most {
            self.kept.sort_unstable_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
            self.kept.truncate(self.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_many_more_are_held_than_stay() {
        let mut few = BoundedList::new(3);
        for number in 0..1_000 {
            few.push(number % 7, number);
            assert!(few.kept.len() <= 7);
        }
        assert_eq!(few.finish(), (vec![0, 7, 14], 997));
    }

    #[test]
    fn fewer_all_stay_as_they_came() {
        let mut few = BoundedList::new(usize::MAX);
        for number in [3, 1, 2] {
            few.push(number, number);
        }
        assert_eq!(few.finish(), (vec![3, 1, 2], 0));
        let mut none = BoundedList::new(0);
        none.push(1, 1);
        assert_eq!(none.finish(), (vec![], 1));
    }
}
