//! Where messages that hold items lie, and what becomes of one.

use crate::json::Val;
use crate::json::edit::{Base, Slot};
use crate::place::{Place, With};

/// Where the messages of a doc lie.
pub(super) enum Messages {
    /// Each line is one.
    Lines,
    /// The elements of a list, by start.
    List(Vec<Place>),
}

/// What becomes of a message.
pub(super) struct Message {
    pub goes: bool,
    pub before: Vec<Vec<With>>,
    pub behind: Vec<Vec<With>>,
}

impl Message {
    /// The message, if it stays, with what comes to stand around it.
    pub fn slots(self, n: usize) -> impl Iterator<Item = Slot> {
        let kept = (!self.goes).then_some(Slot::Keep(n as u32));
        self.before.into_iter().map(Slot::New).chain(kept).chain(self.behind.into_iter().map(Slot::New))
    }
}

/// The outermost list that holds an item.
pub(super) fn list_around<'t>(val: Val<'t>, base: Base<'_>, item: Place) -> Option<Val<'t>> {
    if val.is_array() {
        return Some(val);
    }
    let inner = val.members().map(|member| member.val).find(|val| base.of(*val).contains(&item))?;
    list_around(inner, base, item)
}
