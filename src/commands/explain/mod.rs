//! `explain`: a rule's page, or what a pasted error means and where in a file it comes from.

mod error;
mod heal;
mod in_file;
mod page;
mod pasted;

use crate::report::Style;

pub use error::error;
pub use page::page;
pub use pasted::Pasted;

/// How it is printed.
#[derive(Clone, Copy)]
pub struct Telling {
    pub json: bool,
    pub style: Style,
}
