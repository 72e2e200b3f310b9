//! The files that a log continues from: what their lines say, and where they are looked for.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::format::KeptLines;
use crate::formats;
use crate::formats::agents::self_repair::AGENTS;
use crate::json::{Tape, Val, scan};
use crate::place::DocId;
use crate::source::inputs::zstandard;
use crate::source::lineage::{Lineage, Lookup, Peek};
use crate::source::{Doc, Input, Opening, Packing, lines};

use super::agent_folders::folders;

/// Reads lines of files.
pub(super) struct Peeker;

/// A first line longer than this is none of a log's.
const FIRST_LINE: u64 = 16 << 20;

/// The formats whose lines may be numbered.
fn kept_lines() -> impl Iterator<Item = &'static dyn KeptLines> {
    formats::FORMATS.iter().filter_map(|format| format.info().kept_lines)
}

fn first_line(path: &Path) -> Option<Vec<u8>> {
    // What a pipe says can be read only once.
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut file = BufReader::new(File::open(path).ok()?);
    let head = file.fill_buf().ok()?;
    let plain: Box<dyn Read> = match Packing::of(head.get(..4).unwrap_or(head)) {
        Packing::Plain | Packing::Member | Packing::Shared => Box::new(file),
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Packing::Zstd => zstandard::decoder(file).ok()?,
    };
    let mut line = Vec::new();
    BufReader::new(plain.take(FIRST_LINE)).read_until(b'\n', &mut line).ok()?;
    Some(line)
}

fn see<R>(line: &[u8], see: impl FnOnce(Val<'_>) -> Option<R>) -> Option<R> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let mut tape = Tape::new();
    scan(line, &mut tape).ok()?;
    see(tape.root(line)?)
}

impl Peek for Peeker {
    fn lineage(&self, path: &Path) -> Option<Lineage> {
        see(&first_line(path)?, |line| kept_lines().find_map(|kept| kept.lineage(line)))
    }

    fn line_before(&self, path: &Path, end: u64) -> Option<Option<u64>> {
        let doc =
            Doc::open(DocId(0), &Input::File { path: path.to_owned(), named: true }, &Opening::default()).ok()?;
        let last = end.checked_sub(1).filter(|last| *last < doc.bytes.len())?;
        let line = lines::around(&*doc.bytes, doc.id, 0, last).ok()?;
        if line.end() != end {
            return None;
        }
        let mut text = Vec::new();
        doc.bytes.read_into(line.start, line.len as usize, &mut text).ok()?;
        Some(see(&text, |line| kept_lines().find_map(|kept| kept.number(line))))
    }
}

/// Where files are looked for that were not named: where the agents keep theirs that write such logs.
pub fn lookup(wanted: bool) -> Lookup {
    let is_kept = |name: &&str| formats::by_name(name).is_some_and(|format| format.info().kept_lines.is_some());
    let agents = AGENTS.iter().filter(|agent| wanted && agent.formats.iter().any(is_kept));
    Lookup { beside: wanted, folders: agents.flat_map(folders).filter(|folder| folder.is_dir()).collect() }
}
