//! The net under everything that patches a file: a record that could be read can be read afterwards, and a record that
//! nobody meant to touch is there as it was. It trusts neither the plan nor the reasons of the edits: it reads both texts
//! wherever one is not a copy of the other, hashes their records, and scans those that changed.

mod records;
mod unread;

use std::collections::HashSet;
use std::io;
use std::ops::Range;

use crate::format::{Format, Histories};
use crate::json::{Tape, Val, pointer, scan};
use crate::place::{DocId, Kept, Place};
use crate::read::detect;
use crate::source::outputs::product;
use crate::source::split::{SplitError, split};
use crate::source::{Container, ReadAt, framing};

use records::{Reader, Record, Records};
use unread::Unread;

/// What a patch would damage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damage {
    /// A record that could be read could not be read any more; where it is in the patched text.
    Unreadable(u64),
    /// A record that was not to be touched would change or go; where it is.
    Lost(u64),
    /// A text in UTF-8 would not be one any more; where it is in the patched text.
    NotUnicode(u64),
}

impl Damage {
    /// What to tell of it: it is never the user's fault.
    pub fn words(self, what: &str) -> String {
        let how = match self {
            Damage::Unreadable(at) => format!("{what} would write invalid JSON (at byte {at})"),
            Damage::NotUnicode(at) => format!("{what} would write invalid UTF-8 (at byte {at})"),
            Damage::Lost(at) => {
                format!("{what} would change the record at byte {at}, which it should not touch")
            }
        };
        let to = match env!("CARGO_PKG_REPOSITORY") {
            "" => "the maintainers of replaylint",
            repository => repository,
        };
        format!(
            "{how}, so nothing was written. This is a bug in replaylint {}, not in your file: please report it to {to} \
             with this message and the command line",
            env!("CARGO_PKG_VERSION")
        )
    }
}

/// What was patched.
pub struct Texts<'t> {
    pub id: DocId,
    pub before: &'t dyn ReadAt,
    pub after: &'t dyn ReadAt,
    pub container: Container,
    /// Stretches that are copied as they are, in order, as far as that is known.
    pub kept: Vec<Kept>,
    /// Where some lines start in the text before, in order.
    pub lines: &'t [(u64, u64)],
}

/// What the net caught.
#[derive(Debug, Default)]
pub struct Caught {
    pub damage: Option<Damage>,
    /// Records, by where they stood before, that would be of another format, or of none.
    pub other_format: Vec<Place>,
}

/// How records are recognised; nothing is compared where the user named the format.
pub struct Recognise<'r> {
    pub steps: &'r [String],
    pub format: Option<&'static dyn Format>,
}

impl Recognise<'_> {
    /// Name of the format of a record.
    fn name(&self, record: Val<'_>) -> Option<&'static str> {
        let val = pointer::resolve(record, self.steps)?;
        detect::of_record(val, None).map(|format| format.info().name)
    }
}

/// Holds a patched text against the one before. `touched` are places of the old text where something was to change;
/// `None`: anywhere.
pub fn check(texts: &Texts<'_>, touched: Option<&[Place]>, recognise: &Recognise<'_>) -> io::Result<Caught> {
    if let Some(at) = not_unicode(texts)? {
        return Ok(Caught { damage: Some(Damage::NotUnicode(at)), other_format: Vec::new() });
    }
    match texts.container {
        Container::Document { .. } => document(texts),
        Container::Lines { start } | Container::Events { start } => records(texts, start, touched, recognise),
        _ => Ok(Caught::default()),
    }
}

/// Where the patched text stops being UTF-8, if the one before was UTF-8. What is kept of a text that was not stays as it is.
fn not_unicode(texts: &Texts<'_>) -> io::Result<Option<u64>> {
    let (mut at, end) = (0, texts.after.len());
    let ends = texts.kept.iter().map(|kept| (kept.to, kept.to + kept.len)).chain([(end, end)]);
    let mut is_doubtful = false;
    for (to, next) in ends {
        is_doubtful |= at < to && product::not_unicode_at(texts.after, at, to)?.is_some();
        at = at.max(next);
    }
    if !is_doubtful || product::not_unicode_at(texts.before, 0, texts.before.len())?.is_some() {
        return Ok(None);
    }
    product::not_unicode_at(texts.after, 0, end)
}

fn mark(bytes: &dyn ReadAt) -> io::Result<u64> {
    let mut head = [0; 3];
    let n = bytes.read_at(0, &mut head)?;
    Ok(if n == 3 && head == *b"\xef\xbb\xbf" { 3 } else { 0 })
}

fn document(texts: &Texts<'_>) -> io::Result<Caught> {
    let Some(at) = fault_of(texts.id, texts.after)? else { return Ok(Caught::default()) };
    // A log of one record looks like a document until it has another.
    if fault_of(texts.id, texts.before)?.is_some() || are_lines(texts.after)? {
        return Ok(Caught::default());
    }
    Ok(Caught { damage: Some(Damage::Unreadable(at)), other_format: Vec::new() })
}

/// Whether each line can be read by itself.
fn are_lines(bytes: &dyn ReadAt) -> io::Result<bool> {
    let start = mark(bytes)?;
    let mut reader = Reader::new(Container::Lines { start });
    let whole = start..bytes.len();
    let mut records = Records::new(bytes, Vec::from([whole]));
    while let Some(record) = records.next()? {
        if reader.see(bytes, &record, |_| Some(()))?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where a document cannot be read on.
fn fault_of(id: DocId, bytes: &dyn ReadAt) -> io::Result<Option<u64>> {
    let start = mark(bytes)?;
    if bytes.len() - start > framing::WHOLE_DOCUMENT {
        return match split(bytes, id, start, u64::MAX / 2, |_, _| true) {
            Ok(()) => Ok(None),
            Err(SplitError::Io(error)) => Err(error),
            Err(SplitError::Fault(_, at) | SplitError::TooLong(at)) => Ok(Some(at)),
        };
    }
    let mut text = Vec::new();
    bytes.read_into(start, (bytes.len() - start) as usize, &mut text)?;
    Ok(scan(&text, &mut Tape::new()).err().map(|fault| start + u64::from(fault.at)))
}

fn records(
    texts: &Texts<'_>,
    start: u64,
    touched: Option<&[Place]>,
    recognise: &Recognise<'_>,
) -> io::Result<Caught> {
    let mut starts: Vec<u64> = touched.into_iter().flatten().map(|at| at.start).collect();
    starts.sort_unstable();
    let Compared { before, after } = compared(texts, start)?;
    let records = Records::new(texts.before, before.clone());
    let mut old = Old { records, starts, anywhere: touched.is_none(), next: 0, touched: Vec::new() };
    let mut wanted = old.untouched()?;
    let mut changed: Vec<Record> = Vec::new();
    let mut new = Records::new(texts.after, after);
    while let Some(record) = new.next()? {
        match wanted {
            Some(kept) if kept.hash == record.hash => wanted = old.untouched()?,
            _ => changed.push(record),
        }
    }
    let mut caught = Caught::default();
    if let Some(kept) = wanted {
        caught.damage = Some(Damage::Lost(kept.start));
        return Ok(caught);
    }
    // What was to be touched and was not is no change.
    let as_before: HashSet<u64> = old.touched.iter().map(|record| record.hash).collect();
    let after: HashSet<u64> = changed.iter().map(|record| record.hash).collect();
    changed.retain(|record| !as_before.contains(&record.hash));
    let mut reader = Reader::new(texts.container);
    let by_itself = |format: &'static dyn Format| format.info().histories == Histories::PerRecord;
    let mut formats = Vec::new();
    let mut damaged = Unread::new(texts.before, &old.touched);
    let mut known: Option<HashSet<u64>> = None;
    for record in &changed {
        match reader.see(texts.after, record, |val| recognise.name(val))? {
            Some(format) => formats.push(format),
            // Of lines that are alike one may have been taken for another, which was not to be touched.
            None if hashes(&mut known, texts, &before)?.contains(&record.hash) => {}
            None if damaged.holds(texts.after, record, &mut reader)? => {}
            None => {
                caught.damage = Some(Damage::Unreadable(record.start));
                return Ok(caught);
            }
        }
    }
    if recognise.format.is_some_and(by_itself) {
        let gone = old.touched.iter().filter(|record| !after.contains(&record.hash));
        let mut were = Vec::new();
        for record in gone {
            were.push((record, reader.see(texts.before, record, |val| recognise.name(val))?));
        }
        // Of records that are conversations by themselves none goes, and none comes; but damaged lines may hold several.
        let damaged = were.iter().any(|(_, was)| was.is_none());
        for (n, (record, was)) in were.into_iter().enumerate() {
            let Some(was) = was else { continue };
            let stays = match damaged {
                true => formats.contains(&was),
                false => formats.get(n) == Some(&was),
            };
            if !stays {
                caught.other_format.push(Place::new(texts.id, record.start, record.len));
            }
        }
    }
    Ok(caught)
}

/// The hashes of all records of some stretches of the text before, which are read once.
fn hashes<'k>(
    known: &'k mut Option<HashSet<u64>>,
    texts: &Texts<'_>,
    stretches: &[Range<u64>],
) -> io::Result<&'k HashSet<u64>> {
    if known.is_none() {
        let (mut all, mut records) = (HashSet::new(), Records::new(texts.before, stretches.to_vec()));
        while let Some(record) = records.next()? {
            all.insert(record.hash);
        }
        *known = Some(all);
    }
    Ok(known.get_or_insert_default())
}

/// A shorter stretch is compared, too.
const WORTH: u64 = 16 << 10;

/// Stretches of both texts.
#[derive(Default)]
struct Compared {
    before: Vec<Range<u64>>,
    after: Vec<Range<u64>>,
}

/// The stretches that are compared: all but the whole lines in stretches that are copied.
fn compared(texts: &Texts<'_>, start: u64) -> io::Result<Compared> {
    let mut all = Compared::default();
    let (mut old, mut new) = (start, mark(texts.after)?);
    for kept in texts.kept.iter().filter(|kept| kept.len >= WORTH) {
        // Whether the first line begins with the stretch, and the last one ends with it, is not the same in both texts.
        let nth = |at: usize| texts.lines.get(at).map(|(start, _)| *start);
        let end = kept.from + kept.len;
        let from = nth(texts.lines.partition_point(|(start, _)| *start <= kept.from));
        let to = texts.lines.partition_point(|(start, _)| *start <= end).checked_sub(1).and_then(nth);
        let (Some(from), Some(to)) = (from, to) else { continue };
        if from < old || from >= to || !starts_line(texts.before, from)? || !starts_line(texts.before, to)? {
            continue;
        }
        all.before.push(old..from);
        all.after.push(new..kept.to + (from - kept.from));
        (old, new) = (to, kept.to + (to - kept.from));
    }
    all.before.push(old..texts.before.len());
    all.after.push(new..texts.after.len());
    Ok(all)
}

fn starts_line(bytes: &dyn ReadAt, at: u64) -> io::Result<bool> {
    let mut before = [0];
    Ok(bytes.read_at(at - 1, &mut before)? == 1 && before == *b"\n")
}

/// The records before the patch.
struct Old<'r> {
    records: Records<'r>,
    /// Where something was to change, in order.
    starts: Vec<u64>,
    anywhere: bool,
    next: usize,
    touched: Vec<Record>,
}

impl Old<'_> {
    /// The next record that was not to be touched.
    fn untouched(&mut self) -> io::Result<Option<Record>> {
        while let Some(record) = self.records.next()? {
            let end = record.start + u64::from(record.len);
            while self.starts.get(self.next).is_some_and(|at| *at < record.start) {
                self.next += 1;
            }
            if !self.anywhere && self.starts.get(self.next).is_none_or(|at| *at > end) {
                return Ok(Some(record));
            }
            self.touched.push(record);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caught(before: &str, after: &str, touched: &[u64]) -> Caught {
        let (before, after) = (before.as_bytes().to_vec(), after.as_bytes().to_vec());
        let container = framing::sniff(&before).expect("memory reads");
        let texts =
            Texts { id: DocId(0), before: &before, after: &after, container, kept: Vec::new(), lines: &[] };
        let touched: Vec<Place> = touched.iter().map(|at| Place::new(DocId(0), *at, 1)).collect();
        check(&texts, Some(&touched), &Recognise { steps: &[], format: None }).expect("memory reads")
    }

    const LOG: &str = "{\"a\":1}\n{\"b\":2}\r\n\n{\"c\":3}";

    #[test]
    fn a_record_that_was_not_to_be_touched_must_be_there() {
        assert_eq!(caught(LOG, LOG, &[]).damage, None);
        assert_eq!(caught(LOG, "{\"b\":2}\r\n\n{\"c\":3}", &[]).damage, Some(Damage::Lost(0)));
        assert_eq!(caught(LOG, "{\"b\":2}\r\n\n{\"c\":3}", &[2]).damage, None);
        assert_eq!(caught(LOG, "{\"a\":1}\n{\"b\":2}\r\n\n{\"c\":4}", &[0]).damage, Some(Damage::Lost(18)));
        assert_eq!(caught(LOG, "{\"a\":1}\n", &[9]).damage, Some(Damage::Lost(18)));
        // New ones may come between them.
        assert_eq!(caught(LOG, "{\"a\":1}\n{\"x\":1}\n{\"b\":2}\r\n\n{\"c\":3}\n{\"y\":1}\n", &[]).damage, None);
    }

    #[test]
    fn what_could_be_read_can_be_read() {
        assert_eq!(caught(LOG, "{\"a\":1}\n7\"b\":2\r\n{\"c\":3}", &[9]).damage, Some(Damage::Unreadable(8)));
        assert_eq!(caught("{\"a\":[1]}", "{\"a\":[,1]}", &[5]).damage, Some(Damage::Unreadable(6)));
        // What could not be read before proves nothing.
        let broken = "{\"a\":1}\n{\"b\":\n{\"c\":3}";
        assert_eq!(caught(broken, "{\"b\":\n{\"c\":3}", &[2]).damage, None);
        assert_eq!(caught(broken, "{\"b\":\n{\"c\":3}", &[2, 9]).damage, None);
        let spread = "{\"a\":1}\n{\"b\":{\"c\":\"x\n\ny\"}\n{\"d\":{\"e\":\"z\"}\n{\"f\":1}";
        let joined = "{\"a\":1}\n{\"b\":{\"c\":\"x\\n\\ny\"}\n{\"d\":{\"e\":\"z\"}\n{\"f\":1}";
        assert_eq!(caught(spread, joined, &[9, 21, 24]).damage, None);
        let lossy = "{\"a\":1}\n{\"b\":{\"c\":\"x\\ny\"}\n{\"d\":{\"e\":\"z\"}\n{\"f\":1}";
        assert_eq!(caught(spread, lossy, &[9, 21, 24]).damage, Some(Damage::Unreadable(8)));
    }
}
