//! Merging the events of a stream into messages, by the table of their format.

use std::io;
use std::ops::Range;

use foldhash::{HashMap, HashSet};

use crate::format::reduction::{MergeMode, MessageStart, PathStep, Reduction, ReductionStep, is_event};
use crate::history::{Finding, Row, codes};
use crate::json::Val;
use crate::json::builder::JsonBuilder;
use crate::json::edit::RecordBase;
use crate::json::provenance::TracedText;
use crate::place::Place;
use crate::source::ReadAt;

use super::source_records::SourceRecords;

/// The messages merged from the events of a doc.
pub struct MergedEvents {
    pub written: TracedText,
    /// The range of each message in the text, and the number of its first record.
    pub messages: Vec<(Range<usize>, u32)>,
    /// Findings about incomplete messages.
    pub findings: Vec<Finding>,
}

/// Merges events.
pub(super) fn reduce(events: &SourceRecords<'_>, table: &'static Reduction) -> io::Result<MergedEvents> {
    let mut messages = MergedMessages { table, all: Vec::new(), by_id: HashMap::default(), current: None };
    events.for_each(&mut |ix, event| messages.add_event(event.val, event.base, (ix, event.number)))?;
    messages.finish(events.bytes)
}

/// The messages under construction.
struct MergedMessages {
    table: &'static Reduction,
    all: Vec<MergedMessage>,
    by_id: HashMap<Box<[u8]>, usize>,
    current: Option<usize>,
}

/// A message under construction.
struct MergedMessage {
    root: JsonBuilder,
    /// Index of the first event, and number of its record.
    first: (usize, u32),
    last: (Place, u32),
    events: u32,
    ended: bool,
    /// Indices of parts that have not ended.
    open: HashSet<u64>,
}

impl MergedMessages {
    fn add_event(&mut self, event: Val<'_>, base: RecordBase<'_>, number: (usize, u32)) {
        let table = self.table;
        let at = base.of(event);
        let Some(ix) = self.message_of(event, at, number) else { return };
        self.current = Some(ix);
        let Some(message) = self.all.get_mut(ix) else { return };
        message.last = (at, number.1);
        message.events += 1;
        for step in table.steps.iter().filter(|step| step.matches(event)) {
            for (holder, val) in step.sources(event) {
                message.add(step, holder, val, base, table);
            }
        }
        message.ended |= is_event(event, table.end_event);
        if is_event(event, table.part_end_event) {
            let content = event.get(table.part_end_event).filter(Val::is_object);
            message.open.remove(&index(content.unwrap_or(event), table));
        }
    }

    /// The message that an event belongs to. An event without content may still end it.
    fn message_of(&mut self, event: Val<'_>, at: Place, number: (usize, u32)) -> Option<usize> {
        let speaks = self.table.adds_content(event);
        match self.table.start {
            MessageStart::Event(first) => {
                if is_event(event, first) || self.current.is_none() && speaks {
                    return Some(self.begin(at, number));
                }
                self.current
            }
            MessageStart::Id { keys, role } => {
                let id = keys
                    .iter()
                    .find_map(|key| event.get(key))
                    .and_then(|id| id.text())
                    .filter(|id| !id.is_empty());
                // An event without an id, or with a new one in the middle of a message, continues that message.
                let known = match &id {
                    Some(id) => self.by_id.get(&**id).copied(),
                    None => self.current,
                };
                let of_choice =
                    self.table.choices.as_ref().and_then(|choices| event.get(choices.list)?.elements().next());
                let reason = of_choice.and_then(|choice| choice.get(self.table.stop_reason));
                let role = of_choice.and_then(|choice| choice.at(role)).is_some_and(|role| !role.is_null());
                // The last events of some servers repeat the role.
                let again = role && reason.is_none_or(|reason| reason.is_null());
                let is_done =
                    |ix: usize| of_choice.is_some_and(|choice| self.is_done(ix, index(choice, self.table)));
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
        let message = MergedMessage {
            root,
            first: number,
            last: (at, 0),
            events: 0,
            ended: false,
            open: HashSet::default(),
        };
        self.all.push(message);
        self.all.len() - 1
    }

    /// True if a stop reason was received for the choice.
    fn is_done(&self, ix: usize, index: u64) -> bool {
        let choices = self.table.choices.as_ref().and_then(|choices| self.all.get(ix)?.root.get(choices.list));
        let reason = choices.and_then(|list| list.element(index)?.get(self.table.stop_reason));
        reason.is_some_and(JsonBuilder::has_content)
    }

    fn finish(self, bytes: &dyn ReadAt) -> io::Result<MergedEvents> {
        let table = self.table;
        let mut reduced =
            MergedEvents { written: TracedText::default(), messages: Vec::new(), findings: Vec::new() };
        let mut all = self.all.into_iter().peekable();
        while let Some(mut message) = all.next() {
            if !message.ended && table.choices.is_some() {
                message.ended = is_followed_by_done(bytes, message.last.0)?;
            }
            let complete = message.complete(table);
            // Some servers begin with an empty event with another id.
            let next = all.peek().is_some_and(|next| next.first.0 == message.first.0 + 1);
            if !complete && message.events == 1 && next && !message.has_content(table) {
                continue;
            }
            if !complete {
                let (at, record) = message.last;
                let finding = Finding::new(codes::UNFINISHED_STREAM, Row::of_place(at, record)).variant(1);
                reduced.findings.push(finding.never("the rest is not in the file"));
            }
            if complete || message.has_content(table) {
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

impl MergedMessage {
    fn add(
        &mut self,
        step: &ReductionStep,
        holder: Val<'_>,
        val: Val<'_>,
        base: RecordBase<'_>,
        table: &Reduction,
    ) {
        let from = base.of(val);
        let mut at = Some(&mut self.root);
        for to in step.to {
            at = match to {
                PathStep::Key(key) => at.and_then(|at| at.member_or_insert(key.as_bytes(), from)),
                PathStep::Index => {
                    if !table.part_end_event.is_empty() {
                        self.open.insert(index(holder, table));
                    }
                    at.and_then(|at| at.element_or_insert(index(holder, table), from))
                }
            };
        }
        let Some(at) = at else { return };
        match step.mode {
            MergeMode::SetIfEmpty if at.has_content() => {}
            MergeMode::Replace | MergeMode::SetIfEmpty if val.is_null() => {}
            MergeMode::Replace | MergeMode::SetIfEmpty => *at = JsonBuilder::of(val, base),
            MergeMode::Merge => at.merge(val, base, &table.merge_rules),
            MergeMode::AppendText => at.append_text(val, base, false),
            MergeMode::AppendJson => at.append_text(val, base, true),
            MergeMode::Push => at.push(val, base),
            MergeMode::AppendParts => val.elements().for_each(|part| at.append_part(part, base)),
        }
    }

    /// Completes the message as far as possible; returns true if all of it was received.
    fn complete(&mut self, table: &Reduction) -> bool {
        let MergedMessage { root, ended, open, first: _, last: (at, _), .. } = self;
        let Some(choices) = &table.choices else {
            let complete = *ended || root.get(table.stop_reason).is_some_and(JsonBuilder::has_content);
            let message =
                table.message.iter().try_fold(root, |val, key| val.member_or_insert(key.as_bytes(), *at));
            let Some(message) = message else { return complete };
            set_defaults(message, table.defaults, *at);
            if !table.part_end_event.is_empty() {
                set_empty_json(message, table, *at);
            }
            if !complete {
                remove_unfinished(message, table, open);
            }
            return complete;
        };
        set_defaults(root, table.defaults, *at);
        let mut complete = true;
        let list = root.get_mut(choices.list);
        for choice in list.into_iter().flat_map(JsonBuilder::elements_mut) {
            let is_done = *ended || choice.get(table.stop_reason).is_some_and(JsonBuilder::has_content);
            let Some(message) = choice.member_or_insert(choices.message.as_bytes(), *at) else { continue };
            set_defaults(message, choices.defaults, *at);
            if !is_done {
                remove_unfinished(message, table, open);
                complete = false;
            }
        }
        if !complete && let Some(list) = root.get_mut(choices.list) {
            let keeps = |choice: &JsonBuilder| {
                choice.get(table.stop_reason).is_some_and(JsonBuilder::has_content)
                    || choice.get(choices.message).is_some_and(|message| has_content(message, table))
            };
            list.retain(|_, _, choice| keeps(choice));
        }
        complete
    }

    /// True if it has content.
    fn has_content(&self, table: &Reduction) -> bool {
        match &table.choices {
            Some(choices) => self.root.get(choices.list).is_some_and(JsonBuilder::has_content),
            None => self.root.at(table.message).is_some_and(|message| has_content(message, table)),
        }
    }
}

fn has_content(message: &JsonBuilder, table: &Reduction) -> bool {
    table.content_members.iter().any(|key| message.get(key).is_some_and(JsonBuilder::has_content))
}

/// Sets default members that are missing.
fn set_defaults(object: &mut JsonBuilder, fixed: &[(&str, &str)], at: Place) {
    for (key, json) in fixed {
        if object.get(key).is_none_or(JsonBuilder::is_null)
            && let Some(slot) = object.member_or_insert(key.as_bytes(), at)
        {
            *slot = JsonBuilder::constant(json, at);
        }
    }
}

/// Sets the JSON of parts to an empty object where no event brought any: a call without arguments.
fn set_empty_json(message: &mut JsonBuilder, table: &Reduction, at: Place) {
    for part in message.get_mut(table.parts).into_iter().flat_map(JsonBuilder::elements_mut) {
        for path in table.json_paths {
            let Some((last, around)) = path.split_last() else { continue };
            let Some(object) = around.iter().try_fold(&mut *part, |val, key| val.get_mut(key)) else { continue };
            if object.get(last).is_none_or(JsonBuilder::is_null) {
                set_defaults(object, &[(last, "{}")], at);
            }
        }
    }
}

/// Removes the parts of a message that were not complete.
fn remove_unfinished(message: &mut JsonBuilder, table: &Reduction, open: &HashSet<u64>) {
    let Some(list) = message.get_mut(table.parts) else { return };
    let last = list.elements().len().saturating_sub(1);
    list.retain(|number, index, part| match table.part_end_event.is_empty() {
        true => {
            number != last
                || table.json_paths.iter().any(|path| part.at(path).is_some_and(JsonBuilder::is_json_text))
        }
        false => {
            let is_text = |kind: &&str| {
                part.get("type").is_some_and(|own| own.is(kind))
                    && part.get(kind).is_some_and(JsonBuilder::has_content)
            };
            index.is_none_or(|index| !open.contains(&index)) || table.text_types.iter().any(is_text)
        }
    });
    if !list.has_content() && table.choices.is_some() {
        message.remove(table.parts);
    }
}

fn index(holder: Val<'_>, table: &Reduction) -> u64 {
    holder.get(table.index).and_then(|index| index.as_u64()).unwrap_or(0)
}

/// True if `[DONE]` follows an event.
fn is_followed_by_done(bytes: &dyn ReadAt, last: Place) -> io::Result<bool> {
    let mut after = [0; 64];
    let from = last.end();
    let n = if from < bytes.len() { bytes.read_at(from, &mut after)? } else { 0 };
    Ok(memchr::memmem::find(after.get(..n).unwrap_or(&after), b"[DONE]").is_some())
}
