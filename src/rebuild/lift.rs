//! From stored items to the items of a request. What a Responses server made goes back as it came, without what only
//! its SDKs added; blocks of a session are written anew.

use std::io;

use crate::dialect::Replay;
use crate::history::tree::Marks;
use crate::history::{Flags, Row};
use crate::json::{Tape, Val, name, scan, string};

use super::Conversation;
use super::blocks::Blocks;
use super::foreign;
use super::lifted::{Lifted, message, text_part};

/// Members that SDKs and servers put into output items, and that a request must not carry.
const OUTPUT_ONLY: [&str; 4] = ["parsed", "parsed_arguments", "created_by", "logprobs"];

/// How stored items become those of a request.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// The server keeps items, so that they may go by reference.
    pub stored: bool,
    /// Records larger than this are passed over.
    pub limit: u64,
}

/// The items of a run of nodes, in order.
pub(super) fn items(conversation: &Conversation, nodes: &[u32], how: How) -> io::Result<Lifted> {
    let mut lifted = Lifted::default();
    let doc = |node: &u32| conversation.forest.node(*node).entry.at.doc;
    for run in nodes.chunk_by(|a, b| doc(a) == doc(b)) {
        match run.first().and_then(|node| conversation.replay(doc(node), how.stored)) {
            Some(replay) => replayed(conversation, run, replay, how.limit, &mut lifted)?,
            None => own(conversation, run, &mut lifted),
        }
    }
    Ok(lifted)
}

/// The instructions that stand in a run of nodes of a log that is replayed: a client that builds on the server's state
/// says them again.
pub(super) fn instructions(conversation: &Conversation, nodes: &[u32], how: How) -> io::Result<Vec<Vec<u8>>> {
    let foreign =
        |node: &&u32| conversation.replay(conversation.forest.node(**node).entry.at.doc, how.stored).is_some();
    let nodes: Vec<u32> = nodes.iter().filter(foreign).copied().collect();
    let mut items = items(conversation, &nodes, how)?.items;
    let mut tape = Tape::new();
    let role = |val: Val<'_>| val.get(name::role).is_some_and(|role| role.is("system") || role.is("developer"));
    items.retain(|item| scan(item, &mut tape).ok().and_then(|()| tape.root(item)).is_some_and(role));
    Ok(items)
}

/// Replays the records of a run of nodes.
fn replayed(
    conversation: &Conversation,
    nodes: &[u32],
    mut replay: Box<dyn Replay>,
    limit: u64,
    to: &mut Lifted,
) -> io::Result<()> {
    let forest = &conversation.forest;
    let rows = |node: &u32| forest.rows_of(*node).iter().map(|row| row.at.start);
    let starts = || nodes.iter().flat_map(|node| rows(node).chain([forest.node(*node).entry.at.start]));
    let (Some(from), Some(last)) = (starts().min(), starts().max()) else { return Ok(()) };
    replay.only(&starts().collect());
    let doc = nodes.first().and_then(|node| conversation.part(forest.node(*node).entry.at.doc));
    let Some(doc) = doc.map(|part| &part.doc) else { return Ok(()) };
    let source = foreign::Source { id: doc.id, bytes: &*doc.bytes, within: from..=last, limit };
    let mut replayed = foreign::replay(&source, replay)?;
    let before = to.items.len();
    to.ends.extend(replayed.ends.iter().map(|end| end + before));
    to.items.append(&mut replayed.items);
    to.left_out.append(&mut replayed.left_out);
    to.detached += replayed.detached;
    to.keeps_ids |= replayed.keeps_ids;
    Ok(())
}

/// The items of nodes that hold items, or blocks.
fn own(conversation: &Conversation, nodes: &[u32], lifted: &mut Lifted) {
    for &node in nodes {
        let marks = conversation.forest.node(node).entry.marks;
        let cut_off = marks.has(Marks::FAILED) || marks.has(Marks::UNFINISHED);
        let rows = conversation.forest.rows_of(node);
        let is_blocks = |row: &Row| conversation.info(row.at.doc).is_some_and(super::is_session);
        if rows.first().is_some_and(is_blocks) {
            let mut blocks = Blocks::default();
            for row in rows {
                conversation.item(row, |val| blocks.take(row, val));
            }
            blocks.finish(lifted);
            continue;
        }
        for row in rows {
            let item = conversation.item(row, |val| {
                if !val.is_object() {
                    return val.text().map(|text| message(row.role, &text_part(row.role, &text)));
                }
                let unfinished = ["in_progress", "incomplete"]
                    .iter()
                    .any(|state| val.get(name::status).is_some_and(|status| status.is(state)));
                if cut_off && unfinished && row.has(Flags::RECORDED) {
                    return None;
                }
                Some(stored(val, row.has(Flags::RECORDED)))
            });
            match item.flatten() {
                Some(item) => lifted.items.push(item),
                None => lifted.incomplete += 1,
            }
        }
    }
}

/// A stored item on one line. Members that only responses have are left out of what was recorded.
fn stored(val: Val<'_>, recorded: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(val.size() as usize);
    let alien = |object: Val<'_>| OUTPUT_ONLY.iter().any(|key| object.get(key).is_some());
    let parts = val.get(name::content).filter(|content| content.elements().any(alien));
    if !recorded || !alien(val) && parts.is_none() {
        string::one_line(val.raw(), &mut out);
        return out;
    }
    let mut members = Vec::new();
    for member in val.members().filter(|member| !is_output_only(&member.key.decode())) {
        let mut text = [b"\"", member.key.raw, b"\":"].concat();
        match parts.filter(|_| member.key.is(b"content")) {
            Some(parts) => {
                let parts: Vec<Vec<u8>> = parts.elements().map(|part| stored(part, true)).collect();
                text.extend([b"[", &*parts.join(&b","[..]), b"]"].concat());
            }
            None => string::one_line(member.val.raw(), &mut text),
        }
        members.push(text);
    }
    [b"{", &*members.join(&b","[..]), b"}"].concat()
}

fn is_output_only(key: &[u8]) -> bool {
    OUTPUT_ONLY.iter().any(|name| name.as_bytes() == key)
}
