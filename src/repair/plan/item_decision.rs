//! The decision of a plan about one item.

use crate::dialect::TextChange as Text;
use crate::place::Place;

use crate::repair::edit::insertion::Insertion;

/// The decision about one item.
#[derive(Clone, Debug, Default)]
pub(in crate::repair) struct ItemDecision {
    pub drop: bool,
    /// It is moved elsewhere.
    pub moved: bool,
    pub text: Vec<Text>,
    /// Its text moves into the instructions of the request at this place.
    pub hoisted: Option<Place>,
    /// The place of the full item that replaces this reference.
    pub replaced_by: Option<Place>,
    pub before: Vec<Insertion>,
    pub after: Vec<Insertion>,
}

impl ItemDecision {
    /// True if the item keeps its place.
    pub fn stays(&self) -> bool {
        !self.drop && !self.moved
    }

    /// True if something is inserted beside the item.
    pub fn inserts(&self) -> bool {
        !self.before.is_empty() || !self.after.is_empty()
    }

    /// True if the item leaves its place, and nothing takes it.
    pub fn empties(&self) -> bool {
        !self.stays() && !self.inserts()
    }

    /// True if anything changes at the item.
    pub fn has_effect(&self) -> bool {
        !self.stays() || !self.text.is_empty() || self.replaced_by.is_some() || self.inserts()
    }

    pub fn change_text(&mut self, change: Text) {
        append(&mut self.text, vec![change]);
    }

    pub fn insert_before(&mut self, insertions: Vec<Insertion>) {
        append(&mut self.before, insertions);
    }

    pub fn insert_after(&mut self, insertions: Vec<Insertion>) {
        append(&mut self.after, insertions);
    }
}

/// Appends to a list that is mostly empty, and then takes the other as it is: a list that grows has room for four.
fn append<T>(list: &mut Vec<T>, mut more: Vec<T>) {
    match list.is_empty() {
        true => *list = more,
        false => list.append(&mut more),
    }
}
