//! Following a log that names its requests, entry by entry.

use crate::format::requests::{Follow, Taken};
use crate::read::records::Entry;

/// Follows a log, if its format names requests.
#[derive(Default)]
pub struct Feed {
    follow: Option<Box<dyn Follow>>,
    /// The entry that came last is one of such a log.
    is_current: bool,
}

impl Feed {
    /// Takes an entry.
    pub fn take(&mut self, entry: &Entry<'_>) -> Taken {
        let requests = entry.format.and_then(|format| format.info().requests);
        self.is_current = false;
        let (Some(requests), Some(val)) = (requests, entry.val) else { return Taken::Other };
        self.is_current = true;
        self.follow.get_or_insert_with(|| requests.follow()).take(&entry.record(val))
    }

    /// What is known of the log, if the entry that came last is one of it.
    pub fn follow(&self) -> Option<&dyn Follow> {
        self.follow.as_deref().filter(|_| self.is_current)
    }
}
