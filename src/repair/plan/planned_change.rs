//! A change that a plan makes. Its plan knows the row, and a long history has as many changes as rows: so it has only
//! the row's number.

use crate::history::Row;
use crate::place::Place;
use crate::rule::Loss;

use crate::repair::{Action, Cause, ImageChange, ItemChange};

/// A change that a plan makes.
#[derive(Clone)]
pub(in crate::repair) struct PlannedChange {
    /// Index of the item; [`NONE`](crate::history::NONE) for a member of the request, and for what is not sent.
    pub ix: u32,
    pub cause: Cause,
    /// The item beside which a moved item or a placeholder is inserted, or the source of a copy.
    pub anchor: Option<Place>,
    pub action: Action,
    pub loss: Loss,
    /// Description for the user.
    pub description: &'static str,
    /// What becomes of its images, if they are made smaller.
    pub images: Option<Box<ImageChange>>,
}

impl PlannedChange {
    /// The change as it is reported, of a row in a history with this number.
    pub fn report(self, row: Row, history: u32) -> ItemChange {
        let PlannedChange { cause, anchor, action, loss, description, images, .. } = self;
        ItemChange { cause, row, anchor, action, loss, description, history: Some(history), images }
    }
}
