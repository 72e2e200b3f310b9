//! Sessions that another agent goes on with: a file for each agent, over the conversation that conversion lifts. What an
//! agent demands of a file is with its writer; where the file belongs, and the command that resumes it, is in the table.

mod agents_session;
mod carrier;
mod claude_code;
mod clock;
mod codex;
mod facts;
mod gemini;
mod ids;
mod notes;
mod opencode;
mod pi;
mod provider;
mod said;
mod takes;
mod time;
mod turns;
mod ui_messages;

pub use carrier::{Asked, Carrier, Carrying, Tools, shell};

/// All carriers, in the order in which they are listed.
pub static CARRIERS: [&Carrier; 7] = [
    &codex::CARRIER,
    &claude_code::CARRIER,
    &opencode::CARRIER,
    &pi::CARRIER,
    &gemini::CARRIER,
    &agents_session::CARRIER,
    &ui_messages::CARRIER,
];

/// The carrier with this name.
pub fn by_name(name: &str) -> Option<&'static Carrier> {
    CARRIERS.into_iter().find(|carrier| carrier.name == name)
}
