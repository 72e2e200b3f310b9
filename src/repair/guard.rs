//! Safety check of every patch: a record that could be read before can be read afterwards, and a record that was
//! not to be changed is unchanged. It relies neither on the plan nor on the edits: it reads both texts wherever
//! one is not a copy of the other, hashes their records, and scans those that changed.

mod records;
mod unreadable;

use std::io;
use std::ops::Range;

use foldhash::HashSet;

use crate::format::{Format, HistoryScope};
use crate::json::{Tape, Val, pointer, scan};
use crate::place::{DocId, Place, UnchangedRange};
use crate::read::detect;
use crate::source::outputs::new_file;
use crate::source::split::{SplitError, split};
use crate::source::{Container, ReadAt, framing};

use records::{LineRecord, LineRecords, RecordParser};
use unreadable::UnreadableText;

/// Damage that a patch would do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PatchDamage {
    /// A record would become unreadable; its offset in the patched text.
    Unreadable(u64),
    /// A record that was not to be changed would change or disappear; its offset in the text before.
    Lost(u64),
    /// The text would no longer be UTF-8; the offset in the patched text.
    NotUnicode(u64),
}

impl PatchDamage {
    /// The message for the user, for whom it is never their mistake.
    pub fn describe(self, what: &str) -> String {
        let how = match self {
            PatchDamage::Unreadable(at) => format!("{what} would write invalid JSON (at byte {at})"),
            PatchDamage::NotUnicode(at) => format!("{what} would write invalid UTF-8 (at byte {at})"),
            PatchDamage::Lost(at) => {
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

/// The text before and after a patch.
pub struct PatchedTexts<'t> {
    pub id: DocId,
    pub before: &'t dyn ReadAt,
    pub after: &'t dyn ReadAt,
    pub container: Container,
    /// Unchanged stretches, in order, as far as they are known.
    pub kept: Vec<UnchangedRange>,
    /// Offsets of some lines of the text before, with their numbers, in order.
    pub lines: &'t [(u64, u64)],
}

/// The result of the check.
#[derive(Debug, Default)]
pub struct GuardReport {
    pub damage: Option<PatchDamage>,
    /// Places in the text before of records that would get another format, or none.
    pub other_format: Vec<Place>,
}

/// Detects the format of records; nothing is compared where the user named the format.
pub struct RecordDetector<'r> {
    pub steps: &'r [String],
    pub format: Option<&'static dyn Format>,
}

impl RecordDetector<'_> {
    /// The name of the format of a record.
    fn detect(&self, record: Val<'_>) -> Option<&'static str> {
        let val = pointer::resolve(record, self.steps)?;
        detect::of_record(val, None).map(|format| format.info().name)
    }
}

/// Compares a patched text with the one before. `touched` are places of the old text that were to change; `None`
/// allows changes anywhere.
pub fn check(
    texts: &PatchedTexts<'_>,
    touched: Option<&[Place]>,
    detector: &RecordDetector<'_>,
) -> io::Result<GuardReport> {
    if let Some(at) = find_invalid_utf8(texts)? {
        return Ok(GuardReport { damage: Some(PatchDamage::NotUnicode(at)), other_format: Vec::new() });
    }
    match texts.container {
        Container::Document { .. } => check_document(texts),
        Container::Lines { start } | Container::Events { start } => check_records(texts, start, touched, detector),
        _ => Ok(GuardReport::default()),
    }
}

/// Offset at which the patched text stops being UTF-8, if the one before was UTF-8.
fn find_invalid_utf8(texts: &PatchedTexts<'_>) -> io::Result<Option<u64>> {
    let (mut at, end) = (0, texts.after.len());
    let ends = texts.kept.iter().map(|kept| (kept.to, kept.to + kept.len)).chain([(end, end)]);
    let mut is_doubtful = false;
    for (to, next) in ends {
        is_doubtful |= at < to && new_file::invalid_utf8_offset(texts.after, at, to)?.is_some();
        at = at.max(next);
    }
    if !is_doubtful || new_file::invalid_utf8_offset(texts.before, 0, texts.before.len())?.is_some() {
        return Ok(None);
    }
    new_file::invalid_utf8_offset(texts.after, 0, end)
}

fn bom_len(bytes: &dyn ReadAt) -> io::Result<u64> {
    let mut head = [0; 3];
    let n = bytes.read_at(0, &mut head)?;
    Ok(if n == 3 && head == *b"\xef\xbb\xbf" { 3 } else { 0 })
}

fn check_document(texts: &PatchedTexts<'_>) -> io::Result<GuardReport> {
    let Some(at) = find_syntax_error(texts.id, texts.after)? else { return Ok(GuardReport::default()) };
    // A log of one record looks like a document until it has another.
    if find_syntax_error(texts.id, texts.before)?.is_some() || are_lines(texts.after)? {
        return Ok(GuardReport::default());
    }
    Ok(GuardReport { damage: Some(PatchDamage::Unreadable(at)), other_format: Vec::new() })
}

/// True if each line is valid JSON by itself.
fn are_lines(bytes: &dyn ReadAt) -> io::Result<bool> {
    let start = bom_len(bytes)?;
    let mut reader = RecordParser::new(Container::Lines { start });
    let whole = start..bytes.len();
    let mut records = LineRecords::new(bytes, Vec::from([whole]));
    while let Some(record) = records.next()? {
        if reader.parse(bytes, &record, |_| Some(()))?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Offset of the first syntax error of a document; `None` if there is none.
fn find_syntax_error(id: DocId, bytes: &dyn ReadAt) -> io::Result<Option<u64>> {
    let start = bom_len(bytes)?;
    if bytes.len() - start > framing::MAX_WHOLE_DOCUMENT {
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

fn check_records(
    texts: &PatchedTexts<'_>,
    start: u64,
    touched: Option<&[Place]>,
    detector: &RecordDetector<'_>,
) -> io::Result<GuardReport> {
    let mut starts: Vec<u64> = touched.into_iter().flatten().map(|at| at.start).collect();
    starts.sort_unstable();
    let ComparedRanges { before, after } = ranges_to_compare(texts, start)?;
    let records = LineRecords::new(texts.before, before.clone());
    let mut old = OldRecords { records, starts, anywhere: touched.is_none(), next: 0, touched: Vec::new() };
    let mut wanted = old.next_untouched()?;
    let mut changed: Vec<LineRecord> = Vec::new();
    let mut new = LineRecords::new(texts.after, after);
    while let Some(record) = new.next()? {
        match wanted {
            Some(kept) if kept.hash == record.hash => wanted = old.next_untouched()?,
            _ => changed.push(record),
        }
    }
    let mut caught = GuardReport::default();
    if let Some(kept) = wanted {
        caught.damage = Some(PatchDamage::Lost(kept.start));
        return Ok(caught);
    }
    // A record that was to change and did not is no change.
    let as_before: HashSet<u64> = old.touched.iter().map(|record| record.hash).collect();
    let after: HashSet<u64> = changed.iter().map(|record| record.hash).collect();
    changed.retain(|record| !as_before.contains(&record.hash));
    let mut reader = RecordParser::new(texts.container);
    let by_itself = |format: &'static dyn Format| format.info().histories == HistoryScope::PerRecord;
    let mut formats = Vec::new();
    let mut damaged = UnreadableText::new(texts.before, &old.touched);
    let mut known: Option<HashSet<u64>> = None;
    for record in &changed {
        match reader.parse(texts.after, record, |val| detector.detect(val))? {
            Some(format) => formats.push(format),
            // Of equal lines one may have been mistaken for another that was not to be changed.
            None if record_hashes(&mut known, texts, &before)?.contains(&record.hash) => {}
            None if damaged.contains(texts.after, record, &mut reader)? => {}
            None => {
                caught.damage = Some(PatchDamage::Unreadable(record.start));
                return Ok(caught);
            }
        }
    }
    if detector.format.is_some_and(by_itself) {
        let gone = old.touched.iter().filter(|record| !after.contains(&record.hash));
        let mut were = Vec::new();
        for record in gone {
            were.push((record, reader.parse(texts.before, record, |val| detector.detect(val))?));
        }
        // Records that are conversations of their own are neither removed nor added; but a damaged line may
        // contain several.
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

/// The hashes of all records in some stretches of the text before, read once.
fn record_hashes<'k>(
    known: &'k mut Option<HashSet<u64>>,
    texts: &PatchedTexts<'_>,
    stretches: &[Range<u64>],
) -> io::Result<&'k HashSet<u64>> {
    if known.is_none() {
        let (mut all, mut records) = (HashSet::default(), LineRecords::new(texts.before, stretches.to_vec()));
        while let Some(record) = records.next()? {
            all.insert(record.hash);
        }
        *known = Some(all);
    }
    Ok(known.get_or_insert_default())
}

/// Copied stretches shorter than this, in bytes, are compared as well.
const MIN_COPIED: u64 = 16 << 10;

/// Stretches of both texts that are compared.
#[derive(Default)]
struct ComparedRanges {
    before: Vec<Range<u64>>,
    after: Vec<Range<u64>>,
}

/// The stretches that are compared: all but the whole lines in stretches that are copied.
fn ranges_to_compare(texts: &PatchedTexts<'_>, start: u64) -> io::Result<ComparedRanges> {
    let mut all = ComparedRanges::default();
    let (mut old, mut new) = (start, bom_len(texts.after)?);
    for kept in texts.kept.iter().filter(|kept| kept.len >= MIN_COPIED) {
        // The first line may begin, and the last one end, outside of the stretch in one of the texts.
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
struct OldRecords<'r> {
    records: LineRecords<'r>,
    /// Offsets that were to change, in order.
    starts: Vec<u64>,
    anywhere: bool,
    next: usize,
    touched: Vec<LineRecord>,
}

impl OldRecords<'_> {
    /// The next record that was not to be changed.
    fn next_untouched(&mut self) -> io::Result<Option<LineRecord>> {
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

    fn caught(before: &str, after: &str, touched: &[u64]) -> GuardReport {
        let (before, after) = (before.as_bytes().to_vec(), after.as_bytes().to_vec());
        let container = framing::sniff(&before).expect("memory reads");
        let texts =
            PatchedTexts { id: DocId(0), before: &before, after: &after, container, kept: Vec::new(), lines: &[] };
        let touched: Vec<Place> = touched.iter().map(|at| Place::new(DocId(0), *at, 1)).collect();
        check(&texts, Some(&touched), &RecordDetector { steps: &[], format: None }).expect("memory reads")
    }

    const LOG: &str = "{\"a\":1}\n{\"b\":2}\r\n\n{\"c\":3}";

    #[test]
    fn a_record_that_was_not_to_be_touched_must_be_there() {
        assert_eq!(caught(LOG, LOG, &[]).damage, None);
        assert_eq!(caught(LOG, "{\"b\":2}\r\n\n{\"c\":3}", &[]).damage, Some(PatchDamage::Lost(0)));
        assert_eq!(caught(LOG, "{\"b\":2}\r\n\n{\"c\":3}", &[2]).damage, None);
        assert_eq!(caught(LOG, "{\"a\":1}\n{\"b\":2}\r\n\n{\"c\":4}", &[0]).damage, Some(PatchDamage::Lost(18)));
        assert_eq!(caught(LOG, "{\"a\":1}\n", &[9]).damage, Some(PatchDamage::Lost(18)));
        // New records may be inserted between them.
        assert_eq!(caught(LOG, "{\"a\":1}\n{\"x\":1}\n{\"b\":2}\r\n\n{\"c\":3}\n{\"y\":1}\n", &[]).damage, None);
    }

    #[test]
    fn what_could_be_read_can_be_read() {
        assert_eq!(caught(LOG, "{\"a\":1}\n7\"b\":2\r\n{\"c\":3}", &[9]).damage, Some(PatchDamage::Unreadable(8)));
        assert_eq!(caught("{\"a\":[1]}", "{\"a\":[,1]}", &[5]).damage, Some(PatchDamage::Unreadable(6)));
        // A record that was unreadable before proves nothing.
        let broken = "{\"a\":1}\n{\"b\":\n{\"c\":3}";
        assert_eq!(caught(broken, "{\"b\":\n{\"c\":3}", &[2]).damage, None);
        assert_eq!(caught(broken, "{\"b\":\n{\"c\":3}", &[2, 9]).damage, None);
        let spread = "{\"a\":1}\n{\"b\":{\"c\":\"x\n\ny\"}\n{\"d\":{\"e\":\"z\"}\n{\"f\":1}";
        let joined = "{\"a\":1}\n{\"b\":{\"c\":\"x\\n\\ny\"}\n{\"d\":{\"e\":\"z\"}\n{\"f\":1}";
        assert_eq!(caught(spread, joined, &[9, 21, 24]).damage, None);
        let lossy = "{\"a\":1}\n{\"b\":{\"c\":\"x\\ny\"}\n{\"d\":{\"e\":\"z\"}\n{\"f\":1}";
        assert_eq!(caught(spread, lossy, &[9, 21, 24]).damage, Some(PatchDamage::Unreadable(8)));
    }
}
