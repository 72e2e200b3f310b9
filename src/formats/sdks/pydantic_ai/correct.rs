//! How messages are repaired: a call without a return gets one in the request after it, a return that is elsewhere moves
//! there, one without a call goes.

use std::collections::{HashMap, HashSet};

use crate::dialects::responses::STUB;
use crate::format::correcting::{Correction, Corrector, Problems, Written};
use crate::format::translate::Stored;
use crate::formats::member::text;
use crate::history::{Code, codes};
use crate::json::edit::{Sequence, Slot};
use crate::json::{Val, name, string};
use crate::place::{Edit, Place, With};

use super::part::{is, messages, parts};

const ANSWER: &str = "move the return of the call to the next request, or add one that says that there is none";
const DROP: &str = "remove the part";

/// The findings about calls without a return in their place, and about returns without a call.
pub(super) const CURES: &[(Code, &str)] = &[
    (codes::MISSING_OUTPUT, ANSWER),
    (codes::CHAT_MISSING_REPLY, ANSWER),
    (codes::ANTHROPIC_MISSING_RESULT, ANSWER),
    (codes::ORPHAN_OUTPUT, DROP),
    (codes::CHAT_ORPHAN_REPLY, DROP),
    (codes::ANTHROPIC_ORPHAN_RESULT, DROP),
];

#[derive(Default)]
pub(super) struct Corrections {
    lists: Vec<List>,
}

struct List {
    sequence: Sequence,
    record: u32,
    messages: Vec<Message>,
}

struct Message {
    at: Place,
    is_request: bool,
    parts: Vec<Part>,
    sequence: Option<Sequence>,
}

struct Part {
    at: Place,
    calls: Option<(Box<str>, Box<str>)>,
    returns: Option<Box<str>>,
}

impl Corrector for Corrections {
    fn take(&mut self, record: &Stored<'_>) {
        let Some(list) = messages(record.val) else { return };
        let Ok(sequence) = Sequence::of_list(list, record.base) else { return };
        let messages = list.elements().map(|message| Message::of(message, record)).collect();
        self.lists.push(List { sequence, record: record.number, messages });
    }

    fn finish(self: Box<Self>, problems: &Problems) -> (Vec<Correction>, Option<Vec<u8>>) {
        (self.lists.iter().flat_map(|list| list.corrected(problems)).collect(), None)
    }
}

impl Message {
    fn of(message: Val<'_>, record: &Stored<'_>) -> Message {
        let part = |part: Val<'_>| {
            let id = || text(part, "tool_call_id");
            let name = text(part, "tool_name").unwrap_or_default();
            let returns = is(part, &["tool-return"]) || is(part, &["retry-prompt"]) && !name.is_empty();
            let calls = is(part, &["tool-call"]).then(id).flatten().map(|id| (id, name));
            Part { at: record.base.of(part), calls, returns: returns.then(id).flatten() }
        };
        Message {
            at: record.base.of(message),
            is_request: message.get(name::kind).is_some_and(|kind| kind.is("request")),
            parts: parts(message).map(part).collect(),
            sequence: message.get(name::parts).and_then(|parts| Sequence::of_list(parts, record.base).ok()),
        }
    }
}

/// What becomes of the parts.
#[derive(Default)]
struct Plan {
    /// Parts that go, by message and number.
    gone: HashSet<(usize, usize)>,
    /// New parts of the request after a response.
    added: HashMap<usize, Vec<Vec<With>>>,
}

impl List {
    fn corrected(&self, asked: &Problems) -> Vec<Correction> {
        let (mut plan, mut made) = (Plan::default(), Vec::new());
        let correction = |at: Place, near: Option<Place>, problems: Vec<usize>, what: &'static str| Correction {
            at,
            record: self.record,
            written: Written::Edits(Vec::new()),
            near,
            problems,
            answers: false,
            what,
        };
        for (place, part) in self.parts().filter(|(_, part)| part.returns.is_some()) {
            let own = asked.at(part.at);
            if !own.is_empty() {
                plan.gone.insert(place);
                made.push(correction(part.at, None, own, DROP));
            }
        }
        for ((ix, _), part) in self.parts() {
            let (Some((id, name)), own) = (&part.calls, asked.at(part.at)) else { continue };
            if own.is_empty() {
                continue;
            }
            let elsewhere = asked.result(&own).and_then(|at| self.starting_at(at));
            let near = self.messages.get(ix + 1).or_else(|| self.messages.get(ix)).map(|message| message.at);
            let added = plan.added.entry(ix).or_default();
            let result = elsewhere.filter(|part| plan.gone.insert(*part));
            match result.and_then(|(message, number)| self.messages.get(message)?.parts.get(number)) {
                Some(&Part { at, .. }) => {
                    added.push(vec![With::Copy(at)]);
                    made.push(correction(at, None, own.clone(), "move the return to the request after its call"));
                    made.push(correction(part.at, near, own, "move its return to the next request"));
                }
                None => {
                    added.push(vec![With::text(missing(id, name))]);
                    let what = "add a return that says that there is none";
                    made.push(Correction { answers: true, ..correction(part.at, near, own, what) });
                }
            }
        }
        if let Some(first) = made.first_mut() {
            first.written = Written::Edits(self.edits(plan));
        }
        made
    }

    fn parts(&self) -> impl Iterator<Item = ((usize, usize), &Part)> {
        self.messages.iter().enumerate().flat_map(|(ix, message)| {
            message.parts.iter().enumerate().map(move |(number, part)| ((ix, number), part))
        })
    }

    /// The part that starts where a problem, or a result, does.
    fn starting_at(&self, at: Place) -> Option<(usize, usize)> {
        let message = self.messages.partition_point(|own| own.at.start <= at.start).checked_sub(1)?;
        let parts = &self.messages.get(message)?.parts;
        Some((message, parts.binary_search_by_key(&at.start, |own| own.at.start).ok()?))
    }

    fn edits(&self, mut plan: Plan) -> Vec<Edit> {
        let (mut edits, mut slots) = (Vec::new(), Vec::new());
        for (ix, message) in self.messages.iter().enumerate() {
            let own =
                if message.is_request { ix.checked_sub(1).and_then(|ix| plan.added.remove(&ix)) } else { None };
            let mut own = own.unwrap_or_default();
            let keeps = |number: &usize| !plan.gone.contains(&(ix, *number));
            let kept: Vec<usize> = (0..message.parts.len()).filter(keeps).collect();
            if kept.is_empty() && own.is_empty() && !message.parts.is_empty() {
                continue;
            }
            slots.push(Slot::Keep(ix as u32));
            if let Some(sequence) = &message.sequence {
                // Returns come before what the user says.
                let end = kept
                    .iter()
                    .rposition(|number| message.parts.get(*number).is_some_and(|part| part.returns.is_some()))
                    .map_or(0, |at| at + 1);
                let mut parts: Vec<Slot> = kept.iter().map(|number| Slot::Keep(*number as u32)).collect();
                parts.splice(end..end, own.drain(..).map(Slot::New));
                sequence.edit(parts, &mut edits);
            }
            let has_next = self.messages.get(ix + 1).is_some_and(|next| next.is_request);
            if let (false, Some(added)) = (has_next, plan.added.get_mut(&ix)) {
                slots.push(Slot::New(request(std::mem::take(added))));
            }
        }
        self.sequence.edit(slots, &mut edits);
        edits
    }
}

fn request(parts: Vec<Vec<With>>) -> Vec<With> {
    let mut with = vec![With::text(*b"{\"parts\":[")];
    for (n, part) in parts.into_iter().enumerate() {
        if n > 0 {
            with.push(With::text(*b","));
        }
        with.extend(part);
    }
    with.push(With::text(*b"],\"kind\":\"request\"}"));
    with
}

/// A return that claims nothing.
fn missing(id: &str, name: &str) -> Vec<u8> {
    let (name, said, id) = (string::quoted(name), string::quoted(STUB), string::quoted(id));
    let parts: [&[u8]; 7] = [
        br#"{"tool_name":"#,
        &name,
        br#","content":"#,
        &said,
        br#","tool_call_id":"#,
        &id,
        br#","part_kind":"tool-return"}"#,
    ];
    parts.concat()
}
