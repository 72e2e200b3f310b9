//! The next request: the state of the server with only what is new, or the whole history, repaired for its target.

use std::io;

use crate::dialect::{Dialect, Origin};
use crate::dialects::responses::RESPONSES;
use crate::formats::envelopes;
use crate::history::{Flags, History, Role, Row, Settings, Usage};
use crate::json::edit::Base;
use crate::json::{Tape, Val, name, scan, string};
use crate::judge::{self, Enabled};
use crate::place::Place;
use crate::read;
use crate::repair;
use crate::repair::{Action, Orphans};
use crate::rules::reasoning::reasoning_without_item;

use super::cut::{self, Cut};
use super::lift;
use super::lifted::{Lifted, message, text_part, write_request};
use super::messages_body;
use super::request::{BODY, Policy, Rebuild, Rebuilt};
use super::{Budget, Conversation, Judge, Reason};

/// Builds the request that comes next at a node.
pub fn rebuild(conversation: &Conversation, at: u32, asked: &Rebuild<'_>) -> io::Result<Rebuilt> {
    let forest = &conversation.forest;
    let judge = Judge::new(forest, asked.chain);
    let mut verdict = judge.verdict(at);
    if asked.budget.is_some() {
        verdict.reasons.push(Reason::Cut);
    }
    if asked.policy == Policy::Never {
        verdict.reasons.push(Reason::Never);
    }
    let wanted = asked.policy == Policy::Always || verdict.is_chain();
    let id = verdict.id.clone().filter(|_| wanted);
    if id.is_none() && messages_body::applies(conversation, at, asked.target) {
        return messages_body::rebuild(conversation, at, asked, verdict);
    }
    let path = forest.path(at);
    let behind =
        verdict.answer.and_then(|answer| path.iter().position(|node| *node == answer)).map_or(0, |ix| ix + 1);
    let (before, after) = path.split_at(behind);
    let nodes = if id.is_some() { after } else { &path };
    let stored = asked.lint.store.or(verdict.answer.and_then(|answer| forest.node(answer).entry.store));
    let how = lift::How { stored: stored.unwrap_or(true), limit: asked.lint.read.max_record };
    let lifted = lift::items(conversation, nodes, how)?;
    let mut notes = Vec::new();
    left_out(&lifted, &mut notes);
    let keeps_ids = lifted.keeps_ids;
    let mut items = lifted.items;
    let is_new = !items.is_empty();
    if id.is_some() {
        items.splice(..0, lift::instructions(conversation, before, how)?);
    }
    let mut kept = None;
    if let (Some(budget), None) = (asked.budget, &id) {
        let found = cut_items(&items, &lifted.ends, budget, asked.fix.orphans != Orphans::Stub);
        items = kept_of(items, &found);
        kept = Some(found);
    }
    if let Some(ask) = asked.ask {
        items.push(message(Role::User, &text_part(Role::User, ask.as_bytes())));
    } else if id.is_some() && !is_new {
        notes.push("there is no new input after the response; add some with --ask TEXT".to_owned());
    }
    if let Some(gone) = path.first().and_then(|root| forest.node(*root).missing.as_deref())
        && id.is_none()
    {
        notes.push(format!("the history is incomplete: {gone} is not stored here"));
    }
    let mut members = members(conversation, at, asked, &mut notes);
    if let Some(id) = &id {
        members.push(("previous_response_id".to_owned(), string::quoted(id)));
    }
    let count_of_items = items.len();
    let body = write_request(&members, "input", items);
    let options = judge::Options {
        read: read::Options {
            format: Some(&envelopes::RESPONSES_REQUEST),
            usage: Some(Usage::Request),
            effort: asked.lint.read.effort,
            ..read::Options::default()
        },
        target: asked.target,
        store: stored,
        model: asked.lint.model.clone(),
        schemas: asked.lint.schemas.clone(),
        enabled: Enabled::new(|rule| {
            let kept = keeps_ids && rule.code == reasoning_without_item::RULE.code;
            asked.lint.enabled.has(rule.code) && !kept
        }),
        ..judge::Options::default()
    };
    let fixed = repair::fix(BODY, &body, &options, asked.fix, 1)?;
    let count = |action: Action| fixed.changes.iter().filter(|change| change.action == action).count();
    let items = (count_of_items + count(Action::Stub)).saturating_sub(count(Action::Drop));
    Ok(Rebuilt { verdict, chained: id.map(|id| id.to_string()), kept, items, unit: "item", notes, body, fixed })
}

fn left_out(lifted: &Lifted, notes: &mut Vec<String>) {
    let count =
        |n: usize, what: &str, many: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {many}") };
    if lifted.thinking > 0 {
        let blocks = count(lifted.thinking, "thinking block", "thinking blocks");
        notes.push(format!("{blocks} left out: only the provider that signed it can read it"));
    }
    if lifted.skipped > 0 {
        let blocks = count(lifted.skipped, "block", "blocks");
        notes.push(format!("{blocks} left out: a request has no place for it"));
    }
    if lifted.incomplete > 0 {
        let items = count(lifted.incomplete, "item", "items");
        notes.push(format!("{items} left out: incomplete when stored"));
    }
    if lifted.detached > 0 {
        let items = count(lifted.detached, "reasoning item", "reasoning items");
        notes.push(format!("{items} sent without the id: nothing of the model follows (RL202)"));
    }
    let mut reasons: Vec<&str> = lifted.left_out.iter().map(|(_, why)| *why).collect();
    reasons.sort_unstable();
    for same in reasons.chunk_by(|a, b| a == b) {
        let parts = count(same.len(), "part of the log", "parts of the log");
        notes.extend(same.first().map(|why| format!("{parts} left out: {why}")));
    }
}

/// `ends`: how many items there are up to the end of each response, where that is known.
fn cut_items(items: &[Vec<u8>], ends: &[usize], budget: Budget, drops: bool) -> Cut {
    let mut rows: Vec<Row> = Vec::with_capacity(items.len());
    let mut tape = Tape::new();
    let mut at = 0;
    for (ix, item) in items.iter().enumerate() {
        let turn = ends.partition_point(|end| *end <= ix) as u32;
        let origin = Origin { base: Base::new(BODY, at), record: 0, turn, part: 0, flags: Flags::default() };
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
    let sizes: Vec<usize> = items.iter().map(|item| String::from_utf8_lossy(item).chars().count()).collect();
    cut::cut(&History::new(rows, Settings::default(), RESPONSES.info().pairing), &sizes, budget, drops)
}

/// What a cut keeps of items.
#[expect(
    clippy::indexing_slicing,
    reason = "a cut names items of the list that was cut, which has a row for each"
)]
fn kept_of(mut items: Vec<Vec<u8>>, cut: &Cut) -> Vec<Vec<u8>> {
    for ix in &cut.detached {
        without_id(&mut items[*ix as usize]);
    }
    cut.items.iter().map(|ix| std::mem::take(&mut items[*ix as usize])).collect()
}

/// Takes the id from an item.
fn without_id(item: &mut Vec<u8>) {
    let mut tape = Tape::new();
    let Some(val) = scan(item, &mut tape).ok().and_then(|()| tape.root(item)) else { return };
    let members = val.members().filter(|member| !member.key.is(b"id"));
    let members: Vec<Vec<u8>> =
        members.map(|member| [b"\"", member.key.raw, b"\":", member.val.raw()].concat()).collect();
    *item = [b"{", &*members.join(&b","[..]), b"}"].concat();
}

/// Members of a request that the next one does not repeat.
const NOT_REPEATED: [&str; 3] = ["input", "previous_response_id", "conversation"];

/// Members of a response that say how it was asked for.
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

/// Everything of the body but its input: as the nearest request above says, or what its response repeats of it.
fn members(
    conversation: &Conversation,
    at: u32,
    asked: &Rebuild<'_>,
    notes: &mut Vec<String>,
) -> Vec<(String, Vec<u8>)> {
    let forest = &conversation.forest;
    let nearest = forest.upward(at).find_map(|node| forest.node(node).entry.body);
    let mut members =
        nearest.and_then(|(place, embedded)| conversation.see(place, embedded, repeated)).unwrap_or_default();
    let quoted = |text: &str| string::quoted(text);
    let mut set = |key: &str, value: Vec<u8>| match members.iter_mut().find(|(known, _)| known == key) {
        Some((_, old)) => *old = value,
        None => members.insert(usize::from(key != "model"), (key.to_owned(), value)),
    };
    let known = forest.upward(at).find_map(|node| forest.node(node).entry.model.clone());
    match (&asked.chain.model, known, nearest) {
        (Some(model), ..) => set("model", quoted(model)),
        (None, Some(model), None) => set("model", quoted(&model)),
        (None, None, _) => notes.push("the model is not known; set it with --model NAME".to_owned()),
        _ => {}
    }
    // Without a body nothing says whether the client asks the server to store, but what the client always does.
    let habit = || forest.answer_above(at).and_then(|answer| forest.node(answer).entry.store);
    let habit = if nearest.is_none() { habit() } else { None };
    if let Some(store) = asked.chain.store.or(habit) {
        members.retain(|(key, _)| key != "store");
        let at = members.iter().position(|(key, _)| key == "model").map_or(0, |ix| ix + 1);
        members.insert(at, ("store".to_owned(), store.to_string().into_bytes()));
    }
    if nearest.is_none() {
        notes.push("instructions and tools are not stored here; add them yourself".to_owned());
    }
    members
}

fn repeated(body: Val<'_>) -> Vec<(String, Vec<u8>)> {
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
