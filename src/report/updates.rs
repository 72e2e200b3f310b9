//! Updates that the program that owns a store can make instead of a repair. An update is written in full, with its ids, so
//! that it can be used.

use std::io::{self, Write};

use crate::source::display_name;

use super::DocReport;

/// Writes the update of a document, if it has one.
pub fn write(seen: &DocReport, out: &mut dyn Write) -> io::Result<()> {
    let Some(update) = &seen.update else { return Ok(()) };
    writeln!(out, "{}: to repair it, pass this to {}:", display_name(&seen.path), update.call)?;
    out.write_all(&update.payload)?;
    out.write_all(b"\n\n")
}
