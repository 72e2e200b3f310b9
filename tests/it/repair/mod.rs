//! Repairs: their properties, their losses, and the proof over generated histories.

pub mod dropped_list;
pub mod images;
pub mod incremental;
pub mod length;
pub mod proof;
pub mod properties;
pub mod properties_chat;
pub mod properties_gemini_bedrock;
pub mod proposals;
pub mod slim;
pub mod stores;
