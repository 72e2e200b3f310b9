//! The reader of docs: it determines which histories a doc contains. Every command begins with its results.
//!
//! Stage (a) reads records on any number of threads: items become rows, and a visitor sees them while their text
//! is in memory. Stage (b) assembles the rows in order, and passes on the histories. Records that are histories by
//! themselves are passed on in stage (a).

mod batch;
mod branches;
mod chunk;
mod chunk_reading;
mod coverage;
pub mod detect;
mod doc;
mod file_faults;
pub mod invalid_json;
mod large_document;
mod last_line;
mod line;
mod merged_events;
mod multiline;
mod panic_guard;
mod paths;
pub mod records;
mod skipped_records;
mod source_records;
mod stage;
mod synthetic_histories;
mod translation;
mod unrecognised;

use std::io;

use crate::dialect::Item;
use crate::format::{Format, FormatInfo};
use crate::formats::agents::resume::{self, AgentAct};
use crate::history::tree::TreeBuilder;
use crate::history::{Finding, History, ReasoningEffort, UnsentItem, Usage, Version};
use crate::place::DocId;
use crate::source::{Container, ReadAt};

pub use crate::format::{BodyPiece, ScannedRecord, TextReader};
pub use branches::{TreeReach, tree_finding};
pub use doc::{Emit, read, read_synthetic};
pub use large_document::recognises_large;
pub use skipped_records::{PanicPolicy, SkippedRecord};

/// Options for reading docs.
#[derive(Clone)]
pub struct Options {
    /// `None` to detect it.
    pub format: Option<&'static dyn Format>,
    /// Keys from each record to the conversation in it.
    pub pointer: Vec<String>,
    pub newest_first: Option<bool>,
    /// Records larger than this many bytes are not read.
    pub max_record: u64,
    pub panics: PanicPolicy,
    /// Also read the branches of a tree that are not live.
    pub all_branches: bool,
    /// Overrides the format's choice whether histories are requests or logs.
    pub usage: Option<Usage>,
    /// The version of the agent that will resume a session, if it is not the one that wrote it.
    pub agent_version: Option<Version>,
    /// Default effort of requests.
    pub effort: Option<ReasoningEffort>,
    /// Dialect of the requested target: it decides where a document is ambiguous.
    pub dialect: Option<&'static str>,
    /// Also collect losses of translated stores ([`crate::history::HistorySettings::conversion_losses`]).
    pub coverage: bool,
    /// Also collect unsent items of logs ([`crate::history::Settings::unsent`]); with `coverage` each of them is
    /// among the losses, as a note.
    pub unsent: bool,
}

impl Options {
    /// True if a document of a format is read at once, however large it is: it is translated, or the elements of its lists are not
    /// the items that they seem to be, or say more together than each by itself.
    pub fn reads_at_once(&self, format: Option<&'static dyn Format>) -> bool {
        let needs_all =
            |format: &'static dyn Format| format.layout().is_translated() || format.info().is_read_whole;
        !self.pointer.is_empty() || format.is_some_and(needs_all)
    }

    /// What the agent that stores a format makes of the defects of a session; nothing if the session is not resumed by it.
    /// `version` is the one that wrote the session.
    pub fn agent_acts(&self, format: &str, version: Option<Version>) -> Vec<AgentAct> {
        match self.usage {
            Some(Usage::Request) => Vec::new(),
            _ => resume::acts_of(format, self.agent_version.or(version)),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            format: None,
            pointer: Vec::new(),
            newest_first: None,
            max_record: 1 << 30,
            panics: PanicPolicy::default(),
            all_branches: false,
            usage: None,
            agent_version: None,
            effort: None,
            dialect: None,
            coverage: false,
            unsent: false,
        }
    }
}

/// Visits items while their text is in memory. One per thread.
pub trait Visitor {
    /// Items of this format follow.
    fn begin(&mut self, _info: &'static FormatInfo) {}

    fn item(&mut self, _item: &mut Item<'_>, _found: &mut Vec<Finding>) {}
}

/// A visitor that does nothing.
pub struct NullVisitor;

impl Visitor for NullVisitor {}

/// The record that a history is in.
#[derive(Clone, Copy, Default)]
pub struct HistorySource<'f> {
    /// The record, if its text is still in memory.
    pub scanned: Option<ScannedRecord<'f>>,
    /// True if the record is read by itself, and has no other history.
    pub is_alone: bool,
}

/// An assembled history.
pub struct FoundHistory<'f> {
    pub history: History,
    pub info: &'static FormatInfo,
    /// Number in the doc, or in the current chunk.
    pub number: u32,
    /// Findings about items of the doc, in order; not all are about items of this history.
    pub items: &'f [Finding],
    pub source: HistorySource<'f>,
    /// The bytes of the doc, in memory if they are few.
    pub bytes: &'f dyn ReadAt,
}

/// Consumes the results of the reader.
pub trait ReadConsumer: Sync {
    type Visitor<'v>: Visitor
    where
        Self: 'v;

    /// The accumulated results of a chunk, and of the doc.
    type Output: Default + Send;

    fn visitor(&self) -> Self::Visitor<'_>;

    /// Consumes a history, on the thread that read it.
    fn history(&self, found: FoundHistory<'_>, into: &mut Self::Output);

    /// Consumes a finding about bytes, a record or a node, in the order of the doc.
    fn raise(&self, finding: Finding, into: &mut Self::Output);

    /// Appends the output of the next chunk, whose records and histories are numbered from the given numbers.
    fn join(&self, into: &mut Self::Output, next: Self::Output, records: u32, histories: u32);

    /// True to get nodes instead of histories. A history of a format without nodes is then a path of nodes.
    fn wants_nodes(&self) -> bool {
        false
    }

    /// Consumes nodes, in the order of the doc.
    fn nodes(&self, _nodes: TreeBuilder, _into: &mut Self::Output) {}
}

/// Reads a doc only to fill its slot with the merged events.
pub fn merge_events(id: DocId, bytes: &dyn ReadAt, options: &Options) -> io::Result<()> {
    read(id, bytes, options, 1, &NullConsumer, &mut |()| Ok(())).map(drop)
}

/// A consumer that ignores everything.
struct NullConsumer;

impl ReadConsumer for NullConsumer {
    type Visitor<'v> = NullVisitor;
    type Output = ();

    fn visitor(&self) -> NullVisitor {
        NullVisitor
    }

    fn history(&self, _: FoundHistory<'_>, (): &mut ()) {}

    fn raise(&self, _: Finding, (): &mut ()) {}

    fn join(&self, (): &mut (), (): (), _: u32, _: u32) {}
}

/// Facts about a doc, and the output of its consumer.
pub struct DocReading<T> {
    pub container: Container,
    /// The format of the doc, or of the first record that has one.
    pub format: Option<&'static dyn Format>,
    pub records: u32,
    pub histories: u32,
    pub items: u64,
    /// Some of its items are references written by `slim`.
    pub slimmed: bool,
    /// A record may contain such a reference.
    pub may_refer: bool,
    /// Items that are not sent, and why.
    pub unsent: Vec<UnsentItem>,
    /// Line marks every few kilobytes: (offset of a line, line number).
    pub lines: Vec<(u64, u64)>,
    /// Records that were skipped because of a bug of this program.
    pub bugs: Vec<SkippedRecord>,
    pub output: T,
}
