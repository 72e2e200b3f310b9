//! How a session is repaired where it lies: the result of a call is a member of it. A message of the user's with results, which
//! the CLI records a second time, goes.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, Results, filled};
use crate::json::{Val, name, string};
use crate::place::{Edit, Place};

pub(super) static EDITOR: Editor = Editor { messages, ..Editor::of(Results::InCall(end)) };

/// The messages of a document, or of a line that begins anew.
fn messages(record: Val<'_>) -> Option<Val<'_>> {
    record.get(name::messages).or_else(|| record.at(&["$set", "messages"])).filter(Val::is_array)
}

fn end(open: &OpenCall<'_>, out: &mut Vec<Edit>) -> Option<()> {
    let (call, said) = (open.call, string::quoted(STUB));
    let name = call.get(name::name).filter(Val::is_string)?.raw();
    let result = match call.get(name::id).filter(Val::is_string) {
        Some(id) => {
            filled(r#"[{"functionResponse":{"id":$,"name":$,"response":{"error":$}}}]"#, &[id.raw(), name, &said])
        }
        None => filled(r#"[{"functionResponse":{"name":$,"response":{"error":$}}}]"#, &[name, &said]),
    };
    out.push(match call.get(name::result) {
        Some(old) => Edit::replace(open.base.of(old), result),
        None => {
            let at = open.base.of(call);
            Edit::replace(Place::new(at.doc, at.start + 1, 0), filled(r#""result":$,"#, &[&result]))
        }
    });
    Some(())
}
