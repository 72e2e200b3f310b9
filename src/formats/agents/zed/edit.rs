//! How an exported thread is repaired: results are members of the answer with their calls, by the ids of these.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, Results, filled};
use crate::json::edit::add_member;
use crate::json::{Val, name, string};
use crate::place::Edit;

pub(super) static EDITOR: Editor = Editor { messages, ..Editor::of(Results::InCall(end)) };

fn messages(thread: Val<'_>) -> Option<Val<'_>> {
    thread.get(name::messages)
}

fn end(open: &OpenCall<'_>, out: &mut Vec<Edit>) -> Option<()> {
    let results = open.message.at(&["Agent", "tool_results"])?;
    let (id, name) = (open.raw(&[&["id"]]), open.raw(&[&["name"]]));
    let result = filled(
        r#"$:{"tool_use_id":$,"tool_name":$,"is_error":true,"content":{"Text":$},"output":null}"#,
        &[id, id, name, &string::quoted(STUB)],
    );
    add_member(results, result, open.base, out).ok()
}
