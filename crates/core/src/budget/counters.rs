//! The counters of the core, and those that an edge adds.

use super::{COUNTERS, Counter, MakeCounter};

/// The counters that a name can mean.
///
/// ```
/// use preface_core::budget::Counters;
/// let counters = Counters::CORE;
/// assert_eq!(counters.get("estimate:bytes4").unwrap().count("twelve bytes"), 3);
/// assert!(counters.get("estimate:bytes5").is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    more: &'static [(&'static str, MakeCounter)],
}

impl Counters {
    /// The counters of the core alone.
    pub const CORE: Counters = Counters::with(&[]);

    /// The counters of the core and `more`.
    #[must_use]
    pub const fn with(more: &'static [(&'static str, MakeCounter)]) -> Self {
        Counters { more }
    }

    /// Returns the counter with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Box<dyn Counter>> {
        self.all().find(|(listed, _)| *listed == name).map(|(_, make)| make())
    }

    /// Returns the names, in order.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.all().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    fn all(&self) -> impl Iterator<Item = &'static (&'static str, MakeCounter)> {
        COUNTERS.iter().chain(self.more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Bytes4;

    #[test]
    fn an_edge_adds_to_the_core() {
        let counters = Counters::with(&[("a", || Box::new(Bytes4))]);
        assert_eq!(counters.names()[0], "a", "names are in order");
        assert!(counters.get("a").is_some() && counters.get(Bytes4::NAME).is_some());
        assert!(Counters::CORE.get("a").is_none());
    }
}
