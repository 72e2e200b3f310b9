//! What happens to histories of messages: each kind is one that logs were seen to have.

use replaylint::Dialect;

use super::messages::{Answer, Block, Call, History, Message};
use super::{Damage, place};
use crate::support::rng::Rng;

/// A message, and a block of it.
type At = (usize, usize);

pub const KINDS: &[(&str, Damage<History>)] = &[
    ("drop a result", |rng, h| take(rng, h, is_result).map(drop)),
    ("drop a result", |rng, h| take(rng, h, is_result).map(drop)),
    ("drop a call", |rng, h| take(rng, h, is_call).map(drop)),
    ("drop a call", |rng, h| take(rng, h, is_call).map(drop)),
    ("result past a turn", |rng, h| {
        let from = find(rng, h, is_result)?;
        let later = place(rng, &h.messages, |n, message| n > from.0 + 1 && !message.model)?;
        let block = h.messages[from.0].blocks.remove(from.1);
        h.messages[later].blocks.insert(0, block);
        tidy(h)
    }),
    ("result before its call", |rng, h| {
        let from = find(rng, h, is_result)?;
        let earlier = place(rng, &h.messages, |n, message| n + 1 < from.0 && !message.model)?;
        let block = h.messages[from.0].blocks.remove(from.1);
        h.messages[earlier].blocks.push(block);
        tidy(h)
    }),
    ("duplicate result, equal", |rng, h| {
        let (m, b) = find(rng, h, is_result)?;
        double(h, m, b)
    }),
    ("duplicate result, in a later turn", |rng, h| {
        let (m, b) = find(rng, h, is_result)?;
        let later = place(rng, &h.messages, |n, message| n > m + 1 && !message.model)?;
        let copy = h.messages[m].blocks[b].clone();
        h.messages[later].blocks.insert(0, copy);
        Some(())
    }),
    ("duplicate result, differing", |rng, h| {
        let (m, b) = find(rng, h, is_result)?;
        let text = format!("other result <{}>", h.number());
        let mut copy = h.messages[m].blocks[b].clone();
        if let Block::Result(answer) = &mut copy {
            answer.text = text;
        }
        h.messages[m].blocks.insert(b + 1, copy);
        Some(())
    }),
    ("duplicate call, equal", |rng, h| {
        let (m, b) = find(rng, h, is_call)?;
        double(h, m, b)
    }),
    ("two calls of one id", |rng, h| {
        // With a result each.
        let (m, b) = find(rng, h, is_call)?;
        let other = h.messages[m].blocks.iter().skip(b + 1).position(is_call)? + b + 1;
        let (from, to) = (key_of(&h.messages[m].blocks[other])?, key_of(&h.messages[m].blocks[b])?);
        rename(h, &from, &Some(to));
        Some(())
    }),
    ("an id of an earlier turn", |rng, h| {
        let (m, b) = find(rng, h, is_call)?;
        let to = key_of(&h.messages[m].blocks[b])?;
        let later = place(rng, &h.messages, |n, message| n > m && message.blocks.iter().any(is_call))?;
        let call = h.messages[later].blocks.iter().find(|block| is_call(block))?;
        let from = key_of(call).filter(|from| *from != to)?;
        rename(h, &from, &Some(to));
        Some(())
    }),
    ("empty text among blocks", |rng, h| {
        let m = place(rng, &h.messages, |_, message| !message.blocks.is_empty())?;
        let at = rng.below(h.messages[m].blocks.len() + 1);
        h.messages[m].blocks.insert(at, Block::Text(String::new()));
        Some(())
    }),
    ("message of empty text", |rng, h| {
        let m = rng.below(h.messages.len() + 1);
        let model = rng.one_in(2);
        h.messages.insert(m, Message { model, blocks: vec![Block::Text(String::new())] });
        Some(())
    }),
    ("empty message", |rng, h| {
        let m = rng.below(h.messages.len() + 1);
        let model = rng.one_in(2);
        h.messages.insert(m, Message { model, blocks: Vec::new() });
        Some(())
    }),
    ("thinking unsigned", |rng, h| {
        let (m, b) = find(rng, h, is_thinking)?;
        if let Block::Thinking { signed, .. } = &mut h.messages[m].blocks[b] {
            *signed = false;
        }
        Some(())
    }),
    ("thinking misplaced", |rng, h| {
        let (m, b) = find(rng, h, is_thinking)?;
        let block = h.messages[m].blocks.remove(b);
        let blocks = &mut h.messages[m].blocks;
        let at = blocks.len().min(1 + rng.below(blocks.len()));
        blocks.insert(at, block);
        Some(())
    }),
    ("ends with calls", |rng, h| {
        let m = place(rng, &h.messages, |_, message| message.blocks.iter().any(is_call))?;
        h.messages.truncate(m + 1);
        Some(())
    }),
    ("text before results", |rng, h| {
        let (m, _) = find(rng, h, is_result)?;
        let text = Block::Text(format!("interrupt <{}>", h.number()));
        h.messages[m].blocks.insert(0, text);
        Some(())
    }),
    ("user message before results", |rng, h| {
        let (m, _) = find(rng, h, is_result)?;
        let text = Block::Text(format!("interrupt <{}>", h.number()));
        h.messages.insert(m, Message { model: false, blocks: vec![text] });
        Some(())
    }),
    ("model message before results", |rng, h| {
        let (m, _) = find(rng, h, is_result)?;
        let text = Block::Text(format!("say <{}>", h.number()));
        h.messages.insert(m, Message { model: true, blocks: vec![text] });
        Some(())
    }),
    ("text after a call", |rng, h| {
        let (m, b) = find(rng, h, is_call)?;
        let text = Block::Text(format!("say <{}>", h.number()));
        h.messages[m].blocks.insert(b + 1, text);
        Some(())
    }),
    ("results split", |rng, h| {
        let (m, b) = find(rng, h, is_result)?;
        let rest = h.messages[m].blocks.split_off(b + 1);
        (!rest.is_empty()).then(|| h.messages.insert(m + 1, Message { model: false, blocks: rest }))
    }),
    ("empty id, both sides", |rng, h| {
        let at = find(rng, h, is_call)?;
        let key = key_of(&h.messages[at.0].blocks[at.1])?;
        rename(h, &key, &Some(String::new()));
        Some(())
    }),
    ("id missing on one side", |rng, h| {
        let at = find(rng, h, |block| is_call(block) || is_result(block))?;
        let to = if rng.one_in(2) { None } else { Some(String::new()) };
        key_of(&h.messages[at.0].blocks[at.1])?;
        set_key(&mut h.messages[at.0].blocks[at.1], &to);
        Some(())
    }),
    ("long id", |rng, h| {
        let at = find(rng, h, is_call)?;
        let key = key_of(&h.messages[at.0].blocks[at.1])?;
        rename(h, &key, &Some(format!("{key}{}", "x".repeat(65))));
        Some(())
    }),
    ("id with other characters", |rng, h| {
        let at = find(rng, h, is_call)?;
        let key = key_of(&h.messages[at.0].blocks[at.1])?;
        rename(h, &key, &Some(format!("functions/{key} 1")));
        Some(())
    }),
    ("result in the model's message", |rng, h| {
        (h.dialect == Dialect::Anthropic).then_some(())?;
        let (m, b) = find(rng, h, is_result)?;
        let block = h.messages[m].blocks.remove(b);
        h.messages[m.checked_sub(1)?].blocks.push(block);
        tidy(h)
    }),
    ("arguments as a text", |rng, h| {
        let (m, b) = find(rng, h, is_call)?;
        if let Block::Call(call) = &mut h.messages[m].blocks[b] {
            call.is_text = true;
        }
        Some(())
    }),
    ("response without a name", |rng, h| {
        (h.dialect == Dialect::Gemini).then_some(())?;
        let (m, b) = find(rng, h, is_result)?;
        if let Block::Result(answer) = &mut h.messages[m].blocks[b] {
            answer.name = "";
        }
        Some(())
    }),
    ("orphan result alone", |rng, h| {
        let m = place(rng, &h.messages, |n, message| n > 0 && message.model)?;
        let n = h.number();
        let answer = Answer { key: h.key(n), name: "f", text: format!("result <{n}>") };
        h.messages.insert(m, Message { model: false, blocks: vec![Block::Result(answer)] });
        Some(())
    }),
    ("orphan result at the end", |_, h| {
        let n = h.number();
        let answer = Answer { key: h.key(n), name: "f", text: format!("result <{n}>") };
        h.messages.push(Message { model: false, blocks: vec![Block::Result(answer)] });
        Some(())
    }),
    ("unanswered call", |rng, h| {
        let m = place(rng, &h.messages, |_, message| message.model)?;
        let n = h.number();
        let call = Call { key: h.key(n), name: "f", n, is_text: false, signed: h.model.starts_with("gemini-3") };
        let blocks = &mut h.messages[m].blocks;
        let at = blocks.iter().rposition(|block| !is_call(block)).map_or(0, |at| at + 1);
        blocks.insert(at, Block::Call(call));
        Some(())
    }),
    ("null content", |rng, h| {
        (h.dialect == Dialect::Chat && h.null_content.is_empty()).then_some(())?;
        // It is set when the message is written; other damage may not move it.
        let last = h.messages.last()?;
        let _ = rng;
        (!last.blocks.iter().any(is_call)).then(|| h.null_content.push(h.messages.len() - 1))
    }),
    ("empty list of calls", |rng, h| {
        (h.dialect == Dialect::Chat && h.no_calls.is_empty()).then_some(())?;
        let _ = rng;
        let first = h.messages.get(1)?;
        (first.model && !first.blocks.iter().any(is_call)).then(|| h.no_calls.push(1))
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

fn find(rng: &mut Rng, h: &History, holds: impl Fn(&Block) -> bool) -> Option<At> {
    let all = h.messages.iter().enumerate();
    let all =
        all.flat_map(|(m, message)| message.blocks.iter().enumerate().map(move |(b, block)| ((m, b), block)));
    let places: Vec<At> = all.filter(|(_, block)| holds(block)).map(|(at, _)| at).collect();
    (!places.is_empty()).then(|| *rng.pick(&places))
}

fn take(rng: &mut Rng, h: &mut History, holds: impl Fn(&Block) -> bool) -> Option<Block> {
    let (m, b) = find(rng, h, holds)?;
    if h.messages.len() == 1 && h.messages[0].blocks.len() == 1 {
        return None;
    }
    let block = h.messages[m].blocks.remove(b);
    tidy(h).map(|()| block)
}

/// A block once more, right after itself.
fn double(h: &mut History, message: usize, block: usize) -> Option<()> {
    let blocks = &mut h.messages[message].blocks;
    blocks.insert(block + 1, blocks[block].clone());
    Some(())
}

/// A message that lost its last block is gone.
fn tidy(h: &mut History) -> Option<()> {
    h.messages.retain(|message| !message.blocks.is_empty());
    Some(())
}

fn key_of(block: &Block) -> Option<String> {
    match block {
        Block::Call(Call { key, .. }) | Block::Result(Answer { key, .. }) => {
            key.clone().filter(|key| !key.is_empty())
        }
        _ => None,
    }
}

fn set_key(block: &mut Block, to: &Option<String>) {
    if let Block::Call(Call { key, .. }) | Block::Result(Answer { key, .. }) = block {
        key.clone_from(to);
    }
}

fn rename(h: &mut History, from: &str, to: &Option<String>) {
    for block in h.messages.iter_mut().flat_map(|message| &mut message.blocks) {
        if key_of(block).as_deref() == Some(from) {
            set_key(block, to);
        }
    }
}
