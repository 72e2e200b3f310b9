//! Repair of a session's JSON: a missing result becomes a new message. Rows of the database, which consist of several columns,
//! are only read.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, ResultStorage, fill_template};
use crate::json::{Val, name, string};

pub(super) static EDITOR: Editor = Editor { messages, ..Editor::of(ResultStorage::Messages(result)) };

fn messages(session: Val<'_>) -> Option<Val<'_>> {
    session.get(name::messages).filter(Val::is_array)
}

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    // An archive keeps only the beginnings of results.
    open.record.get("archive_state").is_none().then(|| {
        fill_template(
            r#"{"role":"tool","content":$,"tool_call_id":$}"#,
            &[&string::quoted(STUB), open.raw_member(&[&["id"], &["call_id"]])],
        )
    })
}
