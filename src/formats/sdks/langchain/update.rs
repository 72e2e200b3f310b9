//! How the thread of a graph is repaired by its own program: messages to give to `update_state`. That adds messages to the
//! end, and removes those that are named, so a call gets its result only while nothing but results comes after it.

use std::collections::BTreeSet;

use crate::format::handover::{Problems, Uses};
use crate::format::translate::Stored;
use crate::formats::member::text;
use crate::history::{Code, codes};
use crate::json::{Val, name, string};
use crate::place::Place;

use super::answer::calls;
use super::edit::missing;
use super::message::{Form, Kind, Message};

/// The findings that an update mends: calls without a result in their place, and results without a call.
pub(in crate::formats) const MENDS: &[Code] = &[
    codes::MISSING_OUTPUT,
    codes::CHAT_MISSING_REPLY,
    codes::ANTHROPIC_MISSING_RESULT,
    codes::ORPHAN_OUTPUT,
    codes::CHAT_ORPHAN_REPLY,
    codes::ANTHROPIC_ORPHAN_RESULT,
];

/// What the user calls.
pub(in crate::formats) const CALL: &str = "`update_state` of the graph";

/// The update for a list of messages: `{"messages": […]}`. `None` if a message that has to go has no id.
pub(in crate::formats) fn update(list: Val<'_>, record: &Stored<'_>, problems: &Problems) -> Option<Vec<u8>> {
    let list = List::of(list, record)?;
    let (mut gone, mut added) = (BTreeSet::new(), Vec::new());
    for (ix, message) in list.messages.iter().enumerate() {
        if message.answers.is_some() && !problems.at(message.at).is_empty() {
            gone.insert(ix);
        }
        let open: Vec<_> = message.calls.iter().filter(|call| !problems.at(call.at).is_empty()).collect();
        if open.is_empty() {
            continue;
        }
        let end = list.end_of_results(ix);
        if end + 1 == list.messages.len() {
            added.extend(
                open.iter()
                    .map(|call| missing(Form::Flat, &string::quoted(&call.id), &string::quoted(&call.name))),
            );
            continue;
        }
        // Nothing can be put between the call and what comes after it.
        gone.insert(ix);
        let uses = list.uses();
        for call in &message.calls {
            let elsewhere = problems.result(&problems.at(call.at)).and_then(|at| list.starting_at(at));
            gone.extend(elsewhere.or_else(|| uses.late(&call.id, ix + 1, ix + 1)));
        }
    }
    let mut said = Vec::new();
    for ix in gone {
        let id = string::quoted(list.messages.get(ix)?.id.as_deref()?);
        said.push([br#"{"type":"remove","content":"","id":"#, &id[..], b"}"].concat());
    }
    said.append(&mut added);
    (!said.is_empty()).then(|| [&br#"{"messages":["#[..], &said.join(&b","[..]), b"]}"].concat())
}

/// The messages of a record.
pub(super) struct List {
    pub messages: Vec<Owned>,
}

/// What a message has to do with calls.
pub(super) struct Owned {
    pub at: Place,
    pub id: Option<Box<str>>,
    pub calls: Vec<Call>,
    /// The call that it answers.
    pub answers: Option<Box<str>>,
}

pub(super) struct Call {
    pub at: Place,
    pub id: Box<str>,
    pub name: Box<str>,
}

impl Owned {
    fn of(val: Val<'_>, record: &Stored<'_>) -> Owned {
        let (message, base) = (Message::of(val), record.base);
        let of_kind = |kind: Kind| message.filter(|own| own.kind == kind);
        let call = |(val, id): (Val<'_>, Box<str>)| {
            let given = || val.get(name::function).and_then(|function| text(function, "name"));
            Call { at: base.of(val), id, name: text(val, "name").or_else(given).unwrap_or_default() }
        };
        Owned {
            at: base.of(val),
            id: message.and_then(|own| text(own.data, "id")),
            calls: of_kind(Kind::Ai).iter().flat_map(|own| calls(own).into_iter().map(call)).collect(),
            answers: of_kind(Kind::Tool).and_then(|own| text(own.data, "tool_call_id")),
        }
    }
}

impl List {
    pub fn of(list: Val<'_>, record: &Stored<'_>) -> Option<List> {
        let messages = list.elements().map(|val| Owned::of(val, record)).collect();
        Some(List { messages })
    }

    /// The last of the results right after an answer; the answer, if there are none.
    pub fn end_of_results(&self, answer: usize) -> usize {
        let is_result = |ix: &usize| self.messages.get(*ix).is_some_and(|own| own.answers.is_some());
        (answer + 1..).take_while(is_result).last().unwrap_or(answer)
    }

    /// The message that starts where a problem, or a result, does.
    pub fn starting_at(&self, at: Place) -> Option<usize> {
        self.messages.binary_search_by_key(&at.start, |own| own.at.start).ok()
    }

    /// Which messages call and answer.
    pub fn uses(&self) -> Uses<usize> {
        let mut uses = Uses::default();
        for (ix, message) in self.messages.iter().enumerate() {
            message.calls.iter().for_each(|call| uses.add_call(&call.id, ix));
            message.answers.iter().for_each(|id| uses.add_result(id, ix));
        }
        uses
    }
}
