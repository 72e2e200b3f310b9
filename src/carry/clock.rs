//! When messages were said: as the source has it, in Unix milliseconds, each later than the one before.

use crate::place::Place;
use crate::source::ReadAt;

use super::session_metadata::SessionMetadata;

/// Tells the time of places.
pub struct Clock<'c> {
    bytes: &'c dyn ReadAt,
    metadata: &'c SessionMetadata,
    /// If the source does not tell.
    otherwise: i64,
}

impl<'c> Clock<'c> {
    pub fn new(bytes: &'c dyn ReadAt, metadata: &'c SessionMetadata, otherwise: i64) -> Self {
        Clock { bytes, metadata, otherwise }
    }

    /// The time of a place.
    pub fn at(&self, place: Place) -> i64 {
        self.metadata.time_at(self.bytes.origin(place).start).unwrap_or(self.otherwise)
    }

    /// Times in a row.
    pub fn running(&self) -> Running<'_> {
        Running { clock: self, last: i64::MIN }
    }
}

/// Times in a row: each later than the one before.
pub struct Running<'c> {
    clock: &'c Clock<'c>,
    last: i64,
}

impl Running<'_> {
    pub fn next(&mut self, place: Place) -> i64 {
        self.last = self.clock.at(place).max(self.last.saturating_add(1));
        self.last
    }
}
