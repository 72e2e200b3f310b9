//! Repair of an exported thread: results are members of the answer with their calls, named by the ids of these.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, ResultStorage, fill_template};
use crate::json::edit::add_member;
use crate::json::{Val, name, string};
use crate::place::Edit;

pub(super) static EDITOR: Editor = Editor { messages, ..Editor::of(ResultStorage::InCall(add_result)) };

fn messages(thread: Val<'_>) -> Option<Val<'_>> {
    thread.get(name::messages)
}

fn add_result(open: &OpenCall<'_>, out: &mut Vec<Edit>) -> Option<()> {
    let results = open.message.at(&["Agent", "tool_results"])?;
    let (id, name) = (open.raw_member(&[&["id"]]), open.raw_member(&[&["name"]]));
    let result = fill_template(
        r#"$:{"tool_use_id":$,"tool_name":$,"is_error":true,"content":{"Text":$},"output":null}"#,
        &[id, id, name, &string::quoted(STUB)],
    );
    add_member(results, result, open.base, out).ok()
}
