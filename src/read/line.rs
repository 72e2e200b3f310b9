//! The result of reading a line.

use crate::format::Format;

/// A line, or several lines with one record.
pub(super) struct LineReading {
    /// Length without the last line end.
    pub len: usize,
    /// True for one line.
    pub is_single_line: bool,
    /// The format that read it.
    pub format: Option<&'static dyn Format>,
    /// Nothing was read: the record may continue after the text.
    pub needs_more: bool,
}

impl LineReading {
    pub fn single(len: usize, format: Option<&'static dyn Format>) -> Self {
        LineReading { len, is_single_line: true, format, needs_more: false }
    }

    pub fn multiline(len: usize, format: Option<&'static dyn Format>) -> Self {
        LineReading { is_single_line: false, ..LineReading::single(len, format) }
    }
}
