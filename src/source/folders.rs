//! Sessions stored in folders, with a file for each message, part or event. The files of a session are one input,
//! whichever of them were found.

mod layout;
mod opencode;
mod openhands;
mod vibe;

use std::io;
use std::path::{Path, PathBuf};

use foldhash::{HashMap, HashSet};
use layout::{FolderLayout, FolderMember, read};

use super::bytes::hinted::{HintedBytes, append_one_line};
use super::bytes::hints::{ByteHints, FileFault};
use super::bytes::read::ReadAt;
use super::file_stamp::Packing;
use super::inputs::walk::Input;
use super::segments::{self, Segment};

/// All folder layouts.
static LAYOUTS: [&FolderLayout; 3] = [&opencode::SESSIONS, &openhands::EVENTS, &vibe::SESSIONS];

/// The layout and session that a file belongs to, if any.
fn layout_of(path: &Path) -> Option<(&'static FolderLayout, FolderMember<'_>)> {
    LAYOUTS.into_iter().find_map(|kind| Some((kind, (kind.of)(path)?)))
}

/// The layout of a format's sessions.
fn layout_by_format(format: &str) -> Option<&'static FolderLayout> {
    LAYOUTS.into_iter().find(|layout| layout.format == format)
}

/// The path of a file with this content, added to a session of a format after its last file; `None` if none can be added.
pub fn new_file(format: &str, last: &Path, content: &[u8]) -> Option<PathBuf> {
    (layout_by_format(format)?.new_file)(last, content)
}

/// Replaces the files of each session by one input.
pub fn group_sessions(inputs: Vec<Input>) -> Vec<Input> {
    let mut sessions: HashMap<(PathBuf, String), Option<Vec<PathBuf>>> = HashMap::default();
    let mut taken: HashSet<PathBuf> = HashSet::default();
    let mut out = Vec::with_capacity(inputs.len());
    for input in inputs {
        let Input::File { path, named } = &input else {
            out.push(input);
            continue;
        };
        if let Some((kind, FolderMember { root, session })) = layout_of(path) {
            let key = (root.to_owned(), session.to_owned());
            let is_new = !sessions.contains_key(&key);
            let files = sessions.entry(key).or_insert_with(|| (kind.files)(root, session));
            if let Some(files) = files {
                if is_new {
                    taken.extend(files.iter().cloned());
                    out.push(Input::Tree { format: kind.format, paths: files.clone(), named: *named });
                }
                continue;
            }
        }
        out.push(input);
    }
    let is_taken = |input: &Input| matches!(input, Input::File { path, .. } if taken.contains(path));
    out.retain(|input| !is_taken(input));
    out
}

/// The files as lines, and the segment of each.
pub(super) fn open(format: &'static str, paths: &[PathBuf]) -> io::Result<(Box<dyn ReadAt>, Vec<Segment>)> {
    let layout = layout_by_format(format).ok_or(io::ErrorKind::InvalidInput)?;
    let mut text = Vec::new();
    let mut rows: Vec<Segment> = Vec::with_capacity(paths.len());
    let mut faults = Vec::new();
    for (file, path) in paths.iter().enumerate() {
        let start = text.len() as u64;
        let content = match read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            content => Some(content?),
        };
        let before = rows.last().map(|before| before.path.as_path());
        let found = (layout.faults)(before, path, content.as_deref());
        faults.extend(found.into_iter().map(|(kind, number)| FileFault {
            file,
            kind,
            number: u32::try_from(number).unwrap_or(u32::MAX),
        }));
        append_one_line(content.as_deref().unwrap_or_default(), &mut text);
        // The text of a file that is not JSON may still contain line ends.
        text.iter_mut().skip(start as usize).filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        text.push(b'\n');
        rows.push(Segment {
            label: path.to_string_lossy().into_owned(),
            path: path.clone(),
            packing: Packing::Shared,
            stamp: None,
            start,
            len: text.len() as u64 - start,
            lines_before: 0,
            records_before: 0,
            is_base: false,
        });
    }
    let lines = HintedBytes::new(text, ByteHints::Lines { format, rows: layout.rows });
    let lines = lines.with_faults(faults);
    segments::number_segments(&mut rows, &lines)?;
    Ok((Box::new(lines), rows))
}
