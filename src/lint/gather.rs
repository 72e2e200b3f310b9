//! Reading docs into one tree, for the commands that look at a conversation as a whole. Formats that know no tree give
//! one: each history is a path, a node for each turn of the user.

use std::io;

use crate::format::{Assembler, Format, Mark};
use crate::history::tree::{Builder, Entry, Part};
use crate::history::{Code, Finding, History, Row};
use crate::place::{DocId, Place};
use crate::rules::unknown_format::{BINARY, EMPTY, TEXT};
use crate::source::{Container, ReadAt, framing, lines};

use super::detect::{self, Answer, Reading};
use super::stage::{Batch, Stage};
use super::{Enabled, Options, streams, unknown};

/// What a doc added to a tree.
pub struct Gathered {
    pub container: Container,
    /// The format of the doc, or of the first record that has one.
    pub format: Option<&'static dyn Format>,
    /// What could not be read.
    pub raised: Vec<Finding>,
    pub records: u32,
}

/// Reads a doc and adds its nodes to a tree.
pub fn gather(id: DocId, bytes: &dyn ReadAt, options: &Options, tree: &mut Builder) -> io::Result<Gathered> {
    let container = framing::sniff(bytes)?;
    let no_rules = Enabled::new(|_| false);
    let mut all = Gathered { container, format: None, raised: Vec::new(), records: 0 };
    match container {
        Container::Document { start } => {
            let mut text = Vec::new();
            bytes.read_into(start, (bytes.len() - start) as usize, &mut text)?;
            let whole = Place::new(id, start, u32::try_from(text.len()).map_err(|_| io::ErrorKind::FileTooLarge)?);
            let reading = options.format.map_or(Reading::Document, Reading::By);
            let mut stage = Stage::new(options, &no_rules, id, reading);
            all.format = stage.record(&text, start, whole, simdutf8::basic::from_utf8(&text).is_ok());
            stage.batch.damage_cut();
            all.records = stage.batch.records;
            if let Some(format) = all.format {
                let mut assembler = Assembler::with_tree(format.info(), std::mem::take(tree));
                assembler.begin();
                let mut assembler = add(&mut stage.batch, assembler, id);
                all.raised = streams::of_stream(&mut assembler, bytes);
                *tree = end(assembler, id);
            }
            all.raised.append(&mut stage.batch.raised);
        }
        Container::Lines { start } | Container::Events { start } => {
            Lines { id, bytes, options, start }.read(&no_rules, &mut all, tree)?;
        }
        _ => {
            let variant = match container {
                Container::Empty => EMPTY,
                Container::Binary | Container::Utf16 { .. } => BINARY,
                _ => TEXT,
            };
            all.raised.push(unknown::doc(variant, id));
        }
    }
    Ok(all)
}

struct Lines<'l> {
    id: DocId,
    bytes: &'l dyn ReadAt,
    options: &'l Options,
    start: u64,
}

impl Lines<'_> {
    fn read(&self, no_rules: &Enabled, all: &mut Gathered, tree: &mut Builder) -> io::Result<()> {
        let mut buf = Vec::new();
        let limit = self.options.max_record;
        let first = lines::read(self.bytes, self.start, 0, limit, &mut buf)?;
        let reading = match self.options.format {
            Some(format) if format.info().histories.span_records() => Some(Reading::By(format)),
            Some(_) => Some(Reading::Each),
            None => match detect::of(all.container, first.bytes, &self.options.pointer) {
                Answer::Read(reading) => Some(reading),
                Answer::Unreadable if matches!(all.container, Container::Lines { .. }) => None,
                answer => {
                    all.raised.push(unknown::of_answer(answer, all.container, self.id, first.start));
                    return Ok(());
                }
            },
        };
        let reading = reading.unwrap_or(Reading::Each);
        let mut spanning = match reading {
            Reading::By(format) => {
                all.format = Some(format);
                Some(Assembler::with_tree(format.info(), std::mem::take(tree)))
            }
            _ => None,
        };
        let mut stage = Stage::new(self.options, no_rules, self.id, reading);
        for n in 0..lines::chunks(self.bytes.len(), self.start) {
            let read = lines::read(self.bytes, self.start, n, limit, &mut buf)?;
            let valid = simdutf8::basic::from_utf8(read.bytes).is_ok();
            for (at, line) in lines::split(read.bytes) {
                let Some(skip) = all.container.record_in(line) else { continue };
                if line.trim_ascii().is_empty() {
                    continue;
                }
                let mut at = at + skip;
                let end = at - skip + line.len();
                // Some writers glue several values onto one line.
                while at < end {
                    let start = read.start + at as u64;
                    let (len, format) = stage.line(&read.bytes[at..end], start, valid);
                    all.format = all.format.or(format);
                    if let (Some(format), None) = (format, &spanning) {
                        let assembler = Assembler::with_tree(format.info(), std::mem::take(tree));
                        *tree = add(&mut stage.batch, assembler, self.id).into_tree();
                    }
                    at += len.max(1);
                }
            }
            spanning = spanning.map(|assembler| add(&mut stage.batch, assembler, self.id));
            all.raised.append(&mut stage.batch.raised);
        }
        if let Some(mut cut) = stage.batch.cut.take() {
            cut.code = Code(3);
            all.raised.push(cut);
        }
        all.records = stage.batch.records;
        if let Some(mut assembler) = spanning {
            all.raised.extend(streams::of_stream(&mut assembler, self.bytes));
            *tree = end(assembler, self.id);
        }
        Ok(())
    }
}

/// Puts a batch into an assembler. Histories that end on the way are paths of their own, unless the format knows nodes.
fn add(batch: &mut Batch, assembler: Assembler, id: DocId) -> Assembler {
    let knows_nodes = batch.marks.iter().any(|(_, mark)| matches!(mark, Mark::Entry(_)));
    let mut assembler = assembler;
    let mut ended = Vec::new();
    batch.assemble(&mut assembler, |history, _| ended.push(history));
    batch.items.clear();
    if !knows_nodes && let Some(tree) = assembler.tree() {
        ended.into_iter().for_each(|history| path(history, id, tree));
    }
    assembler
}

/// Ends a doc.
fn end(mut assembler: Assembler, id: DocId) -> Builder {
    assembler.settle();
    if let Some(nodes) = assembler.stream().map(|stream| streams::nodes(stream)) {
        let mut tree = assembler.into_tree();
        for (entry, rows) in nodes {
            tree.entry(entry);
            tree.rows(&rows);
        }
        return tree;
    }
    if !assembler.knows_nodes()
        && let Some(history) = assembler.finish()
        && let Some(tree) = assembler.tree()
    {
        path(history, id, tree);
    }
    assembler.into_tree()
}

/// A history without nodes as a path: a node for each turn of the user, if the format counts them.
fn path(history: History, id: DocId, tree: &mut Builder) {
    let turns: Vec<&[Row]> = history.rows.chunk_by(|a, b| a.turn == b.turn).collect();
    let name = |n: usize| if turns.len() > 1 { format!("turn-{}", n + 1) } else { String::new() };
    for (n, turn) in turns.iter().enumerate() {
        let Some(first) = turn.first() else { continue };
        let answered = turn.iter().any(Row::is_model_made);
        let part = if answered { Part::Exchange } else { Part::Input };
        let mut entry = Entry::new(&name(n), Place::new(id, first.at.start, 0), first.record, part);
        entry.parent = (n > 0).then(|| name(n - 1).into());
        (entry.model, entry.store) = (history.settings.model.clone(), history.settings.store);
        tree.entry(entry);
        tree.rows(turn);
    }
}
