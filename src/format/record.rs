//! Records, and references in them to elements that are stored elsewhere.

use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::place::Place;

/// A record, as a format reads it.
#[derive(Clone, Copy)]
pub struct Record<'r> {
    /// Number in the doc, from 0.
    pub number: u32,
    /// The value to read: the record, or the value in it at `--pointer`.
    pub val: Val<'r>,
    pub base: RecordBase<'r>,
    /// The place of the record, including its line end.
    pub extent: Place,
    /// The part of a large document that this is.
    pub slice: Slice<'r>,
}

/// A scanned record of a store: a line, or a whole document.
#[derive(Clone, Copy)]
pub struct ParsedRecord<'r> {
    pub val: Val<'r>,
    pub base: RecordBase<'r>,
    /// Number in the doc, from 0.
    pub number: u32,
}

/// The part of a document that a record is. Documents that are too large to scan at once are read in parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slice<'r> {
    Whole,
    /// The document with its top-level arrays emptied; follows their elements.
    Rest,
    /// A message that the events of the document add up to.
    Synthetic,
    /// An element of the top-level array with this name (empty: of the document itself).
    Element {
        section: &'r str,
    },
}

/// The key of an object, first in a list, that refers to elements that are stored elsewhere. Written by `slim`.
pub const REFERENCE: &str = name::replaylint_ref.key();

/// True if a value refers to elements that are stored elsewhere.
pub fn is_reference(val: Val<'_>) -> bool {
    val.is_object() && val.count() == 1 && val.get(REFERENCE).is_some()
}
