//! Sessions of opencode 1.x in its database, and in the folders of older versions: each record is a message or a part. They
//! are translated like exports.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Finding, Row, codes};
use crate::json::{Val, name};

use super::{edit, required, rows};
use crate::formats::buffered_records::BufferedRecords;
use crate::formats::threads::{Dialects, STORE};

pub struct OpencodeSession;

pub static FORMAT: OpencodeSession = OpencodeSession;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "opencode-session",
    title: "session of opencode 1.x (SQLite, or its storage folder)",
    upstream: Some(Upstream {
        repository: "anomalyco/opencode",
        file: Some("packages/opencode/src/session/message-v2.ts"),
        version: Some("1.18.33"),
    }),
    known_by: "the SQLite tables `session`, `message` and `part`; the folders `session`, `message` and `part` of `storage`",
    is_in_database: true,
    unsent: super::UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::ROWS),
    placeholder: Some(edit::placeholder_row),
    ..STORE
});

const NO_FILES: &str = "editing files of opencode's storage folder is not supported; `replaylint convert --to API FILE` writes a request that `fix` can repair";

impl Format for OpencodeSession {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.anthropic
    }

    /// Recognised by its tables or its folders, not by a record.
    fn detect(&self, _: &Probe<'_>) -> u8 {
        0
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        rows::is_known(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(OpencodeReader::default()))
    }
}

/// Collects the records of a session, and the problems of the store.
#[derive(Default)]
struct OpencodeReader {
    records: BufferedRecords,
    findings: Vec<Finding>,
    /// True if they are rows of a database.
    in_tables: bool,
}

impl ThreadReader for OpencodeReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        self.records.push(record);
        self.in_tables |= record.val.get("row").is_some();
        self.findings.extend(required::finding_in_row(record));
        if record.val.get(name::hidden).is_some() {
            let row = Row::of_place(record.base.of(record.val), record.number);
            let finding = Finding::new(codes::HIDDEN_SESSION, row);
            self.findings.push(finding.never("the file stays as it is"));
        }
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let tapes = self.records.scan_all();
        let session = rows::session(self.records.records(&tapes));
        let mut translated = session.translate(&DIALECTS, (!self.in_tables).then_some(NO_FILES));
        translated.findings.extend(self.findings);
        vec![translated]
    }
}
