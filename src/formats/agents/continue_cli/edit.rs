//! Repair of a session in place: a result is a state in the history item of its call. All states that an item lacks are one
//! edit.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, ResultStorage, fill_template, raw_member};
use crate::json::edit::{add_element, add_member};
use crate::json::{Val, name, string};
use crate::place::Edit;

pub(super) static EDITOR: Editor =
    Editor { messages: |session| session.get("history"), ..Editor::of(ResultStorage::InCall(add_states)) };

fn add_states(open: &OpenCall<'_>, out: &mut Vec<Edit>) -> Option<()> {
    let item = open.message;
    let states = item.get("toolCallStates").filter(Val::is_array);
    let id = |call: Val<'_>| call.get(name::id).and_then(|id| id.text().map(|id| id.into_owned()));
    let has_state = |call: Val<'_>| {
        let id = id(call);
        let mut all = states.into_iter().flat_map(|list| list.elements());
        all.any(|state| state.get(name::toolCallId).and_then(|own| own.text().map(|own| own.into_owned())) == id)
    };
    let calls = item.at(&["message", "toolCalls"]).into_iter().flat_map(|list| list.elements());
    let new: Vec<Vec<u8>> = calls.filter(|call| !has_state(*call)).map(state_of).collect();
    let new = new.join(&b","[..]);
    match states {
        Some(list) => add_element(list, new, open.base, out),
        None => add_member(item, [br#""toolCallStates": ["#, &new[..], b"]"].concat(), open.base, out),
    }
    .ok()
}

/// The state of a call whose result is not known.
fn state_of(call: Val<'_>) -> Vec<u8> {
    fill_template(
        r#"{"toolCallId":$,"toolCall":$,"status":"errored","output":[{"content":$,"name":"Tool Result","description":"Tool execution result"}]}"#,
        &[raw_member(call, &[&["id"]]), call.raw(), &string::quoted(STUB)],
    )
}
