//! `--dropped`: the list of what repairs took out. It is only ever appended to, before the repaired file is written: what
//! is no longer in the file is in the list, whenever the run ends.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::history::time;
use crate::json::{Tape, scan, string};
use crate::options::Misuse;
use crate::place::Place;
use crate::repair::Action;
use crate::report::Spot;
use crate::report::changes::ChangeNote;
use crate::source::{Doc, ReadAt, display_name, display_path, words};

/// How each entry begins.
const BEGINNING: &[u8] = b"{\"file\":";

/// The list.
pub(super) struct Dropped {
    path: PathBuf,
}

/// What was appended, so that it can be taken back.
pub(super) struct Appended {
    file: File,
    before: u64,
    after: u64,
}

impl Dropped {
    /// Makes sure that a file which is there is such a list.
    pub fn new(path: &Path) -> Result<Dropped, Misuse> {
        let mut head = Vec::new();
        let list = Dropped { path: path.to_owned() };
        if fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
            let read = File::open(path).and_then(|file| file.take(BEGINNING.len() as u64).read_to_end(&mut head));
            read.map_err(|error| Misuse::new(words(&path.to_string_lossy(), &error)))?;
        }
        if head.is_empty() || head == BEGINNING {
            return Ok(list);
        }
        Err(Misuse::new(format!("{}: already exists and is not a list of dropped items", display_path(path)))
            .help("--dropped needs a new file or the list of an earlier run"))
    }

    /// Appends what the changes to a doc take out of it; `None` if that is nothing.
    pub fn append(&self, notes: &[ChangeNote], bytes: &dyn ReadAt) -> io::Result<Option<Appended>> {
        let mut text = Vec::new();
        let holds = |note: &&ChangeNote| note.removed.iter().any(|(_, at)| at.contains(&note.at));
        let held: HashSet<Place> = notes.iter().filter(holds).map(|note| note.at).collect();
        for note in notes {
            let own = (note.action == Action::Drop && !held.contains(&note.at)).then_some((&note.spot, note.at));
            let removed = note.removed.iter().map(|(spot, at)| (spot, *at));
            own.into_iter().chain(removed).try_for_each(|(spot, at)| entry(note, spot, at, bytes, &mut text))?;
        }
        if text.is_empty() {
            return Ok(None);
        }
        let mut options = File::options();
        if fs::metadata(&self.path).is_ok_and(|meta| !meta.is_file()) {
            options.write(true);
        } else {
            options.read(true).append(true).create(true);
        }
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            file.write_all(&text)?;
            return Ok(None);
        }
        let before = meta.len();
        // A run before this one may have been killed within a line.
        let mut last = [b'\n'];
        if before > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        if last != [b'\n'] {
            text.insert(0, b'\n');
        }
        let appended = Appended { before, after: before + text.len() as u64, file };
        match (&appended.file).write_all(&text).and_then(|()| appended.file.sync_all()) {
            Ok(()) => Ok(Some(appended)),
            Err(error) => {
                // Half of an entry is of no use.
                let _ = appended.file.set_len(before);
                self.remove_if_empty();
                Err(error)
            }
        }
    }

    /// Takes back what was appended for a file that was not written then.
    pub fn take_back(&self, appended: &Appended) {
        // Unless somebody else appended meanwhile: an entry too many does less harm than one too few.
        if appended.file.metadata().is_ok_and(|meta| meta.len() == appended.after) {
            let _ = appended.file.set_len(appended.before);
            self.remove_if_empty();
        }
    }

    fn remove_if_empty(&self) {
        if fs::metadata(&self.path).is_ok_and(|meta| meta.is_file() && meta.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }

    /// A doc is not written, because what it loses cannot be kept.
    pub fn unsaved(&self, doc: &Doc, error: &io::Error) -> Misuse {
        let why = words(&self.path.to_string_lossy(), error);
        Misuse::new(format!(
            "{}: not written, because the removed items cannot be saved: {why}",
            display_name(&doc.label)
        ))
    }
}

/// What is taken out, and where it was, on a line.
fn entry(note: &ChangeNote, spot: &Spot, at: Place, bytes: &dyn ReadAt, out: &mut Vec<u8>) -> io::Result<()> {
    let mut item = Vec::new();
    bytes.read_into(at.start, at.len as usize, &mut item)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    let head = json!({
        "file": note.path,
        "record": note.record,
        "line": spot.line,
        "column": spot.column,
        "span": { "start": spot.span.0, "end": spot.span.1 },
        "pointer": spot.pointer,
        "inner_pointer": spot.inner_pointer,
        "rule": note.rule,
        "time": time::iso(now),
    })
    .to_string();
    out.extend_from_slice(head.trim_end_matches('}').as_bytes());
    if scan(&item, &mut Tape::new()).is_ok() && std::str::from_utf8(&item).is_ok() {
        out.extend_from_slice(b",\"item\":");
        string::one_line(&item, out);
    } else {
        // A line that was cut.
        out.extend_from_slice(b",\"text\":");
        out.extend_from_slice(&string::quoted(&String::from_utf8_lossy(&item)));
    }
    out.extend_from_slice(b"}\n");
    Ok(())
}
