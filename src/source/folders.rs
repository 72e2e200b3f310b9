//! Sessions stored in folders, with a file for each message, part or event. The files of a session are one input,
//! whichever of them were found.

mod layout;
mod opencode;
mod openhands;

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use layout::{FolderLayout, FolderMember, read};

use super::bytes::hinted::{HintedBytes, append_one_line};
use super::bytes::hints::{ByteHints, RowAccess};
use super::bytes::read::ReadAt;
use super::file_stamp::Packing;
use super::inputs::walk::Input;
use super::segments::{self, Segment};

/// All folder layouts.
static LAYOUTS: [&FolderLayout; 2] = [&opencode::SESSIONS, &openhands::EVENTS];

/// The layout and session that a file belongs to, if any.
fn layout_of(path: &Path) -> Option<(&'static FolderLayout, FolderMember<'_>)> {
    if path.extension()? != "json" {
        return None;
    }
    LAYOUTS.into_iter().find_map(|kind| Some((kind, (kind.of)(path)?)))
}

/// Replaces the files of each session by one input.
pub fn group_sessions(inputs: Vec<Input>) -> Vec<Input> {
    let mut sessions: HashMap<(PathBuf, String), Option<Vec<PathBuf>>> = HashMap::new();
    let mut taken: HashSet<PathBuf> = HashSet::new();
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
    let mut text = Vec::new();
    let mut rows = Vec::with_capacity(paths.len());
    for path in paths {
        let start = text.len() as u64;
        append_one_line(&read(path)?, &mut text);
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
    let lines = HintedBytes::new(text, ByteHints::Lines { format, rows: RowAccess::Editable });
    segments::number_segments(&mut rows, &lines)?;
    Ok((Box::new(lines), rows))
}
