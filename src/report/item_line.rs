//! An item on one line: `function_call read_file({"path": "a"}) call_1`. What it says shows where content may be shown;
//! elsewhere its size.

use crate::dialect::Names;
use crate::history::{Class, ItemFlags, Kind, Row};
use crate::json::{Tape, Val, scan};

use super::item_facts::told;
use super::words::{bytes, cut, harmless};
use super::{mask, said};

/// What items without a type are called.
const MESSAGE: &str = "message";

/// Columns of what an item says, at most; the line is cut to the width after that.
const SAID: usize = 200;

/// Columns of the arguments of a call: its name and its id are to fit beside them.
const ARGUMENTS: usize = 36;

/// The line of an item that a history has.
pub(super) fn of_row(row: &Row, item: Val<'_>, names: Option<Names<'_>>, content: bool) -> String {
    line(row.kind, item, names, Shows { name: content, text: content }, Some(row))
}

/// The line of an item that is added: its text is ours, its name is not.
pub(super) fn of_added(text: &[u8], content: bool) -> String {
    let mut tape = Tape::new();
    let Some(item) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) else {
        return format!("message  {}", quoted(&String::from_utf8_lossy(text), true));
    };
    let kind = item.get("type").and_then(|kind| kind.text()).map_or(Kind::Unknown, |kind| Kind::of_type(&kind));
    line(kind, item, None, Shows { name: content, text: true }, None)
}

/// What of an item shows as it is.
#[derive(Clone, Copy)]
struct Shows {
    name: bool,
    text: bool,
}

fn line(kind: Kind, item: Val<'_>, names: Option<Names<'_>>, shows: Shows, row: Option<&Row>) -> String {
    if !item.is_object() {
        return format!("a value ({})", bytes(u64::from(item.end() - item.start())));
    }
    let told = told(item, names, false);
    let mut line = told.kind.unwrap_or_else(|| if row.is_some() { kind.name() } else { MESSAGE }.to_owned());
    // Only messages have a role that tells more than their type.
    if let Some(speaker) = told.role.filter(|_| line == MESSAGE) {
        line.push_str(&format!(" {speaker}"));
    }
    let says = said::text(item);
    let is_call = matches!(kind, Kind::ToolUse | Kind::ServerUse) || kind.class() == Class::Call;
    // A name that is not published may say what a conversation is about.
    let name = told.name.filter(|name| shows.name || mask::word(name) == *name);
    let is_call = is_call && name.is_some();
    match name {
        Some(name) if is_call && shows.text => {
            line.push_str(&format!(" {name}({})", cut(&flat(&says), ARGUMENTS)))
        }
        Some(name) if is_call => line.push_str(&format!(" {name}({})", mask::size(&says))),
        Some(name) => line.push_str(&format!(" {name}")),
        None => {}
    }
    if let Some(id) = told.call_id.or(told.id) {
        line.push_str(&format!(" {id}"));
    }
    if let Some(row) = row.filter(|row| row.is_reasoning() && row.has(ItemFlags::BLOB)) {
        return format!("{line}  (encrypted, {})", bytes(u64::from(row.at.len)));
    }
    match says.is_empty() || is_call {
        true => line,
        false => format!("{line}  {}", quoted(&says, shows.text)),
    }
}

/// What an item says, in quotation marks; `None` if it says nothing.
pub(super) fn said(item: Val<'_>, content: bool) -> Option<String> {
    let says = said::text(item);
    (!says.is_empty()).then(|| quoted(&says, content))
}

/// What is said, in quotation marks: its beginning, or how long it is.
fn quoted(text: &str, content: bool) -> String {
    if content { format!("\"{}\"", flat(text)) } else { format!("\"{}\"", mask::size(text)) }
}

/// The beginning of a text on one line.
fn flat(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(SAID).collect();
    cut(&harmless(&words.join(" ")), SAID)
}
