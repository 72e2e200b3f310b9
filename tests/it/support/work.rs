//! Work that is counted, where a clock would say how busy the machine is: what is read, what is allocated, how often a
//! row is looked at. Each thread counts its own, so that tests do not disturb each other; what is counted runs on one.

#![expect(unsafe_code, reason = "an allocator is unsafe by its contract; this one hands all to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io;

use replaylint::internals::history::looks;
use replaylint::internals::json::steps;
use replaylint::internals::source::ReadAt;

/// What was done, by kind of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Reads of a doc, and the bytes that they gave.
    pub reads: u64,
    pub read: u64,
    /// Allocations, and the bytes that they asked for.
    pub allocations: u64,
    pub allocated: u64,
    /// Looks at the kind or the flags of a row.
    pub looks: u64,
    /// Members and elements that were passed on the way to a value.
    pub steps: u64,
}

thread_local! {
    static DONE: Cell<Work> =
        const { Cell::new(Work { reads: 0, read: 0, allocations: 0, allocated: 0, looks: 0, steps: 0 }) };
}

fn add(more: impl FnOnce(&mut Work)) {
    // A thread that ends may still allocate.
    let _ = DONE.try_with(|done| {
        let mut work = done.get();
        more(&mut work);
        done.set(work);
    });
}

fn add_allocation(bytes: usize) {
    add(|work| {
        work.allocations += 1;
        work.allocated += bytes as u64;
    });
}

/// The system's allocator, counted.
struct Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add_allocation(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add_allocation(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add_allocation(size);
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A doc in memory whose reads are counted.
pub struct Counted(pub Vec<u8>);

impl ReadAt for Counted {
    fn len(&self) -> u64 {
        ReadAt::len(&self.0)
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let got = self.0.read_at(start, buf)?;
        add(|work| {
            work.reads += 1;
            work.read += got as u64;
        });
        Ok(got)
    }
}

impl Work {
    /// What a call does on this thread.
    pub fn of<T>(call: impl FnOnce() -> T) -> (Work, T) {
        let total = || Work { looks: looks::taken(), steps: steps::taken(), ..DONE.with(Cell::get) };
        let before = total();
        let result = call();
        let after = total();
        let work = Work {
            reads: after.reads - before.reads,
            read: after.read - before.read,
            allocations: after.allocations - before.allocations,
            allocated: after.allocated - before.allocated,
            looks: after.looks - before.looks,
            steps: after.steps - before.steps,
        };
        (work, result)
    }

    fn kinds(&self) -> [(&'static str, u64); 6] {
        [
            ("reads", self.reads),
            ("bytes read", self.read),
            ("allocations", self.allocations),
            ("bytes allocated", self.allocated),
            ("looks at rows", self.looks),
            ("steps over values", self.steps),
        ]
    }
}

/// How much more work four times as much may be. Sorting costs a little more than its length, and what grows by
/// doubling may have just doubled; with the square it would be sixteen times as much.
pub const MOST: u64 = 5;

/// A few of anything are no growth.
const FEW: u64 = 100;

/// Fails unless the work for four times as much is about four times as much, of each kind.
pub fn grows_linearly(name: &str, small: Work, large: Work) {
    assert_ne!(small.allocations, 0, "{name}: nothing is counted");
    let grown = growth(small, large, MOST);
    assert!(grown.is_empty(), "{name}: {}", grown.join(", "));
}

/// The kinds of work that are more than `most` times as much.
pub fn growth(small: Work, large: Work, most: u64) -> Vec<String> {
    let kinds = small.kinds().into_iter().zip(large.kinds());
    let grown = kinds.filter(|((_, small), (_, large))| *large > small * most + FEW);
    grown.map(|((kind, small), (_, large))| format!("{small} {kind} grow to {large}")).collect()
}

#[test]
fn what_is_done_is_counted() {
    let doc = Counted(vec![7; 1000]);
    let read = || {
        let mut out = Vec::with_capacity(100);
        doc.read_into(0, 100, &mut out).expect("memory reads");
        assert!(doc.read_into(950, 100, &mut out).is_err());
    };
    let (work, ()) = Work::of(read);
    assert_eq!(work, Work { reads: 2, read: 150, allocations: 1, allocated: 100, looks: 0, steps: 0 });
    let row = replaylint::internals::history::Row::of_place(
        replaylint::internals::place::Place::new(crate::support::DOC, 0, 0),
        0,
    );
    let (work, looked) = Work::of(|| row.is_client_call());
    assert_eq!((work.looks, looked), (u64::from(cfg!(debug_assertions)), false));
    // On another thread it is another's.
    let (work, ()) = Work::of(|| drop(std::thread::scope(|scope| scope.spawn(read).join())));
    assert_eq!(work.reads, 0);
}

#[test]
#[should_panic = "looks at rows grow to"]
fn growth_with_the_square_is_seen() {
    let work = |n: u64| Work { reads: n, read: n * 9, allocations: n, allocated: n * 90, looks: n * n, steps: n };
    grows_linearly("a square", work(100), work(400));
}
