//! The scanner: strict JSON over bytes into a [`Tape`], by the widest instructions that the machine has.

pub use super::block::Lanes;
use super::block::Portable;
use super::fault::{Fault, What};
use super::grammar::{grammar, is_space};
use super::tape::Tape;

/// Scans a text that holds one value and nothing else.
pub fn scan(bytes: &[u8], tape: &mut Tape) -> Result<(), Fault> {
    let end = scan_prefix(bytes, tape)?;
    match first_non_space(bytes, end as usize) {
        Some(at) => Err(Fault { what: What::TrailingText, at: at as u32 }),
        None => Ok(()),
    }
}

/// Scans the one value that a text starts with and returns where it ends.
pub fn scan_prefix(bytes: &[u8], tape: &mut Tape) -> Result<u32, Fault> {
    run(bytes, tape, Lanes::WIDEST, false)
}

/// Scans a text up to the end of its first line, if that line holds one value and nothing else: returns where it ends.
/// `None` says only that [`scan`] has to look at that line. Finding the value's end finds the line's: no string holds a
/// bare line feed.
pub fn scan_line(bytes: &[u8], tape: &mut Tape) -> Option<u32> {
    let end = run(bytes, tape, Lanes::WIDEST, true).ok()?;
    let rest = bytes[end as usize..].iter();
    let at = end + rest.take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count() as u32;
    matches!(bytes.get(at as usize), None | Some(b'\n')).then_some(at)
}

/// [`scan_prefix`] with these instructions, or the widest that the machine has below them: for the tests that hold them
/// against each other.
pub fn scan_prefix_by(lanes: Lanes, bytes: &[u8], tape: &mut Tape) -> Result<u32, Fault> {
    run(bytes, tape, lanes, false)
}

fn run(bytes: &[u8], tape: &mut Tape, lanes: Lanes, one_line: bool) -> Result<u32, Fault> {
    tape.nodes.clear();
    tape.open.clear();
    tape.odd.clear();
    tape.noted = false;
    tape.ascii = false;
    if u32::try_from(bytes.len()).is_err() {
        return Err(Fault { what: What::TooLong, at: 0 });
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(done) = super::vectors::run(bytes, tape, lanes, one_line) {
        return done;
    }
    let _ = lanes;
    grammar::<Portable>(bytes, tape, one_line)
}

/// Offset of the first byte at or after `from` that is not JSON white space.
pub fn first_non_space(bytes: &[u8], from: usize) -> Option<usize> {
    bytes[from..].iter().position(|b| !is_space(*b)).map(|n| from + n)
}
