//! The content of messages as plain text.

use crate::dialects::common::result_text;
use crate::message::{Media, Message, Part, PartKind, ResultPart, Role, Text, Thread, ToolResult};

/// The most characters of a title.
const MAX_TITLE_CHARS: usize = 80;

pub fn plain(text: &Text) -> String {
    String::from_utf8_lossy(&text.plain()).into_owned()
}

/// All texts of a result as one.
pub fn of_result(result: &ToolResult) -> String {
    plain(&result_text(result))
}

/// The text of a part, if it is text or a refusal.
pub fn of_block(block: &Part) -> Option<&Text> {
    match &block.kind {
        PartKind::Text { text, .. } | PartKind::Refusal(text) => Some(text),
        _ => None,
    }
}

/// All texts of a message as one.
pub fn of_message(message: &Message) -> String {
    message.parts.iter().filter_map(of_block).map(plain).collect::<Vec<_>>().join("\n\n")
}

/// Images and files among the parts of a message.
pub fn media(blocks: &[Part]) -> impl Iterator<Item = &Media> {
    blocks.iter().filter_map(|block| match &block.kind {
        PartKind::Media(media) => Some(&**media),
        _ => None,
    })
}

/// Images and files in a result.
pub fn media_of(result: &ToolResult) -> impl Iterator<Item = &Media> {
    result.parts.iter().filter_map(|part| match part {
        ResultPart::Media(media, _) => Some(&**media),
        _ => None,
    })
}

/// The first line of the user's first message, the title of a session without one. Lines that agents insert are skipped.
pub fn first_line(conversation: &Thread) -> Option<String> {
    let asked = conversation.messages.iter().filter(|message| message.role == Role::User);
    let own = |line: &String| !line.is_empty() && !line.starts_with(['<', '#', '[']);
    let mut lines =
        asked.map(|message| of_message(message).trim().lines().next().unwrap_or_default().trim().to_owned());
    Some(lines.find(own)?.chars().take(MAX_TITLE_CHARS).collect())
}
