//! Taking out of a log what it says again and again: each request's body repeats the one before, so that the log grows
//! with the square of its length. What is repeated is replaced by a reference, where and only where the same comes back
//! from it; all else stays byte for byte. Every repetition is read again, and compared, before it goes.

mod lists;
mod reference;
pub mod restore;

use std::io;

use crate::format::Format;
use crate::format::requests::{Context, Divergence, Taken};
use crate::json::Val;
use crate::json::edit::Base;
use crate::place::{DocId, Edit, Patch, Place};
use crate::read::Options;
use crate::read::records::{self, Entry, Held};
use crate::source::ReadAt;

use super::feed::Feed;
use lists::{List, Window};
use reference::Reference;

/// Elements that are replaced, and what it saves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Saved {
    /// Records that are shorter.
    pub records: u64,
    /// Lists that are referenced.
    pub lists: u64,
    /// Elements that they share with an earlier one.
    pub items: u64,
    /// Bytes of those.
    pub repeated: u64,
    /// Bytes of the references.
    pub references: u64,
}

/// A body that stays, because its history gives another.
#[derive(Clone, Debug)]
pub struct KeptBody {
    /// Number of the record, from 1.
    pub record: u32,
    pub pointer: String,
    /// Offset of the request.
    pub request: u64,
    pub difference: Divergence,
}

/// What slimming a doc would do.
#[derive(Default)]
pub struct Slim {
    pub patch: Patch,
    pub saved: Saved,
    pub kept: Vec<KeptBody>,
    pub records: u64,
    pub format: Option<&'static dyn Format>,
    /// Why nothing can be done at all.
    pub refused: Option<Unfit>,
}

/// Why a doc is left as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// It is not a log: no lines, and no array of events.
    NoLog,
    /// The event in this record has no offset, or one that is not above the one before.
    Order(u32),
}

/// Finds what a doc repeats.
pub fn slim(id: DocId, bytes: &dyn ReadAt, options: &Options) -> io::Result<Slim> {
    let mut run =
        Run { bytes, window: Window::default(), feed: Feed::default(), verified: None, made: Slim::default() };
    let mut edits = Vec::new();
    let held = records::each(id, bytes, options.format, options.max_record, &mut |entry| {
        run.record(entry, &mut edits)?;
        Ok(run.made.refused.is_none())
    })?;
    let mut made = run.made;
    if held == Held::One {
        made.refused = Some(Unfit::NoLog);
    }
    if made.refused.is_some() {
        (made.saved, made.kept) = (Saved::default(), Vec::new());
        return Ok(made);
    }
    made.patch.add(edits);
    Ok(made)
}

/// A body that was found to say what the history does.
#[derive(Clone, Copy)]
struct Verified {
    /// Its first elements, and how many.
    place: Place,
    items: u32,
    /// Of which state of the history.
    context: Context,
    /// It is written as the history would be.
    exact: bool,
}

struct Run<'r> {
    bytes: &'r dyn ReadAt,
    window: Window,
    feed: Feed,
    verified: Option<Verified>,
    made: Slim,
}

impl Run<'_> {
    fn record(&mut self, entry: &Entry<'_>, edits: &mut Vec<Edit>) -> io::Result<()> {
        self.made.records += 1;
        let (Some(format), Some(val)) = (entry.format, entry.val) else { return Ok(()) };
        self.made.format = self.made.format.or(Some(format));
        if entry.odd {
            return Ok(());
        }
        if self.feed.take(entry) == Taken::Disorder {
            self.made.refused = Some(Unfit::Order(entry.number));
            return Ok(());
        }
        let (mut failed, before) = (None, self.made.saved.lists);
        lists::of_record(format, val, &mut |list| {
            let done = match self.is_body(entry, list) {
                true => self.body(entry, list),
                false => self.list(entry, list),
            };
            match done {
                Ok(made) => edits.extend(made),
                Err(error) => failed = Some(error),
            }
        });
        self.made.saved.records += u64::from(self.made.saved.lists > before);
        failed.map_or(Ok(()), Err)
    }

    /// Whether the list is what the event at hand repeats of the history.
    fn is_body(&self, entry: &Entry<'_>, list: &List<'_>) -> bool {
        let body = self.feed.follow().and_then(|follow| follow.repeat());
        list.string.is_none() && body.is_some_and(|body| body.at == entry.base.of(list.val))
    }

    /// A list that repeats the history of its stream.
    fn body(&mut self, entry: &Entry<'_>, list: &List<'_>) -> io::Result<Option<Edit>> {
        let Some(follow) = self.feed.follow() else { return Ok(None) };
        let Some(body) = follow.repeat() else { return Ok(None) };
        // A request that the stream does not hold could not be found again.
        let Some(request) = body.request else { return self.list(entry, list) };
        let context = body.context;
        let items = list.val.count();
        let before = self.verified.filter(|it| it.items <= items && context.continues(it.context));
        let before = match before {
            Some(before) if self.is_text(before.place, lists::run(list.val, before.items))? => Some(before),
            _ => None,
        };
        let known = before.map_or(0, |before| before.items);
        if let Some(difference) = follow.divergence(context, self.bytes, list.val, known) {
            let (record, pointer) = (entry.number, format!("{}/{}", list.pointer, difference.index));
            self.made.kept.push(KeptBody { record, pointer, request, difference });
            return Ok(None);
        }
        let Some((from, to)) = lists::span(list.val, items) else { return Ok(None) };
        let more = follow.messages(context, self.bytes, known);
        let exact = before.is_none_or(|before| before.exact) && is_written_so(list.val, known, &more);
        self.verified = Some(Verified { place: entry.base.place(from, to), items, context, exact });
        Ok(self.replace(entry.base, (from, to), items, &Reference::History { request, items, exact }, None))
    }

    fn is_text(&self, place: Place, run: &[u8]) -> io::Result<bool> {
        let mut text = Vec::new();
        self.bytes.read_into(place.start, place.len as usize, &mut text)?;
        Ok(text == run)
    }

    /// A list that begins like one before.
    fn list(&mut self, entry: &Entry<'_>, list: &List<'_>) -> io::Result<Option<Edit>> {
        let prints = self.window.prints(list.val);
        let found = self.window.find(list, &prints, self.bytes)?;
        self.window.push(entry.number, list, lists::source(list, entry.base), prints);
        let Some(found) = found else { return Ok(None) };
        // The last element stays, so that the list is still told for what it is.
        let items = found.items.min(list.val.count().saturating_sub(1));
        let Some(span) = lists::span(list.val, items) else { return Ok(None) };
        let reference = Reference::Prefix { record: found.record, at: found.pointer, items, exact: found.exact };
        Ok(self.replace(entry.base, span, items, &reference, list.string.map(|string| (string, list.val))))
    }

    /// The edit that puts a reference in the place of elements, if that is shorter. A string that they lie in becomes
    /// its value.
    fn replace(
        &mut self,
        base: Base<'_>,
        (from, to): (u32, u32),
        items: u32,
        reference: &Reference,
        inside: Option<(Val<'_>, Val<'_>)>,
    ) -> Option<Edit> {
        let text = reference.write();
        let (place, text) = match inside {
            None => (base.place(from, to), text),
            Some((string, list)) => {
                let (begin, end) = reference::text_wrap();
                let whole = list.record();
                let parts = [&*begin, whole.get(..from as usize)?, &*text, whole.get(to as usize..)?, end];
                (base.of(string), parts.concat())
            }
        };
        let (old, new) = (u64::from(place.len), text.len() as u64);
        if new >= old {
            return None;
        }
        let saved = &mut self.made.saved;
        saved.lists += 1;
        saved.items += u64::from(items);
        saved.repeated += old;
        saved.references += new;
        Some(Edit::replace(place, text))
    }
}

/// Whether the elements of a list from one on are these to the last byte, with nothing but commas between them.
fn is_written_so(list: Val<'_>, from: u32, messages: &[Vec<u8>]) -> bool {
    let mut end = None;
    let mut messages = messages.iter();
    list.elements().enumerate().all(|(n, element)| {
        let joined = end.replace(element.end()).is_none_or(|end| end + 1 == element.start());
        joined && (n < from as usize || messages.next().is_some_and(|message| **message == *element.raw()))
    })
}
