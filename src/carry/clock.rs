//! The times of messages, from the source, in Unix milliseconds, each later than the one before.

use crate::place::Place;
use crate::source::ReadAt;

use super::session_metadata::SessionMetadata;

/// Finds the time of places in the source.
pub struct Clock<'c> {
    bytes: &'c dyn ReadAt,
    metadata: &'c SessionMetadata,
    /// The time if the source has none.
    default_ms: i64,
}

impl<'c> Clock<'c> {
    pub fn new(bytes: &'c dyn ReadAt, metadata: &'c SessionMetadata, default_ms: i64) -> Self {
        Clock { bytes, metadata, default_ms }
    }

    /// The time of a place.
    pub fn at(&self, place: Place) -> i64 {
        self.metadata.time_at(self.bytes.origin(place).start).unwrap_or(self.default_ms)
    }

    /// A sequence of increasing times.
    pub fn monotonic(&self) -> MonotonicClock<'_> {
        MonotonicClock { clock: self, last: i64::MIN }
    }
}

/// A sequence of times, each later than the one before.
pub struct MonotonicClock<'c> {
    clock: &'c Clock<'c>,
    last: i64,
}

impl MonotonicClock<'_> {
    pub fn next(&mut self, place: Place) -> i64 {
        self.last = self.clock.at(place).max(self.last.saturating_add(1));
        self.last
    }
}
