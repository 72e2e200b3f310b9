//! The events of a stream, added up to the messages that they are, by the table of their format.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;

use crate::format::reduction::{Begins, How, Reduction, Step, To};
use crate::history::{Finding, Row, codes};
use crate::json::Val;
use crate::json::builder::JsonBuilder;
use crate::json::edit::Base;
use crate::json::provenance::Written;
use crate::place::Place;
use crate::source::ReadAt;

use super::pieces;

/// What the events of a doc add up to.
pub struct Reduced {
    pub written: Written,
    /// Each message in the written text, and the number of the record that it begins with.
    pub messages: Vec<(Range<usize>, u32)>,
    /// Messages that are not complete.
    pub findings: Vec<Finding>,
}

/// Adds up the events at these places.
pub fn reduce(bytes: &dyn ReadAt, events: &[(Place, u32)], table: &'static Reduction) -> io::Result<Reduced> {
    let mut messages = Messages { table, all: Vec::new(), by_id: HashMap::new(), current: None };
    pieces::each(bytes, events, &mut |ix, event| messages.take(event.val, event.base, (ix, event.number)))?;
    messages.finish(bytes)
}

/// The messages so far.
struct Messages {
    table: &'static Reduction,
    all: Vec<Message>,
    by_id: HashMap<Box<[u8]>, usize>,
    current: Option<usize>,
}

/// A message in the making.
struct Message {
    root: JsonBuilder,
    /// Number of the first event among all, and of its record.
    first: (usize, u32),
    last: (Place, u32),
    events: u32,
    ended: bool,
    /// Parts that have not ended.
    open: HashSet<u64>,
}

impl Messages {
    fn take(&mut self, event: Val<'_>, base: Base<'_>, number: (usize, u32)) {
        let table = self.table;
        let at = base.of(event);
        let Some(ix) = self.message_of(event, at, number) else { return };
        self.current = Some(ix);
        let Some(message) = self.all.get_mut(ix) else { return };
        message.last = (at, number.1);
        message.events += 1;
        for step in table.steps.iter().filter(|step| step.fits(event)) {
            for (holder, val) in step.sources(event) {
                message.add(step, holder, val, base, table);
            }
        }
        let is = |name: &str| !name.is_empty() && event.get("type").is_some_and(|kind| kind.is(name));
        message.ended |= is(table.end);
        if is(table.part_end) {
            message.open.remove(&index(event));
        }
    }

    /// The message that an event adds to. One that adds nothing may still end it.
    fn message_of(&mut self, event: Val<'_>, at: Place, number: (usize, u32)) -> Option<usize> {
        let speaks = self.table.speaks(event);
        match self.table.begins {
            Begins::Event(first) => {
                let begins = event.get("type").is_some_and(|kind| kind.is(first));
                if begins || self.current.is_none() && speaks {
                    return Some(self.begin(at, number));
                }
                self.current
            }
            Begins::Id { key, role } => {
                let id = event.get(key).and_then(|id| id.text()).filter(|id| !id.is_empty());
                // An event without an id, or with a new one in the middle of a message, goes on with that.
                let known = match &id {
                    Some(id) => self.by_id.get(&**id).copied(),
                    None => self.current,
                };
                let of_choice =
                    self.table.choices.as_ref().and_then(|choices| event.get(choices.list)?.elements().next());
                let reason = of_choice.and_then(|choice| choice.get(self.table.reason));
                let role = of_choice.and_then(|choice| choice.at(role)).is_some_and(|role| !role.is_null());
                // The last events of some servers repeat the role.
                let again = role && reason.is_none_or(|reason| reason.is_null());
                let is_done = |ix: usize| of_choice.is_some_and(|choice| self.is_done(ix, index(choice)));
                let found = match known {
                    Some(ix) if again && is_done(ix) => None,
                    Some(ix) => Some(ix),
                    None => self.current.filter(|ix| !speaks || !role && !is_done(*ix)),
                };
                let ix = found.or_else(|| speaks.then(|| self.begin(at, number)))?;
                if let Some(id) = id {
                    self.by_id.insert(id.as_ref().into(), ix);
                }
                Some(ix)
            }
        }
    }

    fn begin(&mut self, at: Place, number: (usize, u32)) -> usize {
        let root = JsonBuilder::object(at);
        let message =
            Message { root, first: number, last: (at, 0), events: 0, ended: false, open: HashSet::new() };
        self.all.push(message);
        self.all.len() - 1
    }

    /// Whether the model has said why it stopped.
    fn is_done(&self, ix: usize, index: u64) -> bool {
        let choices = self.table.choices.as_ref().and_then(|choices| self.all.get(ix)?.root.get(choices.list));
        let reason = choices.and_then(|list| list.element(index)?.get(self.table.reason));
        reason.is_some_and(JsonBuilder::has_content)
    }

    fn finish(self, bytes: &dyn ReadAt) -> io::Result<Reduced> {
        let table = self.table;
        let mut reduced = Reduced { written: Written::default(), messages: Vec::new(), findings: Vec::new() };
        let mut all = self.all.into_iter().peekable();
        while let Some(mut message) = all.next() {
            if !message.ended && table.choices.is_some() {
                message.ended = is_followed_by_done(bytes, message.last.0)?;
            }
            let complete = message.complete(table);
            // Some servers begin with an event of another id, which says nothing.
            let next = all.peek().is_some_and(|next| next.first.0 == message.first.0 + 1);
            if !complete && message.events == 1 && next && !message.says(table) {
                continue;
            }
            if !complete {
                let (at, record) = message.last;
                let finding = Finding::new(codes::UNFINISHED_STREAM, Row::of_place(at, record)).variant(1);
                reduced.findings.push(finding.never("the rest is not in the file"));
            }
            if complete || message.says(table) {
                let start = reduced.written.text.len();
                message.root.write(&mut reduced.written);
                reduced.messages.push((start..reduced.written.text.len(), message.first.1));
                reduced.written.text.push(b'\n');
            }
        }
        reduced.findings.sort_by_key(|finding| finding.row.at.start);
        Ok(reduced)
    }
}

impl Message {
    fn add(&mut self, step: &Step, holder: Val<'_>, val: Val<'_>, base: Base<'_>, table: &Reduction) {
        let from = base.of(val);
        let mut at = Some(&mut self.root);
        for to in step.to {
            at = match to {
                To::Key(key) => at.and_then(|at| at.member(key.as_bytes(), from)),
                To::Index => {
                    if !table.part_end.is_empty() {
                        self.open.insert(index(holder));
                    }
                    at.and_then(|at| at.slot(index(holder), from))
                }
            };
        }
        let Some(at) = at else { return };
        match step.how {
            How::First if at.has_content() => {}
            How::Put | How::First if val.is_null() => {}
            How::Put | How::First => *at = JsonBuilder::of(val, base),
            How::Merge => at.merge(val, base, &table.merging),
            How::Grow => at.grow(val, base, false),
            How::GrowJson => at.grow(val, base, true),
            How::Push => at.push(val, base),
        }
    }

    /// Makes the message whole, as far as that goes; gives whether all of it is there.
    fn complete(&mut self, table: &Reduction) -> bool {
        let Message { root, ended, open, first: _, last: (at, _), .. } = self;
        fill(root, table.fixed, *at);
        let Some(choices) = &table.choices else {
            let complete = *ended || root.get(table.reason).is_some_and(JsonBuilder::has_content);
            if !complete {
                leave_out(root, table, open);
            }
            return complete;
        };
        let mut complete = true;
        let list = root.get_mut(choices.list);
        for choice in list.into_iter().flat_map(JsonBuilder::elements_mut) {
            let is_done = *ended || choice.get(table.reason).is_some_and(JsonBuilder::has_content);
            let Some(message) = choice.member(choices.message.as_bytes(), *at) else { continue };
            fill(message, choices.fixed, *at);
            if !is_done {
                leave_out(message, table, open);
                complete = false;
            }
        }
        if !complete && let Some(list) = root.get_mut(choices.list) {
            let keeps = |choice: &JsonBuilder| {
                choice.get(table.reason).is_some_and(JsonBuilder::has_content)
                    || choice.get(choices.message).is_some_and(|message| says(message, table))
            };
            list.retain(|_, _, choice| keeps(choice));
        }
        complete
    }

    /// Whether there is anything in it.
    fn says(&self, table: &Reduction) -> bool {
        match &table.choices {
            Some(choices) => self.root.get(choices.list).is_some_and(JsonBuilder::has_content),
            None => says(&self.root, table),
        }
    }
}

fn says(message: &JsonBuilder, table: &Reduction) -> bool {
    table.said.iter().any(|key| message.get(key).is_some_and(JsonBuilder::has_content))
}

/// Sets the members that every message has.
fn fill(object: &mut JsonBuilder, fixed: &[(&str, &str)], at: Place) {
    for (key, json) in fixed {
        if object.get(key).is_none()
            && let Some(slot) = object.member(key.as_bytes(), at)
        {
            *slot = JsonBuilder::fixed(json, at);
        }
    }
}

/// Leaves out the parts of a message that were still being made.
fn leave_out(message: &mut JsonBuilder, table: &Reduction, open: &HashSet<u64>) {
    let Some(list) = message.get_mut(table.parts) else { return };
    let last = list.elements().len().saturating_sub(1);
    list.retain(|number, index, part| match table.part_end.is_empty() {
        true => {
            number != last || table.json.iter().any(|path| part.at(path).is_some_and(JsonBuilder::spells_json))
        }
        false => {
            let is_text = |kind: &&str| {
                part.get("type").is_some_and(|own| own.is(kind))
                    && part.get(kind).is_some_and(JsonBuilder::has_content)
            };
            index.is_none_or(|index| !open.contains(&index)) || table.texts.iter().any(is_text)
        }
    });
    if !list.has_content() && table.choices.is_some() {
        message.remove(table.parts);
    }
}

fn index(holder: Val<'_>) -> u64 {
    holder.get("index").and_then(|index| index.as_u64()).unwrap_or(0)
}

/// Whether the word that ends some streams follows an event.
fn is_followed_by_done(bytes: &dyn ReadAt, last: Place) -> io::Result<bool> {
    let mut after = [0; 64];
    let from = last.end();
    let n = if from < bytes.len() { bytes.read_at(from, &mut after)? } else { 0 };
    Ok(memchr::memmem::find(after.get(..n).unwrap_or(&after), b"[DONE]").is_some())
}
