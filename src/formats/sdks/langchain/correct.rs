//! How lists of messages are repaired: a call without a result gets a `ToolMessage`, one that is not right after its
//! call moves there, one without a call goes.

use std::collections::HashSet;

use crate::dialects::responses::STUB;
use crate::format::correcting::{Correction, Corrector, Problems, Uses, Written};
use crate::format::translate::Stored;
use crate::formats::member::text;
use crate::history::{Code, codes};
use crate::json::edit::{Sequence, Slot};
use crate::json::{Val, name, string};
use crate::place::{Place, With};

use super::answer::calls;
use super::message::{Form, Kind, Message};

const ANSWER: &str = "move the ToolMessage of the call to it, or add one that says that there is no result";
const DROP: &str = "remove the ToolMessage";

/// The findings about calls without a result in their place, and about results without a call.
pub(in crate::formats) const CURES: &[(Code, &str)] = &[
    (codes::MISSING_OUTPUT, ANSWER),
    (codes::CHAT_MISSING_REPLY, ANSWER),
    (codes::ANTHROPIC_MISSING_RESULT, ANSWER),
    (codes::ORPHAN_OUTPUT, DROP),
    (codes::CHAT_ORPHAN_REPLY, DROP),
    (codes::ANTHROPIC_ORPHAN_RESULT, DROP),
];

/// The lists of a doc; `find` gives that of a record.
pub(in crate::formats) struct Corrections {
    find: fn(Val<'_>) -> Option<Val<'_>>,
    lists: Vec<List>,
}

/// The messages of a record.
pub(super) struct List {
    sequence: Sequence,
    record: u32,
    pub messages: Vec<Owned>,
}

/// What a message has to do with calls.
pub(super) struct Owned {
    pub at: Place,
    pub id: Option<Box<str>>,
    /// `None` for what is no message.
    form: Option<Form>,
    pub calls: Vec<Call>,
    /// The call that it answers.
    pub answers: Option<Box<str>>,
}

pub(super) struct Call {
    pub at: Place,
    pub id: Box<str>,
    pub name: Box<str>,
}

impl Corrections {
    pub fn of(find: fn(Val<'_>) -> Option<Val<'_>>) -> Box<dyn Corrector> {
        Box::new(Corrections { find, lists: Vec::new() })
    }
}

impl Corrector for Corrections {
    fn take(&mut self, record: &Stored<'_>) {
        let Some(list) = (self.find)(record.val) else { return };
        self.lists.extend(List::of(list, record));
    }

    fn finish(self: Box<Self>, problems: &Problems) -> (Vec<Correction>, Option<Vec<u8>>) {
        (self.lists.iter().flat_map(|list| list.corrected(problems)).collect(), None)
    }
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
            form: message.map(|own| own.form),
            calls: of_kind(Kind::Ai).iter().flat_map(|own| calls(own).into_iter().map(call)).collect(),
            answers: of_kind(Kind::Tool).and_then(|own| text(own.data, "tool_call_id")),
        }
    }
}

impl List {
    pub fn of(list: Val<'_>, record: &Stored<'_>) -> Option<List> {
        let sequence = Sequence::of_list(list, record.base).ok()?;
        let messages = list.elements().map(|val| Owned::of(val, record)).collect();
        Some(List { sequence, record: record.number, messages })
    }

    fn corrected(&self, asked: &Problems) -> Vec<Correction> {
        let correction = |at: Place, problems: Vec<usize>, what: &'static str| Correction {
            at,
            record: self.record,
            written: Written::Edits(Vec::new()),
            near: None,
            problems,
            answers: false,
            what,
        };
        let mut made = Vec::new();
        let mut gone: HashSet<usize> = HashSet::new();
        for (ix, message) in self.messages.iter().enumerate().filter(|(_, own)| own.answers.is_some()) {
            let own = asked.at(message.at);
            if !own.is_empty() {
                gone.insert(ix);
                made.push(correction(message.at, own, DROP));
            }
        }
        // What comes after each message.
        let mut added: Vec<Vec<Vec<With>>> = vec![Vec::new(); self.messages.len()];
        for (ix, message) in self.messages.iter().enumerate() {
            let mut done = HashSet::new();
            let end = if message.calls.is_empty() { ix } else { self.end_of_results(ix) };
            for call in &message.calls {
                let own = asked.at(call.at);
                let Some(form) = message.form.filter(|_| !own.is_empty() && done.insert(&call.id)) else {
                    continue;
                };
                let elsewhere = asked.result(&own).and_then(|at| self.starting_at(at));
                let (Some(last), Some(after)) = (self.messages.get(end), added.get_mut(end)) else { continue };
                let near = Some(last.at);
                let result = elsewhere.filter(|result| gone.insert(*result));
                match result.and_then(|result| self.messages.get(result)) {
                    Some(result) => {
                        let at = result.at;
                        after.push(vec![With::Copy(at)]);
                        made.push(correction(at, own.clone(), "move the ToolMessage to its call"));
                        made.push(Correction { near, ..correction(call.at, own, "move its ToolMessage to it") });
                    }
                    None => {
                        after.push(vec![With::text(missing(form, &call.id, &call.name))]);
                        let what = "add a ToolMessage that says that there is no result";
                        made.push(Correction { near, answers: true, ..correction(call.at, own, what) });
                    }
                }
            }
        }
        let mut slots = Vec::new();
        for (ix, added) in added.into_iter().enumerate() {
            slots.extend((!gone.contains(&ix)).then_some(Slot::Keep(ix as u32)));
            slots.extend(added.into_iter().map(Slot::New));
        }
        if let Some(first) = made.first_mut() {
            let mut edits = Vec::new();
            self.sequence.edit(slots, &mut edits);
            first.written = Written::Edits(edits);
        }
        made
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

/// A `ToolMessage` that claims nothing, in the form of its neighbours.
pub(super) fn missing(form: Form, id: &str, name: &str) -> Vec<u8> {
    let (said, id, name) = (string::quoted(STUB), string::quoted(id), string::quoted(name));
    let fields = |more: &[u8]| {
        let said = [br#"{"content":"#, &said[..], more, br#","type":"tool","name":"#, &name];
        let names = [br#","tool_call_id":"#, &id[..], br#","status":"error"}"#];
        [said.concat(), names.concat()].concat()
    };
    let plain = || fields(br#","additional_kwargs":{},"response_metadata":{}"#);
    match form {
        Form::Flat => plain(),
        Form::Dict => [br#"{"type":"tool","data":"#, &plain()[..], b"}"].concat(),
        Form::Dump => {
            let class: &[u8] =
                br#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"#;
            [class, br#""kwargs":"#, &fields(b""), b"}"].concat()
        }
    }
}
