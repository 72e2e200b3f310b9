//! Sessions that another agent can resume: the contract of their writers, and what those share. The writer of an agent is
//! with its formats, in `write.rs`; the table of writers is with the table of formats.

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

pub use destination::{Destination, SourceHistory, WHOLE_SESSION};
pub use session_writer::{AgentHome, CarryOptions, CarryOver, SessionDraft, SessionWriter, ToolHandling};
