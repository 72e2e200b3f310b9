//! Kinds of damage to histories of messages; each was seen in logs.

use replaylint::Dialect;

use super::messages::{Block, CallBlock, GeneratedMessage, MessageHistory, ResultBlock};
use super::{DamageFn, pick_place};
use crate::support::rng::Rng;

/// Indices of a message, and of a block in it.
type BlockPosition = (usize, usize);

pub const KINDS: &[(&str, DamageFn<MessageHistory>)] = &[
    ("drop a result", |rng, h| remove_block(rng, h, is_result).map(drop)),
    ("drop a result", |rng, h| remove_block(rng, h, is_result).map(drop)),
    ("drop a call", |rng, h| remove_block(rng, h, is_call).map(drop)),
    ("drop a call", |rng, h| remove_block(rng, h, is_call).map(drop)),
    ("result past a turn", |rng, h| {
        let from = find_block(rng, h, is_result)?;
        let later = pick_place(rng, &h.messages, |n, message| n > from.0 + 1 && !message.is_model)?;
        let block = h.messages[from.0].blocks.remove(from.1);
        h.messages[later].blocks.insert(0, block);
        remove_empty_messages(h)
    }),
    ("result before its call", |rng, h| {
        let from = find_block(rng, h, is_result)?;
        let earlier = pick_place(rng, &h.messages, |n, message| n + 1 < from.0 && !message.is_model)?;
        let block = h.messages[from.0].blocks.remove(from.1);
        h.messages[earlier].blocks.push(block);
        remove_empty_messages(h)
    }),
    ("duplicate result, equal", |rng, h| {
        let (m, b) = find_block(rng, h, is_result)?;
        duplicate_block(h, m, b)
    }),
    ("duplicate result, in a later turn", |rng, h| {
        let (m, b) = find_block(rng, h, is_result)?;
        let later = pick_place(rng, &h.messages, |n, message| n > m + 1 && !message.is_model)?;
        let copy = h.messages[m].blocks[b].clone();
        h.messages[later].blocks.insert(0, copy);
        Some(())
    }),
    ("duplicate result, differing", |rng, h| {
        let (m, b) = find_block(rng, h, is_result)?;
        let text = format!("other result <{}>", h.next_number());
        let mut copy = h.messages[m].blocks[b].clone();
        if let Block::Result(answer) = &mut copy {
            answer.text = text;
        }
        h.messages[m].blocks.insert(b + 1, copy);
        Some(())
    }),
    ("duplicate call, equal", |rng, h| {
        let (m, b) = find_block(rng, h, is_call)?;
        duplicate_block(h, m, b)
    }),
    ("two calls of one id", |rng, h| {
        // With a result each.
        let (m, b) = find_block(rng, h, is_call)?;
        let other = h.messages[m].blocks.iter().skip(b + 1).position(is_call)? + b + 1;
        let (from, to) = (key_of(&h.messages[m].blocks[other])?, key_of(&h.messages[m].blocks[b])?);
        rename_key(h, &from, &Some(to));
        Some(())
    }),
    ("an id of an earlier turn", |rng, h| {
        let (m, b) = find_block(rng, h, is_call)?;
        let to = key_of(&h.messages[m].blocks[b])?;
        let later = pick_place(rng, &h.messages, |n, message| n > m && message.blocks.iter().any(is_call))?;
        let call = h.messages[later].blocks.iter().find(|block| is_call(block))?;
        let from = key_of(call).filter(|from| *from != to)?;
        rename_key(h, &from, &Some(to));
        Some(())
    }),
    ("empty text among blocks", |rng, h| {
        let m = pick_place(rng, &h.messages, |_, message| !message.blocks.is_empty())?;
        let at = rng.below(h.messages[m].blocks.len() + 1);
        h.messages[m].blocks.insert(at, Block::Text(String::new()));
        Some(())
    }),
    ("message of empty text", |rng, h| {
        let m = rng.below(h.messages.len() + 1);
        let is_model = rng.one_in(2);
        h.messages.insert(m, GeneratedMessage { is_model, blocks: vec![Block::Text(String::new())] });
        Some(())
    }),
    ("empty message", |rng, h| {
        let m = rng.below(h.messages.len() + 1);
        let is_model = rng.one_in(2);
        h.messages.insert(m, GeneratedMessage { is_model, blocks: Vec::new() });
        Some(())
    }),
    ("thinking unsigned", |rng, h| {
        let (m, b) = find_block(rng, h, is_thinking)?;
        if let Block::Thinking { is_signed, .. } = &mut h.messages[m].blocks[b] {
            *is_signed = false;
        }
        Some(())
    }),
    ("thinking misplaced", |rng, h| {
        let (m, b) = find_block(rng, h, is_thinking)?;
        let block = h.messages[m].blocks.remove(b);
        let blocks = &mut h.messages[m].blocks;
        let at = blocks.len().min(1 + rng.below(blocks.len()));
        blocks.insert(at, block);
        Some(())
    }),
    ("ends with calls", |rng, h| {
        let m = pick_place(rng, &h.messages, |_, message| message.blocks.iter().any(is_call))?;
        h.messages.truncate(m + 1);
        Some(())
    }),
    ("text before results", |rng, h| {
        let (m, _) = find_block(rng, h, is_result)?;
        let text = Block::Text(format!("interrupt <{}>", h.next_number()));
        h.messages[m].blocks.insert(0, text);
        Some(())
    }),
    ("user message before results", |rng, h| {
        let (m, _) = find_block(rng, h, is_result)?;
        let text = Block::Text(format!("interrupt <{}>", h.next_number()));
        h.messages.insert(m, GeneratedMessage { is_model: false, blocks: vec![text] });
        Some(())
    }),
    ("model message before results", |rng, h| {
        let (m, _) = find_block(rng, h, is_result)?;
        let text = Block::Text(format!("say <{}>", h.next_number()));
        h.messages.insert(m, GeneratedMessage { is_model: true, blocks: vec![text] });
        Some(())
    }),
    ("text after a call", |rng, h| {
        let (m, b) = find_block(rng, h, is_call)?;
        let text = Block::Text(format!("say <{}>", h.next_number()));
        h.messages[m].blocks.insert(b + 1, text);
        Some(())
    }),
    ("results split", |rng, h| {
        let (m, b) = find_block(rng, h, is_result)?;
        let rest = h.messages[m].blocks.split_off(b + 1);
        (!rest.is_empty()).then(|| h.messages.insert(m + 1, GeneratedMessage { is_model: false, blocks: rest }))
    }),
    ("empty id, both sides", |rng, h| {
        let at = find_block(rng, h, is_call)?;
        let key = key_of(&h.messages[at.0].blocks[at.1])?;
        rename_key(h, &key, &Some(String::new()));
        Some(())
    }),
    ("id missing on one side", |rng, h| {
        let at = find_block(rng, h, |block| is_call(block) || is_result(block))?;
        let to = if rng.one_in(2) { None } else { Some(String::new()) };
        key_of(&h.messages[at.0].blocks[at.1])?;
        set_key(&mut h.messages[at.0].blocks[at.1], &to);
        Some(())
    }),
    ("long id", |rng, h| {
        let at = find_block(rng, h, is_call)?;
        let key = key_of(&h.messages[at.0].blocks[at.1])?;
        rename_key(h, &key, &Some(format!("{key}{}", "x".repeat(65))));
        Some(())
    }),
    ("id with other characters", |rng, h| {
        let at = find_block(rng, h, is_call)?;
        let key = key_of(&h.messages[at.0].blocks[at.1])?;
        rename_key(h, &key, &Some(format!("functions/{key} 1")));
        Some(())
    }),
    ("result in the model's message", |rng, h| {
        (h.dialect == Dialect::Anthropic).then_some(())?;
        let (m, b) = find_block(rng, h, is_result)?;
        let block = h.messages[m].blocks.remove(b);
        h.messages[m.checked_sub(1)?].blocks.push(block);
        remove_empty_messages(h)
    }),
    ("arguments as a text", |rng, h| {
        let (m, b) = find_block(rng, h, is_call)?;
        if let Block::Call(call) = &mut h.messages[m].blocks[b] {
            call.is_text = true;
        }
        Some(())
    }),
    ("response without a name", |rng, h| {
        (h.dialect == Dialect::Gemini).then_some(())?;
        let (m, b) = find_block(rng, h, is_result)?;
        if let Block::Result(answer) = &mut h.messages[m].blocks[b] {
            answer.name = "";
        }
        Some(())
    }),
    ("orphan result alone", |rng, h| {
        let m = pick_place(rng, &h.messages, |n, message| n > 0 && message.is_model)?;
        let n = h.next_number();
        let answer = ResultBlock { key: h.key(n), name: "f", text: format!("result <{n}>") };
        h.messages.insert(m, GeneratedMessage { is_model: false, blocks: vec![Block::Result(answer)] });
        Some(())
    }),
    ("orphan result at the end", |_, h| {
        let n = h.next_number();
        let answer = ResultBlock { key: h.key(n), name: "f", text: format!("result <{n}>") };
        h.messages.push(GeneratedMessage { is_model: false, blocks: vec![Block::Result(answer)] });
        Some(())
    }),
    ("unanswered call", |rng, h| {
        let m = pick_place(rng, &h.messages, |_, message| message.is_model)?;
        let n = h.next_number();
        let call =
            CallBlock { key: h.key(n), name: "f", n, is_text: false, is_signed: h.model.starts_with("gemini-3") };
        let blocks = &mut h.messages[m].blocks;
        let at = blocks.iter().rposition(|block| !is_call(block)).map_or(0, |at| at + 1);
        blocks.insert(at, Block::Call(call));
        Some(())
    }),
    ("null content", |rng, h| {
        (h.dialect == Dialect::Chat && h.null_content.is_empty()).then_some(())?;
        // It is applied when the message is written, so other damage must not move the message.
        let last = h.messages.last()?;
        let _ = rng;
        (!last.blocks.iter().any(is_call)).then(|| h.null_content.push(h.messages.len() - 1))
    }),
    ("empty list of calls", |rng, h| {
        (h.dialect == Dialect::Chat && h.empty_calls.is_empty()).then_some(())?;
        let _ = rng;
        let first = h.messages.get(1)?;
        (first.is_model && !first.blocks.iter().any(is_call)).then(|| h.empty_calls.push(1))
    }),
    ("head cut off", |rng, h| {
        let cut = 1 + rng.below(h.messages.len().min(3));
        (h.messages.len() > cut + 1).then(|| drop(h.messages.drain(..cut)))
    }),
    ("tail cut off", |rng, h| {
        let cut = 1 + rng.below(h.messages.len().min(3));
        (h.messages.len() > cut + 1).then(|| h.messages.truncate(h.messages.len() - cut))
    }),
];

fn is_call(block: &Block) -> bool {
    matches!(block, Block::Call(_))
}

fn is_result(block: &Block) -> bool {
    matches!(block, Block::Result(_))
}

fn is_thinking(block: &Block) -> bool {
    matches!(block, Block::Thinking { .. })
}

/// A random block that meets a condition.
fn find_block(rng: &mut Rng, h: &MessageHistory, holds: impl Fn(&Block) -> bool) -> Option<BlockPosition> {
    let all = h.messages.iter().enumerate();
    let all =
        all.flat_map(|(m, message)| message.blocks.iter().enumerate().map(move |(b, block)| ((m, b), block)));
    let places: Vec<BlockPosition> = all.filter(|(_, block)| holds(block)).map(|(at, _)| at).collect();
    (!places.is_empty()).then(|| *rng.pick(&places))
}

fn remove_block(rng: &mut Rng, h: &mut MessageHistory, holds: impl Fn(&Block) -> bool) -> Option<Block> {
    let (m, b) = find_block(rng, h, holds)?;
    if h.messages.len() == 1 && h.messages[0].blocks.len() == 1 {
        return None;
    }
    let block = h.messages[m].blocks.remove(b);
    remove_empty_messages(h).map(|()| block)
}

/// Inserts a copy of a block directly after it.
fn duplicate_block(h: &mut MessageHistory, message: usize, block: usize) -> Option<()> {
    let blocks = &mut h.messages[message].blocks;
    blocks.insert(block + 1, blocks[block].clone());
    Some(())
}

/// Removes messages without blocks.
fn remove_empty_messages(h: &mut MessageHistory) -> Option<()> {
    h.messages.retain(|message| !message.blocks.is_empty());
    Some(())
}

fn key_of(block: &Block) -> Option<String> {
    match block {
        Block::Call(CallBlock { key, .. }) | Block::Result(ResultBlock { key, .. }) => {
            key.clone().filter(|key| !key.is_empty())
        }
        _ => None,
    }
}

fn set_key(block: &mut Block, to: &Option<String>) {
    if let Block::Call(CallBlock { key, .. }) | Block::Result(ResultBlock { key, .. }) = block {
        key.clone_from(to);
    }
}

fn rename_key(h: &mut MessageHistory, from: &str, to: &Option<String>) {
    for block in h.messages.iter_mut().flat_map(|message| &mut message.blocks) {
        if key_of(block).as_deref() == Some(from) {
            set_key(block, to);
        }
    }
}
