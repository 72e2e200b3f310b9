//! Which call a result without an id answers. Calls without ids are answered by name and order, as Gemini and the old
//! functions of Chat have it; a batch may hold thousands.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{Call, Message, Part, PartKind, Text};

/// The calls of the newest message that has some, and which of them are answered. Most results have an id, so messages are
/// looked at only when one has none.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// Number of the message that holds them.
    message: usize,
    all: VecDeque<Text>,
    named: HashMap<Text, VecDeque<Text>>,
    answered: HashSet<Text>,
    /// How many messages were looked at, and how many blocks of the one behind them.
    seen: (usize, usize),
}

impl Waiting {
    /// Takes what was added to the messages since the last time.
    pub fn catch_up(&mut self, messages: &[Message]) {
        let (from, mut block) = self.seen;
        for (n, message) in messages.iter().enumerate().skip(from) {
            message.parts.iter().skip(block).for_each(|block| self.take(n + 1, block));
            // More blocks may join the last one.
            self.seen = (n, message.parts.len());
            block = 0;
        }
    }

    /// A block comes to stand in a message.
    fn take(&mut self, message: usize, block: &Part) {
        match &block.kind {
            PartKind::Call(call) => self.call(message, call),
            PartKind::Result(result) => {
                self.answered.insert(result.id.clone());
            }
            _ => {}
        }
    }

    fn call(&mut self, message: usize, call: &Call) {
        if self.message != message {
            *self = Waiting { message, seen: self.seen, ..Waiting::default() };
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

#[cfg(test)]
mod tests {
    use super::super::{At, CallKind, Input, ToolResult};
    use super::*;

    fn call(id: &str, name: &str) -> Part {
        let input = Input::Text(Text::default());
        let (id, name) = (Text::new(id), Text::new(name));
        Part::new(
            PartKind::Call(Call { id, invented: true, name, input, kind: CallKind::Function }),
            At::default(),
        )
    }

    fn result(id: &Text) -> Part {
        let (id, kind) = (id.clone(), CallKind::Function);
        let result = ToolResult { id, name: None, parts: Vec::new(), is_error: false, kind };
        Part::new(PartKind::Result(result), At::default())
    }

    #[test]
    fn the_first_call_of_a_name_that_is_not_answered_waits() {
        let mut waiting = Waiting::default();
        for (id, name) in [("1", "f"), ("2", "g"), ("3", "f")] {
            waiting.take(1, &call(id, name));
        }
        let (f, g) = (Text::new("f"), Text::new("g"));
        assert_eq!(waiting.first(Some(&g)), Some(Text::new("2")));
        assert_eq!(waiting.first(None), Some(Text::new("1")));
        waiting.take(2, &result(&Text::new("1")));
        assert_eq!(waiting.first(Some(&f)), Some(Text::new("3")));
        assert_eq!(waiting.first(None), Some(Text::new("2")));
        assert_eq!(waiting.first(Some(&Text::new("h"))), None);
        // Calls of a newer message are the ones to be answered, whatever is open after them.
        waiting.take(3, &call("4", "g"));
        assert_eq!((waiting.first(Some(&g)), waiting.first(Some(&f))), (Some(Text::new("4")), None));
    }
}
