//! The output: medians with their spread, ratios, and whether each bar holds. The only printer of the benches.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use crate::harness::Measured;
use std::{fmt::Write, time::Duration};

/// A ratio that must not be exceeded.
pub struct Bar {
    /// The contestant that is judged.
    pub of: &'static str,
    /// The one it is compared with.
    pub to: &'static str,
    /// The largest ratio that passes.
    pub at_most: f64,
}

/// One comparison.
pub struct Table {
    title: String,
    measured: Vec<Measured>,
    bars: Vec<Bar>,
}

impl Table {
    /// Builds a table. Bars name contestants that were measured.
    pub fn new(title: impl Into<String>, measured: Vec<Measured>, bars: Vec<Bar>) -> Self {
        Table { title: title.into(), measured, bars }
    }

    /// Returns how many bars do not hold.
    pub fn missed(&self) -> usize {
        self.bars.iter().filter(|bar| self.ratio(bar) > bar.at_most).count()
    }

    /// Prints it.
    pub fn print(&self) {
        print!("{}", self.render());
    }

    fn find(&self, name: &str) -> &Measured {
        let found = self.measured.iter().find(|measured| measured.name == name);
        found.unwrap_or_else(|| panic!("a bar of `{}` names `{name}`, which was not measured", self.title))
    }

    fn ratio(&self, bar: &Bar) -> f64 {
        quotient(self.find(bar.of), self.find(bar.to))
    }

    fn render(&self) -> String {
        let mut out = String::new();
        let first = &self.measured[0];
        // Writing to a string never fails.
        _ = writeln!(out, "\n  {}\n", self.title);
        _ = writeln!(out, "  {:<44} {:>10} {:>22} {:>9}", "", "median", "p10–p90", "ratio");
        for measured in &self.measured {
            let spread =
                format!("{}–{}", duration(measured.percentile(10)), duration(measured.percentile(90)));
            _ = writeln!(
                out,
                "  {:<44} {:>10} {spread:>22} {:>9}",
                measured.name,
                duration(measured.median()),
                ratio(quotient(measured, first)),
            );
        }
        for bar in &self.bars {
            let word = if self.ratio(bar) > bar.at_most { "MISS" } else { "pass" };
            _ = writeln!(
                out,
                "  {word}  {} ≤ {} × {}: measured {}",
                bar.of,
                ratio(bar.at_most),
                bar.to,
                ratio(self.ratio(bar))
            );
        }
        out
    }
}

fn quotient(of: &Measured, to: &Measured) -> f64 {
    of.median().as_secs_f64() / to.median().as_secs_f64().max(f64::MIN_POSITIVE)
}

/// Writes a ratio with three digits that matter; small ones as a fraction of one.
fn ratio(ratio: f64) -> String {
    match ratio {
        r if r < 0.0505 => format!("1/{:.0}", 1.0 / r),
        r if r < 0.405 => format!("1/{:.1}", 1.0 / r),
        r if r < 9.95 => format!("{r:.2}"),
        r => format!("{r:.0}"),
    }
}

/// Writes a time with three digits that matter.
fn duration(time: Duration) -> String {
    let nanos = time.as_secs_f64() * 1e9;
    let (value, unit) = match nanos {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    match value {
        v if v < 10.0 => format!("{v:.2} {unit}"),
        v if v < 100.0 => format!("{v:.1} {unit}"),
        v => format!("{v:.0} {unit}"),
    }
}

/// Prints the start of a subject.
pub fn heading(name: &str, about: &str) {
    println!("\n{name}: {about}");
}

/// Prints why a subject is not measured here.
pub fn skipped(why: &str) {
    println!("\n  skipped: {why}");
}

/// Prints what is wrong.
pub fn error(message: &str) {
    eprintln!("error: {message}");
}

/// Prints the end.
pub fn summary(missed: usize) {
    match missed {
        0 => println!("\nevery bar holds"),
        1 => println!("\n1 bar is missed"),
        missed => println!("\n{missed} bars are missed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(bars: Vec<Bar>) -> Table {
        let measured = |name: &str, micros| Measured::new(name.into(), vec![Duration::from_micros(micros)]);
        Table::new("a thing", vec![measured("ours", 12), measured("theirs", 1200)], bars)
    }

    #[test]
    fn a_bar_holds_up_to_its_ratio() {
        let bar = |at_most| Bar { of: "ours", to: "theirs", at_most };
        assert_eq!(table(vec![bar(0.0101), bar(0.5)]).missed(), 0);
        assert_eq!(table(vec![bar(0.0099), bar(0.5)]).missed(), 1);
    }

    #[test]
    fn a_table_reads_without_colour() {
        let text = table(vec![Bar { of: "ours", to: "theirs", at_most: 0.005 }]).render();
        assert!(text.contains("MISS  ours ≤ 1/200 × theirs: measured 1/100"), "{text}");
        assert!(text.contains("12.0 µs") && text.contains("1.20 ms") && text.contains("100"), "{text}");
    }

    #[test]
    #[should_panic(expected = "names `nobody`")]
    fn a_bar_that_names_nobody_is_a_mistake() {
        table(vec![Bar { of: "nobody", to: "theirs", at_most: 1.0 }]).missed();
    }
}
