//! Lines and columns, counted in one pass forward: 1-based, columns in code points, lines ended by `\n` alone (a
//! U+2028 inside a string ends no line).

/// A position that is moved forward over the bytes of a doc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub offset: u64,
    pub line: u64,
    pub column: u64,
}

impl Default for Cursor {
    fn default() -> Self {
        Cursor { offset: 0, line: 1, column: 1 }
    }
}

impl Cursor {
    /// The start of a line whose number is known.
    pub fn at_line(offset: u64, line: u64) -> Self {
        Cursor { offset, line, column: 1 }
    }

    /// Moves over the bytes that follow.
    pub fn advance(&mut self, bytes: &[u8]) {
        self.offset += bytes.len() as u64;
        let lines = memchr::memchr_iter(b'\n', bytes).count() as u64;
        let tail = match memchr::memrchr(b'\n', bytes) {
            Some(last) => {
                self.line += lines;
                self.column = 1;
                bytes.split_at(last + 1).1
            }
            None => bytes,
        };
        self.column += code_points(tail);
    }
}

/// The number of code points in UTF-8: of bytes that are not continuation bytes.
fn code_points(bytes: &[u8]) -> u64 {
    // Sums that fit a byte are counted many at a time.
    let of = |few: &[u8]| few.iter().map(|byte| u8::from(byte & 0xc0 != 0x80)).sum::<u8>();
    bytes.chunks(usize::from(u8::MAX)).map(|few| u64::from(of(few))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points_and_lines_end_at_newlines_only() {
        let mut cursor = Cursor::default();
        cursor.advance("a\u{2028}é\r\n".as_bytes());
        assert_eq!((cursor.line, cursor.column), (2, 1));
        cursor.advance("日本".as_bytes());
        assert_eq!((cursor.line, cursor.column, cursor.offset), (2, 3, 14));
        cursor.advance("é".repeat(1000).as_bytes());
        assert_eq!((cursor.line, cursor.column), (2, 1003));
    }
}
