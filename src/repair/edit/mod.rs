//! From the plan to edits on bytes, in each place where items may be stored.

pub mod cells;
pub mod empty_messages;
pub mod fields;
pub mod insertion;
pub mod item_text;
pub mod large_document;
pub mod messages;
pub mod nested;
pub mod padding;
pub mod provider;
pub mod render;
pub mod text;
