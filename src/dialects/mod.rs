//! The grammars of items, one a file.

pub mod responses;
