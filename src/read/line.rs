//! What the reading of a line gives.

use crate::format::Format;

/// A line that was read, or several that are one record.
pub(super) struct Line {
    /// Its length without its end; of all lines over which a record is spread.
    pub len: usize,
    /// No line ends in it.
    pub is_one: bool,
    /// The format that read it.
    pub format: Option<&'static dyn Format>,
    /// Nothing was read: the line may go on after the text.
    pub starved: bool,
}

impl Line {
    pub fn one(len: usize, format: Option<&'static dyn Format>) -> Self {
        Line { len, is_one: true, format, starved: false }
    }

    pub fn several(len: usize, format: Option<&'static dyn Format>) -> Self {
        Line { is_one: false, ..Line::one(len, format) }
    }
}
