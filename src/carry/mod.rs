//! Sessions that another agent goes on with: the contract of their writers, and what those share. What an agent demands of
//! a file is with its formats, in `write.rs`; the table of writers is with the table of formats.

mod clock;
mod destination;
mod ids;
mod notes;
pub mod provider;
mod session_metadata;
mod session_writer;
pub mod support;
pub mod text;
pub mod time;
mod turns;

pub use destination::{Destination, SourceHistory, WHOLE};
pub use session_writer::{CarryOptions, CarryOver, Home, SessionDraft, SessionWriter, Tools};
