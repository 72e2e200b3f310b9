//! Exports keep calls and results only for display: some have no ids, others lack their partner. A call with a result in the
//! next message remains a call; all others become text.

use foldhash::HashSet;

use crate::history::Role;
use crate::message::{CallInput, Message, Part, PartKind, ResultPart, Text};

use super::builder::ThreadBuilder;
use super::parts::result_text;

/// The number of messages in which the call of a result is searched.
const RECENT: usize = 8;

impl ThreadBuilder {
    /// The id of the first call of the last answer that has no result yet.
    pub fn open_call(&self) -> Option<Text> {
        self.find_open_call(|_| true)
    }

    /// The id of the first call of the last answer that has no result yet and whose id was generated.
    pub fn open_unnamed_call(&self) -> Option<Text> {
        let has_any = !self.unnamed.is_empty();
        has_any.then(|| self.find_open_call(|id| self.unnamed.contains(id))).flatten()
    }

    fn find_open_call(&self, is_wanted: impl Fn(&Text) -> bool) -> Option<Text> {
        let mut answered: HashSet<&Text> = HashSet::default();
        for message in self.messages.iter().rev() {
            match message.role {
                Role::Tool => answered.extend(results(message)),
                Role::Assistant => {
                    let mut ids = message.calls().map(|call| &call.id);
                    return ids.find(|id| is_wanted(id) && !answered.contains(id)).cloned();
                }
                _ => return None,
            }
        }
        None
    }

    /// True if a recent call has this id.
    pub fn has_call(&self, id: &Text) -> bool {
        self.messages.iter().rev().take(RECENT).flat_map(Message::calls).any(|call| call.id == *id)
    }

    /// Adds to the last result, if no message follows it. Returns false otherwise.
    pub fn add_to_result(&mut self, more: Vec<ResultPart>) -> bool {
        let last = self.messages.last_mut().filter(|message| message.role == Role::Tool);
        match last.and_then(|message| message.parts.last_mut()).map(|part| &mut part.kind) {
            Some(PartKind::Result(result)) => {
                let parts = std::mem::take(&mut result.parts).into_iter().chain(more).collect::<Vec<_>>();
                result.parts = vec![ResultPart::Text(result_text(&parts))];
                true
            }
            _ => false,
        }
    }

    /// Replaces calls without a result, and results without a call, by texts. Calls become the last parts of their message.
    pub fn pair_results(mut self) -> ThreadBuilder {
        let messages = std::mem::take(&mut self.messages);
        let mut partners: Vec<HashSet<Text>> = Vec::with_capacity(messages.len());
        for (n, message) in messages.iter().enumerate() {
            let next = messages.iter().skip(n + 1).take_while(|message| message.role == Role::Tool);
            partners.push(match message.role {
                Role::Assistant => next.flat_map(results).cloned().collect(),
                _ => HashSet::default(),
            });
        }
        let mut open: HashSet<Text> = HashSet::default();
        for (mut message, own) in messages.into_iter().zip(partners) {
            let all = std::mem::take(&mut message.parts);
            if message.role == Role::Assistant {
                open = own;
                let mut seen: HashSet<Text> = HashSet::default();
                let mut is_paired = |part: &Part| match &part.kind {
                    PartKind::Call(call) => open.contains(&call.id) && seen.insert(call.id.clone()),
                    _ => false,
                };
                let (calls, others): (Vec<Part>, Vec<Part>) = all.into_iter().partition(|part| is_paired(part));
                message.parts = others.into_iter().map(as_text).chain(calls).collect();
                self.messages.push(message);
                continue;
            }
            let is_paired =
                |part: &Part| matches!(&part.kind, PartKind::Result(result) if open.remove(&result.id));
            let (results, others): (Vec<Part>, Vec<Part>) = all.into_iter().partition(is_paired);
            let is_result = message.role == Role::Tool;
            let (role, is_inserted) = (if is_result { Role::User } else { message.role }, message.is_inserted);
            let others = others.into_iter().map(as_text).collect();
            for (role, is_inserted, parts) in
                [(Role::Tool, is_inserted, results), (role, is_result || is_inserted, others)]
            {
                if !Vec::is_empty(&parts) {
                    self.messages.push(Message { role, is_inserted, parts, ..message.clone() });
                }
            }
        }
        self
    }
}

/// The ids of the calls that a message answers.
fn results(message: &Message) -> impl Iterator<Item = &Text> {
    message.parts.iter().filter_map(|part| match &part.kind {
        PartKind::Result(result) => Some(&result.id),
        _ => None,
    })
}

/// A call or a result as text; any other part unchanged.
fn as_text(part: Part) -> Part {
    let at = part.at;
    let word = |word: &str| Text::synthetic(word, at.place);
    let text = match &part.kind {
        PartKind::Call(call) => {
            let input = match &call.input {
                CallInput::Text(text) => text.clone(),
                CallInput::Json(raw) => raw.to_text(),
            };
            Text::join([&word("[called "), &call.name, &word(" with "), &input, &word("]")], "")
        }
        PartKind::Result(result) => Text::join([&word("[result: "), &result_text(&result.parts), &word("]")], ""),
        _ => return part,
    };
    Part::text(text.reported_at(at.place), at)
}
