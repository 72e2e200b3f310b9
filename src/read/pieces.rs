//! The records that something is made of, read again one after the other: each as it was found, also one that is spread over
//! several lines, or has raw control characters.

use std::io;

use crate::format::translate::Stored;
use crate::json::edit::Base;
use crate::json::{Spare, scan};
use crate::place::Place;
use crate::source::damage::Escaped;
use crate::source::{ReadAt, framing};

/// Hands over the records at these places, each with its index among them. What cannot be read is passed over.
pub(super) fn each(
    bytes: &dyn ReadAt,
    places: &[(Place, u32)],
    take: &mut dyn FnMut(usize, &Stored<'_>),
) -> io::Result<()> {
    let mut spare = Spare::take();
    let Spare { text, tape } = &mut spare;
    for (ix, &(at, number)) in places.iter().enumerate() {
        bytes.read_into(at.start, at.len as usize, text)?;
        if scan(text, tape).is_ok() {
            if let Some(val) = tape.root(text) {
                take(ix, &Stored { val, base: Base::new(at.doc, at.start), number });
            }
            continue;
        }
        let Some((plain, runs)) = readable(text, at.start) else { continue };
        if scan(&plain, tape).is_ok()
            && let Some(val) = tape.root(&plain)
        {
            take(ix, &Stored { val, base: Base::of_runs(at.doc, &runs), number });
        }
    }
    Ok(())
}

/// A text that is not JSON as it stands, and where its runs begin: an event on several lines, or one with raw control
/// characters.
fn readable(text: &[u8], start: u64) -> Option<framing::Joined> {
    let joined = framing::joined(text, start);
    joined.or_else(|| Escaped::of(text).map(|escaped| (escaped.text.clone(), escaped.runs_from(start))))
}
