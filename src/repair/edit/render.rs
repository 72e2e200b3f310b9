//! From fates to edits. An item that lies in an array goes with a comma, an item that is a line goes with its line; what
//! is added takes the form of its neighbours: white space in an array, the envelope of a line in a log.

use std::collections::BTreeMap;
use std::io;

use crate::dialect::{Dialect, TextChange as Text};
use crate::format::{FormatInfo, Histories, Part, Unit};
use crate::history::{Flags, Row};
use crate::json::edit::{Base, Sequence, Slot, remove_members};
use crate::json::{Tape, Val, pointer, scan};
use crate::place::{DocId, Edit, Patch, Place, With};
use crate::source::split::{Piece, SplitError, split};
use crate::source::{Container, Held, ReadAt, framing, lines};

use super::insertion::Fresh;
use super::item_text::{edits_of, line_end, lines_after, patched, said, stub};
use super::messages::{Message, Messages, list_around};
use crate::repair::plan::history_plan::{Fate, HistoryPlan};

/// One item of the doc, and what becomes of it.
#[derive(Clone, Copy)]
pub(super) struct Step<'p> {
    pub info: &'static FormatInfo,
    newest_first: bool,
    pub row: &'p Row,
    pub fate: &'p Fate,
}

impl Step<'_> {
    pub fn unit(&self, row: &Row) -> Unit {
        self.info.parts.get(usize::from(row.part)).map_or(Unit::Element, |part| part.unit)
    }

    /// The list that the item is in changes.
    fn changes_list(&self) -> bool {
        !self.fate.stays() || !self.fate.before.is_empty() || !self.fate.behind.is_empty()
    }
}

/// Renders plans into edits on the bytes that they were made for. `marks` are starts of lines whose numbers are known.
pub(in crate::repair) fn render(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    marks: &[(u64, u64)],
    plans: &[HistoryPlan],
) -> io::Result<Patch> {
    let bytes = &Held::new(bytes, container, marks);
    let mut steps: Vec<Step<'_>> = plans
        .iter()
        .flat_map(|plan| {
            let step = |(row, fate)| Step { info: plan.info, newest_first: plan.newest_first, row, fate };
            plan.fates.iter().map(|(row, fate)| (row, fate)).map(step)
        })
        .filter(|step| !step.row.has(Flags::EMBEDDED) && !step.row.has(Flags::SYNTHETIC))
        .collect();
    steps.sort_by_key(|step| step.row.at.start);
    let mut unset: Vec<Place> = plans.iter().flat_map(|plan| plan.unset.iter().copied()).collect();
    unset.sort_by_key(Place::order);
    if steps.is_empty() && unset.is_empty() {
        return Ok(Patch::default());
    }
    let mut render = Render { id, bytes, edits: Vec::new() };
    match container {
        Container::Document { start } if bytes.len() - start <= framing::WHOLE_DOCUMENT => {
            let whole = Place::new(id, start, (bytes.len() - start) as u32);
            render.record(whole, &steps, &unset)?;
        }
        Container::Document { start } => render.large(start, &steps, &unset)?,
        Container::Lines { start } => {
            let (mut rest, mut unset) = (steps.as_slice(), unset.as_slice());
            loop {
                let first = rest.first().map(|step| step.row.at.start);
                let Some(at) = first.into_iter().chain(unset.first().map(|at| at.start)).min() else { break };
                let line = bytes.line_around(id, start, at)?;
                let (here, behind) = rest.split_at(rest.partition_point(|step| step.row.at.start < line.end()));
                let (members, others) = unset.split_at(unset.partition_point(|at| at.start < line.end()));
                render.record(line, here, members)?;
                (rest, unset) = (behind, others);
            }
        }
        _ => {}
    }
    let mut patch = Patch::default();
    patch.add(render.edits);
    Ok(patch)
}

/// The text of an item after changes to it.
pub(in crate::repair) fn changed(
    id: DocId,
    bytes: &dyn ReadAt,
    dialect: &'static dyn Dialect,
    row: &Row,
    changes: &[Text],
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    bytes.read_into(row.at.start, row.at.len as usize, &mut text)?;
    let mut patch = Patch::default();
    patch.add(edits_of(dialect, id, &text, changes).unwrap_or_default());
    Ok(patched(&text, &patch, id))
}

/// The edits on the items within one line of a session, which keeps its place.
pub(in crate::repair) fn blocks_of_line(
    id: DocId,
    bytes: &dyn ReadAt,
    line: Place,
    info: &'static FormatInfo,
    fates: &[(Row, Fate)],
) -> io::Result<Vec<Edit>> {
    let steps: Vec<Step<'_>> =
        fates.iter().map(|(row, fate)| Step { info, newest_first: false, row, fate }).collect();
    let mut text = Vec::new();
    bytes.read_into(line.start, line.len as usize, &mut text)?;
    let mut tape = Tape::new();
    let Some(root) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) else { return Ok(Vec::new()) };
    let mut render = Render { id, bytes, edits: Vec::new() };
    render.within(root, Base::new(id, line.start), &[], &steps.iter().collect::<Vec<_>>())?;
    Ok(render.edits)
}

pub(super) struct Render<'r> {
    pub id: DocId,
    pub bytes: &'r dyn ReadAt,
    pub edits: Vec<Edit>,
}

impl Render<'_> {
    /// A record that is scanned at once. `whole` holds its line end; `unset` are values in it whose members go.
    fn record(&mut self, whole: Place, steps: &[Step<'_>], unset: &[Place]) -> io::Result<()> {
        let mut text = Vec::new();
        self.bytes.read_into(whole.start, whole.len as usize, &mut text)?;
        let mut tape = Tape::new();
        let base = Base::new(self.id, whole.start);
        let Some(root) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) else { return Ok(()) };
        for at in unset {
            remove_value(root, *at, base, &mut self.edits);
        }
        if let Some(step) = steps.first().filter(|step| step.unit(step.row).is_nested()) {
            if step.info.histories == Histories::PerRecord
                && let Some(list) = list_around(root, base, step.row.at)
            {
                return self.messages(list, base, steps);
            }
            let message = self.message(&Messages::Lines, root, base, steps)?;
            self.line_edits(whole, &text, message);
            return Ok(());
        }
        let (lines, inside): (Vec<&Step<'_>>, Vec<&Step<'_>>) =
            steps.iter().partition(|step| step.unit(step.row) == Unit::Record);
        for step in &lines {
            self.line_step(step, whole, &text)?;
        }
        // A line that goes takes with it what lies in it.
        let gone = |step: &&Step<'_>| !step.fate.stays();
        if lines.iter().any(gone) {
            return Ok(());
        }
        self.within(root, base, &lines, &inside)
    }

    /// What becomes of items that lie in a scanned value, and of those whose lists are another's matter.
    fn within(
        &mut self,
        root: Val<'_>,
        base: Base<'_>,
        placed: &[&Step<'_>],
        inside: &[&Step<'_>],
    ) -> io::Result<()> {
        let finder = pointer::Finder::new(root);
        let span = |step: &Step<'_>| {
            let from = base.relative(step.row.at.start)?;
            Some((from, from + step.row.at.len))
        };
        let mut lists: BTreeMap<u32, (Val<'_>, Vec<&Step<'_>>)> = BTreeMap::new();
        let mut gone_to = 0;
        for step in inside.iter().filter(|step| step.row.at.start >= base.offset(root.start())) {
            // What lies in an item that goes, goes with it.
            let Some((from, to)) = span(step).filter(|_| step.row.at.start >= gone_to) else { continue };
            if step.changes_list()
                && let Some(list) = finder.list(from, to)
            {
                lists.entry(list.start()).or_insert_with(|| (list, Vec::new())).1.push(step);
            }
            if !step.fate.stays() {
                gone_to = step.row.at.end();
            }
        }
        for (list, steps) in lists.into_values() {
            if let Ok(sequence) = Sequence::of_list(list, base) {
                self.elements(&sequence, &steps)?;
            }
        }
        self.hoisted(&finder, base, inside);
        let mut gone_to = 0;
        let mut all: Vec<&&Step<'_>> = placed.iter().chain(inside).collect();
        all.sort_by_key(|step| step.row.at.start);
        for step in all {
            if step.row.at.start < gone_to {
                continue;
            }
            if !step.fate.stays() {
                gone_to = step.row.at.end();
            } else if let Some((from, to)) = span(step)
                && let Some(item) = finder.value(from, to)
            {
                self.item(step, item, base);
            }
        }
        Ok(())
    }

    /// What goes where its request keeps its instructions.
    fn hoisted(&mut self, finder: &pointer::Finder<'_>, base: Base<'_>, inside: &[&Step<'_>]) {
        let value = |at: Place| base.relative(at.start).and_then(|from| finder.value(from, from + at.len));
        let mut requests: BTreeMap<u64, (Place, Vec<&&Step<'_>>)> = BTreeMap::new();
        for step in inside {
            if let Some(request) = step.fate.hoisted {
                requests.entry(request.start).or_insert((request, Vec::new())).1.push(step);
            }
        }
        for (at, steps) in requests.into_values() {
            let messages: Vec<Val<'_>> = steps.iter().filter_map(|step| value(step.row.at)).collect();
            if let (Some(request), Some(step)) = (value(at), steps.first()) {
                // Messages are hoisted only where the dialect can; else they stay in the next round's findings.
                let _ = step.info.dialect.info().hoist(request, &messages, base, &mut self.edits);
            }
        }
    }

    /// A document that is scanned element by element.
    fn large(&mut self, start: u64, steps: &[Step<'_>], unset: &[Place]) -> io::Result<()> {
        let mut sequences: Vec<(String, Sequence)> = Vec::new();
        let (id, mut failed) = (self.id, None);
        let mut at = 0;
        let done = split(self.bytes, id, start, u64::MAX / 2, |piece, tape| {
            let (section, index, bytes, base) = match piece {
                Piece::Element { section, index, bytes, base } => (section, index, bytes, base),
                Piece::Head { bytes, base } => {
                    let head = tape.root(bytes);
                    let remove = |at: &Place| head.map(|head| remove_value(head, *at, base, &mut self.edits));
                    unset.iter().map(remove).for_each(drop);
                    return true;
                }
            };
            let place = base.place(0, bytes.len() as u32);
            if index == 0 {
                let sequence = Sequence { doc: id, inner: (0, 0), entries: Vec::new(), space: Box::default() };
                sequences.push((section.to_owned(), sequence));
            }
            if let Some((_, sequence)) = sequences.last_mut() {
                sequence.entries.push((place.start, place.end()));
            }
            while steps.get(at).is_some_and(|step| step.row.at.start < place.start) {
                at += 1;
            }
            let here = steps.iter().skip(at).take_while(|step| step.row.at.start < place.end());
            let here: Vec<&Step<'_>> = here.filter(|step| !step.unit(step.row).is_nested()).collect();
            let (own, inside): (Vec<&Step<'_>>, Vec<&Step<'_>>) =
                here.into_iter().partition(|step| step.row.at.start == place.start);
            if own.iter().all(|step| step.fate.stays())
                && let Some(root) = tape.root(bytes)
                && let Err(error) = self.within(root, base, &own, &inside)
            {
                failed = Some(error);
            }
            true
        });
        if let Err(SplitError::Io(error)) = done {
            return Err(error);
        }
        for (section, mut sequence) in sequences {
            if let Err(error) = self.frame(&mut sequence) {
                failed = Some(error);
                continue;
            }
            let of_section = |step: &&Step<'_>| match step.info.parts.get(usize::from(step.row.part)) {
                Some(Part { path: [], .. }) => section.is_empty(),
                Some(Part { path: [key], .. }) => *key == section,
                _ => false,
            };
            let here: Vec<&Step<'_>> = steps.iter().filter(of_section).collect();
            match here.first().is_some_and(|step| step.unit(step.row).is_nested()) {
                true => self.far_messages(&sequence, &here.into_iter().copied().collect::<Vec<_>>())?,
                false => self.elements(&sequence, &here)?,
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Reads the brackets and the white space around the entries of an array.
    fn frame(&self, sequence: &mut Sequence) -> io::Result<()> {
        let (Some(first), Some(last)) = (sequence.entries.first(), sequence.entries.last()) else { return Ok(()) };
        let mut start = first.0;
        let mut byte = [0];
        while start > 0 {
            self.bytes.read_at(start - 1, &mut byte)?;
            if byte[0] == b'[' {
                break;
            }
            start -= 1;
        }
        let mut end = last.1;
        while end < self.bytes.len() {
            self.bytes.read_at(end, &mut byte)?;
            if byte[0] == b']' {
                break;
            }
            end += 1;
        }
        sequence.inner = (start, end);
        if let [first, second, ..] = sequence.entries.as_slice() {
            let mut between = Vec::new();
            self.bytes.read_into(first.1, (second.0 - first.1) as usize, &mut between)?;
            between.retain(|b| *b != b',');
            sequence.space = between.into_boxed_slice();
        }
        Ok(())
    }

    /// What becomes of the entries of an array.
    fn elements(&mut self, sequence: &Sequence, steps: &[&Step<'_>]) -> io::Result<()> {
        if !steps.iter().any(|step| step.changes_list()) {
            return Ok(());
        }
        let mut slots = Vec::with_capacity(sequence.entries.len());
        let mut steps = steps.iter().peekable();
        for (n, entry) in sequence.entries.iter().enumerate() {
            while steps.next_if(|step| step.row.at.start < entry.0).is_some() {}
            let Some(step) = steps.next_if(|step| step.row.at.start == entry.0) else {
                slots.push(Slot::Keep(n as u32));
                continue;
            };
            let before = self.fresh(step, &step.fate.before)?;
            let behind = self.fresh(step, &step.fate.behind)?;
            // In a list that holds the newest first, what comes later is earlier.
            let (before, behind) = match step.newest_first {
                true => (behind.into_iter().rev().collect(), before.into_iter().rev().collect()),
                false => (before, behind),
            };
            slots.extend(before.into_iter().map(Slot::New));
            if step.fate.stays() {
                slots.push(Slot::Keep(n as u32));
            }
            slots.extend(behind.into_iter().map(Slot::New));
        }
        sequence.edit(slots, &mut self.edits);
        Ok(())
    }

    fn fresh(&self, step: &Step<'_>, list: &[Fresh]) -> io::Result<Vec<Vec<With>>> {
        list.iter().map(|fresh| self.text_of(step, fresh)).collect()
    }

    /// The text of an item that comes to stand somewhere.
    pub(super) fn text_of(&self, step: &Step<'_>, fresh: &Fresh) -> io::Result<Vec<With>> {
        Ok(match fresh {
            Fresh::Moved(row, changes) if !changes.is_empty() => {
                vec![With::text(changed(self.id, self.bytes, step.info.dialect, row, changes)?)]
            }
            Fresh::Moved(row, _) => vec![With::Copy(row.at)],
            Fresh::Copied(place) => vec![With::Copy(*place)],
            Fresh::Stub(call) => vec![With::text(stub(step.info.dialect, self.bytes, call)?)],
            Fresh::Said(message) => vec![With::text(said(self.bytes, message)?)],
            Fresh::GoOn => vec![With::text(step.info.dialect.info().continuation.unwrap_or_default())],
            Fresh::Bridge => vec![With::text(step.info.dialect.info().bridge.unwrap_or_default())],
            Fresh::Message(list) => {
                let (before, behind) = step.info.dialect.info().results_message.unwrap_or_default();
                let mut with = vec![With::text(before)];
                for (n, fresh) in list.iter().enumerate() {
                    with.extend((n > 0).then(|| With::text(",")));
                    with.extend(self.text_of(step, fresh)?);
                }
                with.push(With::text(behind));
                with
            }
        })
    }

    /// Changes within the text of an item that stays where it is.
    pub(super) fn item(&mut self, step: &Step<'_>, item: Val<'_>, base: Base<'_>) {
        if let Some(place) = step.fate.replaced_by {
            self.edits.push(Edit { at: step.row.at, with: vec![With::Copy(place)] });
            return;
        }
        if let [change] = step.fate.text.as_slice() {
            let before = self.edits.len();
            // The plan asks for nothing that cannot be made.
            if step.info.dialect.edit(change, item, base, &mut self.edits).is_err() {
                self.edits.truncate(before);
            }
            return;
        }
        let start = base.of(item).start;
        let moved = |at: Place| Place::new(at.doc, at.start + start, at.len);
        let within = |with: With| match with {
            With::Copy(at) => With::Copy(moved(at)),
            text => text,
        };
        let edits =
            edits_of(step.info.dialect, self.id, item.raw(), &step.fate.text).unwrap_or_default().into_iter();
        let edits =
            edits.map(|edit| Edit { at: moved(edit.at), with: edit.with.into_iter().map(within).collect() });
        self.edits.extend(edits);
    }

    /// An item that is a line of its own.
    fn line_step(&mut self, step: &Step<'_>, line: Place, text: &[u8]) -> io::Result<()> {
        let fate = step.fate;
        let lines = |list: &[Fresh]| -> io::Result<Vec<Vec<With>>> {
            list.iter().map(|fresh| self.line_of(step, fresh, line)).collect()
        };
        let (before, behind) = (lines(&fate.before)?, lines(&fate.behind)?);
        self.line_edits(line, text, Message { goes: !fate.stays(), before, behind });
        Ok(())
    }

    /// What becomes of a line, and the lines that come to stand around it.
    fn line_edits(&mut self, line: Place, text: &[u8], message: Message) {
        if message.goes {
            self.edits.push(Edit::remove(line));
        }
        let end = line_end(text);
        let at_start = Place::new(self.id, line.start, 0);
        for mut with in message.before {
            with.push(With::text(end));
            self.edits.push(Edit { at: at_start, with });
        }
        lines_after(line, text, message.goes, message.behind, &mut self.edits);
    }

    /// An item in the envelope of a line: of its own if it was one, else of the one that it comes to stand by.
    fn line_of(&self, step: &Step<'_>, fresh: &Fresh, anchor: Place) -> io::Result<Vec<With>> {
        let (item, line) = match fresh {
            Fresh::Moved(row, _) | Fresh::Stub(row) if step.unit(row) == Unit::Record => {
                (row.at, lines::around(self.bytes, self.id, 0, row.at.start)?)
            }
            _ => (step.row.at, anchor),
        };
        let mut tail = Vec::new();
        self.bytes.read_into(item.end(), (line.end() - item.end()) as usize, &mut tail)?;
        let end = tail.trim_ascii_end().len() as u32;
        let mut with = vec![With::Copy(Place::new(self.id, line.start, (item.start - line.start) as u32))];
        with.extend(self.text_of(step, fresh)?);
        with.push(With::Copy(Place::new(self.id, item.end(), end)));
        with.retain(|piece| !piece.is_empty());
        Ok(with)
    }
}

/// Removes the member whose value is at a place, from whatever object holds it.
fn remove_value(root: Val<'_>, at: Place, base: Base<'_>, out: &mut Vec<Edit>) {
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
