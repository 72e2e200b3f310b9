//! Messages on standard error.

use std::io::Write;

use crate::source::display_lines;
use crate::source::outputs::pipe::PipeWriter;

/// Prints an error or a warning to standard error; the run continues.
pub fn print_error(message: &str) {
    print_note(&format!("replaylint: {message}"));
}

/// Standard error.
pub fn stderr() -> impl Write {
    PipeWriter::new(anstream::stderr())
}

/// Prints a message to standard error. Failures are ignored.
pub fn print_note(message: &str) {
    let _ = writeln!(anstream::stderr(), "{}", display_lines(message));
}
