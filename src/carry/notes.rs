//! Calls and results as notes in the text of the model, as Codex writes them when it imports the session of another agent,
//! whose tools it does not have.

use crate::json::{Tape, scan};
use crate::message::{CallInput, LossKind, Losses, Message, Part, PartKind, ResultPart, Role, Text, Thread};

use super::text;

/// The most characters of a call and of a result in a note.
const MAX_CALL_CHARS: usize = 2_000;
const MAX_RESULT_CHARS: usize = 4_000;

/// Replaces all calls and results with notes. Media of results move to messages of the user.
pub fn convert_to_notes(conversation: &mut Thread, losses: &mut Losses) {
    let mut messages: Vec<Message> = Vec::with_capacity(conversation.messages.len());
    for mut message in std::mem::take(&mut conversation.messages) {
        if message.role == Role::Tool {
            message.role = Role::Assistant;
        }
        let mut media = Vec::new();
        for block in &mut message.parts {
            let (text, cut) = match &mut block.kind {
                PartKind::Call(call) => {
                    let (input, cut) = truncate(&input(&call.input), MAX_CALL_CHARS);
                    let name = text::plain(&call.name);
                    (format!("[external_agent_tool_call: {name}]\n{input}\n[/external_agent_tool_call]"), cut)
                }
                PartKind::Result(result) => {
                    let parts = std::mem::take(&mut result.parts);
                    let (images, parts) =
                        parts.into_iter().partition(|part| matches!(part, ResultPart::Media(..)));
                    media.extend::<Vec<ResultPart>>(images);
                    result.parts = parts;
                    let (output, cut) = truncate(&text::of_result(result), MAX_RESULT_CHARS);
                    let mark = if result.is_error { ": error" } else { "" };
                    (format!("[external_agent_tool_result{mark}]\n{output}\n[/external_agent_tool_result]"), cut)
                }
                _ => continue,
            };
            losses.count(LossKind::CALLS_AS_NOTES, block.at);
            if cut {
                losses.count(LossKind::NOTE_TRUNCATED, block.at);
            }
            block.kind = PartKind::Text { text: Text::new(&text), citations: None };
        }
        let at = message.at;
        messages.push(message);
        if !media.is_empty() {
            let mut shown = Message::new(Role::User, at);
            for part in media {
                if let ResultPart::Media(media, at) = part {
                    losses.add(LossKind::MEDIA_MOVED, at);
                    shown.parts.push(Part::new(PartKind::Media(media), at));
                }
            }
            messages.push(shown);
        }
    }
    conversation.messages = messages;
}

/// The members of the input, each as `key: value`; other inputs unchanged.
fn input(input: &CallInput) -> String {
    let text = match input {
        CallInput::Text(text) => text::plain(text),
        CallInput::Json(raw) => String::from_utf8_lossy(&raw.bytes()).into_owned(),
    };
    let mut tape = Tape::new();
    let root = scan(text.as_bytes(), &mut tape).ok().and_then(|()| tape.root(text.as_bytes()));
    let Some(object) = root.filter(|root| root.is_object()) else { return text };
    let line = |member: crate::json::Member<'_>| {
        let value = member.val.text().unwrap_or_else(|| member.val.raw().into());
        format!("{}: {}", String::from_utf8_lossy(&member.key.decode()), String::from_utf8_lossy(&value))
    };
    object.members().map(line).collect::<Vec<_>>().join("\n")
}

/// The first characters of a text, and whether it was truncated.
fn truncate(text: &str, most: usize) -> (String, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (format!("{}…", &text[..end]), true),
        None => (text.to_owned(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_bounded_by_characters() {
        assert_eq!(truncate("äöü", 3), ("äöü".to_owned(), false));
        assert_eq!(truncate("äöü", 2), ("äö…".to_owned(), true));
    }

    #[test]
    fn members_of_an_input_are_lines() {
        let text = CallInput::Text(Text::new(r#"{"command":"ls -l","n":[1]}"#));
        assert_eq!(input(&text), "command: ls -l\nn: [1]");
        assert_eq!(input(&CallInput::Text(Text::new("*** Begin"))), "*** Begin");
    }
}
