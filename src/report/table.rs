//! Tables for the terminal: columns as wide as they need to be, the last one wrapped to the rest of the width.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::Style;
use super::words::wrap_options;

/// Writes rows below their headings. Each row has a cell per heading, and maybe one more, which is written below it. If the
/// columns do not fit next to each other, each row is written as a paragraph that names its cells.
pub fn write_table(headings: &[&str], rows: &[Vec<String>], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        cells.chain(headings.get(column).map(|head| head.width())).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let last = widths.pop().unwrap_or(0).min(MIN_WIDTH);
    let indent = |gap: usize| widths.iter().map(|width| width + gap).sum::<usize>();
    let gap = (1..=GAP).rev().find(|gap| indent(*gap) + last <= style.width);
    let columns = gap.map(|gap| Columns { indent: indent(gap), gap, widths: &widths });
    if let Some(columns) = &columns {
        let head: Vec<String> = headings.iter().map(|head| (*head).to_owned()).collect();
        columns.write_row(&head, style, style.color, out)?;
    }
    for row in rows {
        match &columns {
            Some(columns) => columns.write_row(row, style, false, out)?,
            None => write_paragraph(headings, row, style, out)?,
        }
        let below = row.get(headings.len()).map(String::as_str).unwrap_or_default();
        write_below(below, style, out)?;
    }
    Ok(())
}

/// Spaces between columns, where there is room.
const GAP: usize = 2;
/// Indent of what is written below a row.
const BELOW_INDENT: usize = 4;
/// Columns that words get at least.
const MIN_WIDTH: usize = 16;

/// Writes the first cell of a row, and the others with their headings below it.
fn write_paragraph(headings: &[&str], row: &[String], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", row.first().map(String::as_str).unwrap_or_default())?;
    let cells = headings.iter().zip(row).skip(1);
    let cells: Vec<String> = cells.map(|(heading, cell)| format!("{heading}: {cell}")).collect();
    write_below(&cells.join("; "), style, out)
}

fn write_below(text: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let room = wrap_options(style.width.saturating_sub(BELOW_INDENT).max(MIN_WIDTH)).break_words(true);
    for line in textwrap::wrap(text, room).iter().filter(|line| !line.is_empty()) {
        writeln!(out, "{:BELOW_INDENT$}{line}", "")?;
    }
    Ok(())
}

/// The columns of a table but the last, whose cells are wrapped.
struct Columns<'w> {
    widths: &'w [usize],
    gap: usize,
    /// Where the last column begins.
    indent: usize,
}

impl Columns<'_> {
    fn write_row(&self, cells: &[String], style: &Style, bold: bool, out: &mut dyn Write) -> io::Result<()> {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(self.widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width + self.gap - cell.width()));
        }
        let text = cells.get(self.widths.len()).map(String::as_str).unwrap_or_default();
        let room = style.width.saturating_sub(self.indent).max(MIN_WIDTH);
        for (n, words) in textwrap::wrap(text, wrap_options(room).break_words(true)).iter().enumerate() {
            if n > 0 {
                line.push('\n');
                line.extend(std::iter::repeat_n(' ', self.indent));
            }
            line.push_str(words);
        }
        let (on, off) = if bold { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
        writeln!(out, "{on}{}{off}", line.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_fit() {
        let rows = vec![
            vec!["a".to_owned(), "one two three four five six seven eight".to_owned()],
            vec!["long-name".to_owned(), "short".to_owned()],
        ];
        let mut out = Vec::new();
        write_table(&["name", "what"], &rows, &Style::SMALL, &mut out).expect("memory writes");
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(
            text,
            "name       what\na          one two three four five six\n           seven eight\nlong-name  short\n"
        );
        let rows =
            vec![vec!["a".to_owned(), "b".to_owned(), "one two three four five six seven eight".to_owned()]];
        let mut out = Vec::new();
        write_table(&["name", "what"], &rows, &Style::SMALL, &mut out).expect("memory writes");
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(text, "name  what\na     b\n    one two three four five six seven\n    eight\n");
        let rows =
            vec![vec!["a".to_owned(), "a-name-of-thirty-five-characters-so".to_owned(), "one two".to_owned()]];
        let mut out = Vec::new();
        write_table(&["id", "name", "what"], &rows, &Style::SMALL, &mut out).expect("memory writes");
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(text, "a\n    name:\n    a-name-of-thirty-five-characters-so;\n    what: one two\n");
    }
}
