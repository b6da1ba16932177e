//! Plain tables: columns two blanks apart, numbers to the right, the last column takes what is left.

use super::{
    style,
    text::{columns, short, wrap},
};
use anstyle::Style;

/// One cell: its text, already fit to be shown, and its style.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    style: Style,
    /// The most columns on a terminal.
    most: Option<usize>,
}

impl Cell {
    /// Gives a text a style.
    pub fn styled(text: impl Into<String>, style: Style) -> Self {
        Cell { text: text.into(), style, most: None }
    }

    /// Limits the text of the cell on a terminal. In a pipe nothing is cut.
    pub fn within(self, most: usize) -> Self {
        Cell { most: Some(most), ..self }
    }

    /// Puts a text before that of the cell.
    pub fn after(self, text: &str) -> Self {
        Cell { text: format!("{text}{}", self.text), ..self }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell::styled(text, Style::new())
    }
}

/// Rows under each other.
#[derive(Clone, Debug)]
pub struct TextTable<const N: usize> {
    /// True for the columns of numbers, which are aligned to the right.
    right: [bool; N],
    rows: Vec<[Cell; N]>,
}

impl<const N: usize> TextTable<N> {
    /// Starts a table without a heading.
    pub fn new() -> Self {
        TextTable { right: [false; N], rows: Vec::new() }
    }

    /// Starts a table with a heading.
    pub fn headed(heads: [&str; N]) -> Self {
        TextTable { rows: vec![heads.map(|head| Cell::styled(head, style::DIM))], ..TextTable::new() }
    }

    /// Aligns columns to the right, as numbers are.
    pub fn right(mut self, columns: &[usize]) -> Self {
        columns.iter().for_each(|column| self.right[*column] = true);
        self
    }

    /// Adds a row.
    pub fn row(&mut self, cells: [Cell; N]) {
        self.rows.push(cells);
    }

    /// Writes a table that has a heading, and below each row the lines that belong to it.
    pub fn show_with(&self, below: impl IntoIterator<Item = Vec<String>>, most: Option<usize>) -> String {
        let dim = style::DIM;
        let lines = self.show(most);
        let mut lines = lines.lines();
        let mut out: String = lines.next().map(|head| format!("{head}\n")).into_iter().collect();
        for (line, below) in lines.zip(below) {
            out.push_str(&format!("{line}\n"));
            for text in below {
                let text = wrap(&format!("  {text}"), most.unwrap_or(usize::MAX), 4);
                out.push_str(&format!("{dim}{text}{dim:#}\n"));
            }
        }
        out
    }

    /// Writes the table. If `most` columns are given, cells with a limit are shortened to it, and the last one to fit.
    pub fn show(&self, most: Option<usize>) -> String {
        let limited = |cell: &Cell| match (most, cell.most) {
            (Some(_), Some(limit)) => short(&cell.text, limit).into_owned(),
            _ => cell.text.clone(),
        };
        let mut widths = [0; N];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = columns(&limited(cell)).max(*width);
            }
        }
        let mut out = String::new();
        for row in &self.rows {
            let mut at = 0;
            let mut pending = 0;
            for (column, cell) in row.iter().enumerate() {
                let last = column + 1 == N;
                let text = limited(cell);
                let text = match most {
                    Some(most) if last => short(&text, most.saturating_sub(at).max(8)),
                    _ => text.as_str().into(),
                };
                let free = widths[column].saturating_sub(columns(&text));
                if self.right[column] {
                    pending += free;
                }
                if !text.is_empty() {
                    out.push_str(&" ".repeat(pending));
                    pending = 0;
                    out.push_str(&format!("{}{text}{:#}", cell.style, cell.style));
                }
                if !self.right[column] {
                    pending += free;
                }
                pending += 2;
                at += widths[column] + 2;
            }
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_nothing_trails() {
        let mut table = TextTable::new().right(&[0]);
        table.row(["1".into(), "ab".into(), "".into()]);
        table.row(["100".into(), "c".into(), "the last column".into()]);
        assert_eq!(table.show(None), "  1  ab\n100  c   the last column\n");
        assert_eq!(table.show(Some(18)), "  1  ab\n100  c   the last…\n");
    }

    #[test]
    fn only_a_terminal_cuts() {
        let mut table = TextTable::new();
        table.row([Cell::from("a long name").within(6), "x".into()]);
        assert_eq!(table.show(None), "a long name  x\n");
        assert_eq!(table.show(Some(80)), "a lon…  x\n");
    }
}
