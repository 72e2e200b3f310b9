//! What can be converted to.

use crate::dialect::{Dialect, Written};
use crate::dialects::anthropic::ANTHROPIC;
use crate::dialects::bedrock::BEDROCK;
use crate::dialects::chat::CHAT;
use crate::dialects::gemini::GEMINI;
use crate::dialects::responses::RESPONSES;

/// Names, and what they mean.
pub static TO: [(&str, &dyn Dialect, Written); 6] = [
    ("responses", &RESPONSES, Written::Request),
    ("responses-items", &RESPONSES, Written::Items),
    ("chat", &CHAT, Written::Request),
    ("anthropic", &ANTHROPIC, Written::Request),
    ("gemini", &GEMINI, Written::Request),
    ("bedrock", &BEDROCK, Written::Request),
];

/// What else users call them: the other name, and the name.
pub static ALIASES: [(&str, &str); 6] = [
    ("openai", "responses"),
    ("openai-chat", "chat"),
    ("chat-completions", "chat"),
    ("claude", "anthropic"),
    ("google", "gemini"),
    ("vertex", "gemini"),
];

/// The dialect with this name.
pub fn dialect(name: &str) -> Option<&'static dyn Dialect> {
    TO.iter().map(|(_, dialect, _)| *dialect).find(|dialect| dialect.info().name == name)
}
