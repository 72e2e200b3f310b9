//! How the thread of a graph is repaired by its own program: messages to give to `update_state`. That adds messages to the
//! end, and removes those that are named, so a call gets its result only while nothing but results comes after it.

use std::collections::{BTreeSet, HashMap};

use crate::format::handover::Problems;
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
    let list = List::of(list, record);
    let uses = list.uses();
    let (mut gone, mut added) = (BTreeSet::new(), Vec::new());
    for (ix, message) in list.messages.iter().enumerate() {
        if message.answers.is_some() && problems.has(message.at) {
            gone.insert(ix);
        }
        let open: Vec<_> = message.calls.iter().filter(|call| problems.has(call.at)).collect();
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
        for call in &message.calls {
            let elsewhere = problems.result(call.at).and_then(|at| list.starting_at(at));
            gone.extend(elsewhere.or_else(|| uses.late(&call.id, ix + 1)));
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
struct List {
    messages: Vec<Owned>,
}

/// What a message has to do with calls.
struct Owned {
    at: Place,
    id: Option<Box<str>>,
    calls: Vec<Call>,
    /// The call that it answers.
    answers: Option<Box<str>>,
}

struct Call {
    at: Place,
    id: Box<str>,
    name: Box<str>,
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
    fn of(list: Val<'_>, record: &Stored<'_>) -> List {
        List { messages: list.elements().map(|val| Owned::of(val, record)).collect() }
    }

    /// The last of the results right after an answer; the answer, if there are none.
    fn end_of_results(&self, answer: usize) -> usize {
        let is_result = |ix: &usize| self.messages.get(*ix).is_some_and(|own| own.answers.is_some());
        (answer + 1..).take_while(is_result).last().unwrap_or(answer)
    }

    /// The message that starts where a problem, or a result, does.
    fn starting_at(&self, at: Place) -> Option<usize> {
        self.messages.binary_search_by_key(&at.start, |own| own.at.start).ok()
    }

    /// Which messages call and answer.
    fn uses(&self) -> Uses<'_> {
        let mut uses = Uses::default();
        for (ix, message) in self.messages.iter().enumerate() {
            message.calls.iter().for_each(|call| uses.0.entry(&call.id).or_default().calls.push(ix));
            message.answers.iter().for_each(|id| uses.0.entry(id).or_default().results.push(ix));
        }
        uses
    }
}

/// The messages that use each id, in order.
#[derive(Default)]
struct Uses<'l>(HashMap<&'l str, Use>);

#[derive(Default)]
struct Use {
    calls: Vec<usize>,
    results: Vec<usize>,
}

impl Uses<'_> {
    /// The first result from a message on, unless a call uses the id again before it.
    fn late(&self, id: &str, from: usize) -> Option<usize> {
        let Use { calls, results } = self.0.get(id)?;
        let first = |uses: &[usize]| uses.get(uses.partition_point(|at| *at < from)).copied();
        let result = first(results)?;
        first(calls).is_none_or(|again| result < again).then_some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_belongs_to_the_last_call_before_it() {
        let of = |calls: &[usize], results: &[usize]| Use { calls: calls.to_vec(), results: results.to_vec() };
        let uses = Uses(HashMap::from([("a", of(&[1, 5], &[7])), ("b", of(&[], &[3]))]));
        assert_eq!((uses.late("a", 2), uses.late("a", 6)), (None, Some(7)));
        assert_eq!((uses.late("b", 2), uses.late("b", 4), uses.late("c", 0)), (Some(3), None, None));
    }
}
