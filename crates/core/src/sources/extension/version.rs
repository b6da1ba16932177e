//! Versions: of the contract that an extension is written for, and of the core that it requires.

use std::{cmp::Ordering, fmt};

/// The contract version that this core supports.
pub const CONTRACT_VERSION: SemanticVersion = SemanticVersion(1, 0, 0);

/// The version of the contract's core that manifests are checked against. It is not the version of this
/// crate.
pub const CORE_VERSION: SemanticVersion = SemanticVersion(1, 0, 0);

/// The comparison operators, with the orderings that satisfy each.
const SIGNS: [(&str, &[Ordering]); 5] = [
    (">=", &[Ordering::Greater, Ordering::Equal]),
    ("<=", &[Ordering::Less, Ordering::Equal]),
    (">", &[Ordering::Greater]),
    ("<", &[Ordering::Less]),
    ("=", &[Ordering::Equal]),
];

/// Three numbers, such as `1.0.0`, compared from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SemanticVersion(pub u64, pub u64, pub u64);

impl SemanticVersion {
    /// Parses exactly three numbers separated by dots: digits only, nothing else.
    ///
    /// ```
    /// use preface_core::extension::SemanticVersion;
    /// assert_eq!(SemanticVersion::parse("1.0.0"), Some(SemanticVersion(1, 0, 0)));
    /// assert_eq!(SemanticVersion::parse("1.0"), None);
    /// assert_eq!(SemanticVersion::parse("1.0.0-beta"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<SemanticVersion> {
        let mut numbers = text.split('.').map(|part| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse::<u64>().ok()).flatten()
        });
        let version = SemanticVersion(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }

    /// Returns true if this version satisfies every comparison of `range`: `>=1.0.0 <2.0.0`. Anything but
    /// `>=`, `<=`, `>`, `<`, `=` or no operator with three numbers (such as `^1.0.0` or `1.x`) is never
    /// satisfied, and neither is an empty range.
    ///
    /// ```
    /// use preface_core::extension::SemanticVersion;
    /// let core = SemanticVersion(1, 0, 0);
    /// assert!(core.meets(">=1.0.0 <2.0.0"));
    /// assert!(!core.meets("^1.0.0"));
    /// ```
    #[must_use]
    pub fn meets(self, range: &str) -> bool {
        Self::comparisons(range).is_some_and(|comparisons| {
            comparisons.iter().all(|(orderings, wanted)| orderings.contains(&self.cmp(wanted)))
        })
    }

    /// Returns true if a text consists of comparisons, whether or not any version satisfies them.
    pub(super) fn is_range(range: &str) -> bool {
        Self::comparisons(range).is_some()
    }

    /// Reads a range: the orderings that satisfy each comparison, and its version.
    fn comparisons(range: &str) -> Option<Vec<(&'static [Ordering], SemanticVersion)>> {
        let read = |comparison: &str| {
            let sign = SIGNS.iter().find(|(sign, _)| comparison.starts_with(sign));
            let (sign, holds) = sign.copied().unwrap_or(("", &[Ordering::Equal]));
            Some((holds, SemanticVersion::parse(&comparison[sign.len()..])?))
        };
        let comparisons: Vec<_> = range.split_whitespace().map(read).collect::<Option<_>>()?;
        (!comparisons.is_empty()).then_some(comparisons)
    }
}

impl fmt::Display for SemanticVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_three_numbers() {
        assert_eq!(SemanticVersion::parse("10.20.30"), Some(SemanticVersion(10, 20, 30)));
        for wrong in [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "v1.0.0",
            "1.0.x",
            "1..0",
            " 1.0.0",
            "+1.0.0",
            "99999999999999999999.0.0",
        ] {
            assert_eq!(SemanticVersion::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_range_is_met_by_all_of_its_comparisons() {
        let core = SemanticVersion(1, 2, 3);
        for met in [
            "1.2.3",
            "=1.2.3",
            ">=1.2.3",
            "<=1.2.3",
            ">1.2.2",
            "<1.2.4",
            ">=1.0.0 <2.0.0",
            "  >=1.0.0   <2.0.0 ",
        ] {
            assert!(core.meets(met), "{met}");
        }
        for not in ["1.2.4", ">1.2.3", "<1.2.3", ">=1.0.0 <1.2.3", "<1.0.0 >=1.2.3"] {
            assert!(!core.meets(not), "{not}");
            assert!(SemanticVersion::is_range(not), "{not}");
        }
        for never in [
            "",
            "  ",
            "^1.2.3",
            "~1.2.3",
            "*",
            "1.x",
            "1",
            ">= 1.2.3",
            ">=1.0",
            "1.2.3 || 1.2.4",
            "latest",
            "==1.2.3",
        ] {
            assert!(!core.meets(never), "{never}");
            assert!(!SemanticVersion::is_range(never), "{never}");
        }
    }
}
