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
            What::EndsEarly => "the text ends inside a value",
            What::NoValue => "a value is expected here",
            What::NotANumber => "NaN and Infinity are not JSON",
            What::BadNumber => "this is not a JSON number",
            What::BadLiteral => "this is not a JSON value",
            What::ControlCharacter => "a string holds a control character that is not escaped",
            What::BadEscape => "a string holds an escape that JSON does not know",
            What::ExpectedKey => "a key in double quotes is expected here",
            What::ExpectedColon => "a colon is expected here",
            What::ExpectedCommaOrEnd => "a comma or the end of the array or object is expected here",
            What::TrailingText => "there is more text behind the value",
            What::TooLong => "the record is longer than --max-record-size",
        }
    }
}
