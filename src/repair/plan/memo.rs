//! Lookup tables of a history for its plan: each is built in one pass over the rows when it is first needed.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;

use foldhash::{HashMap, HashSet};

use crate::history::{CallReference, Flags, Group, NONE, Pair, PairState, Pairing, Row, work_counter};
use crate::message::smaller_image::{EncodedImage, ImageChange, ImageLimits};
use crate::message::token_estimate::Hundredths;
use crate::place::Place;
use crate::rule::RuleContext;

use super::answered_calls::AnsweredCalls;

/// The smaller images of a history, by row, number and limits: an image is decoded once, however often the plan is made.
pub(in crate::repair) type ShrunkImages =
    HashMap<(u32, u32, ImageLimits), Result<(EncodedImage, ImageChange), &'static str>>;

/// The estimated tokens of a history.
pub(in crate::repair) struct HistoryTokens {
    /// Of each row.
    pub rows: Vec<Hundredths>,
    /// Of the instructions and the tools of the request around it.
    pub request: Hundredths,
}

#[derive(Default)]
pub(in crate::repair) struct HistoryMemo {
    fixed: OnceCell<Vec<u32>>,
    places: OnceCell<HashSet<Place>>,
    calls: OnceCell<HashMap<u32, u32>>,
    results: OnceCell<Vec<(u32, u32)>>,
    claimed: OnceCell<HashMap<u32, u32>>,
    outputs: OnceCell<HashMap<u32, u32>>,
    twins: OnceCell<HashMap<u32, Vec<u32>>>,
    /// Rows, each with the number of a pair.
    pairs: OnceCell<Vec<(u32, u32)>>,
    keys: OnceCell<Vec<(u64, u32)>>,
    continued: OnceCell<HashMap<Place, u32>>,
    answered: OnceCell<AnsweredCalls>,
    thinking: OnceCell<Vec<(u64, u32)>>,
    /// Calls for which a placeholder result can be written. Each is read once, however often the plan is made.
    pub answerable: RefCell<HashSet<u32>>,
    /// The smaller images that were made so far.
    pub shrunk: RefCell<ShrunkImages>,
    tokens: OnceCell<HistoryTokens>,
    /// Rows that `--max-tokens` cannot change, and why.
    unshortened: RefCell<BTreeMap<u32, &'static str>>,
}

impl HistoryMemo {
    /// The estimated tokens of the history.
    pub fn tokens(&self, count: impl FnOnce() -> HistoryTokens) -> &HistoryTokens {
        self.tokens.get_or_init(count)
    }

    pub fn is_unshortened(&self, ix: u32) -> bool {
        self.unshortened.borrow().contains_key(&ix)
    }

    /// Why `--max-tokens` cannot change the first row that it cannot change.
    pub fn unshortened_reason(&self) -> Option<&'static str> {
        self.unshortened.borrow().values().next().copied()
    }

    /// Notes a row that `--max-tokens` cannot change, and why.
    pub fn leave_unshortened(&self, ix: u32, why: &'static str) {
        self.unshortened.borrow_mut().insert(ix, why);
    }

    /// True if an item of the group is in a record that cannot be edited.
    pub fn has_uneditable(&self, rows: &[Row], group: &Group) -> bool {
        let all = || (0..).zip(rows).filter(|(_, row)| is_uneditable(row)).map(|(ix, _)| ix).collect();
        let fixed: &Vec<u32> = self.fixed.get_or_init(all);
        let next = fixed.partition_point(|ix| *ix < group.start);
        fixed.get(next).is_some_and(|ix| *ix < group.end)
    }

    /// True if one of the rows is the item at a place.
    pub fn contains_item(&self, rows: &[Row], at: Place) -> bool {
        self.places.get_or_init(|| rows.iter().map(|row| row.at).collect()).contains(&at)
    }

    /// The call of an output: of the first pair that has both.
    pub fn call_of(&self, pairs: &[Pair], output: u32) -> Option<u32> {
        let both = |pair: &&Pair| pair.call != NONE && pair.output != NONE;
        let all = || pairs.iter().rev().filter(both).map(|pair| (pair.output, pair.call)).collect();
        self.calls.get_or_init(all).get(&output).copied()
    }

    /// Each call that has one output, and that output.
    pub fn outputs_by_call(&self, pairs: &[Pair]) -> &HashMap<u32, u32> {
        let paired = |state| {
            use PairState::{Answered, DuplicatePair, Mismatched, OutputFirst};
            matches!(state, Answered | OutputFirst | Mismatched | DuplicatePair)
        };
        let all = || pairs.iter().filter(|pair| paired(pair.state)).map(|pair| (pair.call, pair.output)).collect();
        self.outputs.get_or_init(all)
    }

    /// Other unanswered calls with the key of a call, which is the first of them.
    pub fn unanswered_twins(&self, pairs: &[Pair], call: u32) -> Vec<u32> {
        let all = || {
            let mut twins: HashMap<u32, Vec<u32>> = HashMap::default();
            let again = |pair: &&Pair| pair.state == PairState::DuplicateCall && pair.output == NONE;
            for pair in pairs.iter().filter(again) {
                twins.entry(pair.twin).or_default().push(pair.call);
            }
            twins
        };
        self.twins.get_or_init(all).get(&call).cloned().unwrap_or_default()
    }

    /// The number of the row that continues others at a place.
    pub fn continued_at(&self, continued: &[Row], at: Place) -> Option<u32> {
        let all = || continued.iter().zip(0..).map(|(row, n)| (row.at, n)).collect();
        let all: &HashMap<Place, u32> = self.continued.get_or_init(all);
        all.get(&at).copied()
    }

    /// The calls that have a result.
    pub(super) fn answered(&self, cx: &RuleContext<'_>, pairing: Pairing) -> &AnsweredCalls {
        self.answered.get_or_init(|| AnsweredCalls::of(cx, pairing))
    }

    /// The rows with a key, in order, with the rows that continue them. A history of many long keys is renamed key by key.
    pub fn rows_with_key(&self, rows: &[Row], continuations: &[Row], key: u64) -> impl Iterator<Item = u32> {
        let keys = self.keys.get_or_init(|| {
            let all = (0..).zip(rows.iter().chain(continuations));
            let mut keys: Vec<(u64, u32)> =
                all.filter(|(_, row)| row.key != 0).map(|(ix, row)| (row.key, ix)).collect();
            keys.sort_unstable();
            keys
        });
        let from = keys.partition_point(|(other, _)| *other < key);
        keys.iter().skip(from).take_while(move |(other, _)| *other == key).map(|(_, ix)| *ix)
    }

    /// The pair of a row: the first if there are several, because further results of a call come after its own.
    pub fn pair_of<'p>(&self, pairs: &'p [Pair], ix: u32) -> Option<&'p Pair> {
        let all = self.pairs.get_or_init(|| {
            let sides =
                pairs.iter().zip(0..).flat_map(|(pair, number)| [(pair.call, number), (pair.output, number)]);
            let mut all: Vec<(u32, u32)> = sides.filter(|(ix, _)| *ix != NONE).collect();
            all.sort_unstable();
            all
        });
        work_counter::count();
        let at = all.partition_point(|(other, _)| *other < ix);
        let (_, number) = all.get(at).filter(|(other, _)| *other == ix)?;
        pairs.get(*number as usize)
    }

    /// The outputs of calls, in the order of the calls.
    pub fn results_of(&self, pairs: &[Pair], calls: Range<u32>) -> Vec<u32> {
        let both = |pair: &&Pair| pair.call != NONE && pair.output != NONE;
        let results = self.results.get_or_init(|| {
            let mut all: Vec<(u32, u32)> =
                pairs.iter().filter(both).map(|pair| (pair.call, pair.output)).collect();
            all.sort_unstable();
            all
        });
        let from = results.partition_point(|(call, _)| *call < calls.start);
        let theirs = results.iter().skip(from).take_while(|(call, _)| *call < calls.end);
        theirs.map(|(_, output)| *output).collect()
    }

    /// The output that a reference is claimed for.
    pub fn claimed_by(&self, claims: &[CallReference], reference: u32) -> Option<u32> {
        let all = || claims.iter().rev().map(|claim| (claim.reference, claim.output)).collect();
        let claimed: &HashMap<u32, u32> = self.claimed.get_or_init(all);
        claimed.get(&reference).copied().filter(|output| *output != NONE)
    }

    /// The thinking of a response. `all` lists each thinking with the id of its response.
    pub fn thinking_of(&self, id: u64, all: impl FnOnce() -> Vec<(u64, u32)>) -> Vec<u32> {
        let all = self.thinking.get_or_init(|| {
            let mut all = all();
            all.sort_unstable();
            all
        });
        let from = all.partition_point(|(other, _)| *other < id);
        all.iter().skip(from).take_while(|(other, _)| *other == id).map(|(_, ix)| *ix).collect()
    }
}

pub(super) fn is_uneditable(row: &Row) -> bool {
    row.has(Flags::FROZEN) || row.has(Flags::EMBEDDED)
}
