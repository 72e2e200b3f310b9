//! Syntax errors of the scanner, and their messages.

/// A syntax error, and its offset in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    pub at: u32,
}

/// A kind of syntax error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// The text ends inside a value. The only fault that an interrupted writer causes.
    EndsEarly,
    NoValue,
    NotANumber,
    BadNumber,
    BadLiteral,
    ControlCharacter,
    BadEscape,
    ExpectedKey,
    ExpectedColon,
    ExpectedCommaOrEnd,
    TrailingText,
    TooLong,
    TooDeep,
}

impl FaultKind {
    /// All faults, in the order of their numbers.
    pub const ALL: [FaultKind; 13] = [
        FaultKind::EndsEarly,
        FaultKind::NoValue,
        FaultKind::NotANumber,
        FaultKind::BadNumber,
        FaultKind::BadLiteral,
        FaultKind::ControlCharacter,
        FaultKind::BadEscape,
        FaultKind::ExpectedKey,
        FaultKind::ExpectedColon,
        FaultKind::ExpectedCommaOrEnd,
        FaultKind::TrailingText,
        FaultKind::TooLong,
        FaultKind::TooDeep,
    ];

    /// The fault in words, as part of a sentence.
    pub fn words(self) -> &'static str {
        match self {
            FaultKind::EndsEarly => "unexpected end of input",
            FaultKind::NoValue => "expected a value",
            FaultKind::NotANumber => "NaN and Infinity are not JSON",
            FaultKind::BadNumber => "invalid number",
            FaultKind::BadLiteral => "invalid value",
            FaultKind::ControlCharacter => "unescaped control character in a string",
            FaultKind::BadEscape => "invalid escape in a string",
            FaultKind::ExpectedKey => "expected a key in double quotes",
            FaultKind::ExpectedColon => "expected a colon",
            FaultKind::ExpectedCommaOrEnd => "expected a comma or the end of the array or object",
            FaultKind::TrailingText => "unexpected text after the value",
            FaultKind::TooLong => "the record is longer than --max-record-size",
            FaultKind::TooDeep => "arrays and objects are nested more than 1,024 levels deep",
        }
    }
}
