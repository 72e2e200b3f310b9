//! Repair of a thread by the program that owns it: messages for `update_state`, which appends messages, and removes those
//! that are named. So a call can get a result only while nothing but results comes after it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use foldhash::HashMap;

use crate::format::handover::Problems;
use crate::format::translate::ParsedRecord;
use crate::formats::member::text;
use crate::history::{Code, codes};
use crate::json::{Val, name, string};
use crate::place::Place;

use super::answer::calls;
use super::edit::stub_message;
use super::message::{LangchainForm, LangchainKind, LangchainMessage};

/// The rules whose findings an update repairs: calls without a result in their place, and results without a call.
pub(in crate::formats) const REPAIRED_RULES: &[Code] = &[
    codes::MISSING_OUTPUT,
    codes::CHAT_MISSING_REPLY,
    codes::ANTHROPIC_MISSING_RESULT,
    codes::ORPHAN_OUTPUT,
    codes::CHAT_ORPHAN_REPLY,
    codes::ANTHROPIC_ORPHAN_RESULT,
];

/// The function that the user calls.
pub(in crate::formats) const UPDATE_CALL: &str = "`update_state` of the graph";

/// The update for a list of messages: `{"messages": […]}`. `None` if there is nothing to do, or a message to remove has no
/// id.
pub(in crate::formats) fn update(
    list: Val<'_>,
    record: &ParsedRecord<'_>,
    problems: &Problems,
) -> Option<Vec<u8>> {
    let list = MessageList::of(list, record);
    let uses = list.uses();
    let (mut removed, mut added) = (BTreeSet::new(), Vec::new());
    for (ix, message) in list.messages.iter().enumerate() {
        if message.answers.is_some() && problems.has(message.at) {
            removed.insert(ix);
        }
        let open: Vec<_> = message.calls.iter().filter(|call| problems.has(call.at)).collect();
        if open.is_empty() {
            continue;
        }
        let end = list.end_of_results(ix);
        if end + 1 == list.messages.len() {
            added.extend(open.iter().map(|call| {
                stub_message(LangchainForm::Fields, &string::quoted(&call.id), &string::quoted(&call.name))
            }));
            continue;
        }
        // No message can be inserted between the call and the messages after it.
        removed.insert(ix);
        for call in &message.calls {
            let elsewhere = problems.result_place(call.at).and_then(|at| list.starting_at(at));
            removed.extend(elsewhere.or_else(|| uses.late_result(&call.id, ix + 1)));
        }
    }
    let mut messages = Vec::new();
    for ix in removed {
        let id = string::quoted(list.messages.get(ix)?.id.as_deref()?);
        messages.push([br#"{"type":"remove","content":"","id":"#, &id[..], b"}"].concat());
    }
    messages.append(&mut added);
    (!messages.is_empty()).then(|| [&br#"{"messages":["#[..], &messages.join(&b","[..]), b"]}"].concat())
}

/// The messages of a record.
struct MessageList {
    messages: Vec<MessageCalls>,
}

/// The calls that a message makes or answers.
struct MessageCalls {
    at: Place,
    id: Option<Box<str>>,
    calls: Vec<CallSite>,
    /// The call that it answers.
    answers: Option<Box<str>>,
}

struct CallSite {
    at: Place,
    id: Box<str>,
    name: Box<str>,
}

impl MessageCalls {
    fn of(val: Val<'_>, record: &ParsedRecord<'_>) -> MessageCalls {
        let (message, base) = (LangchainMessage::of(val), record.base);
        let of_kind = |kind: LangchainKind| message.filter(|own| own.kind == kind);
        let call = |(val, id): (Val<'_>, Cow<'_, str>)| {
            let given = || val.get(name::function).and_then(|function| text(function, "name"));
            CallSite {
                at: base.of(val),
                id: id.into(),
                name: text(val, "name").or_else(given).unwrap_or_default(),
            }
        };
        MessageCalls {
            at: base.of(val),
            id: message.and_then(|own| text(own.data, "id")),
            calls: of_kind(LangchainKind::Ai).iter().flat_map(|own| calls(own).into_iter().map(call)).collect(),
            answers: of_kind(LangchainKind::Tool).and_then(|own| text(own.data, "tool_call_id")),
        }
    }
}

impl MessageList {
    fn of(list: Val<'_>, record: &ParsedRecord<'_>) -> MessageList {
        MessageList { messages: list.elements().map(|val| MessageCalls::of(val, record)).collect() }
    }

    /// The index of the last result directly after an answer; that of the answer, if there are none.
    fn end_of_results(&self, answer: usize) -> usize {
        let is_result = |ix: &usize| self.messages.get(*ix).is_some_and(|own| own.answers.is_some());
        (answer + 1..).take_while(is_result).last().unwrap_or(answer)
    }

    /// The index of the message with the start of this place.
    fn starting_at(&self, at: Place) -> Option<usize> {
        self.messages.binary_search_by_key(&at.start, |own| own.at.start).ok()
    }

    /// The indices of the messages that use each id.
    fn uses(&self) -> UsesById<'_> {
        let mut uses = UsesById::default();
        for (ix, message) in self.messages.iter().enumerate() {
            message.calls.iter().for_each(|call| uses.0.entry(&call.id).or_default().calls.push(ix));
            message.answers.iter().for_each(|id| uses.0.entry(id).or_default().results.push(ix));
        }
        uses
    }
}

/// The indices of the messages that use each id, in order.
#[derive(Default)]
struct UsesById<'l>(HashMap<&'l str, MessageUses>);

#[derive(Default)]
struct MessageUses {
    calls: Vec<usize>,
    results: Vec<usize>,
}

impl UsesById<'_> {
    /// The first result for an id from a message on, unless another call uses the id before it.
    fn late_result(&self, id: &str, from: usize) -> Option<usize> {
        let MessageUses { calls, results } = self.0.get(id)?;
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
        let of =
            |calls: &[usize], results: &[usize]| MessageUses { calls: calls.to_vec(), results: results.to_vec() };
        let uses = UsesById(HashMap::from_iter([("a", of(&[1, 5], &[7])), ("b", of(&[], &[3]))]));
        assert_eq!((uses.late_result("a", 2), uses.late_result("a", 6)), (None, Some(7)));
        assert_eq!(
            (uses.late_result("b", 2), uses.late_result("b", 4), uses.late_result("c", 0)),
            (Some(3), None, None)
        );
    }
}
