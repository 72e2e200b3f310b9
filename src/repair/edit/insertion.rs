//! What comes to stand where nothing stood.

use crate::dialect::TextChange as Text;
use crate::history::Row;
use crate::place::Place;

/// An item that comes to stand where none stood.
#[derive(Clone, Debug)]
pub(in crate::repair) enum Fresh {
    /// The text of another item of the history, which is dropped from its old place, and what changes in it.
    Moved(Row, Vec<Text>),
    /// A copy of a full item that is elsewhere in the doc.
    Copied(Place),
    /// An answer to this call that claims nothing.
    Stub(Row),
    /// What the text says that is all of this message, as a block.
    Said(Row),
    /// A message that holds these results.
    Message(Vec<Fresh>),
    /// A message of the model that says nothing.
    Bridge,
    /// A message of the user that asks the model to go on.
    GoOn,
}

impl Fresh {
    /// Whether something is left without the items that go; a message loses those of its items.
    pub(in crate::repair) fn stays_without(&mut self, goes: &impl Fn(&Row) -> bool) -> bool {
        match self {
            Fresh::Moved(row, _) => !goes(row),
            Fresh::Message(list) => {
                list.retain_mut(|fresh| fresh.stays_without(goes));
                !list.is_empty()
            }
            Fresh::Said(row) => !goes(row),
            Fresh::Copied(_) | Fresh::Stub(_) | Fresh::Bridge | Fresh::GoOn => true,
        }
    }

    pub(in crate::repair) fn each_moved(&mut self, see: &impl Fn(&Row, &mut Vec<Text>)) {
        match self {
            Fresh::Moved(row, changes) => see(row, changes),
            Fresh::Message(list) => list.iter_mut().for_each(|fresh| fresh.each_moved(see)),
            Fresh::Copied(_) | Fresh::Said(_) | Fresh::Stub(_) | Fresh::Bridge | Fresh::GoOn => {}
        }
    }
}
