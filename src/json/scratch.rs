//! Scratch buffers, reused on the same thread. A record is scanned, judged, converted and judged again: without
//! reuse, small records spend a tenth of their time in the allocator.

use std::cell::RefCell;

use super::Tape;

/// A text buffer and a tape, whose contents are arbitrary when acquired. Dropping returns them to the pool.
#[derive(Default)]
pub struct ScratchBuffers {
    pub text: Vec<u8>,
    pub tape: Tape,
}

/// Maximum number of buffers in the pool of a thread.
const MAX_BUFFERS: usize = 8;
/// Larger buffers are shrunk to this size.
const BYTES: usize = 1 << 20;

thread_local! {
    static SPARE: RefCell<Vec<(Vec<u8>, Tape)>> = const { RefCell::new(Vec::new()) };
}

impl ScratchBuffers {
    /// A larger tape is shrunk to this number of nodes.
    pub const NODES: usize = 1 << 16;

    pub fn acquire() -> ScratchBuffers {
        let (text, tape) = SPARE.with_borrow_mut(|spare| spare.pop()).unwrap_or_default();
        ScratchBuffers { text, tape }
    }
}

impl Drop for ScratchBuffers {
    fn drop(&mut self) {
        let (mut text, mut tape) = (std::mem::take(&mut self.text), std::mem::take(&mut self.tape));
        text.truncate(BYTES);
        text.shrink_to(BYTES);
        tape.shrink(ScratchBuffers::NODES);
        // Fails while the thread ends.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MAX_BUFFERS {
                spare.push((text, tape));
            }
        });
    }
}
