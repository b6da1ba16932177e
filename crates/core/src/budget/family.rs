//! Estimates for the tokenizers of a family of models: ratios that were measured, as data.

use super::Counter;

/// A counter that estimates tokens from measured bytes per token, in hundredths of a byte.
///
/// The point and both ends round up, so that parts never add up to less than the whole.
///
/// ```
/// use preface_core::budget::{CLAUDE, Counter};
/// assert_eq!(CLAUDE.name(), "estimate:claude");
/// let text = "a".repeat(3980);
/// assert_eq!((CLAUDE.count(&text), CLAUDE.interval(&text)), (1000, Some((881, 1128))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// The name that options and reports use.
    pub name: &'static str,
    /// One sentence for people.
    pub about: &'static str,
    /// When it was measured: year and month.
    pub measured: &'static str,
    /// The ratio of all measured texts together.
    pub ratio: usize,
    /// The ratio of a text with few bytes a token: most tokens.
    pub dense: usize,
    /// The ratio of a text with many bytes a token: fewest tokens.
    pub sparse: usize,
}

impl Counter for Family {
    fn name(&self) -> &str {
        self.name
    }

    fn about(&self) -> &str {
        self.about
    }

    fn exact(&self) -> bool {
        false
    }

    fn count(&self, text: &str) -> usize {
        tokens(text.len(), self.ratio)
    }

    fn count_joined(&self, head: &str, tail: &str) -> usize {
        tokens(head.len() + tail.len(), self.ratio)
    }

    fn interval(&self, text: &str) -> Option<(usize, usize)> {
        Some((tokens(text.len(), self.sparse), tokens(text.len(), self.dense)))
    }
}

fn tokens(bytes: usize, ratio: usize) -> usize {
    bytes.saturating_mul(100).div_ceil(ratio)
}

#[cfg(test)]
mod tests {
    use crate::budget::{CLAUDE, CLAUDE_2026, GPT};

    #[test]
    fn the_description_of_a_family_has_its_ratios() {
        for family in [CLAUDE, CLAUDE_2026, GPT] {
            let [ratio, dense, sparse] = [family.ratio, family.dense, family.sparse]
                .map(|hundredths| format!("{:.2}", hundredths as f64 / 100.0));
            let ratios = format!(" {ratio} ({dense}–{sparse}) bytes a token");
            assert!(family.about.ends_with(&ratios), "{}", family.about);
        }
    }
}
