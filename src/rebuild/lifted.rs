//! Items of a request that were made of stored ones, and what could not be taken along.

use crate::history::{Role, Row};
use crate::json::{Val, string};
use crate::place::Place;

/// The items of a request, and what could not be taken along.
#[derive(Default)]
pub struct Lifted {
    pub items: Vec<Vec<u8>>,
    /// Blocks of thinking that another provider signed.
    pub thinking: usize,
    /// Blocks and items of kinds that a request does not take.
    pub skipped: usize,
    /// Items that were not complete when they were stored.
    pub incomplete: usize,
    /// How many items there were when each response ended, as far as a replayed log says so.
    pub ends: Vec<usize>,
    /// What of a replayed log was not sent, and why.
    pub left_out: Vec<(Place, &'static str)>,
    /// Reasoning items of a replayed log that lost their ids on the way.
    pub detached: usize,
    /// Reasoning with its blob keeps its id where its follower has none, as the log's client sends it.
    pub keeps_ids: bool,
}

/// Hands the value of a row to what takes it.
pub type See<'s> = &'s mut dyn FnMut(&Row, &mut dyn FnMut(Val<'_>));

/// A message with these parts, which are JSON already.
pub(super) fn message(role: Role, parts: &[u8]) -> Vec<u8> {
    let role = match role {
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::Developer => "developer",
        _ => "user",
    };
    [format!("{{\"type\":\"message\",\"role\":\"{role}\",\"content\":[").as_bytes(), parts, b"]}"].concat()
}

/// A text as a part of a message.
pub(super) fn text_part(role: Role, text: &[u8]) -> Vec<u8> {
    let kind = if role == Role::Assistant { "output_text" } else { "input_text" };
    let text = string::quoted(&String::from_utf8_lossy(text));
    [format!("{{\"type\":\"{kind}\",\"text\":").as_bytes(), &text, b"}"].concat()
}

/// A request: a member a line, and its list with an element a line.
pub(super) fn write_request(members: &[(String, Vec<u8>)], list_key: &str, elements: Vec<Vec<u8>>) -> Vec<u8> {
    let mut out = b"{\n".to_vec();
    for (key, value) in members {
        out.extend([b"  ", &*string::quoted(key), b": ", value, b",\n"].concat());
    }
    out.extend([b"  ", &*string::quoted(list_key), b": "].concat());
    write_list(elements, &mut out);
    out.extend_from_slice(b"\n}\n");
    out
}

/// Each element is let go of once it is written: together they may be large.
fn write_list(elements: Vec<Vec<u8>>, out: &mut Vec<u8>) {
    if elements.is_empty() {
        return out.extend_from_slice(b"[]");
    }
    out.reserve_exact(elements.iter().map(|element| element.len() + 6).sum::<usize>() + 16);
    out.extend_from_slice(b"[\n");
    for (n, element) in elements.into_iter().enumerate() {
        out.extend_from_slice(if n > 0 { b",\n    " } else { b"    " });
        out.extend_from_slice(&element);
    }
    out.extend_from_slice(b"\n  ]");
}
