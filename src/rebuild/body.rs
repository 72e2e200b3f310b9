//! The next request: only what is new on top of the state of the server, or the whole history, repaired for its
//! target.

use std::io;

use crate::dialect::{Dialect, ItemOrigin, LogThread};
use crate::dialects::responses::RESPONSES;
use crate::formats::envelopes;
use crate::history::{Flags, History, HistorySettings, Row};
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, name, scan, string};
use crate::judge::{self, EnabledRules};
use crate::message::LossKind;
use crate::message::write::JsonWriter;
use crate::place::Place;
use crate::repair;
use crate::repair::{Action, Orphans};
use crate::rules::reasoning::reasoning_without_item;

use super::history_cut::{self, HistoryCut};
use super::messages_body;
use super::node_thread::{self, NodeThread};
use super::request::{BODY, ChainPolicy, NextRequest, RequestSpec, user_message, write_items, write_request};
use super::{Budget, ChainJudge, Conversation, Reason};

/// Builds the next request at a node.
pub fn rebuild(conversation: &Conversation, at: u32, spec: &RequestSpec<'_>) -> io::Result<NextRequest> {
    let forest = &conversation.forest;
    let judge = ChainJudge::new(forest, spec.chain);
    let mut advice = judge.advice(at);
    if spec.budget.is_some() {
        advice.reasons.push(Reason::Cut);
    }
    if spec.policy == ChainPolicy::Never {
        advice.reasons.push(Reason::Never);
    }
    let wanted = spec.policy == ChainPolicy::Always || advice.is_chain();
    let id = advice.id.clone().filter(|_| wanted);
    if id.is_none() && messages_body::applies(conversation, at, spec.target) {
        return messages_body::rebuild(conversation, at, spec, advice);
    }
    let path = forest.path(at);
    let answer_end =
        advice.answer.and_then(|answer| path.iter().position(|node| *node == answer)).map_or(0, |ix| ix + 1);
    let (before, after) = path.split_at(answer_end);
    let nodes = if id.is_some() { after } else { &path };
    let stored = spec.lint.store.or(advice.answer.and_then(|answer| forest.node(answer).entry.store));
    let limit = spec.lint.read.max_record;
    let NodeThread { mut log, incomplete } =
        node_thread::read(conversation, nodes, stored.unwrap_or(true), limit)?;
    let mut notes = Vec::new();
    note_left_out(&log, incomplete, &mut notes);
    let is_new = !log.thread.messages.is_empty();
    if id.is_some() {
        log.thread.messages.splice(..0, node_thread::instructions(conversation, before, limit)?);
    }
    let mut items = Vec::new();
    // The index of the message of each item.
    let mut messages = Vec::new();
    for (n, message) in log.thread.messages.drain(..).enumerate() {
        write_items(&RESPONSES, &message, &mut items);
        messages.resize(items.len(), n as u32);
    }
    let mut cut = None;
    if let (Some(budget), None) = (spec.budget, &id) {
        let found = cut_items(&items, &messages, budget, spec.fix.orphans == Orphans::Drop);
        items = apply_cut(items, &found);
        cut = Some(found);
    }
    if let Some(ask) = spec.ask {
        write_items(&RESPONSES, &user_message(ask), &mut items);
    } else if id.is_some() && !is_new {
        notes.push("there is no new input after the response; add some with --ask TEXT".to_owned());
    }
    if let Some(gone) = path.first().and_then(|root| forest.node(*root).missing.as_deref())
        && id.is_none()
    {
        notes.push(format!("the history is incomplete: {gone} is not stored here"));
    }
    let mut members = request_members(conversation, at, spec, &mut notes);
    if let Some(id) = &id {
        members.push(("previous_response_id".to_owned(), string::quoted(id)));
    }
    let count_of_items = items.len();
    let body = write_request(&members, "input", items);
    let options = judge::Options {
        store: stored,
        model: spec.lint.model.clone(),
        enabled: EnabledRules::new(|rule| {
            let is_kept = log.keeps_ids && rule.code == reasoning_without_item::RULE.code;
            spec.lint.enabled.has(rule.code) && !is_kept
        }),
        ..spec.options(&envelopes::RESPONSES_REQUEST)
    };
    let fixed = repair::fix(BODY, &body, &options, spec.fix, 1)?;
    let count = |action: Action| fixed.changes.iter().filter(|change| change.action == action).count();
    let items = (count_of_items + count(Action::Stub)).saturating_sub(count(Action::Drop));
    Ok(NextRequest {
        advice,
        previous_response: id.map(|id| id.to_string()),
        cut,
        items,
        unit: "item",
        notes,
        body,
        repair: fixed,
    })
}

fn note_left_out(log: &LogThread, incomplete: usize, notes: &mut Vec<String>) {
    let mut note = |n: usize, what: &str, many: &str, why: &str| match n {
        0 => {}
        1 => notes.push(format!("1 {what} {why}")),
        n => notes.push(format!("{n} {many} {why}")),
    };
    let count =
        |is_one: &dyn Fn(LossKind) -> bool| log.losses.list.iter().filter(|lost| is_one(lost.kind)).count();
    let thinking = count(&|kind| kind == LossKind::REASONING);
    let why = "left out: only the provider that signed it can read it";
    note(thinking, "thinking block", "thinking blocks", why);
    let gone = count(&|kind| LEFT_OUT.contains(&kind));
    note(gone, "block", "blocks", "left out: a request cannot represent it");
    note(incomplete, "item", "items", "left out: incomplete when stored");
    let why = "sent without the id: no item of the model follows (RL202)";
    note(log.detached_reasoning, "reasoning item", "reasoning items", why);
    let mut reasons = log.unsent.clone();
    reasons.sort_unstable();
    for same in reasons.chunk_by(|a, b| a == b) {
        let why = same.first().map(|why| format!("left out: {why}")).unwrap_or_default();
        note(same.len(), "part of the log", "parts of the log", &why);
    }
}

/// Kinds of content that the Responses API does not accept in any form.
const LEFT_OUT: [LossKind; 7] = [
    LossKind::UNKNOWN,
    LossKind::SERVER_TOOL,
    LossKind::COMPACTION,
    LossKind::REFERENCE,
    LossKind::MEDIA,
    LossKind::MEDIA_URL,
    LossKind::FILE_ID,
];

/// Cuts items to a budget. `messages` has the message of each item; all items of one response are one message.
fn cut_items(items: &[Vec<u8>], messages: &[u32], budget: Budget, drops: bool) -> HistoryCut {
    let mut rows: Vec<Row> = Vec::with_capacity(items.len());
    let mut tape = Tape::new();
    let mut at = 0;
    for (item, &turn) in items.iter().zip(messages) {
        let origin =
            ItemOrigin { base: RecordBase::new(BODY, at), record: 0, turn, part: 0, flags: Flags::default() };
        let before = rows.len();
        if let Some(val) = scan(item, &mut tape).ok().and_then(|()| tape.root(item)) {
            RESPONSES.rows(val, origin, &mut |found| rows.push(found.row));
        }
        if rows.len() == before {
            rows.push(Row::of_place(Place::new(BODY, at, 0), 0));
        }
        rows.truncate(before + 1);
        at += item.len() as u64;
    }
    let sizes: Vec<usize> = items.iter().map(|item| budget.size_of(item)).collect();
    history_cut::cut_history(
        &History::new(rows, HistorySettings::default(), RESPONSES.info().pairing),
        &sizes,
        budget,
        drops,
    )
}

/// The items that a cut keeps.
#[expect(
    clippy::indexing_slicing,
    reason = "a cut names items of the list that was cut, which has a row for each"
)]
fn apply_cut(mut items: Vec<Vec<u8>>, cut: &HistoryCut) -> Vec<Vec<u8>> {
    for ix in &cut.detached {
        remove_id(&mut items[*ix as usize]);
    }
    cut.items.iter().map(|ix| std::mem::take(&mut items[*ix as usize])).collect()
}

/// Removes the id of an item.
fn remove_id(item: &mut Vec<u8>) {
    let mut tape = Tape::new();
    let Some(val) = scan(item, &mut tape).ok().and_then(|()| tape.root(item)) else { return };
    let mut out = Vec::with_capacity(item.len());
    JsonWriter::new(&mut out).object(|w| {
        for member in val.members().filter(|member| !member.key.is(b"id")) {
            w.key(&String::from_utf8_lossy(member.key.raw)).bytes(member.val.raw());
        }
    });
    *item = out;
}

/// Members of a request that the next one does not repeat.
const NOT_REPEATED: [&str; 3] = ["input", "previous_response_id", "conversation"];

/// Members of a response that repeat those of its request.
const ECHOED: [&str; 12] = [
    "model",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "reasoning",
    "text",
    "store",
    "truncation",
    "max_output_tokens",
    "temperature",
    "top_p",
];

/// All members of the body except its input: those of the nearest request above, or those that its response
/// repeats.
fn request_members(
    conversation: &Conversation,
    at: u32,
    spec: &RequestSpec<'_>,
    notes: &mut Vec<String>,
) -> Vec<(String, Vec<u8>)> {
    let forest = &conversation.forest;
    let nearest = forest.upward(at).find_map(|node| forest.node(node).entry.body);
    let mut members = nearest
        .and_then(|(place, embedded)| conversation.see(place, embedded, repeated_members))
        .unwrap_or_default();
    let quoted = |text: &str| string::quoted(text);
    let mut set = |key: &str, value: Vec<u8>| match members.iter_mut().find(|(known, _)| known == key) {
        Some((_, old)) => *old = value,
        None => members.insert(usize::from(key != "model"), (key.to_owned(), value)),
    };
    let known = forest.upward(at).find_map(|node| forest.node(node).entry.model.clone());
    match (&spec.chain.model, known, nearest) {
        (Some(model), ..) => set("model", quoted(model)),
        (None, Some(model), None) => set("model", quoted(&model)),
        (None, None, _) => notes.push("the model is unknown; set it with --model NAME".to_owned()),
        _ => {}
    }
    // Without a body, only the habit of the client shows whether it asks the server to store.
    let habit = || forest.answer_above(at).and_then(|answer| forest.node(answer).entry.store);
    let habit = if nearest.is_none() { habit() } else { None };
    if let Some(store) = spec.chain.store.or(habit) {
        members.retain(|(key, _)| key != "store");
        let at = members.iter().position(|(key, _)| key == "model").map_or(0, |ix| ix + 1);
        members.insert(at, ("store".to_owned(), store.to_string().into_bytes()));
    }
    if nearest.is_none() {
        notes.push("instructions and tools are not stored here; add them yourself".to_owned());
    }
    members
}

fn repeated_members(body: Val<'_>) -> Vec<(String, Vec<u8>)> {
    let response = body.get(name::output).is_some();
    let wanted = |key: &str, val: Val<'_>| match response {
        true => ECHOED.contains(&key) && !val.is_null(),
        false => !NOT_REPEATED.contains(&key),
    };
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    for member in body.members() {
        let key = String::from_utf8_lossy(&member.key.decode()).into_owned();
        if wanted(&key, member.val) && members.iter().all(|(known, _)| *known != key) {
            let mut text = Vec::new();
            string::one_line(member.val.raw(), &mut text);
            members.push((key, text));
        }
    }
    members
}
