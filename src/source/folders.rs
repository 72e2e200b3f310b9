//! Sessions that lie in folders, a file for each message, part or event. The files of a session are one input, whichever of
//! them were found.

mod layout;
mod opencode;
mod openhands;

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use layout::{Kind, Member, read};

use super::bytes::hinted::{KnownBytes, one_line};
use super::bytes::hints::{Known, Rows};
use super::bytes::read::ReadAt;
use super::file_stamp::Packing;
use super::inputs::walk::Input;
use super::segments::{self, Segment};

/// All ways.
static KINDS: [&Kind; 2] = [&opencode::SESSIONS, &openhands::EVENTS];

/// How the session is laid out that a file is of, if it is of one.
fn of(path: &Path) -> Option<(&'static Kind, Member<'_>)> {
    if path.extension()? != "json" {
        return None;
    }
    KINDS.into_iter().find_map(|kind| Some((kind, (kind.of)(path)?)))
}

/// Puts the files of each session together.
pub fn gather(inputs: Vec<Input>) -> Vec<Input> {
    let mut sessions: HashMap<(PathBuf, String), Option<Vec<PathBuf>>> = HashMap::new();
    let mut taken: HashSet<PathBuf> = HashSet::new();
    let mut out = Vec::with_capacity(inputs.len());
    for input in inputs {
        let Input::File { path, named } = &input else {
            out.push(input);
            continue;
        };
        if let Some((kind, Member { root, session })) = of(path) {
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

/// The files as lines, and where each lies in them.
pub(super) fn open(format: &'static str, paths: &[PathBuf]) -> io::Result<(Box<dyn ReadAt>, Vec<Segment>)> {
    let mut text = Vec::new();
    let mut rows = Vec::with_capacity(paths.len());
    for path in paths {
        let start = text.len() as u64;
        one_line(&read(path)?, &mut text);
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
    let lines = KnownBytes::new(text, Known::Lines { format, rows: Rows::Changed });
    segments::number(&mut rows, &lines)?;
    Ok((Box::new(lines), rows))
}
