//! Counter of row accesses: how often a kind or a flag is read. With it, tests bound the cost of a history of a given
//! length without a clock. Without debug assertions nothing is counted.

use std::cell::Cell;

thread_local! {
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

pub(super) fn count() {
    if cfg!(debug_assertions) {
        LOOKS.with(|looks| looks.set(looks.get() + 1));
    }
}

/// Number of row accesses of this thread.
pub fn total() -> u64 {
    LOOKS.with(Cell::get)
}
