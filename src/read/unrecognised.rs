//! Findings about bytes that no format reads.

use std::io;

use crate::formats::unsupported;
use crate::history::codes::unknown_format::{
    BINARY, DATABASE_WITHOUT_LOG, EMPTY_DATABASE, ENCRYPTED, EVENTS, FOREIGN_DATABASE, FOREIGN_RECORD,
    NO_DATABASES, NOT_A_CONVERSATION, STREAMED_DATABASE, TEXT, UNSUPPORTED,
};
use crate::history::codes::{INVALID_JSON, UNKNOWN_FORMAT};
use crate::history::{Finding, Flags, Row};
use crate::json::FaultKind;
use crate::place::{DocId, Place};
use crate::source::bytes::hints::{ByteHints, UnreadReason};
use crate::source::{Container, ReadAt, sqlite};

use super::detect::Detection;

/// The reason given for an unrecognised record.
const NAME_FORMAT: &str = "use `--format NAME` or `--pointer /a/b` to say where the conversation is; `replaylint formats` lists the \
     formats";
const NEVER_CHANGED: &str = "unknown formats are never changed";
const NO_CONVERSATION: &str = "there is no conversation to repair";

/// A record that no format recognises. `looks` is the row of [`unsupported`] that it resembles.
pub fn unrecognised_record(looks: Option<u32>, row: Row) -> Finding {
    let finding = Finding::new(UNKNOWN_FORMAT, row);
    match looks.and_then(|number| Some((number, unsupported::row(number)?))) {
        Some((number, seen)) => {
            let variant = if seen.is_conversation { UNSUPPORTED } else { NOT_A_CONVERSATION };
            finding.variant(variant).arg(number).never(NEVER_CHANGED)
        }
        None => finding.never(NAME_FORMAT),
    }
}

/// Lines or events that no format reads. `start` is where their text begins in the doc.
pub fn unrecognised_lines(answer: Detection, container: Container, doc: DocId, start: u64) -> Finding {
    let Detection::Unknown { looks, at: (from, len) } = answer else { return unrecognised_doc(TEXT, doc) };
    let row = Row::of_place(Place::new(doc, start + from as u64, u32::try_from(len).unwrap_or(u32::MAX)), 0);
    match (looks, container) {
        (None, Container::Events { .. }) => {
            Finding::new(UNKNOWN_FORMAT, row).variant(EVENTS).never(NO_CONVERSATION)
        }
        _ => unrecognised_record(looks, row),
    }
}

/// A doc without JSON.
pub fn unrecognised_doc(variant: u8, doc: DocId) -> Finding {
    Finding::on_doc(UNKNOWN_FORMAT, doc).variant(variant).never(NO_CONVERSATION)
}

/// Bytes that are not text.
pub fn binary(bytes: &dyn ReadAt, id: DocId) -> io::Result<Finding> {
    if let Some(ByteHints::Unread(why)) = bytes.hints() {
        return Ok(database(why, id));
    }
    let mut head = [0; sqlite::MAGIC.len()];
    let n = bytes.read_at(0, &mut head)?;
    let is_database = n == head.len() && head == *sqlite::MAGIC;
    Ok(unrecognised_doc(if is_database { STREAMED_DATABASE } else { BINARY }, id))
}

/// A database that is not read.
fn database(why: UnreadReason, doc: DocId) -> Finding {
    let (variant, help) = match why {
        UnreadReason::Unsupported => (NO_DATABASES, "install a build with the feature `sqlite`"),
        UnreadReason::UnknownSchema => (FOREIGN_DATABASE, NEVER_CHANGED),
        UnreadReason::MissingWal => (DATABASE_WITHOUT_LOG, "copy the `-wal` file along with the database"),
        UnreadReason::Empty => (EMPTY_DATABASE, NO_CONVERSATION),
        UnreadReason::Encrypted => (ENCRYPTED, "the key is not in the database"),
    };
    Finding::on_doc(UNKNOWN_FORMAT, doc).variant(variant).never(help)
}

/// A record of another format than its neighbours.
pub fn foreign_record(row: Row) -> Finding {
    Finding::new(UNKNOWN_FORMAT, row).variant(FOREIGN_RECORD).never(NEVER_CHANGED)
}

/// A record that exceeds the maximum length and is not read.
pub fn too_long(at: Place, record: u32) -> Finding {
    invalid_json(FaultKind::TooLong, Row { flags: Flags::UNREAD, ..Row::of_place(at, record) })
}

/// Bytes that are not JSON.
pub fn invalid_json(what: FaultKind, row: Row) -> Finding {
    Finding::new(INVALID_JSON, row).arg(what as u32).never("the intended text is not known")
}
