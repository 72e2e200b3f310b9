//! Links lines whose parent was never written to the nearest line before them in the same chain.

use std::io;

use foldhash::HashMap;

use crate::history::{Remedy, RepairAct};
use crate::json::edit::RecordBase;
use crate::json::{Tape, scan};
use crate::judge::WeighedFinding;
use crate::place::{DocId, Edit};
use crate::source::ReadAt;

use super::lines::LinkedLines;
use super::table::LineKeys;
use crate::repair::edit::text::TextEdits;
use crate::repair::{Action, Cause, FixOptions, ItemChange, Refusal};

const DAMAGED: &str = "its line must be repaired first";
const NONE_BEFORE: &str = "no earlier line of its chain can be read";
const CIRCLE: &str = "a link to the nearest earlier line of its chain would create a cycle";

/// Edits that link lines again.
pub fn relink(
    id: DocId,
    bytes: &dyn ReadAt,
    start: u64,
    limit: u64,
    keys: &LineKeys,
    judged: &[WeighedFinding],
    options: &FixOptions,
) -> io::Result<TextEdits> {
    let is_wanted = |judged: &&WeighedFinding| {
        judged.finding.remedy == Remedy::One(RepairAct::Relink) && options.selects(judged)
    };
    let mut wanted: HashMap<u64, &WeighedFinding> =
        judged.iter().filter(is_wanted).map(|judged| (judged.finding.row.at.start, judged)).collect();
    let mut found = TextEdits::default();
    if wanted.is_empty() {
        return Ok(found);
    }
    let lines = LinkedLines::read(id, bytes, start, limit, keys)?;
    let mut chains = ParentChains::of(&lines);
    let mut last: HashMap<u64, u32> = HashMap::default();
    for ix in lines.indices() {
        let line = lines.line(ix);
        if line.is_unread {
            // Later lines may correctly be linked to it.
            last.clear();
        }
        if let Some(judged) = wanted.remove(&line.at.start) {
            match last.get(&line.thread) {
                None => found.refusals.push(Refusal::of(judged, NONE_BEFORE)),
                Some(before) if lines.line(*before).name == line.parent => {
                    found.refusals.push(Refusal::of(judged, DAMAGED));
                }
                Some(before) if chains.leads_to(*before, line.name) => {
                    found.refusals.push(Refusal::of(judged, CIRCLE))
                }
                Some(&before) => {
                    chains.parents.insert(ix, lines.line(before).name);
                    if let Some(edit) = edit(id, bytes, &lines, ix, before, keys)? {
                        found.edits.push(edit);
                        found.changes.push(change(judged));
                    }
                }
            }
        }
        if line.is_anchor && line.name != 0 {
            last.insert(line.thread, ix);
        }
    }
    // Another record may precede it on its line.
    found.refusals.extend(wanted.values().map(|judged| Refusal::of(judged, DAMAGED)));
    Ok(found)
}

fn edit(
    id: DocId,
    bytes: &dyn ReadAt,
    lines: &LinkedLines,
    ix: u32,
    before: u32,
    keys: &LineKeys,
) -> io::Result<Option<Edit>> {
    let at = lines.line(ix).at;
    let (text, mut tape) = (lines.line(ix).text(bytes)?, Tape::new());
    let line = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    let parent = line.and_then(|line| line.get(keys.parent));
    let name = lines.text(lines.line(before).name);
    Ok(parent.map(|parent| Edit::replace(RecordBase::new(id, at.start).of(parent), name)))
}

fn change(judged: &WeighedFinding) -> ItemChange {
    ItemChange {
        cause: Cause::Rule(judged.finding.code, judged.finding.variant, judged.finding.row.at),
        row: judged.finding.row,
        anchor: None,
        action: Action::Rewrite,
        loss: judged.variant().loss,
        description: judged.variant().fix,
        history: None,
        images: None,
    }
}

/// The current parents of lines.
struct ParentChains<'l> {
    lines: &'l LinkedLines,
    parents: HashMap<u32, u64>,
    /// True if some line has a parent that is stored after it: only then can a link to an earlier line close a
    /// cycle.
    is_tangled: bool,
}

impl<'l> ParentChains<'l> {
    fn of(lines: &'l LinkedLines) -> Self {
        let later = |ix: u32| lines.named(lines.line(ix).parent).is_some_and(|parent| parent >= ix);
        ParentChains { lines, parents: HashMap::default(), is_tangled: lines.indices().any(later) }
    }

    /// True if a line with this name is among the ancestors of a line.
    fn leads_to(&self, from: u32, name: u64) -> bool {
        let mut at = Some(from);
        for _ in 0..self.lines.list.len() {
            let Some(ix) = at.filter(|_| self.is_tangled) else { return false };
            if self.lines.line(ix).name == name {
                return true;
            }
            let parent = self.parents.get(&ix).copied().unwrap_or(self.lines.line(ix).parent);
            at = self.lines.named(parent);
        }
        self.is_tangled
    }
}
