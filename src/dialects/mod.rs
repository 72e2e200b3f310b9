//! The grammars of items, one a file or a folder.

pub mod common;

pub mod ag2;
pub mod ag2_event;
pub mod ag2_replay;
pub mod anthropic;
pub mod bedrock;
pub mod chat;
pub mod client_tools;
pub mod cline;
pub mod coder;
mod coder_item;
pub mod coder_part;
pub mod coder_replay;
pub mod coder_row;
mod coder_text;
pub mod gemini;
pub mod known;
pub mod replay;
pub mod responses;
pub mod session;
pub mod settings;
