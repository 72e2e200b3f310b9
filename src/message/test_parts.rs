//! Messages and parts for unit tests: a call of `f`, its result, and a message of them.

use super::{
    CallInput, CallKind, Message, Part, PartKind, ResultPart, Role, SourceLocation, Text, ToolCall, ToolResult,
};

pub fn call(id: &str) -> Part {
    let call = ToolCall {
        id: Text::new(id),
        has_synthetic_id: false,
        name: Text::new("f"),
        input: CallInput::Text(Text::new("{}")),
        kind: CallKind::Function,
    };
    Part::new(PartKind::Call(call), SourceLocation::default())
}

pub fn result(id: &str, text: &str) -> Part {
    let parts = vec![ResultPart::Text(Text::new(text))];
    let result = ToolResult { id: Text::new(id), name: None, parts, is_error: false, kind: CallKind::Function };
    Part::new(PartKind::Result(result), SourceLocation::default())
}

pub fn message(role: Role, parts: Vec<Part>) -> Message {
    Message { parts, ..Message::new(role, SourceLocation::default()) }
}
