//! Rendering for items inside messages: blocks in a list, the message in a line or in a list of messages. An item
//! is removed from its list, a message is removed when it becomes empty, and an inserted item gets a message of
//! its own.

use std::io;

use crate::format::RemovalUnit;
use crate::json::edit::{RecordBase, Sequence, SequenceSlot};
use crate::json::pointer::PointerFinder;
use crate::json::{Tape, Val, scan};
use crate::place::{Edit, Place, ReplacementPart};
use crate::source::lines;

use super::insertion::Insertion;
use super::messages::{MessageEdit, MessageLayout};
use super::render::{ItemStep, Renderer};

impl Renderer<'_> {
    /// Edits a list of messages.
    pub(super) fn edit_messages(
        &mut self,
        list: Val<'_>,
        base: RecordBase<'_>,
        steps: &[ItemStep<'_>],
    ) -> io::Result<()> {
        let messages = MessageLayout::List(list.elements().map(|message| base.of(message)).collect());
        let mut slots = Vec::with_capacity(list.count() as usize);
        for (n, element) in list.elements().enumerate() {
            let message = self.edit_message(&messages, element, base, steps_in(steps, base.of(element)))?;
            slots.extend(message.slots(n));
        }
        if slots.len() as u32 != list.count() || slots.iter().any(|slot| matches!(slot, SequenceSlot::New(_))) {
            // If it is not a list after all, it stays unchanged, and so does the finding.
            if let Ok(sequence) = Sequence::of_list(list, base) {
                sequence.edit(slots, &mut self.edits);
            }
        }
        Ok(())
    }

    /// Edits the messages of a document that is read element by element: `sequence` has their places.
    pub(super) fn edit_streamed_messages(
        &mut self,
        sequence: &Sequence,
        steps: &[ItemStep<'_>],
    ) -> io::Result<()> {
        let place = |entry: &(u64, u64)| Place::new(sequence.doc, entry.0, (entry.1 - entry.0) as u32);
        let places: Vec<Place> = sequence.entries.iter().map(place).collect();
        let messages = MessageLayout::List(places.clone());
        let mut slots = Vec::with_capacity(places.len());
        let (mut text, mut tape) = (Vec::new(), Tape::new());
        for (n, at) in places.into_iter().enumerate() {
            let here = steps_in(steps, at);
            if here.is_empty() {
                slots.push(SequenceSlot::Keep(n as u32));
                continue;
            }
            self.bytes.read_into(at.start, at.len as usize, &mut text)?;
            if let Some(root) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) {
                let message = self.edit_message(&messages, root, RecordBase::new(sequence.doc, at.start), here)?;
                slots.extend(message.slots(n));
            }
        }
        if slots.len() != sequence.entries.len() || slots.iter().any(|slot| matches!(slot, SequenceSlot::New(_))) {
            sequence.edit(slots, &mut self.edits);
        }
        Ok(())
    }

    /// Edits the inside of a message, and returns the edit of the message as a whole.
    pub(super) fn edit_message(
        &mut self,
        messages: &MessageLayout,
        message: Val<'_>,
        base: RecordBase<'_>,
        steps: &[ItemStep<'_>],
    ) -> io::Result<MessageEdit> {
        let mut edits = Vec::new();
        let is_removed = remove_items(message, base, steps, &mut edits);
        if !is_removed {
            self.edits.append(&mut edits);
            let finder = PointerFinder::new(message);
            for step in steps.iter().filter(|step| step.decision.stays()) {
                let span = (base.relative(step.row.at.start), base.relative(step.row.at.end().max(1) - 1));
                if let (Some(from), Some(last)) = span
                    && let Some(item) = finder.value(from, last + 1)
                {
                    self.edit_item(step, item, base);
                }
            }
        }
        let mut made = MessageEdit { is_removed, before: Vec::new(), after: Vec::new() };
        for step in steps {
            for insertion in &step.decision.before {
                made.before.push(vec![self.message_for(messages, step, insertion, message)?]);
            }
            for insertion in &step.decision.after {
                made.after.push(vec![self.message_for(messages, step, insertion, message)?]);
            }
        }
        Ok(made)
    }

    /// The text to insert beside a message: the whole message of an item that was alone in it, else a new message
    /// around the item.
    fn message_for(
        &self,
        messages: &MessageLayout,
        step: &ItemStep<'_>,
        insertion: &Insertion,
        beside: Val<'_>,
    ) -> io::Result<ReplacementPart> {
        if let Insertion::Moved(row, changes) = insertion
            && changes.is_empty()
            && let Some(message) = self.message_around(messages, row.at)?
            && self.is_alone(step, message, row.at)?
        {
            return Ok(ReplacementPart::Copy(message));
        }
        let mut item = Vec::new();
        for with in self.text_of(step, insertion)? {
            match with {
                ReplacementPart::Text(text) => item.extend_from_slice(&text),
                ReplacementPart::Copy(place) => {
                    let mut text = Vec::new();
                    self.bytes.read_into(place.start, place.len as usize, &mut text)?;
                    item.append(&mut text);
                }
            }
        }
        Ok(ReplacementPart::text(
            step.info.dialect.info().wrap_output.and_then(|around| around(&item, beside)).unwrap_or(item),
        ))
    }

    /// The message that contains a place.
    fn message_around(&self, messages: &MessageLayout, at: Place) -> io::Result<Option<Place>> {
        match messages {
            MessageLayout::List(list) => {
                let n = list.partition_point(|message| message.start <= at.start);
                Ok(n.checked_sub(1).and_then(|n| list.get(n)).copied().filter(|message| message.contains(&at)))
            }
            MessageLayout::Lines => {
                let line = lines::line_at(self.bytes, self.id, 0, at.start)?;
                let mut text = Vec::new();
                self.bytes.read_into(line.start, line.len as usize, &mut text)?;
                let front = text.len() - text.trim_ascii_start().len();
                let len = text.trim_ascii().len();
                Ok(Some(Place::new(line.doc, line.start + front as u64, len as u32)))
            }
        }
    }

    /// True if the list of an item contains nothing else, so that its message can be moved with it.
    fn is_alone(&self, step: &ItemStep<'_>, message: Place, item: Place) -> io::Result<bool> {
        let (mut text, mut tape) = (Vec::new(), Tape::new());
        self.bytes.read_into(message.start, message.len as usize, &mut text)?;
        let base = RecordBase::new(message.doc, message.start);
        let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
        let root = root.filter(|root| (step.info.dialect.info().moves_whole)(*root));
        Ok(root.and_then(|root| innermost_list(root, base, item)).is_some_and(|list| list.count() == 1))
    }
}

/// The steps on items inside a place. Steps are sorted by start.
pub(super) fn steps_in<'s, 'p>(steps: &'s [ItemStep<'p>], at: Place) -> &'s [ItemStep<'p>] {
    let from = steps.partition_point(|step| step.row.at.start < at.start);
    let to = steps.partition_point(|step| step.row.at.start < at.end());
    steps.get(from..to).unwrap_or_default()
}

/// Removes items from their lists. True if the value is left without its purpose and must be removed itself.
fn remove_items(val: Val<'_>, base: RecordBase<'_>, steps: &[ItemStep<'_>], edits: &mut Vec<Edit>) -> bool {
    let Some(first) = steps.first() else { return false };
    if first.row.at == base.of(val) {
        return !first.decision.stays();
    }
    let before = edits.len();
    if !val.is_array() {
        let mut goes = false;
        for member in val.members() {
            goes |= remove_items(member.val, base, steps_in(steps, base.of(member.val)), edits);
        }
        if goes {
            edits.truncate(before);
        }
        return goes;
    }
    let mut slots = Vec::with_capacity(val.count() as usize);
    for (n, element) in val.elements().enumerate() {
        if !remove_items(element, base, steps_in(steps, base.of(element)), edits) {
            slots.push(SequenceSlot::Keep(n as u32));
        }
    }
    if slots.is_empty() && first.unit(first.row) != RemovalUnit::Entry {
        edits.truncate(before);
        return true;
    }
    if slots.len() < val.count() as usize
        && let Ok(list) = Sequence::of_list(val, base)
    {
        list.edit(slots, edits);
    }
    false
}

/// The list whose element is the item.
fn innermost_list<'t>(val: Val<'t>, base: RecordBase<'_>, item: Place) -> Option<Val<'t>> {
    let holds = |val: &Val<'_>| base.of(*val).contains(&item);
    if let Some(element) = val.elements().find(holds) {
        return if base.of(element) == item { Some(val) } else { innermost_list(element, base, item) };
    }
    innermost_list(val.members().map(|member| member.val).find(holds)?, base, item)
}
