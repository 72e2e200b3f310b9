//! The grammars of items, one a file.

pub mod chat;
pub mod responses;
