//! A record, and what may stand in it for elements that are stored elsewhere.

use crate::json::edit::Base;
use crate::json::{Val, name};
use crate::place::Place;

/// One record as a format sees it.
#[derive(Clone, Copy)]
pub struct Record<'r> {
    /// Number in the doc, from 0.
    pub number: u32,
    /// The value that the format is asked about: the record, or what `--pointer` reached in it.
    pub val: Val<'r>,
    pub base: Base<'r>,
    /// All of the record, with its line end.
    pub whole: Place,
    /// Which part of a large document this is.
    pub slice: Slice<'r>,
}

/// A record of a store: a line, or a whole document.
#[derive(Clone, Copy)]
pub struct Stored<'r> {
    pub val: Val<'r>,
    pub base: Base<'r>,
    /// Number in the doc, from 0.
    pub number: u32,
}

/// A record is whole, or a part of a document that is too large to be scanned at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slice<'r> {
    Whole,
    /// The document with its top-level arrays emptied; comes after their elements.
    Head,
    /// What the events of the document add up to.
    Made,
    /// An element of the top-level array with this name (empty: of the document itself).
    Element {
        section: &'r str,
    },
}

/// Key of an object that stands, first in a list, for elements that are stored elsewhere: `slim` put it there.
pub const REFERENCE: &str = name::replaylint_ref.key();

/// Whether a value stands for elements that are stored elsewhere.
pub fn is_reference(val: Val<'_>) -> bool {
    val.is_object() && val.count() == 1 && val.get(REFERENCE).is_some()
}
