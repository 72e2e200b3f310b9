//! The rows of a database, or the files of a folder, that are a session of opencode 1.x: the session, then each message with
//! its parts after it. A row has the text of its cell in `data`, and its columns beside that; a file is what it holds.

use crate::format::translate::Stored;
use crate::formats::member::text;
use crate::json::{Val, name};

use super::message::{Message, StoredPart};
use super::session::Session;

/// What a record is.
enum What<'v> {
    Session(Val<'v>),
    Message(Val<'v>),
    Part(Val<'v>),
}

impl<'v> What<'v> {
    fn of(record: Val<'v>) -> Option<What<'v>> {
        if let Some(row) = record.get("row") {
            return Some(match record.get(name::data) {
                Some(data) if row.is("message") => What::Message(data),
                Some(data) if row.is("part") => What::Part(data),
                _ if row.is("session") => What::Session(record),
                _ => return None,
            });
        }
        let has = |key: &str| record.get(key).is_some();
        Some(match () {
            () if has("role") => What::Message(record),
            () if has("projectID") || has("directory") => What::Session(record),
            () if has("type") => What::Part(record),
            () => return None,
        })
    }
}

/// Whether a record may be one of these.
pub(in crate::formats) fn is_known(record: Val<'_>) -> bool {
    What::of(record).is_some()
}

/// The session that records are, in order.
pub(in crate::formats) fn session<'v>(records: impl Iterator<Item = Stored<'v>>) -> Session<'v> {
    let mut session = Session::default();
    for Stored { val, base, number } in records {
        match What::of(val) {
            Some(What::Session(info)) => {
                session.id = text(info, "id");
                session.version = text(info, "version");
                let revert = info.get("revert");
                let named =
                    |own: &str, key: &str| text(info, own).or_else(|| revert.and_then(|revert| text(revert, key)));
                session.taken_back =
                    named("reverted", "messageID").map(|message| (message, named("reverted_part", "partID")));
            }
            Some(What::Message(info)) => {
                let id = text(val, "id").unwrap_or_default();
                session.messages.extend(Message::new(id, info, base.of(info), number));
            }
            Some(What::Part(part)) => {
                if let Some(message) = session.messages.last_mut() {
                    message.parts.push(StoredPart { val: part, base, id: text(val, "id") });
                }
            }
            None => {}
        }
    }
    session
}
