//! Format detection. Every record of a sample votes; a format reads the doc only if it recognises most of them.
//! There are no guesses: anything else is unknown, and reported with what it resembles.

use std::cell::Cell;
use std::io;

use crate::format::{Format, HistoryScope, MIN_DISTINCTIVE_SCORE, Probe};
use crate::formats::{self, FORMATS, scoring, unsupported};
use crate::history::Usage;
use crate::json::{Member, SavedTapes, ScratchBuffers, Tape, Val, pointer, scan};
use crate::source::bytes::hints::ByteHints;
use crate::source::damage::{self, RecoveredPart};
use crate::source::{Container, ReadAt, container, framing, lines};

use super::Options;

/// Maximum number of records that vote.
const SAMPLE: u32 = 200;

/// This many records are enough if they are unanimous or large.
const FEW: u32 = lines::SAMPLED_LINES as u32;

/// This many are enough if a format is certain of them, or any number up to [`FEW`] that follows.
const VERY_FEW: u32 = 4;

/// This many bytes are enough, given [`FEW`] records.
const MUCH: usize = 1 << 20;

/// A score that only records of this format reach: no record has it for two formats.
pub const SURE: u8 = 95;

/// Up to this score another format that claims the same document may be right.
const UNSURE: u8 = 60;

/// The way in which the formats of records are determined.
#[derive(Clone, Copy)]
pub enum RecordReading {
    /// All have this format.
    Format(&'static dyn Format),
    /// Each has the format that recognises it, and is a history by itself.
    Each,
    /// There is one record, with the format that recognises it.
    Document,
}

/// The result of detection on the first records of a doc.
#[derive(Clone, Copy)]
pub enum Detection {
    Read(RecordReading),
    /// No format recognises them. `looks` is the row of [`unsupported`] that a record resembles, if any; `at` is the
    /// offset and length of that record, else of the first one.
    Unknown {
        looks: Option<u32>,
        at: (usize, usize),
    },
    /// None of them is valid JSON.
    Unreadable,
}

/// The options for bytes whose format is known by hints, unless the user named another one.
pub fn options_for_hints(bytes: &dyn ReadAt, options: &Options) -> Option<Options> {
    match bytes.hints() {
        Some(ByteHints::Lines { format: name, .. }) if options.format.is_none() => {
            Some(Options { format: formats::by_name(name), ..options.clone() })
        }
        _ => None,
    }
}

/// The format of one record that is a history by itself.
pub fn of_record(val: Val<'_>, dialect: Option<&str>) -> Option<&'static dyn Format> {
    best_format(&Probe::new(val), dialect, |format| format.info().histories == HistoryScope::PerRecord)
}

/// The format of a document. `dialect` is that of the target that was asked for.
pub fn of_document(val: Val<'_>, dialect: Option<&str>) -> Option<&'static dyn Format> {
    // One object is a response, not a stream of one chunk, unless only a stream has such objects.
    let is_whole = |format: &'static dyn Format| val.is_array() || format.layout().reduction().is_none();
    let probe = Probe::new(val);
    best_format(&probe, dialect, is_whole).or_else(|| best_format(&probe, dialect, |_| true))
}

/// True if some format claims a document. The likely one is asked first: which one claims it does not matter.
pub fn is_claimed(val: Val<'_>, likely: Option<&'static dyn Format>) -> bool {
    likely.is_some_and(|format| format.detect(&Probe::new(val)) >= MIN_DISTINCTIVE_SCORE)
        || of_document(val, None).is_some()
}

/// True if some format claims a record.
fn is_recognised(val: Val<'_>) -> bool {
    let probe = Probe::new(val);
    FORMATS.iter().any(|format| format.detect(&probe) >= MIN_DISTINCTIVE_SCORE)
}

/// The pointer of the first conversation in a record that no format claims, one or two levels down.
pub fn find_conversation(record: Val<'_>) -> Option<String> {
    let first = members("", record);
    let holds = |(_, val): &(String, Val<'_>)| is_recognised(*val);
    let mut second = first.iter().flat_map(|(above, val)| members(above, *val));
    let found = first.iter().find(|member| holds(member)).cloned().or_else(|| second.find(holds));
    found.map(|(pointer, _)| pointer)
}

/// The first members of an object, with their pointers.
fn members<'t>(above: &str, val: Val<'t>) -> Vec<(String, Val<'t>)> {
    let below = |member: Member<'t>| {
        let mut pointer = above.to_owned();
        pointer::push_key(&mut pointer, &String::from_utf8_lossy(&member.key.decode()));
        (pointer, member.val)
    };
    val.members().take(MEMBERS).map(below).collect()
}

/// Maximum number of members of an object that are searched for a conversation.
const MEMBERS: usize = 32;

thread_local! {
    /// The format that was recognised with certainty last: files of a folder are often alike. It is asked first, and no other
    /// one if it is certain again. The result does not depend on it.
    static LAST_SURE: Cell<Option<&'static dyn Format>> = const { Cell::new(None) };
}

fn best_format(
    probe: &Probe<'_>,
    dialect: Option<&str>,
    among: impl Fn(&'static dyn Format) -> bool,
) -> Option<&'static dyn Format> {
    let last = LAST_SURE.get().filter(|last| dialect.is_none() && among(*last));
    if last.is_some_and(|last| last.detect(probe) >= SURE) {
        return last;
    }
    let mut best: Option<(u8, &'static dyn Format)> = None;
    // The best format of the requested dialect.
    let mut own: Option<(u8, &'static dyn Format)> = None;
    for format in FORMATS.iter().copied().filter(|format| among(*format)) {
        let score = format.detect(probe);
        if score > best.map_or(MIN_DISTINCTIVE_SCORE - 1, |(score, _)| score) {
            best = Some((score, format));
        }
        if dialect.is_none_or(|dialect| format.info().dialect.info().name != dialect) {
            continue;
        }
        let score = if score < MIN_DISTINCTIVE_SCORE && format.info().is_plausible(probe) {
            MIN_DISTINCTIVE_SCORE
        } else {
            score
        };
        if score > own.map_or(MIN_DISTINCTIVE_SCORE - 1, |(score, _)| score) {
            own = Some((score, format));
        }
    }
    if let Some((SURE.., best)) = best {
        LAST_SURE.set(Some(best));
    }
    own.filter(|(_, own)| best.is_none_or(|(score, best)| is_ambiguous(probe, score, best, *own)))
        .or(best)
        .map(|(_, format)| format)
        .or_else(|| invalid_request(probe, dialect?).filter(|format| among(*format)))
}

/// The requests of the dialect that was asked for, if a document that no format recognises has their list: its elements
/// break the schema, which a rule reports.
fn invalid_request(probe: &Probe<'_>, dialect: &str) -> Option<&'static dyn Format> {
    if unsupported::find_row(probe.val).is_some() {
        return None;
    }
    let is_request = |format: &&'static dyn Format| {
        let info = format.info();
        info.usage == Usage::Request && info.dialect.info().name == dialect
    };
    let fits = |element: Val<'_>| element.is_object() && !scoring::is_foreign_record(element);
    let has_list = |format: &&'static dyn Format| {
        let path = format.info().parts.first().map_or(&[][..], |part| part.path);
        let list = probe.val.at(path).filter(|list| !path.is_empty() && list.is_array());
        list.is_some_and(|list| list.count() > 0 && list.elements().all(fits))
    };
    let is_body = probe.val.is_object() && !scoring::is_foreign_log(probe.val);
    FORMATS.iter().copied().filter(is_request).find(has_list).filter(|_| is_body)
}

/// True if a document may be either of two kinds of requests: nothing in it is specific to the best one, or it has
/// the lists of both.
fn is_ambiguous(probe: &Probe<'_>, score: u8, best: &'static dyn Format, own: &'static dyn Format) -> bool {
    fn list(format: &'static dyn Format) -> &'static [&'static str] {
        format.info().parts.first().map_or(&[], |part| part.path)
    }
    let is_request = |format: &'static dyn Format| format.info().usage == Usage::Request;
    let has_both = || list(best) != list(own) && [list(best), list(own)].iter().all(|path| has_list(probe, path));
    is_request(best) && is_request(own) && (score <= UNSURE || has_both())
}

fn has_list(probe: &Probe<'_>, path: &[&str]) -> bool {
    !path.is_empty() && probe.val.at(path).is_some_and(|list| list.is_array() || list.is_string())
}

/// The format of lines or events, by the first ones. An event needs a higher score: other APIs stream, too.
pub fn detect_lines(container: Container, sample: &mut LineSample<'_>, options: &Options) -> Detection {
    let least = if matches!(container, Container::Events { .. }) { 50 } else { MIN_DISTINCTIVE_SCORE };
    of_records(sample, least, options.dialect)
}

/// The format of lines, by the first ones.
pub fn of_lines(text: &[u8]) -> Option<RecordReading> {
    match of_records(&mut LineSample::new(text, 0, &[]), MIN_DISTINCTIVE_SCORE, None) {
        Detection::Read(reading) => Some(reading),
        Detection::Unknown { .. } | Detection::Unreadable => None,
    }
}

/// The format of a doc of lines whose text starts at `start`, by the first ones up to a length.
pub fn of_first_lines(bytes: &dyn ReadAt, start: u64, limit: u64) -> io::Result<Option<RecordReading>> {
    Ok(of_lines(lines::read_sample(bytes, start, limit, &mut Vec::new())?.bytes))
}

/// The votes for a format.
#[derive(Clone, Copy, Default)]
struct Votes {
    /// Sum of its scores.
    sum: u32,
    /// Number of records with a score above 0.
    known: u32,
    /// Number of records with a score from [`SURE`] on.
    sure: u32,
    /// Its highest score.
    best: u8,
}

impl Votes {
    fn add(&mut self, score: u8) {
        self.sum += u32::from(score);
        self.known += u32::from(score > 0);
        self.sure += u32::from(score >= SURE);
        self.best = self.best.max(score);
    }

    /// True if the format is certain of these records: it recognises all, and more than half belong to no other one. So no other
    /// format can be.
    fn is_certain(&self, voters: u32) -> bool {
        self.known == voters && self.sure * 2 > voters
    }
}

/// The format that the first records vote for. One of them must have a score of at least `least`, and most one
/// above 0.
fn of_records(sample: &mut LineSample<'_>, least: u8, dialect: Option<&str>) -> Detection {
    if let Some(last) = LAST_SURE.get()
        && is_certain(sample, last)
    {
        return Detection::Read(reading_as(last));
    }
    let mut votes = vec![Votes::default(); FORMATS.len()];
    let (mut voters, mut alone) = (0, 0);
    let mut certain = None;
    sample.each_record(&mut |val, (at, len)| {
        voters += 1;
        let probe = Probe::new(val);
        let mut is_history = false;
        for n in formats::candidates(&probe) {
            let (Some(votes), Some(format)) = (votes.get_mut(*n), FORMATS.get(*n)) else { continue };
            let score = format.detect(&probe);
            let asked = dialect.is_some_and(|dialect| format.info().dialect.info().name == dialect);
            let claims = score >= least || asked && format.info().is_plausible(&probe);
            is_history |= claims && !format.info().histories.span_records();
            votes.add(score);
        }
        alone += u32::from(is_history);
        let is_much = voters >= FEW && at + len >= MUCH;
        let is_enough = match voters {
            VERY_FEW..FEW => {
                certain = votes.iter().position(|votes| votes.is_certain(voters));
                certain.is_some()
            }
            FEW => is_unanimous(&votes, voters),
            _ => voters >= SAMPLE,
        };
        !is_much && !is_enough
    });
    if let Some(certain) = certain.and_then(|n| FORMATS.get(n)) {
        LAST_SURE.set(Some(*certain));
        return Detection::Read(reading_as(*certain));
    }
    // The first of the best, among those that recognise most of what they would read.
    let mut winner: Option<(u32, RecordReading)> = None;
    for (format, votes) in FORMATS.iter().copied().zip(&votes) {
        let spans = format.info().histories.span_records();
        let most = if spans { votes.known * 2 > voters } else { alone * 2 >= voters };
        let claims = votes.best >= least || !spans && alone > 0;
        if claims && most && winner.is_none_or(|(sum, _)| votes.sum > sum) {
            winner = Some((votes.sum, reading_as(format)));
        }
        if voters > 0 && votes.sure == voters {
            LAST_SURE.set(Some(format));
        }
    }
    match winner {
        Some((_, reading)) => Detection::Read(reading),
        None if voters == 0 => Detection::Unreadable,
        None => find_resemblance(sample),
    }
}

/// The way in which lines of a format are read.
fn reading_as(format: &'static dyn Format) -> RecordReading {
    if format.info().histories.span_records() { RecordReading::Format(format) } else { RecordReading::Each }
}

/// True if a format is certain of as many of the first records as are needed, and no other one was certain of fewer; of all, if
/// there are very few.
fn is_certain(sample: &mut LineSample<'_>, format: &dyn Format) -> bool {
    let (mut voters, mut votes, mut is_certain) = (0, Votes::default(), false);
    sample.each_record(&mut |val, _| {
        voters += 1;
        votes.add(format.detect(&Probe::new(val)));
        is_certain = match voters {
            ..VERY_FEW => votes.sure == voters,
            _ => votes.is_certain(voters),
        };
        // Where this one is sure of less than half, another one may be certain.
        votes.known == voters && (voters < VERY_FEW || votes.sure * 2 == voters && voters + 1 < FEW)
    });
    is_certain
}

/// True if one format claims all records, at least one with certainty, and no other comes close.
fn is_unanimous(votes: &[Votes], voters: u32) -> bool {
    let first = votes.iter().map(|votes| votes.sum).max().unwrap_or(0);
    let rivals = votes.iter().filter(|votes| votes.sum * 2 > first).count();
    let is_sure = |votes: &Votes| votes.sum == first && votes.known == voters && votes.best >= SURE;
    rivals == 1 && votes.iter().any(is_sure)
}

/// What records that no format reads resemble. The first one often is a header, which is the most specific.
fn find_resemblance(sample: &mut LineSample<'_>) -> Detection {
    let (mut looks, mut seen, mut looked) = (None, (0, 0), 0);
    sample.each_record(&mut |val, at| {
        looks = unsupported::find_row(val);
        if looked == 0 || looks.is_some() {
            seen = at;
        }
        looked += 1;
        looks.is_none() && looked < SAMPLE
    });
    Detection::Unknown { looks, at: seen }
}

/// The first lines of a doc.
pub struct LineSample<'t> {
    text: &'t [u8],
    /// Offset of the text in the doc.
    start: u64,
    /// Where the records are in the values of the lines.
    steps: &'t [String],
    /// The tapes of the lines that were looked at: who reads them next need not scan them again.
    pub tapes: SavedTapes,
}

impl<'t> LineSample<'t> {
    pub fn new(text: &'t [u8], start: u64, steps: &'t [String]) -> Self {
        LineSample { text, start, steps, tapes: SavedTapes::default() }
    }

    /// Scans the value of a line, at an offset in the text. Returns false if it is not JSON.
    fn scan(&mut self, at: usize, line: &[u8], tape: &mut Tape) -> bool {
        let start = self.start + at as u64;
        if self.tapes.restore(start, tape) {
            return true;
        }
        let is_json = scan(line, tape).is_ok();
        if is_json {
            self.tapes.save(start, tape);
        }
        is_json
    }

    /// Calls `see` with the first readable records, and the offset and length of each, until it returns `false`.
    fn each_record(&mut self, see: &mut dyn FnMut(Val<'_>, (usize, usize)) -> bool) {
        let LineSample { text, steps, .. } = *self;
        let mut scratch = ScratchBuffers::acquire();
        let tape = &mut scratch.tape;
        let (mut next, mut enough) = (0, false);
        for (start, line) in lines::split(text) {
            let before = framing::value_offset(line);
            let line = line.get(before..).unwrap_or_default();
            if enough {
                break;
            }
            if start < next || line.trim_ascii().is_empty() {
                continue;
            }
            if self.scan(start + before, line, tape) {
                let val = tape.root(line).and_then(|root| pointer::resolve(root, steps));
                enough = val.is_some_and(|val| !see(val, (start + before, line.trim_ascii_end().len())));
            } else if let Some((len, plain)) = event_text(text.get(start + before..).unwrap_or_default(), before)
                && scan(&plain, tape).is_ok()
            {
                next = start + before + len;
                let val = tape.root(&plain).and_then(|root| pointer::resolve(root, steps));
                enough = val.is_some_and(|val| !see(val, (start + before, len)));
            } else if before == 0 {
                let known = |val: Val<'_>| pointer::resolve(val, steps).is_some_and(is_recognised);
                let found = damage::recover(text.get(start..).unwrap_or_default(), true, &known);
                next = start + found.len;
                for part in found.parts {
                    let RecoveredPart::Value(span, escaped) = part else { continue };
                    let (from, len) = (start + span.start, span.len());
                    let plain = || text.get(from..from + len).unwrap_or_default().to_vec();
                    let own = escaped.map_or_else(plain, |escaped| escaped.text);
                    let root = scan(&own, tape).ok().and_then(|()| tape.root(&own));
                    let val = root.and_then(|root| pointer::resolve(root, steps));
                    enough = val.is_some_and(|val| !see(val, (from, len)));
                    if enough {
                        break;
                    }
                }
            }
        }
    }
}

/// The joined text of an event on several lines, and the length of these lines.
fn event_text(text: &[u8], before: usize) -> Option<(usize, Vec<u8>)> {
    let len = container::multiline_event_len(text).filter(|_| before > 0)?;
    Some((len, framing::join_event_lines(text.get(..len)?, 0)?.0))
}
