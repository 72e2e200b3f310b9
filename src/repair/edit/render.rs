//! From decisions to edits. An item in an array is removed with a comma, an item that is a line with its line; an
//! inserted item takes the form of its neighbours: white space in an array, the envelope of a line in a log.

use std::collections::BTreeMap;
use std::io;

use crate::dialect::{Dialect, TextChange as Text};
use crate::format::{FormatInfo, HistoryScope, RemovalUnit};
use crate::formats;
use crate::history::{Flags, Row};
use crate::json::edit::{RecordBase, Sequence, SequenceSlot, remove_members};
use crate::json::{Tape, Val, pointer, scan};
use crate::place::{DocId, Edit, Patch, Pieces, Place, ReplacementPart};
use crate::read::{self, ScannedRecord};
use crate::source::{CachedReader, Container, PatchedView, ReadAt, framing, lines};

use super::insertion::Insertion;
use super::item_text::{insert_lines_after, item_edits, line_end, message_text_block, stub_text};
use super::messages::{MessageEdit, MessageLayout, outermost_list};
use crate::repair::plan::history_plan::HistoryPlan;
use crate::repair::plan::item_decision::ItemDecision;

/// One item of the doc, and the decision about it.
#[derive(Clone, Copy)]
pub(super) struct ItemStep<'p> {
    pub info: &'static FormatInfo,
    newest_first: bool,
    pub row: &'p Row,
    pub decision: &'p ItemDecision,
}

impl ItemStep<'_> {
    pub fn unit(&self, row: &Row) -> RemovalUnit {
        self.info.parts.get(usize::from(row.part)).map_or(RemovalUnit::Element, |part| part.unit)
    }

    /// True if the item is in the text, and not made of it.
    fn is_in_text(&self) -> bool {
        !self.row.has(Flags::EMBEDDED) && !self.row.has(Flags::SYNTHETIC)
    }

    /// True if the list of the item changes.
    fn changes_list(&self) -> bool {
        !self.decision.stays() || self.decision.inserts()
    }
}

/// Renders plans into edits on the bytes that they were made for, and that were read with these options. `marks` are starts of lines
/// with known numbers.
pub(in crate::repair) fn render(
    id: DocId,
    bytes: &dyn ReadAt,
    reading: &read::Options,
    container: Container,
    marks: &[(u64, u64)],
    plans: &[HistoryPlan],
) -> io::Result<Patch> {
    let bytes = &CachedReader::new(bytes, container, marks);
    let mut steps: Vec<ItemStep<'_>> = plans.iter().flat_map(steps_of).filter(ItemStep::is_in_text).collect();
    steps.sort_by_key(|step| step.row.at.start);
    let mut removed_members: Vec<Place> =
        plans.iter().flat_map(|plan| plan.removed_members.iter().copied()).collect();
    removed_members.sort_by_key(Place::order);
    if steps.is_empty() && removed_members.is_empty() {
        return Ok(Patch::default());
    }
    let mut render = Renderer { id, bytes, edits: Vec::new() };
    match container {
        Container::Document { start } => {
            let len = bytes.len() - start;
            let has_items_in = |key: &str| plans.iter().any(|plan| plan.info.has_items_in(key));
            let is_whole = |plan: &HistoryPlan| reading.reads_at_once(formats::by_name(plan.info.name));
            let is_large = len > framing::MAX_WHOLE_DOCUMENT && !plans.iter().any(is_whole);
            if !is_large || !render.edit_large_document(start, &has_items_in, &steps, &removed_members)? {
                render.edits.clear();
                let whole = Place::new(id, start, u32::try_from(len).unwrap_or(u32::MAX));
                render.edit_record(whole, &steps, &removed_members)?;
            }
        }
        Container::Lines { start } => {
            let (mut rest, mut removed_members) = (steps.as_slice(), removed_members.as_slice());
            loop {
                let first = rest.first().map(|step| step.row.at.start);
                let Some(at) = first.into_iter().chain(removed_members.first().map(|at| at.start)).min() else {
                    break;
                };
                let line = bytes.line_around(id, start, at)?;
                let (here, after) = rest.split_at(rest.partition_point(|step| step.row.at.start < line.end()));
                let (members, others) =
                    removed_members.split_at(removed_members.partition_point(|at| at.start < line.end()));
                render.edit_record(line, here, members)?;
                (rest, removed_members) = (after, others);
            }
        }
        _ => {}
    }
    let mut patch = Patch::default();
    patch.add(render.edits);
    Ok(patch)
}

/// The steps of a plan.
fn steps_of(plan: &HistoryPlan) -> impl Iterator<Item = ItemStep<'_>> {
    let HistoryPlan { info, newest_first, .. } = *plan;
    plan.decisions.iter().map(move |(row, decision)| ItemStep { info, newest_first, row, decision })
}

/// Fills `out` with a record after the plan of its only history; false if the plan has more than edits of the record.
pub(in crate::repair) fn edited_record(
    bytes: &dyn ReadAt,
    record: ScannedRecord<'_>,
    plan: &HistoryPlan,
    out: &mut Vec<u8>,
) -> io::Result<bool> {
    let steps: Vec<ItemStep<'_>> = steps_of(plan).collect();
    let first = steps.first().map(|step| step.row.at).or(plan.removed_members.first().copied());
    let (Some(Place { doc: id, .. }), Some(root)) = (first, record.tape.root(record.text)) else {
        return Ok(false);
    };
    let base = RecordBase::new(id, record.start);
    let whole = base.of(root);
    if !steps.iter().all(|step| step.is_in_text() && whole.contains(&step.row.at)) {
        return Ok(false);
    }
    let mut removed_members = plan.removed_members.clone();
    removed_members.sort_by_key(Place::order);
    let mut render = Renderer { id, bytes, edits: Vec::new() };
    render.edit_scanned((whole, root.raw()), root, base, &steps, &removed_members)?;
    if !render.edits.iter().all(|edit| whole.contains(&edit.at)) {
        return Ok(false);
    }
    let mut patch = Patch::default();
    patch.add(render.edits);
    let after = PatchedView::new(bytes, Pieces::new(patch.edits(id), id, bytes.len()));
    let end = after.len() - (bytes.len() - whole.end());
    after.read_into(whole.start, (end - whole.start) as usize, out)?;
    Ok(true)
}

/// The text of an item after changes.
pub(in crate::repair) fn edited_text(
    id: DocId,
    bytes: &dyn ReadAt,
    dialect: &'static dyn Dialect,
    row: &Row,
    changes: &[Text],
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    bytes.read_into(row.at.start, row.at.len as usize, &mut text)?;
    let mut patch = Patch::default();
    patch.add(item_edits(dialect, id, &text, changes).unwrap_or_default());
    Ok(patch.apply(id, &text))
}

/// The edits on the items inside one line of a session, which keeps its place.
pub(in crate::repair) fn edit_blocks_of_line(
    id: DocId,
    bytes: &dyn ReadAt,
    line: Place,
    info: &'static FormatInfo,
    decisions: &[(Row, ItemDecision)],
) -> io::Result<Vec<Edit>> {
    let steps: Vec<ItemStep<'_>> =
        decisions.iter().map(|(row, decision)| ItemStep { info, newest_first: false, row, decision }).collect();
    let mut text = Vec::new();
    bytes.read_into(line.start, line.len as usize, &mut text)?;
    let mut tape = Tape::new();
    let Some(root) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) else { return Ok(Vec::new()) };
    let mut render = Renderer { id, bytes, edits: Vec::new() };
    render.edit_value(root, RecordBase::new(id, line.start), &[], &steps.iter().collect::<Vec<_>>())?;
    Ok(render.edits)
}

pub(super) struct Renderer<'r> {
    pub id: DocId,
    pub bytes: &'r dyn ReadAt,
    pub edits: Vec<Edit>,
}

impl Renderer<'_> {
    /// Edits a record that is scanned at once. `whole` includes its line end; `unset` are values in it whose
    /// members are removed.
    fn edit_record(&mut self, whole: Place, steps: &[ItemStep<'_>], removed_members: &[Place]) -> io::Result<()> {
        let mut text = Vec::new();
        self.bytes.read_into(whole.start, whole.len as usize, &mut text)?;
        let mut tape = Tape::new();
        let Some(root) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) else { return Ok(()) };
        self.edit_scanned((whole, &text), root, RecordBase::new(self.id, whole.start), steps, removed_members)
    }

    /// The same for a record that is scanned, with its text.
    fn edit_scanned(
        &mut self,
        (whole, text): (Place, &[u8]),
        root: Val<'_>,
        base: RecordBase<'_>,
        steps: &[ItemStep<'_>],
        removed_members: &[Place],
    ) -> io::Result<()> {
        for at in removed_members {
            remove_value(root, *at, base, &mut self.edits);
        }
        if let Some(step) = steps.first().filter(|step| step.unit(step.row).is_nested()) {
            if step.info.histories == HistoryScope::PerRecord
                && let Some(list) = outermost_list(root, base, step.row.at)
            {
                return self.edit_messages(list, base, steps);
            }
            let message = self.edit_message(&MessageLayout::Lines, root, base, steps)?;
            self.line_edits(whole, text, message);
            return Ok(());
        }
        let (lines, inside): (Vec<&ItemStep<'_>>, Vec<&ItemStep<'_>>) =
            steps.iter().partition(|step| step.unit(step.row) == RemovalUnit::Record);
        for step in &lines {
            self.edit_line(step, whole, text)?;
        }
        // A removed line takes its content with it.
        let gone = |step: &&ItemStep<'_>| !step.decision.stays();
        if lines.iter().any(gone) {
            return Ok(());
        }
        self.edit_value(root, base, &lines, &inside)
    }

    /// Edits the items in a scanned value; of `placed` items only the text, because their lists are edited
    /// elsewhere.
    pub(super) fn edit_value(
        &mut self,
        root: Val<'_>,
        base: RecordBase<'_>,
        placed: &[&ItemStep<'_>],
        inside: &[&ItemStep<'_>],
    ) -> io::Result<()> {
        let finder = pointer::PointerFinder::new(root);
        let span = |step: &ItemStep<'_>| {
            let from = base.relative(step.row.at.start)?;
            Some((from, from + step.row.at.len))
        };
        let mut lists: BTreeMap<u32, (Val<'_>, Vec<&ItemStep<'_>>)> = BTreeMap::new();
        let mut gone_to = 0;
        for step in inside.iter().filter(|step| step.row.at.start >= base.offset(root.start())) {
            // Items inside a removed item are removed with it.
            let Some((from, to)) = span(step).filter(|_| step.row.at.start >= gone_to) else { continue };
            if step.changes_list()
                && let Some(list) = finder.list(from, to)
            {
                lists.entry(list.start()).or_insert_with(|| (list, Vec::new())).1.push(step);
            }
            if !step.decision.stays() {
                gone_to = step.row.at.end();
            }
        }
        for (list, steps) in lists.into_values() {
            if let Ok(sequence) = Sequence::of_list(list, base) {
                self.edit_elements(&sequence, &steps)?;
            }
        }
        self.hoist(&finder, base, inside);
        let mut gone_to = 0;
        let mut all: Vec<&&ItemStep<'_>> = placed.iter().chain(inside).collect();
        all.sort_by_key(|step| step.row.at.start);
        for step in all {
            if step.row.at.start < gone_to {
                continue;
            }
            if !step.decision.stays() {
                gone_to = step.row.at.end();
            } else if let Some((from, to)) = span(step)
                && let Some(item) = finder.value(from, to)
            {
                self.edit_item(step, item, base);
            }
        }
        Ok(())
    }

    /// Moves messages to the place where their request has its instructions.
    fn hoist(&mut self, finder: &pointer::PointerFinder<'_>, base: RecordBase<'_>, inside: &[&ItemStep<'_>]) {
        let value = |at: Place| base.relative(at.start).and_then(|from| finder.value(from, from + at.len));
        let mut requests: BTreeMap<u64, (Place, Vec<&&ItemStep<'_>>)> = BTreeMap::new();
        for step in inside {
            if let Some(request) = step.decision.hoisted() {
                requests.entry(request.start).or_insert((request, Vec::new())).1.push(step);
            }
        }
        for (at, steps) in requests.into_values() {
            let messages: Vec<Val<'_>> = steps.iter().filter_map(|step| value(step.row.at)).collect();
            if let (Some(request), Some(step)) = (value(at), steps.first()) {
                // Messages are hoisted only where the dialect can; otherwise the next round finds them again.
                let _ = step.info.dialect.info().hoist(request, &messages, base, &mut self.edits);
            }
        }
    }

    /// Edits the entries of an array.
    pub(super) fn edit_elements(&mut self, sequence: &Sequence, steps: &[&ItemStep<'_>]) -> io::Result<()> {
        if !steps.iter().any(|step| step.changes_list()) {
            return Ok(());
        }
        let mut slots = Vec::with_capacity(sequence.entries.len());
        let mut steps = steps.iter().peekable();
        for (n, entry) in sequence.entries.iter().enumerate() {
            while steps.next_if(|step| step.row.at.start < entry.0).is_some() {}
            let Some(step) = steps.next_if(|step| step.row.at.start == entry.0) else {
                slots.push(SequenceSlot::Keep(n as u32));
                continue;
            };
            let before = self.texts_of(step, &step.decision.before)?;
            let after = self.texts_of(step, &step.decision.after)?;
            // In a list with the newest first, later items come before.
            let (before, after) = match step.newest_first {
                true => (after.into_iter().rev().collect(), before.into_iter().rev().collect()),
                false => (before, after),
            };
            slots.extend(before.into_iter().map(SequenceSlot::New));
            if step.decision.stays() {
                slots.push(SequenceSlot::Keep(n as u32));
            }
            slots.extend(after.into_iter().map(SequenceSlot::New));
        }
        sequence.edit(slots, &mut self.edits);
        Ok(())
    }

    fn texts_of(&self, step: &ItemStep<'_>, list: &[Insertion]) -> io::Result<Vec<Vec<ReplacementPart>>> {
        list.iter().map(|insertion| self.text_of(step, insertion)).collect()
    }

    /// The text of an inserted item.
    pub(super) fn text_of(&self, step: &ItemStep<'_>, insertion: &Insertion) -> io::Result<Vec<ReplacementPart>> {
        Ok(match insertion {
            Insertion::Moved(row, changes) if !changes.is_empty() => {
                vec![ReplacementPart::text(edited_text(self.id, self.bytes, step.info.dialect, row, changes)?)]
            }
            Insertion::Moved(row, _) => vec![ReplacementPart::Copy(row.at)],
            Insertion::Copied(place) => vec![ReplacementPart::Copy(*place)],
            Insertion::Stub(call) => vec![ReplacementPart::text(stub_text(step.info.dialect, self.bytes, call)?)],
            Insertion::TextBlock(message) => vec![ReplacementPart::text(message_text_block(self.bytes, message)?)],
            Insertion::Continuation => {
                vec![ReplacementPart::text(step.info.dialect.info().continuation.unwrap_or_default())]
            }
            Insertion::Bridge => vec![ReplacementPart::text(step.info.dialect.info().bridge.unwrap_or_default())],
            Insertion::UserMessage(list) => {
                let (before, after) = step.info.dialect.info().results_message.unwrap_or_default();
                let mut with = vec![ReplacementPart::text(before)];
                for (n, insertion) in list.iter().enumerate() {
                    with.extend((n > 0).then(|| ReplacementPart::text(",")));
                    with.extend(self.text_of(step, insertion)?);
                }
                with.push(ReplacementPart::text(after));
                with
            }
        })
    }

    /// Edits the text of an item that keeps its place.
    pub(super) fn edit_item(&mut self, step: &ItemStep<'_>, item: Val<'_>, base: RecordBase<'_>) {
        if let Some(place) = step.decision.replaced_by() {
            self.edits.push(Edit { at: step.row.at, with: vec![ReplacementPart::Copy(place)] });
            return;
        }
        if let [change] = step.decision.text.as_slice() {
            let before = self.edits.len();
            // The plan contains no impossible change.
            if step.info.dialect.edit(change, item, base, &mut self.edits).is_err() {
                self.edits.truncate(before);
            }
            return;
        }
        let start = base.of(item).start;
        let moved = |at: Place| Place::new(at.doc, at.start + start, at.len);
        let within = |with: ReplacementPart| match with {
            ReplacementPart::Copy(at) => ReplacementPart::Copy(moved(at)),
            text => text,
        };
        let edits = item_edits(step.info.dialect, self.id, item.raw(), &step.decision.text)
            .unwrap_or_default()
            .into_iter();
        let edits =
            edits.map(|edit| Edit { at: moved(edit.at), with: edit.with.into_iter().map(within).collect() });
        self.edits.extend(edits);
    }

    /// Edits an item that is a line of its own.
    fn edit_line(&mut self, step: &ItemStep<'_>, line: Place, text: &[u8]) -> io::Result<()> {
        let decision = step.decision;
        let lines = |list: &[Insertion]| -> io::Result<Vec<Vec<ReplacementPart>>> {
            list.iter().map(|insertion| self.line_of(step, insertion, line)).collect()
        };
        let (before, after) = (lines(&decision.before)?, lines(&decision.after)?);
        self.line_edits(line, text, MessageEdit { is_removed: !decision.stays(), before, after });
        Ok(())
    }

    /// Edits a line as a whole, and inserts the lines around it.
    fn line_edits(&mut self, line: Place, text: &[u8], message: MessageEdit) {
        if message.is_removed {
            self.edits.push(Edit::remove(line));
        }
        let end = line_end(text);
        let at_start = Place::new(self.id, line.start, 0);
        for mut with in message.before {
            with.push(ReplacementPart::text(end));
            self.edits.push(Edit { at: at_start, with });
        }
        insert_lines_after(line, text, message.is_removed, message.after, &mut self.edits);
    }

    /// An inserted item in the envelope of a line: of its own line if it has one, else of the one beside it.
    fn line_of(
        &self,
        step: &ItemStep<'_>,
        insertion: &Insertion,
        anchor: Place,
    ) -> io::Result<Vec<ReplacementPart>> {
        let (item, line) = match insertion {
            Insertion::Moved(row, _) | Insertion::Stub(row) if step.unit(row) == RemovalUnit::Record => {
                (row.at, lines::line_at(self.bytes, self.id, 0, row.at.start)?)
            }
            _ => (step.row.at, anchor),
        };
        let mut tail = Vec::new();
        self.bytes.read_into(item.end(), (line.end() - item.end()) as usize, &mut tail)?;
        let end = tail.trim_ascii_end().len() as u32;
        let mut with =
            vec![ReplacementPart::Copy(Place::new(self.id, line.start, (item.start - line.start) as u32))];
        with.extend(self.text_of(step, insertion)?);
        with.push(ReplacementPart::Copy(Place::new(self.id, item.end(), end)));
        with.retain(|piece| !piece.is_empty());
        Ok(with)
    }
}

/// Removes the member whose value is at a place.
pub(super) fn remove_value(root: Val<'_>, at: Place, base: RecordBase<'_>, out: &mut Vec<Edit>) {
    let within = |val: &Val<'_>| base.of(*val).start <= at.start && at.end() <= base.of(*val).end();
    let mut holder = root;
    loop {
        let Some(member) = holder.members().find(|member| within(&member.val)) else {
            let Some(element) = holder.elements().find(within) else { return };
            holder = element;
            continue;
        };
        if base.of(member.val) == at {
            let key = String::from_utf8_lossy(&member.key.decode()).into_owned();
            // The holder has members, so it is an object.
            let _ = remove_members(holder, &[&key], base, out);
            return;
        }
        holder = member.val;
    }
}
