//! How lists of messages are repaired where they lie. ModelMessages keep results in messages of the tool; in UIMessages a
//! result lies in the part of its call, and the ids of messages are keys of the app's database, which stay.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, PartResults, Results, filled};
use crate::json::{Val, name, string};
use crate::place::Edit;

pub(super) static MODEL_MESSAGES: Editor = Editor { messages, ..Editor::of(Results::Parts(&RESULTS)) };
pub(super) static UI_MESSAGES: Editor = Editor { messages, ..Editor::of(Results::InCall(end)) };

static RESULTS: PartResults = PartResults { list, part, message };

/// The messages of a record that holds a list of them.
fn messages(val: Val<'_>) -> Option<Val<'_>> {
    if val.is_array() { Some(val) } else { val.get(name::messages) }
}

fn list(message: Val<'_>) -> Option<Val<'_>> {
    message.get(name::content).filter(|_| message.get(name::role).is_some_and(|role| role.is("tool")))
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let (id, name, said) = (open.raw(&[&["toolCallId"]]), open.raw(&[&["toolName"]]), string::quoted(STUB));
    let is_old = open.call.get("args").is_some();
    let template = match is_old {
        true => r#"{"type":"tool-result","toolCallId":$,"toolName":$,"result":$,"isError":true}"#,
        false => r#"{"type":"tool-result","toolCallId":$,"toolName":$,"output":{"type":"error-text","value":$}}"#,
    };
    Some(filled(template, &[id, name, &said]))
}

fn message(parts: &[u8], _: Val<'_>) -> Option<Vec<u8>> {
    Some(filled(r#"{"role":"tool","content":[$]}"#, &[parts]))
}

/// Ends a call. The text goes after the state, so that the rest of the part stays as it is.
fn end(open: &OpenCall<'_>, out: &mut Vec<Edit>) -> Option<()> {
    let tool = open.call.get("toolInvocation").unwrap_or(open.call);
    let state = tool.get(name::state)?;
    let is_old = state.is("call");
    let template = if is_old { r#""result","result":$"# } else { r#""output-error","errorText":$"# };
    out.push(Edit::replace(open.base.of(state), filled(template, &[&string::quoted(STUB)])));
    Some(())
}
