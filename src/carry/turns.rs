//! The last turns of a conversation: messages of the user, with what followed.

use crate::message::{Role, Thread};

/// Keeps the last `wanted` turns. Returns how many were left out.
pub fn keep_last(conversation: &mut Thread, wanted: usize) -> u32 {
    let mut starts: Vec<usize> = Vec::new();
    for (at, message) in conversation.messages.iter().enumerate() {
        // Messages of the user in a row are one turn.
        let follows = {
            let before = at.checked_sub(1).and_then(|before| conversation.messages.get(before));
            before.is_some_and(|before| before.role == Role::User)
        };
        if message.role == Role::User && !follows {
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
    use crate::message::{Message, SourceLocation};

    #[test]
    fn the_last_turns_are_kept_whole() {
        use Role::{Assistant, Tool, User};
        let roles = [User, Assistant, Tool, Assistant, User, User, Assistant, User];
        let kept = |wanted: usize| {
            let mut conversation = Thread::default();
            roles.iter().for_each(|role| conversation.push(Message::new(*role, SourceLocation::default())));
            let left_out = keep_last(&mut conversation, wanted);
            (conversation.messages.len(), left_out)
        };
        assert_eq!([kept(1), kept(2), kept(3), kept(9)], [(1, 2), (4, 1), (8, 0), (8, 0)]);
    }
}
