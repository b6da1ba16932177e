//! The few flags that chores take.

use crate::failure::Failure;

/// The words after a chore's name, taken one after another.
pub struct Flags<'w> {
    usage: &'static str,
    words: std::slice::Iter<'w, String>,
}

impl<'w> Flags<'w> {
    /// Starts at the first word. `usage` is shown when a word makes no sense.
    pub fn new(usage: &'static str, words: &'w [String]) -> Self {
        Flags { usage, words: words.iter() }
    }

    /// Returns the value of a flag: the word after it, as a number above zero.
    pub fn number(&mut self, flag: &str) -> Result<usize, Failure> {
        let word = self.words.next().map_or("", String::as_str);
        match word.parse() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(Failure::usage(format!("`{flag}` takes a number above zero: `{word}`"))),
        }
    }

    /// Returns the failure of a word that nobody understands.
    pub fn unknown(&self, word: &str) -> Failure {
        Failure::usage(format!("unexpected argument: `{word}`"))
            .help(format!("usage: cargo xtask {}", self.usage))
    }
}

impl<'w> Iterator for Flags<'w> {
    type Item = &'w str;

    fn next(&mut self) -> Option<&'w str> {
        self.words.next().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_the_word_after_its_flag() {
        let words = ["--rounds", "7", "rest"].map(str::to_owned);
        let mut flags = Flags::new("crash", &words);
        assert_eq!(flags.next(), Some("--rounds"));
        assert_eq!(flags.number("--rounds"), Ok(7));
        assert_eq!(flags.next(), Some("rest"));
        let failure = Failure::usage("`--rounds` takes a number above zero: ``");
        assert_eq!(flags.number("--rounds"), Err(failure), "nothing is left");
    }

    #[test]
    fn zero_and_words_are_no_numbers() {
        for word in ["0", "-1", "many"] {
            let words = [word.to_owned()];
            let failure = Flags::new("crash", &words).number("--rounds").unwrap_err().to_string();
            assert_eq!(failure, format!("error: `--rounds` takes a number above zero: `{word}`"));
        }
    }
}
