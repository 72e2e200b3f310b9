//! Going back in a session: the stretch of its file up to a turn. A line names only lines before it, so the beginning of
//! the file is a session by itself, and ends where the stretch does.

use std::collections::BTreeSet;
use std::io;

use crate::convert::session;
use crate::history::tree::{Builder, Forest, Named, Part};
use crate::judge::{self, Findings, Options};
use crate::place::DocId;
use crate::source::{ReadAt, lines};
use crate::target::Severity;

use super::nodes;

/// Where to go back to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RewindTo {
    /// The last turn up to which nothing would be rejected.
    LastGood,
    /// The line with this uuid, with the other lines of its response.
    Line(String),
}

/// What a session is cut down to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rewound {
    /// The length of what is left, and the name of its last message.
    To { len: u64, last: String },
    /// Why nothing is cut.
    Not(String),
}

/// Finds where a session is to end.
pub fn rewind(id: DocId, bytes: &dyn ReadAt, options: &Options, to: &RewindTo) -> io::Result<Rewound> {
    let mut builder = Builder::default();
    let found = nodes::gather(id, bytes, &options.read, &mut builder)?;
    let is_session = found.format.is_some_and(|format| session::is_session(format.info()));
    if !is_session {
        return Ok(Rewound::Not("--rewind-to works on sessions of Claude Code and Kode only".to_owned()));
    }
    let forest = builder.finish();
    let start = found.container.mark();
    match to {
        RewindTo::Line(name) => match forest.find(name) {
            Named::One(node) => cut(id, bytes, start, &forest, node),
            Named::Several(_) => {
                Ok(Rewound::Not(format!("several lines have a uuid that begins or ends with {name}")))
            }
            Named::None => Ok(Rewound::Not(format!("no message has the uuid {name}"))),
        },
        RewindTo::LastGood => last_good(id, bytes, start, options, &forest),
    }
}

/// Each turn of the live branch ends at a node after which the user speaks again, the last one at the leaf. What is
/// rejected of a beginning is rejected of all that goes on from it.
fn last_good(
    id: DocId,
    bytes: &dyn ReadAt,
    start: u64,
    options: &Options,
    forest: &Forest,
) -> io::Result<Rewound> {
    let Some(leaf) = forest.live_leaves().first().copied() else {
        return Ok(Rewound::Not("the session holds no message".to_owned()));
    };
    let path: Vec<u32> = forest.upward(leaf).collect();
    let speaks = |node: u32| {
        let is_input = forest.node(node).entry.part == Part::Input;
        is_input && !forest.rows_of(node).iter().any(|row| row.answers_call())
    };
    let pairs = path.iter().zip(path.iter().skip(1));
    let mut ends: Vec<u32> = pairs.filter(|(node, _)| speaks(**node)).map(|(_, above)| *above).collect();
    ends.reverse();
    ends.push(leaf);
    let is_clean = |node: u32| -> io::Result<bool> {
        let Rewound::To { len, .. } = cut(id, bytes, start, forest, node)? else { return Ok(false) };
        let found = judge::judge(id, &Beginning { bytes, len }, options, 1, &Findings)?;
        let is_live = |history: Option<u32>| history.is_none_or(|number| number == 0);
        let mut judged = found.judged.iter();
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
        None => Ok(Rewound::Not("the first turn already contains an error".to_owned())),
    }
}

/// The stretch up to the last line of a node.
fn cut(id: DocId, bytes: &dyn ReadAt, start: u64, forest: &Forest, node: u32) -> io::Result<Rewound> {
    let rows = forest.rows_of(node).iter().map(|row| row.at.start);
    let starts: BTreeSet<u64> = rows.chain([forest.node(node).entry.at.start]).collect();
    let last = starts.last().copied().unwrap_or_default();
    let line = lines::around(bytes, id, start, last)?;
    let last = forest.node(node).names.last().map(|name| name.to_string()).unwrap_or_default();
    Ok(Rewound::To { len: line.end(), last })
}

/// The beginning of a text.
pub struct Beginning<'b> {
    pub bytes: &'b dyn ReadAt,
    pub len: u64,
}

impl ReadAt for Beginning<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.len.saturating_sub(start)).unwrap_or(usize::MAX);
        let wanted = buf.len().min(left);
        self.bytes.read_at(start, buf.split_at_mut(wanted).0)
    }
}
