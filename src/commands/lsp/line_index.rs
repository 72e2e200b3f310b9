//! Positions as editors count them: lines from 0 that end with `\n`, `\r\n` or `\r`, and columns in UTF-16 code units, or
//! in bytes if the editor agreed to that. Spans of this program are bytes.

use std::ops::Range as ByteRange;

use lsp_types::{Position, Range};

/// The unit of columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnUnit {
    Utf8,
    Utf16,
}

/// A text with the starts of its lines.
pub struct LineIndex {
    starts: Vec<usize>,
    unit: ColumnUnit,
}

impl LineIndex {
    pub fn new(text: &str, unit: ColumnUnit) -> Self {
        let bytes = text.as_bytes();
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes).filter(|at| {
            // The end of a line is its last byte.
            bytes.get(*at) == Some(&b'\n') || bytes.get(at + 1) != Some(&b'\n')
        });
        LineIndex { starts: std::iter::once(0).chain(ends.map(|at| at + 1)).collect(), unit }
    }

    /// The position of a byte; that of the end for one after it, and that of the character for one inside.
    pub fn position(&self, text: &str, offset: u64) -> Position {
        let mut offset = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let before = text.get(start..offset).unwrap_or_default();
        let column = match self.unit {
            ColumnUnit::Utf8 => before.len(),
            ColumnUnit::Utf16 => before.encode_utf16().count(),
        };
        Position::new(number(line), number(column))
    }

    pub fn range(&self, text: &str, span: (u64, u64)) -> Range {
        Range::new(self.position(text, span.0), self.position(text, span.1.max(span.0)))
    }

    /// The bytes of a line without its end. `line` is counted from 0.
    pub fn line(&self, text: &str, line: usize) -> ByteRange<usize> {
        let start = self.starts.get(line).copied().unwrap_or(text.len());
        let next = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let own = text.get(start..next).unwrap_or_default();
        start..start + own.trim_end_matches(['\r', '\n']).len()
    }

    /// The byte at a position; the end of the line for a column after it.
    pub fn offset(&self, text: &str, position: Position) -> u64 {
        let line = self.line(text, position.line as usize);
        let (wanted, mut column) = (position.character as usize, 0);
        for (at, letter) in text.get(line.clone()).unwrap_or_default().char_indices() {
            column += match self.unit {
                ColumnUnit::Utf8 => letter.len_utf8(),
                ColumnUnit::Utf16 => letter.len_utf16(),
            };
            if column > wanted {
                return (line.start + at) as u64;
            }
        }
        line.end as u64
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every boundary of a character has a position that leads back to it.
    #[test]
    fn positions_lead_back() {
        let text = "é\u{1f600}x\r\n\r{\n\u{fe0f}\n\r\nlast";
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16] {
            let index = LineIndex::new(text, unit);
            for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
                let position = index.position(text, at as u64);
                // Between the two bytes of a line end there is no position.
                let is_inside = letter == '\n' && text[..at].ends_with('\r');
                assert_eq!(index.offset(text, position) == at as u64, !is_inside, "{at} {position:?}");
            }
        }
        let at = |unit| LineIndex::new(text, unit).position(text, text.find('x').unwrap() as u64);
        assert_eq!((at(ColumnUnit::Utf16), at(ColumnUnit::Utf8)), (Position::new(0, 3), Position::new(0, 6)));
        let index = LineIndex::new(text, ColumnUnit::Utf16);
        assert_eq!(index.position(text, 1_000), Position::new(5, 4));
        assert_eq!(index.offset(text, Position::new(77, 3)), text.len() as u64);
    }
}
