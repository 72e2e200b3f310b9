//! How a format repairs records that are translated: where they are, in its own form.

use crate::history::Code;
use crate::json::Val;
use crate::json::edit::Base;
use crate::place::{Edit, Place};

/// Edits what is wanted in a record.
pub type Repair = fn(record: Val<'_>, base: Base<'_>, wanted: &Wanted<'_>, out: &mut Repaired);

/// What is edited.
#[derive(Default)]
pub struct Repaired {
    pub edits: Vec<Edit>,
    /// Values that are edited for a finding in another one, and where that is.
    pub besides: Vec<(Place, Place)>,
}

/// What is to be repaired: places in the records, in order, and the findings there.
pub struct Wanted<'w>(pub &'w [(Place, Code)]);

impl Wanted<'_> {
    /// Whether something that begins where this value does is to be repaired.
    pub fn has(&self, at: Place) -> bool {
        self.of(at).next().is_some()
    }

    /// The findings at a value.
    pub fn of(&self, at: Place) -> impl Iterator<Item = Code> + '_ {
        let from = self.0.partition_point(|(place, _)| place.start < at.start);
        let here = self.0.get(from..).unwrap_or_default().iter();
        here.take_while(move |(place, _)| place.start == at.start).map(|(_, code)| *code)
    }

    /// Those within a record.
    pub fn within(&self, record: Place) -> bool {
        let from = self.0.partition_point(|(place, _)| place.start < record.start);
        self.0.get(from).is_some_and(|(place, _)| place.start < record.end())
    }
}
