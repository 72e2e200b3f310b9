//! Rewinds a session: cuts its file after a turn. A line refers only to lines before it, so the beginning of the
//! file is a session of its own that ends at the cut.

use std::collections::BTreeSet;
use std::io;

use crate::convert::session;
use crate::history::tree::{EntryRole, Forest, NodeMatch, TreeBuilder};
use crate::judge::{self, FindingsOnly, Options};
use crate::place::DocId;
use crate::source::{ReadAt, lines};
use crate::target::Severity;

use super::nodes;

/// The point to rewind to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RewindTarget {
    /// The last turn up to which nothing would be rejected.
    LastGood,
    /// The line with this uuid, with the other lines of its response.
    Line(String),
}

/// The result of rewinding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RewindOutcome {
    /// The length in bytes of the remaining file, and the name of its last message.
    Cut { len: u64, last: String },
    /// The reason for which nothing is cut.
    Refused(String),
}

/// Finds where a session is to be cut.
pub fn rewind(id: DocId, bytes: &dyn ReadAt, options: &Options, to: &RewindTarget) -> io::Result<RewindOutcome> {
    let mut builder = TreeBuilder::default();
    let found = nodes::read_nodes(id, bytes, &options.read, &mut builder)?;
    let is_session = found.format.is_some_and(|format| session::is_session(format.info()));
    if !is_session {
        return Ok(RewindOutcome::Refused(
            "--rewind-to works on sessions of Claude Code and Kode only".to_owned(),
        ));
    }
    let forest = builder.finish();
    let start = found.container.bom_len();
    match to {
        RewindTarget::Line(name) => match forest.find(name) {
            NodeMatch::One(node) => cut(id, bytes, start, &forest, node),
            NodeMatch::Several(_) => {
                Ok(RewindOutcome::Refused(format!("several lines have a uuid that begins or ends with {name}")))
            }
            NodeMatch::None => Ok(RewindOutcome::Refused(format!("no message has the uuid {name}"))),
        },
        RewindTarget::LastGood => last_good(id, bytes, start, options, &forest),
    }
}

/// Finds the last turn without errors. Each turn of the live branch ends before the next message of the user, the
/// last one at the leaf. Whatever is rejected in a beginning is rejected in all its continuations, so a binary
/// search suffices.
fn last_good(
    id: DocId,
    bytes: &dyn ReadAt,
    start: u64,
    options: &Options,
    forest: &Forest,
) -> io::Result<RewindOutcome> {
    let Some(leaf) = forest.live_leaves().first().copied() else {
        return Ok(RewindOutcome::Refused("the session contains no messages".to_owned()));
    };
    let path: Vec<u32> = forest.upward(leaf).collect();
    let speaks = |node: u32| {
        let is_input = forest.node(node).entry.part == EntryRole::Input;
        is_input && !forest.rows_of(node).iter().any(|row| row.answers_call())
    };
    let pairs = path.iter().zip(path.iter().skip(1));
    let mut ends: Vec<u32> = pairs.filter(|(node, _)| speaks(**node)).map(|(_, above)| *above).collect();
    ends.reverse();
    ends.push(leaf);
    let is_clean = |node: u32| -> io::Result<bool> {
        let RewindOutcome::Cut { len, .. } = cut(id, bytes, start, forest, node)? else { return Ok(false) };
        let found = judge::judge(id, &TextPrefix { bytes, len }, options, 1, &FindingsOnly)?;
        let is_live = |history: Option<u32>| history.is_none_or(|number| number == 0);
        let mut judged = found.findings.iter();
        Ok(!judged.any(|judged| judged.severity == Severity::Error && is_live(judged.history)))
    };
    let (mut good, mut bad) = (0, ends.len() + 1);
    while good + 1 < bad {
        let middle = (good + bad) / 2;
        match ends.get(middle - 1) {
            Some(end) if is_clean(*end)? => good = middle,
            _ => bad = middle,
        }
    }
    match good.checked_sub(1).and_then(|last| ends.get(last)) {
        Some(end) => cut(id, bytes, start, forest, *end),
        None => Ok(RewindOutcome::Refused("the first turn already contains an error".to_owned())),
    }
}

/// The cut after the last line of a node.
fn cut(id: DocId, bytes: &dyn ReadAt, start: u64, forest: &Forest, node: u32) -> io::Result<RewindOutcome> {
    let rows = forest.rows_of(node).iter().map(|row| row.at.start);
    let starts: BTreeSet<u64> = rows.chain([forest.node(node).entry.at.start]).collect();
    let last = starts.last().copied().unwrap_or_default();
    let line = lines::line_at(bytes, id, start, last)?;
    let last = forest.node(node).names.last().map(|name| name.to_string()).unwrap_or_default();
    Ok(RewindOutcome::Cut { len: line.end(), last })
}

/// The first `len` bytes of a text.
pub struct TextPrefix<'b> {
    pub bytes: &'b dyn ReadAt,
    pub len: u64,
}

impl ReadAt for TextPrefix<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.len.saturating_sub(start)).unwrap_or(usize::MAX);
        let wanted = buf.len().min(left);
        self.bytes.read_at(start, buf.split_at_mut(wanted).0)
    }
}
