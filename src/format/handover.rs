//! What a store that is not edited takes instead: an update, in the words of the program that keeps the store.

use crate::history::Code;
use crate::place::Place;

use super::record::Stored;

/// An update for a store that only its own program can write.
pub struct Handover {
    /// What the user calls with it.
    pub call: &'static str,
    /// Whether a finding is one that it mends.
    pub mends: fn(Code) -> bool,
    /// The update as JSON, for the problems in a record; `None` if there is none.
    pub update: fn(&Stored<'_>, &Problems) -> Option<Vec<u8>>,
}

/// The places of what is to be mended, each with the other place that it is about; by where they start.
pub struct Problems(Vec<(Place, Option<Place>)>);

impl Problems {
    pub fn new(places: impl IntoIterator<Item = (Place, Option<Place>)>) -> Problems {
        let mut places: Vec<(Place, Option<Place>)> = places.into_iter().collect();
        places.sort_by_key(|(at, _)| at.start);
        Problems(places)
    }

    /// The problems that start where a value does.
    fn at(&self, place: Place) -> impl Iterator<Item = &(Place, Option<Place>)> {
        let from = self.0.partition_point(|(at, _)| at.start < place.start);
        self.0.iter().skip(from).take_while(move |(at, _)| at.start == place.start)
    }

    pub fn has(&self, place: Place) -> bool {
        self.at(place).next().is_some()
    }

    /// Where the result of a call is that has one in another place.
    pub fn result(&self, call: Place) -> Option<Place> {
        self.at(call).find_map(|(_, partner)| *partner)
    }
}
