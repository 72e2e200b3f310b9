//! What the program that keeps a store can do instead of a repair. The update is written whole, ids and all: it is to be
//! used.

use std::io::{self, Write};

use crate::source::display_name;

use super::Seen;

/// Writes the update of a doc, if it has one.
pub fn write(seen: &Seen, out: &mut dyn Write) -> io::Result<()> {
    let Some(update) = &seen.update else { return Ok(()) };
    writeln!(out, "{}: to repair it, give this to {}:", display_name(&seen.path), update.call)?;
    out.write_all(&update.with)?;
    out.write_all(b"\n\n")
}
