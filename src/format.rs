//! What a format is: an envelope that says where items lie in a record, what ends a history, and which lines are none
//! of the conversation. Formats are recognised by content, on a summary of the top-level keys; the items themselves are the
//! dialect's business.

pub mod agent;
mod body;
mod editor;
pub mod envelope;
pub mod handover;
mod healed;
mod info;
mod items;
mod kept;
mod layout;
mod mark;
mod probe;
mod ranked;
mod record;
pub mod reduction;
pub mod requests;
mod texts;
pub mod translate;
pub mod unsent;
mod upstream;

use crate::history::settings::not_sent;
use crate::history::tree::{Builder, Forest};
use crate::history::{Finding, History, Pairing, Role, Row, Settings, Unsent};
use crate::json::Val;
use crate::place::Place;

pub use body::{around, empty_list, name_answer, name_entry};
pub use editor::{
    Editor, Fill, Links, OpenCall, PartResults, Placeholder, Results, filled, placeholder, raw, uuid,
};
pub use info::{Edited, FormatInfo, Histories, Part, Unit};
pub use items::{read_array, read_item, read_slice};
pub use kept::{Copied, KeptLines};
pub use layout::Layout;
pub use mark::{Mark, Sink, TextAt};
pub use probe::Probe;
pub use record::{REFERENCE, Record, Slice, is_reference};
pub use texts::{Scanned, Share, Texts};
pub use upstream::Upstream;

use ranked::{Ranked, Told};
use requests::Assemble;

/// A claim below this says only that a record may be one of the format's, among others that are.
pub const TELLING: u8 = 20;

pub trait Format: Sync {
    fn info(&'static self) -> &'static FormatInfo;

    /// How sure a record is of this format, 0 to 100. The highest wins; among equals the first in the table. A claim
    /// rests on at least two keys, or on one that nothing else has.
    fn detect(&self, probe: &Probe<'_>) -> u8;

    /// Whether a record among others of this format is one of it, be it of a type that came later. What is not is
    /// reported, and not read.
    fn knows(&self, val: Val<'_>) -> bool {
        self.detect(&Probe::new(val)) > 0
    }

    /// How records become histories.
    fn layout(&'static self) -> Layout;
}

/// Why items of a log are not sent.
const REPLACED: &str = "a compaction has replaced it";
const TAKEN_BACK: &str = "the user took it back";

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
    /// What is not sent is wanted, too.
    gathers_unsent: bool,
}

impl Assembler {
    /// `wants_nodes`: nodes are gathered also of a format whose records are histories by themselves.
    pub fn new(info: &FormatInfo, wants_nodes: bool) -> Self {
        let settings = Settings { usage: info.usage, ..Settings::default() };
        let open = info.histories == Histories::PerDoc;
        let tree = (wants_nodes || info.histories.shares_rows()).then(Builder::default);
        Assembler {
            histories: info.histories,
            pairing: info.dialect.info().pairing,
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
            gathers_unsent: false,
        }
    }

    /// Whether items that are not sent are gathered ([`Settings::unsent`]).
    pub fn gathering_unsent(self, gathers_unsent: bool) -> Self {
        Assembler { gathers_unsent, ..self }
    }

    /// Hands events to the format's own assembler; its histories are edited as it says.
    pub fn by(mut self, format: &'static dyn Format) -> Self {
        self.settings.read_only = format.info().read_only;
        Assembler { own: format.layout().assembler(), ..self }
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
        self.settings.unsent.extend(unsent);
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
            Mark::Unsent(at, record, why) => {
                if self.gathers_unsent {
                    self.settings.unsent.push(Unsent::at(at, record, "an item", why));
                }
            }
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
                self.leave(0, TAKEN_BACK);
                self.turns.clear();
            }
            Mark::Rollback(turns) => {
                let keep = self.turns.len().saturating_sub(turns as usize);
                if let Some(&row) = self.turns.get(keep) {
                    self.leave(row as usize, TAKEN_BACK);
                    self.turns.truncate(keep);
                }
            }
            Mark::Reset => {
                self.leave(0, REPLACED);
                self.turns.clear();
                self.begun = self.begun.map(|_| 0);
            }
            Mark::ResetToUsers => {
                let of_user = self.rows.iter().filter(|row| row.role == Role::User).copied().collect();
                let all = std::mem::replace(&mut self.rows, of_user);
                if self.gathers_unsent {
                    let others = all.iter().filter(|row| row.role != Role::User);
                    self.settings.unsent.extend(not_sent(others, REPLACED));
                }
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

    /// Leaves out the rows from one on.
    fn leave(&mut self, from: usize, why: &'static str) {
        if self.gathers_unsent {
            let rows = self.rows.get(from..).unwrap_or_default();
            self.settings.unsent.extend(not_sent(rows, why));
        }
        self.rows.truncate(from);
    }

    /// What all branches of a tree have in common: losses, and what is not sent.
    pub fn take_apart(&mut self) -> (Vec<Finding>, Vec<Unsent>) {
        (std::mem::take(&mut self.settings.lost), std::mem::take(&mut self.settings.unsent))
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
        if let Some(own) = self.own.as_ref().filter(|_| self.gathers_unsent) {
            for (rows, why) in own.unsent() {
                settings.unsent.extend(not_sent(&rows, why));
            }
        }
        settings.numbered.iter_mut().for_each(|numbered| numbered.end(settings.broken));
        if settings.newest_first {
            rows.reverse();
        }
        self.turns.clear();
        self.begun = None;
        Some(History::new(rows, settings, self.pairing))
    }
}
