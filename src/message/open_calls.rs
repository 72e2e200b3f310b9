//! Finds the call that a result without an id answers. Such calls are answered by name and order, as in Gemini and the old
//! functions of Chat Completions; a batch may contain thousands.

use std::collections::VecDeque;

use foldhash::{HashMap, HashSet};

use super::{Message, Part, PartKind, Text, ToolCall};

/// The calls of the newest message with calls, and the ids of answered calls. Most results have an id, so messages are
/// read only when one has none.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenCalls {
    /// Number of the message that contains them, from 1.
    message: usize,
    order: VecDeque<Text>,
    by_name: HashMap<Text, VecDeque<Text>>,
    answered: HashSet<Text>,
    /// How many messages were read, and how many parts of the next one.
    position: (usize, usize),
}

impl OpenCalls {
    /// Reads the messages and parts that were added since the last time.
    pub fn catch_up(&mut self, messages: &[Message]) {
        let (from, mut block) = self.position;
        for (n, message) in messages.iter().enumerate().skip(from) {
            message.parts.iter().skip(block).for_each(|block| self.record_part(n + 1, block));
            // The last message may get more parts.
            self.position = (n, message.parts.len());
            block = 0;
        }
    }

    /// Records a part of a message.
    fn record_part(&mut self, message: usize, block: &Part) {
        match &block.kind {
            PartKind::Call(call) => self.record_call(message, call),
            PartKind::Result(result) => {
                self.answered.insert(result.id.clone());
            }
            _ => {}
        }
    }

    fn record_call(&mut self, message: usize, call: &ToolCall) {
        if self.message != message {
            *self = OpenCalls { message, position: self.position, ..OpenCalls::default() };
        }
        self.order.push_back(call.id.clone());
        self.by_name.entry(call.name.clone()).or_default().push_back(call.id.clone());
    }

    /// The id of the first call that is not answered, of this name if one is given.
    pub fn first(&mut self, name: Option<&Text>) -> Option<Text> {
        let OpenCalls { order, by_name, answered, .. } = self;
        let queue = match name {
            Some(name) => by_name.get_mut(name)?,
            None => order,
        };
        while queue.front().is_some_and(|id| answered.contains(id)) {
            queue.pop_front();
        }
        queue.front().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CallInput, CallKind, SourceLocation, ToolResult};
    use super::*;

    fn call(id: &str, name: &str) -> Part {
        let input = CallInput::Text(Text::default());
        let (id, name) = (Text::new(id), Text::new(name));
        Part::new(
            PartKind::Call(ToolCall { id, has_synthetic_id: true, name, input, kind: CallKind::Function }),
            SourceLocation::default(),
        )
    }

    fn result(id: &Text) -> Part {
        let (id, kind) = (id.clone(), CallKind::Function);
        let result = ToolResult { id, name: None, parts: Vec::new(), is_error: false, kind };
        Part::new(PartKind::Result(result), SourceLocation::default())
    }

    #[test]
    fn the_first_call_of_a_name_that_is_not_answered_waits() {
        let mut open_calls = OpenCalls::default();
        for (id, name) in [("1", "f"), ("2", "g"), ("3", "f")] {
            open_calls.record_part(1, &call(id, name));
        }
        let (f, g) = (Text::new("f"), Text::new("g"));
        assert_eq!(open_calls.first(Some(&g)), Some(Text::new("2")));
        assert_eq!(open_calls.first(None), Some(Text::new("1")));
        open_calls.record_part(2, &result(&Text::new("1")));
        assert_eq!(open_calls.first(Some(&f)), Some(Text::new("3")));
        assert_eq!(open_calls.first(None), Some(Text::new("2")));
        assert_eq!(open_calls.first(Some(&Text::new("h"))), None);
        // Calls of a newer message are to be answered first, even if older ones are open.
        open_calls.record_part(3, &call("4", "g"));
        assert_eq!((open_calls.first(Some(&g)), open_calls.first(Some(&f))), (Some(Text::new("4")), None));
    }
}
