//! How the thread of a graph is repaired by its own program: messages to give to `update_state`. That adds messages to the
//! end, and removes those that are named, so a call gets its result only while nothing but results comes after it.

use std::collections::BTreeSet;

use crate::format::correcting::Problems;
use crate::format::translate::Stored;
use crate::json::{Val, string};

use super::correct::{List, missing};
use super::message::Form;

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
            added.extend(open.iter().map(|call| missing(Form::Flat, &call.id, &call.name)));
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
