//! The last turns of a conversation: what the user said, with what followed.

use crate::message::{Conversation, Voice};

/// Keeps the last `wanted` turns. Gives how many were left out.
pub fn keep_last(conversation: &mut Conversation, wanted: usize) -> u32 {
    let mut starts: Vec<usize> = Vec::new();
    for (at, message) in conversation.messages.iter().enumerate() {
        // Messages of the user in a row are one turn.
        let follows = {
            let before = at.checked_sub(1).and_then(|before| conversation.messages.get(before));
            before.is_some_and(|before| before.voice == Voice::User)
        };
        if message.voice == Voice::User && !follows {
            starts.push(at);
        }
    }
    let Some(first) = starts.len().checked_sub(wanted).filter(|first| *first > 0) else { return 0 };
    conversation.messages.drain(..starts.get(first).copied().unwrap_or_default());
    u32::try_from(first).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{At, Message};

    #[test]
    fn the_last_turns_are_kept_whole() {
        use Voice::{Assistant, Tool, User};
        let voices = [User, Assistant, Tool, Assistant, User, User, Assistant, User];
        let kept = |wanted: usize| {
            let mut conversation = Conversation::default();
            voices.iter().for_each(|voice| conversation.push(Message::new(*voice, At::default())));
            let left_out = keep_last(&mut conversation, wanted);
            (conversation.messages.len(), left_out)
        };
        assert_eq!([kept(1), kept(2), kept(3), kept(9)], [(1, 2), (4, 1), (8, 0), (8, 0)]);
    }
}
