//! Training data that names no API.

pub mod alpaca;
pub mod sharegpt;

use crate::history::Role;
use crate::message::write::JsonWriter;
use crate::message::{Message, RawJson};
use crate::place::Place;

/// A message of Chat: its role, then the members that `rest` writes.
fn message(role: &str, at: Place, record: u32, rest: impl FnOnce(&mut JsonWriter<'_>)) -> Message {
    let raw = RawJson::build(at, |w| {
        w.object(|w| {
            w.key("role").plain(role);
            rest(w);
        });
    });
    let role = match role {
        "system" => Role::System,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => Role::User,
    };
    Message::verbatim("chat", role, raw, at, record)
}
