//! "Did you mean": the known name that is nearest to an unknown one.

use crate::diagnostic::Remedy;
use std::fmt::Display;

/// Longer words are never typing slips of a name of ours.
const LONGEST: usize = 64;

/// Returns the candidate that `word` was most likely meant to be, if one is near enough.
///
/// Letter case is ignored, a swap of neighbours counts as one slip, and one slip is allowed for every three letters
/// (at least one, at most four). Of equally near candidates the first wins.
///
/// ```
/// use preface_core::suggestion::did_you_mean;
/// assert_eq!(did_you_mean("tolls", ["hooks", "tools"]), Some("tools"));
/// assert_eq!(did_you_mean("brnach", ["branch", "status"]), Some("branch"));
/// assert_eq!(did_you_mean("weather", ["branch", "status"]), None);
/// ```
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = lowercase_chars(word)?;
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let Some(other) = lowercase_chars(candidate) else { continue };
        let longer = letters.len().max(other.len());
        let allowed = (longer / 3).clamp(1, 4);
        if letters.len().abs_diff(other.len()) > allowed {
            continue;
        }
        let slips = distance(&letters, &other);
        if slips <= allowed && slips < longer && best.is_none_or(|(least, _)| slips < least) {
            best = Some((slips, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Writes names for a message: `` `branch`, `status` ``.
pub fn quoted(names: impl IntoIterator<Item = impl Display>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the help for an unknown word: the candidate that it was most likely meant to be, else what `otherwise` returns.
///
/// ```
/// use preface_core::suggestion::suggest_or;
/// let help = |word: &str| suggest_or(word, ["branch", "status"], || "names are branch, status".to_owned());
/// assert_eq!(&*help("brnach"), "did you mean `branch`?");
/// assert_eq!(&*help("weather"), "names are branch, status");
/// ```
pub fn suggest_or<'a, R: Into<Remedy>>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> R,
) -> Remedy {
    match did_you_mean(word, candidates) {
        Some(near) => format!("did you mean `{near}`?").into(),
        None => otherwise().into(),
    }
}

/// Lower-cases a word into letters; `None` for the empty and the overlong.
fn lowercase_chars(word: &str) -> Option<Vec<char>> {
    let letters: Vec<char> = word.chars().take(LONGEST + 1).flat_map(char::to_lowercase).collect();
    (!letters.is_empty() && letters.len() <= LONGEST).then_some(letters)
}

/// Counts insertions, deletions, replacements and swaps of neighbours (Damerau–Levenshtein, each place edited once).
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (row, letter) in from.iter().enumerate() {
        let mut line = Vec::with_capacity(to.len() + 1);
        line.push(row + 1);
        for (column, other) in to.iter().enumerate() {
            let replaced = above[column] + usize::from(letter != other);
            let mut least = replaced.min(above[column + 1] + 1).min(line[column] + 1);
            let swapped = row > 0 && column > 0 && *letter == to[column - 1] && from[row - 1] == *other;
            if swapped {
                least = least.min(before[column - 1] + 1);
            }
            line.push(least);
        }
        before = std::mem::replace(&mut above, line);
    }
    above[to.len()]
}

/// Returns the help for a key or value that serde does not know, from its message: the nearest one that it does, if any is near.
///
/// ```
/// use preface_core::suggestion::did_you_mean_in;
/// let message = "unknown field `nmae`, expected `name` or `text`";
/// assert_eq!(did_you_mean_in(message).as_deref(), Some("did you mean `name`?"));
/// assert_eq!(did_you_mean_in("missing field `name`"), None);
/// ```
#[must_use]
pub fn did_you_mean_in(message: &str) -> Option<String> {
    let rest =
        message.strip_prefix("unknown field `").or_else(|| message.strip_prefix("unknown variant `"))?;
    let (name, known) = rest.rsplit_once("`, expected ")?;
    did_you_mean(name, known.split('`').skip(1).step_by(2)).map(|near| format!("did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit_distance(from: &str, to: &str) -> usize {
        distance(&from.chars().collect::<Vec<_>>(), &to.chars().collect::<Vec<_>>())
    }

    #[test]
    fn each_kind_of_slip_counts_once() {
        let cases =
            [("", "", 0), ("a", "", 1), ("tool", "tools", 1), ("tolls", "tools", 1), ("brnach", "branch", 1)];
        for (from, to, count) in cases {
            assert_eq!(edit_distance(from, to), count, "{from} → {to}");
            assert_eq!(edit_distance(to, from), count, "{to} → {from}: the distance is the same both ways");
        }
        assert_eq!(edit_distance("ca", "abc"), 3, "a swapped pair is not edited again");
    }

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let names = ["budget", "hooks", "maxTokens", "systemPrompt", "tools", "ui"];
        let cases = [
            ("Tools", Some("tools")),
            ("SYSTEMPROMPT", Some("systemPrompt")),
            ("system_prompt", Some("systemPrompt")),
            ("maxToken", Some("maxTokens")),
            ("max_tokens", Some("maxTokens")),
            ("ui", Some("ui")),
            ("iu", Some("ui")),
            ("x", None),
            ("", None),
            ("weather", None),
        ];
        for (word, meant) in cases {
            assert_eq!(did_you_mean(word, names), meant, "{word}");
        }
    }

    #[test]
    fn of_equally_near_names_the_first_is_meant() {
        assert_eq!(did_you_mean("bat", ["cat", "hat"]), Some("cat"));
        assert_eq!(did_you_mean("bat", ["hat", "cat"]), Some("hat"));
    }

    #[test]
    fn overlong_words_cost_nothing() {
        let long = "a".repeat(1 << 20);
        assert_eq!(did_you_mean(&long, ["tools"]), None);
        assert_eq!(did_you_mean("tools", [long.as_str()]), None);
    }
}
