//! The files that a log continues from, and those that continue from it: what their lines say, where they are looked for, and
//! copies that need none of them.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::fix::flat::Flat;
use crate::format::{Format, KeptLines};
use crate::formats;
use crate::json::{Tape, Val, scan};
use crate::place::DocId;
use crate::source::lineage::{Family, Lineage, Lookup, Peek};
use crate::source::product::NewFile;
use crate::source::{Doc, Input, Packing, ReadAt, lines};

use super::products::{Copies, unwritten};
use super::{Failure, Run, talk};

/// Reads lines of files.
pub(super) struct Peeker;

/// A first line longer than this is none of a log's.
const FIRST_LINE: u64 = 16 << 20;

/// The formats whose lines may be numbered.
fn kept_lines() -> impl Iterator<Item = &'static dyn KeptLines> {
    formats::FORMATS.iter().filter_map(|format| format.kept_lines())
}

fn first_line(path: &Path) -> Option<Vec<u8>> {
    // What a pipe says can be read only once.
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut file = BufReader::new(File::open(path).ok()?);
    let head = file.fill_buf().ok()?;
    let plain: Box<dyn Read> = match Packing::of(&head[..head.len().min(4)]) {
        Packing::Plain => Box::new(file),
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Packing::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(file).ok()?),
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
        let doc = Doc::open(DocId(0), &Input::File { path: path.to_owned(), named: true }, None).ok()?;
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

/// Where files are looked for that were not named.
pub fn lookup(wanted: bool) -> Lookup {
    let home = std::env::var_os("CODEX_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".codex"))).filter(|_| wanted);
    let folders = home.map(|home| ["sessions", "archived_sessions"].map(|folder| home.join(folder)));
    Lookup { beside: wanted, folders: folders.into_iter().flatten().filter(|folder| folder.is_dir()).collect() }
}

/// The files that continue from others.
pub(super) struct Pins<'r> {
    run: &'r Run,
    inputs: &'r [Input],
    /// Found out where it is asked for.
    family: Mutex<Option<Family<'r>>>,
}

impl<'r> Pins<'r> {
    pub(super) fn new(run: &'r Run, inputs: &'r [Input]) -> Self {
        Pins { run, inputs, family: Mutex::new(None) }
    }

    /// Those that continue from a part of a doc, as they are printed.
    pub(super) fn of(&self, doc: &Doc) -> Vec<String> {
        let segments = doc.segments.iter().filter(|segment| !segment.is_base).map(|segment| &segment.path);
        let paths: Vec<&PathBuf> = doc.path.iter().chain(segments).collect();
        let Ok(mut family) = self.family.lock() else { return Vec::new() };
        let family = family.get_or_insert_with(|| Family::new(&Peeker, &self.run.lookup, self.inputs));
        let builders = paths.iter().flat_map(|path| family.builders(path));
        let builders = builders.filter(|builder| !paths.contains(&builder));
        builders.map(|builder| builder.to_string_lossy().into_owned()).collect()
    }
}

/// Writes the copy of a log whose lines may not move, and says how to go on with it. Gives where it is, and what could
/// not be kept of a file that was there; `None` if there can be no such copy.
pub(super) fn flattened(
    copies: &Copies,
    doc: &Doc,
    view: &dyn ReadAt,
    format: &'static dyn Format,
    several: bool,
    quiet: bool,
) -> Result<Option<(PathBuf, Vec<String>)>, Failure> {
    let Some(kept) = format.kept_lines() else { return Ok(None) };
    let Some(flat) = Flat::of(view, kept)? else { return Ok(None) };
    let last = doc.segments.last().map(|segment| doc.of_segment(segment));
    let doc = last.as_ref().unwrap_or(doc);
    let old = doc.path.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let name = flat.file_name(&old.unwrap_or_default());
    let mut path = copies.place(doc, several)?;
    if several || copies.is_folder() {
        path.set_file_name(&name);
    }
    let mut file = NewFile::create(&path, true, copies.existing).map_err(unwritten)?;
    flat.write(&mut file)?;
    let lost = file.save().map_err(unwritten)?;
    if !quiet {
        let named = path.file_name().is_some_and(|own| own.to_string_lossy() == name);
        let rename = if named { String::new() } else { format!("rename it to {name}, ") };
        talk(&format!(
            "{}: a copy in one file, under a new id; {rename}move it into the sessions folder and run `{}`",
            path.display(),
            flat.resume()
        ));
    }
    Ok(Some((path, lost)))
}
