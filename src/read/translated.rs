//! What the records of a store are translated into: the items of its threads are written into one text, and read from there
//! as any others are. The text is illegal where the store is, so that what is wrong is found.

use std::io;
use std::ops::Range;

use crate::format::translate::{ThreadReader, Translated};
use crate::format::{Format, FormatInfo, Mark, Sink};
use crate::history::Finding;
use crate::history::settings::{Around, Settings};
use crate::history::tree::Entry;
use crate::json::provenance::Written;
use crate::message::Raw;
use crate::message::write::Writer;
use crate::place::{DocId, Place};
use crate::source::{Made, ReadAt};

use super::stage::Stage;
use super::{Visitor, coverage, pieces};

/// A history, or a tree of them.
pub(super) struct WrittenHistory {
    pub info: &'static FormatInfo,
    settings: Settings,
    /// Where the body of its request is in the written text.
    request: Option<Range<usize>>,
    /// Where its items are in the written text, each with the number of its record.
    items: Vec<(Range<usize>, u32)>,
    /// Nodes of a tree, each with the number of items before it.
    entries: Vec<(usize, Entry)>,
    findings: Vec<Finding>,
}

/// Translates the records at these places. `broken` says that others could not be read; `covering` is the format that names
/// what no message needs to say, if what is lost is asked for.
pub(super) fn write(
    bytes: &dyn ReadAt,
    records: &[(Place, u32)],
    mut reader: Box<dyn ThreadReader>,
    broken: bool,
    covering: Option<&'static dyn Format>,
) -> io::Result<(Written, Vec<WrittenHistory>)> {
    pieces::each(bytes, records, &mut |_, record| reader.take(record))?;
    let mut written = Written::default();
    let (mut histories, mut spans) = (Vec::new(), Vec::new());
    for mut translated in reader.finish() {
        translated.settings.broken |= broken;
        let first = written.spans.len();
        histories.push(WrittenHistory::of(translated, &mut written));
        spans.push(first..written.spans.len());
    }
    if let Some(format) = covering {
        let parts = histories.iter().zip(spans).map(|(history, spans)| coverage::Part {
            spans: written.spans.get(spans).unwrap_or_default(),
            lost: &history.settings.lost,
            unsent: &history.settings.unsent,
        });
        let parts: Vec<coverage::Part<'_>> = parts.collect();
        let lost = coverage::lost(bytes, records, format, &parts)?;
        histories.iter_mut().zip(lost).for_each(|(history, lost)| history.settings.lost.extend(lost));
    }
    Ok((written, histories))
}

impl WrittenHistory {
    /// Writes the items of a thread, each on a line of its own.
    fn of(translated: Translated, written: &mut Written) -> WrittenHistory {
        let Translated { info, settings, thread, entries: nodes, request, findings } = translated;
        let first = thread.instructions.first().map(|first| first.at.place);
        let request = request.or_else(|| {
            let body =
                first.map(|at| Raw::build(at, |w| w.object(|w| info.dialect.write_instructions(&thread, w))));
            body.filter(|body| !body.is("{}"))
        });
        let request = request.map(|body| {
            let at = body.origin().map(|origin| origin.whole).unwrap_or_default();
            line(written, at, |w| w.raw(&body))
        });
        let (mut items, mut entries) = (Vec::new(), Vec::with_capacity(nodes.len()));
        let mut nodes = nodes.into_iter().peekable();
        for (n, message) in thread.messages.iter().enumerate() {
            while let Some((_, entry)) = nodes.next_if(|(before, _)| *before <= n) {
                entries.push((items.len(), entry));
            }
            info.dialect.write_items(&thread, message, &mut |write| {
                items.push((line(written, message.at.place, |w| write(w)), message.record));
            });
        }
        entries.extend(nodes.map(|(_, entry)| (items.len(), entry)));
        WrittenHistory { info, settings, request, items, entries, findings }
    }
}

/// Writes a value on a line of its own. Gives where it is.
fn line(written: &mut Written, at: Place, write: impl FnOnce(&mut Writer<'_>)) -> Range<usize> {
    let start = written.text.len();
    write(&mut Writer::tracing(written, at));
    let span = start..written.text.len();
    written.text.push(b'\n');
    span
}

/// Reads a history of the written text.
pub(super) fn read<V: Visitor>(history: WrittenHistory, id: DocId, made: &Made, stage: &mut Stage<'_, V>) {
    let WrittenHistory { info, settings, request, items, entries, findings } = history;
    let place = |span: Range<usize>| Place::new(id, made.start() + span.start as u64, span.len() as u32);
    let is_tree = !entries.is_empty();
    let around = settings.around.or(request.map(|span| Around::of(place(span))));
    stage.mark(Mark::Start(Box::new(Settings { around, ..settings })));
    let mut entries = entries.into_iter().peekable();
    for (n, (span, record)) in items.into_iter().enumerate() {
        while let Some((_, entry)) = entries.next_if(|(before, _)| *before <= n) {
            stage.mark(Mark::Entry(Box::new(entry)));
        }
        let start = made.start() + span.start as u64;
        stage.message(made.text().get(span).unwrap_or_default(), start, record, info);
    }
    entries.for_each(|(_, entry)| stage.mark(Mark::Entry(Box::new(entry))));
    if !is_tree {
        stage.mark(Mark::End);
    }
    stage.batch.raised.extend(findings);
}
