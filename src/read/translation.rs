//! Translation of stores: the items of their threads are written into one synthetic text, and read from there as
//! any others are. The text is as invalid as the store, so that faults are found.

use std::io;
use std::ops::Range;

use crate::format::translate::{ThreadReader, TranslatedThread};
use crate::format::{Format, FormatInfo, Mark, Sink};
use crate::history::settings::{HistorySettings, RequestBody};
use crate::history::tree::TreeEntry;
use crate::history::{Finding, Flags};
use crate::json::provenance::TracedText;
use crate::message::RawJson;
use crate::message::write::JsonWriter;
use crate::place::{DocId, Place};
use crate::source::SyntheticText;

use super::source_records::SourceRecords;
use super::stage::Stage;
use super::{Visitor, coverage};

/// A translated history, or a tree of histories.
pub(super) struct WrittenHistory {
    pub info: &'static FormatInfo,
    settings: HistorySettings,
    /// Range of its request body in the written text.
    request: Option<Range<usize>>,
    items: Vec<WrittenItem>,
    /// Nodes of a tree, each with the number of items before it.
    entries: Vec<(usize, TreeEntry)>,
    findings: Vec<Finding>,
}

/// An item of a translated history.
struct WrittenItem {
    /// Its range in the written text.
    span: Range<usize>,
    /// The number of its record.
    record: u32,
    flags: Flags,
}

/// Translates the records at these places. `broken`: others could not be read. `covering` is the format that lists
/// unsent fields; `None` to skip the search for losses.
pub(super) fn write(
    records: &SourceRecords<'_>,
    mut reader: Box<dyn ThreadReader>,
    broken: bool,
    covering: Option<&'static dyn Format>,
) -> io::Result<(TracedText, Vec<WrittenHistory>)> {
    let mut is_alone = records.places.len() == 1 && records.bytes.hints().is_none();
    records.for_each(&mut |_, record| {
        is_alone &= record.val.is_object();
        reader.read(record);
    })?;
    // Hardly more is written than the records contain.
    let size: u64 = records.places.iter().map(|(at, _)| u64::from(at.len)).sum();
    let mut written = TracedText {
        text: Vec::with_capacity(size.min(MAX_BUFFER) as usize),
        spans: Vec::with_capacity((size / BYTES_PER_SPAN).min(MAX_SPANS) as usize),
    };
    let (mut histories, mut spans) = (Vec::new(), Vec::new());
    for mut translated in reader.finish() {
        translated.settings.broken |= broken;
        let alone = translated.info.editor.and_then(|editor| editor.alone).filter(|_| is_alone);
        translated.settings.read_only = translated.settings.read_only.or(alone);
        let first = written.spans.len();
        histories.push(WrittenHistory::of(translated, &mut written));
        spans.push(first..written.spans.len());
    }
    if let Some(format) = covering {
        let parts = histories.iter().zip(spans).map(|(history, spans)| coverage::HistoryProvenance {
            spans: written.spans.get(spans).unwrap_or_default(),
            lost: &history.settings.conversion_losses,
            unsent: &history.settings.unsent,
        });
        let parts: Vec<coverage::HistoryProvenance<'_>> = parts.collect();
        let lost = coverage::find_losses(records, format, &parts)?;
        histories.iter_mut().zip(lost).for_each(|(history, lost)| history.settings.conversion_losses.extend(lost));
    }
    Ok((written, histories))
}

/// A larger buffer grows as it is filled.
const MAX_BUFFER: u64 = 1 << 24;

/// Few stores have a span in fewer bytes than this on average.
const BYTES_PER_SPAN: u64 = 64;

/// A longer list of spans grows as it is filled.
const MAX_SPANS: u64 = 1 << 12;

impl WrittenHistory {
    /// Writes the items of a thread, each on a line of its own.
    fn of(translated: TranslatedThread, written: &mut TracedText) -> WrittenHistory {
        let TranslatedThread { info, settings, thread, entries: nodes, request, findings } = translated;
        let first = thread.instructions.first().map(|first| first.at.place);
        let request = request.or_else(|| {
            let body =
                first.map(|at| RawJson::build(at, |w| w.object(|w| info.dialect.write_instructions(&thread, w))));
            body.filter(|body| !body.is("{}"))
        });
        let request = request.map(|body| {
            let at = body.origin().map(|origin| origin.whole).unwrap_or_default();
            write_line(written, at, |w| w.raw(&body))
        });
        let mut items = Vec::with_capacity(thread.messages.len());
        let mut entries = Vec::with_capacity(nodes.len());
        let mut nodes = nodes.into_iter().peekable();
        for (n, message) in thread.messages.iter().enumerate() {
            while let Some((_, entry)) = nodes.next_if(|(before, _)| *before <= n) {
                entries.push((items.len(), entry));
            }
            let flags = if message.is_inserted { Flags::INSERTED } else { Flags::default() };
            info.dialect.write_items(&thread, message, &mut |write| {
                let span = write_line(written, message.at.place, |w| write(w));
                items.push(WrittenItem { span, record: message.record, flags });
            });
        }
        entries.extend(nodes.map(|(_, entry)| (items.len(), entry)));
        WrittenHistory { info, settings, request, items, entries, findings }
    }
}

/// Writes a value on a line of its own. Returns its range.
fn write_line(written: &mut TracedText, at: Place, write: impl FnOnce(&mut JsonWriter<'_>)) -> Range<usize> {
    let start = written.text.len();
    write(&mut JsonWriter::tracing(written, at));
    let span = start..written.text.len();
    written.text.push(b'\n');
    span
}

/// Reads a history of the written text.
pub(super) fn read<V: Visitor>(
    history: WrittenHistory,
    id: DocId,
    synthetic: &SyntheticText,
    stage: &mut Stage<'_, V>,
) {
    let WrittenHistory { info, settings, request, items, entries, findings } = history;
    let place = |span: Range<usize>| Place::new(id, synthetic.start() + span.start as u64, span.len() as u32);
    let is_tree = !entries.is_empty();
    stage.batch.reserve(items.len(), entries.len());
    let body = settings.body.or(request.map(|span| RequestBody::of(place(span))));
    stage.mark(Mark::Start(Box::new(HistorySettings { body, ..settings })));
    let mut entries = entries.into_iter().peekable();
    for (n, WrittenItem { span, record, flags }) in items.into_iter().enumerate() {
        while let Some((_, entry)) = entries.next_if(|(before, _)| *before <= n) {
            stage.mark(Mark::Entry(Box::new(entry)));
        }
        let start = synthetic.start() + span.start as u64;
        stage.translated_message(synthetic.text().get(span).unwrap_or_default(), start, record, flags, info);
    }
    entries.for_each(|(_, entry)| stage.mark(Mark::Entry(Box::new(entry))));
    if !is_tree {
        stage.mark(Mark::End);
    }
    stage.batch.record_findings.extend(findings);
}
