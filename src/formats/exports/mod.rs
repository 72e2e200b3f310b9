//! What the chat products hand out of an account.

pub mod ai_studio;
pub mod chatgpt;
pub mod claude_ai;
pub mod grok;
