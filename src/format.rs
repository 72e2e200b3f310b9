//! The contract of formats. A format says where the items of a record are, what ends a history, and which lines are not
//! part of the conversation. Formats are recognised by content, from a summary of the top-level keys; the items
//! themselves are the business of the dialect.

pub mod agent;
mod body;
mod editor;
pub mod envelope;
pub mod handover;
mod info;
mod items;
mod layout;
mod mark;
mod message_order;
mod numbered_lines;
mod probe;
mod ranked_parts;
mod record;
pub mod reduction;
mod request_options;
pub mod requests;
pub mod schema_faults;
mod text_reader;
pub mod translate;
pub mod unsent_paths;
mod upstream;

use crate::history::settings::unsent_items;
use crate::history::tree::{Forest, MissingLinks, TreeBuilder};
use crate::history::{Finding, History, HistorySettings, Pairing, Role, Row, UnsentItem, Version, work_counter};
use crate::json::Val;
use crate::place::Place;

pub use body::{empty_list, label_answer, label_entry, request_body};
pub use editor::{
    Attachments, Editor, LineLinks, MemberFiller, OpenCall, PartResults, Placeholder, ResultStorage,
    fill_template, format_uuid, raw_member, write_placeholder,
};
pub use info::{EditSupport, ExportedTable, FormatInfo, HistoryScope, RecordPart, RemovalUnit};
pub use items::{read_array, read_item, read_slice};
pub use layout::Layout;
pub use mark::{Mark, Sink, TextUse};
pub use numbered_lines::{CopiedLine, NumberedLines};
pub use probe::Probe;
pub use record::{REFERENCE, Record, Slice, is_reference};
pub use request_options::{
    ANTHROPIC_OPTIONS, BEDROCK_OPTIONS, CHAT_OPTIONS, GEMINI_OPTIONS, RESPONSES_OPTIONS, read_options,
};
pub use text_reader::{BodyPiece, ScannedRecord, TextReader};
pub use upstream::Upstream;

use ranked_parts::{RankedEntry, RankedParts};
use requests::CustomAssembler;

/// The lowest score that distinguishes a format. A record with a lower one may belong to the format only if other records
/// of the document do.
pub const MIN_DISTINCTIVE_SCORE: u8 = 20;

/// A stored format.
pub trait Format: Sync {
    fn info(&'static self) -> &'static FormatInfo;

    /// The score of a record as one of this format, 0 to 100. The highest wins; among equals the first in the table. A
    /// score above 0 needs at least two keys, or one that no other format has.
    fn detect(&self, probe: &Probe<'_>) -> u8;

    /// True if a record in a document of this format belongs to it, even if its type is newer than this reader. Other
    /// records are reported, and not read.
    fn accepts(&self, val: Val<'_>) -> bool {
        self.detect(&Probe::new(val)) > 0
    }

    /// The way in which records become histories.
    fn layout(&'static self) -> Layout;
}

/// Reasons why items of a log are not sent.
const REPLACED: &str = "a compaction has replaced it";
const TAKEN_BACK: &str = "the user took it back";

/// Assembles histories from rows and marks, in order. Serves every format: lists, logs and trees.
pub struct Assembler {
    histories: HistoryScope,
    pairing: Pairing,
    settings: HistorySettings,
    rows: Vec<Row>,
    /// Number of rows, from the first, of which the last compaction left only the user's.
    users_only: usize,
    /// The row at which each turn of the user began.
    turns: Vec<u32>,
    /// The row at which a turn began that has no user message yet.
    pending_turn: Option<u32>,
    has_turn_marks: bool,
    is_open: bool,
    /// Collects the nodes of a tree; `None` if no caller needs them.
    tree: Option<TreeBuilder>,
    /// True once a node has begun.
    in_node: bool,
    /// The assembler of the format, if it has one.
    custom: Option<Box<dyn CustomAssembler>>,
    /// Events that add up to messages: their places, and the numbers of their records.
    fragments: Vec<(Place, u32)>,
    /// Parts that have yet to be put in order.
    ranked: Option<Box<RankedParts<Mark>>>,
    /// True if items that are not sent are collected, too.
    gathers_unsent: bool,
}

/// A list of rows that has room for more than this many others is copied: a history is kept while it is repaired.
const MUCH_SLACK: usize = 1 << 14;

impl Assembler {
    /// Creates an assembler. With `wants_nodes`, nodes are collected even if each record is a history by itself.
    pub fn new(info: &FormatInfo, wants_nodes: bool) -> Self {
        let settings = HistorySettings { usage: info.usage, ..HistorySettings::default() };
        let is_open = info.histories == HistoryScope::PerDoc;
        let tree = (wants_nodes || info.histories.shares_rows()).then(TreeBuilder::default);
        Assembler {
            histories: info.histories,
            pairing: info.dialect.info().pairing,
            settings,
            rows: Vec::new(),
            users_only: 0,
            turns: Vec::new(),
            pending_turn: None,
            has_turn_marks: false,
            is_open,
            tree,
            in_node: false,
            custom: None,
            fragments: Vec::new(),
            ranked: None,
            gathers_unsent: false,
        }
    }

    /// Sets whether items that are not sent are collected ([`HistorySettings::unsent`]).
    pub fn with_unsent(self, gathers_unsent: bool) -> Self {
        Assembler { gathers_unsent, ..self }
    }

    /// Uses the assembler of the format, if it has one, and the format's `read_only`.
    pub fn with_custom_assembler(mut self, format: &'static dyn Format) -> Self {
        self.settings.read_only = format.info().read_only;
        Assembler { custom: format.layout().assembler(), ..self }
    }

    /// The builder of the tree, if nodes are collected.
    pub fn tree(&mut self) -> Option<&mut TreeBuilder> {
        self.tree.as_mut()
    }

    /// True if the records of the document are nodes, whatever histories result from them.
    pub fn has_nodes(&self) -> bool {
        self.in_node
    }

    /// Puts the ranked parts in order.
    pub fn resolve_ranked(&mut self) {
        let Some(ranked) = self.ranked.take() else { return };
        let (entries, unsent) = ranked.finish();
        self.settings.unsent.extend(unsent);
        for entry in entries {
            match entry {
                RankedEntry::Rows(rows) => self.rows(&rows),
                RankedEntry::Mark(mark) => drop(self.mark(mark)),
            }
        }
    }

    /// The newest version of the agent that the records name.
    pub fn agent_version(&self) -> Option<Version> {
        self.settings.agent_version
    }

    /// Sets how entries whose parent is missing are linked.
    pub fn set_missing_links(&mut self, links: MissingLinks) {
        self.tree.iter_mut().for_each(|tree| tree.missing_links = links);
    }

    /// The collected nodes.
    pub fn into_tree(self) -> TreeBuilder {
        self.tree.unwrap_or_default()
    }

    /// Adds consecutive rows.
    pub fn rows(&mut self, rows: &[Row]) {
        if let Some(ranked) = &mut self.ranked {
            ranked.push(RankedEntry::Rows(rows.to_vec()));
            return;
        }
        if let Some(own) = &mut self.custom {
            own.rows(rows);
            return;
        }
        if let Some(tree) = self.tree.as_mut().filter(|_| self.in_node) {
            tree.add_rows(rows);
        }
        if self.is_open {
            let turn = self.turns.len() as u32;
            self.rows.extend(rows.iter().map(|row| Row { turn, ..*row }));
        }
    }

    /// Adds consecutive rows. If they are the first of a history, the list becomes that of the history.
    pub fn take_rows(&mut self, mut rows: Vec<Row>) {
        let is_kept = self.ranked.is_none() && self.custom.is_none() && self.is_open && !self.in_node;
        if !is_kept || !self.rows.is_empty() {
            return self.rows(&rows);
        }
        // It grew by doubling, and is kept while the history is repaired.
        rows.shrink_to_fit();
        let turn = self.turns.len() as u32;
        rows.iter_mut().for_each(|row| row.turn = turn);
        self.rows = rows;
    }

    /// Adds a mark. Returns a history if the mark ends one.
    pub fn mark(&mut self, mark: Mark) -> Option<History> {
        let mark = match (mark, &mut self.ranked) {
            (Mark::Ranked(rank), ranked) => {
                ranked.get_or_insert_default().begin(*rank);
                return None;
            }
            (mark @ (Mark::Start(_) | Mark::End), _) | (mark, None) => mark,
            (mark, Some(ranked)) => {
                ranked.push(RankedEntry::Mark(mark));
                return None;
            }
        };
        match mark {
            Mark::Start(settings) => {
                self.settings = *settings;
                self.is_open = true;
            }
            Mark::End => return self.end_history(),
            Mark::Settings(set, value) => set(&mut self.settings, value),
            Mark::NotConverted(finding) => self.settings.conversion_losses.push(*finding),
            Mark::Unsent(at, record, why) => {
                if self.gathers_unsent {
                    self.settings.unsent.push(UnsentItem::at(at, record, "an item", why));
                }
            }
            Mark::Aborted(at) => self.settings.aborted.push(at),
            Mark::Turn => {
                self.pending_turn = Some(self.rows.len() as u32);
                self.has_turn_marks = true;
            }
            Mark::User => {
                let here = (!self.has_turn_marks).then_some(self.rows.len() as u32);
                self.turns.extend(self.pending_turn.take().or(here));
            }
            Mark::Line { record, number, at, header } => {
                let numbered = self.settings.ordinals.get_or_insert_default();
                header.iter().for_each(|header| numbered.begin_file(header, record));
                numbered.add_line(at, record, number, header.is_some());
            }
            // The replaced items are unknown here, and so are the turns among them.
            Mark::Rollback(turns) if turns as usize > self.turns.len() && self.settings.window().is_some() => {
                self.omit_from(0, TAKEN_BACK);
                self.turns.clear();
            }
            Mark::Rollback(turns) => {
                let keep = self.turns.len().saturating_sub(turns as usize);
                if let Some(&row) = self.turns.get(keep) {
                    self.omit_from(row as usize, TAKEN_BACK);
                    self.turns.truncate(keep);
                }
            }
            Mark::Reset => {
                self.omit_from(0, REPLACED);
                self.turns.clear();
                self.pending_turn = self.pending_turn.map(|_| 0);
            }
            Mark::ResetToUsers => {
                let others = self.rows.extract_if(self.users_only.., |row| {
                    work_counter::count();
                    row.role != Role::User
                });
                let others: Vec<Row> = others.collect();
                if self.gathers_unsent {
                    self.settings.unsent.extend(unsent_items(&others, REPLACED));
                }
                self.users_only = self.rows.len();
                self.turns.clear();
                self.pending_turn = self.pending_turn.map(|_| self.rows.len() as u32);
            }
            Mark::Entry(entry) => {
                self.in_node = true;
                self.settings.agent_version = self.settings.agent_version.max(entry.version);
                if let Some(tree) = &mut self.tree {
                    tree.add_entry(*entry);
                }
            }
            Mark::Ranked(_) => {}
            Mark::Unreadable(at, record) => {
                if self.histories.shares_rows() {
                    self.settings.gaps.push(at.start);
                }
                if let Some(tree) = &mut self.tree {
                    tree.add_gap(at, record);
                }
            }
            Mark::Fragment(at, record) => self.fragments.push((at, record)),
            Mark::Custom(event) => {
                if let Some(own) = &mut self.custom {
                    own.event(event);
                }
            }
            Mark::Replace => {
                if let Some(tree) = &mut self.tree {
                    tree.discard_rows();
                }
            }
        }
        None
    }

    /// Removes the rows from `from` on, which are not sent.
    fn omit_from(&mut self, from: usize, why: &'static str) {
        if self.gathers_unsent {
            let rows = self.rows.get(from..).unwrap_or_default();
            self.settings.unsent.extend(unsent_items(rows, why));
        }
        self.rows.truncate(from);
        self.users_only = self.users_only.min(from);
    }

    /// Takes what all branches of a tree share: losses, and items that are not sent.
    pub fn take_shared(&mut self) -> (Vec<Finding>, Vec<UnsentItem>) {
        (std::mem::take(&mut self.settings.conversion_losses), std::mem::take(&mut self.settings.unsent))
    }

    /// Notes that a record could not be read.
    pub fn mark_broken(&mut self) {
        self.settings.broken = true;
    }

    /// Ends the document. Returns its history, if all records make one.
    pub fn finish(&mut self) -> Option<History> {
        if self.histories == HistoryScope::PerDoc { self.end_history() } else { None }
    }

    /// The assembler of the format, if it has one.
    pub fn custom_assembler(&mut self) -> Option<&mut (dyn CustomAssembler + 'static)> {
        self.custom.as_deref_mut()
    }

    /// True if a record could not be read.
    pub fn is_broken(&self) -> bool {
        self.settings.broken
    }

    /// Takes the events that add up to messages.
    pub fn take_fragments(&mut self) -> Vec<(Place, u32)> {
        std::mem::take(&mut self.fragments)
    }

    /// Ends the document. Returns the forest, if its records make one.
    pub fn take_forest(&mut self) -> Option<Forest> {
        let tree = self.tree.take().filter(|_| self.histories.span_records())?;
        Some(tree.finish())
    }

    /// The histories that requests would replay up to each of these nodes.
    pub fn branches(&self, forest: &Forest, leaves: impl Iterator<Item = u32>) -> Vec<History> {
        let branch = |leaf: u32| {
            let path = forest.path(leaf);
            let above = if self.histories == HistoryScope::PerNode { path.len().saturating_sub(1) } else { 0 };
            let path = path.get(above..).unwrap_or_default();
            let rows = path.iter().map(|node| forest.rows_of(*node)).collect::<Vec<_>>().concat();
            let rows = message_order::put_results_first(rows);
            let answer = forest.answer_above(leaf).map(|node| &forest.node(node).entry);
            let mut settings = self.settings.clone();
            settings.model = answer.and_then(|entry| entry.model.as_deref()).map(Box::from).or(settings.model);
            settings.store = answer.and_then(|entry| entry.store).or(settings.store);
            History::new(rows, settings, self.pairing)
        };
        leaves.map(branch).collect()
    }

    fn end_history(&mut self) -> Option<History> {
        self.resolve_ranked();
        if !std::mem::take(&mut self.is_open) {
            return None;
        }
        let mut rows = match &self.custom {
            Some(own) => own.history(),
            None => std::mem::take(&mut self.rows),
        };
        self.users_only = 0;
        let mut settings = std::mem::take(&mut self.settings);
        if let Some(own) = self.custom.as_ref().filter(|_| self.gathers_unsent) {
            for (rows, why) in own.unsent() {
                settings.unsent.extend(unsent_items(&rows, why));
            }
        }
        settings.ordinals.iter_mut().for_each(|numbered| numbered.finish(settings.broken));
        if settings.newest_first {
            rows.reverse();
        }
        if rows.capacity() - rows.len() > MUCH_SLACK {
            rows.shrink_to_fit();
        }
        self.turns.clear();
        self.pending_turn = None;
        Some(History::new(rows, settings, self.pairing))
    }
}
