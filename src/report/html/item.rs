//! What a page shows of an item: what it is called, a line of what it says, and its JSON.

use crate::diff::item;
use crate::history::{Class, Kind, Role, Row};
use crate::json::{Tape, Val, scan};
use crate::read::Texts;
use crate::report::changes::Shown;
use crate::report::item_facts::told;
use crate::report::mask;
use crate::report::said;
use crate::report::words::{grouped, harmless};

use super::data::Item;
use super::strand::Strand;

/// Characters of what an item says.
const SAID: usize = 2_000;
/// Lines of its JSON.
const LINES: usize = 200;
/// Columns that a string of its JSON may have, where content is shown.
const WIDTH: usize = 600;

/// How the strings of a page are shown.
pub(super) fn shown(content: bool) -> Shown {
    Shown { masked: !content, width: WIDTH }
}

/// An item of a history. Its place is found for all items together.
pub(super) fn item(strand: &Strand, ix: u32, texts: &Texts<'_>, content: bool) -> Item {
    let Some(row) = strand.rows.get(ix as usize) else { return Item::default() };
    let speaker = strand.speaker(ix).map_or(row.role, |message| message.role);
    let base = Item {
        kind: row.kind.name().to_owned(),
        class: class(row, speaker),
        block: strand.is_block(ix),
        record: row.record + 1,
        bytes: u64::from(row.at.len),
        ..Item::default()
    };
    let told = texts.item(row, |val| {
        let told = told(val, texts.called(val), false);
        let kind = match (row.kind, told.role) {
            (Kind::Message | Kind::BlockMessage, Some(role)) => role,
            (_, role) => told.kind.or(role).unwrap_or_else(|| base.kind.clone()),
        };
        // Blocks say themselves what they say.
        let holds_blocks =
            row.kind == Kind::BlockMessage && val.get("content").is_none_or(|said| !said.is_string());
        let says = if holds_blocks { String::new() } else { says(val, content) };
        (kind, told.id, told.call_id, told.name, says, json(val, content))
    });
    let Some((kind, id, call_id, name, says, json)) = told else { return base };
    // A name that is not published may say what a conversation is about.
    Item { kind, id, call_id, name: name.filter(|name| content || mask::word(name) == *name), says, json, ..base }
}

/// What a text of JSON says, and the same pretty-printed.
pub(super) fn of_text(text: &[u8], content: bool) -> (String, String) {
    let mut tape = Tape::new();
    match scan(text, &mut tape).ok().and_then(|()| tape.root(text)) {
        Some(val) => (says(val, content), json(val, content)),
        None => (String::new(), String::new()),
    }
}

/// Who made an item, or what it is.
fn class(row: &Row, speaker: Role) -> &'static str {
    let of_role = |role: Role| match role {
        Role::User => "user",
        Role::Assistant => "model",
        Role::Tool => "output",
        Role::None => "other",
        _ => "instructions",
    };
    match (row.kind, row.kind.class()) {
        (Kind::Message | Kind::BlockMessage, _) => of_role(row.role),
        (Kind::Text | Kind::Media, _) => of_role(speaker),
        (Kind::Thinking, _) | (_, Class::Reasoning) => "reasoning",
        (Kind::ToolUse, _) | (_, Class::Call) => "call",
        (Kind::ToolResult, _) | (_, Class::Output) => "output",
        (Kind::ServerUse | Kind::ServerResult, _) | (_, Class::Hosted) => "hosted",
        (_, Class::Reference) => "reference",
        _ => "other",
    }
}

/// The item, pretty-printed.
fn json(val: Val<'_>, content: bool) -> String {
    let mut lines = item::whole(val, &shown(content));
    if lines.len() > LINES {
        let more = lines.len() - LINES;
        lines.truncate(LINES);
        lines.push(format!("… {more} more lines"));
    }
    lines.join("\n")
}

/// What an item says: its text, or how long it is.
fn says(val: Val<'_>, content: bool) -> String {
    let text = said::text(val);
    let chars = text.chars().count();
    match (chars, content) {
        (0, _) => String::new(),
        (_, false) => format!("{} chars", grouped(chars as u64)),
        (_, true) if chars > SAID => {
            let cut: String = text.chars().take(SAID).collect();
            format!("{}… ({} more chars)", legible(&cut), grouped((chars - SAID) as u64))
        }
        (_, true) => legible(&text),
    }
}

/// Lines are kept: the page shows them.
fn legible(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| harmless(&line.replace('\t', "    "))).collect();
    lines.join("\n")
}
