//! `explain`: the page of a rule, or the meaning of an error message and its place in a file.

mod error;
mod error_search;
mod file_evidence;
mod pasted_error;
mod repair_command;
mod rule_page;

use crate::report::Style;

pub use error::explain_error;
pub use pasted_error::PastedError;
pub use rule_page::explain_rule;
#[cfg(feature = "lsp")]
pub use rule_page::rule_markdown;

/// The output format and style.
#[derive(Clone, Copy)]
pub struct PrintOptions {
    pub json: bool,
    pub style: Style,
}

impl PrintOptions {
    /// JSON, which no terminal has a say in.
    pub const JSON: PrintOptions = PrintOptions { json: true, style: Style::PLAIN };
}
