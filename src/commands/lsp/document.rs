//! A file that an editor has open: its text, and what was found out about it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lsp_types::Uri;

use crate::commands::Run;
use crate::options::UsageError;
use crate::place::DocId;
use crate::report::Diagnostic;
use crate::source::inputs::filter::FolderFilters;
use crate::source::{Doc, Input, InputOptions, OpenText, bug};

use super::line_index::{ColumnUnit, LineIndex};
use super::repairs::Repairs;

/// An open file.
pub struct Document {
    pub uri: Uri,
    pub version: i32,
    pub text: String,
    pub lines: LineIndex,
    pub path: PathBuf,
    /// When it is to be judged; `None` if it was.
    pub due: Option<Instant>,
    /// The findings of the last judgement.
    pub findings: Vec<Diagnostic>,
    /// The repairs, once somebody asked for them.
    pub repairs: Option<Repairs>,
}

/// Text that is judged without a pause after a change, in bytes.
const SMALL: usize = 256 << 10;
/// Bytes for which a pause of a millisecond is made.
const BYTES_PER_MS: usize = 10 << 10;
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

impl Document {
    pub fn new(uri: Uri, version: i32, text: String, unit: ColumnUnit) -> Self {
        let (path, lines) = (path_of(&uri), LineIndex::new(&text, unit));
        let due = Some(Instant::now());
        Document { uri, version, text, lines, path, due, findings: Vec::new(), repairs: None }
    }

    /// Replaces the text. A large one is judged after a pause, so that typing is not held up.
    pub fn change(&mut self, version: i32, text: String, unit: ColumnUnit) {
        let pause = match text.len() {
            len if len <= SMALL => Duration::ZERO,
            len => Duration::from_millis((len / BYTES_PER_MS) as u64).min(LONGEST_PAUSE),
        };
        (self.version, self.lines, self.text) = (version, LineIndex::new(&text, unit), text);
        self.expire(pause);
    }

    /// Forgets what was found out.
    pub fn expire(&mut self, pause: Duration) {
        (self.due, self.repairs) = (Some(Instant::now() + pause), None);
    }

    /// The name of the file in reports.
    pub fn label(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

/// A file as a run reads it.
pub struct Opened {
    pub doc: Doc,
    pub input: Input,
}

/// Opens a file as `check` does that finds it in a folder, with the text of the editor. `None` if the config file excludes
/// it.
///
/// # Errors
///
/// If a config file is invalid, or another file of the same log cannot be read.
pub fn open(run: &Run, document: &Document) -> Result<Option<Opened>, UsageError> {
    let path = &document.path;
    bug::panic_for_test(document.label().as_bytes());
    run.lints.load(path)?;
    if run.lints.of_folder(path.parent().unwrap_or(Path::new(""))).excludes(path) {
        return Ok(None);
    }
    let Some(input) = run.group_inputs(vec![Input::File { path: path.clone(), named: false }]).pop() else {
        return Ok(None);
    };
    let open_text = Some(OpenText { path, text: &document.text });
    let doc = Doc::open(DocId(0), &input, &InputOptions { open_text, ..run.input_options() }).map_err(failed)?;
    Ok(Some(Opened { doc, input }))
}

/// The path behind an address; for one that is not of a file, such as that of a new document, the address itself.
fn path_of(uri: &Uri) -> PathBuf {
    let is_file = uri.scheme().is_some_and(|scheme| scheme.as_str().eq_ignore_ascii_case("file"));
    let decoded = uri.path().as_estr().decode().into_string();
    let Some(path) = decoded.ok().filter(|_| is_file) else { return PathBuf::from(uri.as_str()) };
    // `/c:/folder` is a path of Windows.
    let is_drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    PathBuf::from(path.strip_prefix('/').filter(|_| is_drive).unwrap_or(&path))
}

pub fn failed(error: io::Error) -> UsageError {
    UsageError::new(error.to_string())
}
