//! Turns as messages of Anthropic. Instructions are no message there, and thinking without a signature is not sent.

use crate::format::retelling::Say;
use crate::history::Role;
use crate::json::pieces::Pieced;

use super::turn::{Media, Says, Turn, message, typed, with};

pub(super) fn written(turns: Vec<Turn>) -> Vec<Say> {
    let said = |turn: Turn| {
        let role = match turn.role {
            Role::Assistant => "assistant",
            Role::System | Role::Developer => return None,
            _ => "user",
        };
        let is_empty = turn.says.is_empty();
        let blocks: Vec<Pieced> = turn.says.into_iter().filter_map(block).collect();
        if blocks.is_empty() && !is_empty {
            return None;
        }
        let message = message(role, turn.at).with("content", Pieced::list_of(blocks, turn.at));
        Some(Say::Message(message, turn.record))
    };
    turns.into_iter().filter_map(said).collect()
}

fn block(says: Says) -> Option<Pieced> {
    Some(match says {
        Says::Text { text, at, .. } => typed("text", at).with("text", text),
        Says::Thought(thought) => match (thought.redacted, thought.signature) {
            (Some(data), _) => typed("redacted_thinking", thought.at).with("data", data),
            (None, Some(signature)) => {
                typed("thinking", thought.at).with("thinking", thought.text).with("signature", signature)
            }
            (None, None) => return None,
        },
        Says::Call(call) => {
            let block = typed("tool_use", call.at).with("id", call.id.piece).with("name", call.name);
            block.with("input", call.input)
        }
        Says::Result { call, output, failed, at } => {
            let block = typed("tool_result", at).with("tool_use_id", call.piece).with("content", output);
            with(block, "is_error", failed.then(|| Pieced::fixed("true", at)))
        }
        Says::Media(media) => media_block(media),
        Says::Item(block) => block,
    })
}

fn media_block(media: Media) -> Pieced {
    let at = media.at;
    let source = match media.data {
        Some(data) => typed("base64", at).with("media_type", media.mime).with("data", data),
        None => typed("url", at).with("url", media.url),
    };
    typed(if media.is_image { "image" } else { "document" }, at).with("source", source)
}
