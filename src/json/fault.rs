//! What keeps a text from being JSON, in the scanner's terms and in words.

/// Why a text is not JSON, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    pub what: What,
    pub at: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The text ends inside a value. The one fault that an interrupted writer explains.
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
}

impl What {
    /// All faults, in the order of their numbers.
    pub const ALL: [What; 12] = [
        What::EndsEarly,
        What::NoValue,
        What::NotANumber,
        What::BadNumber,
        What::BadLiteral,
        What::ControlCharacter,
        What::BadEscape,
        What::ExpectedKey,
        What::ExpectedColon,
        What::ExpectedCommaOrEnd,
        What::TrailingText,
        What::TooLong,
    ];

    /// The fault in words, as part of a sentence.
    pub fn words(self) -> &'static str {
        match self {
            What::EndsEarly => "unexpected end of input",
            What::NoValue => "expected a value",
            What::NotANumber => "NaN and Infinity are not JSON",
            What::BadNumber => "invalid number",
            What::BadLiteral => "invalid value",
            What::ControlCharacter => "unescaped control character in a string",
            What::BadEscape => "invalid escape in a string",
            What::ExpectedKey => "expected a key in double quotes",
            What::ExpectedColon => "expected a colon",
            What::ExpectedCommaOrEnd => "expected a comma or the end of the array or object",
            What::TrailingText => "unexpected text after the value",
            What::TooLong => "the record is longer than --max-record-size",
        }
    }
}
