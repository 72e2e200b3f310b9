//! Rendering where items lie in messages: blocks in a list, the message in a line or in a list of messages. An item
//! goes from its list; a message goes when nothing is left of it; what comes to stand somewhere brings a message of its
//! own, since the one beside it is another's.

use std::io;

use crate::format::Unit;
use crate::json::edit::{Base, Sequence, Slot};
use crate::json::pointer::Finder;
use crate::json::{Tape, Val, scan};
use crate::place::{Edit, Place, With};
use crate::source::lines;

use super::insertion::Fresh;
use super::messages::{Message, Messages};
use super::render::{Render, Step};

impl Render<'_> {
    /// A list of messages.
    pub(super) fn messages(&mut self, list: Val<'_>, base: Base<'_>, steps: &[Step<'_>]) -> io::Result<()> {
        let messages = Messages::List(list.elements().map(|message| base.of(message)).collect());
        let mut slots = Vec::with_capacity(list.count() as usize);
        for (n, element) in list.elements().enumerate() {
            let message = self.message(&messages, element, base, within(steps, base.of(element)))?;
            slots.extend(message.slots(n));
        }
        if slots.len() as u32 != list.count() || slots.iter().any(|slot| matches!(slot, Slot::New(_))) {
            // What holds messages is a list; what is none is left as it is, and the finding with it.
            if let Ok(sequence) = Sequence::of_list(list, base) {
                sequence.edit(slots, &mut self.edits);
            }
        }
        Ok(())
    }

    /// The same, in a document that is read element by element: `sequence` says where its messages lie.
    pub(super) fn far_messages(&mut self, sequence: &Sequence, steps: &[Step<'_>]) -> io::Result<()> {
        let place = |entry: &(u64, u64)| Place::new(sequence.doc, entry.0, (entry.1 - entry.0) as u32);
        let places: Vec<Place> = sequence.entries.iter().map(place).collect();
        let messages = Messages::List(places.clone());
        let mut slots = Vec::with_capacity(places.len());
        let (mut text, mut tape) = (Vec::new(), Tape::new());
        for (n, at) in places.into_iter().enumerate() {
            let here = within(steps, at);
            if here.is_empty() {
                slots.push(Slot::Keep(n as u32));
                continue;
            }
            self.bytes.read_into(at.start, at.len as usize, &mut text)?;
            if let Some(root) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) {
                let message = self.message(&messages, root, Base::new(sequence.doc, at.start), here)?;
                slots.extend(message.slots(n));
            }
        }
        if slots.len() != sequence.entries.len() || slots.iter().any(|slot| matches!(slot, Slot::New(_))) {
            sequence.edit(slots, &mut self.edits);
        }
        Ok(())
    }

    /// One message. What changes within it is edited; what becomes of it as a whole is returned.
    pub(super) fn message(
        &mut self,
        messages: &Messages,
        message: Val<'_>,
        base: Base<'_>,
        steps: &[Step<'_>],
    ) -> io::Result<Message> {
        let mut edits = Vec::new();
        let goes = settle(message, base, steps, &mut edits);
        if !goes {
            self.edits.append(&mut edits);
            let finder = Finder::new(message);
            for step in steps.iter().filter(|step| step.fate.stays()) {
                let span = (base.relative(step.row.at.start), base.relative(step.row.at.end().max(1) - 1));
                if let (Some(from), Some(last)) = span
                    && let Some(item) = finder.value(from, last + 1)
                {
                    self.item(step, item, base);
                }
            }
        }
        let mut made = Message { goes, before: Vec::new(), behind: Vec::new() };
        for step in steps {
            for fresh in &step.fate.before {
                made.before.push(vec![self.message_of(messages, step, fresh, message)?]);
            }
            for fresh in &step.fate.behind {
                made.behind.push(vec![self.message_of(messages, step, fresh, message)?]);
            }
        }
        Ok(made)
    }

    /// What comes to stand by a message: the whole message of an item that was alone in it, else a new one around it.
    fn message_of(
        &self,
        messages: &Messages,
        step: &Step<'_>,
        fresh: &Fresh,
        beside: Val<'_>,
    ) -> io::Result<With> {
        if let Fresh::Moved(row, changes) = fresh
            && changes.is_empty()
            && let Some(message) = self.message_around(messages, row.at)?
            && self.is_alone(step, message, row.at)?
        {
            return Ok(With::Copy(message));
        }
        let mut item = Vec::new();
        for with in self.text_of(step, fresh)? {
            match with {
                With::Text(text) => item.extend_from_slice(&text),
                With::Copy(place) => {
                    let mut text = Vec::new();
                    self.bytes.read_into(place.start, place.len as usize, &mut text)?;
                    item.append(&mut text);
                }
            }
        }
        Ok(With::text(
            step.info.dialect.info().message_around.and_then(|around| around(&item, beside)).unwrap_or(item),
        ))
    }

    /// The message that holds a place.
    fn message_around(&self, messages: &Messages, at: Place) -> io::Result<Option<Place>> {
        match messages {
            Messages::List(list) => {
                let n = list.partition_point(|message| message.start <= at.start);
                Ok(n.checked_sub(1).and_then(|n| list.get(n)).copied().filter(|message| message.contains(&at)))
            }
            Messages::Lines => {
                let line = lines::around(self.bytes, self.id, 0, at.start)?;
                let mut text = Vec::new();
                self.bytes.read_into(line.start, line.len as usize, &mut text)?;
                let front = text.len() - text.trim_ascii_start().len();
                let len = text.trim_ascii().len();
                Ok(Some(Place::new(line.doc, line.start + front as u64, len as u32)))
            }
        }
    }

    /// Whether the list that an item lies in holds nothing else, and its message can be moved with it.
    fn is_alone(&self, step: &Step<'_>, message: Place, item: Place) -> io::Result<bool> {
        let (mut text, mut tape) = (Vec::new(), Tape::new());
        self.bytes.read_into(message.start, message.len as usize, &mut text)?;
        let base = Base::new(message.doc, message.start);
        let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
        let root = root.filter(|root| (step.info.dialect.info().moves_whole)(*root));
        Ok(root.and_then(|root| list_of(root, base, item)).is_some_and(|list| list.count() == 1))
    }
}

/// The steps on items in a place. Steps are sorted by start.
pub(super) fn within<'s, 'p>(steps: &'s [Step<'p>], at: Place) -> &'s [Step<'p>] {
    let from = steps.partition_point(|step| step.row.at.start < at.start);
    let to = steps.partition_point(|step| step.row.at.start < at.end());
    steps.get(from..to).unwrap_or_default()
}

/// Takes items out of the lists that they lie in. Says whether nothing is left that the value was for.
fn settle(val: Val<'_>, base: Base<'_>, steps: &[Step<'_>], edits: &mut Vec<Edit>) -> bool {
    let Some(first) = steps.first() else { return false };
    if first.row.at == base.of(val) {
        return !first.fate.stays();
    }
    let before = edits.len();
    if !val.is_array() {
        let mut goes = false;
        for member in val.members() {
            goes |= settle(member.val, base, within(steps, base.of(member.val)), edits);
        }
        if goes {
            edits.truncate(before);
        }
        return goes;
    }
    let mut slots = Vec::with_capacity(val.count() as usize);
    for (n, element) in val.elements().enumerate() {
        if !settle(element, base, within(steps, base.of(element)), edits) {
            slots.push(Slot::Keep(n as u32));
        }
    }
    if slots.is_empty() && first.unit(first.row) != Unit::Entry {
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

/// The list that holds an item.
fn list_of<'t>(val: Val<'t>, base: Base<'_>, item: Place) -> Option<Val<'t>> {
    let holds = |val: &Val<'_>| base.of(*val).contains(&item);
    if let Some(element) = val.elements().find(holds) {
        return if base.of(element) == item { Some(val) } else { list_of(element, base, item) };
    }
    list_of(val.members().map(|member| member.val).find(holds)?, base, item)
}
