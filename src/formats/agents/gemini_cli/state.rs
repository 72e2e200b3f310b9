//! The records of a session, applied one after the other.

use std::collections::HashMap;

use crate::json::{Val, fingerprint_of, name};

/// What a record did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Applied,
    /// It goes back to a message that is not there: all messages are gone.
    LostAll,
}

const REPLACED: &str = "a later line has replaced it";

/// The messages so far, in their order.
pub struct State<M> {
    messages: Vec<(u64, M)>,
    /// Where each is, by the fingerprint of its id.
    places: HashMap<u64, usize>,
    /// Messages that a later record has replaced or taken back, and why.
    left: Vec<(M, &'static str)>,
}

impl<M> Default for State<M> {
    fn default() -> Self {
        State { messages: Vec::new(), places: HashMap::new(), left: Vec::new() }
    }
}

impl<M> State<M> {
    /// Applies a record; `make` makes a message of what it stores.
    pub fn take(&mut self, record: Val<'_>, mut make: impl FnMut(Val<'_>) -> M) -> What {
        if let Some(id) = record.get("$rewindTo").and_then(|id| id.text()) {
            let known = self.places.get(&fingerprint_of(&id)).copied();
            let lost = known.is_none() && !self.messages.is_empty();
            for (id, message) in self.messages.drain(known.unwrap_or(0)..) {
                self.places.remove(&id);
                self.left.push((message, "the user went back to before it"));
            }
            return if lost { What::LostAll } else { What::Applied };
        }
        if record.get(name::id).is_some_and(|id| id.is_string()) {
            self.add(record, &mut make);
        } else if let Some(set) = record.get("$set").filter(Val::is_object) {
            self.replace(set.get(name::messages), &mut make);
        } else {
            self.replace(record.get(name::messages), &mut make);
        }
        What::Applied
    }

    fn replace(&mut self, list: Option<Val<'_>>, make: &mut impl FnMut(Val<'_>) -> M) {
        let Some(list) = list.filter(Val::is_array) else { return };
        self.left.extend(self.messages.drain(..).map(|(_, message)| (message, REPLACED)));
        self.places.clear();
        list.elements().filter(Val::is_object).for_each(|message| self.add(message, make));
    }

    fn add(&mut self, message: Val<'_>, make: &mut impl FnMut(Val<'_>) -> M) {
        let Some(id) = message.get(name::id).and_then(|id| id.text()).map(|id| fingerprint_of(&id)) else {
            return self.messages.push((0, make(message)));
        };
        match self.places.get(&id).and_then(|ix| self.messages.get_mut(*ix)) {
            Some(known) => self.left.push((std::mem::replace(&mut known.1, make(message)), REPLACED)),
            None => {
                self.places.insert(id, self.messages.len());
                self.messages.push((id, make(message)));
            }
        }
    }

    /// Hands over the messages that are not sent any more, each with the reason.
    pub fn take_left(&mut self) -> Vec<(M, &'static str)> {
        std::mem::take(&mut self.left)
    }

    /// The messages that are left.
    pub fn finish(self) -> impl Iterator<Item = M> {
        self.messages.into_iter().map(|(_, message)| message)
    }
}
