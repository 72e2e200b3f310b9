//! Logs whose lines may not move: which files continue from them, and copies whose lines may.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::format::Format;
use crate::options::Misuse;
use crate::repair::flatten::Flat;
use crate::source::lineage::Family;
use crate::source::outputs::commit;
use crate::source::outputs::product::NewFile;
use crate::source::{Doc, Input, ReadAt, display_name, display_path};

use super::lineage::Peeker;
use super::run::outcome::unwritten;
use super::run::products::Copies;
use super::{Failure, Run, talk};

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
        builders.map(|builder| display_path(&builder)).collect()
    }
}

/// Writes a changed doc to a stream. `numbered` is the format of a log whose lines may not move: that is written as the
/// copy which [`flattened`] makes.
pub(super) fn write_body(
    doc: &Doc,
    view: &dyn ReadAt,
    numbered: Option<&'static dyn Format>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if !doc.segments.is_empty() {
        let what = format!("{}: is a session in several files; -o DIR/ writes a copy", display_name(&doc.label));
        return Err(Misuse::new(what).into());
    }
    match numbered
        .and_then(|format| format.info().kept_lines)
        .map(|kept| Flat::of(view, kept))
        .transpose()?
        .flatten()
    {
        Some(flat) => flat.write(out)?,
        None => commit::copy(view, out)?,
    }
    Ok(())
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
    let Some(kept) = format.info().kept_lines else { return Ok(None) };
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
        let rename = if named { String::new() } else { format!("rename it to {}, ", display_name(&name)) };
        talk(&format!(
            "{}: a copy in one file, under a new id; {rename}move it into the sessions folder and run `{}`",
            display_path(&path),
            flat.resume()
        ));
    }
    Ok(Some((path, lost)))
}
