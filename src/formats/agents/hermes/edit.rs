//! How the JSON of a session is repaired: a result is a message of its own. In the database, a row is made of several columns,
//! and is only read.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, Results, filled};
use crate::json::{Val, name, string};

pub(super) static EDITOR: Editor = Editor { messages, ..Editor::of(Results::Messages(result)) };

fn messages(session: Val<'_>) -> Option<Val<'_>> {
    session.get(name::messages).filter(Val::is_array)
}

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    // An archive keeps only the beginnings of results.
    open.record.get("archive_state").is_none().then(|| {
        filled(
            r#"{"role":"tool","content":$,"tool_call_id":$}"#,
            &[&string::quoted(STUB), open.raw(&[&["id"], &["call_id"]])],
        )
    })
}
