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

    /// True if anything changes at the item.
    pub fn has_effect(&self) -> bool {
        let inserts = !self.before.is_empty() || !self.after.is_empty();
        !self.stays() || !self.text.is_empty() || self.replaced_by.is_some() || inserts
    }

    pub fn change_text(&mut self, change: Text) {
        push_first_exactly(&mut self.text, change);
    }

    pub fn insert_before(&mut self, insertion: Insertion) {
        push_first_exactly(&mut self.before, insertion);
    }

    pub fn insert_after(&mut self, insertion: Insertion) {
        push_first_exactly(&mut self.after, insertion);
    }
}

/// Appends to a list that mostly stays at one element. A `Vec` would begin with room for four, of up to 88 bytes each.
fn push_first_exactly<T>(list: &mut Vec<T>, element: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(element);
}
