//! An item on a page: its type and ids, its text, and its JSON.

use crate::diff::item;
use crate::history::{Class, Kind, Role, Row};
use crate::json::{Tape, Val, scan};
use crate::read::TextReader;
use crate::report::changes::ValueDisplay;
use crate::report::item_facts::read_facts;
use crate::report::item_text;
use crate::report::mask;
use crate::report::words::{count, replace_hidden};

use super::data::PageItem;
use super::layout::HistoryCopy;

/// Characters of an item's text, at most.
const MAX_CHARS: usize = 2_000;
/// Lines of its JSON.
const MAX_LINES: usize = 200;
/// Columns that a string of its JSON may have, where content is shown.
const WIDTH: usize = 600;

/// How the strings of a page are shown.
pub(super) fn value_display(content: bool) -> ValueDisplay {
    ValueDisplay { masked: !content, width: WIDTH }
}

/// An item of a history, without its location, which is found for all items together.
pub(super) fn item(history: &HistoryCopy, ix: u32, texts: &TextReader<'_>, content: bool) -> PageItem {
    let Some(row) = history.rows.get(ix as usize) else { return PageItem::default() };
    let speaker = history.message_row(ix).map_or(row.role, |message| message.role);
    let base = PageItem {
        kind: row.kind.name().to_owned(),
        class: class(row, speaker),
        block: history.is_block(ix),
        record: row.record + 1,
        bytes: u64::from(row.at.len),
        ..PageItem::default()
    };
    let facts = texts.with_item(row, |val| {
        let facts = read_facts(val, texts.ids(val), false);
        let kind = match (row.kind, facts.role) {
            (Kind::Message | Kind::BlockMessage, Some(role)) => role,
            (_, role) => facts.kind.or(role).unwrap_or_else(|| base.kind.clone()),
        };
        // The text of blocks is shown at the blocks.
        let holds_blocks =
            row.kind == Kind::BlockMessage && val.get("content").is_none_or(|content| !content.is_string());
        let says = if holds_blocks { String::new() } else { visible_text(val, content) };
        (kind, facts.id, facts.call_id, facts.name, says, json(val, content))
    });
    let Some((kind, id, call_id, name, says, json)) = facts else { return base };
    // A name that is not published may reveal what a conversation is about.
    PageItem {
        kind,
        id,
        call_id,
        name: name.filter(|name| content || mask::word(name) == *name),
        says,
        json,
        ..base
    }
}

/// The text of an item that is given as JSON, and its JSON pretty-printed.
pub(super) fn of_text(text: &[u8], content: bool) -> (String, String) {
    let mut tape = Tape::new();
    match scan(text, &mut tape).ok().and_then(|()| tape.root(text)) {
        Some(val) => (visible_text(val, content), json(val, content)),
        None => (String::new(), String::new()),
    }
}

/// The author of an item, or its type.
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
    let mut lines = item::pretty_lines(val, &value_display(content));
    if lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(format!("… {}", count(more as u64, "more line")));
    }
    lines.join("\n")
}

/// The text of an item, or its length.
fn visible_text(val: Val<'_>, content: bool) -> String {
    let text = item_text::text(val);
    let chars = text.chars().count();
    match (chars, content) {
        (0, _) => String::new(),
        (_, false) => count(chars as u64, "char"),
        (_, true) if chars > MAX_CHARS => {
            let cut: String = text.chars().take(MAX_CHARS).collect();
            format!("{}… ({})", clean_lines(&cut), count((chars - MAX_CHARS) as u64, "more char"))
        }
        (_, true) => clean_lines(&text),
    }
}

/// A text without hidden characters. Its lines stay: the page shows them.
fn clean_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| replace_hidden(&line.replace('\t', "    "))).collect();
    lines.join("\n")
}
