//! The view of two catalogs side by side: counts first, then what came, went, was renamed and changed.

use super::halves;
use crate::ui::{
    style,
    table::{Cell, ColumnAlignment, TextTable},
    text::{columns, count, number, short},
};
use anstyle::Style;
use preface_engine::catalogs::{CatalogComparison, CatalogPrompt, VariableDifference};
use std::collections::{BTreeMap, BTreeSet};

/// The most prompts of a category and a kind that are shown, without `--all`.
const FEW: usize = 5;

/// Writes the view; `few` leaves out all but the largest changes of each category.
pub fn view(compared: &CatalogComparison, few: bool, room: Option<usize>) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let found = &compared.difference;
    let kinds = [
        ChangeGroup {
            word: "added",
            style: style::GOOD,
            rows: found.added.iter().map(|side| CatalogRow::one(side, ChangeSign::Plus)).collect(),
        },
        ChangeGroup {
            word: "removed",
            style: style::BAD,
            rows: found.removed.iter().map(|side| CatalogRow::one(side, ChangeSign::Minus)).collect(),
        },
        ChangeGroup {
            word: "renamed",
            style: style::CARE,
            rows: found
                .renamed
                .iter()
                .map(|rename| CatalogRow::two(&rename.before, &rename.after, &rename.variables))
                .collect(),
        },
        ChangeGroup {
            word: "changed",
            style: style::CARE,
            rows: found
                .changed
                .iter()
                .filter(|change| !compared.same_body.contains(&change.after.name))
                .map(|change| CatalogRow::two(&change.before, &change.after, &change.variables))
                .collect(),
        },
    ];
    let mut out = format!(
        "{bold}{} → {}{bold:#}  {}",
        compared.before.version,
        compared.after.version,
        count(compared.after.prompts.len(), "prompt")
    );
    for kind in kinds.iter().filter(|kind| !kind.rows.is_empty()) {
        let style = kind.style;
        out.push_str(&format!(", {style}{} {}{style:#}", number(kind.rows.len()), kind.word));
    }
    out.push_str(&format!(", {} the same\n", number(found.same + compared.same_body.len())));
    if !compared.same_body.is_empty() {
        let many = number(compared.same_body.len());
        out.push_str(&format!("{dim}other metadata or formatting, same text: {many}{dim:#}\n"));
    }
    if kinds.iter().all(|kind| kind.rows.is_empty()) {
        return out;
    }
    out.push('\n');
    out.push_str(&summary(compared, &kinds, room));
    let mut left_out = 0;
    for kind in &kinds {
        left_out += kind.show(&mut out, few, room);
    }
    if left_out > 0 {
        let them = number(left_out);
        out.push_str(&format!("\n{dim}not shown: {them} smaller ones; `--all` shows them{dim:#}\n"));
    }
    out
}

/// A row for each category: how many prompts, what became of them, and what that is in tokens.
fn summary(compared: &CatalogComparison, kinds: &[ChangeGroup; 4], room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut sums: BTreeMap<String, ([usize; 2], [Option<usize>; 2])> = BTreeMap::new();
    for (at, index) in [&compared.before, &compared.after].into_iter().enumerate() {
        for entry in &index.prompts {
            let (prompts, tokens) = sums.entry(halves(&entry.name).0).or_default();
            prompts[at] += 1;
            tokens[at] = add(tokens[at], entry.tokens.map(|tokens| tokens as usize));
        }
    }
    let categories: BTreeSet<&String> =
        sums.keys().chain(kinds.iter().flat_map(|kind| &kind.rows).map(|row| &row.category)).collect();
    let mut table = TextTable::new([
        ColumnAlignment::Left,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
        ColumnAlignment::Right,
    ]);
    let heads = ["category", "prompts", "added", "removed", "renamed", "changed", "tokens", "difference"];
    table.row(heads.map(|head| Cell::styled(head, dim)));
    let mut line =
        |name: Cell, prompts: [usize; 2], tokens: [Option<usize>; 2], is_of: &dyn Fn(&CatalogRow) -> bool| {
            let many = |kind: &ChangeGroup| kind.rows.iter().filter(|row| is_of(row)).count();
            let [added, removed, renamed, changed] = kinds.each_ref().map(|kind| {
                let many = many(kind);
                if many == 0 { Cell::default() } else { Cell::styled(number(many), kind.style) }
            });
            let pair = |pair: [Option<usize>; 2]| {
                let [before, after] = pair.map(|value| value.map_or_else(|| "-".to_owned(), number));
                format!("{before} → {after}")
            };
            table.row([
                name,
                pair(prompts.map(Some)).into(),
                added,
                removed,
                renamed,
                changed,
                pair(tokens).into(),
                match tokens {
                    [Some(before), Some(after)] => signed(difference(before, after)).into(),
                    _ => Cell::default(),
                },
            ]);
        };
    let mut total = ([0; 2], [None; 2]);
    for category in categories {
        let (prompts, tokens) = sums.get(category).copied().unwrap_or_default();
        for at in 0..2 {
            total.0[at] += prompts[at];
            total.1[at] = add(total.1[at], tokens[at]);
        }
        line(category.as_str().into(), prompts, tokens, &|row| row.category == *category);
    }
    line(Cell::styled("total", style::BOLD), total.0, total.1, &|_| true);
    table.show(room)
}

/// The prompts that were all added, all removed, or all changed.
struct ChangeGroup {
    word: &'static str,
    style: Style,
    rows: Vec<CatalogRow>,
}

impl ChangeGroup {
    /// Writes the prompts by category, the largest changes first, and returns how many were left out.
    fn show(&self, out: &mut String, few: bool, room: Option<usize>) -> usize {
        let (bold, dim, style) = (style::BOLD, style::DIM, self.style);
        if self.rows.is_empty() {
            return 0;
        }
        out.push_str(&format!("\n{style}{}{style:#} {}\n", self.word, number(self.rows.len())));
        let mut by_category: BTreeMap<&str, Vec<&CatalogRow>> = BTreeMap::new();
        for row in &self.rows {
            by_category.entry(&row.category).or_default().push(row);
        }
        let mut left_out = 0;
        for (category, mut rows) in by_category {
            rows.sort_by_key(|row| std::cmp::Reverse(row.size()));
            let shown = if few && rows.len() > FEW + 1 { FEW } else { rows.len() };
            let tokens = rows.iter().filter_map(|row| row.tokens).reduce(|a, b| a + b);
            let tokens = tokens.map_or_else(String::new, |tokens| format!(", {} tokens", signed(tokens)));
            let summary = format!("{}{tokens}", number(rows.len()));
            out.push_str(&format!("  {bold}{category}{bold:#}  {dim}{summary}{dim:#}\n"));
            let width = self.rows.iter().map(|row| columns(&row.amount())).max().unwrap_or_default();
            for row in &rows[..shown] {
                let amount = row.amount();
                let fill = " ".repeat(width - columns(&amount));
                let names_room = room.map_or(usize::MAX, |room| room.saturating_sub(4 + width + 2).max(16));
                let name = short(&row.name, names_room);
                let free = names_room.saturating_sub(columns(&name) + 2);
                let remark = if row.remark.is_empty() || free < 12 {
                    String::new()
                } else {
                    format!("  {dim}{}{dim:#}", short(&row.remark, free))
                };
                out.push_str(&format!("    {fill}{amount}  {name}{remark}\n"));
            }
            if rows.len() > shown {
                let more = number(rows.len() - shown);
                out.push_str(&format!("    {:width$}  {dim}and {more} more{dim:#}\n", ""));
                left_out += rows.len() - shown;
            }
        }
        left_out
    }
}

/// A prompt that is different.
struct CatalogRow {
    category: String,
    name: String,
    /// By how many tokens; `None` if they are not counted on both sides.
    tokens: Option<i64>,
    bytes: i64,
    /// The names that only one of the two versions declares, with `+` or `-`.
    remark: String,
}

#[derive(Clone, Copy)]
enum ChangeSign {
    Plus,
    Minus,
}

impl CatalogRow {
    fn one(side: &CatalogPrompt, sign: ChangeSign) -> Self {
        let (category, name) = halves(&side.name);
        let sign = match sign {
            ChangeSign::Plus => 1,
            ChangeSign::Minus => -1,
        };
        CatalogRow {
            category,
            name,
            tokens: side.tokens.map(|tokens| sign * i64::from(tokens)),
            bytes: sign * difference(0, side.bytes),
            remark: String::new(),
        }
    }

    fn two(before: &CatalogPrompt, after: &CatalogPrompt, names: &VariableDifference) -> Self {
        let (old_category, old) = halves(&before.name);
        let (category, new) = halves(&after.name);
        let name = match (old == new, old_category == category) {
            (true, true) => new,
            (_, true) => format!("{old} → {new}"),
            (_, false) => format!("{old_category}: {old} → {new}"),
        };
        let added = names.added.iter().map(|name| format!("+{name}"));
        let remark: Vec<String> = added.chain(names.removed.iter().map(|name| format!("-{name}"))).collect();
        let tokens = before.tokens.zip(after.tokens);
        CatalogRow {
            category,
            name,
            tokens: tokens.map(|(before, after)| i64::from(after) - i64::from(before)),
            bytes: difference(before.bytes, after.bytes),
            remark: crate::ui::text::one_line(&remark.join(" ")),
        }
    }

    /// Returns the size of the change as a key to sort by.
    fn size(&self) -> (u64, u64) {
        let tokens = self.tokens.unwrap_or(self.bytes / 4);
        (tokens.unsigned_abs(), self.bytes.unsigned_abs())
    }

    /// By how much it changed: in tokens, or in bytes if the tokens are unknown.
    fn amount(&self) -> String {
        match self.tokens {
            Some(tokens) => signed(tokens),
            None => format!("{} B", signed(self.bytes)),
        }
    }
}

/// Adds what was counted to what was counted.
fn add(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    a.zip(b).map(|(a, b)| a + b).or(a).or(b)
}

fn difference(before: usize, after: usize) -> i64 {
    let wide = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    wide(after) - wide(before)
}

/// A number with its sign.
fn signed(value: i64) -> String {
    let digits = number(usize::try_from(value.unsigned_abs()).unwrap_or(usize::MAX));
    match value {
        0 => "0".to_owned(),
        value if value > 0 => format!("+{digits}"),
        _ => format!("-{digits}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use preface_engine::{
        catalogs::{CatalogDifference, PromptChange},
        core::catalog::{CatalogIndex, Generation},
    };

    fn side(name: &str, tokens: Option<u32>) -> CatalogPrompt {
        CatalogPrompt { name: name.to_owned(), file: "a.md".to_owned(), bytes: 400, tokens }
    }

    fn index(version: &str) -> CatalogIndex {
        CatalogIndex {
            format: 1,
            version: version.to_owned(),
            generation: Generation::A,
            digest: String::new(),
            prompts: Vec::new(),
        }
    }

    fn compared() -> CatalogComparison {
        let long =
            "Data: A prompt with a name that goes on and on, much longer than a terminal is wide, \u{1b}[2J";
        let names =
            VariableDifference { added: vec!["A_NAME".repeat(12)], removed: vec!["OTHER".to_owned()] };
        let change = |name: &str, tokens| PromptChange {
            before: side(name, Some(100)),
            after: side(name, tokens),
            variables: names.clone(),
        };
        let difference = CatalogDifference {
            added: (0..20).map(|at| side(&format!("Data: Part {at}"), Some(at * 10))).collect(),
            removed: vec![side(long, None)],
            changed: vec![change(long, Some(1_200)), change("Tool: Bell", Some(90))],
            ..CatalogDifference::default()
        };
        CatalogComparison {
            before: index("1.0.0"),
            after: index("1.0.1"),
            difference,
            same_body: BTreeSet::new(),
        }
    }

    #[test]
    fn every_line_fits_into_a_terminal() {
        for (few, room) in [(true, 80), (false, 80), (true, 100), (false, 60)] {
            let view = anstream::adapter::strip_str(&view(&compared(), few, Some(room))).to_string();
            for line in view.lines().filter(|line| !line.starts_with("1.0.0")) {
                assert!(columns(line) <= room.max(80), "{room} columns: {line}");
                assert!(!line.contains('\u{1b}'), "{line}");
            }
        }
    }

    #[test]
    fn the_largest_come_first_and_what_is_left_out_is_counted() {
        let shown = anstream::adapter::strip_str(&view(&compared(), true, Some(80))).to_string();
        let added = shown.split("\nadded 20\n").nth(1).unwrap();
        let lines: Vec<&str> = added.lines().take(7).collect();
        let expected = [
            "  Data  20, +1,900 tokens",
            "    +190  Part 19",
            "    +180  Part 18",
            "    +170  Part 17",
            "    +160  Part 16",
            "    +150  Part 15",
            "          and 15 more",
        ];
        assert_eq!(lines, expected);
        assert!(shown.ends_with("\nnot shown: 15 smaller ones; `--all` shows them\n"), "{shown}");
        let all = anstream::adapter::strip_str(&view(&compared(), false, None)).to_string();
        assert!(all.contains("Part 0\n") && !all.contains("not shown"), "{all}");
    }
}
