//! Pairing of calls that need no ids (Gemini): the results of a step answer its calls if there are as many. They are
//! matched by ids, then by names, then by order.

use std::collections::VecDeque;
use std::ops::Range;

use foldhash::{HashMap, HashSet};
use smallvec::SmallVec;

use crate::history::kind::Kind;
use crate::history::messages::MessageSpans;
use crate::history::row::{Row, nth};

use super::by_step::{UnpairedKey, mark_seen, pair_across_steps};
use super::pair::{Pair, PairState};

/// The key of the rows is the name.
pub(super) fn pair(rows: &[Row], messages: &MessageSpans) -> Vec<Pair> {
    let row = |ix: u32| nth(rows, ix);
    let of = |range: &Range<u32>, kind: Kind| -> StepRows {
        messages.rows_of(range.clone()).filter(|ix| row(*ix).kind == kind).collect()
    };
    let mut pairs = Vec::new();
    let mut seen = vec![false; rows.len()];
    // By id, and by name.
    let mut known: HashMap<u64, UnpairedKey> = HashMap::default();
    let mut keyed: HashMap<u64, UnpairedKey> = HashMap::default();
    let mut open = Vec::new();
    for step in &messages.steps {
        let mut left =
            UnpairedStep { calls: of(&step.model, Kind::ToolUse), results: of(&step.answers, Kind::ToolResult) };
        match (left.calls.as_slice(), left.results.as_slice()) {
            ([], []) => continue,
            ([call], [result]) => {
                pairs.push(Pair::answered(*call, *result));
                continue;
            }
            _ => {}
        }
        let id = |ix: u32| Some(row(ix).id).filter(|id| *id != 0);
        let name = |ix: u32| Some(row(ix).key).filter(|key| *key != 0);
        left.pair(id, &mut pairs);
        left.pair(name, &mut pairs);
        left.pair(|_| Some(0), &mut pairs);
        open.extend(left.calls);
    }
    for pair in &pairs {
        mark_seen(&mut seen, pair.output);
    }
    let results = rows.iter().zip(&seen).enumerate().filter(|(_, (row, _))| row.kind == Kind::ToolResult);
    let loose: Vec<u32> = results.filter(|(_, (_, seen))| !**seen).map(|(ix, _)| ix as u32).collect();
    // An id takes precedence over a name.
    for &call in open.iter().filter(|call| row(**call).id != 0) {
        known.entry(row(call).id).or_default().open.push(call);
    }
    for &output in loose.iter().filter(|output| row(**output).id != 0) {
        known.entry(row(output).id).or_default().loose.push(output);
    }
    let mut distant = Vec::new();
    pair_across_steps(known, &mut distant);
    distant.retain(|pair| pair.state == PairState::Misplaced);
    let paired: HashSet<u32> = distant.iter().flat_map(|pair| [pair.call, pair.output]).collect();
    for call in open.into_iter().filter(|call| !paired.contains(call)) {
        keyed.entry(row(call).key).or_default().open.push(call);
    }
    for output in loose.into_iter().filter(|output| !paired.contains(output)) {
        keyed.entry(row(output).key).or_default().loose.push(output);
    }
    pairs.append(&mut distant);
    pair_across_steps(keyed, &mut distant);
    for pair in distant {
        let ids = |pair: &Pair| [row(pair.call).id, row(pair.output).id];
        // Two ids that differ, or no name at all, prove that they do not belong together.
        let strangers = pair.state == PairState::Misplaced
            && (row(pair.call).key == 0 || matches!(ids(&pair), [a, b] if a != b && a != 0 && b != 0));
        if strangers {
            pairs.push(Pair::open(pair.call));
            pairs.push(Pair::orphan(pair.output));
        } else {
            pairs.push(pair);
        }
    }
    pairs
}

/// Calls and results of a step that are not paired yet.
struct UnpairedStep {
    calls: StepRows,
    results: StepRows,
}

/// Most steps have a few of them.
type StepRows = SmallVec<[u32; 4]>;

impl UnpairedStep {
    /// Pairs calls and results for which `says` returns the same value, in order.
    fn pair(&mut self, says: impl Fn(u32) -> Option<u64>, pairs: &mut Vec<Pair>) {
        let mut waiting: HashMap<u64, VecDeque<u32>> = HashMap::default();
        for &call in &self.calls {
            if let Some(said) = says(call) {
                waiting.entry(said).or_default().push_back(call);
            }
        }
        let before = pairs.len();
        self.results.retain(|&mut output| {
            let call = says(output).and_then(|said| waiting.get_mut(&said)?.pop_front());
            pairs.extend(call.map(|call| Pair::answered(call, output)));
            call.is_none()
        });
        let mut paired: Vec<u32> = pairs.iter().skip(before).map(|pair| pair.call).collect();
        paired.sort_unstable();
        self.calls.retain(|call| paired.binary_search(call).is_err());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::kind::Role;
    use crate::history::pairing::Pairing;
    use crate::history::pairs;
    use crate::place::{DocId, Place};

    /// `u` and `m` begin messages of user and model, `(` and `)` come before the name of a call and of a result, a digit
    /// after it is an id.
    fn states(text: &str) -> Vec<PairState> {
        let mut rows: Vec<Row> = Vec::new();
        let mut sign = ' ';
        for c in text.chars().filter(|c| *c != ' ') {
            if c.is_ascii_digit() {
                rows.last_mut().expect("a row before").id = c as u64;
                continue;
            }
            let mut row = Row::of_place(Place::new(DocId(0), rows.len() as u64, 1), 0);
            (row.kind, row.role) = match (std::mem::replace(&mut sign, ' '), c) {
                (_, '(' | ')') => {
                    sign = c;
                    continue;
                }
                ('(', _) => (Kind::ToolUse, Role::None),
                (')', _) => (Kind::ToolResult, Role::None),
                (_, 'u') => (Kind::BlockMessage, Role::User),
                (_, 'm') => (Kind::BlockMessage, Role::Assistant),
                _ => (Kind::Text, Role::None),
            };
            if matches!(row.kind, Kind::ToolUse | Kind::ToolResult) {
                row.key = if c == '_' { 0 } else { c as u64 };
            }
            rows.push(row);
        }
        let pairs = pairs::pair(&rows, &MessageSpans::of(&rows, Pairing::Counts), Pairing::Counts);
        pairs.iter().map(|pair| pair.state).collect()
    }

    use PairState::{Answered, Misplaced, Open, Orphan};

    #[test]
    fn as_many_results_as_calls_answer_them() {
        assert_eq!(states("u. m(f(g u)g)f"), [Answered, Answered]);
        assert_eq!(states("u. m(f(f u)f)f"), [Answered, Answered]);
        assert_eq!(states("u. m(f m(g u)f u)g"), [Answered, Answered]);
        assert_eq!(states("u. m(f u)_"), [Answered]);
        assert_eq!(states("u. m(f u)x"), [Answered]);
        assert_eq!(states("u. m(f(f u)f"), [Answered, Open]);
        assert_eq!(states("u. m(f u)f)f"), [Answered, Orphan]);
        assert_eq!(states("u. m(f u."), [Open]);
        assert_eq!(states("u)f"), [Orphan]);
    }

    #[test]
    fn names_and_ids_match_results_to_calls() {
        assert_eq!(states("u. m(f u. m. u)f"), [Misplaced]);
        assert_eq!(states("u)f m(f u."), [Misplaced]);
        assert_eq!(states("u. m(f u. m. u)g"), [Open, Orphan]);
        assert_eq!(states("u. m(f1 u. m. u)f2"), [Open, Orphan]);
        assert_eq!(states("u. m(f1 u. m. u)f1"), [Misplaced]);
        assert_eq!(states("u. m(f1 u. m. u)g1"), [Misplaced]);
        assert_eq!(states("u. m(f1 u. m(f2 u. m. u)f1)f2"), [Misplaced, Misplaced]);
        assert_eq!(states("u. m(f m)f u."), [Misplaced]);
        assert_eq!(states("u. m(_ u. m. u)_"), [Open, Orphan]);
    }
}
