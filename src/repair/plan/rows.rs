//! From a finding to its row in the history, by place.

use std::collections::HashSet;

use crate::history::Row;
use crate::judge::Judged;
use crate::rule::Cx;

/// Finds the row of a finding by its place.
pub(in crate::repair) struct RowIndex {
    by_start: Vec<(u64, u32)>,
}

impl RowIndex {
    pub fn new(cx: &Cx<'_>, judged: &[&Judged]) -> Self {
        if judged.is_empty() {
            return RowIndex { by_start: Vec::new() };
        }
        let wanted: HashSet<u64> = judged.iter().map(|j| j.finding.row.at.start).collect();
        let rows = cx.history.rows.iter().chain(&cx.history.continued).enumerate();
        let mut by_start: Vec<(u64, u32)> = rows
            .filter(|(_, row)| wanted.contains(&row.at.start))
            .map(|(ix, row)| (row.at.start, ix as u32))
            .collect();
        by_start.sort_unstable();
        RowIndex { by_start }
    }

    pub fn of(&self, row: &Row) -> Option<u32> {
        let at = self.by_start.binary_search_by_key(&row.at.start, |(start, _)| *start).ok()?;
        self.by_start.get(at).map(|(_, ix)| *ix)
    }
}
