//! The one reader, and the only answer to the question which histories a doc holds. Every command begins with what it
//! returns.
//!
//! Stage (a) reads records on any number of threads: items become rows, and a visitor sees them while their text is at
//! hand. Stage (b) puts the rows together in order, and hands over the histories. A format whose records are histories
//! by themselves hands them over where they are read.

mod batch;
mod branches;
pub mod broken;
mod chunk;
mod coverage;
pub mod detect;
mod doc;
mod gathered;
mod guard;
mod large;
mod last_line;
mod line;
mod paths;
mod pieces;
pub mod records;
mod reduced;
mod skipped;
mod spread;
mod stage;
mod translated;
mod unknown;

use std::io;

use crate::dialect::Item;
use crate::format::{Format, FormatInfo};
use crate::history::tree::Builder;
use crate::history::{Effort, Finding, History, Unsent, Usage};
use crate::place::DocId;
use crate::source::{Container, ReadAt};

pub use crate::format::{Scanned, Share, Texts};
pub use branches::finding;
pub use doc::{Emit, read, read_made};
pub use large::recognises_large;
pub use skipped::{Panics, Skipped};

/// What the user said about the files.
#[derive(Clone)]
pub struct Options {
    /// Else it is detected.
    pub format: Option<&'static dyn Format>,
    /// Steps from each record to the value that is the conversation.
    pub pointer: Vec<String>,
    pub newest_first: Option<bool>,
    /// Records larger than this many bytes are not read.
    pub max_record: u64,
    pub panics: Panics,
    /// Also the branches of a tree at which it does not go on.
    pub all_branches: bool,
    /// Whether histories are requests or logs, whatever their format says.
    pub usage: Option<Usage>,
    /// The effort of requests that do not say.
    pub effort: Option<Effort>,
    /// The dialect of the target that was asked for: it settles what nothing in a document tells.
    pub dialect: Option<&'static str>,
    /// Also what no message of a translated store is made of ([`crate::history::Settings::lost`]).
    pub coverage: bool,
    /// Also what items of a log are not sent ([`crate::history::Settings::unsent`]); with `coverage` each of them is among the
    /// losses, as a note.
    pub unsent: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            format: None,
            pointer: Vec::new(),
            newest_first: None,
            max_record: 1 << 30,
            panics: Panics::default(),
            all_branches: false,
            usage: None,
            effort: None,
            dialect: None,
            coverage: false,
            unsent: false,
        }
    }
}

/// Sees items as they pass by, with their text. One a thread.
pub trait Visitor {
    /// Items of this format follow.
    fn begin(&mut self, _info: &'static FormatInfo) {}

    fn item(&mut self, _item: &mut Item<'_>, _found: &mut Vec<Finding>) {}
}

/// Passes over items.
pub struct Blind;

impl Visitor for Blind {}

/// A history as it was put together.
pub struct Found<'f> {
    pub history: History,
    pub info: &'static FormatInfo,
    /// Number in the doc, or in the stretch of records at hand.
    pub number: u32,
    /// Findings on items of the doc, in its order; not all of them lie on items of the history.
    pub items: &'f [Finding],
    /// The record that is the history, if it was read just now.
    pub record: Option<Scanned<'f>>,
}

/// Takes what the reader finds.
pub trait Take: Sync {
    type Visitor<'v>: Visitor
    where
        Self: 'v;

    /// What is gathered of a stretch of records.
    type Gathered: Default + Send;

    fn visitor(&self) -> Self::Visitor<'_>;

    /// Takes a history, on the thread that read it.
    fn history(&self, found: Found<'_>, into: &mut Self::Gathered);

    /// Takes a finding on bytes, a record or a node, in the order of the doc.
    fn raise(&self, finding: Finding, into: &mut Self::Gathered);

    /// Adds what comes next; its records and histories count from the numbers given.
    fn join(&self, into: &mut Self::Gathered, next: Self::Gathered, records: u32, histories: u32);

    /// Whether nodes are wanted instead of histories: then each history of a format that has no nodes is a path of them.
    fn wants_nodes(&self) -> bool {
        false
    }

    /// Takes nodes, in the order of the doc.
    fn nodes(&self, _nodes: Builder, _into: &mut Self::Gathered) {}
}

/// Reads a doc for nothing but what its events add up to.
pub fn fill(id: DocId, bytes: &dyn ReadAt, options: &Options) -> io::Result<()> {
    read(id, bytes, options, 1, &Nothing, &mut |()| Ok(())).map(drop)
}

/// Takes nothing.
struct Nothing;

impl Take for Nothing {
    type Visitor<'v> = Blind;
    type Gathered = ();

    fn visitor(&self) -> Blind {
        Blind
    }

    fn history(&self, _: Found<'_>, (): &mut ()) {}

    fn raise(&self, _: Finding, (): &mut ()) {}

    fn join(&self, (): &mut (), (): (), _: u32, _: u32) {}
}

/// What a doc holds, beside what was taken.
pub struct Reading<T> {
    pub container: Container,
    /// The format of the doc, or of the first record that has one.
    pub format: Option<&'static dyn Format>,
    pub records: u32,
    pub histories: u32,
    pub items: u64,
    /// References stand for items of it: `slim` was here.
    pub slimmed: bool,
    /// A record may hold a reference.
    pub may_refer: bool,
    /// What is not sent, and why.
    pub unsent: Vec<Unsent>,
    /// (offset, number of the line that starts at or before it and begins there) every few kilobytes.
    pub lines: Vec<(u64, u64)>,
    /// Records that were skipped because of a bug here.
    pub bugs: Vec<Skipped>,
    pub gathered: T,
}
