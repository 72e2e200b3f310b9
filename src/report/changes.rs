//! The changes of a repair in readable form: each with its reason, and the list of changes.

use std::io::{self, Write};
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::diff::item::{self, DiffLine, Sign, ValuePrinter};
use crate::history::{Flags, Row};
use crate::json::{Tape, Val, scan};
use crate::judge::WeighedFinding;
use crate::message::smaller_image::ImageChange;
use crate::place::{DocId, Edit, Patch, Pieces, Place};
use crate::read::{self, TextReader};
use crate::repair::{Action, Cause, DocRepair, ItemChange};
use crate::rule::Loss;
use crate::rules;
use crate::source::{ReadAt, append_piece, display_name};

use super::diagnose::diagnose_batches;
use super::finding_reader::ContentDisplay;
use super::hunks;
use super::item_facts::call_id;
use super::locator::locate_places;
use super::mask;
use super::prediction::predictions::Predictions;
use super::snippet::mask_string;
use super::words::{count, replace_hidden};
use super::{Diagnostic, FindingSample, Location};

/// A change in readable form.
#[derive(Clone, Debug)]
pub struct ChangeNote {
    /// Its number among the changes of the document, from 0.
    pub number: u32,
    /// The rule's code, or the flag that asked for the change.
    pub rule: String,
    pub name: &'static str,
    pub action: Action,
    pub loss: Loss,
    pub description: &'static str,
    /// What becomes of its images, if they are made smaller.
    pub images: Option<Box<ImageChange>>,
    pub path: Arc<str>,
    pub location: Location,
    /// The destination of a moved item, or the source of a copy.
    pub other: Option<Location>,
    /// Length of the item in bytes.
    pub bytes: u32,
    /// The message of the finding.
    pub reason: Option<Arc<str>>,
    pub api_message: Option<Arc<str>>,
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
    /// The parts of the item that it removes; empty if it removes the item itself.
    pub removed: Vec<(Location, Place)>,
}

impl ChangeNote {
    /// What is done, with the facts that are known of it, and the loss.
    pub(super) fn what(&self) -> String {
        let facts = self.images.as_ref().map(|images| format!(": {images}")).unwrap_or_default();
        format!("{}{facts}{}", self.description, self.loss.mark())
    }

    /// The pointer; the record if there is none, as for a line that is an item.
    pub(super) fn place_in_doc(&self) -> String {
        if self.location.pointer.is_empty() { format!("record {}", self.record) } else { self.location.pointers() }
    }
}

/// The changes to a document in readable form.
pub fn notes(id: DocId, label: &str, bytes: &dyn ReadAt, fixed: &DocRepair) -> io::Result<Vec<ChangeNote>> {
    notes_about(id, label, bytes, fixed, &vec![true; fixed.changes.len()])
}

/// Those that a preview shows, some of each kind.
pub fn notes_for_preview(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    fixed: &DocRepair,
) -> io::Result<Vec<ChangeNote>> {
    notes_about(id, label, bytes, fixed, &hunks::shown_changes(&fixed.changes))
}

/// The notes on the changes that are `shown`.
fn notes_about(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    fixed: &DocRepair,
    shown: &[bool],
) -> io::Result<Vec<ChangeNote>> {
    if let Some(format) =
        fixed.before.format.filter(|format| format.layout().is_synthetic() && !fixed.changes.is_empty())
    {
        // The findings are in text that is synthesised from the records.
        read::merge_events(id, bytes, &read::Options { format: Some(format), ..read::Options::default() })?;
    }
    if fixed.changes.is_empty() {
        return Ok(Vec::new());
    }
    let all = || (0..).zip(&fixed.changes).zip(shown).filter(|(_, shown)| **shown).map(|(change, _)| change);
    let causes: HashSet<Cause> = all().map(|(_, change)| change.cause).collect();
    let items: HashSet<Place> = all().map(|(_, change)| change.row.at).collect();
    let reasons = reasons(id, label, bytes, fixed, &causes)?;
    let reason = |change: &ItemChange| reasons.get(&change.cause);
    // Most changes are made to the item in which the cause was found.
    let own_location = |change: &ItemChange| {
        let is_there = matches!(change.cause, Cause::Rule(_, _, at) if at == change.row.at);
        reason(change).filter(|_| is_there && !change.row.has(Flags::EMBEDDED)).map(|reason| &reason.location)
    };
    let mut wanted: Vec<(Place, Flags)> = Vec::new();
    for (_, change) in all() {
        if own_location(change).is_none() {
            wanted.push((change.row.at, change.row.flags));
        }
        wanted.extend(change.anchor.map(|place| (place, Flags::default())));
    }
    let removed = fixed.removed.iter().filter(|removed| items.contains(&removed.item));
    wanted.extend(removed.map(|removed| (removed.at, Flags::default())));
    let locations = locate_places(id, bytes, fixed.before.container, &fixed.before.lines, &wanted)?;
    let mut removed: HashMap<Place, Vec<(Location, Place)>> = HashMap::default();
    for one in fixed.removed.iter().filter(|removed| items.contains(&removed.item)) {
        let location = locations.get(&one.at).cloned().unwrap_or_default();
        removed.entry(one.item).or_default().push((location, one.at));
    }
    let texts = TextReader::new(bytes, super::diagnose::dialect_of(&fixed.before));
    let path: Arc<str> = label.into();
    let mut notes = Vec::with_capacity(all().count());
    notes.extend(all().map(|(number, change)| {
        let (rule, name) = match change.cause {
            Cause::Rule(code, ..) => (code.to_string(), rules::by_code(code).map_or("", |rule| rule.name)),
            Cause::Flag(flag) => (flag.to_owned(), ""),
        };
        let reason = reason(change);
        ChangeNote {
            number,
            rule,
            name,
            action: change.action,
            loss: change.loss,
            description: change.description,
            images: change.images.clone(),
            path: Arc::clone(&path),
            location: own_location(change).or(locations.get(&change.row.at)).cloned().unwrap_or_default(),
            other: change.anchor.and_then(|place| locations.get(&place).cloned()),
            bytes: change.row.at.len,
            reason: reason.map(|reason| reason.message.clone()),
            api_message: reason.and_then(|reason| reason.api_message.clone()),
            item: item_name(&texts, change, fixed, bytes.len()),
            record: change.row.record + 1,
            at: change.row.at,
            row: change.row,
            other_at: change.anchor,
            cause: change.cause,
            turn: fixed.surroundings.get(&change.row.at).map(|around| around.turn).filter(|turn| *turn > 0),
            removed: removed.remove(&change.row.at).unwrap_or_default(),
        }
    }));
    Ok(notes)
}

/// The message and the location of a finding that causes a change.
struct FindingReason {
    message: Arc<str>,
    api_message: Option<Arc<str>>,
    location: Location,
}

/// The findings that are these causes of changes, by cause.
fn reasons(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    fixed: &DocRepair,
    causes: &HashSet<Cause>,
) -> io::Result<HashMap<Cause, FindingReason>> {
    let cause = |judged: &WeighedFinding| {
        let finding = &judged.finding;
        Cause::Rule(finding.code, finding.variant, finding.row.at)
    };
    let found = fixed.before.findings.iter().filter(|judged| causes.contains(&cause(judged)));
    let found: Vec<WeighedFinding> = found.copied().collect();
    let mut reasons = HashMap::with_capacity(causes.len());
    let mut causes = found.iter().map(cause);
    diagnose_batches(id, label, bytes, &fixed.before, &found, ContentDisplay::None, &mut |batch| {
        let batch = batch.into_iter().map(|diagnostic| {
            let Diagnostic { message, api_message, location, .. } = diagnostic;
            FindingReason { message: message.into(), api_message: api_message.map(Into::into), location }
        });
        // In this order no cause is taken after the last of a batch.
        reasons.extend(batch.zip(causes.by_ref()).map(|(reason, cause)| (cause, reason)));
        Ok(())
    })?;
    Ok(reasons)
}

/// Type and ids of the item that changes; for a translated store, of the item as it is sent. `total` is the length of the
/// file.
fn item_name(texts: &TextReader<'_>, change: &ItemChange, fixed: &DocRepair, total: u64) -> String {
    let row = &fixed.surroundings.get(&change.row.at).map_or(change.row, |around| around.row);
    let text = |val: Option<Val<'_>>, mask: fn(&str) -> String| {
        val.and_then(|val| val.text()).map(|text| mask(&String::from_utf8_lossy(&text)))
    };
    let name = texts.with_item(row, |item| {
        if !item.is_object() {
            return "a field of the request".to_owned();
        }
        let kind = text(item.get("type"), mask::word).unwrap_or_else(|| row.kind.name().to_owned());
        let ids = match texts.ids(item) {
            Some(names) => [names.id, names.key]
                .map(|name| name.map(|name| mask::id(&String::from_utf8_lossy(&name.decode())))),
            None => [text(item.get("id"), mask::id), call_id(item)],
        };
        let mut ids: Vec<String> = ids.into_iter().flatten().collect();
        // In some dialects one id both names and pairs a block.
        ids.dedup();
        format!("{kind} {}", ids.join(" "))
    });
    name.unwrap_or_else(|| part_of_file(change.row.at, total).to_owned()).trim_end().to_owned()
}

/// The part of a file that bytes without an item are in. `total` is the length of the file.
fn part_of_file(at: Place, total: u64) -> &'static str {
    match (at.start == 0, at.end() >= total) {
        (true, false) => "start of file",
        (false, true) => "end of file",
        _ => "text",
    }
}

/// Writes one line per change.
pub fn write_list(notes: &[ChangeNote], out: &mut dyn Write) -> io::Result<()> {
    for note in notes {
        let location = &note.location;
        write!(
            out,
            "{}:{}:{}: {} {}: {}",
            display_name(&note.path),
            location.line,
            location.column,
            note.rule,
            note.item,
            note.what()
        )?;
        writeln!(out)?;
    }
    Ok(())
}

/// The diff of all changes to one item; empty if it only moves.
pub(super) fn hunk_lines(
    same: &[ChangeNote],
    bytes: &dyn ReadAt,
    patch: &Patch,
    stub_of: &dyn Fn(&ChangeNote) -> Option<Vec<u8>>,
    show: &ValueDisplay,
) -> io::Result<Vec<DiffLine>> {
    let is = |action| same.iter().any(|note| note.action == action);
    let Some(first) = same.first().filter(|_| is(Action::Drop) || !is(Action::Move)) else {
        return Ok(Vec::new());
    };
    let before = read_place(bytes, first.at)?;
    let mut lines = if is(Action::Drop) {
        item::lines(&before, b"", show)
    } else {
        let mut after = apply_edits(&before, first.at, patch.edits(first.at.doc), bytes)?;
        // A member of the request is removed with its key, which precedes it.
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

/// The item that is added after a call, as its answer, or before a message; `None` if the dialect has none.
pub fn placeholder(fixed: &DocRepair, bytes: &dyn ReadAt, note: &ChangeNote) -> Option<Vec<u8>> {
    // For a translated store, the call as it is sent.
    let around = fixed.surroundings.get(&note.at);
    let dialect = around.map_or(fixed.before.format?.info(), |around| around.info).dialect;
    let text = read_place(bytes, around.map_or(note.at, |around| around.row.at)).ok()?;
    let mut tape = Tape::new();
    scan(&text, &mut tape).ok()?;
    let bridge = || dialect.info().bridge.or(dialect.info().continuation).map(|text| text.as_bytes().to_vec());
    // A call that cannot be answered here gets no message in its place.
    dialect.stub(tape.root(&text)?).ok().or_else(|| bridge().filter(|_| !note.row.calls_client()))
}

fn read_place(bytes: &dyn ReadAt, at: Place) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    bytes.read_into(at.start, at.len as usize, &mut text)?;
    Ok(text)
}

/// The text of an item with the edits within it applied.
fn apply_edits(text: &[u8], at: Place, edits: &[Edit], bytes: &dyn ReadAt) -> io::Result<Vec<u8>> {
    let from = edits.partition_point(|edit| edit.at.start < at.start);
    let inside: Vec<Edit> = edits
        .iter()
        .skip(from)
        .take_while(|edit| edit.at.start < at.end())
        .filter(|edit| at.contains(&edit.at) && (edit.at.len > 0 || edit.at.start > at.start))
        .map(|edit| Edit { at: Place { start: edit.at.start - at.start, ..edit.at }, with: edit.with.clone() })
        .collect();
    // Unchanged runs are offsets in the item's text, copies are places in the document.
    let between = |from: usize, to: usize| text.get(from..to).ok_or(io::ErrorKind::InvalidData);
    let mut out = Vec::with_capacity(text.len());
    let mut kept = 0;
    for edit in &inside {
        out.extend_from_slice(between(kept, edit.at.start as usize)?);
        edit.with.iter().try_for_each(|piece| append_piece(bytes, piece, &mut out))?;
        kept = edit.at.end() as usize;
    }
    out.extend_from_slice(between(kept, text.len())?);
    Ok(out)
}

/// Writes the lines of a hunk.
pub(super) fn write_lines(lines: &[DiffLine], paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
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

/// How values are displayed in a hunk.
pub(super) struct ValueDisplay {
    pub(super) masked: bool,
    pub(super) width: usize,
}

impl ValuePrinter for ValueDisplay {
    fn string(&self, val: Val<'_>, key: Option<&str>) -> String {
        if self.masked {
            return mask_string(val, key);
        }
        let raw = replace_hidden(&String::from_utf8_lossy(val.raw()));
        let most = self.width.saturating_sub(24).max(40);
        let chars = raw.chars().count();
        if chars <= most {
            return raw;
        }
        // The middle is left out; both ends identify the string.
        let end = most / 3;
        let head: String = raw.chars().take(most - end).collect();
        let tail: String = raw.chars().skip(chars - end).collect();
        format!("{head}…({})…{tail}", count((chars - most) as u64, "char"))
    }

    fn key(&self, key: &str) -> String {
        if self.masked { mask::word(key) } else { replace_hidden(&crate::json::string::escaped(key).to_string()) }
    }

    fn number(&self, val: Val<'_>) -> String {
        if self.masked { "#".to_owned() } else { String::from_utf8_lossy(val.raw()).into_owned() }
    }
}

/// Colours of a diff.
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

    pub(super) fn removed_text(&self, text: &str) -> String {
        self.wrap("31", text)
    }

    pub(super) fn added_text(&self, text: &str) -> String {
        self.wrap("32", text)
    }

    pub(super) fn removed(&self, line: &DiffLine) -> String {
        self.marked('-', "31", line)
    }

    pub(super) fn added(&self, line: &DiffLine) -> String {
        self.marked('+', "32", line)
    }

    /// A line in one colour, with the changes within it reversed.
    fn marked(&self, sign: char, code: &str, line: &DiffLine) -> String {
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

/// Diagnostics of the findings that remain after a repair, located in the text that was or would be written.
pub fn remaining_diagnostics(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    fixed: &DocRepair,
    content: ContentDisplay,
) -> io::Result<Vec<Diagnostic>> {
    let predictions = Predictions::of_remaining(fixed);
    diagnose_remaining(id, label, bytes, fixed, &predictions, &FindingSample::all(), content)
}

/// The same of a sample of these findings, with the `predictions` of what another repair does.
pub fn diagnose_remaining(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    fixed: &DocRepair,
    predictions: &Predictions,
    sample: &FindingSample,
    content: ContentDisplay,
) -> io::Result<Vec<Diagnostic>> {
    let view = crate::source::PatchedView::new(bytes, Pieces::new(fixed.patch.edits(id), id, bytes.len()));
    if let Some(format) = fixed.remaining().format.filter(|format| format.layout().is_synthetic()) {
        // Synthesised text is not part of the patched bytes: it is made again.
        let options = read::Options { format: Some(format), ..read::Options::default() };
        read::merge_events(id, &view, &options)?;
    }
    predictions.diagnose(id, label, &view, fixed.remaining(), sample, content)
}
