//! How a store is corrected whose records are applied in order, or retold: a message is written once more, as it should be.
//! In a store of lines it is appended, and takes the place of the one with its id; in a document it replaces that.

use crate::place::{Edit, Place};

use super::retelling::Stored;

/// Finds out what is to be written.
pub trait Corrector {
    /// Takes the next record.
    fn take(&mut self, record: &Stored<'_>);

    /// What corrects the problems at these places, each of which lies in a part of a record; and the line that ends an
    /// addition, if there is one.
    fn finish(self: Box<Self>, problems: &[Place]) -> (Vec<Correction>, Option<Vec<u8>>);
}

/// How a store is corrected.
pub enum Written {
    /// The message is written once more: its text.
    Again(Vec<u8>),
    /// Records are edited where they lie.
    Edits(Vec<Edit>),
}

/// A message that is written once more, or records that are edited.
pub struct Correction {
    /// Where the message is stored, and the number of its record.
    pub at: Place,
    pub record: u32,
    pub written: Written,
    /// What else is edited for it.
    pub near: Option<Place>,
    /// Which of the problems it corrects: their indices.
    pub problems: Vec<usize>,
    /// Calls get an answer in it.
    pub answers: bool,
    /// What is done, in words.
    pub what: &'static str,
}
