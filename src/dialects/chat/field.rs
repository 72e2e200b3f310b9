//! What can be mended in a message of Chat Completions, or in a block of one. Rules name these; `change` makes them.

/// Content that is null becomes an empty text.
pub const NULL_CONTENT: u16 = 0;
/// An empty list of calls goes.
pub const EMPTY_CALLS: u16 = 1;
/// A text part of the Responses API gets the type that it has here.
pub const TEXT_PART: u16 = 2;
/// The message becomes one of the system.
pub const SYSTEM_ROLE: u16 = 3;
/// The message becomes one of the user.
pub const USER_ROLE: u16 = 4;
/// Arguments that are empty become an empty object; others that are no JSON become an object that holds their text.
pub const ARGUMENTS: u16 = 5;
/// `reasoning_content` that was lost gets a text that says nothing.
pub const LOST_REASONING: u16 = 6;
/// `reasoning_content` goes.
pub const STRIP_REASONING: u16 = 7;
/// `reasoning_content` is called `reasoning`.
pub const RENAME_REASONING: u16 = 8;
/// The message is one that the model is to go on with.
pub const PREFIX: u16 = 9;
/// A name keeps only the characters that names may have.
pub const NAME: u16 = 10;
/// A name that is empty goes.
pub const EMPTY_NAME: u16 = 11;
/// The same for the name of the tool that is called.
pub const FUNCTION_NAME: u16 = 12;
