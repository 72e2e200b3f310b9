//! What messages say, as plain text.

use crate::dialects::common::result_text;
use crate::message::{Block, Conversation, Media, Message, Part, Text, ToolResult, Voice, What};

/// How many characters of what the user asks are a title.
const TITLE: usize = 80;

pub fn plain(text: &Text) -> String {
    String::from_utf8_lossy(&text.plain()).into_owned()
}

/// All texts of a result.
pub fn of_result(result: &ToolResult) -> String {
    plain(&result_text(result))
}

/// What a block says in words.
pub fn of_block(block: &Block) -> Option<&Text> {
    match &block.what {
        What::Text { text, .. } | What::Refusal(text) => Some(text),
        _ => None,
    }
}

/// All that a message says in words.
pub fn of_message(message: &Message) -> String {
    message.blocks.iter().filter_map(of_block).map(plain).collect::<Vec<_>>().join("\n\n")
}

/// Images and files in what a message says, and in its results.
pub fn media(blocks: &[Block]) -> impl Iterator<Item = &Media> {
    blocks.iter().filter_map(|block| match &block.what {
        What::Media(media) => Some(&**media),
        _ => None,
    })
}

/// Images and files that a result holds.
pub fn media_of(result: &ToolResult) -> impl Iterator<Item = &Media> {
    result.parts.iter().filter_map(|part| match part {
        Part::Media(media, _) => Some(&**media),
        _ => None,
    })
}

/// The first line of what the user asked: what a session without a title is called. What an agent puts there itself is
/// passed over.
pub fn first_line(conversation: &Conversation) -> Option<String> {
    let asked = conversation.messages.iter().filter(|message| message.voice == Voice::User);
    let own = |line: &String| !line.is_empty() && !line.starts_with(['<', '#', '[']);
    let mut lines =
        asked.map(|message| of_message(message).trim().lines().next().unwrap_or_default().trim().to_owned());
    Some(lines.find(own)?.chars().take(TITLE).collect())
}
