//! The state of a session, to which its records are applied one after the other.

use foldhash::HashMap;

use crate::json::{Val, fingerprint_of, name};

/// The effect of a record on the session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordEffect {
    Applied,
    /// It rewinds to an unknown message, which removes all messages.
    AllRemoved,
}

const REPLACED: &str = "a later line has replaced it";

/// The messages so far, in order.
pub struct GeminiState<M> {
    messages: Vec<(u64, M)>,
    /// Index of each message by the fingerprint of its id.
    places: HashMap<u64, usize>,
    /// Messages that a later record has replaced or removed, and why.
    unsent: Vec<(M, &'static str)>,
}

impl<M> Default for GeminiState<M> {
    fn default() -> Self {
        GeminiState { messages: Vec::new(), places: HashMap::default(), unsent: Vec::new() }
    }
}

impl<M> GeminiState<M> {
    /// Applies a record; `build` makes a message of what it stores.
    pub fn apply(&mut self, record: Val<'_>, mut build: impl FnMut(Val<'_>) -> M) -> RecordEffect {
        if let Some(id) = record.get("$rewindTo").and_then(|id| id.text()) {
            let known = self.places.get(&fingerprint_of(&id)).copied();
            let lost = known.is_none() && !self.messages.is_empty();
            for (id, message) in self.messages.drain(known.unwrap_or(0)..) {
                self.places.remove(&id);
                self.unsent.push((message, "the user went back to before it"));
            }
            return if lost { RecordEffect::AllRemoved } else { RecordEffect::Applied };
        }
        if record.get(name::id).is_some_and(|id| id.is_string()) {
            self.add(record, &mut build);
        } else if let Some(set) = record.get("$set").filter(Val::is_object) {
            self.replace(set.get(name::messages), &mut build);
        } else {
            self.replace(record.get(name::messages), &mut build);
        }
        RecordEffect::Applied
    }

    fn replace(&mut self, list: Option<Val<'_>>, build: &mut impl FnMut(Val<'_>) -> M) {
        let Some(list) = list.filter(Val::is_array) else { return };
        self.unsent.extend(self.messages.drain(..).map(|(_, message)| (message, REPLACED)));
        self.places.clear();
        list.elements().filter(Val::is_object).for_each(|message| self.add(message, build));
    }

    fn add(&mut self, message: Val<'_>, build: &mut impl FnMut(Val<'_>) -> M) {
        let Some(id) = message.get(name::id).and_then(|id| id.text()).map(|id| fingerprint_of(&id)) else {
            return self.messages.push((0, build(message)));
        };
        match self.places.get(&id).and_then(|ix| self.messages.get_mut(*ix)) {
            Some(known) => self.unsent.push((std::mem::replace(&mut known.1, build(message)), REPLACED)),
            None => {
                self.places.insert(id, self.messages.len());
                self.messages.push((id, build(message)));
            }
        }
    }

    /// Takes the messages that are no longer sent, each with the reason.
    pub fn take_unsent(&mut self) -> Vec<(M, &'static str)> {
        std::mem::take(&mut self.unsent)
    }

    /// The remaining messages.
    pub fn into_messages(self) -> impl Iterator<Item = M> {
        self.messages.into_iter().map(|(_, message)| message)
    }
}
