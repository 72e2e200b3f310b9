//! Repair of sessions in place: a log whose lines name one another. What the plan decides about items becomes edits on
//! lines: a block goes from its line, a line goes with the last of its blocks and those that name it are linked to the
//! one before it, a result that was missing comes as a new line between its call and what followed. Every other line
//! stays as it is, byte for byte.

mod arrival;
mod copies;
mod lines;
mod relink;
mod table;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;

use crate::dialect::Dialect;
use crate::dialects::responses::STUB;
use crate::format::{Histories, uuid};
use crate::history::{Kind, Row};
use crate::json::edit::Base;
use crate::json::{Tape, Val, fingerprint_of, scan, string};
use crate::place::{DocId, Edit, Patch, Place, With};
use crate::rule::Loss;
use crate::source::{Container, ReadAt};

use super::edit::insertion::Fresh;
use super::edit::item_text::{lines_after, stub};
use super::edit::render::{blocks_of_line, changed};
use super::plan::history_plan::{Fate, HistoryPlan};
use super::{Action, Cause, Change};
use arrival::{Arrival, Settled, arrive, tails};
use lines::Lines;
use table::{COPIED, GO_WITH, LINKS, PARENT};

pub use copies::{DISPUTED, Disputes};
pub use relink::relink;

/// Where the lines of a doc begin, if it is a session.
pub fn start_of(container: Container, histories: Option<Histories>) -> Option<u64> {
    match container {
        Container::Lines { start } | Container::Document { start } if histories == Some(Histories::Session) => {
            Some(start)
        }
        _ => None,
    }
}

/// The edits of some plans, and what they change besides the plans' items: the links of other lines.
#[derive(Default)]
pub struct Rendered {
    pub patch: Patch,
    pub changes: Vec<Change>,
    /// Results that come to their calls, and after what: another branch may have no call for them, and drop them.
    pub moved: HashMap<Place, Place>,
    /// Lines that stay as they are.
    pub disputes: Disputes,
}

/// Renders plans into edits on lines. Records larger than `limit` are left alone.
pub fn render(
    id: DocId,
    bytes: &dyn ReadAt,
    start: u64,
    limit: u64,
    plans: &[HistoryPlan],
) -> io::Result<Rendered> {
    let mut fates: BTreeMap<(u64, u32), (Row, Fate)> = BTreeMap::new();
    for (row, fate) in plans.iter().flat_map(|plan| &plan.fates) {
        // Branches share what comes before their fork.
        fates.entry((row.at.start, row.at.len)).or_insert_with(|| (*row, fate.clone()));
    }
    let Some(info) = plans.first().map(|plan| plan.info).filter(|_| !fates.is_empty()) else {
        return Ok(Rendered::default());
    };
    let lines = Lines::read(id, bytes, start, limit)?;
    let mut repair = Repair {
        id,
        dialect: info.dialect,
        changes: plans.iter().flat_map(|plan| &plan.changes).copied().collect(),
        causes: HashMap::new(),
        bytes,
        children: HashMap::new(),
        lines,
        parents: BTreeMap::new(),
        gone: BTreeSet::new(),
        fresh: BTreeMap::new(),
        edits: Vec::new(),
        moved: HashMap::new(),
        derived: HashMap::new(),
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
    let mut disputes = Disputes::default();
    let mut arrivals = Vec::new();
    let mut inside: BTreeMap<u32, Vec<(Row, Fate)>> = BTreeMap::new();
    for (row, mut fate) in fates.into_values() {
        let Some(ix) = repair.lines.at(row.at.start) else { continue };
        let line = repair.lines.line(ix).at;
        let is_here = |fresh: &Fresh| matches!(fresh, Fresh::Moved(row, _) if line.contains(&row.at));
        for list in [&mut fate.before, &mut fate.behind] {
            let (here, far): (Vec<Fresh>, Vec<Fresh>) = std::mem::take(list).into_iter().partition(is_here);
            *list = here;
            far.into_iter().for_each(|fresh| arrive(fresh, &mut arrivals));
        }
        if disputes.ask(bytes, &repair.lines, ix)? {
            continue;
        }
        if row.kind == Kind::BlockMessage && !fate.stays() {
            repair.gone.insert(ix);
        }
        inside.entry(ix).or_default().push((row, fate));
    }
    for (ix, fates) in &inside {
        // A line goes with the last of its blocks, where no row stands for the message.
        let goes = fates.iter().filter(|(row, fate)| row.kind != Kind::BlockMessage && !fate.stays());
        if goes.count() as u32 == repair.lines.line(*ix).blocks && !fates.is_empty() {
            repair.gone.insert(*ix);
        }
    }
    // What is to come from such a line stays there.
    arrivals.retain(|(Arrival::Real(row, _) | Arrival::Stub(row))| !disputes.hold(row.at));
    // The line of a result that is linked to its call stays, though all that it holds is on its way.
    for ix in arrivals.iter().filter_map(Arrival::result).filter_map(|result| repair.lines.holding_only(result)) {
        repair.gone.remove(&ix);
    }
    repair.drop_copies();
    let Settled { whole, left } = repair.settle(arrivals)?;
    for ix in left.iter().filter_map(|result| repair.lines.at(result.start)) {
        repair.gone.remove(&ix);
    }
    for (ix, mut fates) in inside {
        if repair.gone.contains(&ix) {
            continue;
        }
        fates.retain(|(row, fate)| row.kind != Kind::BlockMessage || fate.stays());
        let stays = |row: &Row| whole.contains(&ix) || left.contains(&row.at);
        fates.iter_mut().filter(|(row, _)| stays(row)).for_each(|(_, fate)| fate.moved = false);
        fates.sort_by_key(|(row, _)| row.at.start);
        let mut edits = blocks_of_line(id, bytes, repair.lines.line(ix).at, info, &fates)?;
        let changes = repair.causes.get(&ix).map_or(&[][..], |changes| changes);
        let (copied, listed) = copies::repeated(bytes, &repair.lines, ix, &edits, changes)?;
        edits.extend(copied);
        repair.edits.append(&mut edits);
        repair.changes.extend(listed);
    }
    Ok(Rendered { disputes, ..repair.finish()? })
}

/// The lines of a response, and what comes to its calls: the line of the call, and the result.
type Answers = (Vec<u32>, Vec<(u32, Arrival)>);

struct Repair<'r> {
    id: DocId,
    dialect: &'static dyn Dialect,
    bytes: &'r dyn ReadAt,
    lines: Lines,
    /// Lines by the name of their parent, as they are stored.
    children: HashMap<u64, Vec<u32>>,
    /// New parents, by line; 0 is none.
    parents: BTreeMap<u32, u64>,
    gone: BTreeSet<u32>,
    /// New lines, by the line after which they come.
    fresh: BTreeMap<u32, Vec<Vec<With>>>,
    edits: Vec<Edit>,
    /// The changes on each line, in order.
    causes: HashMap<u32, Vec<Change>>,
    changes: Vec<Change>,
    /// Results that come to their calls, and after what.
    moved: HashMap<Place, Place>,
    /// How many names were derived for the result of a call, by the first of them.
    derived: HashMap<u64, u64>,
}

impl Repair<'_> {
    fn cause(&self, ix: u32) -> Option<&Change> {
        self.causes.get(&ix).and_then(|changes| changes.first())
    }

    /// A line goes with the others of its name.
    fn drop_copies(&mut self) {
        for ix in self.gone.clone() {
            for other in self.lines.copies(ix) {
                let Some(cause) = self.cause(ix).copied() else { continue };
                if !self.gone.insert(other) {
                    continue;
                }
                let line = self.lines.line(other);
                let row = Row::of_place(line.at, line.record);
                let what = "drop the copy of the dropped line";
                let change = Change { row, other: None, action: Action::Drop, what, ..cause };
                self.changes.push(change);
                // What is linked to the name is changed because of whichever line has it.
                self.causes.entry(other).or_insert_with(|| vec![change]);
            }
        }
    }

    /// Brings results to their calls.
    fn settle(&mut self, arrivals: Vec<Arrival>) -> io::Result<Settled> {
        let mut settled = Settled::default();
        if arrivals.is_empty() {
            return Ok(settled);
        }
        let mut calls: HashMap<u64, u32> = HashMap::new();
        for ix in self.lines.indices() {
            let line = self.lines.line(ix);
            for call in &line.calls {
                calls.entry(*call).or_insert(ix);
            }
        }
        // By the first line of the response: what comes to it, in the order of the calls.
        let mut by_response: BTreeMap<u32, Answers> = BTreeMap::new();
        for arrival in arrivals {
            let call = match &arrival {
                Arrival::Stub(call) => self.lines.at(call.at.start),
                Arrival::Real(result, _) => self.call_of(result).or_else(|| calls.get(&result.key).copied()),
            };
            let Some(call) = call.filter(|call| !self.gone.contains(call)) else {
                settled.left.extend(arrival.result().map(|result| result.at));
                continue;
            };
            let members = self.lines.response_of(call);
            let first = members.first().copied().unwrap_or(call);
            let members = || if members.is_empty() { vec![call] } else { members.to_vec() };
            by_response.entry(first).or_insert_with(|| (members(), Vec::new())).1.push((call, arrival));
        }
        for (members, arrivals) in by_response.into_values() {
            self.answer(&members, arrivals, &mut settled.whole)?;
        }
        Ok(settled)
    }

    /// The change by which an item comes to a call, or a stub to this call.
    fn arrival_of(&self, row: &Row) -> Option<&Change> {
        let changes = self.causes.get(&self.lines.at(row.at.start)?)?;
        let from = changes.partition_point(|change| change.row.at.order() < row.at.order());
        let own = changes.iter().skip(from).take_while(|change| change.row.at == row.at);
        own.into_iter().find(|change| matches!(change.action, Action::Move | Action::Stub))
    }

    /// The line of the call that lacks a result, if that was found: other calls may have the same id.
    fn call_of(&self, result: &Row) -> Option<u32> {
        let Cause::Rule(_, _, found) = self.arrival_of(result)?.cause else { return None };
        let lacks = |ix: &u32| self.lines.line(*ix).calls.contains(&result.key);
        self.lines.at(found.start).filter(lacks)
    }

    /// Results come to the calls of one response, and what followed the response follows the last of them.
    fn answer(
        &mut self,
        members: &[u32],
        arrivals: Vec<(u32, Arrival)>,
        whole: &mut HashSet<u32>,
    ) -> io::Result<()> {
        let names: HashSet<u64> = members.iter().map(|ix| self.lines.line(*ix).name).collect();
        let children = names.iter().filter_map(|name| self.children.get(name)).flatten();
        let tails = tails(&self.lines, members, children.copied().collect());
        let after = members.iter().copied().max().unwrap_or_default();
        let (mut last, mut cause) = (0, None);
        for (call, arrival) in arrivals {
            let name = self.lines.line(call).name;
            let (Arrival::Real(row, _) | Arrival::Stub(row)) = &arrival;
            let change = self.arrival_of(row).copied();
            cause = cause.or(change);
            last = match arrival {
                Arrival::Real(result, changes) => match self.lines.holding_only(&result) {
                    Some(ix) => {
                        whole.insert(ix);
                        self.moved.insert(result.at, self.beside(call, change));
                        self.link_result(ix, name, &names);
                        self.lines.line(ix).name
                    }
                    None => {
                        let block = match changes.is_empty() {
                            true => With::Copy(result.at),
                            false => With::text(changed(self.id, self.bytes, self.dialect, &result, &changes)?),
                        };
                        self.moved.insert(result.at, self.beside(after, change));
                        self.new_line(call, after, result.key, block, false)?
                    }
                },
                Arrival::Stub(row) => {
                    let block = stub(self.dialect, self.bytes, &row)?;
                    self.new_line(call, after, row.key, With::text(block), true)?
                }
            };
        }
        if last != 0 {
            for tail in tails {
                if self.lines.line(tail).name == last {
                    continue;
                }
                self.parents.entry(tail).or_insert(last);
                self.list_relinked(tail, cause);
            }
        }
        Ok(())
    }

    /// What stands in a line and lacks a result, if that was found, or else the line.
    fn beside(&self, ix: u32, change: Option<Change>) -> Place {
        let line = self.lines.line(ix).at;
        match change.map(|change| change.cause) {
            Some(Cause::Rule(_, _, found)) if line.contains(&found) => found,
            _ => line,
        }
    }

    /// A line with a result is linked to its call; what followed it follows what it followed.
    fn link_result(&mut self, ix: u32, call: u64, response: &HashSet<u64>) {
        let line = self.lines.line(ix);
        if response.contains(&line.parent) {
            return;
        }
        let (name, parent) = (line.name, line.parent);
        let cause = self.cause(ix).copied();
        for child in self.children.get(&name).cloned().unwrap_or_default() {
            self.parents.entry(child).or_insert(parent);
            self.list_relinked(child, cause);
        }
        self.parents.insert(ix, call);
        for other in self.lines.copies(ix).collect::<Vec<_>>() {
            self.parents.insert(other, call);
            self.list_relinked(other, cause);
        }
    }

    /// A new line with a result comes after a line. Returns its name.
    fn new_line(&mut self, call: u32, after: u32, key: u64, block: With, is_stub: bool) -> io::Result<u64> {
        let text = self.text_of(call)?;
        let mut tape = Tape::new();
        let Some(line) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) else { return Ok(0) };
        let uuid = self.derived(line, key);
        let parent = self.lines.text(self.lines.line(call).name).to_vec();
        let mut head = [br#"{"parentUuid":"#, &*parent].concat();
        for key in COPIED {
            if let Some(val) = line.get(key) {
                head.extend([b",\"", key.as_bytes(), b"\":", val.raw()].concat());
            }
        }
        head.extend(br#","type":"user","message":{"role":"user","content":["#);
        let mut tail = [br#"]},"uuid":"#, &*uuid].concat();
        if let Some(time) = line.get("timestamp") {
            tail.extend([br#","timestamp":"#, time.raw()].concat());
        }
        if is_stub {
            tail.extend([br#","toolUseResult":"#, &*string::quoted(&format!("Error: {STUB}"))].concat());
        }
        tail.extend([br#","sourceToolAssistantUUID":"#, &*parent, b"}"].concat());
        self.fresh.entry(after).or_default().push(vec![With::text(head), block, With::text(tail)]);
        Ok(self.lines.name_as(uuid))
    }

    /// A name for the result of a call: the same in each run, and no other line's.
    fn derived(&mut self, line: Val<'_>, key: u64) -> Vec<u8> {
        let session = line.get("sessionId").map_or(&b""[..], |id| id.raw());
        let half = |n: u64| fingerprint_of(&[session, &key.to_le_bytes(), &n.to_le_bytes()].concat());
        // Calls may have one id: names that were tried are not tried again.
        let next = self.derived.entry(half(0)).or_default();
        loop {
            let (a, b) = (half(*next), half(*next + 1));
            *next += 2;
            let uuid = uuid(a, b);
            if !self.lines.has(fingerprint_of(uuid.as_bytes())) {
                return string::quoted(&uuid);
            }
        }
    }

    fn text_of(&self, ix: u32) -> io::Result<Vec<u8>> {
        self.lines.line(ix).text(self.bytes)
    }

    fn parent_of(&self, ix: u32) -> u64 {
        self.parents.get(&ix).copied().unwrap_or(self.lines.line(ix).parent)
    }

    /// Links what names a line that goes to the one before it, and makes the edits.
    fn finish(mut self) -> io::Result<Rendered> {
        let left: HashSet<u64> = self.stays().map(|ix| self.lines.line(ix).name).collect();
        let names = self.gone.iter().map(|ix| self.lines.line(*ix).name);
        let lost: HashSet<u64> = names.filter(|name| *name != 0 && !left.contains(name)).collect();
        let mut relinked: BTreeSet<u32> = BTreeSet::new();
        let go_with: Vec<u64> = GO_WITH.iter().map(|kind| fingerprint_of(kind)).collect();
        for ix in self.stays().collect::<Vec<_>>() {
            let line = self.lines.line(ix);
            let mut names = line.links.iter().copied().chain([self.parent_of(ix)]);
            if let Some(name) = names.find(|name| lost.contains(name)) {
                let cause = self.lines.named(name).and_then(|ix| self.cause(ix));
                self.changes.extend(cause.map(|cause| self.relinked(ix, cause)));
            }
            if line.links.iter().any(|name| lost.contains(name)) {
                let lines = if go_with.contains(&line.kind) { &mut self.gone } else { &mut relinked };
                lines.insert(ix);
            }
            let parent = self.parent_of(ix);
            if lost.contains(&parent) {
                self.parents.insert(ix, self.before(parent, &lost));
            }
        }
        relinked.extend(self.parents.keys().copied());
        for ix in relinked.iter().copied().filter(|ix| !self.gone.contains(ix)).collect::<Vec<_>>() {
            self.relink(ix, &lost)?;
        }
        let rest: Vec<Change> = self.gone.iter().filter_map(|ix| self.own_result(*ix)).collect();
        self.changes.extend(rest);
        self.edits.extend(self.gone.iter().map(|ix| Edit::remove(self.lines.line(*ix).at)));
        for (ix, fresh) in std::mem::take(&mut self.fresh) {
            let text = self.text_of(ix)?;
            lines_after(self.lines.line(ix).at, &text, self.gone.contains(&ix), fresh, &mut self.edits);
        }
        let mut patch = Patch::default();
        patch.add(self.edits);
        Ok(Rendered { patch, changes: self.changes, moved: self.moved, ..Rendered::default() })
    }

    fn stays(&self) -> impl Iterator<Item = u32> + '_ {
        self.lines.indices().filter(|ix| !self.gone.contains(ix))
    }

    /// The line that a lost one followed, if it stays, else the one that that followed; 0 if there is none.
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

    /// The change that lists what a line holds for its agent alone, and loses with its message.
    fn own_result(&self, ix: u32) -> Option<Change> {
        let line = self.lines.line(ix);
        let cause = self.cause(ix).filter(|cause| line.has_own_result && cause.row.at != line.at)?;
        let row = Row::of_place(line.at, line.record);
        Some(Change {
            row,
            other: None,
            action: Action::Drop,
            what: "drop the line, of which only `toolUseResult` would be left",
            ..*cause
        })
    }

    /// Lists that a line gets another link.
    fn list_relinked(&mut self, ix: u32, cause: Option<Change>) {
        let change = cause.map(|cause| self.relinked(ix, &cause));
        self.changes.extend(change);
    }

    /// The change of a line that gets another link because of a change elsewhere.
    fn relinked(&self, ix: u32, cause: &Change) -> Change {
        let line = self.lines.line(ix);
        let (action, what, loss) = match GO_WITH.iter().any(|kind| fingerprint_of(kind) == line.kind) {
            true => (Action::Drop, "drop the snapshot of the dropped line", Loss::Lossy),
            false => (Action::Rewrite, "link it to the line that is now before it", Loss::Lossless),
        };
        Change { row: Row::of_place(line.at, line.record), other: None, action, what, loss, ..*cause }
    }

    fn relink(&mut self, ix: u32, lost: &HashSet<u64>) -> io::Result<()> {
        let text = self.text_of(ix)?;
        let mut tape = Tape::new();
        let Some(line) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) else { return Ok(()) };
        let base = Base::new(self.id, self.lines.line(ix).at.start);
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
