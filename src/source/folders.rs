//! Sessions that lie in a tree of folders, a file for each message and each part: `session/<project>/<session>.json`,
//! `message/<session>/<message>.json`, `part/<message>/<part>.json`. The files of a session are one input, whichever of them
//! were found.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::json::{Tape, scan};

use super::known::Known;
use super::known_bytes::{KnownBytes, one_line};
use super::read::ReadAt;
use super::segments::{self, Segment};
use super::stamp::Packing;
use super::walk::Input;

/// The format of such sessions.
const FORMAT: &str = "opencode-session";

/// As much is read of a file.
const MOST_BYTES: u64 = 256 << 20;

/// Messages that are looked at.
const SAMPLE: usize = 20;

/// What a file of a tree is, by its path.
enum What<'p> {
    /// Of this session: its own file, or a message.
    Session(&'p str),
    Part,
}

/// The tree that a file lies in, and what it is there.
fn of(path: &Path) -> Option<(&Path, What<'_>)> {
    if path.extension()? != "json" {
        return None;
    }
    let folder = path.parent()?;
    let kind = folder.parent()?;
    let name = |path: &'static str| kind.file_name().is_some_and(|name| name == path);
    let root = kind.parent()?;
    let what = match () {
        () if name("session") => What::Session(path.file_stem()?.to_str()?),
        () if name("message") => What::Session(folder.file_name()?.to_str()?),
        () if name("part") => What::Part,
        () => return None,
    };
    (root.join("message").is_dir() && root.join("part").is_dir()).then_some((root, what))
}

/// Puts the files of each session together. A part by itself is no session: it stays as it is, unless its session is there.
pub fn gather(inputs: Vec<Input>) -> Vec<Input> {
    let mut sessions: HashMap<(PathBuf, String), Option<Vec<PathBuf>>> = HashMap::new();
    let mut taken: HashSet<PathBuf> = HashSet::new();
    let mut out = Vec::with_capacity(inputs.len());
    for input in inputs {
        let Input::File { path, named } = &input else {
            out.push(input);
            continue;
        };
        if let Some((root, What::Session(session))) = of(path) {
            let key = (root.to_owned(), session.to_owned());
            let is_new = !sessions.contains_key(&key);
            let files = sessions.entry(key).or_insert_with(|| files(root, session));
            if let Some(files) = files {
                if is_new {
                    taken.extend(files.iter().cloned());
                    out.push(Input::Tree { paths: files.clone(), named: *named });
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

/// The files of a session in order: its own, then each message with its parts after it.
fn files(root: &Path, session: &str) -> Option<Vec<PathBuf>> {
    let messages = listed(&root.join("message").join(session));
    // Others may have folders of these names.
    if !messages.iter().take(SAMPLE).any(|path| is_message(path)) {
        return None;
    }
    let own = listed(&root.join("session")).into_iter().map(|project| project.join(format!("{session}.json")));
    let mut files: Vec<PathBuf> = own.filter(|path| path.is_file()).take(1).collect();
    for message in messages {
        let parts = message.file_stem().map(|id| listed(&root.join("part").join(id)));
        files.push(message);
        files.extend(parts.into_iter().flatten());
    }
    Some(files)
}

/// Whether a file is a message: its keys tell.
fn is_message(path: &Path) -> bool {
    let Ok(text) = read(path) else { return false };
    let mut tape = Tape::new();
    let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    root.is_some_and(|val| ["id", "role"].iter().all(|key| val.get(key).is_some_and(|own| own.is_string())))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    std::fs::File::open(path)?.take(MOST_BYTES).read_to_end(&mut text)?;
    Ok(text)
}

/// What lies in a folder, by name: ids sort by time.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() || path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    paths.sort_unstable();
    paths
}

/// The files as lines, and where each lies in them.
pub(super) fn open(paths: &[PathBuf]) -> io::Result<(Box<dyn ReadAt>, Vec<Segment>)> {
    let mut text = Vec::new();
    let mut rows = Vec::with_capacity(paths.len());
    for path in paths {
        let start = text.len() as u64;
        one_line(&read(path)?, &mut text);
        text.push(b'\n');
        rows.push(Segment {
            label: path.display().to_string(),
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
    let lines = KnownBytes::new(text, Known::Lines(FORMAT));
    segments::number(&mut rows, &lines)?;
    Ok((Box::new(lines), rows))
}
