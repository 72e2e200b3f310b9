//! The messages that a request sends in a state of the history, and their comparison with a stored body.

use crate::dialects::chat::CHAT;
use crate::format::TextReader;
use crate::format::requests::{Context, Divergence, DivergentMessage};
use crate::history::{Role, Row};
use crate::json::{Val, string};
use crate::place::Place;
use crate::source::ReadAt;

use super::parse::{DEFAULT_SYSTEM, text_message};
use super::reduce::Stream;

fn texts(bytes: &dyn ReadAt) -> TextReader<'_> {
    TextReader::new(bytes, &CHAT)
}

/// The first difference between the messages of a body and those of the history.
pub fn divergence(bytes: &dyn ReadAt, stream: &Stream, context: Context, body: Place) -> Option<Divergence> {
    texts(bytes).with_value(body, false, |list| first_divergence(bytes, stream, context, list, 0)).flatten()
}

/// The same for a parsed list whose first `from` messages are known to be equal.
pub fn first_divergence(
    bytes: &dyn ReadAt,
    stream: &Stream,
    context: Context,
    list: Val<'_>,
    from: u32,
) -> Option<Divergence> {
    let texts = &texts(bytes);
    let (system, rows) = stream.rows_of(context);
    let mut messages = list.elements().skip(from as usize);
    let system = HistoryMessage { role: Role::System, row: system };
    let expected =
        std::iter::once(system).chain(rows.iter().map(|row| HistoryMessage { role: row.role, row: Some(row) }));
    let mut index = from;
    for expected in expected.skip(from as usize) {
        let message = messages.next();
        if !message.is_some_and(|message| expected.equals(texts, message)) {
            let body = message.map_or(DivergentMessage::Nothing, summary);
            return Some(Divergence { index, body, history: expected.summary(texts) });
        }
        index += 1;
    }
    messages.next().map(|message| Divergence { index, body: summary(message), history: DivergentMessage::Nothing })
}

/// A message of the history; without a row, the default instructions.
struct HistoryMessage<'h> {
    role: Role,
    row: Option<&'h Row>,
}

impl HistoryMessage<'_> {
    fn equals(&self, texts: &TextReader<'_>, message: Val<'_>) -> bool {
        let Some((role, content)) = text_message(message) else { return false };
        role == self.role
            && match self.row {
                None => content.is(DEFAULT_SYSTEM),
                Some(row) => {
                    texts.with_item(row, |own| own.raw() == content.raw() || own.text() == content.text())
                        == Some(true)
                }
            }
    }

    fn summary(&self, texts: &TextReader<'_>) -> DivergentMessage {
        let len = match self.row {
            None => DEFAULT_SYSTEM.len(),
            Some(row) => texts.with_item(row, |own| own.text().map_or(0, |text| text.len())).unwrap_or(0),
        };
        DivergentMessage::Text(self.role, len)
    }
}

fn summary(message: Val<'_>) -> DivergentMessage {
    match text_message(message) {
        Some((role, content)) => DivergentMessage::Text(role, content.text().map_or(0, |text| text.len())),
        None => DivergentMessage::Other,
    }
}

/// The messages that a request sends in a state of the history, from index `from` on, as JSON without whitespace.
pub fn messages(bytes: &dyn ReadAt, stream: &Stream, context: Context, from: u32) -> Vec<Vec<u8>> {
    let texts = texts(bytes);
    let (system, rows) = stream.rows_of(context);
    let of_row = |row: &Row| texts.with_item(row, |own| message(row.role, own.raw()));
    let default = || message(Role::System, &string::quoted(DEFAULT_SYSTEM));
    let first = (from == 0).then(|| system.and_then(of_row).unwrap_or_else(default));
    let rest = rows.iter().skip(from.saturating_sub(1) as usize);
    first.into_iter().chain(rest.filter_map(of_row)).collect()
}

/// A message as JSON without whitespace. `content` is JSON.
pub fn message(role: Role, content: &[u8]) -> Vec<u8> {
    let role = format!("{role:?}").to_ascii_lowercase();
    [b"{\"role\":\"", role.as_bytes(), b"\",\"content\":", content, b"}"].concat()
}
