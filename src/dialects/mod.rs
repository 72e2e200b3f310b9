//! The grammars of items, one a file.

pub mod ag2;
pub mod chat;
pub mod coder;
pub mod responses;
