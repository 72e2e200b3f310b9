//! Patterns of calls and outputs that several rules need, found once per history.

use super::flags::Flags;
use super::groups::Group;
use super::kind::{Family, Kind};
use super::pairs::{NONE, Pair, PairState};
use super::row::{Row, nth};

/// Reasoning without its items, and the outputs after it, none of which has a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrphanRun {
    pub group: Group,
    /// Rows `group.end..end` are the outputs.
    pub end: u32,
}

impl OrphanRun {
    pub fn has(&self, ix: u32) -> bool {
        self.group.start <= ix && ix < self.end
    }

    pub fn outputs(&self) -> std::ops::Range<u32> {
        self.group.end..self.end
    }
}

/// A reference to a client's call, and the output after it that may belong to it: the reference does not show the
/// call_id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallReference {
    pub reference: u32,
    /// [`NONE`] if no output without a call remains for it.
    pub output: u32,
}

#[derive(Debug, Default)]
pub struct CallPatterns {
    /// Rows from here on are the last batch of calls and its outputs.
    pub tail: u32,
    /// In order.
    pub orphan_runs: Vec<OrphanRun>,
    /// By reference, in order.
    pub references: Vec<CallReference>,
    /// References to searches that the server ran, sorted.
    pub hosted_searches: Vec<u32>,
    /// Outputs that a reference or an orphan run explains, sorted.
    explained: Vec<u32>,
}

impl CallPatterns {
    /// `server_state`: the server may have the calls, so an output without one proves nothing.
    pub fn of(rows: &[Row], pairs: &[Pair], groups: &[Group], server_state: bool) -> Self {
        let mut shapes = CallPatterns { tail: tail(rows), ..CallPatterns::default() };
        let orphans = orphans(rows, pairs);
        shapes.hosted_searches = hosted_searches(rows);
        shapes.references = claims(rows, &orphans, &shapes.hosted_searches);
        shapes
            .explained
            .extend(shapes.references.iter().map(|claim| claim.output).filter(|output| *output != NONE));
        let claimed = shapes.explained.clone();
        let is_orphan = |ix: u32| orphans.binary_search(&ix).is_ok() && claimed.binary_search(&ix).is_err();
        for (n, group) in groups.iter().enumerate() {
            let until = groups.get(n + 1).map_or(rows.len() as u32, |next| next.start);
            let outputs = outputs_after(rows, group.end, until);
            let lonely = group.has_reasoning() && !group.has_members() && !outputs.is_empty() && !server_state;
            if lonely && outputs.clone().all(is_orphan) {
                shapes.explained.extend(outputs.clone());
                shapes.orphan_runs.push(OrphanRun { group: *group, end: outputs.end });
            }
        }
        shapes.explained.sort_unstable();
        shapes
    }

    /// True if another finding already explains why this output has no call.
    pub fn explains(&self, output: u32) -> bool {
        self.explained.binary_search(&output).is_ok()
    }

    pub fn orphan_run_at(&self, ix: u32) -> Option<&OrphanRun> {
        let at = self.orphan_runs.partition_point(|run| run.end <= ix);
        self.orphan_runs.get(at).filter(|run| run.has(ix))
    }
}

/// References to searches that the server ran: a reference to the output of each follows.
fn hosted_searches(rows: &[Row]) -> Vec<u32> {
    let (mut open, mut hosted) = (Vec::new(), Vec::new());
    for (row, ix) in rows.iter().zip(0..).filter(|(row, _)| row.is_reference()) {
        match row.item_kind {
            Kind::ToolSearchCall => open.push(ix),
            Kind::ToolSearchOutput => hosted.extend(open.pop()),
            _ => {}
        }
    }
    hosted.sort_unstable();
    hosted
}

/// Matches each reference to a client's call with the first unmatched output after it that has no call.
fn claims(rows: &[Row], orphans: &[u32], hosted: &[u32]) -> Vec<CallReference> {
    let is_approval = |row: &Row| row.item_kind.family() == Some(Family::Approval);
    let is_call = |(ix, row): &(usize, &Row)| {
        let of_client = row.is_reference() && row.item_kind.is_call() && !is_approval(row);
        of_client && hosted.binary_search(&(*ix as u32)).is_err()
    };
    let mut free = orphans.iter().copied().peekable();
    let mut claims = Vec::new();
    for (ix, _) in rows.iter().enumerate().filter(is_call) {
        let reference = ix as u32;
        while free.next_if(|output| *output < reference).is_some() {}
        claims.push(CallReference { reference, output: free.next().unwrap_or(NONE) });
    }
    claims
}

/// Outputs that have no call, sorted, except approvals.
fn orphans(rows: &[Row], pairs: &[Pair]) -> Vec<u32> {
    let mut found: Vec<u32> = pairs
        .iter()
        .filter(|pair| pair.state == PairState::Orphan)
        .map(|pair| pair.output)
        .filter(|ix| nth(rows, *ix).kind.family() != Some(Family::Approval))
        .collect();
    found.sort_unstable();
    found
}

/// The contiguous run of client outputs that starts at `from`.
fn outputs_after(rows: &[Row], from: u32, until: u32) -> std::ops::Range<u32> {
    let is_output = |row: &Row| row.is_client_output() && row.kind.family() != Some(Family::Approval);
    let run = rows.iter().take(until as usize).skip(from as usize).take_while(|row| is_output(row)).count();
    from..from + run as u32
}

/// The row at which the last batch of calls begins, if only its outputs come after it.
fn tail(rows: &[Row]) -> u32 {
    let is_output = |row: &&Row| row.kind.is_output();
    let is_call = |row: &&Row| row.item_kind.is_call() && !row.has(Flags::SYNTHETIC);
    let outputs = rows.iter().rev().take_while(is_output).count();
    let calls = rows.iter().rev().skip(outputs).take_while(is_call).count();
    (rows.len() - outputs - calls) as u32
}
