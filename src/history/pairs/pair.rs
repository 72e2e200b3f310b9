//! A call and its output, and their state.

/// No row.
pub const NONE: u32 = u32::MAX;

/// The state of a call and its output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PairState {
    /// Call, then its output, of one family, in the right place.
    Answered,
    /// The output is not in one of the messages where the call's results belong.
    Misplaced,
    /// The output comes before its call, and only the order is wrong.
    OutputFirst,
    /// Several calls and outputs with one key, in an order that does not pair them.
    Tangled,
    /// The output is of another family than the call.
    Mismatched,
    /// A call without an output.
    Open,
    /// An output without a call.
    Orphan,
    /// A call whose key an earlier call (`twin`) has, without an output of its own.
    DuplicateCall,
    /// A call and its output, whose key an earlier pair (`twin`) has.
    DuplicatePair,
    /// An output for a call that another output (`twin`) answers.
    DuplicateOutput,
}

/// A call, an output, or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    pub call: u32,
    pub output: u32,
    /// The earlier row of the same side that has the same key.
    pub twin: u32,
    pub state: PairState,
}

impl Pair {
    pub fn new(call: u32, output: u32, state: PairState) -> Pair {
        Pair { call, output, twin: NONE, state }
    }

    pub fn answered(call: u32, output: u32) -> Pair {
        Pair::new(call, output, PairState::Answered)
    }

    pub fn open(call: u32) -> Pair {
        Pair::new(call, NONE, PairState::Open)
    }

    pub fn orphan(output: u32) -> Pair {
        Pair::new(NONE, output, PairState::Orphan)
    }

    /// The row that the pair is reported on: the call, or the output if it has no call or is itself wrong.
    pub fn subject(&self) -> u32 {
        match self.state {
            PairState::OutputFirst | PairState::Tangled | PairState::DuplicateOutput | PairState::Mismatched => {
                self.output
            }
            _ if self.call != NONE => self.call,
            _ => self.output,
        }
    }

    /// The row that comes first, by which the pairs of a history are sorted.
    pub fn first(&self) -> u32 {
        self.call.min(self.output)
    }

    pub(super) fn order(&self) -> (u32, u32) {
        (self.first(), self.output)
    }

    /// The pair of an answered call. `pairs` are all pairs of a history.
    pub fn find_answered(pairs: &[Pair], call: u32) -> Option<&Pair> {
        let at = pairs.partition_point(|pair| pair.first() < call);
        let here = pairs.iter().skip(at).take_while(|pair| pair.first() == call);
        here.into_iter().find(|pair| pair.call == call && pair.state == PairState::Answered)
    }
}
