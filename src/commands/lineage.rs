//! The files that a log continues from: how their lines are read, and where they are searched.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::format::NumberedLines;
use crate::formats;
use crate::formats::agents::resume::AGENTS;
use crate::json::{Tape, Val, scan};
use crate::place::DocId;
use crate::source::inputs::zstandard;
use crate::source::lineage::{Lineage, LineageLookup, LineageReader};
use crate::source::{Doc, Input, InputOptions, Packing, lines};

use super::agent_folders::folders;

/// Reads lineage from the lines of files.
pub(super) struct FileLineageReader;

/// Maximum length of the first line of a log, in bytes.
const MAX_FIRST_LINE: u64 = 16 << 20;

/// The formats with numbered lines.
fn kept_lines() -> impl Iterator<Item = &'static dyn NumberedLines> {
    formats::FORMATS.iter().filter_map(|format| format.info().numbered_lines)
}

fn first_line(path: &Path) -> Option<Vec<u8>> {
    // A pipe can be read only once.
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut file = BufReader::new(File::open(path).ok()?);
    let beginning = file.fill_buf().ok()?;
    let plain: Box<dyn Read> = match Packing::of(beginning.get(..4).unwrap_or(beginning)) {
        Packing::Plain | Packing::Member | Packing::Shared => Box::new(file),
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Packing::Zstd => zstandard::decoder(file).ok()?,
    };
    let mut line = Vec::new();
    BufReader::new(plain.take(MAX_FIRST_LINE)).read_until(b'\n', &mut line).ok()?;
    Some(line)
}

fn with_line<R>(line: &[u8], read: impl FnOnce(Val<'_>) -> Option<R>) -> Option<R> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let mut tape = Tape::new();
    scan(line, &mut tape).ok()?;
    read(tape.root(line)?)
}

impl LineageReader for FileLineageReader {
    fn lineage(&self, path: &Path) -> Option<Lineage> {
        with_line(&first_line(path)?, |line| kept_lines().find_map(|kept| kept.lineage(line)))
    }

    fn line_before(&self, path: &Path, end: u64) -> Option<Option<u64>> {
        let doc =
            Doc::open(DocId(0), &Input::File { path: path.to_owned(), named: true }, &InputOptions::default())
                .ok()?;
        let last = end.checked_sub(1).filter(|last| *last < doc.bytes.len())?;
        let line = lines::line_at(&*doc.bytes, doc.id, 0, last).ok()?;
        if line.end() != end {
            return None;
        }
        let mut text = Vec::new();
        doc.bytes.read_into(line.start, line.len as usize, &mut text).ok()?;
        Some(with_line(&text, |line| kept_lines().find_map(|kept| kept.number(line))))
    }
}

/// The folders to search for files that were not given: those of agents that write such logs.
pub fn lookup(wanted: bool) -> LineageLookup {
    let is_kept =
        |name: &&str| formats::by_name(name).is_some_and(|format| format.info().numbered_lines.is_some());
    let agents = AGENTS.iter().copied().filter(|agent| wanted && agent.formats.iter().any(is_kept));
    LineageLookup { beside: wanted, folders: agents.flat_map(folders).filter(|folder| folder.is_dir()).collect() }
}
