//! Adds up the summaries of the test binaries.

use std::{fmt, ops::AddAssign};

/// Numbers of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Tally {
    /// Reads the last line of a test binary, `test result: ok. 3 passed; 0 failed; 1 ignored; …`, that of pytest, `1 failed, 3 passed
    /// in 0.04s`, or one of the last lines of node's test runner: `# pass 3`.
    pub fn read(line: &str) -> Option<Tally> {
        if let Some((word, number)) = line.strip_prefix("# ").and_then(|rest| rest.split_once(' ')) {
            let number = number.parse().ok()?;
            return match word {
                "pass" => Some(Tally { passed: number, ..Tally::default() }),
                "fail" | "cancelled" => Some(Tally { failed: number, ..Tally::default() }),
                "skipped" => Some(Tally { skipped: number, ..Tally::default() }),
                _ => None,
            };
        }
        match line.strip_prefix("test result: ") {
            Some(result) => Self::of_a_test_binary(result),
            None => Self::of_pytest(line),
        }
    }

    fn of_a_test_binary(result: &str) -> Option<Tally> {
        let (_word, counts) = result.split_once(". ")?;
        let mut tally = Tally::default();
        for count in counts.split("; ") {
            match count.split_once(' ') {
                Some((number, "passed")) => tally.passed = number.parse().ok()?,
                Some((number, "failed")) => tally.failed = number.parse().ok()?,
                Some((number, "ignored")) => tally.skipped = number.parse().ok()?,
                _ => {}
            }
        }
        Some(tally)
    }

    fn of_pytest(line: &str) -> Option<Tally> {
        let (counts, time) = line.split_once(" in ")?;
        time.split_once('s')?.0.parse::<f64>().ok()?;
        let mut tally = Tally::default();
        for count in counts.split(", ") {
            let (number, word) = count.split_once(' ')?;
            let number: u64 = number.parse().ok()?;
            match word {
                "passed" => tally.passed = number,
                "failed" | "error" | "errors" => tally.failed += number,
                "skipped" => tally.skipped = number,
                "warning" | "warnings" | "deselected" => {}
                _ => return None,
            }
        }
        Some(tally)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        match self.skipped {
            0 => Ok(()),
            skipped => write!(f, ", {skipped} skipped"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_add_up() {
        let mut sum = Tally::default();
        for line in [
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.1s",
        ] {
            sum += Tally::read(line).unwrap();
        }
        assert_eq!(sum.to_string(), "5 passed, 1 failed, 1 skipped");
        for line in ["# pass 12", "# fail 2", "# cancelled 1", "# skipped 3"] {
            sum += Tally::read(line).unwrap();
        }
        assert_eq!(sum.to_string(), "17 passed, 4 failed, 4 skipped");
        for line in
            ["12 passed in 0.31s", "1 failed, 2 passed, 1 skipped, 1 warning, 1 error in 64.02s (0:01:04)"]
        {
            sum += Tally::read(line).unwrap();
        }
        assert_eq!(sum.to_string(), "31 passed, 6 failed, 5 skipped");
        assert_eq!(Tally::default().to_string(), "0 passed, 0 failed");
    }

    #[test]
    fn other_lines_are_no_results() {
        for line in [
            "",
            "# tests 3",
            "# duration_ms 3.5",
            "# pass",
            "running 3 tests",
            "3 builds in 0.1s",
            "3 passed in a row",
            "test result",
            "test result: ok",
            "test a::b ... ok",
        ] {
            assert_eq!(Tally::read(line), None, "{line}");
        }
    }
}
