//! Chats of coder's chatd.

pub mod chat;
pub mod chat_lines;
pub mod page;
