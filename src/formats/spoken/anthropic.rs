//! Turns as messages of Anthropic. Instructions stand beside them in the request, and thinking without a signature is not
//! sent.

use crate::format::translate::Say;
use crate::history::Role;
use crate::json::pieces::Pieced;
use crate::message::LossKind;

use super::turn::{Media, Says, Turn, Unwritten, message, typed, with};

/// The members of the request that are not messages, if there are some, and the messages.
pub(super) fn written(turns: Vec<Turn>, lost: &mut Unwritten) -> (Option<Pieced>, Vec<Say>) {
    let (mut instructions, mut messages) = (Vec::new(), Vec::new());
    for turn in turns {
        let role = match turn.role {
            Role::Assistant => "assistant",
            Role::System | Role::Developer => {
                for says in turn.says {
                    match says {
                        Says::Text { text, at, .. } => instructions.push(typed("text", at).with("text", text)),
                        other => lost.part(&other, turn.record),
                    }
                }
                continue;
            }
            _ => "user",
        };
        let is_empty = turn.says.is_empty();
        let record = turn.record;
        let blocks: Vec<Pieced> = turn.says.into_iter().filter_map(|says| block(says, record, lost)).collect();
        if !blocks.is_empty() || is_empty {
            let message = message(role, turn.at).with("content", Pieced::list_of(blocks, turn.at));
            messages.push(Say::Message(message, record));
        }
    }
    let at = instructions.first().map(Pieced::place);
    let request = at.map(|at| Pieced::object(at).with("system", Pieced::list_of(instructions, at)));
    (request, messages)
}

fn block(says: Says, record: u32, lost: &mut Unwritten) -> Option<Pieced> {
    Some(match says {
        Says::Text { text, at, .. } => typed("text", at).with("text", text),
        Says::Thought(thought) => match (thought.redacted, thought.signature) {
            (Some(data), _) => typed("redacted_thinking", thought.at).with("data", data),
            (None, Some(signature)) => {
                typed("thinking", thought.at).with("thinking", thought.text).with("signature", signature)
            }
            (None, None) => {
                if thought.text.says() {
                    lost.add(LossKind::REASONING, thought.at, record);
                }
                return None;
            }
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
