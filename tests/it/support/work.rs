//! Counts work instead of time, which depends on the load of the machine: reads, allocations, accesses to rows. Each thread
//! counts its own, so that tests do not disturb each other; counted code runs on one.

#![expect(unsafe_code, reason = "an allocator is unsafe by its contract; this one hands all to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io;

use replaylint::internals::history::work_counter;
use replaylint::internals::json::steps;
use replaylint::internals::source::ReadAt;

/// Counts by kind of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Reads of a doc, and the bytes that they returned.
    pub reads: u64,
    pub read: u64,
    /// Allocations, and the bytes that they asked for.
    pub allocations: u64,
    pub allocated: u64,
    /// Accesses to the kind or the flags of a row.
    pub row_accesses: u64,
    /// Members and elements that were skipped before a value.
    pub steps: u64,
}

thread_local! {
    static DONE: Cell<Work> =
        const { Cell::new(Work { reads: 0, read: 0, allocations: 0, allocated: 0, row_accesses: 0, steps: 0 }) };
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

/// The system's allocator, with counts.
struct CountingAllocator;

// SAFETY: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for CountingAllocator {
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
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A doc in memory whose reads are counted.
pub struct CountedDoc(pub Vec<u8>);

impl ReadAt for CountedDoc {
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
    /// The work of a call on this thread, and its result.
    pub fn of<T>(call: impl FnOnce() -> T) -> (Work, T) {
        let total = || Work { row_accesses: work_counter::total(), steps: steps::total(), ..DONE.with(Cell::get) };
        let before = total();
        let result = call();
        let after = total();
        let work = Work {
            reads: after.reads - before.reads,
            read: after.read - before.read,
            allocations: after.allocations - before.allocations,
            allocated: after.allocated - before.allocated,
            row_accesses: after.row_accesses - before.row_accesses,
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
            ("accesses to rows", self.row_accesses),
            ("steps over values", self.steps),
        ]
    }
}

/// The most growth of work for four times the input. Sorting is a little more than linear, and a buffer that grows by
/// doubling may have just doubled; quadratic work would be sixteen times as much.
pub const MOST: u64 = 5;

/// Growth below this number is ignored.
const FEW: u64 = 100;

/// Fails unless each kind of work grows about linearly from an input to one of four times its size.
pub fn grows_linearly(name: &str, small: Work, large: Work) {
    assert_ne!(small.allocations, 0, "{name}: nothing is counted");
    let too_much = growth(small, large, MOST);
    assert!(too_much.is_empty(), "{name}: {}", too_much.join(", "));
}

/// The kinds of work that grow more than `most` times.
pub fn growth(small: Work, large: Work, most: u64) -> Vec<String> {
    let kinds = small.kinds().into_iter().zip(large.kinds());
    let too_much = kinds.filter(|((_, small), (_, large))| *large > small * most + FEW);
    too_much.map(|((kind, small), (_, large))| format!("{small} {kind} grow to {large}")).collect()
}

#[test]
fn work_is_counted() {
    let doc = CountedDoc(vec![7; 1000]);
    let read = || {
        let mut out = Vec::with_capacity(100);
        doc.read_into(0, 100, &mut out).expect("memory reads");
        assert!(doc.read_into(950, 100, &mut out).is_err());
    };
    let (work, ()) = Work::of(read);
    assert_eq!(work, Work { reads: 2, read: 150, allocations: 1, allocated: 100, row_accesses: 0, steps: 0 });
    let row = replaylint::internals::history::Row::of_place(
        replaylint::internals::place::Place::new(crate::support::DOC, 0, 0),
        0,
    );
    let (work, is_call) = Work::of(|| row.is_client_call());
    assert_eq!((work.row_accesses, is_call), (u64::from(cfg!(debug_assertions)), false));
    // Work on another thread is not counted here.
    let (work, ()) = Work::of(|| drop(std::thread::scope(|scope| scope.spawn(read).join())));
    assert_eq!(work.reads, 0);
}

#[test]
#[should_panic = "accesses to rows grow to"]
fn quadratic_growth_is_detected() {
    let work =
        |n: u64| Work { reads: n, read: n * 9, allocations: n, allocated: n * 90, row_accesses: n * n, steps: n };
    grows_linearly("a square", work(100), work(400));
}
