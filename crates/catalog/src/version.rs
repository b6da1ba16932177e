//! The version of a catalog, and which generation it is of.

use preface_core::catalog::Generation;

/// The last version whose bodies are the source of template literals.
const LAST_OF_A: [u64; 3] = [2, 1, 79];

/// Returns how the bodies of a catalog of this version are written: `2.1.37` or `v2.1.37`, and what follows the third
/// number does not count. `None` if that is no version.
#[must_use]
pub fn generation_of(version: &str) -> Option<Generation> {
    let numbers = numbers(version)?;
    Some(if numbers <= LAST_OF_A { Generation::A } else { Generation::B })
}

/// Returns a version without the `v` before it and the blanks around it.
pub(crate) fn plain(version: &str) -> &str {
    let version = version.trim();
    version.strip_prefix('v').unwrap_or(version)
}

fn numbers(version: &str) -> Option<[u64; 3]> {
    let mut rest = plain(version);
    let mut numbers = [0; 3];
    for (place, number) in numbers.iter_mut().enumerate() {
        if place > 0 {
            rest = rest.strip_prefix('.')?;
        }
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        *number = rest[..end].parse().ok()?;
        rest = &rest[end..];
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generation_changes_after_2_1_79() {
        for (version, generation) in [
            ("2.1.37", Some(Generation::A)),
            ("v2.1.79", Some(Generation::A)),
            ("2.0.400", Some(Generation::A)),
            (" 2.1.80 ", Some(Generation::B)),
            ("2.1.240", Some(Generation::B)),
            ("2.1.79-beta.1", Some(Generation::A)),
            ("3.0.0", Some(Generation::B)),
            ("2.1", None),
            ("", None),
            ("two", None),
            ("2.1.99999999999999999999999", None),
        ] {
            assert_eq!(generation_of(version), generation, "{version}");
        }
    }
}
