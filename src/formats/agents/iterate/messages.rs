//! The messages that a request sends in a state of the history, and how a stored body differs from them.

use crate::dialects::chat::CHAT;
use crate::format::Texts;
use crate::format::requests::{Context, Divergence, Side};
use crate::history::{Role, Row};
use crate::json::{Val, string};
use crate::place::Place;
use crate::source::ReadAt;

use super::parse::{DEFAULT_SYSTEM, text_message};
use super::reduce::Stream;

fn texts(bytes: &dyn ReadAt) -> Texts<'_> {
    Texts::new(bytes, &CHAT)
}

/// Compares the messages of a body with those of the history.
pub fn divergence(bytes: &dyn ReadAt, stream: &Stream, context: Context, body: Place) -> Option<Divergence> {
    texts(bytes).see(body, false, |list| first_divergence(bytes, stream, context, list, 0)).flatten()
}

/// The same for a list that was read already, and whose first `from` messages are known to be the same.
pub fn first_divergence(
    bytes: &dyn ReadAt,
    stream: &Stream,
    context: Context,
    list: Val<'_>,
    from: u32,
) -> Option<Divergence> {
    let texts = &texts(bytes);
    let (system, rows) = stream.of(context);
    let mut messages = list.elements().skip(from as usize);
    let system = Said { role: Role::System, row: system };
    let said = std::iter::once(system).chain(rows.iter().map(|row| Said { role: row.role, row: Some(row) }));
    let mut index = from;
    for said in said.skip(from as usize) {
        let message = messages.next();
        if !message.is_some_and(|message| said.is(texts, message)) {
            let body = message.map_or(Side::Nothing, side);
            return Some(Divergence { index, body, history: said.side(texts) });
        }
        index += 1;
    }
    messages.next().map(|message| Divergence { index, body: side(message), history: Side::Nothing })
}

/// A message of the history; without a row the default instructions.
struct Said<'h> {
    role: Role,
    row: Option<&'h Row>,
}

impl Said<'_> {
    fn is(&self, texts: &Texts<'_>, message: Val<'_>) -> bool {
        let Some((role, content)) = text_message(message) else { return false };
        role == self.role
            && match self.row {
                None => content.is(DEFAULT_SYSTEM),
                Some(row) => {
                    texts.item(row, |own| own.raw() == content.raw() || own.text() == content.text()) == Some(true)
                }
            }
    }

    fn side(&self, texts: &Texts<'_>) -> Side {
        let len = match self.row {
            None => DEFAULT_SYSTEM.len(),
            Some(row) => texts.item(row, |own| own.text().map_or(0, |text| text.len())).unwrap_or(0),
        };
        Side::Text(self.role, len)
    }
}

fn side(message: Val<'_>) -> Side {
    match text_message(message) {
        Some((role, content)) => Side::Text(role, content.text().map_or(0, |text| text.len())),
        None => Side::Other,
    }
}

/// The messages that a request sends in a state of the history without the first `from` of them, as JSON, without white
/// space.
pub fn messages(bytes: &dyn ReadAt, stream: &Stream, context: Context, from: u32) -> Vec<Vec<u8>> {
    let texts = texts(bytes);
    let (system, rows) = stream.of(context);
    let of_row = |row: &Row| texts.item(row, |own| message(row.role, own.raw()));
    let default = || message(Role::System, &string::quoted(DEFAULT_SYSTEM));
    let first = (from == 0).then(|| system.and_then(of_row).unwrap_or_else(default));
    let rest = rows.iter().skip(from.saturating_sub(1) as usize);
    first.into_iter().chain(rest.filter_map(of_row)).collect()
}

/// A message of this role, without white space; its content is JSON already.
pub fn message(role: Role, content: &[u8]) -> Vec<u8> {
    let role = format!("{role:?}").to_ascii_lowercase();
    [b"{\"role\":\"", role.as_bytes(), b"\",\"content\":", content, b"}"].concat()
}
