//! Links that a repair would break without showing in any item: the server knows by ids which item followed which
//! reasoning. A group that loses an item keeps its ids only if the item that followed its reasoning still does.

use std::ops::Range;

use foldhash::HashMap;

use crate::dialect::TextChange as Text;
use crate::history::{Group, Row, ends_group};

use crate::repair::plan::history_plan::{PlanBuilder, needs_id};

/// Rows of the groups in which a plan breaks a link, each the first row that stays.
pub(super) fn find_broken(plan: &PlanBuilder<'_>, stretches: &[Range<u32>], after: &[Row]) -> Vec<u32> {
    let history = plan.cx.history;
    if !history.messages.is_empty() || plan.decisions.is_empty() {
        return Vec::new();
    }
    let mut places: Option<RowPlaces> = None;
    let mut broken = Vec::new();
    for stretch in stretches {
        let from = history.groups.partition_point(|group| group.end <= stretch.start);
        for group in history.groups.iter().skip(from).take_while(|group| group.start < stretch.end) {
            let changes = plan.decisions.range(group.start..group.end).next().is_some();
            let lost_between = || is_lonely_among_orphans(plan, group);
            if !group.has_reasoning() || !(group.has_members() && changes || lost_between()) {
                continue;
            }
            let places = places.get_or_insert_with(|| RowPlaces::of(after));
            broken.extend(find_first_broken(plan, group, after, places));
        }
    }
    broken
}

/// Where the rows of a repaired history are. A group may be as long as it, and each of its items may be reasoning.
struct RowPlaces {
    /// By the start of their text.
    by_start: HashMap<u64, usize>,
    /// The first reasoning with an id.
    heads: HashMap<u64, usize>,
    /// What follows each row.
    followers: Vec<Followers>,
}

/// What follows a row in the run of the model's items that it is in.
#[derive(Clone, Copy)]
struct Followers {
    /// Where the run ends.
    end: usize,
    /// The first item that is no reasoning.
    item: Option<usize>,
}

impl RowPlaces {
    fn of(after: &[Row]) -> Self {
        let mut next = Followers { end: after.len(), item: None };
        let mut followers = vec![next; after.len()];
        for ((n, row), own) in after.iter().enumerate().zip(&mut followers).rev() {
            *own = next;
            if ends_group(row) {
                next = Followers { end: n, item: None };
            } else if row.is_model_made() && !row.is_reasoning() {
                next.item = Some(n);
            }
        }
        let numbered = || after.iter().enumerate().map(|(n, row)| (row, n));
        RowPlaces {
            by_start: numbered().map(|(row, n)| (row.at.start, n)).collect(),
            heads: numbered().rev().filter(|(row, _)| row.is_reasoning()).map(|(row, n)| (row.id, n)).collect(),
            followers,
        }
    }
}

/// True for reasoning without an item after which an orphaned output is dropped: what comes next is not what it
/// led to.
fn is_lonely_among_orphans(plan: &PlanBuilder<'_>, group: &Group) -> bool {
    if group.has_members() {
        return false;
    }
    let outputs = plan.cx.history.rows.iter().skip(group.end as usize).take_while(|row| row.is_client_output());
    let count = outputs.count() as u32;
    let goes = |ix: u32| plan.decisions.get(&ix).is_some_and(|decision| decision.drop);
    (group.end..group.end + count).any(|ix| goes(ix) && plan.is_lost(ix))
}

fn find_first_broken(plan: &PlanBuilder<'_>, group: &Group, after: &[Row], places: &RowPlaces) -> Option<u32> {
    let head = group.body - 1;
    // A dropped copy never was the item that followed the reasoning.
    let is_copy = |ix: u32| plan.is_dropped(ix) && !plan.is_lost(ix);
    let members = || (group.body..group.end).filter(|ix| plan.cx.row(*ix).is_model_made() && !is_copy(*ix));
    let follower = members().next();
    let had = |ix: u32| plan.cx.row(ix).has_id();
    if !had(head) {
        return None;
    }
    let place = |ix: u32| places.by_start.get(&plan.cx.row(ix).at.start).copied();
    let keeps = |ix: u32| {
        let decision = plan.decisions.get(&ix);
        had(ix) && place(ix).is_some() && !decision.is_some_and(|decision| decision.text.contains(&Text::StripId))
    };
    let is_head = |row: &Row| row.id == plan.cx.row(head).id && row.is_reasoning();
    // An equal copy of it serves as well.
    let head_at = match is_copy(head) {
        true => places.heads.get(&plan.cx.row(head).id).copied(),
        false => place(head).filter(|at| after.get(*at).is_some_and(is_head)),
    };
    if let Some(at) = head_at {
        let next = places.followers.get(at).and_then(|followers| after.get(followers.item?));
        // An item without an id is identified by its place.
        let is_its_own = |follower: u32| {
            let own = plan.cx.row(follower);
            next.is_some_and(|next| next.id == own.id && (next.id != 0 || next.at == own.at))
        };
        if follower.map_or(next.is_some(), |follower| !is_its_own(follower)) {
            return Some(head);
        }
    }
    // The run of the model's items that contains the reasoning.
    let run = head_at.and_then(|at| Some(at..places.followers.get(at)?.end));
    let lost = |ix: &u32| {
        // Without storage, the server ignores links of items that need their ids.
        let is_minded = plan.cx.stored || !needs_id(plan.cx.row(*ix));
        let is_headed = || place(*ix).is_some_and(|at| run.as_ref().is_some_and(|run| run.contains(&at)));
        keeps(*ix) && is_minded && !is_headed()
    };
    members().find(lost)
}
