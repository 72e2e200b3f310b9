//! Items that a repair inserts.

use crate::dialect::TextChange as Text;
use crate::history::Row;
use crate::place::Place;

/// An inserted item.
#[derive(Clone, Debug)]
pub(in crate::repair) enum Insertion {
    /// The text of another item of the history, which is removed from its old place, with changes to it.
    Moved(Row, Vec<Text>),
    /// A copy of a full item that is elsewhere in the doc.
    Copied(Place),
    /// A neutral placeholder result of this call.
    Stub(Row),
    /// The text content of this message, as a block.
    TextBlock(Row),
    /// A user message that contains these items.
    UserMessage(Vec<Insertion>),
    /// An empty message of the model.
    Bridge,
    /// A message of the user that asks the model to go on.
    Continuation,
}

impl Insertion {
    /// Removes the items for which `goes` is true, and placeholders for them; true if the insertion still has content.
    pub(in crate::repair) fn retain_staying(&mut self, goes: &impl Fn(&Row) -> bool) -> bool {
        match self {
            Insertion::Moved(row, _) => !goes(row),
            Insertion::UserMessage(list) => {
                list.retain_mut(|insertion| insertion.retain_staying(goes));
                !list.is_empty()
            }
            Insertion::TextBlock(row) | Insertion::Stub(row) => !goes(row),
            Insertion::Copied(_) | Insertion::Bridge | Insertion::Continuation => true,
        }
    }

    pub(in crate::repair) fn visit_moved(&mut self, see: &impl Fn(&Row, &mut Vec<Text>)) {
        match self {
            Insertion::Moved(row, changes) => see(row, changes),
            Insertion::UserMessage(list) => list.iter_mut().for_each(|insertion| insertion.visit_moved(see)),
            Insertion::Copied(_)
            | Insertion::TextBlock(_)
            | Insertion::Stub(_)
            | Insertion::Bridge
            | Insertion::Continuation => {}
        }
    }
}
