//! Buffers that were used, kept for the next use on the same thread. A record is scanned in one, then judged, converted
//! and judged again: without this, small records spend a tenth of their time in the allocator.

use std::cell::RefCell;

use super::Tape;

/// A text and the tape of its scan, empty or with what was left in them. Dropped, they wait for the next use.
#[derive(Default)]
pub struct Spare {
    pub text: Vec<u8>,
    pub tape: Tape,
}

/// More buffers than this are not in use at a time.
const KEPT: usize = 8;
/// Larger ones are given back.
const BYTES: usize = 1 << 20;
const NODES: usize = 1 << 16;

thread_local! {
    static SPARE: RefCell<Vec<(Vec<u8>, Tape)>> = const { RefCell::new(Vec::new()) };
}

impl Spare {
    pub fn take() -> Spare {
        let (text, tape) = SPARE.with_borrow_mut(|spare| spare.pop()).unwrap_or_default();
        Spare { text, tape }
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        let (mut text, mut tape) = (std::mem::take(&mut self.text), std::mem::take(&mut self.tape));
        text.clear();
        text.shrink_to(BYTES);
        tape.shrink(NODES);
        // A thread that ends keeps nothing.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < KEPT {
                spare.push((text, tape));
            }
        });
    }
}
