//! Which format a doc has. Every record of a sample votes; a format reads the doc only if it knows most of them. What
//! no format knows is not guessed at: it is unknown, and told by what it looks like.

use crate::format::{Format, Histories, Probe, TELLING};
use crate::formats::{self, FORMATS, unread};
use crate::history::Usage;
use crate::json::{Member, Tape, Val, pointer, scan};
use crate::source::bytes::hints::Known;
use crate::source::damage::{self, Part};
use crate::source::{Container, ReadAt, container, framing, lines};

use super::Options;

/// Records that vote, at most.
const SAMPLE: u32 = 200;

/// As many are enough, if they leave no doubt, or are large.
const FEW: u32 = 16;

/// As many bytes of records are enough, if there are a few of these.
const MUCH: usize = 1 << 20;

/// A claim that no other file raises.
const SURE: u8 = 95;

/// Up to here another format that claims the same document may be right.
const UNSURE: u8 = 60;

/// How the records of a doc are read.
#[derive(Clone, Copy)]
pub enum Reading {
    /// All by this format.
    By(&'static dyn Format),
    /// Each by the format that recognises it, as a history by itself.
    Each,
    /// The one record, by the format that recognises it.
    Document,
}

/// What a doc is, as far as its first records say.
#[derive(Clone, Copy)]
pub enum Answer {
    Read(Reading),
    /// No format. The row of [`unread`] that a record looks like, if there is one, and where that record lies in the
    /// text; else the first one.
    Unknown {
        looks: Option<u32>,
        at: (usize, usize),
    },
    /// None of them could be read.
    Unreadable,
}

/// How bytes are read of which the format is known, unless the user named another one.
pub fn known(bytes: &dyn ReadAt, options: &Options) -> Option<Options> {
    match bytes.known() {
        Some(Known::Lines { format: name, .. }) if options.format.is_none() => {
            Some(Options { format: formats::by_name(name), ..options.clone() })
        }
        _ => None,
    }
}

/// The format of one record that is a history by itself.
pub fn of_record(val: Val<'_>, dialect: Option<&str>) -> Option<&'static dyn Format> {
    best(&Probe::new(val), dialect, |format| format.info().histories == Histories::PerRecord)
}

/// The format of a document. `dialect` is that of the target that was asked for.
pub fn of_document(val: Val<'_>, dialect: Option<&str>) -> Option<&'static dyn Format> {
    best(&Probe::new(val), dialect, |_| true)
}

/// Whether some format claims a record.
fn is_known(val: Val<'_>) -> bool {
    let probe = Probe::new(val);
    FORMATS.iter().any(|format| format.detect(&probe) >= TELLING)
}

/// Where in a record that no format claims a conversation is: the pointer of the first one, a level or two down.
pub fn inside(record: Val<'_>) -> Option<String> {
    let first = members("", record);
    let holds = |(_, val): &(String, Val<'_>)| is_known(*val);
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

/// Members of an object that are looked into for a conversation, at most.
const MEMBERS: usize = 32;

fn best(
    probe: &Probe<'_>,
    dialect: Option<&str>,
    among: impl Fn(&'static dyn Format) -> bool,
) -> Option<&'static dyn Format> {
    let mut best: Option<(u8, &'static dyn Format)> = None;
    // The same among those of the dialect that was asked for.
    let mut own: Option<(u8, &'static dyn Format)> = None;
    for format in FORMATS.iter().copied().filter(|format| among(*format)) {
        let score = format.detect(probe);
        if score > best.map_or(TELLING - 1, |(score, _)| score) {
            best = Some((score, format));
        }
        if dialect.is_none_or(|dialect| format.info().dialect.info().name != dialect) {
            continue;
        }
        let score = if score < TELLING && format.info().may_be(probe) { TELLING } else { score };
        if score > own.map_or(TELLING - 1, |(score, _)| score) {
            own = Some((score, format));
        }
    }
    own.filter(|(_, own)| best.is_none_or(|(score, best)| is_open(probe, score, best, *own)))
        .or(best)
        .map(|(_, format)| format)
}

/// Whether a document leaves open which of two requests it is: nothing in it is surely of the one that claims it most, or
/// it has the lists of both.
fn is_open(probe: &Probe<'_>, score: u8, best: &'static dyn Format, own: &'static dyn Format) -> bool {
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

/// The format of lines or events, as the first ones tell. An event must tell more: other APIs stream, too.
pub fn of(container: Container, text: &[u8], options: &Options) -> Answer {
    let least = if matches!(container, Container::Events { .. }) { 50 } else { TELLING };
    of_records(text, &options.pointer, least, options.dialect)
}

/// The format of lines, as the first ones tell.
pub fn of_lines(text: &[u8], steps: &[String]) -> Option<Reading> {
    match of_records(text, steps, TELLING, None) {
        Answer::Read(reading) => Some(reading),
        Answer::Unknown { .. } | Answer::Unreadable => None,
    }
}

/// The votes for a format.
#[derive(Clone, Copy, Default)]
struct Votes {
    /// Sum of its claims.
    sum: u32,
    /// Records that it claims at all.
    known: u32,
    /// Its surest claim.
    best: u8,
}

/// The format that the first records vote for. It must claim one of them with at least `least`, and know most.
fn of_records(text: &[u8], steps: &[String], least: u8, dialect: Option<&str>) -> Answer {
    let mut votes = vec![Votes::default(); FORMATS.len()];
    let (mut voters, mut alone) = (0, 0);
    first_records(text, steps, &mut |val, (at, len)| {
        voters += 1;
        let probe = Probe::new(val);
        let mut is_history = false;
        for (votes, format) in votes.iter_mut().zip(FORMATS) {
            let score = format.detect(&probe);
            let asked = dialect.is_some_and(|dialect| format.info().dialect.info().name == dialect);
            let claims = score >= least || asked && format.info().may_be(&probe);
            is_history |= claims && !format.info().histories.span_records();
            votes.sum += u32::from(score);
            votes.known += u32::from(score > 0);
            votes.best = votes.best.max(score);
        }
        alone += u32::from(is_history);
        let is_much = voters >= FEW && at + len >= MUCH;
        voters < SAMPLE && !is_much && !(voters == FEW && are_sure(&votes, voters))
    });
    // The first of the best, among those that know most of what they would read.
    let mut winner: Option<(u32, Reading)> = None;
    for (format, votes) in FORMATS.iter().copied().zip(&votes) {
        let spans = format.info().histories.span_records();
        let most = if spans { votes.known * 2 > voters } else { alone * 2 >= voters };
        let claims = votes.best >= least || !spans && alone > 0;
        if claims && most && winner.is_none_or(|(sum, _)| votes.sum > sum) {
            winner = Some((votes.sum, if spans { Reading::By(format) } else { Reading::Each }));
        }
    }
    match winner {
        Some((_, reading)) => Answer::Read(reading),
        None if voters == 0 => Answer::Unreadable,
        None => looks_like(text, steps),
    }
}

/// Whether one format claims all records, surely, and no other much of them.
fn are_sure(votes: &[Votes], voters: u32) -> bool {
    let first = votes.iter().map(|votes| votes.sum).max().unwrap_or(0);
    let rivals = votes.iter().filter(|votes| votes.sum * 2 > first).count();
    let is_sure = |votes: &Votes| votes.sum == first && votes.known == voters && votes.best >= SURE;
    rivals == 1 && votes.iter().any(is_sure)
}

/// What the first records look like that no format reads. The first one often is a header, which says most.
fn looks_like(text: &[u8], steps: &[String]) -> Answer {
    let (mut looks, mut seen, mut looked) = (None, (0, 0), 0);
    first_records(text, steps, &mut |val, at| {
        looks = unread::of(val);
        if looked == 0 || looks.is_some() {
            seen = at;
        }
        looked += 1;
        looks.is_none() && looked < SAMPLE
    });
    Answer::Unknown { looks, at: seen }
}

/// Hands the first records of a text that can be read to `see`, with where each lies and its length, until that gives
/// `false`.
fn first_records(text: &[u8], steps: &[String], see: &mut dyn FnMut(Val<'_>, (usize, usize)) -> bool) {
    let mut tape = Tape::new();
    let (mut next, mut enough) = (0, false);
    for (start, line) in lines::split(text) {
        let before = framing::before_value(line);
        let line = line.get(before..).unwrap_or_default();
        if enough {
            break;
        }
        if start < next || line.trim_ascii().is_empty() {
            continue;
        }
        if scan(line, &mut tape).is_ok() {
            let val = tape.root(line).and_then(|root| pointer::resolve(root, steps));
            enough = val.is_some_and(|val| !see(val, (start + before, line.trim_ascii_end().len())));
        } else if let Some((len, plain)) = of_event(text.get(start + before..).unwrap_or_default(), before)
            && scan(&plain, &mut tape).is_ok()
        {
            next = start + before + len;
            let val = tape.root(&plain).and_then(|root| pointer::resolve(root, steps));
            enough = val.is_some_and(|val| !see(val, (start + before, len)));
        } else if before == 0 {
            let known = |val: Val<'_>| pointer::resolve(val, steps).is_some_and(is_known);
            let found = damage::recover(text.get(start..).unwrap_or_default(), true, &known);
            next = start + found.len;
            for part in found.parts {
                let Part::Value(span, escaped) = part else { continue };
                let (from, len) = (start + span.start, span.len());
                let plain = || text.get(from..from + len).unwrap_or_default().to_vec();
                let own = escaped.map_or_else(plain, |escaped| escaped.text);
                let root = scan(&own, &mut tape).ok().and_then(|()| tape.root(&own));
                let val = root.and_then(|root| pointer::resolve(root, steps));
                enough = val.is_some_and(|val| !see(val, (from, len)));
                if enough {
                    break;
                }
            }
        }
    }
}

/// The text of an event that is spread over several lines, and their length.
fn of_event(text: &[u8], before: usize) -> Option<(usize, Vec<u8>)> {
    let len = container::lines_of_event(text).filter(|_| before > 0)?;
    Some((len, framing::joined(text.get(..len)?, 0)?.0))
}
