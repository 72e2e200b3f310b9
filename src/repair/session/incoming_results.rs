//! Results that are moved or added to their calls, and the lines that must follow them.

use foldhash::{HashMap, HashSet};

use crate::dialect::TextChange as Text;
use crate::history::{Kind, Row};
use crate::place::Place;

use super::lines::LinkedLines;
use crate::repair::edit::insertion::Insertion;

/// A result that is moved or added to its call.
pub enum IncomingResult {
    /// A placeholder for this call.
    Stub(Row),
    /// The result itself, with changes to it.
    Real(Row, Vec<Text>),
}

impl IncomingResult {
    pub fn result(&self) -> Option<&Row> {
        match self {
            IncomingResult::Real(result, _) => Some(result),
            IncomingResult::Stub(_) => None,
        }
    }
}

/// The lines and results that were placed at their calls.
#[derive(Default)]
pub struct PlacedResults {
    /// Lines of results that were linked to their call as a whole.
    pub relinked_lines: HashSet<u32>,
    /// Results that keep their places because their call is dropped.
    pub staying: HashSet<Place>,
}

/// Collects the results in an insertion.
pub fn collect_results(insertion: Insertion, out: &mut Vec<IncomingResult>) {
    match insertion {
        Insertion::Stub(call) => out.push(IncomingResult::Stub(call)),
        Insertion::Moved(row, changes) if row.kind == Kind::ToolResult => {
            out.push(IncomingResult::Real(row, changes))
        }
        Insertion::UserMessage(list) => list.into_iter().for_each(|insertion| collect_results(insertion, out)),
        Insertion::Moved(..)
        | Insertion::Copied(_)
        | Insertion::TextBlock(_)
        | Insertion::Bridge
        | Insertion::Continuation => {}
    }
}

/// Of the lines that are linked to those of a response, the ones that must follow the results of its calls,
/// including a second result of a call. Of lines with the same name the last one counts.
pub fn find_tails(lines: &LinkedLines, members: &[u32], mut linked: Vec<u32>) -> Vec<u32> {
    linked.sort_unstable();
    let calls: HashSet<u64> = members.iter().flat_map(|ix| &lines.line(*ix).calls).copied().collect();
    let own: HashSet<u32> = members.iter().copied().collect();
    let thread = members.first().map_or(0, |ix| lines.line(*ix).thread);
    let (mut answered, mut known) = (HashSet::default(), HashMap::default());
    let mut is_tail = |ix: u32| {
        let last = lines.copies(ix).last().map_or(ix, |last| last.max(ix));
        let mut answers = lines.line(last).results.iter().filter(|key| calls.contains(key)).peekable();
        answers.peek().is_none() || answers.any(|key| !answered.insert(*key))
    };
    linked.retain(|ix| {
        let line = lines.line(*ix);
        if own.contains(ix) || line.thread != thread {
            return false;
        }
        match line.name {
            0 => is_tail(*ix),
            name => *known.entry(name).or_insert_with(|| is_tail(*ix)),
        }
    });
    linked
}
