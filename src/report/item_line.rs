//! An item on one line: `function_call read_file({"path": "a"}) call_1`. Its text is shown where content may be shown,
//! else its size.

use crate::dialect::ItemIds;
use crate::history::{Class, ItemFlags, Kind, Row};
use crate::json::{Tape, Val, scan};

use super::item_facts::read_facts;
use super::words::{byte_size, replace_hidden, truncate};
use super::{item_text, mask};

/// The type that items without one are printed with.
const MESSAGE: &str = "message";

/// Columns of an item's text, at most; the line is cut to the width after that.
const EXCERPT_COLUMNS: usize = 200;

/// Columns of the arguments of a call, so that its name and its id fit beside them.
const ARGUMENT_COLUMNS: usize = 36;

/// The line of an item of a history.
pub(super) fn of_row(row: &Row, item: Val<'_>, names: Option<ItemIds<'_>>, content: bool) -> String {
    line(row.kind, item, names, Visibility { name: content, text: content }, Some(row))
}

/// The line of an item that a repair adds: its text is the repair's, its name may be content.
pub(super) fn of_added(text: &[u8], content: bool) -> String {
    let mut tape = Tape::new();
    let Some(item) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) else {
        return format!("message  {}", quote(&String::from_utf8_lossy(text), true));
    };
    let kind = item.get("type").and_then(|kind| kind.text()).map_or(Kind::Unknown, |kind| Kind::of_type(&kind));
    line(kind, item, None, Visibility { name: content, text: true }, None)
}

/// The parts of an item that are shown unmasked.
#[derive(Clone, Copy)]
struct Visibility {
    name: bool,
    text: bool,
}

fn line(kind: Kind, item: Val<'_>, names: Option<ItemIds<'_>>, shows: Visibility, row: Option<&Row>) -> String {
    if !item.is_object() {
        return format!("a value ({})", byte_size(u64::from(item.end() - item.start())));
    }
    let facts = read_facts(item, names, false);
    let mut line = facts.kind.unwrap_or_else(|| if row.is_some() { kind.name() } else { MESSAGE }.to_owned());
    // Only of messages the role says more than the type.
    if let Some(speaker) = facts.role.filter(|_| line == MESSAGE) {
        line.push_str(&format!(" {speaker}"));
    }
    let text = item_text::text(item);
    let is_call = matches!(kind, Kind::ToolUse | Kind::ServerUse) || kind.class() == Class::Call;
    // A name that is not published may reveal what a conversation is about.
    let name = facts.name.filter(|name| shows.name || mask::word(name) == *name);
    let is_call = is_call && name.is_some();
    match name {
        Some(name) if is_call && shows.text => {
            line.push_str(&format!(" {name}({})", truncate(&one_line(&text), ARGUMENT_COLUMNS)))
        }
        Some(name) if is_call => line.push_str(&format!(" {name}({})", mask::size(&text))),
        Some(name) => line.push_str(&format!(" {name}")),
        None => {}
    }
    if let Some(id) = facts.call_id.or(facts.id) {
        line.push_str(&format!(" {id}"));
    }
    if let Some(row) = row.filter(|row| row.is_reasoning() && row.has(ItemFlags::BLOB)) {
        return format!("{line}  (encrypted, {})", byte_size(u64::from(row.at.len)));
    }
    match text.is_empty() || is_call {
        true => line,
        false => format!("{line}  {}", quote(&text, shows.text)),
    }
}

/// The text of an item in quotation marks; `None` if it has none.
pub(super) fn excerpt(item: Val<'_>, content: bool) -> Option<String> {
    let text = item_text::text(item);
    (!text.is_empty()).then(|| quote(&text, content))
}

/// A text in quotation marks: its beginning, or its size.
fn quote(text: &str, content: bool) -> String {
    if content { format!("\"{}\"", one_line(text)) } else { format!("\"{}\"", mask::size(text)) }
}

/// The beginning of a text on one line.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(EXCERPT_COLUMNS).collect();
    truncate(&replace_hidden(&words.join(" ")), EXCERPT_COLUMNS)
}
