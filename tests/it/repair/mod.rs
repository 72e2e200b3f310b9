//! What is repaired, and what a repair keeps.

pub mod again;
pub mod dropped;
pub mod proof;
pub mod properties;
pub mod properties_chat;
pub mod properties_gemini_bedrock;
pub mod proposals;
pub mod slim;
pub mod stores;
