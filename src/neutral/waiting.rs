//! Which call a result without an id answers. Calls without ids are answered by name and order, as Gemini and the old
//! functions of Chat have it; a batch may hold thousands.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{Block, Call, Text, What};

/// The calls of the newest message that has some, and which of them are answered.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// Number of the message that holds them.
    message: usize,
    all: VecDeque<Text>,
    named: HashMap<Text, VecDeque<Text>>,
    answered: HashSet<Text>,
    /// All calls so far, also older ones.
    pub calls: usize,
}

impl Waiting {
    /// A block comes to stand in a message.
    pub fn take(&mut self, message: usize, block: &Block) {
        match &block.what {
            What::Call(call) => self.call(message, call),
            What::Result(result) => {
                self.answered.insert(result.id.clone());
            }
            _ => {}
        }
    }

    fn call(&mut self, message: usize, call: &Call) {
        self.calls += 1;
        if self.message != message {
            *self = Waiting { message, calls: self.calls, ..Waiting::default() };
        }
        self.all.push_back(call.id.clone());
        self.named.entry(call.name.clone()).or_default().push_back(call.id.clone());
    }

    /// The id of the first call that is not answered, of this name if one is given.
    pub fn first(&mut self, name: Option<&Text>) -> Option<Text> {
        let Waiting { all, named, answered, .. } = self;
        let queue = match name {
            Some(name) => named.get_mut(name)?,
            None => all,
        };
        while queue.front().is_some_and(|id| answered.contains(id)) {
            queue.pop_front();
        }
        queue.front().cloned()
    }
}
