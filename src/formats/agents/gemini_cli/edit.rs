//! Repair of a session in place: a result is a member of its call. A user message that repeats results is removed.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, ResultStorage, fill_template};
use crate::json::{Val, name, string};
use crate::place::{Edit, Place};

pub(super) static EDITOR: Editor = Editor { messages, ..Editor::of(ResultStorage::InCall(add_result)) };

/// The messages of a document, or of a line that replaces all messages.
fn messages(record: Val<'_>) -> Option<Val<'_>> {
    record.get(name::messages).or_else(|| record.at(&["$set", "messages"])).filter(Val::is_array)
}

fn add_result(open: &OpenCall<'_>, out: &mut Vec<Edit>) -> Option<()> {
    let (call, error) = (open.call, string::quoted(STUB));
    let name = call.get(name::name).filter(Val::is_string)?.raw();
    let result = match call.get(name::id).filter(Val::is_string) {
        Some(id) => fill_template(
            r#"[{"functionResponse":{"id":$,"name":$,"response":{"error":$}}}]"#,
            &[id.raw(), name, &error],
        ),
        None => fill_template(r#"[{"functionResponse":{"name":$,"response":{"error":$}}}]"#, &[name, &error]),
    };
    out.push(match call.get(name::result) {
        Some(old) => Edit::replace(open.base.of(old), result),
        None => {
            let at = open.base.of(call);
            Edit::replace(Place::new(at.doc, at.start + 1, 0), fill_template(r#""result":$,"#, &[&result]))
        }
    });
    Some(())
}
