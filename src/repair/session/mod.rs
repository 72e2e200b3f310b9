//! Repair of sessions in place: a log whose lines name one another. The decisions about items become edits on
//! lines: a block is removed from its line; a line is removed with the last of its blocks, and lines that refer to
//! it are linked to the one before it; a missing result is inserted as a new line between its call and what
//! followed. Every other line stays unchanged, byte for byte.

mod copies;
mod incoming_results;
mod lines;
mod relink;
mod results;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use foldhash::{HashMap, HashSet};

use crate::dialect::Dialect;
use crate::format::{FormatInfo, HistoryScope};
use crate::history::{Kind, Row};
use crate::json::edit::RecordBase;
use crate::json::{Tape, fingerprint_of, scan};
use crate::place::{DocId, Edit, Patch, Place, ReplacementPart};
use crate::rule::Loss;
use crate::source::{Container, ReadAt};

use super::edit::insertion::Insertion;
use super::edit::item_text::insert_lines_after;
use super::edit::render::edit_blocks_of_line;
use super::plan::history_plan::HistoryPlan;
use super::plan::item_decision::ItemDecision;
use super::{Action, ItemChange};
use incoming_results::{IncomingResult, PlacedResults, collect_results};
use lines::LinkedLines;
use table::{DEPENDENT_TYPES, LINKS, LineKeys, PARENT, SESSION_KEYS};

pub use copies::{DISPUTED, DisputedLines};
pub use relink::relink;

/// Offset of the first line of a doc, if it is a session.
pub fn start_of(container: Container, histories: Option<HistoryScope>) -> Option<u64> {
    match container {
        Container::Lines { start } | Container::Document { start } if histories == Some(HistoryScope::Session) => {
            Some(start)
        }
        _ => None,
    }
}

/// The offset of the first line of a file whose lines are linked, and the keys of the links; `None` for other files.
pub fn links_of(container: Container, info: &FormatInfo) -> Option<(u64, LineKeys)> {
    if start_of(container, Some(info.histories)).is_some() {
        return start_of(container, Some(info.histories)).zip(Some(SESSION_KEYS));
    }
    match container {
        Container::Lines { start } | Container::Document { start } => Some((start, LineKeys::of(info.links()?))),
        _ => None,
    }
}

/// The edits of plans on a session, with the changes besides those of the plans: the links of other lines.
#[derive(Default)]
pub struct SessionPatch {
    pub patch: Patch,
    pub changes: Vec<ItemChange>,
    /// Results that move to their calls, and after what: another branch may have no call for them, and drop them.
    pub moved: HashMap<Place, Place>,
    /// Lines that stay unchanged.
    pub disputes: DisputedLines,
}

/// Renders plans into edits on lines. Records larger than `limit` are left alone.
pub fn render(
    id: DocId,
    bytes: &dyn ReadAt,
    start: u64,
    limit: u64,
    plans: &[HistoryPlan],
) -> io::Result<SessionPatch> {
    let mut decisions: BTreeMap<(u64, u32), (Row, ItemDecision)> = BTreeMap::new();
    for (row, decision) in plans.iter().flat_map(|plan| &plan.decisions) {
        // Branches share what comes before their fork.
        decisions.entry((row.at.start, row.at.len)).or_insert_with(|| (*row, ItemDecision::clone(decision)));
    }
    let Some(info) = plans.first().map(|plan| plan.info).filter(|_| !decisions.is_empty()) else {
        return Ok(SessionPatch::default());
    };
    let lines = LinkedLines::read(id, bytes, start, limit, &SESSION_KEYS)?;
    let mut repair = SessionRepair {
        id,
        dialect: info.dialect,
        changes: plans.iter().flat_map(|plan| &plan.changes).cloned().collect(),
        causes: HashMap::default(),
        bytes,
        children: HashMap::default(),
        lines,
        parents: BTreeMap::new(),
        removed: BTreeSet::new(),
        new_lines: BTreeMap::new(),
        edits: Vec::new(),
        moved: HashMap::default(),
        derived: HashMap::default(),
    };
    for ix in repair.lines.indices() {
        repair.children.entry(repair.lines.line(ix).parent).or_default().push(ix);
    }
    for change in std::mem::take(&mut repair.changes) {
        if let Some(ix) = repair.lines.at(change.row.at.start) {
            repair.causes.entry(ix).or_default().push(change);
        }
    }
    for changes in repair.causes.values_mut() {
        changes.sort_by_key(|change| change.row.at.order());
    }
    let mut disputes = DisputedLines::default();
    let mut incoming = Vec::new();
    let mut inside: BTreeMap<u32, Vec<(Row, ItemDecision)>> = BTreeMap::new();
    for (row, mut decision) in decisions.into_values() {
        let Some(ix) = repair.lines.at(row.at.start) else { continue };
        let line = repair.lines.line(ix).at;
        let is_here =
            |insertion: &Insertion| matches!(insertion, Insertion::Moved(row, _) if line.contains(&row.at));
        for list in [&mut decision.before, &mut decision.after] {
            let (here, far): (Vec<Insertion>, Vec<Insertion>) =
                std::mem::take(list).into_iter().partition(is_here);
            *list = here;
            far.into_iter().for_each(|insertion| collect_results(insertion, &mut incoming));
        }
        if disputes.check_line(bytes, &repair.lines, ix)? {
            continue;
        }
        if row.kind == Kind::BlockMessage && !decision.stays() {
            repair.removed.insert(ix);
        }
        inside.entry(ix).or_default().push((row, decision));
    }
    for (ix, decisions) in &inside {
        // A line is removed with the last of its blocks, where the message has no row.
        let goes = decisions.iter().filter(|(row, decision)| row.kind != Kind::BlockMessage && !decision.stays());
        let goes = goes.count() as u32;
        if goes > 0 && goes == repair.lines.line(*ix).blocks {
            repair.removed.insert(*ix);
        }
    }
    // Results in a disputed line stay there.
    incoming.retain(|(IncomingResult::Real(row, _) | IncomingResult::Stub(row))| !disputes.contains(row.at));
    // The line of a result that is linked to its call stays, although all of its content moves.
    for ix in
        incoming.iter().filter_map(IncomingResult::result).filter_map(|result| repair.lines.line_with_only(result))
    {
        repair.removed.remove(&ix);
    }
    repair.drop_copies();
    let PlacedResults { relinked_lines, staying } = repair.place_results(incoming)?;
    for ix in staying.iter().filter_map(|result| repair.lines.at(result.start)) {
        repair.removed.remove(&ix);
    }
    for (ix, mut decisions) in inside {
        if repair.removed.contains(&ix) {
            continue;
        }
        decisions.retain(|(row, decision)| row.kind != Kind::BlockMessage || decision.stays());
        let stays = |row: &Row| relinked_lines.contains(&ix) || staying.contains(&row.at);
        decisions.iter_mut().filter(|(row, _)| stays(row)).for_each(|(_, decision)| decision.moved = false);
        decisions.sort_by_key(|(row, _)| row.at.start);
        let mut edits = edit_blocks_of_line(id, bytes, repair.lines.line(ix).at, info, &decisions)?;
        let changes = repair.causes.get(&ix).map_or(&[][..], |changes| changes);
        let (copied, listed) = copies::repeat_on_copies(bytes, &repair.lines, ix, &edits, changes)?;
        edits.extend(copied);
        repair.edits.append(&mut edits);
        repair.changes.extend(listed);
    }
    Ok(SessionPatch { disputes, ..repair.finish()? })
}

/// The lines of a response, and the results for its calls, each with the line of its call.
type ResponseResults = (Vec<u32>, Vec<(u32, IncomingResult)>);

struct SessionRepair<'r> {
    id: DocId,
    dialect: &'static dyn Dialect,
    bytes: &'r dyn ReadAt,
    lines: LinkedLines,
    /// Lines by the stored name of their parent.
    children: HashMap<u64, Vec<u32>>,
    /// New parents, by line; 0 for none.
    parents: BTreeMap<u32, u64>,
    removed: BTreeSet<u32>,
    /// New lines, by the line after which they are inserted.
    new_lines: BTreeMap<u32, Vec<Vec<ReplacementPart>>>,
    edits: Vec<Edit>,
    /// The changes on each line, in order.
    causes: HashMap<u32, Vec<ItemChange>>,
    changes: Vec<ItemChange>,
    /// Results that move to their calls, and after what.
    moved: HashMap<Place, Place>,
    /// Number of names tried for the result of a call, by the first of them.
    derived: HashMap<u64, u64>,
}

impl SessionRepair<'_> {
    fn cause(&self, ix: u32) -> Option<&ItemChange> {
        self.causes.get(&ix).and_then(|changes| changes.first())
    }

    /// Removes the other lines with the names of removed ones.
    fn drop_copies(&mut self) {
        for ix in self.removed.clone() {
            for other in self.lines.copies(ix) {
                let Some(cause) = self.cause(ix).cloned() else { continue };
                if !self.removed.insert(other) {
                    continue;
                }
                let line = self.lines.line(other);
                let row = Row::of_place(line.at, line.record);
                let description = "drop the copy of the dropped line";
                let change =
                    ItemChange { row, anchor: None, action: Action::Drop, description, images: None, ..cause };
                // Lines that are linked to the name change because of any line that has it.
                self.causes.entry(other).or_insert_with(|| vec![change.clone()]);
                self.changes.push(change);
            }
        }
    }

    /// Moves or adds results to their calls.
    fn place_results(&mut self, incoming: Vec<IncomingResult>) -> io::Result<PlacedResults> {
        let mut placed = PlacedResults::default();
        if incoming.is_empty() {
            return Ok(placed);
        }
        let mut calls: HashMap<u64, u32> = HashMap::default();
        for ix in self.lines.indices() {
            let line = self.lines.line(ix);
            for call in &line.calls {
                calls.entry(*call).or_insert(ix);
            }
        }
        // The results for each response, by its first line, in the order of the calls.
        let mut by_response: BTreeMap<u32, ResponseResults> = BTreeMap::new();
        for result in incoming {
            let call = match &result {
                IncomingResult::Stub(call) => self.lines.at(call.at.start),
                IncomingResult::Real(result, _) => {
                    self.call_of(result).or_else(|| calls.get(&result.key).copied())
                }
            };
            let Some(call) = call.filter(|call| !self.removed.contains(call)) else {
                placed.staying.extend(result.result().map(|result| result.at));
                continue;
            };
            let members = self.lines.response_of(call);
            let first = members.first().copied().unwrap_or(call);
            let members = || if members.is_empty() { vec![call] } else { members.to_vec() };
            by_response.entry(first).or_insert_with(|| (members(), Vec::new())).1.push((call, result));
        }
        for (members, incoming) in by_response.into_values() {
            self.answer_response(&members, incoming, &mut placed.relinked_lines)?;
        }
        Ok(placed)
    }

    fn text_of(&self, ix: u32) -> io::Result<Vec<u8>> {
        self.lines.line(ix).text(self.bytes)
    }

    fn parent_of(&self, ix: u32) -> u64 {
        self.parents.get(&ix).copied().unwrap_or(self.lines.line(ix).parent)
    }

    /// Links the lines that refer to a removed line to the one before it, and makes the edits.
    fn finish(mut self) -> io::Result<SessionPatch> {
        let left: HashSet<u64> = self.stays().map(|ix| self.lines.line(ix).name).collect();
        let names = self.removed.iter().map(|ix| self.lines.line(*ix).name);
        let lost: HashSet<u64> = names.filter(|name| *name != 0 && !left.contains(name)).collect();
        let mut relinked: BTreeSet<u32> = BTreeSet::new();
        let dependent_types: Vec<u64> = DEPENDENT_TYPES.iter().map(|kind| fingerprint_of(kind)).collect();
        for ix in self.stays().collect::<Vec<_>>() {
            let line = self.lines.line(ix);
            let mut names = line.links.iter().copied().chain([self.parent_of(ix)]);
            if let Some(name) = names.find(|name| lost.contains(name)) {
                let cause = self.lines.named(name).and_then(|ix| self.cause(ix));
                self.changes.extend(cause.map(|cause| self.link_change(ix, cause)));
            }
            if line.links.iter().any(|name| lost.contains(name)) {
                let lines = if dependent_types.contains(&line.kind) { &mut self.removed } else { &mut relinked };
                lines.insert(ix);
            }
            let parent = self.parent_of(ix);
            if lost.contains(&parent) {
                self.parents.insert(ix, self.before(parent, &lost));
            }
        }
        relinked.extend(self.parents.keys().copied());
        for ix in relinked.iter().copied().filter(|ix| !self.removed.contains(ix)).collect::<Vec<_>>() {
            self.relink(ix, &lost)?;
        }
        let rest: Vec<ItemChange> = self.removed.iter().filter_map(|ix| self.own_result(*ix)).collect();
        self.changes.extend(rest);
        self.edits.extend(self.removed.iter().map(|ix| Edit::remove(self.lines.line(*ix).at)));
        for (ix, new_lines) in std::mem::take(&mut self.new_lines) {
            let text = self.text_of(ix)?;
            insert_lines_after(
                self.lines.line(ix).at,
                &text,
                self.removed.contains(&ix),
                new_lines,
                &mut self.edits,
            );
        }
        let mut patch = Patch::default();
        patch.add(self.edits);
        Ok(SessionPatch { patch, changes: self.changes, moved: self.moved, ..SessionPatch::default() })
    }

    fn stays(&self) -> impl Iterator<Item = u32> + '_ {
        self.lines.indices().filter(|ix| !self.removed.contains(ix))
    }

    /// The nearest remaining ancestor of a removed line; 0 if there is none.
    fn before(&self, mut name: u64, lost: &HashSet<u64>) -> u64 {
        for _ in 0..=lost.len() {
            if !lost.contains(&name) {
                return name;
            }
            let Some(ix) = self.lines.named(name) else { return 0 };
            name = match self.parent_of(ix) {
                0 => self.lines.root_before(ix),
                parent => parent,
            };
        }
        0
    }

    /// The change that lists the agent's own form of a result, which is lost with the message of its line.
    fn own_result(&self, ix: u32) -> Option<ItemChange> {
        let line = self.lines.line(ix);
        let cause = self.cause(ix).filter(|cause| line.has_own_result && cause.row.at != line.at)?;
        let row = Row::of_place(line.at, line.record);
        Some(ItemChange {
            row,
            anchor: None,
            action: Action::Drop,
            description: "drop the line, which would contain only `toolUseResult`",
            images: None,
            ..*cause
        })
    }

    /// Notes that a line gets another link.
    fn note_link_change(&mut self, ix: u32, cause: Option<&ItemChange>) {
        let change = cause.map(|cause| self.link_change(ix, cause));
        self.changes.extend(change);
    }

    /// The change of a line that gets another link because of a change elsewhere.
    fn link_change(&self, ix: u32, cause: &ItemChange) -> ItemChange {
        let line = self.lines.line(ix);
        let (action, description, loss) =
            match DEPENDENT_TYPES.iter().any(|kind| fingerprint_of(kind) == line.kind) {
                true => (Action::Drop, "drop the snapshot of the dropped line", Loss::Lossy),
                false => (Action::Rewrite, "link it to the new preceding line", Loss::Lossless),
            };
        ItemChange {
            row: Row::of_place(line.at, line.record),
            anchor: None,
            action,
            description,
            loss,
            images: None,
            ..*cause
        }
    }

    fn relink(&mut self, ix: u32, lost: &HashSet<u64>) -> io::Result<()> {
        let text = self.text_of(ix)?;
        let mut tape = Tape::new();
        let Some(line) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) else { return Ok(()) };
        let base = RecordBase::new(self.id, self.lines.line(ix).at.start);
        if let (Some(parent), Some(val)) = (self.parents.get(&ix), line.get(PARENT)) {
            self.edits.push(Edit::replace(base.of(val), self.lines.text(*parent)));
        }
        for val in LINKS.iter().filter_map(|path| line.at(path)) {
            let name = val.text().map_or(0, |name| fingerprint_of(&name));
            if lost.contains(&name) {
                self.edits.push(Edit::replace(base.of(val), self.lines.text(self.before(name, lost))));
            }
        }
        Ok(())
    }
}
