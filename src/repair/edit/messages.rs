//! The layout of messages that contain items, and the edit of one.

use crate::json::Val;
use crate::json::edit::{RecordBase, SequenceSlot};
use crate::place::{Place, ReplacementPart};

/// How the messages of a doc are stored.
pub(super) enum MessageLayout {
    /// Each line is a message.
    Lines,
    /// They are elements of a list; their places, by start.
    List(Vec<Place>),
}

/// The edit of a message as a whole.
pub(super) struct MessageEdit {
    pub is_removed: bool,
    pub before: Vec<Vec<ReplacementPart>>,
    pub after: Vec<Vec<ReplacementPart>>,
}

impl MessageEdit {
    /// The message, if it stays, with the insertions around it.
    pub fn slots(self, n: usize) -> impl Iterator<Item = SequenceSlot> {
        let kept = (!self.is_removed).then_some(SequenceSlot::Keep(n as u32));
        self.before
            .into_iter()
            .map(SequenceSlot::New)
            .chain(kept)
            .chain(self.after.into_iter().map(SequenceSlot::New))
    }
}

/// The outermost list that contains an item.
pub(super) fn outermost_list<'t>(val: Val<'t>, base: RecordBase<'_>, item: Place) -> Option<Val<'t>> {
    if val.is_array() {
        return Some(val);
    }
    let inner = val.members().map(|member| member.val).find(|val| base.of(*val).contains(&item))?;
    outermost_list(inner, base, item)
}
