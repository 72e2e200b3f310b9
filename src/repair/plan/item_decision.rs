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
    /// Boxed, because it is rare.
    pub(super) elsewhere: Option<Box<Elsewhere>>,
    pub before: Vec<Insertion>,
    pub after: Vec<Insertion>,
}

/// Where the content of an item goes, or comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Elsewhere {
    /// Into the instructions of the request at this place.
    Instructions(Place),
    /// From the full item at this place, which replaces a reference.
    FullItem(Place),
}

impl ItemDecision {
    /// The request into whose instructions its text moves.
    pub fn hoisted(&self) -> Option<Place> {
        match self.elsewhere.as_deref() {
            Some(Elsewhere::Instructions(request)) => Some(*request),
            _ => None,
        }
    }

    pub fn hoist(&mut self, request: Place) {
        self.moved = true;
        self.elsewhere = Some(Box::new(Elsewhere::Instructions(request)));
    }

    /// The full item that replaces this reference.
    pub fn replaced_by(&self) -> Option<Place> {
        match self.elsewhere.as_deref() {
            Some(Elsewhere::FullItem(item)) => Some(*item),
            _ => None,
        }
    }

    pub fn replace_by(&mut self, item: Place) {
        self.elsewhere = Some(Box::new(Elsewhere::FullItem(item)));
    }

    /// Takes back all but the removal of the item.
    pub fn undo_changes(&mut self) {
        self.moved = false;
        self.elsewhere = None;
        self.text.clear();
    }

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
        !self.stays() || !self.text.is_empty() || self.replaced_by().is_some() || self.inserts()
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
