//! Words on standard error, beside the product.

use std::io::Write;

use crate::source::display_lines;
use crate::source::outputs::pipe::Piped;

/// Says on standard error that something went wrong; the run goes on.
pub fn complain(message: &str) {
    talk(&format!("replaylint: {message}"));
}

/// Standard error.
pub fn stderr() -> impl Write {
    Piped::new(anstream::stderr())
}

/// Says something on standard error. There is nobody to tell if that fails.
pub fn talk(message: &str) {
    let _ = writeln!(anstream::stderr(), "{}", display_lines(message));
}
