//! Follows a log that records its requests, entry by entry.

use crate::format::requests::{RecordClass, RequestTracker};
use crate::read::records::RecordEntry;

/// Follows a log, if its format records requests.
#[derive(Default)]
pub struct LogFollower {
    tracker: Option<Box<dyn RequestTracker>>,
    /// True if the last entry belongs to such a log.
    is_current: bool,
}

impl LogFollower {
    /// Adds the next entry.
    pub fn push(&mut self, entry: &RecordEntry<'_>) -> RecordClass {
        let requests = entry.format.and_then(|format| format.info().requests);
        self.is_current = false;
        let (Some(requests), Some(val)) = (requests, entry.val) else { return RecordClass::Other };
        self.is_current = true;
        self.tracker.get_or_insert_with(|| requests.tracker()).track(&entry.record(val))
    }

    /// The state of the log, if the last entry belongs to it.
    pub fn follow(&self) -> Option<&dyn RequestTracker> {
        self.tracker.as_deref().filter(|_| self.is_current)
    }
}
