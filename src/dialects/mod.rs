//! The grammars of items, one a file or a folder.

pub mod common;

pub mod ag2;
pub mod anthropic;
pub mod bedrock;
pub mod chat;
pub mod client_tools;
pub mod cline;
pub mod coder;
pub mod gemini;
pub mod item_tokens;
pub mod known_members;
pub mod media_parts;
pub mod omitted_images;
pub mod responses;
pub mod server_tool_text;
pub mod session;
pub mod settings;
pub mod shortened_text;
pub mod shrunk_images;
