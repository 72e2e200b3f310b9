//! What is said of bytes that no format reads.

use std::io;

use crate::formats::unread;
use crate::history::codes::unknown::{
    BINARY, DATABASE_WITHOUT_LOG, EMPTY_DATABASE, EVENTS, FOREIGN_DATABASE, NO_DATABASES, OTHER, SEALED, STRANGER,
    STREAMED_DATABASE, TEXT, UNREAD,
};
use crate::history::codes::{INVALID_JSON, UNKNOWN_FORMAT};
use crate::history::{Finding, Flags, Row};
use crate::json::What;
use crate::place::{DocId, Place};
use crate::source::bytes::hints::{Known, NotRead};
use crate::source::{Container, ReadAt, sqlite};

use super::detect::Answer;

/// Why a finding on a record of no known format has no fix.
const UNTOLD: &str = "use `--format NAME` or `--pointer /a/b` to say where the conversation is; `replaylint formats` lists the \
     formats";
const UNTOUCHED: &str = "unknown formats are never changed";
const NOTHING: &str = "there is no conversation to repair";

/// A record that no format recognises, by the row of the table that it looks like.
pub fn looks_like(looks: Option<u32>, row: Row) -> Finding {
    let finding = Finding::new(UNKNOWN_FORMAT, row);
    match looks.and_then(|number| Some((number, unread::row(number)?))) {
        Some((number, seen)) => {
            let variant = if seen.converses { UNREAD } else { OTHER };
            finding.variant(variant).arg(number).never(UNTOUCHED)
        }
        None => finding.never(UNTOLD),
    }
}

/// Lines or events that no format reads. `start` is where their text begins in the doc.
pub fn of_answer(answer: Answer, container: Container, doc: DocId, start: u64) -> Finding {
    let Answer::Unknown { looks, at: (from, len) } = answer else { return self::doc(TEXT, doc) };
    let row = Row::of_place(Place::new(doc, start + from as u64, u32::try_from(len).unwrap_or(u32::MAX)), 0);
    match (looks, container) {
        (None, Container::Events { .. }) => Finding::new(UNKNOWN_FORMAT, row).variant(EVENTS).never(NOTHING),
        _ => looks_like(looks, row),
    }
}

/// A doc that holds no JSON.
pub fn doc(variant: u8, doc: DocId) -> Finding {
    Finding::on_doc(UNKNOWN_FORMAT, doc).variant(variant).never(NOTHING)
}

/// Bytes that are no text.
pub fn binary(bytes: &dyn ReadAt, id: DocId) -> io::Result<Finding> {
    if let Some(Known::Unread(why)) = bytes.known() {
        return Ok(database(why, id));
    }
    let mut head = [0; sqlite::MAGIC.len()];
    let n = bytes.read_at(0, &mut head)?;
    let is_database = n == head.len() && head == *sqlite::MAGIC;
    Ok(doc(if is_database { STREAMED_DATABASE } else { BINARY }, id))
}

/// A database that is not read.
fn database(why: NotRead, doc: DocId) -> Finding {
    let (variant, help) = match why {
        NotRead::Unsupported => (NO_DATABASES, "install a build with the feature `sqlite`"),
        NotRead::Foreign => (FOREIGN_DATABASE, UNTOUCHED),
        NotRead::WithoutLog => (DATABASE_WITHOUT_LOG, "copy the `-wal` file along with the database"),
        NotRead::Empty => (EMPTY_DATABASE, NOTHING),
        NotRead::Sealed => (SEALED, "the key is not in the database"),
    };
    Finding::on_doc(UNKNOWN_FORMAT, doc).variant(variant).never(help)
}

/// A record among others that are of another kind.
pub fn stranger(row: Row) -> Finding {
    Finding::new(UNKNOWN_FORMAT, row).variant(STRANGER).never(UNTOUCHED)
}

/// A record is longer than records may be: it is not read.
pub fn too_long(at: Place, record: u32) -> Finding {
    fault(What::TooLong, Row { flags: Flags::UNREAD, ..Row::of_place(at, record) })
}

/// Bytes that are not JSON.
pub fn fault(what: What, row: Row) -> Finding {
    Finding::new(INVALID_JSON, row).arg(what as u32).never("the intended text is not known")
}
