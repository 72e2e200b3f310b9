//! Slims logs: each request body repeats the one before, so the log grows with the square of its length. A
//! repetition is replaced by a reference only if the same text can be restored from it; everything else stays byte
//! for byte. Every repetition is read again and compared before it is replaced.

mod lists;
mod reference;
pub mod restore;

use std::io;

use crate::format::Format;
use crate::format::requests::{Context, Divergence, RecordClass};
use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::place::{DocId, Edit, Patch, Place};
use crate::read::Options;
use crate::read::records::{self, RecordEntry, RecordLayout};
use crate::source::ReadAt;

use super::log_follower::LogFollower;
use lists::{ListWindow, RecordList};
use reference::Reference;

/// Counts of what slimming replaces and saves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Savings {
    /// Number of shortened records.
    pub records: u64,
    /// Number of lists with a reference.
    pub lists: u64,
    /// Number of elements that they share with an earlier one.
    pub items: u64,
    /// Bytes of these elements.
    pub repeated: u64,
    /// Bytes of the references.
    pub references: u64,
}

/// A body that is not replaced, because its history differs from it.
#[derive(Clone, Debug)]
pub struct DivergentBody {
    /// Number of the record, from 1.
    pub record: u32,
    pub pointer: String,
    /// Offset of the request.
    pub request: u64,
    pub difference: Divergence,
}

/// The plan of slimming a doc.
#[derive(Default)]
pub struct SlimPlan {
    pub patch: Patch,
    pub saved: Savings,
    pub divergent: Vec<DivergentBody>,
    pub records: u64,
    pub format: Option<&'static dyn Format>,
    /// Why the doc cannot be slimmed; `None` if it can.
    pub refusal: Option<SlimRefusal>,
}

/// Why a doc cannot be slimmed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlimRefusal {
    /// It is not a log: no lines, and no array of events.
    NoLog,
    /// The event in this record has no offset, or one that is not greater than the previous.
    Order(u32),
}

/// Plans the slimming of a doc.
pub fn slim(id: DocId, bytes: &dyn ReadAt, options: &Options) -> io::Result<SlimPlan> {
    let mut slimmer = Slimmer {
        bytes,
        window: ListWindow::default(),
        follower: LogFollower::default(),
        verified: None,
        plan: SlimPlan::default(),
    };
    let mut edits = Vec::new();
    let held = records::for_each(id, bytes, options.format, options.max_record, &mut |entry| {
        slimmer.slim_record(entry, &mut edits)?;
        Ok(slimmer.plan.refusal.is_none())
    })?;
    let mut plan = slimmer.plan;
    if held == RecordLayout::SingleDocument {
        plan.refusal = Some(SlimRefusal::NoLog);
    }
    if plan.refusal.is_some() {
        (plan.saved, plan.divergent) = (Savings::default(), Vec::new());
        return Ok(plan);
    }
    plan.patch.add(edits);
    Ok(plan)
}

/// A body that was found equal to the history.
#[derive(Clone, Copy)]
struct VerifiedBody {
    /// The place of its first elements, and their number.
    place: Place,
    items: u32,
    /// The state of the history.
    context: Context,
    /// True if it is written exactly as the history would be.
    exact: bool,
}

struct Slimmer<'r> {
    bytes: &'r dyn ReadAt,
    window: ListWindow,
    follower: LogFollower,
    verified: Option<VerifiedBody>,
    plan: SlimPlan,
}

impl Slimmer<'_> {
    fn slim_record(&mut self, entry: &RecordEntry<'_>, edits: &mut Vec<Edit>) -> io::Result<()> {
        self.plan.records += 1;
        let (Some(format), Some(val)) = (entry.format, entry.val) else { return Ok(()) };
        self.plan.format = self.plan.format.or(Some(format));
        if entry.odd {
            return Ok(());
        }
        if self.follower.push(entry) == RecordClass::Disorder {
            self.plan.refusal = Some(SlimRefusal::Order(entry.number));
            return Ok(());
        }
        let (mut failed, before) = (None, self.plan.saved.lists);
        lists::visit_lists(format, val, &mut |list| {
            let done = match self.is_body(entry, list) {
                true => self.slim_body(entry, list),
                false => self.slim_list(entry, list),
            };
            match done {
                Ok(made) => edits.extend(made),
                Err(error) => failed = Some(error),
            }
        });
        self.plan.saved.records += u64::from(self.plan.saved.lists > before);
        failed.map_or(Ok(()), Err)
    }

    /// True if the list is what the current event repeats of the history.
    fn is_body(&self, entry: &RecordEntry<'_>, list: &RecordList<'_>) -> bool {
        let body = self.follower.follow().and_then(|follow| follow.repeat());
        list.string.is_none() && body.is_some_and(|body| body.at == entry.base.of(list.val))
    }

    /// Replaces a list that repeats the history of its stream.
    fn slim_body(&mut self, entry: &RecordEntry<'_>, list: &RecordList<'_>) -> io::Result<Option<Edit>> {
        let Some(follow) = self.follower.follow() else { return Ok(None) };
        let Some(body) = follow.repeat() else { return Ok(None) };
        // A request that is not in the stream could not be found again.
        let Some(request) = body.request else { return self.slim_list(entry, list) };
        let context = body.context;
        let items = list.val.count();
        let before = self.verified.filter(|it| it.items <= items && context.continues(it.context));
        let before = match before {
            Some(before) if self.has_text(before.place, lists::elements_text(list.val, before.items))? => {
                Some(before)
            }
            _ => None,
        };
        let known = before.map_or(0, |before| before.items);
        if let Some(difference) = follow.divergence(context, self.bytes, list.val, known) {
            let (record, pointer) = (entry.number, format!("{}/{}", list.pointer, difference.index));
            self.plan.divergent.push(DivergentBody { record, pointer, request, difference });
            return Ok(None);
        }
        let Some((from, to)) = lists::elements_span(list.val, items) else { return Ok(None) };
        let more = follow.messages(context, self.bytes, known);
        let exact = before.is_none_or(|before| before.exact) && is_verbatim(list.val, known, &more);
        self.verified = Some(VerifiedBody { place: entry.base.place(from, to), items, context, exact });
        Ok(self.replace(entry.base, (from, to), items, &Reference::History { request, items, exact }, None))
    }

    fn has_text(&self, place: Place, run: &[u8]) -> io::Result<bool> {
        let mut text = Vec::new();
        self.bytes.read_into(place.start, place.len as usize, &mut text)?;
        Ok(text == run)
    }

    /// Replaces the beginning of a list that an earlier one shares.
    fn slim_list(&mut self, entry: &RecordEntry<'_>, list: &RecordList<'_>) -> io::Result<Option<Edit>> {
        let prints = self.window.fingerprints(list.val);
        let found = self.window.find(list, &prints, self.bytes)?;
        self.window.push(entry.number, list, lists::source_place(list, entry.base), prints);
        let Some(found) = found else { return Ok(None) };
        // The last element stays, so that the list is still recognised.
        let items = found.items.min(list.val.count().saturating_sub(1));
        let Some(span) = lists::elements_span(list.val, items) else { return Ok(None) };
        let reference = Reference::Prefix { record: found.record, at: found.pointer, items, exact: found.exact };
        Ok(self.replace(entry.base, span, items, &reference, list.string.map(|string| (string, list.val))))
    }

    /// The edit that replaces elements with a reference, if that is shorter. A string that contains them is
    /// replaced by its value.
    fn replace(
        &mut self,
        base: RecordBase<'_>,
        (from, to): (u32, u32),
        items: u32,
        reference: &Reference,
        inside: Option<(Val<'_>, Val<'_>)>,
    ) -> Option<Edit> {
        let text = reference.write();
        let (place, text) = match inside {
            None => (base.place(from, to), text),
            Some((string, list)) => {
                let (begin, end) = reference::text_wrapper();
                let whole = list.record();
                let parts = [&*begin, whole.get(..from as usize)?, &*text, whole.get(to as usize..)?, end];
                (base.of(string), parts.concat())
            }
        };
        let (old, new) = (u64::from(place.len), text.len() as u64);
        if new >= old {
            return None;
        }
        let saved = &mut self.plan.saved;
        saved.lists += 1;
        saved.items += u64::from(items);
        saved.repeated += old;
        saved.references += new;
        Some(Edit::replace(place, text))
    }
}

/// True if the elements of a list from `from` on are these to the last byte, with nothing but commas between them.
fn is_verbatim(list: Val<'_>, from: u32, messages: &[Vec<u8>]) -> bool {
    let mut end = None;
    let mut messages = messages.iter();
    list.elements().enumerate().all(|(n, element)| {
        let joined = end.replace(element.end()).is_none_or(|end| end + 1 == element.start());
        joined && (n < from as usize || messages.next().is_some_and(|message| **message == *element.raw()))
    })
}
