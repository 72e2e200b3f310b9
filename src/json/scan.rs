//! The scanner: strict JSON over bytes into a [`Tape`], with the widest instructions that the machine has.

pub use super::block::LaneWidth;
use super::block::PortableSorter;
use super::fault::{Fault, FaultKind};
use super::grammar::{grammar, is_space};
use super::tape::Tape;

/// Few texts have a node, which is a value or a key, in fewer bytes than this on average. A tape of a dense text grows once more.
const BYTES_PER_NODE: usize = 16;

/// Scans a text that consists of one value.
pub fn scan(bytes: &[u8], tape: &mut Tape) -> Result<(), Fault> {
    tape.nodes.clear();
    tape.nodes.reserve(bytes.len() / BYTES_PER_NODE);
    let end = scan_prefix(bytes, tape)?;
    match first_non_space(bytes, end as usize) {
        Some(at) => Err(Fault { kind: FaultKind::TrailingText, at: at as u32 }),
        None => Ok(()),
    }
}

/// Scans the value at the start of a text and returns its end.
pub fn scan_prefix(bytes: &[u8], tape: &mut Tape) -> Result<u32, Fault> {
    run(bytes, tape, LaneWidth::WIDEST, false)
}

/// Scans the first line of a text if it consists of one value, and returns the line's end. `None` means only that
/// [`scan`] has to check that line. The value's end is the line's: no string contains a raw line feed.
pub fn scan_line(bytes: &[u8], tape: &mut Tape) -> Option<u32> {
    let end = run(bytes, tape, LaneWidth::WIDEST, true).ok()?;
    let rest = bytes[end as usize..].iter();
    let at = end + rest.take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count() as u32;
    matches!(bytes.get(at as usize), None | Some(b'\n')).then_some(at)
}

/// [`scan_prefix`] with these instructions, or the widest that the machine has below them; for tests that compare
/// them.
pub fn scan_prefix_by(lanes: LaneWidth, bytes: &[u8], tape: &mut Tape) -> Result<u32, Fault> {
    run(bytes, tape, lanes, false)
}

fn run(bytes: &[u8], tape: &mut Tape, lanes: LaneWidth, one_line: bool) -> Result<u32, Fault> {
    tape.nodes.clear();
    tape.open.clear();
    tape.odd.clear();
    tape.has_replaylint_ref = false;
    tape.ascii = false;
    if u32::try_from(bytes.len()).is_err() {
        return Err(Fault { kind: FaultKind::TooLong, at: 0 });
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(done) = super::vectors::run(bytes, tape, lanes, one_line) {
        return done;
    }
    let _ = lanes;
    grammar::<PortableSorter>(bytes, tape, one_line)
}

/// Offset of the first byte at or after `from` that is not JSON white space.
pub fn first_non_space(bytes: &[u8], from: usize) -> Option<usize> {
    bytes[from..].iter().position(|b| !is_space(*b)).map(|n| from + n)
}
