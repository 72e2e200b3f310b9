//! Exports of accounts of chat products.

pub mod ai_studio;
pub mod chatgpt;
pub mod claude_ai;
pub mod grok;
