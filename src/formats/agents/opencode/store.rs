//! Sessions of opencode 1.x in its database, and in the folders that older versions keep: a message or a part a record. They
//! are translated as exports are.

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::{Edited, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Finding, Row, codes};
use crate::json::{Val, name};

use super::{edit, required, rows};
use crate::formats::kept::Kept;
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
    stored_in_tables: true,
    unsent: super::UNSENT,
    edited: Edited::Partly,
    editor: Some(&edit::ROWS),
    placeholder: Some(edit::unreadable),
    ..STORE
});

const NO_FILES: &str = "the files of opencode's storage folder are not edited; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

impl Format for OpencodeSession {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.anthropic
    }

    /// Its tables tell, or its folders; a record by itself is no session.
    fn detect(&self, _: &Probe<'_>) -> u8 {
        0
    }

    fn knows(&self, val: Val<'_>) -> bool {
        rows::is_known(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(Rows::default()))
    }
}

/// The rows so far, and what is wrong with them as a store.
#[derive(Default)]
struct Rows {
    kept: Kept,
    found: Vec<Finding>,
    /// They are rows of a database.
    in_tables: bool,
}

impl ThreadReader for Rows {
    fn take(&mut self, record: &Stored<'_>) {
        self.kept.push(record);
        self.in_tables |= record.val.get("row").is_some();
        self.found.extend(required::finding_in_row(record));
        if record.val.get(name::hidden).is_some() {
            let row = Row::of_place(record.base.of(record.val), record.number);
            let finding = Finding::new(codes::HIDDEN_SESSION, row);
            self.found.push(finding.never("the file stays as it is"));
        }
    }

    fn finish(self: Box<Self>) -> Vec<Translated> {
        let tapes = self.kept.scanned();
        let session = rows::session(self.kept.records(&tapes));
        let mut translated = session.translated(&DIALECTS, (!self.in_tables).then_some(NO_FILES));
        translated.findings.extend(self.found);
        vec![translated]
    }
}
