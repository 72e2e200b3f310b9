//! What a format is: an envelope that says where items lie in a record, what ends a history, and which lines are none
//! of the conversation. Formats are recognised by content, on a summary of the top-level keys; the items themselves are the
//! dialect's business.

pub mod agent;
mod body;
pub mod correcting;
pub mod handover;
mod healed;
mod info;
mod kept;
mod mark;
mod probe;
mod ranked;
mod record;
pub mod reduction;
mod repair;
pub mod requests;
pub mod retelling;
mod texts;
pub mod unsent;

use crate::dialect::{Dialect, Item, Origin};
use crate::history::tree::{Builder, Forest};
use crate::history::{Finding, Flags, History, Pairing, Role, Row, Settings, codes};
use crate::json::Val;
use crate::place::Place;

pub use body::{around, empty_list, name_answer, name_entry};
pub use info::{Edited, FormatInfo, Histories, Part, Unit};
pub use kept::{Copied, KeptLines};
pub use mark::{Mark, Sink, TextAt};
pub use probe::Probe;
pub use record::{REFERENCE, Record, Slice, is_reference};
pub use repair::{Repair, Repaired, Wanted};
pub use texts::{Scanned, Share, Texts};

use correcting::Corrector;
use handover::Handover;
use ranked::{Ranked, Told};
use reduction::Reduction;
use requests::{Assemble, Requests};
use retelling::Teller;
use unsent::UnsentPaths;

/// A claim below this says only that a record may be one of the format's, among others that are.
pub const TELLING: u8 = 20;

pub trait Format: Sync {
    fn info(&self) -> &'static FormatInfo;

    /// How sure a record is of this format, 0 to 100. The highest wins; among equals the first in the table. A claim
    /// rests on at least two keys, or on one that nothing else has.
    fn detect(&self, probe: &Probe<'_>) -> u8;

    /// Whether nothing in a document speaks against this format: enough if the user's target has its dialect, and nothing
    /// says surely that the document is of another.
    fn may_be(&self, _probe: &Probe<'_>) -> bool {
        false
    }

    /// Whether a record among others of this format is one of it, be it of a type that came later. What is not is
    /// reported, and not read.
    fn knows(&self, val: Val<'_>) -> bool {
        self.detect(&Probe::new(val)) > 0
    }

    /// Whether it is stored in the tables of a database, by which it is recognised.
    fn is_stored_in_tables(&self) -> bool {
        false
    }

    /// Whether it is read only where the user names it: nothing in its records tells it from other data.
    fn is_named_only(&self) -> bool {
        false
    }

    /// Whether its client goes on by appending lines: to a last line without an end, the next one would be glued.
    fn is_appended(&self) -> bool {
        false
    }

    /// Whether a log may lie in several files: what a compaction took out of it beside what is left.
    fn has_segments(&self) -> bool {
        false
    }

    /// Whether lines of such a log may be counted, and found by their offsets.
    fn kept_lines(&self) -> Option<&'static dyn KeptLines> {
        None
    }

    /// A file beside the store that names its messages by their positions, and the member that does: while it is there,
    /// no message may be added or taken out in place.
    fn positions(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// How events add up to messages, if the records are events. They are handed over as [`Mark::Piece`], and what they
    /// add up to is read as [`Slice::Made`].
    fn reduction(&self) -> Option<&'static Reduction> {
        None
    }

    /// How records are retold as messages of the format's dialect, if they are not messages themselves.
    fn teller(&self) -> Option<fn() -> Box<dyn Teller>> {
        None
    }

    /// What of its records no request says, if they are translated. Whatever else no message is made of is a loss.
    fn unsent(&self) -> &'static [UnsentPaths] {
        &[]
    }

    /// How events are assembled to a history, if they are not items and marks of one. They are handed over as
    /// [`Mark::Own`].
    fn assemble(&self) -> Option<Box<dyn Assemble>> {
        None
    }

    /// How requests are found and rebuilt, if the log only names them.
    fn requests(&self) -> Option<&'static dyn Requests> {
        None
    }

    /// How records that are retold are repaired where they lie, if they are: what [`Settings::cures`] names.
    fn repair(&self) -> Option<Repair> {
        None
    }

    /// How messages of a store are written once more where they are wrong, if the store is repaired so.
    fn corrector(&self) -> Option<fn() -> Box<dyn Corrector>> {
        None
    }

    /// Why none of its records is edited, however the rest of the doc is read.
    fn read_only(&self) -> Option<&'static str> {
        None
    }

    /// What is changed of it in place.
    fn edited(&self) -> Edited {
        match () {
            () if self.read_only().is_some() => Edited::Never,
            () if self.repair().is_some() || self.corrector().is_some() => Edited::Partly,
            () if self.is_made() => Edited::Never,
            () => Edited::Whole,
        }
    }

    /// What the program that keeps the store can do instead of a repair, if the store is not edited.
    fn handover(&self) -> Option<&'static Handover> {
        None
    }

    /// Whether histories are read from text that is made of the records.
    fn is_made(&self) -> bool {
        self.reduction().is_some() || self.teller().is_some()
    }

    /// What becomes of the text at an offset of a record.
    fn text_at(&self, _record: Val<'_>, _at: u32) -> TextAt {
        TextAt::Sent
    }

    /// Hands the items and marks of a record to the sink. Without a function of its own, a format hands over the record to
    /// be retold.
    fn read(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        sink.mark(Mark::Piece(record.base.of(record.val), record.number));
    }
}

/// Reads an element of a large document, if the record is one.
pub fn read_slice(info: &FormatInfo, record: &Record<'_>, flags: Flags, sink: &mut dyn Sink) -> bool {
    let Slice::Element { section } = record.slice else { return false };
    let holds = |part: &Part| match part.path {
        [] => section.is_empty(),
        [key] => *key == section,
        _ => false,
    };
    if let Some(part) = info.parts.iter().position(holds) {
        read_item(info.dialect, record.val, record, part as u8, flags, sink);
    }
    true
}

/// Reads the items of an array as part `part` of a record.
pub fn read_array(
    dialect: &dyn Dialect,
    array: Val<'_>,
    record: &Record<'_>,
    part: u8,
    flags: Flags,
    sink: &mut dyn Sink,
) {
    for element in array.elements() {
        if is_reference(element) {
            // Partners may be among what it stands for.
            sink.mark(Mark::Settings(
                |settings, _| (settings.broken, settings.slimmed) = (true, true),
                Box::default(),
            ));
            continue;
        }
        if !element.is_object() {
            read_literal(element, record, part, flags, sink);
            continue;
        }
        read_item(dialect, element, record, part, flags, sink);
    }
}

/// Reports a null, a number, a text or a list where an item should be. It keeps its place, and nothing pairs with it.
fn read_literal(val: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    let mut row = Row::of_place(record.base.of(val), record.number);
    (row.part, row.flags) = (part, flags);
    sink.find(Finding::new(codes::NOT_AN_ITEM, row).never("the intended text is not known"));
    sink.item(Item { row, val, id: None, key: None });
}

/// Reads one item as part `part` of a record.
pub fn read_item(
    dialect: &dyn Dialect,
    val: Val<'_>,
    record: &Record<'_>,
    part: u8,
    flags: Flags,
    sink: &mut dyn Sink,
) {
    let origin = Origin { base: record.base, record: record.number, turn: 0, part, flags };
    dialect.rows(val, origin, &mut |item| sink.item(item));
}

/// Makes histories of rows and marks, in order. Serves every format: lists, logs and trees.
pub struct Assembler {
    histories: Histories,
    pairing: Pairing,
    settings: Settings,
    rows: Vec<Row>,
    /// Row at which each turn of the user began.
    turns: Vec<u32>,
    /// Row at which a turn began in which the user has not spoken yet.
    begun: Option<u32>,
    marked_turns: bool,
    open: bool,
    /// Gathers the nodes of a tree; `None` where nobody wants them.
    tree: Option<Builder>,
    /// A node has begun.
    in_node: bool,
    /// The format's own, if it has one.
    own: Option<Box<dyn Assemble>>,
    /// Events that add up to messages: where, and the numbers of their records.
    pieces: Vec<(Place, u32)>,
    /// Parts that wait to be put in order.
    ranked: Option<Box<Ranked<Mark>>>,
}

impl Assembler {
    /// `wants_nodes`: nodes are gathered also of a format whose records are histories by themselves.
    pub fn new(info: &FormatInfo, wants_nodes: bool) -> Self {
        let settings = Settings { usage: info.usage, ..Settings::default() };
        let open = info.histories == Histories::PerDoc;
        let tree = (wants_nodes || info.histories.shares_rows()).then(Builder::default);
        Assembler {
            histories: info.histories,
            pairing: info.dialect.pairing(),
            settings,
            rows: Vec::new(),
            turns: Vec::new(),
            begun: None,
            marked_turns: false,
            open,
            tree,
            in_node: false,
            own: None,
            pieces: Vec::new(),
            ranked: None,
        }
    }

    /// Hands events to the format's own assembler; its histories are edited as it says.
    pub fn by(mut self, format: &dyn Format) -> Self {
        self.settings.read_only = format.read_only();
        Assembler { own: format.assemble(), ..self }
    }

    /// Where nodes are gathered.
    pub fn tree(&mut self) -> Option<&mut Builder> {
        self.tree.as_mut()
    }

    /// The records of the doc are nodes, whatever histories they make.
    pub fn knows_nodes(&self) -> bool {
        self.in_node
    }

    /// Puts the parts that wait for it in order.
    pub fn settle(&mut self) {
        let Some(ranked) = self.ranked.take() else { return };
        let (told, unsent) = ranked.finish();
        self.settings.unsent = unsent;
        for told in told {
            match told {
                Told::Rows(rows) => self.rows(&rows),
                Told::Mark(mark) => drop(self.mark(mark)),
            }
        }
    }

    /// The nodes that were gathered.
    pub fn into_tree(self) -> Builder {
        self.tree.unwrap_or_default()
    }

    /// Begins a history whose settings come last: a document that is read element by element.
    pub fn begin(&mut self) {
        self.open = true;
    }

    /// Takes a run of rows.
    pub fn rows(&mut self, rows: &[Row]) {
        if let Some(ranked) = &mut self.ranked {
            ranked.take(Told::Rows(rows.to_vec()));
            return;
        }
        if let Some(own) = &mut self.own {
            own.rows(rows);
            return;
        }
        if let Some(tree) = self.tree.as_mut().filter(|_| self.in_node) {
            tree.rows(rows);
        }
        if self.open {
            let turn = self.turns.len() as u32;
            self.rows.extend(rows.iter().map(|row| Row { turn, ..*row }));
        }
    }

    /// Takes a mark. Gives a history if the mark ends one.
    pub fn mark(&mut self, mark: Mark) -> Option<History> {
        let mark = match (mark, &mut self.ranked) {
            (Mark::Ranked(rank), ranked) => {
                ranked.get_or_insert_default().begin(*rank);
                return None;
            }
            (mark @ (Mark::Start(_) | Mark::End), _) | (mark, None) => mark,
            (mark, Some(ranked)) => {
                ranked.take(Told::Mark(mark));
                return None;
            }
        };
        match mark {
            Mark::Start(settings) => {
                self.settings = *settings;
                self.open = true;
            }
            Mark::End => return self.end(),
            Mark::Settings(set, value) => set(&mut self.settings, value),
            Mark::NotConverted(finding) => self.settings.lost.push(finding),
            Mark::Aborted(at) => self.settings.aborted.push(at),
            Mark::Turn => {
                self.begun = Some(self.rows.len() as u32);
                self.marked_turns = true;
            }
            Mark::User => {
                let here = (!self.marked_turns).then_some(self.rows.len() as u32);
                self.turns.extend(self.begun.take().or(here));
            }
            Mark::Line { record, number, at, header } => {
                let numbered = self.settings.numbered.get_or_insert_default();
                header.iter().for_each(|header| numbered.header(header, record));
                numbered.line(at, record, number, header.is_some());
            }
            // Of what came before, nobody knows which turns are gone.
            Mark::Rollback(turns) if turns as usize > self.turns.len() && self.settings.window().is_some() => {
                self.rows.clear();
                self.turns.clear();
            }
            Mark::Rollback(turns) => {
                let keep = self.turns.len().saturating_sub(turns as usize);
                if let Some(&row) = self.turns.get(keep) {
                    self.rows.truncate(row as usize);
                    self.turns.truncate(keep);
                }
            }
            Mark::Reset => {
                self.rows.clear();
                self.turns.clear();
                self.begun = self.begun.map(|_| 0);
            }
            Mark::ResetToUsers => {
                self.rows.retain(|row| row.role == Role::User);
                self.turns.clear();
                self.begun = self.begun.map(|_| self.rows.len() as u32);
            }
            Mark::Entry(entry) => {
                self.in_node = true;
                self.settings.agent_version = self.settings.agent_version.max(entry.version);
                if let Some(tree) = &mut self.tree {
                    tree.entry(*entry);
                }
            }
            Mark::Ranked(_) => {}
            Mark::Lost(at, record) => {
                if self.histories.shares_rows() {
                    self.settings.gaps.push(at.start);
                }
                if let Some(tree) = &mut self.tree {
                    tree.gap(at, record);
                }
            }
            Mark::Piece(at, record) => self.pieces.push((at, record)),
            Mark::Own(event) => {
                if let Some(own) = &mut self.own {
                    own.event(event);
                }
            }
            Mark::Replace => {
                if let Some(tree) = &mut self.tree {
                    tree.reset();
                }
            }
        }
        None
    }

    /// A record could not be read.
    pub fn broken(&mut self) {
        self.settings.broken = true;
    }

    /// The doc ends.
    pub fn finish(&mut self) -> Option<History> {
        if self.histories == Histories::PerDoc { self.end() } else { None }
    }

    /// The format's own.
    pub fn own(&mut self) -> Option<&mut (dyn Assemble + 'static)> {
        self.own.as_deref_mut()
    }

    /// Whether a record could not be read.
    pub fn is_broken(&self) -> bool {
        self.settings.broken
    }

    /// The events that add up to messages.
    pub fn pieces(&mut self) -> Vec<(Place, u32)> {
        std::mem::take(&mut self.pieces)
    }

    /// The doc ends, and its records made a tree.
    pub fn forest(&mut self) -> Option<Forest> {
        let tree = self.tree.take().filter(|_| self.histories.span_records())?;
        Some(tree.finish())
    }

    /// What a request would replay of a tree, up to each of these nodes.
    pub fn branches(&self, forest: &Forest, leaves: impl Iterator<Item = u32>) -> Vec<History> {
        let branch = |leaf: u32| {
            let path = forest.path(leaf);
            let above = if self.histories == Histories::PerNode { path.len().saturating_sub(1) } else { 0 };
            let path = path.get(above..).unwrap_or_default();
            let rows = path.iter().flat_map(|node| forest.rows_of(*node)).copied().collect();
            let rows = healed::results_first(rows);
            let answer = forest.answer_above(leaf).map(|node| &forest.node(node).entry);
            let mut settings = self.settings.clone();
            settings.model = answer.and_then(|entry| entry.model.as_deref()).map(Box::from).or(settings.model);
            settings.store = answer.and_then(|entry| entry.store).or(settings.store);
            History::new(rows, settings, self.pairing)
        };
        leaves.map(branch).collect()
    }

    fn end(&mut self) -> Option<History> {
        self.settle();
        if !std::mem::take(&mut self.open) {
            return None;
        }
        let mut rows = match &self.own {
            Some(own) => own.history(),
            None => std::mem::take(&mut self.rows),
        };
        let mut settings = std::mem::take(&mut self.settings);
        settings.numbered.iter_mut().for_each(|numbered| numbered.end(settings.broken));
        if settings.newest_first {
            rows.reverse();
        }
        self.turns.clear();
        self.begun = None;
        Some(History::new(rows, settings, self.pairing))
    }
}
