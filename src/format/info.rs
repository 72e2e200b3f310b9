//! A format's row in the table of formats: its name and title, the dialect of its items, where they are in a record, and how
//! its records make histories.

use crate::dialect::Dialect;
use crate::history::Usage;
use crate::json::Val;

use super::editor::{Editor, LineLinks, Placeholder};
use super::handover::Handover;
use super::mark::TextUse;
use super::numbered_lines::NumberedLines;
use super::probe::Probe;
use super::requests::RequestLog;
use super::unsent_paths::UnsentPaths;
use super::upstream::Upstream;

/// A location of items in a record. Rows carry the number of their part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordPart {
    /// The keys from the record to the array of items, or to the item that the record contains.
    pub path: &'static [&'static str],
    pub unit: RemovalUnit,
}

/// What is removed with an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RemovalUnit {
    /// The record: a line is one item.
    Record,
    /// An element of an array.
    Element,
    /// The message around the item, which contains nothing else: an element of the record, if that is a list, or the
    /// record.
    Message,
    /// An element of a list in a message. The message is removed with the last of them.
    Block,
    /// The same, in a message with other content: the message stays, with an empty list.
    Entry,
}

impl RemovalUnit {
    /// True if items are in messages, and messages in the record.
    pub fn is_nested(self) -> bool {
        matches!(self, RemovalUnit::Message | RemovalUnit::Block | RemovalUnit::Entry)
    }
}

/// The records that make a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HistoryScope {
    /// Each record is a history by itself.
    PerRecord,
    /// All records of a document make one.
    PerDoc,
    /// All records of a document make a tree; its live branch is a history, and so is that of each side chain.
    Tree,
    /// The same, of lines like those of Claude Code: they refer to each other, and a request is composed from them.
    Session,
    /// Each node that the records of a document make is a history by itself.
    PerNode,
}

impl HistoryScope {
    /// True if a history can consist of several records.
    pub fn span_records(self) -> bool {
        self != HistoryScope::PerRecord
    }

    /// True if histories of a document can begin with the same items.
    pub fn shares_rows(self) -> bool {
        matches!(self, HistoryScope::Tree | HistoryScope::Session | HistoryScope::PerNode)
    }
}

/// The table of a database whose rows an export contains.
pub struct ExportedTable {
    pub name: &'static str,
    /// The column that identifies a row.
    pub key: &'static str,
    /// The column with the items, of type `jsonb`.
    pub column: &'static str,
}

/// A format's row in the table of formats.
#[derive(Clone, Copy)]
pub struct FormatInfo {
    pub name: &'static str,
    /// A description of the format, in one line.
    pub title: &'static str,
    /// The features by which a file is recognised, in one line.
    pub known_by: &'static str,
    /// The program that defines it; `None` if the format was only observed in files.
    pub upstream: Option<Upstream>,
    pub dialect: &'static dyn Dialect,
    pub target: &'static str,
    pub usage: Usage,
    pub histories: HistoryScope,
    pub parts: &'static [RecordPart],
    /// True if it contains responses as they were received, which proves which items were adjacent.
    pub records_responses: bool,
    /// True if it is stored in the tables of a database, by which it is recognised.
    pub is_in_database: bool,
    /// True if it is read only if the user names it: nothing in its records distinguishes it from other data.
    pub is_explicit_only: bool,
    /// True if a document is read at once, however large it is: what one of its items says depends on the others.
    pub is_read_whole: bool,
    /// True if its client appends lines: if the last line has no line end, the next one would be joined to it.
    pub is_appended: bool,
    /// True if a log can span several files: what a compaction removed from it, and the rest.
    pub has_segments: bool,
    /// The reason why none of its records is edited, if so.
    pub read_only: Option<&'static str>,
    /// The extent to which it is repaired in place.
    pub edit_support: EditSupport,
    /// The operations of in-place repair, if its records are translated; other stores are edited item by item.
    pub editor: Option<&'static Editor>,
    /// Writes the replacement for a line that is not JSON, so that the lines after it can be reached.
    pub placeholder: Option<Placeholder>,
    /// A file next to the store that refers to messages by position, and the member that does. While the file exists, no
    /// message can be added or removed in place.
    pub positions: Option<(&'static str, &'static str)>,
    /// Paths of its records that are not part of requests, if records are translated. Any other value that is not in a
    /// message is a loss.
    pub unsent: &'static [UnsentPaths],
    /// Access to numbered lines, if lines of the log can be numbered.
    pub numbered_lines: Option<&'static dyn NumberedLines>,
    /// The way in which requests are rebuilt, if the log only names them.
    pub requests: Option<&'static dyn RequestLog>,
    /// The update that the program that owns the store can apply, if the store is not edited.
    pub handover: Option<&'static Handover>,
    /// The table that a repair of an export can be written to.
    pub table: Option<&'static ExportedTable>,
    /// True if nothing in a document contradicts this format: sufficient if the user's target has its dialect, and no other
    /// format is recognised for certain.
    pub is_plausible: Option<fn(&Probe<'_>) -> bool>,
    /// The use of the text at an offset of a record; `None` if all text is sent.
    pub text_use: Option<fn(Val<'_>, u32) -> TextUse>,
}

impl FormatInfo {
    /// True if each record is read by itself, and edited where it is stored: other records do not matter to its repair.
    pub fn has_separate_records(&self) -> bool {
        !self.histories.span_records() && self.editor.is_none()
    }

    /// True if items are in the array under a key at the top of a document, or in what its elements contain. Empty: in a
    /// document that is an array.
    pub fn has_items_in(&self, key: &str) -> bool {
        self.parts.iter().any(|part| part.path.first().copied().unwrap_or_default() == key)
    }

    /// The members by which its lines refer to each other, if its editor links them.
    pub fn links(&self) -> Option<&'static LineLinks> {
        self.editor.and_then(|editor| editor.links)
    }

    /// The defaults of a format with items of a dialect, judged by a target unless the user names another.
    pub const fn of(dialect: &'static dyn Dialect, target: &'static str) -> FormatInfo {
        FormatInfo {
            name: "",
            title: "",
            known_by: "",
            upstream: None,
            dialect,
            target,
            usage: Usage::Log,
            histories: HistoryScope::PerRecord,
            parts: &[],
            records_responses: false,
            is_in_database: false,
            is_explicit_only: false,
            is_read_whole: false,
            is_appended: false,
            has_segments: false,
            read_only: None,
            edit_support: EditSupport::Full,
            editor: None,
            placeholder: None,
            positions: None,
            unsent: &[],
            numbered_lines: None,
            requests: None,
            handover: None,
            table: None,
            is_plausible: None,
            text_use: None,
        }
    }

    /// True if nothing in a document contradicts this format.
    pub fn is_plausible(&self, probe: &Probe<'_>) -> bool {
        self.is_plausible.is_some_and(|is_plausible| is_plausible(probe))
    }

    /// The use of the text at an offset of a record.
    pub fn text_use(&self, record: Val<'_>, at: u32) -> TextUse {
        self.text_use.map_or(TextUse::Sent, |text_at| text_at(record, at))
    }

    /// True if a program may write to the store while it is read: it appends lines or rows, keeps another file in sync with
    /// it, or moves compacted items out of it. A request, an export or a data set is written once.
    pub fn is_live_store(&self) -> bool {
        self.is_appended || self.is_in_database || self.positions.is_some() || self.has_segments
    }

    /// The value that contains the list of a part in a record.
    pub fn list_parent<'r>(&self, record: Val<'r>, part: usize) -> Option<Val<'r>> {
        let (_, above) = self.parts.get(part)?.path.split_last()?;
        record.at(above)
    }
}

/// The extent to which `fix` repairs a store in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EditSupport {
    /// All repairable findings.
    Full,
    /// Findings that the format has operations for.
    Partial,
    Unsupported,
}

impl EditSupport {
    pub fn name(self) -> &'static str {
        match self {
            EditSupport::Full => "yes",
            EditSupport::Partial => "in part",
            EditSupport::Unsupported => "no",
        }
    }
}
