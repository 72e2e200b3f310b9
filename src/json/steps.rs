//! A counter of work: members and elements visited, and comparisons of paths with folders or globs. Tests use it
//! to bound the cost of records and walks without a clock. Counts only with debug assertions.

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

/// Steps counted on this thread so far.
pub fn total() -> u64 {
    STEPS.with(Cell::get)
}
