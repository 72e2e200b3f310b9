//! Counter of accesses to rows, to the findings of a doc, to the decisions of a plan, and to items of the context of a
//! stream: how often a kind or a flag is read, or an item is moved. With it, tests bound the cost of a history of a given
//! length without a clock. Without debug assertions nothing is counted.

use std::cell::Cell;

thread_local! {
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

/// Counts an access.
pub fn count() {
    if cfg!(debug_assertions) {
        LOOKS.with(|looks| looks.set(looks.get() + 1));
    }
}

/// Number of accesses of this thread.
pub fn total() -> u64 {
    LOOKS.with(Cell::get)
}
