//! The grammars of items, one a file.

pub mod ag2;
pub mod ag2_replay;
pub mod chat;
pub mod coder;
pub mod coder_replay;
pub mod replay;
pub mod responses;
