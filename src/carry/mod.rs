//! Sessions that another agent can resume: the contract of their writers, and what those share. The writer of an agent is
//! with its formats, in `write.rs`; the table of writers is with the table of formats.

pub mod agent_config;
mod clock;
mod destination;
mod ids;
mod notes;
pub mod provider;
mod resume_command;
mod session_metadata;
mod session_writer;
pub mod support;
pub mod text;
pub mod time;
mod turns;

pub use destination::{Destination, SourceHistory, WHOLE_SESSION};
pub use resume_command::{ResumeCommand, ResumeFolder};
pub use session_metadata::SessionMetadata;
pub use session_writer::{
    AgentHome, CarryOptions, CarryOver, ModelNaming, SessionDraft, SessionWriter, ToolHandling, json_file,
};
