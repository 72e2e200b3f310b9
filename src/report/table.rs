//! Tables for the terminal: columns as wide as they need to be, the last one wrapped to what is left.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::Style;
use super::words::wrapping;

/// Writes rows below their heads. Each row has as many cells as there are heads, or one more, which comes below it.
pub fn write_table(heads: &[&str], rows: &[Vec<String>], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let last = heads.len().saturating_sub(1);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        cells.chain(heads.get(column).map(|head| head.width())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..last).map(width).collect();
    let indent: usize = widths.iter().map(|width| width + GAP).sum();
    let head: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    write_row(&head, &widths, indent, style, style.color, out)?;
    for row in rows {
        write_row(row, &widths, indent, style, false, out)?;
        let below = row.get(heads.len()).map(String::as_str).unwrap_or_default();
        let room = wrapping(style.width.saturating_sub(BELOW).max(LEAST)).break_words(true);
        for line in textwrap::wrap(below, room).iter().filter(|line| !line.is_empty()) {
            writeln!(out, "{:BELOW$}{line}", "")?;
        }
    }
    Ok(())
}

/// Columns between columns.
const GAP: usize = 2;
/// How far what comes below a row is indented.
const BELOW: usize = 4;
/// Less room is no room for words.
const LEAST: usize = 16;

fn write_row(
    cells: &[String],
    widths: &[usize],
    indent: usize,
    style: &Style,
    bold: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', width + GAP - cell.width()));
    }
    let text = cells.get(widths.len()).map(String::as_str).unwrap_or_default();
    let room = style.width.saturating_sub(indent).max(LEAST);
    for (n, words) in textwrap::wrap(text, wrapping(room).break_words(true)).iter().enumerate() {
        if n > 0 {
            line.push('\n');
            line.extend(std::iter::repeat_n(' ', indent));
        }
        line.push_str(words);
    }
    let (on, off) = if bold { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
    writeln!(out, "{on}{}{off}", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other_and_fit() {
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
    }
}
