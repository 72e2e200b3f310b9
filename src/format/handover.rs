//! Updates for stores that are not edited in place: JSON for the program that owns the store.

use crate::history::Code;
use crate::place::Place;

use super::record::ParsedRecord;

/// An update for a store that only its own program can write.
pub struct Handover {
    /// The function that the user calls with the update.
    pub call: &'static str,
    /// True if the update repairs findings of this rule.
    pub repairs: fn(Code) -> bool,
    /// The update as JSON, for the problems in a record; `None` if there is none.
    pub update: fn(&ParsedRecord<'_>, &Problems) -> Option<Vec<u8>>,
}

/// The places of problems, each with the place of its partner, if any; sorted by start.
pub struct Problems(Vec<(Place, Option<Place>)>);

impl Problems {
    pub fn new(places: impl IntoIterator<Item = (Place, Option<Place>)>) -> Problems {
        let mut places: Vec<(Place, Option<Place>)> = places.into_iter().collect();
        places.sort_by_key(|(at, _)| at.start);
        Problems(places)
    }

    /// The problems that start at the same offset as a value.
    fn at(&self, place: Place) -> impl Iterator<Item = &(Place, Option<Place>)> {
        let from = self.0.partition_point(|(at, _)| at.start < place.start);
        self.0.iter().skip(from).take_while(move |(at, _)| at.start == place.start)
    }

    pub fn has(&self, place: Place) -> bool {
        self.at(place).next().is_some()
    }

    /// The place of the result of a call, if it has one in another place.
    pub fn result_place(&self, call: Place) -> Option<Place> {
        self.at(call).find_map(|(_, partner)| *partner)
    }
}
