//! The rows of a database, or the files of a folder, that form a session of opencode 1.x: the session, then each message
//! followed by its parts. A row has the JSON of its cell in `data`, next to its other columns; a file is that JSON.

use crate::format::translate::ParsedRecord;
use crate::formats::member::text;
use crate::json::{Val, name};

use super::message::{OpencodeMessage, StoredPart};
use super::session::StoredSession;

/// A record by its type.
enum OpencodeRecord<'v> {
    Session(Val<'v>),
    Message(Val<'v>),
    Part(Val<'v>),
}

impl<'v> OpencodeRecord<'v> {
    fn of(record: Val<'v>) -> Option<OpencodeRecord<'v>> {
        if let Some(row) = record.get("row") {
            return Some(match record.get(name::data) {
                Some(data) if row.is("message") => OpencodeRecord::Message(data),
                Some(data) if row.is("part") => OpencodeRecord::Part(data),
                _ if row.is("session") => OpencodeRecord::Session(record),
                _ => return None,
            });
        }
        let has = |key: &str| record.get(key).is_some();
        Some(match () {
            () if has("role") => OpencodeRecord::Message(record),
            () if has("projectID") || has("directory") => OpencodeRecord::Session(record),
            () if has("type") => OpencodeRecord::Part(record),
            () => return None,
        })
    }
}

/// True if a record may be one of these.
pub(in crate::formats) fn is_known(record: Val<'_>) -> bool {
    OpencodeRecord::of(record).is_some()
}

/// Assembles a session from its records in order.
pub(in crate::formats) fn session<'v>(records: impl Iterator<Item = ParsedRecord<'v>>) -> StoredSession<'v> {
    let mut session = StoredSession::default();
    for ParsedRecord { val, base, number } in records {
        match OpencodeRecord::of(val) {
            Some(OpencodeRecord::Session(info)) => {
                session.id = text(info, "id");
                session.version = text(info, "version");
                let revert = info.get("revert");
                let named =
                    |own: &str, key: &str| text(info, own).or_else(|| revert.and_then(|revert| text(revert, key)));
                session.reverted =
                    named("reverted", "messageID").map(|message| (message, named("reverted_part", "partID")));
            }
            Some(OpencodeRecord::Message(info)) => {
                let id = text(val, "id").unwrap_or_default();
                session.messages.extend(OpencodeMessage::new(id, info, base.of(info), number));
            }
            Some(OpencodeRecord::Part(part)) => {
                if let Some(message) = session.messages.last_mut() {
                    message.parts.push(StoredPart { val: part, base, id: text(val, "id") });
                }
            }
            None => {}
        }
    }
    session
}
