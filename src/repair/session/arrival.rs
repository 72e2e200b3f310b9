//! Results on their way to their calls, and who has to follow them once they are there.

use std::collections::{HashMap, HashSet};

use crate::dialect::TextChange as Text;
use crate::history::{Kind, Row};
use crate::place::Place;

use super::lines::Lines;
use crate::repair::edit::insertion::Fresh;

/// A result on its way to its call.
pub enum Arrival {
    /// One that claims nothing, for this call.
    Stub(Row),
    /// The result itself, and what changes in it.
    Real(Row, Vec<Text>),
}

impl Arrival {
    pub fn result(&self) -> Option<&Row> {
        match self {
            Arrival::Real(result, _) => Some(result),
            Arrival::Stub(_) => None,
        }
    }
}

/// What became of the results that were on their way to their calls.
#[derive(Default)]
pub struct Settled {
    /// Lines that were linked to their call as a whole.
    pub whole: HashSet<u32>,
    /// Results that stay where they are: their call goes.
    pub left: HashSet<Place>,
}

/// The results among what comes to stand somewhere.
pub fn arrive(fresh: Fresh, out: &mut Vec<Arrival>) {
    match fresh {
        Fresh::Stub(call) => out.push(Arrival::Stub(call)),
        Fresh::Moved(row, changes) if row.kind == Kind::ToolResult => out.push(Arrival::Real(row, changes)),
        Fresh::Message(list) => list.into_iter().for_each(|fresh| arrive(fresh, out)),
        Fresh::Moved(..) | Fresh::Copied(_) | Fresh::Said(_) | Fresh::Bridge | Fresh::GoOn => {}
    }
}

/// Of the lines that are linked to those of a response, the ones that are to follow the results of its calls. Whoever
/// answers a call again is one of them. Of lines with one name the last one counts.
pub fn tails(lines: &Lines, members: &[u32], mut linked: Vec<u32>) -> Vec<u32> {
    linked.sort_unstable();
    let calls: HashSet<u64> = members.iter().flat_map(|ix| &lines.line(*ix).calls).copied().collect();
    let own: HashSet<u32> = members.iter().copied().collect();
    let thread = members.first().map_or(0, |ix| lines.line(*ix).thread);
    let (mut answered, mut known) = (HashSet::new(), HashMap::new());
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
