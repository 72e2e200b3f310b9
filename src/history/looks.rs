//! Looks at rows: how often a kind or a flag is asked for. Tests bound by it what a history of a given length costs,
//! without a clock. Without debug assertions nothing is counted.

use std::cell::Cell;

thread_local! {
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

pub(super) fn count() {
    if cfg!(debug_assertions) {
        LOOKS.with(|looks| looks.set(looks.get() + 1));
    }
}

/// Looks that this thread has taken.
pub fn taken() -> u64 {
    LOOKS.with(Cell::get)
}
