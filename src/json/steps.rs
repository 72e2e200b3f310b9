//! Steps: how often a member of an object or an element of an array is passed, and how often a path is compared with a
//! folder above it, or with a glob. Tests bound by it what a record of a given length, or a file below many folders,
//! costs, without a clock. Without debug assertions nothing is counted.

use std::cell::Cell;

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

#[inline(always)]
pub(crate) fn count() {
    if cfg!(debug_assertions) {
        STEPS.with(|steps| steps.set(steps.get() + 1));
    }
}

/// Steps that this thread has taken.
pub fn taken() -> u64 {
    STEPS.with(Cell::get)
}
