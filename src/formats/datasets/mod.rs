//! Lines for training that name no API.

pub mod alpaca;
pub mod sharegpt;

use crate::history::Role;
use crate::message::write::Writer;
use crate::message::{Message, Raw};
use crate::place::Place;

/// A message of Chat: its role, then what `rest` writes.
fn message(role: &str, at: Place, record: u32, rest: impl FnOnce(&mut Writer<'_>)) -> Message {
    let raw = Raw::build(at, |w| {
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
