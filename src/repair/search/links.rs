//! Links that a repair would break and no item shows: the server knows by their ids which item followed reasoning, and
//! which reasoning an item was made with. A group of which something goes keeps its ids only while the item that followed
//! its reasoning still does.

use std::collections::HashMap;
use std::ops::Range;

use crate::dialect::TextChange as Text;
use crate::history::{Group, Row, ends_group};

use crate::repair::plan::history_plan::Plan;

/// Groups of which a plan breaks a link, each by its first row that stays.
pub(super) fn broken(plan: &Plan<'_>, stretches: &[Range<u32>], after: &[Row]) -> Vec<u32> {
    let history = plan.cx.history;
    if !history.messages.is_empty() || plan.fates.is_empty() {
        return Vec::new();
    }
    let mut places: Option<HashMap<u64, usize>> = None;
    let mut broken = Vec::new();
    for stretch in stretches {
        let from = history.groups.partition_point(|group| group.end <= stretch.start);
        for group in history.groups.iter().skip(from).take_while(|group| group.start < stretch.end) {
            let changes = plan.fates.range(group.start..group.end).next().is_some();
            if !group.has_reasoning() || !group.has_members() || !changes {
                continue;
            }
            let places = places.get_or_insert_with(|| {
                after.iter().enumerate().map(|(n, row)| (row.at.start, n)).collect()
            });
            broken.extend(first_broken(plan, group, after, places));
        }
    }
    broken
}

fn first_broken(plan: &Plan<'_>, group: &Group, after: &[Row], places: &HashMap<u64, usize>) -> Option<u32> {
    let head = group.body - 1;
    let members = || (group.body..group.end).filter(|ix| plan.cx.row(*ix).is_model_made());
    let follower = members().next()?;
    let had = |ix: u32| plan.cx.row(ix).has_id();
    if !had(head) {
        return None;
    }
    let place = |ix: u32| places.get(&plan.cx.row(ix).at.start).copied();
    let keeps = |ix: u32| {
        let fate = plan.fates.get(&ix);
        had(ix) && place(ix).is_some() && !fate.is_some_and(|fate| fate.text.contains(&Text::StripId))
    };
    let made = |row: &&Row| row.is_model_made() && !row.is_reasoning();
    if keeps(head) {
        let rest = place(head).map(|n| after.iter().skip(n + 1).take_while(|row| !ends_group(row)));
        let next = rest.and_then(|mut rest| rest.find(made));
        let is_its_own = next.is_some_and(|next| next.at == plan.cx.row(follower).at);
        if had(follower) && !(is_its_own && keeps(follower)) {
            return Some(head);
        }
    }
    let lost = |ix: &u32| {
        keeps(*ix)
            && place(*ix).is_some_and(|at| {
                let before = after.iter().take(at).rev().take_while(|row| !ends_group(row));
                !before.into_iter().any(|row| row.at == plan.cx.row(head).at && row.has_id())
            })
    };
    members().find(lost)
}
