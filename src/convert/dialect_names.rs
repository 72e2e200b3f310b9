//! The dialects to which conversations can be converted, by name.

use crate::dialect::{Dialect, OutputShape};
use crate::dialects::anthropic::ANTHROPIC;
use crate::dialects::bedrock::BEDROCK;
use crate::dialects::chat::CHAT;
use crate::dialects::gemini::GEMINI;
use crate::dialects::responses::RESPONSES;

/// The names of targets of a conversion.
pub static CONVERT_DIALECTS: [(&str, &dyn Dialect, OutputShape); 6] = [
    ("responses", &RESPONSES, OutputShape::Request),
    ("responses-items", &RESPONSES, OutputShape::Items),
    ("chat", &CHAT, OutputShape::Request),
    ("anthropic", &ANTHROPIC, OutputShape::Request),
    ("gemini", &GEMINI, OutputShape::Request),
    ("bedrock", &BEDROCK, OutputShape::Request),
];

/// Other names that users know: the alias, and the name.
pub static DIALECT_ALIASES: [(&str, &str); 6] = [
    ("openai", "responses"),
    ("openai-chat", "chat"),
    ("chat-completions", "chat"),
    ("claude", "anthropic"),
    ("google", "gemini"),
    ("vertex", "gemini"),
];

/// The dialect with this name.
pub fn dialect_by_name(name: &str) -> Option<&'static dyn Dialect> {
    CONVERT_DIALECTS.iter().map(|(_, dialect, _)| *dialect).find(|dialect| dialect.info().name == name)
}
