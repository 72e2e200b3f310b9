//! What a repair does, made readable: each change with its reason, and the list of changes.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use crate::diff::item::{self, Line, Show, Sign};
use crate::history::{Flags, Row};
use crate::json::{Tape, Val, scan};
use crate::judge::Judged;
use crate::place::{DocId, Edit, Patch, Pieces, Place};
use crate::read::{self, Texts};
use crate::repair::{Action, Cause, Change, Fixed};
use crate::rule::Loss;
use crate::rules;
use crate::source::{ReadAt, append, display_name};

use super::diagnose::{diagnose, diagnose_some};
use super::item_facts::call_id;
use super::mask;
use super::place::spots;
use super::snippet::masked_string;
use super::snippet_reader::Content;
use super::words::{grouped, harmless};
use super::{Diagnostic, Spot};

/// A change made readable.
#[derive(Clone, Debug)]
pub struct ChangeNote {
    /// The rule's code, or the flag that asked for the change.
    pub rule: String,
    pub name: &'static str,
    pub action: Action,
    pub loss: Loss,
    pub what: &'static str,
    pub path: String,
    pub spot: Spot,
    /// Where a moved item comes to stand, or from where a copy comes.
    pub other: Option<Spot>,
    /// Bytes of the item.
    pub bytes: u32,
    /// The message of the finding.
    pub reason: Option<String>,
    pub api_message: Option<String>,
    pub item: String,
    /// Number of the record, from 1.
    pub record: u32,
    pub at: Place,
    pub row: Row,
    /// The place that `other` names.
    pub other_at: Option<Place>,
    pub cause: Cause,
    /// Number of the user's turn that the item is in, from 1.
    pub turn: Option<u32>,
    /// What it takes away, where that is not the item itself.
    pub removed: Vec<(Spot, Place)>,
}

impl ChangeNote {
    /// The pointer, or where there is none, as in a line that is an item, the record.
    pub(super) fn where_in_doc(&self) -> String {
        if self.spot.pointer.is_empty() { format!("record {}", self.record) } else { self.spot.pointers() }
    }
}

/// Makes the changes to a doc readable.
pub fn notes(id: DocId, label: &str, bytes: &dyn ReadAt, fixed: &Fixed) -> io::Result<Vec<ChangeNote>> {
    if let Some(format) =
        fixed.before.format.filter(|format| format.layout().is_made() && !fixed.changes.is_empty())
    {
        // The findings lie in what is made of the records.
        read::fill(id, bytes, &read::Options { format: Some(format), ..read::Options::default() })?;
    }
    if fixed.changes.is_empty() {
        return Ok(Vec::new());
    }
    let reasons = reasons(id, label, bytes, fixed)?;
    let reason = |change: &Change| reasons.get(&change.cause);
    // Most changes are made to the item in which the cause was found.
    let own_spot = |change: &Change| {
        let is_there = matches!(change.cause, Cause::Rule(_, _, at) if at == change.row.at);
        reason(change).filter(|_| is_there && !change.row.has(Flags::EMBEDDED)).map(|reason| &reason.spot)
    };
    let mut wanted: Vec<(Place, Flags)> = Vec::new();
    for change in &fixed.changes {
        if own_spot(change).is_none() {
            wanted.push((change.row.at, change.row.flags));
        }
        wanted.extend(change.other.map(|place| (place, Flags::default())));
    }
    wanted.extend(fixed.removed.iter().map(|removed| (removed.at, Flags::default())));
    let spots = spots(id, bytes, fixed.before.container, &fixed.before.lines, &wanted)?;
    let mut removed: HashMap<Place, Vec<(Spot, Place)>> = HashMap::new();
    for one in &fixed.removed {
        let spot = spots.get(&one.at).cloned().unwrap_or_default();
        removed.entry(one.item).or_default().push((spot, one.at));
    }
    let texts = Texts::new(bytes, super::diagnose::dialect_of(&fixed.before));
    let made = fixed.changes.iter().map(|change| {
        let (rule, name) = match change.cause {
            Cause::Rule(code, ..) => (code.to_string(), rules::by_code(code).map_or("", |rule| rule.name)),
            Cause::Flag(flag) => (flag.to_owned(), ""),
        };
        let reason = reason(change);
        ChangeNote {
            rule,
            name,
            action: change.action,
            loss: change.loss,
            what: change.what,
            path: label.to_owned(),
            spot: own_spot(change).or(spots.get(&change.row.at)).cloned().unwrap_or_default(),
            other: change.other.and_then(|place| spots.get(&place).cloned()),
            bytes: change.row.at.len,
            reason: reason.map(|reason| reason.message.clone()),
            api_message: reason.and_then(|reason| reason.api_message.clone()),
            item: item_name(&texts, change, fixed),
            record: change.row.record + 1,
            at: change.row.at,
            row: change.row,
            other_at: change.other,
            cause: change.cause,
            turn: fixed.around.get(&change.row.at).map(|around| around.turn).filter(|turn| *turn > 0),
            removed: removed.remove(&change.row.at).unwrap_or_default(),
        }
    });
    Ok(made.collect())
}

/// What is said of a finding for which something is changed.
struct Reason {
    message: String,
    api_message: Option<String>,
    spot: Spot,
}

/// Findings of which more is known than their reasons, at a time.
const AT_A_TIME: usize = 4 << 10;

/// The findings for which something is changed.
fn reasons(id: DocId, label: &str, bytes: &dyn ReadAt, fixed: &Fixed) -> io::Result<HashMap<Cause, Reason>> {
    let causes: HashSet<Cause> = fixed.changes.iter().map(|change| change.cause).collect();
    let cause = |judged: &Judged| {
        let finding = &judged.finding;
        Cause::Rule(finding.code, finding.variant, finding.row.at)
    };
    let found = fixed.before.judged.iter().filter(|judged| causes.contains(&cause(judged)));
    let found: Vec<Judged> = found.copied().collect();
    let mut reasons = HashMap::with_capacity(causes.len());
    for some in found.chunks(AT_A_TIME) {
        let told = diagnose_some(id, label, bytes, &fixed.before, some, Content::None)?;
        let told = told.into_iter().map(|told| {
            let Diagnostic { message, api_message, spot, .. } = told;
            Reason { message, api_message, spot }
        });
        reasons.extend(some.iter().map(cause).zip(told));
    }
    Ok(reasons)
}

/// Type and ids of the item that changes; of a translated store, of the item as it is sent.
fn item_name(texts: &Texts<'_>, change: &Change, fixed: &Fixed) -> String {
    let row = fixed.around.get(&change.row.at).map_or(&change.row, |around| &around.row);
    let text = |val: Option<Val<'_>>, mask: fn(&str) -> String| {
        val.and_then(|val| val.text()).map(|text| mask(&String::from_utf8_lossy(&text)))
    };
    let name = texts.item(row, |item| {
        if !item.is_object() {
            return "a field of the request".to_owned();
        }
        let kind = text(item.get("type"), mask::word).unwrap_or_else(|| row.kind.name().to_owned());
        let ids = match texts.called(item) {
            Some(names) => [names.id, names.key]
                .map(|name| name.map(|name| mask::id(&String::from_utf8_lossy(&name.decode())))),
            None => [text(item.get("id"), mask::id), call_id(item)],
        };
        let mut ids: Vec<String> = ids.into_iter().flatten().collect();
        // Blocks of some dialects are called and paired by one id.
        ids.dedup();
        format!("{kind} {}", ids.join(" "))
    });
    name.unwrap_or_else(|| "bytes".to_owned()).trim_end().to_owned()
}

/// One line a change.
pub fn write_list(notes: &[ChangeNote], out: &mut dyn Write) -> io::Result<()> {
    for note in notes {
        let spot = &note.spot;
        write!(
            out,
            "{}:{}:{}: {} {}: {}",
            display_name(&note.path),
            spot.line,
            spot.column,
            note.rule,
            note.item,
            note.what
        )?;
        writeln!(out, "{}", note.loss.mark())?;
    }
    Ok(())
}

/// The lines of what is done to one item; none if it only moves.
pub(super) fn hunk(
    same: &[ChangeNote],
    bytes: &dyn ReadAt,
    patch: &Patch,
    stub_of: &dyn Fn(&ChangeNote) -> Option<Vec<u8>>,
    show: &Shown,
) -> io::Result<Vec<Line>> {
    let is = |action| same.iter().any(|note| note.action == action);
    let Some(first) = same.first().filter(|_| is(Action::Drop) || !is(Action::Move)) else {
        return Ok(Vec::new());
    };
    let before = read(bytes, first.at)?;
    let mut lines = if is(Action::Drop) {
        item::lines(&before, b"", show)
    } else {
        let mut after = patched(&before, first.at, patch.edits(first.at.doc), bytes)?;
        // A member of the request goes with its key, which is in front of it.
        if is(Action::Strip) && after == before {
            after.clear();
        }
        item::lines(&before, &after, show)
    };
    for stub in same.iter().filter(|note| note.action == Action::Stub).filter_map(stub_of) {
        lines.extend(item::lines(b"", &stub, show));
    }
    Ok(lines)
}

/// What is added after an item: the answer to a call, or what is put in front of a message.
pub fn stub(fixed: &Fixed, bytes: &dyn ReadAt, note: &ChangeNote) -> Option<Vec<u8>> {
    // Of a translated store, the call as it is sent.
    let around = fixed.around.get(&note.at);
    let dialect = around.map_or(fixed.before.format?.info(), |around| around.info).dialect;
    let text = read(bytes, around.map_or(note.at, |around| around.row.at)).ok()?;
    let mut tape = Tape::new();
    scan(&text, &mut tape).ok()?;
    let bridge = || dialect.info().bridge.or(dialect.info().continuation).map(|text| text.as_bytes().to_vec());
    // A call that cannot be answered here gets no message in its place.
    dialect.stub(tape.root(&text)?).ok().or_else(|| bridge().filter(|_| !note.row.calls_client()))
}

fn read(bytes: &dyn ReadAt, at: Place) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    bytes.read_into(at.start, at.len as usize, &mut text)?;
    Ok(text)
}

/// The text of an item with the edits that lie in it.
fn patched(text: &[u8], at: Place, edits: &[Edit], bytes: &dyn ReadAt) -> io::Result<Vec<u8>> {
    let from = edits.partition_point(|edit| edit.at.start < at.start);
    let inside: Vec<Edit> = edits
        .iter()
        .skip(from)
        .take_while(|edit| edit.at.start < at.end())
        .filter(|edit| at.contains(&edit.at) && (edit.at.len > 0 || edit.at.start > at.start))
        .map(|edit| Edit { at: Place { start: edit.at.start - at.start, ..edit.at }, with: edit.with.clone() })
        .collect();
    // Kept runs speak of the item's text, copies of the doc: they are told apart by the edit that brings them.
    let between = |from: usize, to: usize| text.get(from..to).ok_or(io::ErrorKind::InvalidData);
    let mut out = Vec::with_capacity(text.len());
    let mut kept = 0;
    for edit in &inside {
        out.extend_from_slice(between(kept, edit.at.start as usize)?);
        edit.with.iter().try_for_each(|piece| append(bytes, piece, &mut out))?;
        kept = edit.at.end() as usize;
    }
    out.extend_from_slice(between(kept, text.len())?);
    Ok(out)
}

pub(super) fn write_lines(lines: &[Line], paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
    for line in lines {
        match line.sign {
            Sign::Same => writeln!(out, "   {}", line.text)?,
            Sign::Gap => writeln!(out, "   {}", paint.dim(&line.text))?,
            Sign::Removed => writeln!(out, " {}", paint.removed(line))?,
            Sign::Added => writeln!(out, " {}", paint.added(line))?,
        }
    }
    Ok(())
}

/// How strings look in a hunk.
pub(super) struct Shown {
    pub(super) masked: bool,
    pub(super) width: usize,
}

impl Show for Shown {
    fn string(&self, val: Val<'_>, key: Option<&str>) -> String {
        if self.masked {
            return masked_string(val, key);
        }
        let raw = harmless(&String::from_utf8_lossy(val.raw()));
        let most = self.width.saturating_sub(24).max(40);
        let chars = raw.chars().count();
        if chars <= most {
            return raw;
        }
        // The middle is left out; both ends tell which string it is.
        let end = most / 3;
        let head: String = raw.chars().take(most - end).collect();
        let tail: String = raw.chars().skip(chars - end).collect();
        format!("{head}…({} chars)…{tail}", grouped((chars - most) as u64))
    }

    fn key(&self, key: &str) -> String {
        if self.masked { mask::word(key) } else { harmless(&crate::json::string::escaped(key).to_string()) }
    }

    fn number(&self, val: Val<'_>) -> String {
        if self.masked { "#".to_owned() } else { String::from_utf8_lossy(val.raw()).into_owned() }
    }
}

pub(super) struct Paint {
    pub(super) color: bool,
}

impl Paint {
    fn wrap(&self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    pub(super) fn bold(&self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(super) fn dim(&self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub(super) fn removed(&self, line: &Line) -> String {
        self.marked('-', "31", line)
    }

    pub(super) fn added(&self, line: &Line) -> String {
        self.marked('+', "32", line)
    }

    /// A line in one colour, what changed within it reversed.
    fn marked(&self, sign: char, code: &str, line: &Line) -> String {
        if !self.color {
            return format!("{sign} {}", line.text);
        }
        let mut out = format!("\u{1b}[{code}m{sign} ");
        let mut at = 0;
        for &(from, to) in &line.marks {
            out.push_str(&line.text[at..from]);
            out.push_str("\u{1b}[7m");
            out.push_str(&line.text[from..to]);
            out.push_str("\u{1b}[27m");
            at = to;
        }
        out.push_str(&line.text[at..]);
        out.push_str("\u{1b}[0m");
        out
    }
}

/// Findings that are left after a repair, told at their places in what was or would be written.
pub fn left(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    fixed: &Fixed,
    content: Content,
) -> io::Result<Vec<Diagnostic>> {
    let view = crate::source::Patched::new(bytes, Pieces::new(fixed.patch.edits(id), id, bytes.len()));
    if let Some(format) = fixed.left().format.filter(|format| format.layout().is_made()) {
        // What is made of records is not part of the patched bytes: it is made anew.
        let options = read::Options { format: Some(format), ..read::Options::default() };
        read::fill(id, &view, &options)?;
    }
    let mut diagnostics = diagnose(id, label, &view, fixed.left(), content)?;
    let why_not = fixed.reasons();
    for (diagnostic, judged) in diagnostics.iter_mut().zip(&fixed.left().judged) {
        if let Some(why) = why_not(judged) {
            diagnostic.no_fix = Some(why);
            diagnostic.fix = None;
        }
    }
    Ok(diagnostics)
}
