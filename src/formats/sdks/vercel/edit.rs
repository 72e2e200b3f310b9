//! In-place repair of lists of messages. ModelMessages keep results in tool messages; in UIMessages a result is in the part
//! of its call, and the ids of messages are keys of the app's database, which are never changed.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, PartResults, ResultStorage, fill_template};
use crate::json::{Val, name, string};
use crate::place::Edit;

/// The editor of ModelMessages.
pub(super) static MODEL_MESSAGES: Editor = Editor { messages, ..Editor::of(ResultStorage::Parts(&RESULTS)) };
/// The editor of UIMessages.
pub(super) static UI_MESSAGES: Editor = Editor { messages, ..Editor::of(ResultStorage::InCall(complete_call)) };

static RESULTS: PartResults = PartResults { list, part, message };

/// The list of messages of a record.
fn messages(val: Val<'_>) -> Option<Val<'_>> {
    if val.is_array() { Some(val) } else { val.get(name::messages) }
}

fn list(message: Val<'_>) -> Option<Val<'_>> {
    message.get(name::content).filter(|_| message.get(name::role).is_some_and(|role| role.is("tool")))
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let (id, name, text) =
        (open.raw_member(&[&["toolCallId"]]), open.raw_member(&[&["toolName"]]), string::quoted(STUB));
    let is_old = open.call.get("args").is_some();
    let template = match is_old {
        true => r#"{"type":"tool-result","toolCallId":$,"toolName":$,"result":$,"isError":true}"#,
        false => r#"{"type":"tool-result","toolCallId":$,"toolName":$,"output":{"type":"error-text","value":$}}"#,
    };
    Some(fill_template(template, &[id, name, &text]))
}

fn message(parts: &[u8], _: Val<'_>) -> Option<Vec<u8>> {
    Some(fill_template(r#"{"role":"tool","content":[$]}"#, &[parts]))
}

/// Completes a call. The text is inserted after the state, so that the rest of the part is unchanged.
fn complete_call(open: &OpenCall<'_>, out: &mut Vec<Edit>) -> Option<()> {
    let tool = open.call.get("toolInvocation").unwrap_or(open.call);
    let state = tool.get(name::state)?;
    let is_old = state.is("call");
    let template = if is_old { r#""result","result":$"# } else { r#""output-error","errorText":$"# };
    out.push(Edit::replace(open.base.of(state), fill_template(template, &[&string::quoted(STUB)])));
    Some(())
}
